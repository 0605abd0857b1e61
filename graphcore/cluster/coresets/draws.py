"""Draws of points by probabilities, with weights that make sums over them unbiased."""

from typing import NamedTuple

import numpy as np

from ...base.streams import Streams

_POINTS_PER_BLOCK = 1 << 18


class Draws(NamedTuple):
    """Distinct points drawn, ascending; their weights; and how many draws were made."""

    indices: np.ndarray
    weights: np.ndarray
    n_draws: int


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


def distinct_sample(point_weights, probabilities, size, rng):
    """Draw distinct points of positive weight by priority sampling, with `probabilities` (n,) or None for equal ones.

    Returns Draws. Works on a block of points at a time: memory is that of a block and of the sample.
    """
    points, keys, threshold = np.empty(0, dtype=np.int64), np.empty(0), np.inf
    for start in range(0, len(point_weights), _POINTS_PER_BLOCK):
        weights = point_weights[start : start + _POINTS_PER_BLOCK]
        candidates = np.flatnonzero(weights > 0)
        drawn = rng.random(len(candidates))
        if probabilities is not None:
            drawn /= probabilities[start : start + _POINTS_PER_BLOCK][candidates]
        low = drawn < threshold
        points, keys = np.concatenate([points, candidates[low] + start]), np.concatenate([keys, drawn[low]])
        if len(points) > size + 1:
            # The size + 1 smallest keys; the largest of them is the threshold that makes the weights unbiased.
            smallest = np.argpartition(keys, size)[: size + 1]
            points, keys = points[smallest], keys[smallest]
            threshold = keys.max()
    if len(points) == size:
        return Draws(points, point_weights[points], size)
    threshold = keys.max()
    chosen = np.sort(points[keys < threshold])
    weights = point_weights[chosen]
    if probabilities is None:
        return Draws(chosen, weights * (np.count_nonzero(point_weights > 0) / size), size)
    return Draws(chosen, np.maximum(weights, weights / probabilities[chosen] / threshold), size)


def systematic_sample(point_weights, probabilities, size, rng):
    """Draw distinct points by systematic sampling in random order, a point with chance ``min(1, t p_x)``; Draws.

    t is such that the chances add up to `size`. Weights over chances are unbiased, and their sum varies less than with
    priority sampling: not at all for probabilities in proportion to the weights. Works on all points at a time.

    Madow, "On the theory of systematic sampling, II", Annals of Mathematical Statistics 1949.
    """
    points = np.flatnonzero(probabilities)
    if len(points) <= size:
        return Draws(points, point_weights[points], size)
    p = probabilities[points]
    certain, above = np.zeros(len(p), dtype=bool), np.ones(1, dtype=bool)
    while above.any():
        chances = np.where(certain, 1.0, p * ((size - certain.sum()) / p[~certain].sum()))
        above = (chances >= 1.0) & ~certain
        certain |= above
    order = rng.permutation(len(p))
    ends = np.cumsum(chances[order])
    marks = (np.arange(size) + rng.random()) * (ends[-1] / size)
    drawn = np.unique(order[np.minimum(np.searchsorted(ends, marks, side="right"), len(p) - 1)])
    return Draws(points[drawn], point_weights[points[drawn]] / chances[drawn], size)
