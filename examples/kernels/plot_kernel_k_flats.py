"""
Kernel k-flats
==============

Flats in the feature space of a kernel. With dimension 0 and a Gaussian kernel this is kernel k-means, with the linear
kernel it is k-flats.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_circles

import graphcore

circles = make_circles(300, factor=0.1, random_state=0)
lines = graphcore.datasets.crossing_lines(300, noise=0.03, random_state=0)
figure, axes = plt.subplots(1, 2, figsize=(7, 3.5))
for ax, (points, truth), options in zip(
    axes,
    (circles, lines),
    ({"n_dims": 0, "kernel": "gaussian", "bandwidth": 0.3}, {"n_dims": 1, "kernel": "linear", "init": "random"}),
    strict=True,
):
    model = graphcore.KernelKFlats(n_clusters=2, random_state=0, **options).fit(points)
    ax.scatter(*points.T, c=model.labels_, cmap="tab10", vmin=0, vmax=9, s=6)
    score = graphcore.metrics.agreement(model.labels_, truth)["ari"]
    ax.set_title(f"{options['kernel']}, n_dims={options['n_dims']}: ARI {score:.2f}")
    ax.axis("off")
