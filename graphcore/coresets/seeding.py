"""D2 seeding in kernel space: k-means++ over any kernel, and on a graph through the sampling tree."""

from dataclasses import dataclass, field

import numpy as np

from .._arrays import read_at_random
from .._random import Streams, draw_by_weight
from .._validation import check_choice, check_integer
from .._warn import warn_user
from .._work import count
from ..exceptions import InputError, ParameterError
from . import _loops
from ._tree_loops import level_offsets

SEEDING = ("auto", "fast", "naive")


@dataclass(frozen=True, eq=False)
class Seeds:
    """Centres drawn by D2 sampling, and what every point pays to its nearest one.

    Attributes
    ----------
    indices : ndarray of shape (n_seeds,), int64
        The centres in the order drawn.
    contributions : ndarray of shape (n_points,), float64
        ``w(x) Delta(x, C)``: weight times squared distance to the nearest centre; 0 for points of weight 0.
    nearest : ndarray of shape (n_points,), int32
        Position in `indices` of the nearest centre, -1 for points of weight 0.
    cost : float
        Sum of the contributions.
    exhausted : bool
        Whether drawing ended early because no point had a positive distance left.
    n_negative : int
        Negative squared distances met (an indefinite kernel), counted as 0.
    counters : dict
        Work done: ``"entries"`` read and ``"sums"`` recomputed.
    """

    indices: np.ndarray
    contributions: np.ndarray = field(repr=False)
    nearest: np.ndarray = field(repr=False)
    cost: float
    exhausted: bool
    n_negative: int
    counters: dict = field(repr=False)


def d2_seeding(kernel, n_seeds, *, method="fast", initial=None, random_state=None):
    """Draw centres of a graph one after the other, each with probability proportional to ``w(x) Delta(x, C)``.

    Parameters
    ----------
    kernel : GraphKernel
        Other kernels with "naive" only.
    n_seeds : int
        Number of centres, `initial` included. Without `initial`, the fast method has x* beside them.
    method : {"fast", "naive"}
        "fast" starts from x*, the point of smallest ``K_xx``, then one uniform draw, then D2 draws through a sampling
        tree: O(min(n_seeds, average degree) n log n) in all. "naive" starts from one uniform draw and visits all points
        for every centre: O(n n_seeds).
    initial : array-like of integer, optional
        Different centres to start from instead; all are kept, also if they are more than `n_seeds`. For "fast" the
        first one must be a point of smallest ``K_xx``.
    random_state : int, Generator, RandomState or None

    Returns
    -------
    Seeds
        With fewer centres than asked for, and a warning, if the distances are used up before.

    Raises
    ------
    InputError
        If the kernel's diagonal is zero: then every squared distance is 0 or negative and nothing can be drawn.
    ParameterError
        If `initial` names no points, or points that cannot be centres.

    References
    ----------
    Algorithm 1 (naive) and Algorithm 2 with 6, 7, 8 (fast) of Jourdan, Schwartzman, Macgregor, Sun, "Coreset Spectral
    Clustering". The published box repairs the tree after x* and after every tree draw; it has to be repaired after the
    uniform draw as well.

    Examples
    --------
    >>> import graphcore
    >>> from graphcore.kernels.graph import GraphKernel
    >>> from graphcore.coresets.seeding import d2_seeding
    >>> graph = graphcore.Graph.from_edges([0, 0, 1, 3, 3, 4], [1, 2, 2, 4, 5, 5])  # two triangles
    >>> seeds = d2_seeding(GraphKernel(graph, self_loop=1.0), 2, random_state=0)
    >>> len(seeds.indices), seeds.nearest.tolist()
    (2, [0, 0, 0, 1, 1, 1])
    """
    check_choice("method", method, ("fast", "naive"))
    n_seeds = check_integer("n_seeds", n_seeds, low=1)
    if method == "fast" and not kernel.is_sparse:
        raise ParameterError(
            f"method='fast' reads the rows of a sparse kernel, and {type(kernel).__name__} has none; use 'naive'"
        )
    taking_part = np.flatnonzero(kernel.point_weights > 0)
    if len(taking_part) == 0:
        raise InputError("no node has an edge: there is nothing to seed")
    diagonal = kernel.diagonal
    if not diagonal.any():
        raise InputError(
            "the kernel's diagonal is zero, so every squared distance is 0 or negative and D2 seeding cannot draw; "
            "use self_loop=1.0 (as published), or sampling='degree' or 'uniform', which need no seeds"
        )
    rng = Streams(random_state).generator("seeding")
    if initial is None:
        uniform = taking_part[int(rng.integers(len(taking_part)))]
        first = taking_part[np.argmin(diagonal[taking_part])]
        initial = [uniform] if method == "naive" or first == uniform else [first, uniform]
        n_draws = n_seeds - 1
    else:
        initial = _check_initial(initial, kernel, method)
        n_draws = max(0, n_seeds - len(initial))
    initial = np.asarray(initial, dtype=np.int64)
    n_wanted = len(initial) + n_draws
    n_draws = min(n_draws, len(taking_part))  # as many draws find out that no more points are left
    if method == "fast":
        seeds = _fast_seeds(kernel, initial, rng.random(n_draws))
    else:
        seeds = draw_seeds(kernel, kernel.point_weights, len(initial) + n_draws, rng, initial=initial)
    count("entries repaired", seeds.counters["entries"])
    count("sums updated", seeds.counters["sums"])
    if seeds.exhausted:
        warn_user(
            f"D2 seeding stopped at {len(seeds.indices)} of {n_wanted} centres: no node has a positive distance left "
            "to them; they are used as they are"
        )
    return seeds


def draw_seeds(kernel, weights, n_seeds, rng, *, shift=0.0, initial=(), farthest=False):
    """Draw points one after the other, each with probability proportional to ``w(x) Delta(x, C)``; a Seeds.

    ``Delta(x, y) = K_xx + K_yy - 2 K_xy`` of ``K + shift W^-1``, and Delta(x, C) the least over the points C drawn so
    far. The first is drawn in proportion to the weights (n_points,), float64; points of weight 0 never are. One column
    of the kernel is read for each. Points of `initial` are taken first, without drawing; with `farthest` the point
    farthest from all before is, in place of a draw. There are fewer than `n_seeds`, and `exhausted` is set, if no point
    of positive distance is left; negative distances, of an indefinite kernel, count as 0.

    Arthur and Vassilvitskii, "k-means++", SODA 2007; Algorithm 1 of Jourdan, Schwartzman, Macgregor, Sun, "Coreset
    Spectral Clustering".
    """
    diagonal = np.array(kernel.diagonal)
    if shift:
        diagonal += np.divide(shift, weights, out=np.zeros(len(weights)), where=weights > 0)

    def distances_to(y):
        norms = diagonal + diagonal[y]
        distances = norms - 2.0 * kernel.column(y)
        negative = int(np.count_nonzero(distances < -kernel.noise * norms))
        distances[distances <= kernel.noise * norms] = 0.0
        return distances, negative

    return seeds_by_distance(distances_to, weights, n_seeds, rng, initial=initial, farthest=farthest)


def seeds_by_distance(distances_to, weights, n_seeds, rng, *, initial=(), farthest=False):
    """:func:`draw_seeds` for whatever has squared distances.

    `distances_to` takes a point, and returns the squared distances of all points to it (a new array, not negative
    beyond rounding) and how many came out negative.
    """
    n = len(weights)
    taking_part = weights > 0
    contributions = np.where(taking_part, np.inf, 0.0)
    shortest = contributions.copy()
    nearest = np.where(taking_part, 0, -1).astype(np.int32)
    seeds: list[int] = []
    n_negative = 0
    while len(seeds) < max(n_seeds, len(initial)):
        if len(seeds) < len(initial):
            y = int(initial[len(seeds)])
        elif not seeds:
            y = draw_by_weight(np.where(taking_part, weights, 0.0), rng)
        elif farthest:
            y = int(np.argmax(shortest)) if contributions.any() else -1
        else:
            y = draw_by_weight(contributions, rng)
        if y < 0:
            break
        distances, negative = distances_to(y)
        distances[y] = 0.0  # rounding must leave no mass on a seed, or it could be drawn again
        n_negative += negative
        offered = weights * distances
        closer = taking_part & (offered < contributions)
        contributions[closer], shortest[closer] = offered[closer], distances[closer]
        nearest[closer] = len(seeds)
        seeds.append(y)
    return Seeds(
        indices=np.array(seeds, dtype=np.int64),
        contributions=contributions,
        nearest=nearest,
        cost=float(contributions.sum()),
        exhausted=len(seeds) < n_seeds,
        n_negative=n_negative,
        counters={"entries": n * len(seeds), "sums": 0},
    )


def _check_initial(initial, kernel, method):
    initial = np.asarray(initial)
    if initial.ndim != 1 or len(initial) == 0 or not np.issubdtype(initial.dtype, np.integer):
        raise ParameterError("initial must be a list of node numbers, and not empty")
    outside = initial[(initial < 0) | (initial >= kernel.n_points)]
    if len(outside):
        raise ParameterError(f"initial names node {outside[0]}, outside 0 to {kernel.n_points - 1}")
    alone = initial[kernel.point_weights[initial] == 0]
    if len(alone):
        raise ParameterError(f"initial names node {alone[0]}, which is isolated and takes no part")
    if len(np.unique(initial)) < len(initial):
        raise ParameterError("initial names a node twice")
    smallest = kernel.diagonal[kernel.point_weights > 0].min()
    # The tolerance is for callers whose own diagonal is rounded differently.
    if method == "fast" and kernel.diagonal[initial[0]] > smallest * (1 + 1e-12):
        raise ParameterError(
            f"initial starts with node {initial[0]}, but the fast method needs a node of smallest K_xx first: points "
            "far from all centres are nearest to that one; put it first, or use method='naive'"
        )
    return initial


def _fast_seeds(kernel, initial, uniforms):
    """Seeds through the sampling tree; one uniform number for each that is drawn."""
    n = kernel.n_points
    offsets = level_offsets(n)
    sums = np.zeros(offsets[-1])
    nearest = np.empty(n, dtype=np.int32)
    touched = np.empty(int(np.diff(kernel.indptr).max()) + 1, dtype=np.int64)
    counters = np.zeros(3, dtype=np.int64)
    seeds = np.empty(len(initial) + len(uniforms), dtype=np.int64)
    with read_at_random(kernel.indptr, kernel.indices, kernel.values):
        n_seeds = _loops.seed_fast(
            kernel.indptr, kernel.indices, kernel.values, kernel.degrees, kernel.diagonal, kernel.point_weights,
            initial, uniforms, sums, offsets, nearest, touched, counters, seeds,
        )  # fmt: skip
    return Seeds(
        indices=seeds[:n_seeds].copy(),
        contributions=sums[:n],
        nearest=nearest,
        cost=float(sums[:n].sum()),
        exhausted=n_seeds < len(seeds),
        n_negative=int(counters[2]),
        counters={"entries": int(counters[0]), "sums": int(counters[1])},
    )
