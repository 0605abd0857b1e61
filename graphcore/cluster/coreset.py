"""A coreset: a few weighted nodes whose clusterings cost about what the whole graph's cost."""

import dataclasses
import itertools
import math
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from ..base.loops import read_at_random
from ..base.progress import count
from ..base.streams import Streams, draw_by_weight
from ..base.types import AnyGraph, ArrayLike, RandomState
from ..base.validation import check_choice, check_integer, check_real, check_size, read_only, refused
from ..exceptions import InputError, ParameterError, warn_user
from ..graphs.as_graph import as_graph
from ..graphs.graph import Graph
from ..graphs.rows import given_unit
from ..kernels.base import Kernel
from ..kernels.graph import GraphKernel, as_kernel
from ..kernels.vectors import VectorKernel
from . import _coreset_loops as _loops

SAMPLING = ("degree", "uniform", "importance")

# Share of the points in a coreset, up to so many, where nobody gave its size.
_SHARE, _MAX_SHARE = 0.03, 100_000


@dataclass(frozen=True, eq=False)
class Coreset:
    """A weighted sample of the nodes of a graph, or of vectors.

    Attributes
    ----------
    indices : ndarray of shape (n_coreset,), int64
        Distinct nodes, or rows of the vectors, ascending. Nodes of your own draws may repeat: their weights are summed.
    weights : ndarray of shape (n_coreset,), float64
        Weights that make sums over the coreset unbiased estimates of sums over all points.
    sampling : str
        How it was drawn: "degree", "uniform" or "importance"; "merged" by :func:`merge_coresets`.
    n_draws : int
        Draws made; for "importance", repeats are merged, so there may be fewer nodes.
    seeds : Seeds or None
        The D2 seeds behind an importance sample of one round.
    kernel : VectorKernel or None
        The kernel over the vectors that were drawn, ``kernel.X``; None for nodes of a graph.
    n_points : int or None
        Vectors that these were drawn from; None for nodes of a graph.
    self_loop, shift : float or None
        Those of the kernel of the graph that nodes were drawn by, of whose degrees the weights are estimates; None for
        vectors and for points of a kernel matrix.
    volume : float or None
        Sum of the degrees of that graph without the loops, by which it is known again; None for those of a model.
    nodes : ndarray of int64, or None
        The part of a graph that nodes were drawn from, ascending; None for all of it, and for vectors.
    """

    indices: np.ndarray = field(repr=False)
    weights: np.ndarray = field(repr=False)
    sampling: str
    n_draws: int
    seeds: "Seeds | None" = field(default=None, repr=False)
    kernel: VectorKernel | None = field(default=None, repr=False)
    n_points: int | None = None
    self_loop: float | None = None
    shift: float | None = None
    volume: float | None = field(default=None, repr=False)
    nodes: np.ndarray | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.indices)

    def of(self, points) -> Self:
        """Return the coreset with indices of what it was drawn from, given the indices of that."""
        return dataclasses.replace(self, indices=points[self.indices], seeds=None)

    def over(self, kernel: VectorKernel) -> Self:
        """Return the coreset with the vectors that were drawn of those of a kernel."""
        vectors = VectorKernel(kernel.X[self.indices], kernel.function, kernel.precision)
        return dataclasses.replace(self, kernel=vectors, n_points=kernel.n_points)

    def of_graph(self, graph: Graph, self_loop: float, shift: float = 0.0) -> Self:
        """Return the coreset with its kernel's loops, and weights in the unit of what `graph`, of `in_range`, was."""
        weights = given_unit(self.weights, graph.exponent) if graph.exponent else self.weights
        return dataclasses.replace(self, weights=weights, self_loop=self_loop, shift=shift)

    def of_kernel(self, kernel: GraphKernel) -> Self:
        """Return the coreset with what :meth:`in_graph` knows the graph of its kernel by."""
        found = self.of_graph(kernel.graph, kernel.multiple, kernel.shift)
        return dataclasses.replace(found, volume=float(kernel.graph.degrees.sum()))

    def in_graph(self, graph: AnyGraph) -> tuple[GraphKernel, Self]:
        """Return the kernel of a graph that its nodes were drawn by, and the coreset with weights in the kernel's unit.

        A coreset of other points is refused. Of nodes in any order, which may repeat, it has each once, with the sum of
        its weights.
        """
        kernel = GraphKernel(as_graph(graph), self.self_loop or 0.0, self.shift or 0.0)
        nodes, weights = np.asarray(self.indices), np.asarray(self.weights, dtype=np.float64)
        is_its = self.volume is None or np.isclose(kernel.graph.degrees.sum(), self.volume, 1e-9, 0)
        is_its &= self.self_loop is not None and nodes.max(initial=0) < kernel.n_points
        if not is_its or not kernel.degrees[nodes].all():
            remedy = ", as of vectors or a kernel matrix; build_coreset(graph, ...) draws one of the graph"
            raise ParameterError(
                "the coreset is not one of this graph, whose nodes and sum of degrees (volume) it must have, with the "
                f"self_loop and shift of its kernel; it has volume={self.volume}, self_loop={self.self_loop}"
                f"{remedy * (self.self_loop is None)}"
            )
        if weights.shape != nodes.shape or not (np.isfinite(weights) & (weights >= 0)).all():
            raise ParameterError("the coreset's weights must be finite and not negative, one for each of its indices")
        weights = given_unit(weights, -kernel.graph.exponent)
        nodes, places = np.unique(nodes, return_inverse=True)
        return kernel, dataclasses.replace(self, indices=nodes, weights=np.bincount(places, weights))


def default_size(n_points, n_clusters, *, each=50, least=1000):
    """Return nodes of a coreset whose size nobody gave: `each` for a cluster, at least 3 % of the points (or 100,000).

    With 50 of them, k-means on the coreset graph sees every cluster many times.
    """
    return min(n_points, max(least, each * n_clusters, min(round(_SHARE * n_points), _MAX_SHARE)))


def refuse_few(coreset_size, n_clusters, given=None):
    """Raise a ParameterError for a coreset of fewer nodes than clusters, of a `coreset_size` given as a share or so."""
    if coreset_size < n_clusters:
        given = coreset_size if given is None else given
        comes_to = "" if given == coreset_size else f"comes to {coreset_size}, which "
        raise refused(
            "coreset_size", given, f"{comes_to}is less than n_clusters={n_clusters}; each cluster needs a node"
        )


def sample_coreset(
    kernel, n_clusters, *, weights=None, size=None, eps=None, sampling="degree", n_seeds="auto",
    seeding="auto", replace=True, random_state=None,
):  # fmt: skip
    """Draw a coreset of the points of any kernel, as :func:`build_coreset` does of a graph's nodes.

    `weights` (n_points,) float64 are those of the kernel if not given. `eps` and "degree" are for graphs, "fast" is for
    these and other sparse kernels.
    """
    is_graph = kernel.leaves_out_isolated
    weights = kernel.point_weights if weights is None else weights
    n_points = int(np.count_nonzero(weights > 0))
    if n_points == 0:
        raise InputError("no node has an edge: there is nothing to cluster")
    _check_scheme(is_graph, sampling, size, eps)
    which = "the nodes that have an edge" if is_graph else "the points that have weight"
    n_clusters = check_integer("n_clusters", n_clusters, low=1, high=n_points, why_high=which)
    streams = Streams(random_state)
    if size is not None:
        size = check_size("size", size, n_points, which)
        if size < n_clusters:
            raise ParameterError(f"size={size} is less than n_clusters={n_clusters}; each cluster needs a point")
    if sampling != "importance":
        draws = distinct_sample(weights, weights if sampling == "degree" else None, size, streams.generator("coreset"))
        return dataclasses.replace(draws, sampling=sampling)
    auto = isinstance(n_seeds, str) and n_seeds == "auto"
    n_seeds = 2 * n_clusters if auto else check_integer("n_seeds", n_seeds, low=1)
    seeding = check_seeding(kernel, seeding)
    if eps is not None:
        if n_clusters == 1:
            raise ParameterError("eps= needs two clusters or more, as its formula is 0 for one; give size= instead")
        return importance_rounds(kernel, n_clusters, eps, n_seeds, seeding=seeding, random_state=streams)
    if size == n_points and (n_clusters == n_points or not is_graph) and kernel.diagonal[weights > 0].any():
        # Draws would repeat some points and leave out others. A diagonal of zeros goes on to where it is refused.
        points = np.flatnonzero(weights > 0)
        return Coreset(points, weights[points], sampling, size)
    if is_graph:
        # Probabilities of distinct nodes may come from fewer seeds than were asked for.
        seeds = d2_seeding(kernel, n_seeds, method=seeding, random_state=streams, warn=replace)
    else:
        seeding = seeding if kernel.diagonal[weights > 0].any() else "naive"  # which meets negative distances
        seeds = draw_seeds(kernel, weights, min(n_seeds, n_points), streams.generator("seeding"), method=seeding)
        _check_seeds(kernel, weights, n_clusters, seeds)
    probabilities = importance_probabilities(weights, seeds, cells=not is_graph)
    if replace:
        draws = importance_sample(weights, probabilities, size, streams)
    else:
        sample = distinct_sample if is_graph else systematic_sample  # by blocks, of graphs that may be huge
        draws = sample(weights, probabilities, size, streams.generator("coreset"))
    return dataclasses.replace(draws, seeds=seeds)


def _check_scheme(is_graph, sampling, size, eps):
    """Refuse names that are not known, and what does not go together."""
    check_choice("sampling", sampling, SAMPLING)
    if (size is None) == (eps is None):
        given = "neither is given" if size is None else f"not both size={size!r} and eps={eps!r}"
        raise ParameterError(f"a coreset needs size= (a number of nodes) or eps= (a relative error); {given}")
    if eps is not None:
        if sampling != "importance" or not is_graph:
            raise ParameterError(f"eps= needs sampling='importance' and a graph; sampling={sampling!r} takes size=")
        check_real("eps", eps, low=0.0, open_low=True, high=1.0)
    if sampling == "degree" and not is_graph:
        raise ParameterError("sampling='degree' is for graphs; use 'importance' or 'uniform'")


def _check_seeds(kernel, weights, n_clusters, seeds):
    """Say why D2 seeding found fewer points than there are clusters."""
    bare = not kernel.diagonal[weights > 0].any()
    found = f"D2 seeding stopped at {len(seeds.indices)} centres for n_clusters={n_clusters}"
    if seeds.n_negative and (bare or len(seeds.indices) < n_clusters):
        why = "the kernel's diagonal is zero" if bare else "the kernel is not positive semi-definite"
        raise InputError(
            f"{found}: {why}, and every squared distance to them is 0 or negative; add a multiple of the identity to "
            "the kernel matrix, use sampling='uniform', which needs no seeds, or KernelKMeans"
        )
    if len(seeds.indices) < n_clusters:
        warn_user(f"{found}: no more points are different under this kernel; ask for fewer clusters")


SEEDING = ("auto", "fast", "naive")
_MANY = 2**62  # more than any graph has nodes


@dataclass(frozen=True, eq=False)
class Seeds:
    """Centres drawn by D2 sampling, and what every point pays to its nearest one.

    Attributes
    ----------
    indices : ndarray of shape (n_seeds,), int64
        The centres in the order drawn.
    contributions : ndarray of shape (n_points,), float64
        ``w(x) Delta(x, C)``, weight times squared distance to the nearest centre.
    nearest : ndarray of shape (n_points,), int32
        Place in `indices` of the nearest centre, -1 for points of weight 0.
    cost : float
        The sum of the contributions.
    exhausted : bool
        Whether drawing ended early because no point had a positive distance left.
    n_negative : int
        Negative squared distances that were met (an indefinite kernel), which count as 0.
    n_evaluations : int
        Kernel values that were read: the rows of centres through the sampling tree, else one for each point and centre.
    """

    indices: np.ndarray
    contributions: np.ndarray = field(repr=False)
    nearest: np.ndarray = field(repr=False)
    cost: float
    exhausted: bool
    n_negative: int
    n_evaluations: int


def d2_seeding(kernel, n_seeds, *, method="fast", random_state=None, warn=True):
    """Draw centres one after the other, each with probability proportional to ``w(x) Delta(x, C)``.

    "fast" starts from x*, the point of smallest ``K_xx``, which it has beside `n_seeds` others, then one uniform draw,
    then D2 draws through a sampling tree: O(min(n_seeds, average degree) n log n) in all. "naive", for any kernel,
    starts from one uniform draw and visits all points for every centre: O(n n_seeds). "fast" takes sparse kernels
    without negative entries, those of graphs or precomputed: points that share no entry with a centre are nearest to
    that of smallest K_xx, and only rows of centres are read.

    Returns Seeds; one fewer where the uniform draw is x*, and fewer still, with a warning if `warn`, if the distances
    are used up before; an InputError if the kernel's diagonal is zero.

    Algorithm 1 (naive) and Algorithm 2 with 6, 7, 8 (fast) of Jourdan, Schwartzman, Macgregor, Sun, "Coreset Spectral
    Clustering". The published box repairs the tree after x* and after every tree draw; it has to be repaired after the
    uniform draw as well.
    """
    method = check_seeding(kernel, method, "method")
    weights = kernel.point_weights
    taking_part = np.flatnonzero(weights > 0)
    diagonal = kernel.diagonal
    if not diagonal.any():
        raise InputError(
            "the kernel's diagonal is zero, so every squared distance is 0 or negative and D2 seeding cannot draw; "
            "use self_loop=1.0 (as published), or draw by 'degree' or 'uniform', which need no seeds"
        )
    rng = Streams(random_state).generator("seeding")
    uniform = taking_part[int(rng.integers(len(taking_part)))]
    first = taking_part[np.argmin(diagonal[taking_part])]
    initial = np.array([uniform] if method == "naive" or first == uniform else [first, uniform], dtype=np.int64)
    n_wanted = len(initial) + n_seeds - 1
    n_draws = min(n_seeds - 1, len(taking_part))  # as many draws find out that no more points are left
    seeds = draw_seeds(kernel, weights, len(initial) + n_draws, rng, method=method, initial=initial)
    if seeds.exhausted and warn:
        warn_user(
            f"D2 seeding stopped at {len(seeds.indices)} of {n_wanted} centres: no node has a positive distance left "
            "to them; they are used as they are"
        )
    return seeds


def check_seeding(kernel, seeding, name="seeding"):
    """Return which algorithm draws the D2 seeds of a kernel, "fast" or "naive"; refuse "fast" where it cannot."""
    is_fast = kernel.is_sparse and (len(kernel.values) == 0 or kernel.values.min() >= 0)
    if check_choice(name, seeding, SEEDING) == "fast" and not is_fast:
        raise ParameterError(
            f"{name}='fast' reads the rows of a graph, or of a sparse kernel matrix without negative entries; use "
            "'naive' (or 'auto') for other kernels"
        )
    return ("fast" if is_fast else "naive") if seeding == "auto" else seeding


def draw_seeds(kernel, weights, n_seeds, rng, *, method="naive", shift=0.0, initial=()):
    """Draw points one after the other, each with probability proportional to ``w(x) Delta(x, C)``; a Seeds.

    ``Delta(x, y) = K_xx + K_yy - 2 K_xy`` of ``K + shift W^-1``, and Delta(x, C) the least over the points C drawn so
    far. The first is drawn in proportion to the weights (n_points,), float64; points of weight 0 never are. Points of
    `initial` are taken first, without drawing. There are fewer than `n_seeds` if no point of positive distance is left.
    The `method` is "fast", through the sampling tree, or "naive", see :func:`d2_seeding`; from the same random numbers
    both make the same draws.

    Arthur and Vassilvitskii, "k-means++", SODA 2007; Algorithm 1 of Jourdan, Schwartzman, Macgregor, Sun, "Coreset
    Spectral Clustering".
    """
    diagonal = np.array(kernel.diagonal)
    if shift:
        diagonal += np.divide(shift, weights, out=np.zeros(len(weights)), where=weights > 0)
    if method == "fast":
        initial = initial if len(initial) else [draw_by_weight(weights, rng)]
        return fast_seeds(kernel, initial, rng.random(max(0, n_seeds - len(initial))), weights, diagonal)

    def distances_to(y):
        norms = diagonal + diagonal[y]
        distances = norms - 2.0 * kernel.column(y)
        negative = int(np.count_nonzero(distances < -kernel.noise * norms))
        distances[distances <= kernel.noise * norms] = 0.0
        return distances, negative

    seeds = seeds_by_distance(distances_to, weights, n_seeds, rng, initial=initial)
    count("entries repaired", seeds.n_evaluations)
    return seeds


def seeds_by_distance(distances_to, weights, n_seeds, rng, *, initial=(), farthest=False):
    """:func:`draw_seeds` for whatever has squared distances.

    `distances_to` takes a point, and returns the squared distances of all points to it (a new array, not negative
    beyond rounding) and how many came out negative. With `farthest` the point farthest from all before is taken, in
    place of a draw.
    """
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
            y = draw_by_weight(weights, rng)
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
        n_evaluations=len(weights) * len(seeds),
    )


def fast_seeds(kernel, initial, uniforms, weights, diagonal):
    """Seeds through the sampling tree: the `initial` ones, and as many draws as there are uniform numbers."""
    initial = np.asarray(initial, dtype=np.int64)
    diagonal, weights = read_only(diagonal), read_only(weights, np.float64)
    n = kernel.n_points
    offsets = _loops.level_offsets(n)
    sums = np.zeros(offsets[-1])
    nearest = np.empty(n, dtype=np.int32)
    touched = np.empty(int(np.diff(kernel.indptr).max()) + 1, dtype=np.int64)
    counters = np.zeros(3, dtype=np.int64)
    seeds = np.empty(len(initial) + len(uniforms), dtype=np.int64)
    with read_at_random(kernel.indptr, kernel.indices, kernel.values):
        rows = kernel.indptr, kernel.indices, kernel.values, kernel.degrees
        points, tree = (diagonal, weights, kernel.noise), (sums, offsets, touched)
        n_seeds = _loops.seed_fast(rows, points, initial, uniforms, tree, nearest, counters, seeds)
    count("entries repaired", counters[0])
    count("sums updated", counters[1])
    return Seeds(
        indices=seeds[:n_seeds].copy(),
        contributions=sums[:n],
        nearest=nearest,
        cost=float(sums[:n].sum()),
        exhausted=n_seeds < len(seeds),
        n_negative=int(counters[2]),
        n_evaluations=int(counters[0]),
    )


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
    the Coreset of the last round that made the set smaller and left a point for each cluster.

    The published loop ends when a round leaves as many distinct points as the one before. Repeats make that number
    fall by chance for ever (from 18,063 draws wanted to 71 points on one graph), so a round is made here only if it
    draws fewer points than there are. The first one is always made, capped at the number of points.
    """
    streams = Streams(random_state)
    indices = np.flatnonzero(kernel.point_weights > 0)
    n_points = len(indices)
    best = Coreset(indices, kernel.point_weights[indices], "importance", n_points)
    current = kernel
    for round_number in itertools.count(1):
        n_left = len(best.indices)
        size = importance_size(n_left, n_clusters, round_eps(eps, n_points, round_number))
        if size >= n_left and round_number > 1:
            break
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
            break
        kept = draws.indices if round_number == 1 else best.indices[draws.indices]
        best = Coreset(kept, draws.weights, "importance", size)
        current = kernel.submatrix(best.indices, best.weights)
    return best


_POINTS_PER_BLOCK = 1 << 18


def importance_sample(weights, probabilities, size, random_state=None):
    """Draw `size` points independently, weight ``w(x) / (p_x size)`` each, and merge repeats.

    `weights` and `probabilities` are of shape (n_points,), float64. Returns a Coreset.
    """
    uniforms = np.sort(Streams(random_state).generator("draws").random(size))
    points = np.searchsorted(np.cumsum(probabilities), uniforms * float(probabilities.sum()), side="right")
    # The last point of positive probability also takes what rounding left over.
    points = np.minimum(points, np.flatnonzero(probabilities)[-1])
    indices, counts = np.unique(points, return_counts=True)
    return Coreset(indices, counts * (weights[indices] / (probabilities[indices] * size)), "importance", size)


def distinct_sample(point_weights, probabilities, size, rng):
    """Draw distinct points of positive weight by priority sampling, with `probabilities` (n,) or None for equal ones.

    Returns a Coreset. Works on a block of points at a time: memory is that of a block and of the sample.
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
        return Coreset(points, point_weights[points], "importance", size)
    threshold = keys.max()
    chosen = np.sort(points[keys < threshold])
    weights = point_weights[chosen]
    if probabilities is None:
        return Coreset(chosen, weights * (np.count_nonzero(point_weights > 0) / size), "importance", size)
    return Coreset(chosen, np.maximum(weights, weights / probabilities[chosen] / threshold), "importance", size)


def systematic_sample(point_weights, probabilities, size, rng):
    """Draw distinct points by systematic sampling in random order, a point with chance ``min(1, t p_x)``; a Coreset.

    t is such that the chances add up to `size`. Weights over chances are unbiased, and their sum varies less than with
    priority sampling: not at all for probabilities in proportion to the weights. Works on all points at a time.

    Madow, "On the theory of systematic sampling, II", Annals of Mathematical Statistics 1949.
    """
    points = np.flatnonzero(probabilities)
    if len(points) <= size:
        return Coreset(points, point_weights[points], "importance", size)
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
    return Coreset(points[drawn], point_weights[points[drawn]] / chances[drawn], "importance", size)


def build_coreset(
    graph: AnyGraph | Kernel,
    n_clusters: int,
    *,
    kernel: str = "normalized_cut",
    size: float | None = None,
    eps: float | None = None,
    sampling: str = "importance",
    n_seeds: int | str = "auto",
    seeding: str = "auto",
    self_loop: float = 1.0,
    shift: float = 0.0,
    replace: bool = True,
    nodes: ArrayLike | None = None,
    random_state: RandomState = None,
) -> Coreset:
    """Draw a coreset of a graph, of the points of a kernel matrix, or of vectors with a kernel.

    Parameters
    ----------
    graph : Graph, sparse matrix or networkx graph, or VectorKernel
        Or a kernel matrix (n_nodes, n_nodes), sparse or dense, positive semi-definite; or a
        :class:`graphcore.kernels.vectors.VectorKernel` for vectors, each of weight 1.
    n_clusters : int
        Number of clusters that the coreset is for.
    kernel : {"normalized_cut", "precomputed"}, default "normalized_cut"
        "normalized_cut": `graph` is a graph, with the kernel ``D^-1 A D^-1`` and its degrees as weights; "precomputed":
        it is the kernel matrix itself, of points of weight 1.
    size : int or float, optional
        Number of nodes ("degree", "uniform") or of draws ("importance"), or their share of the nodes that have an edge.
        Give either `size` or `eps`.
    eps : float, optional
        Relative error of the cost to aim at, only with "importance": the rounds of Algorithm 4, sizes by the paper's
        formula with the constant 1, too few for two clusters. Its probabilities are those of the authors' program, for
        which nothing is proven.
    sampling : {"importance", "degree", "uniform"}, default "importance"
        "importance" draws by D2 seeds and degree, see `replace`; "degree" and "uniform" draw distinct nodes, with
        probability proportional to the degree or the same for all. "degree" and `eps` are for graphs.
    n_seeds : int or "auto", default "auto"
        D2 seeds for "importance"; "auto" is ``2 * n_clusters``.
    seeding : {"auto", "fast", "naive"}, default "auto"
        How D2 seeds are drawn. "fast" reads the rows of seeds alone, those of a graph or of a sparse kernel matrix
        without negative entries, and has one centre more, the point of the smallest ``K_xx``; "naive" visits all points
        for each seed. "auto" is "fast" where it applies.
    self_loop : float, default 1.0
        Weight of the loop put on every node inside the kernel, as a multiple of the graph's mean weight. "importance"
        needs a positive diagonal, and so a loop.
    shift : float, default 0.0
        Multiple of ``D^-1`` that is added to the kernel of a graph, whose cost then is the one that `eps` is about.
    replace : bool, default True
        How "importance" draws: `size` independent draws whose repeats are merged, as published, or `size` distinct
        nodes. The other methods draw distinct nodes.
    nodes : array-like of int, optional
        Draw from these nodes of a graph alone, a part of it: coresets of parts add up, see :func:`merge_coresets`.
    random_state : int, Generator, RandomState or None

    Returns
    -------
    Coreset

    Raises
    ------
    ParameterError
        If a size is below `n_clusters` or above the number of nodes that have an edge, or both or none of `size` and
        `eps` are given.
    InputError
        If no node has an edge, or "importance" is asked for on a kernel with a zero diagonal.

    Notes
    -----
    Isolated nodes take no part. Distinct nodes are those of the `size` smallest ``u_x / p_x``, with u uniform and p the
    probabilities (priority sampling): given the next smallest value t, a node is kept with probability
    ``min(1, t p_x)``, which makes ``d_x / min(1, t p_x)`` an unbiased weight. Distinct vectors are drawn by systematic
    sampling in random order, whose weights vary less in sum.

    References
    ----------
    Jourdan, Schwartzman, Macgregor, Sun, "Coreset Spectral Clustering", Algorithms 4 and 5; Duffield, Lund, Thorup,
    "Priority sampling for estimation of arbitrary subset sums", J. ACM 2007; Jiang, Krauthgamer, Lou, Zhang, "Coresets
    for kernel clustering", Machine Learning 2024.

    Examples
    --------
    >>> import graphcore
    >>> graph = graphcore.datasets.load_karate().graph
    >>> coreset = graphcore.build_coreset(graph, 2, size=10, random_state=0)
    >>> coreset.sampling, coreset.n_draws, len(coreset)  # ten draws, of which some repeat
    ('importance', 10, 7)
    """
    settings: dict[str, Any] = {"size": size, "eps": eps, "n_seeds": n_seeds}
    settings |= {"sampling": sampling, "seeding": seeding, "replace": replace, "random_state": random_state}
    is_matrix = check_choice("kernel", kernel, ("normalized_cut", "precomputed")) == "precomputed"
    if is_matrix or isinstance(graph, VectorKernel):
        if nodes is not None:
            raise ParameterError("nodes= is for graphs; give the kernel of a part of the points")
        if is_matrix:
            return sample_coreset(as_kernel(graph), n_clusters, **settings)
        return sample_coreset(graph, n_clusters, **settings).over(graph)
    loops = check_real("self_loop", self_loop, low=0.0), check_real("shift", shift, low=0.0)
    of_graph = GraphKernel(as_graph(graph), *loops)
    if nodes is None:
        found = sample_coreset(of_graph, n_clusters, **settings)
    else:
        nodes = np.unique(np.asarray(nodes))
        if not len(nodes) or nodes.dtype.kind not in "iu" or nodes[0] < 0 or nodes[-1] >= of_graph.n_points:
            raise InputError(
                f"nodes must be integers from 0 to {of_graph.n_points - 1}, at least one; got {nodes} (of a mask give "
                "numpy.flatnonzero(mask))"
            )
        nodes = nodes.astype(np.int64)
        found = sample_coreset(of_graph.submatrix(nodes), n_clusters, **settings).of(nodes)
        found = dataclasses.replace(found, nodes=nodes)
    return found.of_kernel(of_graph)
