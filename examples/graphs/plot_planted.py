"""
Planted clusters with hubs
==========================

A random graph with ten known clusters and a few hubs. The adjacency matrix, before and after its rows are sorted by the
clusters found.
"""

import matplotlib.pyplot as plt
import numpy as np

import graphcore

graph, truth = graphcore.datasets.degree_corrected_partition(10, 200, mean_degree=20, random_state=0)
shuffled = np.random.default_rng(0).permutation(graph.n_nodes)
A = graph.to_scipy()[shuffled][:, shuffled]

labels = graphcore.CoresetSpectralClustering(n_clusters=10, random_state=0).fit_predict(A)
order = np.argsort(labels, kind="stable")
figure, axes = plt.subplots(1, 2, figsize=(7, 3.6))
axes[0].spy(A, markersize=0.2, color="black")
axes[1].spy(A[order][:, order], markersize=0.2, color="black")
axes[0].set_title("as given")
axes[1].set_title("sorted by cluster")
for ax in axes:
    ax.set(xticks=[], yticks=[])

# %%

print(graphcore.metrics.agreement(labels, truth[shuffled]))
