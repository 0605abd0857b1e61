"""Picture of the page on flats, drawn by figures.py; those of its report are made by ``bench paper flats``."""

import numpy as np
from graphcore.cluster.partition.evidence import matched_clusters
from matplotlib import pyplot as plt

import graphcore

__all__ = ["PICTURES"]

SHADES, SHAPES = ("#1b4965", "#e0a030"), "os"


def flats_shapes():
    """Draw two lines that cross, by means and by lines."""
    points, truth = graphcore.datasets.crossing_lines(200, random_state=0)
    figure, axes = plt.subplots(1, 2, figsize=(6, 3.2), layout="constrained")
    for ax, name, m in zip(axes, ("k-means", "lines"), (0, 1), strict=True):
        model = graphcore.KFlats(2, m, init="random", random_state=0).fit(points)
        for c, (shade, shape) in enumerate(zip(SHADES, SHAPES, strict=True)):
            ax.scatter(*points[model.labels_ == c].T, s=9, c=shade, marker=shape, linewidths=0)
        if m:
            for mean, basis in zip(model.cluster_centers_, model.components_, strict=True):
                ax.plot(*(mean + np.outer([-1.1, 1.1], basis[0])).T, color="k", lw=0.8, zorder=0)
        else:
            ax.plot(*model.cluster_centers_.T, "kx", ms=7)
        right = np.mean(matched_clusters(model.labels_, truth.astype(np.int32), 2) == truth)
        ax.set_title(f"{name}: {right:.0%} right")
        ax.set(xticks=[], yticks=[], aspect="equal")
        ax.spines[:].set_visible(False)
    return figure


PICTURES = (flats_shapes,)
