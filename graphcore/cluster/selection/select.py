"""Choice of the number of clusters of a graph, or of the neighbour graph of vectors."""

from typing import NamedTuple

import numpy as np

from ...base.streams import Streams
from ...base.types import AnyData, Iterable, RandomState
from ...base.validation import check_choice, check_integer, count_linked
from ...exceptions import ParameterError
from ...graphs.as_graph import as_graph, is_graph, refuse_as_vectors
from ...graphs.graph import Graph
from ...graphs.weights import in_range
from ...neighbors.equal_rows import graph_of_kinds
from ...neighbors.neighbors import graph_of_vectors
from ...neighbors.vectors import as_vectors
from ..partition.quotient import matrix_of
from ..pipeline.settings import resolve
from ..spectral.exact import spectral_embedding
from . import penalty as _penalty
from .information import by_information, by_resolution, effective_edges
from .result import KSelection, selection
from .sweep import n_sweeps, sweep_coresets

# Where nobody says how far to look: as far as clusters of sqrt(n) / 2 or 20 nodes, and not beyond this.
_LEAST_NODES, _MAX_CANDIDATES = 20, 2000
# The eigenvalues take the longer, the more candidates there are.
_MAX_EIGENVALUES = 200


class _Options(NamedTuple):
    """Further arguments of some methods, besides the sweep."""

    streams: Streams
    n_jobs: int | None
    n_edges: float | None  # effective edges of the graph, or of that in which equal rows are nodes of their own
    falls_back: bool = False  # whether modularity's number is taken where information finds one cluster


def select_n_clusters(
    X: AnyData, candidates: Iterable[int] | None = None, *, method: str = "information", n_neighbors: int = 10,
    metric: str = "euclidean", n_coresets: int | None = None, random_state: RandomState = None,
    n_jobs: int | None = None,
) -> KSelection:  # fmt: skip
    """Choose the number of clusters of a graph, or of vectors through their kNN graph.

    Parameters
    ----------
    X : Graph, sparse matrix, networkx or igraph graph, or array-like of shape (n_samples, n_features)
        Graph objects, square sparse matrices, tables and arrays of edges are graphs, everything else is vectors; two
        columns of integers may be either, and are refused.
    candidates : iterable of int, optional
        Numbers of clusters to choose from, each from 1 to the number of nodes that have an edge. Default: 1 to
        ``2 sqrt(n)`` or ``n / 20``, whichever is more, at most 2,000 ("eigengap", which is slow: 200).
    method : {"information", "description-length", "eigengap", "penalty"}
        See Notes. The default is "information".
    n_neighbors, metric
        For the kNN graph of vectors, see :func:`graphcore.knn_graph`.
    n_coresets : int, optional
        Coresets to sweep over. Default: for "information" 4, fewer above 80,000 edges, 1 from 260,000 on; else 1.
    random_state : int, numpy Generator, RandomState or None, default None
    n_jobs : int, optional
        Number of threads; the result for a graph does not depend on it.

    Returns
    -------
    KSelection

    Raises
    ------
    InputError, ParameterError
        If X cannot be used, a candidate is out of range, or the method is not known.

    Notes
    -----
    All methods but "penalty" on vectors look at the same sweep: micro-clusters of a coreset, as in a fit, merged
    pair by pair down to one cluster; whenever their number has fallen by a third, nodes are moved between them.

    "information"
        The information J(k) that clusters have about edges (the objective that fits raise, in the mean over the
        coresets) against what their labels cost: log k, as for clusters of one size, or the entropy that they have.
        The sharpest corner of a concave hull is the best k under the widest range of prices for a nat of labels, from
        n nodes / n edges on, below which labels do not pay for their own description; so graphs without clusters get
        k = 1. It stands out if the curve goes on for a quarter beyond k, and no number that is not within a quarter of
        it has a corner more than 0.4 times as sharp. If one of the two corners does, or the sharper one of two that
        do, it is taken, and `clear` is True, unless it is that against entropy, and the other one is far from it and
        more than 0.4 times as sharp. If neither does, it is the corner against log k. Both are warned of. If there is
        no corner, it is the candidate that is best at the least price. Where that is the least of them, the warning
        names the number of clusters of largest modularity, which ``n_clusters="auto"`` of a fit then takes.
    "description-length"
        The k whose partition gives the shortest description of the graph by a degree-corrected planted partition
        model. Finds the finest clusters that the edges support: best for networks of uneven clusters or degrees; for
        kNN graphs they are many small patches.
    "eigengap"
        Largest gap ``lambda_(k+1) - lambda_k`` of the normalised Laplacian of the graph between micro-clusters.
    "penalty"
        Least penalised error of k-means, `penalty`: scikit-learn's k-means for
        vectors, the kernel k-means cost of the tree's partitions for graphs, where it is a mere heuristic. Picks 1 for
        small n (always up to 117, most often far beyond).

    Examples
    --------
    >>> import graphcore
    >>> graph, _ = graphcore.datasets.planted_partition(5, 100, 0.2, 0.01, random_state=0)
    >>> graphcore.select_n_clusters(graph, random_state=0).best
    5
    """
    check_choice("method", method, METHODS)
    streams = Streams(random_state)
    if n_coresets is not None:
        n_coresets = check_integer("n_coresets", n_coresets, low=1)
    if isinstance(candidates, (str, bytes)):
        raise ParameterError(f"candidates={candidates!r} must be integers, such as range(2, 21), or None")
    n_edges = None
    if not is_graph(X):
        refuse_as_vectors(X, "graphcore.knn_graph(X)")
        X = as_vectors(X)
        if method == "penalty":
            ks = _as_candidates(candidates, X.shape[0], "vectors")
            return _penalised(_penalty.kmeans_errors(X, streams), ks, X.shape[0], _penalty.radius_of(X))
        X, _, kinds = graph_of_vectors(X, n_neighbors, metric=metric, random_state=streams, n_jobs=n_jobs)
        if kinds is not None:  # equal rows are in one cluster
            n_edges, X = effective_edges(X), graph_of_kinds(X, kinds)
    graph = X if isinstance(X, Graph) else as_graph(X)
    options = _Options(streams, n_jobs, n_edges)
    return _choose(graph, candidates, options, method=method, n_coresets=n_coresets)


def _choose(graph, candidates, options, *, method="information", n_coresets=None):
    """Choose among checked candidates."""
    graph = in_range(graph)
    if options.n_edges is None:
        options = options._replace(n_edges=effective_edges(graph))
    n_linked = count_linked(graph)
    most = _MAX_EIGENVALUES if method == "eigengap" else None
    ks = _as_candidates(candidates, n_linked, "nodes that have an edge", most)
    if n_coresets is None:
        n_coresets = n_sweeps(graph) if method == "information" else 1
    # One more than asked about, since a gap or a corner needs what comes next.
    sweeps = sweep_coresets(
        graph, min(int(ks[-1]) + 1, n_linked), n_coresets=n_coresets, random_state=options.streams,
        n_jobs=options.n_jobs,
    )  # fmt: skip
    return _CHOICES[method](graph, sweeps, ks, options)


def choose_for_fit(graph, params, *, n_edges=None, random_state=None, n_jobs=None):
    """Choose the number of clusters for a fit that leaves it to the default method or to a resolution (KSelection).

    `params` are the result of `check_settings`; a coreset size and a least size of clusters bound the candidates.
    `n_edges` are the effective edges of the graph, if its nodes are rows of which some are equal.
    """
    settings = resolve(params.of(1), graph)  # so that every mistake is found before any work
    n_linked = graph.n_nodes - graph.n_isolated
    most = n_linked // settings.min_cluster_size
    if params.values["coreset_size"] != "auto":
        most = min(most, settings.coreset_size)
    candidates = default_candidates(n_linked)[:most]
    streams = Streams(random_state).child("choice of k")
    if params.left_to == "information":
        return _choose(graph, candidates, _Options(streams, n_jobs, n_edges, falls_back=True))
    graph = in_range(graph)
    sweeps = sweep_coresets(graph, int(candidates[-1]), n_coresets=n_sweeps(graph), random_state=streams, n_jobs=n_jobs)
    return by_resolution(sweeps, candidates, settings.resolution)


def default_candidates(n):
    """1 to ``2 sqrt(n)`` or ``n / 20``, whichever is more, at most 2,000 and at most n."""
    most = max(2, int(2 * np.sqrt(n)), n // _LEAST_NODES)
    return np.arange(1, max(1, min(n, _MAX_CANDIDATES, most)) + 1)


def partition_length(tree):
    """Nats that it takes to write down each of a tree's partitions of the nodes, for k = 1, 2, ..., n_leaves.

    They are for the number of clusters, ``log n``; their sizes, ``log C(n - 1, k - 1)``; and which node is where,
    ``log(n! / prod n_r!)``.
    """
    from scipy.special import gammaln

    n = int(tree.leaf_sizes.sum())
    logs = gammaln(tree.summed(tree.leaf_sizes) + 1.0)
    merged = logs[tree.n_leaves :] - logs[tree.children].sum(axis=1)
    # From one cluster up: each split takes back what its union added.
    inside = gammaln(n + 1.0) - np.concatenate([[0.0], np.cumsum(merged[::-1])])
    k = np.arange(1, tree.n_leaves + 1)
    choose = gammaln(n) - gammaln(k) - gammaln(n - k + 1.0)
    return np.log(n) + choose + gammaln(n + 1.0) - inside


def description_gain(micro_tree, n_edges):
    """Nats by which k = 1, 2, ... clusters shorten the description of a graph, against one cluster; the first is 0.

    Edges times information is the gain in log-likelihood of a degree-corrected planted partition model over its form
    with one cluster. The price is that of the labels, see :func:`partition_length`, and half of log(edges) for each of
    the k + 1 fitted rates. A Bayesian relative: Zhang, Peixoto, "Statistical inference of assortative community
    structures", Physical Review Research 2 (2020).
    """
    length = partition_length(micro_tree.tree)
    k = np.arange(1, micro_tree.n_micro_clusters + 1)
    rates = np.where(k == 1, 0.0, 0.5 * k * np.log(n_edges))
    return n_edges * micro_tree.information - (length - length[0]) - rates


def _by_description_length(graph, sweeps, candidates, options):
    most = min(sweep.n_micro_clusters for sweep in sweeps)
    gains = [sweep.joined([description_gain(tree, options.n_edges) for tree in sweep.trees]) for sweep in sweeps]
    gain = np.max([each[:most] for each in gains], axis=0)[candidates - 1]
    return selection("description-length", candidates, gain, {"description saved (nats)": gain})


def laplacian_eigenvalues(rows, n_values, *, random_state=None):
    """The smallest eigenvalues of the normalised Laplacian of a quotient graph with its self-loops, ascending from 0.

    They are the Rayleigh-Ritz values of the whole graph's Laplacian on functions that are constant on micro-clusters,
    so none is below the whole graph's eigenvalue of the same rank.
    """
    _, values = spectral_embedding(matrix_of(rows), n_values, random_state=random_state)
    return np.maximum(1.0 - values, 0.0)


def _by_eigengap(graph, sweeps, candidates, options):
    finest = sweeps[0].trees[0]
    values = laplacian_eigenvalues(finest.rows, int(candidates[-1]) + 1, random_state=options.streams)
    gaps = np.append(np.diff(values), np.nan)[candidates - 1]
    return selection("eigengap", candidates, gaps, {"eigenvalue of the Laplacian": values[candidates - 1]})


def _by_penalty(graph, sweeps, candidates, options):
    error_of, radius = _penalty.kmeans_cost_of_graph(graph, sweeps[0].trees[0])
    return _penalised(error_of, candidates, graph.n_nodes - graph.n_isolated, radius)


def _penalised(error_of, candidates, n, radius):
    errors, penalised = _penalty.penalised_curve(error_of, candidates, n, radius)
    return selection("penalty", candidates, -penalised, {"penalised error": penalised, "error": errors})


_CHOICES = {
    "information": by_information,
    "description-length": _by_description_length,
    "eigengap": _by_eigengap,
    "penalty": _by_penalty,
}
METHODS = tuple(_CHOICES)


def _as_candidates(candidates, n, what, most=None):
    """Ascending, each once; if none are given, at most `most`."""
    if candidates is None:
        return default_candidates(n)[:most]
    try:
        given = list(candidates)
    except TypeError:
        raise ParameterError(f"candidates={candidates!r} must be a sequence of integers, or None") from None
    if not given:
        raise ParameterError("candidates=[] is empty; give numbers of clusters such as range(2, 21), or None")
    return np.unique([check_integer("candidates", k, low=1, high=n, why_high=f"the {what}") for k in given])
