"""Result of a choice of the number of clusters, and its picture."""

from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..base.locks import cached_property
from ..base.streams import Streams
from ..base.threads import effective_jobs, map_items
from ..base.types import AnyData, Array, Axes, Iterable, RandomState, Sequence
from ..base.validation import check_choice, check_integer, count_linked
from ..exceptions import ParameterError, warn_user
from ..graphs.as_graph import as_graph, is_graph, refuse_as_vectors
from ..graphs.graph import Graph
from ..graphs.rows import GraphRows
from ..graphs.weights import in_range
from ..kernels.graph import GraphKernel
from ..neighbors.equal_rows import graph_of_kinds
from ..neighbors.neighbors import graph_of_vectors
from ..neighbors.vectors import as_vectors
from . import penalty as _penalty
from .coreset import sample_coreset
from .coreset_graph import settled_micro_clusters
from .pipeline import FROM_SCRATCH, SELF_LOOP, coreset_draft, find_partition
from .refine.merging import MergeTree, agglomerate
from .refine.moves import FEW_MOVES, block_sweep, move_locally
from .refine.objectives import OBJECTIVES
from .refine.problem import Problem, apply_labels, compact_labels, is_huge, matrix_of
from .settings import NOTHING, resolve, resolve_settings
from .spectral import spectral_embedding


@dataclass(frozen=True, eq=False)
class KSelection:
    """The chosen number of clusters, with the scores of all candidates.

    Attributes
    ----------
    best : int
        The candidate with the largest score, the first of equal ones. Where "information" finds no corner, the
        candidate that is best at the least price of labels.
    method : str
        That of `select_n_clusters`; for a fit also "resolution", or "modularity" where "information" found one cluster
        and ``n_clusters="auto"`` took modularity's number, which is `best`, as far as limits allow.
    candidates : ndarray of shape (n_candidates,), int64
        Ascending.
    scores : ndarray of shape (n_candidates,), float64
        Larger is better; NaN for candidates without a score.
    curves : dict of ndarray of shape (n_candidates,), float64
        Values from which the scores were computed, by name; NaN where nothing was computed.
    clear : bool or None
        For "information", whether `best` stands out, see `select_n_clusters`; None for other methods.
    """

    best: int
    method: str
    candidates: np.ndarray = field(repr=False)
    scores: np.ndarray = field(repr=False)
    curves: dict = field(repr=False)
    clear: bool | None = None

    def plot(self, axes: Sequence[Axes] | None = None) -> Array:
        """Draw the curves, all but the first dashed, above the scores, with the number chosen marked.

        Needs matplotlib.

        Parameters
        ----------
        axes : sequence of two matplotlib Axes, optional
            Where to draw; by default a new figure is made.

        Returns
        -------
        ndarray of two matplotlib Axes

        Examples
        --------
        >>> import graphcore
        >>> choice = graphcore.select_n_clusters(graphcore.datasets.load_digits().data)  # doctest: +SKIP
        >>> choice.plot()[0].figure.savefig("choice.png")  # doctest: +SKIP
        """
        from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

        if axes is None:
            from matplotlib.figure import Figure

            # A figure of its own, without pyplot: nothing is left open, and no display is needed.
            axes = Figure(figsize=(6, 5), layout="constrained").subplots(2, 1, sharex=True)
        panels = np.asarray(axes)
        upper, lower = panels
        few = len(self.candidates) <= 40
        for number, (name, curve) in enumerate(self.curves.items()):
            style: dict[str, Any] = {"lw": 1, "ls": "--", "color": "0.5"} if number else {"color": "k", "lw": 1.5}
            if not number and few:
                style |= {"marker": "o", "ms": 4}
            upper.plot(self.candidates, curve, label=name, **style)
        if len(self.curves) > 1:
            upper.legend(frameon=False)
        else:
            upper.set_ylabel(next(iter(self.curves)))
        shown = np.isfinite(self.scores)
        lower.plot(self.candidates[shown], self.scores[shown], color="k", lw=1, marker="o", ms=4 if few else 2)
        lower.set(xlabel="number of clusters k", ylabel=f"score ({self.method.replace('modularity', 'information')})")
        for ax in panels:
            ax.axvline(self.best, color="#b5547a", lw=1, zorder=0)
            if self.candidates[-1] > 20:
                ax.set_xscale("log")
                ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
                ax.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
                ax.xaxis.set_minor_locator(NullLocator())
        upper.set_title(f"k = {self.best}")
        return panels


def how_chosen(method, clear):
    """Say how a number of clusters was chosen."""
    doubt = {"modularity": ": the edges do not clearly support a division"}.get(method, "; it does not stand out")
    return f"chosen by {method}{doubt * (clear is False)}"


def selection(method, candidates, scores, curves):
    """Return a KSelection whose `best` is the first candidate of the largest score; NaN scores are passed over."""
    scores = np.asarray(scores, dtype=np.float64)
    judged = np.where(np.isnan(scores), -np.inf, scores)
    return KSelection(int(candidates[int(np.argmax(judged))]), method, candidates, scores, curves)


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


# Slopes lie between 0 and 1; a smaller difference is rounding, and one below the second chance: where a few nodes are
# cut off, a random graph of 300,000 nodes had a corner of .0002, and no other.
_ROUNDING, _CHANCE = 1e-9, 1e-3
_BLOCK = 1 << 20
# A corner stands out if none is as sharp as this share of it, but for those at numbers within this factor. Both are
# from the half of `python -m bench run known-k` that is for calibration; the other half says what they are worth.
_RIVAL, _NEAR = 0.4, 1.25


def label_price(graph, n_edges=None):
    """Return the price of a nat of labels in nats for each edge: nodes over edges, as labels take ``n log k`` nats."""
    return (graph.n_nodes - graph.n_isolated) / (effective_edges(graph) if n_edges is None else n_edges)


def effective_edges(graph):
    """Number of edges that carry as much evidence, if all had the same weight: ``(sum w)^2 / sum w^2``."""
    if not graph.is_weighted:
        return 0.5 * graph.n_entries
    # By blocks: nothing as large as the graph is made.
    blocks = (graph.weights[i : i + _BLOCK].astype(np.float64) for i in range(0, graph.n_entries, _BLOCK))
    total = float(graph.degrees.sum())
    # In this order, so that weights of any magnitude neither overflow nor vanish.
    return 0.5 / sum(float(np.square(block / total).sum()) for block in blocks)


def concave_hull(x, y):
    """Indices of the vertices of the least concave function above the points; x ascending."""
    kept = [0]
    for i in range(1, len(x)):
        while len(kept) > 1:
            a, b = kept[-2], kept[-1]
            if (y[i] - y[b]) * (x[b] - x[a]) < (y[b] - y[a]) * (x[i] - x[b]):
                break
            kept.pop()
        kept.append(i)
    return np.array(kept)


@dataclass(frozen=True, eq=False)
class Corners:
    """Corners of the information curve, for k = 1, 2, ..., n."""

    scores: np.ndarray  # how much the slope falls at k; 0 without a corner and at k = 1, NaN (not known) at the last k
    hull: np.ndarray  # the least concave function above the information, as a function of the labels' cost

    def doubt(self, k):
        """Why k does not stand out; None if it does."""
        known = np.nan_to_num(self.scores)
        if known[k - 1] <= _CHANCE:
            return f"the sharpest corner, of {known[k - 1]:.2g}, is at k = {k}, and may be chance"
        ks = np.arange(1, len(known) + 1)
        far = np.where(_is_far(ks, k), known, -1.0)
        rival, best, second = int(ks[np.argmax(far)]), known[k - 1], far.max()
        if second > _RIVAL * best:
            return f"the sharpest corner, of {best:.2g}, is at k = {k}, and one of {second:.2g} at {rival}"
        if _NEAR * k > ks[-1]:
            return f"the sharpest corner is at k = {k}, and little is known of larger ones than that"
        return None


def _is_far(one, other):
    """Whether numbers of clusters are so different that a corner at one speaks against the other."""
    return (one > _NEAR * other) | (_NEAR * one < other)


def information_corners(information, costs, price):
    """Find corners of information against the labels' cost, for k = 1, 2, ..., n; slopes below `price` count as it.

    Labels cost log k, or the entropy of the clusters. Slopes, the share of each further nat of labels that edges
    confirm, lie between 0 and 1 but for noise. The k at a vertex of the hull is best by ``information - s costs`` for
    all prices s between the slopes after and before it: the score is the length of that range.
    """
    n = len(information)
    kept = concave_hull(costs, information)
    hull = np.interp(costs, costs[kept], information[kept])
    scores = np.zeros(n)
    if n > 1:
        # Of every stretch of the hull; a gain of more than a nat for a nat is noise of the tree.
        steps = np.clip(np.diff(information[kept]) / np.diff(costs[kept]), price, max(1.0, price))
        falls = -np.diff(steps)
        scores[kept[1:-1]] = np.where(falls < _ROUNDING, 0.0, falls)
        scores[-1] = np.nan
    return Corners(scores, hull)


def _curves(sweeps):
    """Information and entropy [k - 1] of k clusters, means over coresets, as far as each has so many micro-clusters."""
    most = min(sweep.n_micro_clusters for sweep in sweeps)
    return tuple(
        np.mean([getattr(sweep, name)[:most] for sweep in sweeps], axis=0) for name in ("information", "entropy")
    )


class _Reading(NamedTuple):
    """Corners of information against one cost of labels, and the candidate with the sharpest."""

    best: int
    score: float
    corners: Corners

    @classmethod
    def of(cls, information, costs, price, candidates):
        """Read a curve [k - 1]; the last known number has no score, and counts as the least sharp."""
        corners = information_corners(information, costs, price)
        scores = np.nan_to_num(corners.scores[candidates - 1], nan=-1.0)
        at = int(np.argmax(scores))
        return cls(int(candidates[at]), float(scores[at]), corners)

    @property
    def doubt(self):
        """Why `best` does not stand out; None if it does."""
        return self.corners.doubt(self.best)

    def doubt_beside(self, other):
        """Why `best` does not stand out beside another reading; None if it does."""
        if self is other or not _is_far(other.best, self.best) or other.score <= _RIVAL * self.score:
            return None
        sharp = f"the sharpest corner is at k = {self.best}"
        return f"{sharp} if clusters may be uneven, and at {other.best} if they are of about one size"


def by_information(graph, sweeps, candidates, options):
    """The number at the sharpest corner that stands out, of even or of uneven clusters; it warns where none does."""
    price, at = label_price(graph, options.n_edges), candidates - 1
    information, entropy = _curves(sweeps)
    even, uneven = (
        _Reading.of(information, costs, price, candidates)
        for costs in (np.log(np.arange(1, len(information) + 1)), entropy)
    )
    clear = [reading for reading in (even, uneven) if reading.doubt is None]
    taken = max(clear, key=lambda reading: reading.score, default=even)
    doubt = taken.doubt or taken.doubt_beside(even)
    curves = {"information (nats)": information[at], "concave hull": taken.corners.hull[at]}
    choice = replace(selection("information", candidates, taken.corners.scores[at], curves), clear=doubt is None)
    if doubt is None:
        return choice
    if taken.score > 0:
        warn_user(
            f"no number of clusters stands out: {doubt}; choose by what the clusters are for, or look at "
            "KSelection.plot (--report) and at other methods"
        )
        return choice
    # No corner: at every price one end of the candidates is best, and at the price that labels have it is this one.
    best = int(candidates[int(np.argmax(information[at] - price * np.log(candidates)))])
    if best == candidates[0]:
        found = _by_modularity(graph, len(sweeps), options) if len(candidates) > 1 else best
        finer = _best_of_the_finer(information[at], candidates, price)
        if options.falls_back and found > best:
            most = int(candidates[np.searchsorted(candidates, found, "right") - 1])
            warn_user(
                "the edges do not clearly support a division: none that was found pays for its description; modularity "
                f"gives {found}, and k = {most} is taken, though modularity divides random graphs too: see the "
                "stability of the labels, or give n_clusters"
            )
            return replace(choice, best=most, method="modularity")
        warn_user(
            f"k = {best}, the least of the candidates, is chosen: no finer division of this graph that was found pays "
            f"for its description{finer}" + f"; modularity gives {found}" * (found > best)
        )
    else:
        warn_user(
            f"no number of clusters stands out: information grows evenly up to k = {best}, the best of the candidates; "
            "give larger candidates, or choose by what the clusters are for"
        )
    return replace(choice, best=best)


def _best_of_the_finer(information, candidates, price):
    """Describe gain and cost, over the first candidate, of the one that would pay first, were labels cheaper."""
    if len(candidates) == 1:
        return ""
    gains, nats = information[1:] - information[0], np.log(candidates[1:] / candidates[0])
    i = int(np.argmax(gains / nats))
    return (
        f"; the best of them, k = {candidates[i + 1]}, gains {gains[i]:.3g} nats for each edge where its labels cost "
        f"{price * nats[i]:.3g}; a fit of that number may gain more"
    )


def _by_modularity(graph, n_drafts, options):
    """Count the clusters of largest modularity."""
    n_drafts = 1 if is_huge(graph.n_entries) else n_drafts
    settings = resolve_settings(graph, None, objective="modularity", effort=n_drafts)
    problem = NOTHING.problem(graph.rows, settings)

    def draft(number, earlier, best, streams, n_jobs, stages):
        return coreset_draft(graph, problem, settings, streams, n_jobs, stages)

    found = find_partition(problem, draft, options.streams.child("modularity"), n_drafts, n_jobs=options.n_jobs)
    return int(found.best.labels.max()) + 1


def by_resolution(sweeps, candidates, resolution):
    """The number of clusters with the largest information, in the mean over coresets, less labels at their price."""
    information = _curves(sweeps)[0][: len(candidates)]
    candidates = candidates[: len(information)]
    found = selection(
        "resolution", candidates, information - np.log(candidates) / resolution, {"information (nats)": information}
    )
    if found.best == 1 < len(candidates):
        warn_user(
            f"resolution={resolution:g} finds one cluster: no division says as much about edges as its labels cost; "
            "give a larger resolution, n_clusters='auto', or objective='modularity', whose resolution is Leiden's and "
            "Louvain's"
        )
    if found.best == candidates[-1] > 1:
        warn_user(
            f"resolution={resolution:g} asks for the most clusters that it can choose from, {found.best}; for "
            "more give n_clusters, or see the levels of a fit's tree"
        )
    return found


_MIN_CORESET = 1000
# Micro-clusters for each of the most clusters looked at: what is merged has to be finer than what is asked about.
_CELLS_PER_CLUSTER = 2
# A level has so many times the clusters of the next one, and its nodes have so many passes of moves, which mend what
# merging got wrong of large and noisy clusters. Of 60 planted, LFR and neighbour graphs of 20,000 to 300,000 nodes,
# some with lognormal weights, a tree without moves chose exactly the right number for 15, levels for 44. With a ratio
# of 2 they take a quarter less time, but make corners of their own: of 8 choices for com-DBLP 2 were clear, at the
# number of a level.
_RATIO, _PASSES = 1.5, 3
# Entries that all coresets together go through, but for the first: more coresets average out what is random in a small
# graph. With one, 13 of 16 seeds saw the ten digits in MNIST's neighbour graph of a million entries, 3 nine or eleven.
_ENTRIES = 1 << 19
# Entropy is to rise with every cluster, also by one without volume.
_LEAST_RISE = 1e-12


@dataclass(frozen=True, eq=False)
class MicroClusterTree:
    """Clusters of all nodes and the tree that merges them, pair by pair, down to one."""

    micro_clusters: np.ndarray | None  # (n_nodes,) int32, -1 for isolated nodes
    rows: GraphRows  # the graph between the micro-clusters
    tree: MergeTree
    information: np.ndarray = field(repr=False)  # [k - 1]: the objective, in nats, of the partition into k clusters
    entropy: np.ndarray = field(repr=False)  # [k - 1]: of a cluster drawn by volume, in nats; it rises

    @classmethod
    def merged(cls, micro_clusters, rows, sizes):
        """Merge by the information."""
        _, children, losses = agglomerate(rows, sizes, 1, linkage=OBJECTIVES["information"].at())
        tree = MergeTree(children, np.maximum.accumulate(losses), sizes)
        shares = tree.summed(rows.degrees / rows.degrees.sum())
        terms = shares * np.log(np.maximum(shares, np.finfo(float).tiny))
        # One cluster has neither, and every union loses what it costs.
        gains = terms[tree.n_leaves :] - terms[children].sum(axis=1)
        entropy = np.concatenate([[0.0], np.cumsum(np.maximum(gains[::-1], _LEAST_RISE))])
        information = np.concatenate([[0.0], np.cumsum(losses[::-1])])
        return cls(micro_clusters, rows, tree, information, entropy)

    @property
    def n_micro_clusters(self):
        """Number of micro-clusters, the largest number of clusters that the tree knows."""
        return self.tree.n_leaves

    def labels_at(self, n_clusters):
        """Return labels of all nodes when `n_clusters` are left; -1 for isolated nodes."""
        return apply_labels(self.tree.labels_at(n_clusters), self.micro_clusters)


@dataclass(frozen=True, eq=False)
class Sweep:
    """Partitions into every number of clusters, from the micro-clusters of one coreset.

    Each of the `trees`, fine to coarse, begins with clusters of the one before it, settled by moves of nodes, and says
    what is known of numbers of clusters down to the leaves of the next one.
    """

    trees: tuple

    @property
    def n_micro_clusters(self):
        """Number of micro-clusters, the largest number of clusters that the sweep knows."""
        return self.trees[0].n_micro_clusters

    def joined(self, curves):
        """Join curves [k - 1], one of each tree, into that of the sweep.

        The gain by moves before a tree begins is spread over the numbers before it, evenly in log k: a level is to make
        no corner of its own.
        """
        out = curves[0].copy()
        for finer, coarser in pairwise(curves):
            n, last = len(finer), len(coarser)
            share = np.log(n / np.arange(last + 1, n + 1)) / np.log(n / last)
            out[last:n] = finer[last:] + (coarser[-1] - finer[last - 1]) * share
            out[:last] = coarser
        return out

    @cached_property
    def information(self):
        """The objective [k - 1], in nats, of k clusters."""
        return self.joined([tree.information for tree in self.trees])

    @cached_property
    def entropy(self):
        """Entropy [k - 1] of a cluster drawn by volume, in nats; it rises."""
        entropy = np.maximum.accumulate(self.joined([tree.entropy for tree in self.trees]))
        return entropy + _LEAST_RISE * np.arange(len(entropy))


def n_sweeps(graph):
    """Coresets that are swept over where what is chosen is read off their mean: as many as a fit draws, or fewer."""
    return min(FROM_SCRATCH, -(-_ENTRIES // max(1, graph.n_entries)))


def sweep_coresets(graph, n_clusters, *, n_coresets=1, random_state=None, n_jobs=None):
    """Draw coresets, give every node to a micro-cluster, and merge those of each down to one (Sweeps).

    A sweep holds a partition for every number of clusters, and none of them is favoured. `n_clusters` is the most that
    will be asked about, at most the nodes that have an edge. The result does not depend on `n_jobs`.
    """
    n_linked = graph.n_nodes - graph.n_isolated
    size = max(_MIN_CORESET, _CELLS_PER_CLUSTER * n_clusters)
    # At most half of the nodes, or all coresets of a small graph would be the same.
    size = max(n_clusters, min(size, n_linked // 2))
    streams, problem = Streams(random_state), Problem(graph.rows, n_clusters)
    inner_jobs = effective_jobs(n_jobs) if n_coresets == 1 else 1

    def sweep(number):
        kernel = GraphKernel(graph, SELF_LOOP)
        coreset = sample_coreset(kernel, n_clusters, size=size, random_state=streams.child("coreset", number))
        labels, n_groups, _ = settled_micro_clusters(
            kernel.rows(coreset.indices), problem, n_passes=_PASSES, n_jobs=inner_jobs
        )
        # Levels of several coresets lie at different numbers, so that what is particular to a level averages out too.
        levels = _levels(problem, labels, n_groups, _RATIO ** ((number + 1) / n_coresets), inner_jobs)
        # Labels of all nodes are kept of the finest level alone.
        return Sweep((next(levels), *(replace(tree, micro_clusters=None) for tree in levels)))

    return map_items(sweep, range(n_coresets), n_jobs)


def _levels(problem, labels, n_groups, ratio, n_jobs):
    """Yield the MicroClusterTrees of micro-clusters, of what these are merged and moved to, and so on.

    `ratio` is that of the first two levels.
    """
    between = problem.between(labels, n_groups, n_jobs)
    while True:
        tree = MicroClusterTree.merged(labels, between.rows, between.constraints.counts)
        yield tree
        n_groups, ratio = int(n_groups / ratio), _RATIO
        if n_groups < 2:
            return
        table, moves = tree.tree.labels_at(n_groups), None
        labels, free = apply_labels(table, labels), problem.without_limits(n_groups)
        if problem.is_huge:
            block_sweep(free, labels, n_jobs)
        else:
            sums = between.without_limits(n_groups).sums(table)
            _, moves = move_locally(free, labels, n_passes=_PASSES, tolerance=FEW_MOVES, sums=sums, n_jobs=n_jobs)
        if moves == 0:  # a pass over the whole graph less
            between = between.between(table, n_groups)
        else:
            n_groups = compact_labels(labels, n_groups)
            between = problem.between(labels, n_groups, n_jobs)


_CHOICES = {
    "information": by_information,
    "description-length": _by_description_length,
    "eigengap": _by_eigengap,
    "penalty": _by_penalty,
}
METHODS = tuple(_CHOICES)
