"""First partitions of Lloyd's iterations: around k-means++ (D2) draws in feature space, or random points."""

import numpy as np

from ..coresets.seeding import draw_seeds
from ..exceptions import InputError

__all__ = ["INITIALISATIONS", "centres_to_labels", "initial_shift"]

INITIALISATIONS = ("k-means++", "random")


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
