"""Pictures of the page on flats, drawn by figures.py."""

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.ticker import NullLocator

import graphcore
from graphcore import datasets
from graphcore.flats.k_flats import k_flats
from graphcore.flats.kernel_k_flats import kernel_k_flats
from graphcore.kernels.functions import kernel_function
from graphcore.kernels.vectors import VectorKernel

__all__ = ["PICTURES"]

SHADES = ("#1b4965", "#e0a030", "#9ad1b4", "#b5547a")
SHAPES = "osD^"


def flats_shapes():
    """Two lines that cross, a triangle and two circles, by what finds them and by what does not."""
    lines, truth = datasets.crossing_lines(200, random_state=0)
    triangle, sides = datasets.noisy_triangle(240, noise=0.04, random_state=0)
    circles, rings = datasets.circles(300, (1, 10), noise=0.15, random_state=0)
    figure, axes = plt.subplots(2, 3, figsize=(8, 5.2), layout="constrained")
    found = [
        (lines, truth, "k-means", graphcore.KFlats(2, 0, random_state=0)),
        (triangle, sides, "k-means", graphcore.KFlats(3, 0, random_state=0)),
        (circles, rings, "k-means", graphcore.KFlats(2, 0, random_state=0)),
        (lines, truth, "lines", graphcore.KFlats(2, 1, init="random", random_state=0)),
        (triangle, sides, "lines", graphcore.KFlats(3, 1, random_state=0)),
        (circles, rings, "kernel k-means", graphcore.KernelKFlats(2, 0, bandwidth=3.0, random_state=0)),
    ]
    for ax, (points, truth, name, model) in zip(axes.flat, found, strict=True):
        labels = model.fit(points).labels_
        for c, (shade, shape) in enumerate(zip(SHADES, SHAPES, strict=True)):
            ax.scatter(*points[labels == c].T, s=9, c=shade, marker=shape, linewidths=0)
        if name == "lines":
            for mean, basis in zip(model.cluster_centers_, model.components_, strict=True):
                reach = np.outer([-1.1, 1.1], basis[0])
                ax.plot(*(mean + reach).T, color="k", lw=0.8, zorder=0)
        elif name == "k-means":
            ax.plot(*model.cluster_centers_.T, "kx", ms=7)
        ax.set_title(f"{name}: {_accuracy(truth, labels):.0%} right")
        ax.set(xticks=[], yticks=[], aspect="equal")
        ax.spines[:].set_visible(False)
    return figure


def flats_trefoil():
    """A trefoil covered by lines, and errors of points and lines against their number."""
    figure = plt.figure(figsize=(8, 3.9), layout="constrained")
    left, right = figure.add_subplot(121, projection="3d"), figure.add_subplot(122)
    points = datasets.trefoil(6000, random_state=0)
    shown = k_flats(points, 24, 1, init="k-means", random_state=0)
    # The projections of the points: a cluster may hold pieces of two strands that lie on one line.
    drawn = shown.flats.decode(*shown.flats.encode(points))
    for j in range(24):
        left.plot(*drawn[shown.labels == j].T, ".", ms=2.5, color=SHADES[j % 4])
    left.set(xticks=[], yticks=[], zticks=[])
    left.view_init(60, 20)
    left.set_box_aspect((1, 1, 0.4), zoom=1.3)
    left.set_axis_off()
    left.set_title("24 lines")
    ks = np.array([4, 8, 16, 32, 64, 128])
    limits = {0: 83.445, 1: 435.7}
    for m, look, name in ((0, "o--", "points (k-means)"), (1, "s-", "lines")):
        errors = [k_flats(points, int(k), m, init="k-means", n_init=2, random_state=0).error for k in ks]
        right.loglog(ks, errors, look, color="k", mfc="white", ms=5, lw=1, label=name)
        exponent = 2 + 2 * m
        right.loglog(ks, limits[m] / ks**exponent, color="#999999", lw=0.8, zorder=0)
        right.text(70, 2 * limits[m] / 70.0**exponent, f"$k^{{-{exponent}}}$", color="#666666")
    right.set(xlabel="k", ylabel="mean squared distance", title="errors, and their limits in grey")
    right.set_xticks(ks, [str(k) for k in ks])
    right.xaxis.set_minor_locator(NullLocator())
    right.legend(frameon=False, loc="lower left")
    return figure


def flats_spheres():
    """Errors of k-means on spheres of three dimensions against the number of means."""
    shares = np.array([0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
    figure, axes = plt.subplots(1, 3, figsize=(8.5, 3), layout="constrained")
    for ax, d in zip(axes, (15, 25, 400), strict=True):
        train, test = datasets.sphere(1000, d, random_state=0), datasets.sphere(1000, d, random_state=1)
        fits = [k_flats(train, max(1, int(1000 * share)), 0, n_init=1, random_state=0) for share in shares]
        held_out = np.array([fit.flats.nearest(test)[1].mean() for fit in fits])
        ax.plot(shares, [fit.error for fit in fits], "--", color="k", lw=1, label="the points themselves")
        ax.plot(shares, held_out, "-", color="k", lw=1.4, label="new points")
        best = int(held_out.argmin())
        ax.plot(shares[best], held_out[best], "o", color="k", mfc="white", ms=5)
        ax.set(title=f"dimension {d}", xlabel="k / n", ylim=(0, None))
    axes[0].set_ylabel("mean squared distance")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2, frameon=False)
    return figure


def flats_dimensions():
    """Errors on new points of a sphere: flats of several dimensions, and planes in feature space."""
    figure, axes = plt.subplots(1, 2, figsize=(8, 3.3), layout="constrained")
    train, test = datasets.sphere(500, 50, random_state=0), datasets.sphere(1000, 50, random_state=1)
    ks = np.array([1, 2, 5, 10, 25, 50, 75, 100, 150, 200, 300, 400, 500])
    for m, shade in ((0, "#bbbbbb"), (1, "#888888"), (5, "#444444"), (10, "#000000")):
        fits = [k_flats(train, int(k), m, n_init=1, random_state=0) for k in ks]
        held_out = np.array([fit.flats.nearest(test)[1].mean() for fit in fits])
        best = int(held_out.argmin())
        axes[0].plot(ks / 500, held_out, color=shade, lw=1.3, label=f"{m}")
        axes[0].plot(ks[best] / 500, held_out[best], "o", color=shade, mfc="white", ms=5)
    axes[0].set(title="flats, 500 points", xlabel="k / n", ylabel="mean squared distance of new points")
    axes[0].legend(frameon=False, title="dimension of the flats", ncols=2)
    train = datasets.sphere(1000, 50, random_state=0)
    kernel = kernel_function("gaussian", bandwidth=1.2)
    ks = np.array([1, 10, 25, 50, 75, 100, 125, 150, 200])
    fits = [kernel_k_flats(VectorKernel(train, kernel), int(k), 2, init="random", n_init=1, random_state=0) for k in ks]
    held_out = np.array([fit.distances_to(test).min(axis=1).mean() for fit in fits])
    best = int(held_out.argmin())
    axes[1].plot(ks / 1000, held_out, "k-", lw=1.3)
    axes[1].plot(ks[best] / 1000, held_out[best], "ko", mfc="white", ms=5)
    axes[1].set(title="planes in feature space, 1,000 points", xlabel="k / n")
    return figure


def _accuracy(truth, labels):
    """Share of points in the right cluster, under the best naming of the clusters."""
    from scipy.optimize import linear_sum_assignment
    from sklearn.metrics import confusion_matrix

    table = confusion_matrix(truth, labels)
    return table[linear_sum_assignment(-table)].sum() / len(truth)


PICTURES = (flats_shapes, flats_trefoil, flats_spheres, flats_dimensions)
