"""Importance sampling in kernel space: Algorithms 4 and 5 of the coreset paper."""

import math
from typing import NamedTuple

import numpy as np

from ...base.streams import Streams
from ...base.warn import warn_user
from .seeding import d2_seeding

_MANY = 2**62  # more than any graph has nodes


class Draws(NamedTuple):
    """Distinct points drawn, ascending; their weights; and how many draws were made."""

    indices: np.ndarray
    weights: np.ndarray
    n_draws: int


def importance_size(n_points, n_clusters, eps):
    """Draws that one round of Algorithm 5 asks for: ``C k^2 log^2(k) log(n) / eps^2`` with C = 1.

    With the round's relative error `eps`. Rounded, and at least `n_clusters` (the formula is 0 for one cluster).
    """
    root = n_clusters * math.log(n_clusters) / eps  # infinite for the smallest eps, where its square vanishes
    return max(n_clusters, round(min(root * root * math.log(max(n_points, 2)), _MANY)))


def importance_probabilities(weights, seeds, *, cells=False):
    """Probabilities of Algorithm 5, in proportion to ``w(x) Delta(x, C)/cost(C) + w(x)/w(C)``: (n_points,) float64.

    w(C) is the weight of all seeds, as in the authors' program: on a sparse graph few nodes have a seed beside them,
    and nearly all are drawn by their weight. With `cells` it is the weight of the points with the same nearest seed as
    x, as in Jiang et al., whose proof needs it: for points that all lie beside a seed, and outliers that must be drawn.

    Jourdan, Schwartzman, Macgregor, Sun, "Coreset Spectral Clustering"; Jiang, Krauthgamer, Lou, Zhang, "Coresets for
    kernel clustering", Machine Learning 2024.
    """
    masses = weights[seeds.indices].sum()
    if cells:
        masses = np.bincount(np.maximum(seeds.nearest, 0), weights=weights)[seeds.nearest]
    out = weights / masses
    if seeds.cost > 0.0:
        out += seeds.contributions / seeds.cost
    return out / np.cumsum(out)[-1]


def importance_sample(weights, probabilities, size, random_state=None):
    """Draw `size` points independently, weight ``w(x) / (p_x size)`` each, and merge repeats.

    `weights` and `probabilities` are of shape (n_points,), float64. Returns Draws.
    """
    uniforms = np.sort(Streams(random_state).generator("draws").random(size))
    points = np.searchsorted(np.cumsum(probabilities), uniforms * float(probabilities.sum()), side="right")
    # The last point of positive probability also takes what rounding left over.
    points = np.minimum(points, np.flatnonzero(probabilities)[-1])
    indices, counts = np.unique(points, return_counts=True)
    return Draws(indices, counts * (weights[indices] / (probabilities[indices] * size)), size)


def round_eps(eps, n_points, round_number):
    """Relative error that round 1, 2, ... of Algorithm 4 works with: ``eps / max(1, log^(i) n)^(1/4)``.

    ``log^(i)`` is the logarithm taken i times; it ends below 1, where the paper's formula has no value, so it is taken
    as 1 from there on.
    """
    iterated = float(n_points)
    for _ in range(round_number):
        iterated = math.log(iterated) if iterated > 1 else 0.0
    return eps / max(1.0, iterated) ** 0.25


def importance_rounds(kernel, n_clusters, eps, n_seeds, *, seeding="fast", random_state=None):
    """Algorithm 4: repeat importance sampling on its own result until the size stops falling.

    Round i works with :func:`round_eps` and draws :func:`importance_size` of the points that the round before has left.
    `eps` is the relative error of the cost, all rounds together, and `n_seeds` are the D2 seeds of every round. Returns
    the Draws of the last round that made the set smaller and left a point for each cluster.

    The published loop ends when a round leaves as many distinct points as the one before. Repeats make that number
    fall by chance for ever (from 18,063 draws wanted to 71 points on one graph), so a round is made here only if it
    draws fewer points than there are. The first one is always made, capped at the number of points.
    """
    streams = Streams(random_state)
    n_points = int(np.count_nonzero(kernel.point_weights > 0))
    indices = np.flatnonzero(kernel.point_weights > 0)
    best = Draws(indices, kernel.point_weights[indices].copy(), n_points)
    current = kernel
    round_number = 0
    while True:
        round_number += 1
        n_left = len(best.indices)
        size = importance_size(n_left, n_clusters, round_eps(eps, n_points, round_number))
        if size >= n_left and round_number > 1:
            return best
        if size > n_left:
            warn_user(
                f"eps={eps} with {n_clusters} clusters asks for {size} draws, and there are {n_points} nodes; "
                "the draws are capped at the node count: give a larger eps, or a size in its place"
            )
            size = n_left
        stream = streams.child("round", round_number)
        seeds = d2_seeding(current, n_seeds, method=seeding, random_state=stream)
        weights = current.point_weights
        draws = importance_sample(weights, importance_probabilities(weights, seeds), size, stream)
        if not n_clusters <= len(draws.indices) < n_left:
            return best
        kept = draws.indices if round_number == 1 else best.indices[draws.indices]
        best = Draws(kept, draws.weights, size)
        current = kernel.submatrix(best.indices, best.weights)
