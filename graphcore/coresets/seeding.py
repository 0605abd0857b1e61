"""D2 seeding in kernel space: k-means++ on a graph, naive in O(nk) and fast through the sampling tree."""

from dataclasses import dataclass, field

import numpy as np

from .._random import Streams
from .._validation import check_choice, check_integer
from .._warn import warn_user
from .._work import count
from ..exceptions import InputError, ParameterError
from ..graphs.mapped import read_at_random
from . import _loops
from .sampling_tree import level_offsets

__all__ = ["Seeds", "d2_seeding"]


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
    """Draw centres one after the other, each with probability proportional to ``w(x) Delta(x, C)``.

    Parameters
    ----------
    kernel : CutKernel
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
    >>> from graphcore.kernels.cut import CutKernel
    >>> from graphcore.coresets.seeding import d2_seeding
    >>> graph = graphcore.Graph.from_edges([0, 0, 1, 3, 3, 4], [1, 2, 2, 4, 5, 5])  # two triangles
    >>> seeds = d2_seeding(CutKernel(graph, self_loop=1.0), 2, random_state=0)
    >>> len(seeds.indices), seeds.nearest.tolist()
    (2, [0, 0, 0, 1, 1, 1])
    """
    check_choice("method", method, ("fast", "naive"))
    n_seeds = check_integer("n_seeds", n_seeds, low=1)
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
        initial = [uniform] if method == "naive" else [first, uniform]
        n_uniforms = n_seeds - 1
        if method == "fast" and first == uniform:
            initial = [first]
    else:
        initial = _check_initial(initial, kernel, method)
        n_uniforms = max(0, n_seeds - len(initial))
    initial = np.asarray(initial, dtype=np.int64)
    uniforms = rng.random(n_uniforms)
    run = _run_fast if method == "fast" else _run_naive
    seeds, contributions, nearest, counters = run(kernel, diagonal, initial, uniforms)
    count("entries repaired", counters[0])
    count("sums updated", counters[1])
    exhausted = len(seeds) < len(initial) + len(uniforms)
    if exhausted:
        warn_user(
            f"D2 seeding stopped at {len(seeds)} of {len(initial) + len(uniforms)} centres: no node has a positive "
            "distance left to them; they are used as they are"
        )
    return Seeds(
        indices=seeds,
        contributions=contributions,
        nearest=nearest,
        cost=float(contributions.sum()),
        exhausted=exhausted,
        n_negative=int(counters[2]),
        counters={"entries": int(counters[0]), "sums": int(counters[1])},
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
    least = kernel.diagonal[kernel.point_weights > 0].min()
    # The tolerance is for callers whose own diagonal is rounded differently.
    if method == "fast" and kernel.diagonal[initial[0]] > least * (1 + 1e-12):
        raise ParameterError(
            f"initial starts with node {initial[0]}, but the fast method needs a node of smallest K_xx first: points "
            "far from all centres are nearest to that one; put it first, or use method='naive'"
        )
    return initial


def _run_fast(kernel, diagonal, initial, uniforms):
    n = kernel.n_points
    offsets = level_offsets(n)
    sums = np.zeros(offsets[-1])
    nearest = np.empty(n, dtype=np.int32)
    touched = np.empty(int(np.diff(kernel.indptr).max()) + 1, dtype=np.int64)
    counters = np.zeros(3, dtype=np.int64)
    seeds = np.empty(len(initial) + len(uniforms), dtype=np.int64)
    with read_at_random(kernel.indptr, kernel.indices, kernel.weights):
        count = _loops.seed_fast(
            kernel.indptr,
            kernel.indices,
            kernel.weights,
            kernel.degrees,
            diagonal,
            kernel.point_weights,
            initial,
            uniforms,
            sums,
            offsets,
            nearest,
            touched,
            counters,
            seeds,
        )
    return seeds[:count].copy(), sums[:n], nearest, counters


def _run_naive(kernel, diagonal, initial, uniforms):
    n = kernel.n_points
    contributions = np.empty(n)
    nearest = np.empty(n, dtype=np.int32)
    counters = np.zeros(3, dtype=np.int64)
    seeds = np.empty(len(initial) + len(uniforms), dtype=np.int64)
    count = _loops.seed_naive(
        kernel.indptr,
        kernel.indices,
        kernel.weights,
        kernel.degrees,
        diagonal,
        kernel.point_weights,
        initial,
        uniforms,
        np.zeros(n),
        contributions,
        nearest,
        counters,
        seeds,
    )
    return seeds[:count].copy(), contributions, nearest, counters
