"""
Curved clusters
===============

Two moons that k-means cuts in half, and the neighbour graph separates.
"""

import matplotlib.pyplot as plt
from sklearn.cluster import KMeans
from sklearn.datasets import make_moons

import graphcore

points, _ = make_moons(1000, noise=0.08, random_state=0)
figure, axes = plt.subplots(1, 2, figsize=(7, 2.6), sharex=True, sharey=True)
for ax, model in zip(
    axes,
    (KMeans(2, random_state=0), graphcore.CoresetSpectralClustering(n_clusters=2, random_state=0)),
    strict=True,
):
    ax.scatter(*points.T, c=model.fit_predict(points), cmap="tab10", vmin=0, vmax=9, s=5)
    ax.set_title(type(model).__name__)
    ax.axis("off")
