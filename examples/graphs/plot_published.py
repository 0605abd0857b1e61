"""
The published algorithm on a sparse and on a dense graph
========================================================

Coreset spectral clustering as published needs graphs with hundreds of edges per node. The default settings do not.
"""

import warnings

import matplotlib.pyplot as plt

import graphcore
from graphcore.metrics import agreement

digits = graphcore.datasets.load_digits()
neighbours = [10, 30, 100, 250]
found = {"default": [], "published": []}
with warnings.catch_warnings():
    warnings.simplefilter("ignore", graphcore.GraphWarning)  # the published algorithm warns where it fails
    for n in neighbours:
        graph = graphcore.knn_graph(digits.data, n, random_state=0)
        for name, published in (("default", None), ("published", graphcore.Published(coreset_size=0.2))):
            model = graphcore.CoresetSpectralClustering(10, published=published, random_state=0)
            found[name].append(agreement(model.fit_predict(graph), digits.labels)["ari"])

plt.semilogx(neighbours, found["default"], "ko-", label="default")
plt.semilogx(neighbours, found["published"], "ks--", mfc="white", label="published=Published()")
plt.xticks(neighbours, neighbours)
plt.minorticks_off()
plt.xlabel("neighbours of each vector")
plt.ylabel("agreement with the digits (ARI)")
plt.legend()
