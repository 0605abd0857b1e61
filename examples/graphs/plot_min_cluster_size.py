"""
No very small clusters
======================

``min_cluster_size`` is a guarantee: no cluster has fewer nodes.
"""

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

import graphcore

G = nx.planted_partition_graph(8, 100, 0.08, 0.004, seed=0)
for start in range(0, 800, 50):  # threads of five nodes, which the normalised cut cuts off
    nx.add_path(G, [start, *range(len(G), len(G) + 5)])
figure, ax = plt.subplots()
for least, shape in ((1, "o"), (30, "s")):
    model = graphcore.CoresetSpectralClustering(
        n_clusters=12, objective="ncut", min_cluster_size=least, random_state=0
    ).fit(G)
    sizes = np.sort(np.bincount(model.labels_))
    cut = graphcore.metrics.normalized_cut(G, model.labels_)
    ax.plot(sizes, shape, label=f"min_cluster_size={least}: normalised cut {cut:.2f}")
ax.set(yscale="log", xlabel="cluster, smallest first", ylabel="nodes")
ax.legend()

# %%
# A share works too: ``min_cluster_size=0.02`` is two per cent of the nodes.
