"""A coreset: a few weighted nodes whose clusterings cost about what the whole graph's cost."""

from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from ...base.streams import Streams
from ...base.types import AnyGraph, ArrayLike, RandomState
from ...base.validation import check_choice, check_integer, check_real, check_size
from ...exceptions import InputError, ParameterError, warn_user
from ...graphs.as_graph import as_graph
from ...graphs.graph import Graph
from ...graphs.weights import given_unit
from ...kernels.as_kernel import as_kernel
from ...kernels.base import Kernel
from ...kernels.graph import GraphKernel
from ...kernels.vectors import VectorKernel
from .draws import distinct_sample, importance_sample, systematic_sample
from .guarantee import check_guarantee, guaranteed_sample
from .seeding import Seeds, check_seeding, d2_seeding, draw_seeds, importance_probabilities, importance_rounds

SAMPLING = ("degree", "uniform", "importance")

# Share of the points in a coreset, up to so many, where nobody gave its size.
_SHARE, _MAX_SHARE = 0.03, 100_000


@dataclass(frozen=True, eq=False)
class Coreset:
    """A weighted sample of the nodes of a graph, or of vectors.

    Attributes
    ----------
    indices : ndarray of shape (n_coreset,), int64
        Distinct nodes, or rows of the vectors, ascending.
    weights : ndarray of shape (n_coreset,), float64
        Weights that make sums over the coreset unbiased estimates of sums over all points.
    method : str
        How it was drawn: "degree", "uniform" or "importance"; "merged" by :func:`merge_coresets`.
    n_draws : int
        Draws made; for "importance", repeats are merged, so there may be fewer nodes.
    seeds : Seeds or None
        The D2 seeds behind an importance sample of one round.
    kernel : VectorKernel or None
        The kernel over the vectors that were drawn, ``kernel.X``; None for nodes of a graph.
    n_points : int or None
        Vectors that these were drawn from; None for nodes of a graph.
    """

    indices: np.ndarray
    weights: np.ndarray
    method: str
    n_draws: int
    seeds: Seeds | None = field(default=None, repr=False)
    kernel: VectorKernel | None = field(default=None, repr=False)
    n_points: int | None = None

    def __len__(self) -> int:
        return len(self.indices)

    def of(self, points) -> Self:
        """Return the coreset with indices of what it was drawn from, given the indices of that."""
        return replace(self, indices=points[self.indices], seeds=None)

    def over(self, kernel: VectorKernel) -> Self:
        """Return the coreset with the vectors that were drawn of those of a kernel."""
        vectors = VectorKernel(kernel.X[self.indices], kernel.function, kernel.precision)
        return replace(self, kernel=vectors, n_points=kernel.n_points)

    def scaled(self, graph: Graph | None) -> Self:
        """Return the coreset with weights in the unit of what `graph`, of `in_range`, was."""
        return replace(self, weights=given_unit(self.weights, graph.exponent)) if graph and graph.exponent else self


def build_coreset(
    graph: AnyGraph | Kernel,
    n_clusters: int,
    *,
    kernel: str = "normalized_cut",
    size: float | None = None,
    eps: float | None = None,
    guarantee: bool | float = False,
    method: str = "auto",
    n_seeds: int | str = "auto",
    seeding: str = "auto",
    self_loop: float | str = "auto",
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
        formula. Its probabilities are those of the authors' program, for which nothing is proven.
    guarantee : bool or float, default False
        Whether `eps` is kept: draws in one round by the probabilities of Jiang et al., as many as the paper's formula
        says and enough that the cost of any centres, chosen before, has a relative error of at most `eps`, but with the
        probability given (True: 0.1); or all nodes, if it takes them. Needs a definite kernel, as with ``shift=1``.
    method : {"auto", "degree", "uniform", "importance"}, default "auto"
        "auto" is "degree" for a graph, otherwise "importance". "degree" and "uniform" draw distinct nodes, with
        probability proportional to the degree or the same for all; "importance" draws by D2 seeds and degree, see
        `replace`. "degree" and `eps` are for graphs.
    n_seeds : int or "auto", default "auto"
        D2 seeds for "importance"; "auto" is ``2 * n_clusters``.
    seeding : {"auto", "fast", "naive"}, default "auto"
        How D2 seeds are drawn. "fast" reads the rows of seeds alone, those of a graph or of a sparse kernel matrix
        without negative entries; "naive" visits all points for each seed. "auto" is "fast" where it applies.
    self_loop : float or "auto", default "auto"
        Weight of the loop put on every node inside the kernel, as a multiple of the graph's mean weight. "auto" is 1
        for "importance" (which needs a positive diagonal), otherwise 0.
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
        `eps` are given, or `guarantee` without `eps` or with a kernel that may be indefinite.
    InputError
        If no node has an edge, or "importance" is asked for on a kernel with a zero diagonal.

    Notes
    -----
    Isolated nodes take no part. Distinct nodes are those of the `size` smallest ``u_x / p_x``, with u uniform and p the
    probabilities (priority sampling): given the next smallest value t, a node is kept with probability
    ``min(1, t p_x)``, which makes ``d_x / min(1, t p_x)`` an unbiased weight. Distinct vectors are drawn by systematic
    sampling in random order, whose weights vary less in sum.

    With `guarantee`, ``w_x Delta(x, C) / cost(C)`` is bounded for all nodes and centres, and Bernstein's inequality
    gives the size. For all centres at once it rests on the constant of the paper's formula, which is left open and
    taken as 1. :func:`graphcore.metrics.coreset_certificate` tells what is known of a coreset.

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
    >>> len(coreset), coreset.method
    (10, 'degree')
    """
    settings: dict[str, Any] = {"size": size, "eps": eps, "guarantee": guarantee, "n_seeds": n_seeds}
    settings |= {"seeding": seeding, "replace": replace, "random_state": random_state}
    is_matrix = check_choice("kernel", kernel, ("normalized_cut", "precomputed")) == "precomputed"
    if is_matrix or isinstance(graph, VectorKernel):
        if nodes is not None:
            raise ParameterError("nodes= is for graphs; give the kernel of a part of the points")
        settings["method"] = "importance" if method == "auto" else method
        if is_matrix:
            return sample_coreset(as_kernel(graph), n_clusters, **settings)
        return sample_coreset(graph, n_clusters, **settings).over(graph)
    settings["method"] = method = "degree" if method == "auto" else method
    of_graph = kernel_of_graph(graph, self_loop, method, shift)
    if nodes is None:
        return sample_coreset(of_graph, n_clusters, **settings).scaled(of_graph.graph)
    nodes = _check_nodes(nodes, of_graph.n_points)
    return sample_coreset(of_graph.submatrix(nodes), n_clusters, **settings).of(nodes).scaled(of_graph.graph)


def kernel_of_graph(graph, self_loop, method, shift=0.0):
    """Return the kernel of a graph with the loops that a method of sampling needs where they are "auto"."""
    if isinstance(self_loop, str) and self_loop == "auto":
        self_loop = 1.0 if method == "importance" else 0.0
    loops = check_real("self_loop", self_loop, low=0.0), check_real("shift", shift, low=0.0)
    return GraphKernel(as_graph(graph), *loops)


def _check_nodes(nodes, n_nodes):
    """Return distinct nodes of a graph, ascending."""
    nodes = np.unique(np.asarray(nodes))
    if not len(nodes) or nodes.dtype.kind not in "iu" or nodes[0] < 0 or nodes[-1] >= n_nodes:
        raise InputError(f"nodes must be integers from 0 to {n_nodes - 1}, at least one; got {nodes}")
    return nodes.astype(np.int64)


def default_size(n_points, n_clusters, *, each=50, least=1000):
    """Return nodes of a coreset whose size nobody gave: `each` for a cluster, at least 3 % of the points (or 100,000).

    With 50 of them, k-means on the coreset graph sees every cluster many times.
    """
    return min(n_points, max(least, each * n_clusters, min(round(_SHARE * n_points), _MAX_SHARE)))


def refuse_few(coreset_size, n_clusters):
    """Raise a ParameterError for a coreset of fewer nodes than clusters."""
    if coreset_size < n_clusters:
        raise ParameterError(
            f"coreset_size={coreset_size} is less than n_clusters={n_clusters}; each cluster needs a node"
        )


def sample_coreset(
    kernel, n_clusters, *, weights=None, size=None, eps=None, guarantee=False, method="degree", n_seeds="auto",
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
    _check_scheme(is_graph, method, size, eps)
    failure = check_guarantee(guarantee, eps)
    which = "the nodes that have an edge" if is_graph else "the points that have weight"
    n_clusters = check_integer("n_clusters", n_clusters, low=1, high=n_points, why_high=which)
    streams = Streams(random_state)
    if size is not None:
        size = check_size("size", size, n_points, which)
        if size < n_clusters:
            raise ParameterError(f"size={size} is less than n_clusters={n_clusters}; each cluster needs a point")
    if method != "importance":
        draws = distinct_sample(weights, weights if method == "degree" else None, size, streams.generator("coreset"))
        return Coreset(draws.indices, draws.weights, method, draws.n_draws)
    auto = isinstance(n_seeds, str) and n_seeds == "auto"
    n_seeds = 2 * n_clusters if auto else check_integer("n_seeds", n_seeds, low=1)
    seeding = check_seeding(kernel, seeding)
    if failure:
        draws, seeds = guaranteed_sample(kernel, n_clusters, eps, failure, n_seeds, seeding=seeding, streams=streams)
        return Coreset(draws.indices, draws.weights, method, draws.n_draws, seeds)
    if eps is not None:
        draws = importance_rounds(kernel, n_clusters, eps, n_seeds, seeding=seeding, random_state=streams)
        return Coreset(draws.indices, draws.weights, method, draws.n_draws)
    if size == n_points and (n_clusters == n_points or not is_graph) and kernel.diagonal[weights > 0].any():
        # Draws would repeat some points and leave out others. A diagonal of zeros goes on to where it is refused.
        points = np.flatnonzero(weights > 0)
        return Coreset(points, weights[points], method, size)
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
    return Coreset(draws.indices, draws.weights, method, draws.n_draws, seeds)


def _check_scheme(is_graph, method, size, eps):
    """Refuse names that are not known, and what does not go together."""
    check_choice("method", method, SAMPLING)
    if (size is None) == (eps is None):
        raise ParameterError("give either size= (a number of nodes) or eps= (a relative error), and not both")
    if eps is not None:
        if method != "importance" or not is_graph:
            raise ParameterError(f"eps= needs method='importance' and a graph; method={method!r} takes size=")
        check_real("eps", eps, low=0.0, open_low=True, high=1.0)
    if method == "degree" and not is_graph:
        raise ParameterError("sampling='degree' (method of build_coreset) is for graphs; use 'importance' or 'uniform'")


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
