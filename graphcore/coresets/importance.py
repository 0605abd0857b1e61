"""Importance sampling in kernel space: Algorithms 4 and 5 of the coreset paper."""

import math
import warnings
from typing import NamedTuple

import numpy as np

from .._random import Streams
from ..exceptions import GraphWarning
from . import _loops
from .seeding import d2_seeding

__all__ = ["Draws", "importance_probabilities", "importance_rounds", "importance_sample", "importance_size"]


class Draws(NamedTuple):
    """Distinct points drawn, ascending; their weights; and how many draws were made."""

    indices: np.ndarray
    weights: np.ndarray
    n_draws: int


def importance_size(n_points, n_clusters, eps):
    """Draws that one round of Algorithm 5 asks for: ``C k^2 log^2(k) log(n) / eps^2`` with C = 1.

    Parameters
    ----------
    n_points, n_clusters : int
    eps : float
        The round's relative error.

    Returns
    -------
    int
        At least `n_clusters` (the formula is 0 for one cluster).

    Examples
    --------
    >>> from graphcore.coresets.importance import importance_size
    >>> importance_size(1_000_000, 10, 0.1)
    732484
    """
    size = (n_clusters * math.log(n_clusters)) ** 2 * math.log(max(n_points, 2)) / eps**2
    return max(n_clusters, math.ceil(round(size, 6)))


def importance_probabilities(kernel, seeds):
    """Probabilities of Algorithm 5, proportional to ``w(x) Delta(x, C)/cost(C) + w(x)/w(cell of x)``.

    Parameters
    ----------
    kernel : CutKernel
    seeds : Seeds

    Returns
    -------
    ndarray of shape (n_points,), float64
        Sums to 1; 0 for points of weight 0.
    """
    cells = np.zeros(len(seeds.indices))
    _loops.cell_weights(seeds.nearest, kernel.point_weights, cells)
    out = np.empty(kernel.n_points)
    total = _loops.sensitivities(seeds.nearest, kernel.point_weights, seeds.contributions, seeds.cost, cells, out)
    out /= total
    return out


def importance_sample(kernel, probabilities, size, random_state=None):
    """Draw `size` points independently, weight ``w(x) / (p_x size)`` each, and merge repeats.

    Parameters
    ----------
    kernel : CutKernel
    probabilities : ndarray of shape (n_points,), float64
    size : int
        Number of draws.
    random_state : int, Generator, RandomState or None

    Returns
    -------
    Draws
    """
    uniforms = np.sort(Streams(random_state).generator("draws").random(size))
    points = np.empty(size, dtype=np.int64)
    _loops.draw_sorted(probabilities, float(probabilities.sum()), uniforms, points)
    indices, counts = np.unique(points, return_counts=True)
    weights = counts * (kernel.point_weights[indices] / (probabilities[indices] * size))
    return Draws(indices, weights, size)


def importance_rounds(kernel, n_clusters, eps, n_seeds, *, seeding="fast", random_state=None):
    """Algorithm 4: repeat importance sampling on its own result until it stops shrinking.

    Round i works with ``eps_i = eps / max(1, log^(i) n)^(1/4)``, log^(i) the iterated logarithm (guarded, since it
    turns negative).

    Parameters
    ----------
    kernel : CutKernel
    n_clusters : int
    eps : float
    n_seeds : int
        D2 seeds of every round.
    seeding : {"fast", "naive"}
    random_state : int, Generator, RandomState or None

    Returns
    -------
    Draws
        The last round that made the set smaller; the whole set of points if the first does not.
    """
    streams = Streams(random_state)
    n_points = int(np.count_nonzero(kernel.point_weights))
    indices = np.flatnonzero(kernel.point_weights > 0)
    best = Draws(indices, kernel.point_weights[indices].copy(), n_points)
    current = kernel
    iterated = float(n_points)
    round_number = 0
    while True:
        round_number += 1
        iterated = math.log(iterated) if iterated > 1 else 0.0
        eps_i = eps / max(1.0, iterated) ** 0.25
        size = importance_size(n_points, n_clusters, eps_i)
        if size >= n_points and round_number == 1:
            warnings.warn(
                f"eps={eps} with {n_clusters} clusters asks for {size} draws, and there are {n_points} nodes; "
                "the draws are capped at the node count: give a larger eps, or size=",
                GraphWarning,
                stacklevel=3,
            )
        size = min(size, n_points)
        seeds = d2_seeding(current, n_seeds, method=seeding, random_state=streams.child("round", round_number))
        probabilities = importance_probabilities(current, seeds)
        draws = importance_sample(current, probabilities, size, streams.child("round", round_number))
        if len(draws.indices) >= len(best.indices):
            return best
        best = Draws(best.indices[draws.indices] if round_number > 1 else draws.indices, draws.weights, size)
        current = kernel.restrict(best.indices, best.weights)
