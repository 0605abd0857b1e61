"""What kernel k-means starts from: a kernel in any form, weights, a first partition, given or drawn."""

import numpy as np

from .._validation import check_labels, check_sample_weight
from ..coresets.seeding import draw_seeds
from ..exceptions import InputError, ParameterError
from ..kernels.as_kernel import as_kernel
from ..kernels.checks import check_diagonal

# The nearest of D2 draws in feature space, or of random points.
INITIALISATIONS = ("k-means++", "random")


def kernel_and_weights(K, weights=None):
    """A kernel in any form that :func:`graphcore.kernels.as_kernel.as_kernel` takes, and the weights of its points.

    These are node degrees for a graph, otherwise ones or those given, float64. What kernel k-means cannot use is
    refused.
    """
    kernel = as_kernel(K)
    check_diagonal(kernel.diagonal)
    if weights is None:
        if not kernel.point_weights.any():
            raise InputError("no node has an edge: there is nothing to cluster")
        return kernel, kernel.point_weights
    if kernel.leaves_out_isolated:
        raise ParameterError(
            "a graph's nodes are weighted by their degrees; leave weights out, or weigh the edges: w_x A_xy w_y"
        )
    return kernel, check_sample_weight(weights, kernel.n_points, "weights")


def check_init(kernel, labels, n_clusters):
    """Labels of a first partition, -1 for isolated nodes only."""
    labels = np.array(check_labels("init", labels, kernel.n_points))
    isolated = kernel.point_weights == 0
    if labels.max() >= n_clusters or (labels[~isolated] < 0).any():
        raise ParameterError(
            f"init holds labels from {labels.min()} to {labels.max()}; with n_clusters={n_clusters} they run from 0 to "
            f"{n_clusters - 1}"
        )
    labels[isolated] = -1
    return labels


def initial_shift(kernel, weights, shift):
    """The shift that distances of the first partition are taken with.

    It is `shift`, but for kernels with ``K_xx = 0`` where K_xy is not: no inner product has that, and no distance of
    such a point to those it is most similar to would be positive. Distances then are those of a shifted kernel that is
    positive semi-definite. The shift is only for the start, as it would hinder the iterations.
    """
    bare = (weights > 0) & (kernel.diagonal == 0)
    if kernel.is_psd or not bare.any():
        return shift
    if kernel.leaves_out_isolated:
        return max(shift, kernel.definite_shift(weights))
    sums = kernel.absolute_sums(weights)
    return max(shift, float(sums.max())) if sums[bare].any() else shift  # without sums, points at the origin


def centres_to_labels(kernel, weights, n_clusters, init, rng, shift):
    """Labels of the first partition: every point with the nearest of the points that are drawn as centres."""
    taking_part = np.flatnonzero(weights > 0)
    initial = ()
    if init == "random":
        initial = rng.choice(taking_part, min(n_clusters, len(taking_part)), replace=False)
    seeds = draw_seeds(kernel, weights, n_clusters, rng, shift=shift, initial=initial)
    if not len(seeds.indices):
        raise InputError("all weights are 0: there is nothing to cluster")
    labels = seeds.nearest.copy()
    if (labels < 0).any() and not kernel.leaves_out_isolated:
        labels[labels < 0] = 0  # points without weight: any cluster will do, the first step finds the nearest
    return labels, seeds
