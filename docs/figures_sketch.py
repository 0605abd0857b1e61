"""Pictures of the page on Gaussian sketches, drawn by figures.py."""

from matplotlib import pyplot as plt
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

import graphcore
from graphcore import datasets

__all__ = ["PICTURES"]

SHADES = ("#1b4965", "#e0a030")
SHAPES = "o^"


def sketch_plane():
    """A cluster inside a ring, and its sketch of two features."""
    points, truth = datasets.cluster_in_cluster(2000, random_state=0)
    sketched = graphcore.GaussianSketchFeatures(2, n_subsample=100, random_state=0).fit_transform(points)
    figure, axes = plt.subplots(1, 2, figsize=(7, 3.4), layout="constrained")
    for ax, (name, plane) in zip(axes, [("the points", points), ("two sketch features", sketched)], strict=True):
        for c, (shade, shape) in enumerate(zip(SHADES, SHAPES, strict=True)):
            ax.scatter(*plane[truth == c].T, s=8, c=shade, marker=shape, linewidths=0)
        agreement = adjusted_rand_score(truth, KMeans(2, n_init=5, random_state=0).fit_predict(plane))
        ax.set_title(f"{name}: k-means has ARI {max(agreement, 0):.2f}")
        ax.set(xticks=[], yticks=[], box_aspect=1)
    return figure


PICTURES = (sketch_plane,)
