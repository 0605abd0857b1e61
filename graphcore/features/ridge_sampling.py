"""Approximate ridge leverage scores, from a dictionary that grows by recursion: n x m kernel values, never n x n."""

from dataclasses import dataclass

import numpy as np

from .._random import Streams
from .._threads import limited_libraries, map_blocks
from .._validation import check_integer, check_real
from ..exceptions import InputError
from ..kernels.as_kernel import as_kernel
from ..kernels.columns import block_borders


@dataclass(frozen=True, eq=False)
class RidgeScores:
    """Approximate ridge leverage scores."""

    scores: np.ndarray  # (n,) float64
    dictionary: np.ndarray  # (m,) int64: points that they were computed from
    weights: np.ndarray  # (m,) float64: one over the probability with which each was taken
    ridge: float

    @property
    def effective_dimension(self):
        """Sum of the scores."""
        return float(self.scores.sum())


def dictionary_ridge_scores(K, dictionary, weights, ridge, *, points=None, n_jobs=None):
    """Ridge leverage scores from a weighted dictionary of points J, of all points or those given: float64.

    ``tau_i = (K_ii - K_iJ (K_JJ + ridge diag(weights)^-1)^-1 K_Ji) / ridge``, where `weights` say how many points each
    of J stands for; with every point in J and weights 1 it is exact. Between 0 and ``K_ii / (K_ii + ridge)``, which
    bounds the exact ones. O(n m^2) time, O(m^2) memory beside blocks.
    """
    from scipy.linalg import cho_factor, solve_triangular

    kernel = as_kernel(K)
    ridge = check_real("ridge", ridge, low=0.0, open_low=True)
    dictionary = np.asarray(dictionary, dtype=np.int64)
    weights = np.asarray(weights, dtype=np.float64)
    points = np.arange(kernel.n_points) if points is None else np.asarray(points, dtype=np.int64)
    diagonal = kernel.diagonal[points]
    core = kernel.block(dictionary, dictionary, np.float64)
    core = (core + core.T) / 2 + np.diag(ridge / weights)
    try:
        root = cho_factor(core, lower=True)[0]
    except np.linalg.LinAlgError:
        raise InputError(
            "the kernel is not positive semi-definite: its values among sampled points have large negative "
            "eigenvalues; use another kernel or a larger ridge"
        ) from None
    whole = len(points) == kernel.n_points
    columns = kernel.columns(dictionary)
    borders = block_borders(columns) if whole else np.append(np.arange(0, len(points), 1024), len(points))

    def one(start, stop):
        rows = columns.rows(start, stop) if whole else kernel.block(points[start:stop], dictionary)
        rows = rows.toarray() if hasattr(rows, "toarray") else rows
        half = solve_triangular(root, np.asarray(rows, dtype=np.float64).T, lower=True, check_finite=False)
        return np.einsum("ij,ij->j", half, half)

    with limited_libraries():
        explained = np.concatenate(map_blocks(one, borders, n_jobs))
    return np.clip((diagonal - explained) / ridge, 0.0, diagonal / (diagonal + ridge))


def recursive_ridge_scores(K, ridge, *, n_dictionary=None, random_state=None, n_jobs=None):
    """Approximate RidgeScores by recursion over halves of the points.

    A small uniform sample gives the scores within a sample twice as large; a dictionary is drawn by these scores, and
    gives those within a sample twice as large again, until all points are reached. Rare clusters, which a uniform
    sample misses, are found on the way. The scores returned come from a dictionary drawn out of all points.
    Dictionaries have about `n_dictionary` points, by default what the scores ask for, ``3 d log(2 d)`` with d the
    effective dimension so far, at least 50.

    Musco, Musco, "Recursive sampling for the Nystrom method", NeurIPS 2017: the idea of halving. Calandriello, Rosasco,
    NeurIPS 2018, cite such schemes.
    """
    kernel = as_kernel(K)
    ridge = check_real("ridge", ridge, low=0.0, open_low=True)
    n = kernel.n_points
    if n_dictionary is not None:
        n_dictionary = check_integer("n_dictionary", n_dictionary, low=1, high=n, why_high="the number of points")
    streams = Streams(random_state)
    order = streams.generator("order").permutation(n)
    base = min(n, n_dictionary or 50)
    dictionary, weights = np.sort(order[:base]), np.ones(base)
    size, level = base, 0
    while size < n:
        level += 1
        # The dictionary stands for the smaller sample, half of this one: its points count twice.
        larger = min(n, 2 * size)
        points = np.sort(order[:larger])
        scores = dictionary_ridge_scores(
            kernel, dictionary, weights * larger / size, ridge, points=points, n_jobs=n_jobs
        )
        rng = streams.generator("dictionary", level)
        dictionary, weights = _draw(points, scores, n_dictionary, rng)
        size = larger
    scores = dictionary_ridge_scores(kernel, dictionary, weights, ridge, n_jobs=n_jobs)
    return RidgeScores(scores, dictionary, weights, ridge)


def _draw(points, scores, n_dictionary, rng):
    """Take every point with a probability in proportion to its score; weights are one over it."""
    total = float(scores.sum())
    if total == 0.0:  # a kernel that is zero on these points: any of them will do
        return points[:1], np.ones(1)
    if n_dictionary is None:
        n_dictionary = max(50.0, 3.0 * total * np.log(2.0 * total + 2.0))
    probabilities = np.minimum(1.0, scores * (n_dictionary / total))
    taken = rng.random(len(points)) < probabilities
    if not taken.any():
        taken[scores.argmax()] = True
    return points[taken], 1.0 / probabilities[taken]
