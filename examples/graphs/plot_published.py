"""
Contracted and induced coreset graphs
=====================================

Spectral clustering of the graph that a coreset induces, as published, needs many edges per node. In the contracted
coreset graph every edge counts. The default goes on from there, and moves nodes.
"""

import warnings

import matplotlib.pyplot as plt

import graphcore
from graphcore.metrics import agreement

digits = graphcore.datasets.load_digits()
neighbours = [10, 30, 100, 250]
found = {"default": [], "contracted": [], "induced": []}
with warnings.catch_warnings():
    warnings.simplefilter("ignore", graphcore.GraphWarning)  # induced graphs warn where they fail
    for n in neighbours:
        graph = graphcore.knn_graph(digits.data, n, random_state=0)
        labels = {"default": graphcore.CoresetSpectralClustering(10, random_state=0).fit_predict(graph)}
        for kind in ("contracted", "induced"):
            labels[kind] = graphcore.coreset_spectral_clustering(
                graph, 10, coreset_size=0.2, coreset_graph=kind, random_state=0
            ).labels
        for name, values in found.items():
            values.append(agreement(labels[name], digits.labels)["ari"])

for (name, values), look in zip(found.items(), ("ko-", "k^:", "ks--"), strict=True):
    plt.semilogx(neighbours, values, look, mfc="k" if name == "default" else "white", label=name)
plt.xticks(neighbours, neighbours)
plt.minorticks_off()
plt.xlabel("neighbours of each vector")
plt.ylabel("agreement with the digits (ARI)")
plt.legend()
