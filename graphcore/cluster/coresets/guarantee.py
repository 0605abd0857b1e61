"""Sizes of importance samples for which the error of the cost is bounded, for any centres."""

import math

import numpy as np

from ...base.validation import check_real
from ...exceptions import ParameterError, warn_user
from .draws import Draws, importance_sample
from .seeding import d2_seeding, importance_probabilities, importance_size

# Probability with which guarantee=True may fail.
_FAILURE = 0.1


def check_guarantee(guarantee, eps):
    """Return the probability with which a relative error may be exceeded, None where it is not guaranteed."""
    if guarantee is False:
        return None
    if eps is None:
        raise ParameterError(f"guarantee={guarantee} is of a relative error: give eps= in place of a size")
    return _FAILURE if guarantee is True else check_real("guarantee", guarantee, low=0.0, open_low=True, high=1.0)


def check_definite(kernel, what):
    """Refuse a kernel of a graph for which squared distances may be negative, by Gershgorin's circles."""
    linked = kernel.degrees > 0
    loops = float((kernel.diagonal * kernel.degrees)[linked].min()) - kernel.shift  # as a share of the degree
    needed = min(1.0, 1.0 - 2.0 * loops)
    if kernel.shift < needed - 1e-9:
        raise ParameterError(
            f"{what} needs a positive semi-definite kernel, and shift={kernel.shift:g} with these loops may leave it "
            f"indefinite; give shift={math.ceil(1000 * needed) / 1000:g}, or heavier loops"
        )


def least_cost(kernel, n_clusters):
    """Return a lower bound of the cost of all partitions of a graph: the trace less k times a bound of eigenvalues.

    All eigenvalues of ``W^1/2 (K + shift D^-1) W^1/2`` are at most ``1 + shift``.
    """
    return float((kernel.diagonal * kernel.degrees).sum()) - n_clusters * (1.0 + kernel.shift)


def sensitivities(weights, seeds, least):
    """Bound ``w_x Delta(x, C) / cost(C)`` for every set C of centres: (n_points,) float64.

    `least` is the :func:`least_cost`. With b the seed nearest to x and B its cell,
    ``Delta(x, C) <= 2 Delta(x, b) + 2 Delta(b, C)`` and ``w(B) Delta(b, C) <= 2 cost(B, b) + 2 cost(B, C)``, as in
    Lemma 2 of Bachem, Lucic, Krause, "Practical coreset constructions for machine learning" (2017), with the cost of
    the seeds over `least` in place of its ratio to the optimum.
    """
    if not least > 0:
        return np.where(weights > 0, np.inf, 0.0)
    cells = np.maximum(seeds.nearest, 0)
    shares = weights / np.bincount(cells, weights=weights)[cells]
    costs = np.bincount(cells, weights=seeds.contributions)[cells]
    return (2.0 * seeds.contributions + 4.0 * shares * costs) / least + 4.0 * shares


def largest_ratio(bounds, probabilities):
    """Return the largest of ``bounds / probabilities`` over points that can be drawn."""
    return float(np.max(bounds[probabilities > 0] / probabilities[probabilities > 0]))


def bernstein_size(ratio, eps, failure):
    """Return how many draws have a relative error of at most `eps`, but with the probability `failure`.

    A draw of x estimates a cost by ``w_x Delta(x, C) / p_x``, at most `ratio` times the cost; its variance is less than
    `ratio` times the square (Bernstein's inequality).
    """
    return 2.0 * ratio * (1.0 + eps / 3.0) * math.log(2.0 / failure) / eps**2


def bernstein_eps(ratio, size, failure):
    """Return the relative error that `size` draws keep, the inverse of :func:`bernstein_size`."""
    scale = 2.0 * ratio * math.log(2.0 / failure) / size
    return (scale / 3.0 + math.sqrt((scale / 3.0) ** 2 + 4.0 * scale)) / 2.0


def guaranteed_sample(kernel, n_clusters, eps, failure, n_seeds, *, seeding, streams):
    """Draw an importance sample of a graph by the cells of Jiang et al., of a size that bounds its error.

    That of any centres that do not depend on the draws is at most `eps` but with the probability `failure`, and the
    size is at least :func:`importance_size`. One round; all nodes, without draws and error, where fewer do not do.
    Returns the Draws and the Seeds, None where there are none.
    """
    check_definite(kernel, "guarantee=True")
    weights = kernel.point_weights
    seeds = d2_seeding(kernel, n_seeds, method=seeding, random_state=streams, warn=False)
    probabilities = importance_probabilities(weights, seeds, cells=True)
    ratio = largest_ratio(sensitivities(weights, seeds, least_cost(kernel, n_clusters)), probabilities)
    points = np.flatnonzero(weights > 0)
    wanted = max(importance_size(len(points), n_clusters, eps), bernstein_size(ratio, eps, failure))
    if wanted < len(points):
        return importance_sample(weights, probabilities, math.ceil(wanted), streams), seeds
    warn_user(
        f"eps={eps} with {n_clusters} clusters asks for {wanted:.3g} draws to be guaranteed, and there are "
        f"{len(points)} nodes; the coreset is all of them, without an error: give a larger eps, or a size in its place"
    )
    return Draws(points, weights[points].copy(), len(points)), None
