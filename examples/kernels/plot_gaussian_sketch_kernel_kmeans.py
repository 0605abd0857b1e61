"""
Kernel k-means on a sketch
==========================

With more features every draw separates the clusters.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_circles

import graphcore
from graphcore.metrics import agreement

X, ring = make_circles(1000, factor=0.2, noise=0.05, random_state=0)
counts = [1, 2, 5, 10, 20]
for seed in range(8):
    scores = [
        agreement(
            graphcore.GaussianSketchKernelKMeans(2, n_components=count, n_subsample=100, random_state=seed).fit_predict(
                X
            ),
            ring,
        )["ari"]
        for count in counts
    ]
    plt.semilogx(counts, scores, "o-", color="black", alpha=0.4, mfc="white")
plt.xticks(counts, counts)
plt.minorticks_off()
plt.xlabel("features")
plt.ylabel("agreement with the two clusters (ARI)")
plt.title("eight seeds")
