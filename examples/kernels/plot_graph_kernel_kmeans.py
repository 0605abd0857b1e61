"""
Kernel k-means on a graph
=========================

With the right kernel, kernel k-means *is* normalised cut. It needs a good initialisation, and graphcore's main
estimator provides one.
"""

import matplotlib.pyplot as plt
import numpy as np

import graphcore

graph, truth = graphcore.datasets.planted_partition(10, 60, 0.25, 0.02, random_state=0)
names, cuts = [], []
starts = {
    "random": "random",
    "k-means++": "k-means++",
    "coreset\nclusters": graphcore.CoresetSpectralClustering(n_clusters=10, random_state=0).fit_predict(graph),
    "truth": truth,
}
for name, init in starts.items():
    model = graphcore.KernelKMeans(10, init=init, n_init=1, random_state=0).fit(graph)
    names.append(name)
    cuts.append(graphcore.metrics.normalized_cut(graph, model.labels_))

plt.bar(np.arange(len(names)), cuts, tick_label=names, color="#777777")
plt.ylabel("normalised cut after kernel k-means")
