"""Choice of the number of clusters: what clusters say about edges, against what their labels cost."""

from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..base.loops import effective_jobs, map_items
from ..base.streams import Streams
from ..base.types import AnyData, Iterable, RandomState
from ..base.validation import check_integer, count_linked
from ..exceptions import ParameterError, warn_user
from ..graphs.as_graph import as_graph, is_graph, refuse_as_vectors
from ..graphs.graph import Graph
from ..graphs.rows import in_range
from ..kernels.graph import GraphKernel
from ..neighbors.neighbors import graph_of_kinds, graph_of_vectors
from ..neighbors.vectors import as_vectors
from .coreset import sample_coreset
from .coreset_graph import settled_cells
from .pipeline import FROM_SCRATCH, SELF_LOOP, count_by_modularity
from .refine.improve import FEW_MOVES, block_sweep, move_locally
from .refine.merging import MergeTree, agglomerate
from .refine.objectives import OBJECTIVES
from .refine.problem import Problem, apply_labels, compact_labels, is_huge
from .settings import resolve

# Where nobody says how far to look: as far as clusters of sqrt(n) / 2 or 20 nodes, and not beyond this.
_LEAST_NODES, _MAX_CANDIDATES = 20, 2000
# Slopes lie between 0 and 1; a smaller difference is rounding, and one below the second chance: where a few nodes are
# cut off, a random graph of 300,000 nodes had a corner of .0002, and no other.
_ROUNDING, _CHANCE = 1e-9, 1e-3
_BLOCK = 1 << 20
# A corner stands out if none is as sharp as this share of it, but for those at numbers within this factor. Both are
# from the half of `python -m bench run known-k` that is for calibration; the other half says what they are worth.
_RIVAL, _NEAR = 0.4, 1.25


@dataclass(frozen=True, eq=False)
class KSelection:
    """The chosen number of clusters, with the scores of all candidates.

    Attributes
    ----------
    best : int
        The candidate with the largest score, the first of equal ones. Without a corner, it is the candidate that is
        best at the least price of labels.
    method : str
        "information"; for a fit also "resolution", or "modularity" where information found one cluster and
        ``n_clusters="auto"`` took modularity's number, which is `best`, as far as limits allow.
    candidates : ndarray of shape (n_candidates,), int64
        Ascending.
    scores : ndarray of shape (n_candidates,), float64
        Larger is better; NaN for candidates without a score.
    curves : dict of ndarray of shape (n_candidates,), float64
        Values from which the scores were computed, by name.
    clear : bool or None
        Whether `best` stands out, see `select_n_clusters`; None for a resolution.
    """

    best: int
    method: str
    candidates: np.ndarray = field(repr=False)
    scores: np.ndarray = field(repr=False)
    curves: dict = field(repr=False)
    clear: bool | None = None


def how_chosen(method, clear):
    """Say how a number of clusters was chosen."""
    doubt = {"modularity": ": the edges do not clearly support a division"}.get(method, "; it does not stand out")
    return f"chosen by {method}{doubt * (clear is False)}"


def select_n_clusters(
    X: AnyData, candidates: Iterable[int] | None = None, *, n_neighbors: int = 10, metric: str = "euclidean",
    random_state: RandomState = None, n_jobs: int | None = None,
) -> KSelection:  # fmt: skip
    """Choose the number of clusters of a graph, or of vectors through their kNN graph.

    Parameters
    ----------
    X : Graph, sparse matrix, networkx or igraph graph, or array-like of shape (n_samples, n_features)
        Graph objects, square sparse matrices, tables and arrays of edges are graphs, everything else is vectors; two
        columns of integers may be either, and are refused.
    candidates : iterable of int, optional
        Numbers of clusters to choose from, each from 1 to the number of nodes that have an edge. Default: 1 to
        ``2 sqrt(n)`` or ``n / 20``, whichever is more, at most 2,000. Corners are those of the curve through these
        numbers and those far below the first; `clear` needs a corner at or near `best` and none as sharp elsewhere.
    n_neighbors, metric
        For the kNN graph of vectors, see :func:`graphcore.knn_graph`.
    random_state : int, numpy Generator, RandomState or None, default None
    n_jobs : int, optional
        Number of threads; the result for a graph does not depend on it.

    Returns
    -------
    KSelection

    Raises
    ------
    InputError, ParameterError
        If X cannot be used, or a candidate is out of range.

    Notes
    -----
    The cells of four coresets (fewer above 87,000 edges, one from 262,000 on), as in a fit, are merged pair by pair
    down to one cluster; whenever their number has fallen by a third, nodes are moved between them.

    The information J(k) that the clusters have about edges (the objective that fits raise, in the mean over the
    coresets) is held against what their labels cost: log k, as for clusters of one size, or the entropy that they
    have. The sharpest corner of a concave hull is the best k under the widest range of prices for a nat of labels,
    from n nodes / n edges on, below which labels do not pay for their own description; so graphs without clusters get
    k = 1. It stands out if the curve goes on for a quarter beyond k, and no number that is not within a quarter of it
    has a corner more than 0.4 times as sharp. If one of the two corners does, or the sharper one of two that do, it is
    taken, and `clear` is True, unless it is that against entropy, and the other one is far from it and more than 0.4
    times as sharp. If neither does, it is the corner against log k. Both are warned of. If there is no corner, it is
    the candidate that is best at the least price. Where that is the least of them, the warning names the number of
    clusters of largest modularity, which ``n_clusters="auto"`` of a fit then takes.

    Examples
    --------
    >>> import graphcore
    >>> graph, _ = graphcore.datasets.planted_partition(5, 100, 0.2, 0.01, random_state=0)
    >>> graphcore.select_n_clusters(graph, random_state=0).best
    5
    """
    streams, n_edges = Streams(random_state), None
    if isinstance(candidates, (str, bytes)):
        raise ParameterError(f"candidates={candidates!r} must be integers, such as range(2, 21), or None")
    if not is_graph(X):
        refuse_as_vectors(X, "graphcore.knn_graph(X)")
        X, _, kinds = graph_of_vectors(
            as_vectors(X), n_neighbors, metric=metric, random_state=streams, n_jobs=n_jobs
        )  # fmt: skip
        if kinds is not None:  # equal rows are in one cluster
            n_edges, X = effective_edges(X), graph_of_kinds(X, kinds)
    graph = X if isinstance(X, Graph) else as_graph(X)
    candidates = _as_candidates(candidates, count_linked(graph))
    return _by_information(in_range(graph), candidates, streams, n_edges, n_jobs=n_jobs)


def choose_for_fit(graph, asked, total_size, n_edges=None, *, random_state=None, n_jobs=None):
    """Choose the number of clusters for a fit that leaves it to information or to a resolution (KSelection).

    `asked` is the result of `check_settings`; a coreset size and limits of size (of `total_size` together, see
    `resolve`) bound the candidates. `n_edges` are the effective edges of the graph, if some of its rows are equal.
    """
    settings = resolve(asked, graph, total_size)  # so that every mistake is found before any work
    n_linked, least, largest = count_linked(graph), settings.min_cluster_size, settings.max_cluster_size
    most = n_linked if least == 1 else int(total_size // least)
    if asked["coreset_size"] != "auto":
        most = min(most, settings.coreset_size)
    fewest = 1 if largest is None else min(n_linked, int(-(-total_size // largest)))
    most = max(fewest, min(most, default_candidates(n_linked)[-1]))
    candidates, graph = np.arange(fewest, most + 1), in_range(graph)
    streams = Streams(random_state).child("choice of k")
    if asked["chooser"] == "resolution":
        return _by_resolution(graph, candidates, settings.resolution, streams, n_jobs)
    return _by_information(graph, candidates, streams, n_edges, falls_back=True, n_jobs=n_jobs)


def default_candidates(n):
    """1 to ``2 sqrt(n)`` or ``n / 20``, whichever is more, at most 2,000 and at most n."""
    most = max(2, int(2 * np.sqrt(n)), n // _LEAST_NODES)
    return np.arange(1, max(1, min(n, _MAX_CANDIDATES, most)) + 1)


def _as_candidates(candidates, n):
    """Ascending, each once."""
    if candidates is None:
        return default_candidates(n)
    try:
        given = list(candidates)
    except TypeError:
        raise ParameterError(f"candidates={candidates!r} must be a sequence of integers, or None") from None
    if not given:
        raise ParameterError("candidates=[] is empty; give numbers of clusters such as range(2, 21), or None")
    why = "the nodes that have an edge"
    return np.unique([check_integer("candidates", k, low=1, high=n, why_high=why) for k in given])


# -- corners of the information curve ----------------------------------------------------------------------------------


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


class Corners(NamedTuple):
    """Corners of information against one cost of labels, for k = 1, 2, ..., n, and the candidate with the sharpest."""

    scores: np.ndarray  # how much the slope falls at k; 0 without a corner and at k = 1, NaN (not known) at the last k
    every: np.ndarray  # the same if every number were a candidate
    hull: np.ndarray  # the least concave function above the information, as a function of the labels' cost
    best: int
    score: float

    @property
    def doubt(self):
        """Why `best` does not stand out; None if it does."""
        k, best = self.best, np.nan_to_num(self.scores[self.best - 1])
        if best <= _CHANCE:
            return f"the sharpest corner, of {best:.2g}, is at k = {k}, and may be chance"
        ks = np.arange(1, len(self.every) + 1)
        is_far, every = _is_far(ks, k), np.nan_to_num(self.every)
        far = np.where(is_far, every, -1.0)
        rival, second = int(ks[np.argmax(far)]), far.max()
        # Where others near it are no candidates, its corner is less sharp than it seems.
        if second > _RIVAL * min(best, every[~is_far].max()):
            return f"the sharpest corner, of {best:.2g}, is at k = {k}, and one of {second:.2g} at {rival}"
        if _NEAR * k > ks[-1]:
            return f"the sharpest corner is at k = {k}, and little is known of larger ones than that"
        return None

    def doubt_beside(self, other):
        """Why `best` does not stand out beside corners against another cost; None if it does."""
        if self is other or not _is_far(other.best, self.best) or other.score <= _RIVAL * self.score:
            return None
        sharp = f"the sharpest corner is at k = {self.best}"
        return f"{sharp} if clusters may be uneven, and at {other.best} if they are of about one size"


def _is_far(one, other):
    """Whether numbers of clusters are so different that a corner at one speaks against the other."""
    return (one > _NEAR * other) | (_NEAR * one < other)


def information_corners(information, costs, price, candidates):
    """Find corners of information against the labels' cost, for k = 1, 2, ..., n; slopes below `price` count as it.

    Labels cost log k, or the entropy of the clusters. Slopes, the share of each further nat of labels that edges
    confirm, lie between 0 and 1 but for noise. The k at a vertex of the hull is best by ``information - s costs`` for
    all prices s between the slopes after and before it: the score is the length of that range. Numbers below the last
    candidate that are none themselves have no vertex, but for those that are far below the first one.
    """
    ends = np.arange(max(1, int(candidates[0] / _NEAR))), np.arange(candidates[-1], len(information))
    scores, hull = _corners(information, costs, price, np.union1d(candidates - 1, np.concatenate(ends)))
    every, _ = _corners(information, costs, price, np.arange(len(information)))
    of_candidates = np.nan_to_num(scores[candidates - 1], nan=-1.0)  # the last known number is the least sharp
    at = int(np.argmax(of_candidates))
    return Corners(scores, every, hull, int(candidates[at]), float(of_candidates[at]))


def _corners(information, costs, price, points):
    """Scores of `points` of the curve, by the hull of these alone, and the hull."""
    kept = points[concave_hull(costs[points], information[points])]
    scores = np.zeros(len(information))
    if len(scores) > 1:
        # Of every stretch of the hull; a gain of more than a nat for a nat is noise of the tree.
        steps = np.clip(np.diff(information[kept]) / np.diff(costs[kept]), price, max(1.0, price))
        falls = -np.diff(steps)
        scores[kept[1:-1]] = np.where(falls < _ROUNDING, 0.0, falls)
        scores[-1] = np.nan
    return scores, np.interp(costs, costs[kept], information[kept])


def _by_information(graph, candidates, streams, n_edges, *, falls_back=False, n_jobs=None):
    """The number at the sharpest corner that stands out, of even or of uneven clusters; it warns where none does.

    With `falls_back` modularity's number is taken where information finds one cluster.
    """
    price, at = label_price(graph, n_edges), candidates - 1
    # One more than asked about, since a corner needs what comes next.
    most = min(int(candidates[-1]) + 1, count_linked(graph))
    information, entropy = curves = sweep_coresets(graph, most, n_sweeps(graph), streams, n_jobs)
    even, uneven = (
        information_corners(information, costs, price, candidates)
        for costs in (np.log(np.arange(1, len(curves[0]) + 1)), entropy)
    )
    clear = [corners for corners in (even, uneven) if corners.doubt is None]
    taken = max(clear, key=lambda corners: corners.score, default=even)
    doubt = taken.doubt or taken.doubt_beside(even)
    shown = {"information (nats)": information[at], "concave hull": taken.hull[at]}
    choice = KSelection(taken.best, "information", candidates, taken.scores[at], shown, clear=doubt is None)
    if doubt is None:
        return choice
    if taken.score > 0:
        warn_user(
            f"no number of clusters stands out: {doubt}; choose by what the clusters are for, or look at the curves "
            "that graphcore.select_n_clusters returns"
        )
        return choice
    # No corner: at every price one end of the candidates is best, and at the price that labels have it is this one.
    best = int(candidates[int(np.argmax(information[at] - price * np.log(candidates)))])
    if best != candidates[0]:
        warn_user(
            f"no number of clusters stands out: information grows evenly up to k = {best}, the best of the candidates; "
            "give larger candidates, or choose by what the clusters are for"
        )
        return replace(choice, best=best)
    found = best
    if len(candidates) > 1:
        found = count_by_modularity(graph, n_sweeps(graph), streams.child("modularity"), n_jobs)
    if falls_back and found > best:
        most = int(candidates[np.searchsorted(candidates, found, "right") - 1])
        warn_user(
            "the edges do not clearly support a division: none that was found pays for its description; modularity "
            f"gives {found}, and k = {most} is taken, though modularity divides random graphs too: see the "
            "stability of the labels, or give n_clusters"
        )
        return replace(choice, best=most, method="modularity")
    warn_user(
        f"k = {best}, the least of the candidates, is chosen: no larger one of them pays for its description"
        + f"; modularity gives {found}" * (found > best)
    )
    return replace(choice, best=best)


def _by_resolution(graph, candidates, resolution, streams, n_jobs):
    """The number of clusters with the largest information, in the mean over coresets, less labels at their price."""
    information, _ = sweep_coresets(graph, int(candidates[-1]), n_sweeps(graph), streams, n_jobs)
    candidates = candidates[candidates <= len(information)]
    information = information[candidates - 1]
    scores = information - np.log(candidates) / resolution
    best = int(candidates[np.argmax(scores)])
    found = KSelection(best, "resolution", candidates, scores, {"information (nats)": information})
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


# -- a partition for every number of clusters --------------------------------------------------------------------------

_MIN_CORESET = 1000
# Cells for each of the most clusters looked at: what is merged has to be finer than what is asked about.
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


def n_sweeps(graph):
    """Coresets that are swept over where what is chosen is read off their mean: as many as a fit draws, or fewer."""
    return min(FROM_SCRATCH, -(-_ENTRIES // max(1, graph.n_entries)))


def sweep_coresets(graph, n_clusters, n_coresets=1, random_state=None, n_jobs=None):
    """Information and entropy [k - 1] of k clusters in nats, means over coresets whose cells are merged down to one.

    `n_clusters` is the most that will be asked about, at most the nodes that have an edge; the curves go on as far as
    each coreset has cells. The result does not depend on `n_jobs`.
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
        cells, n_cells, _ = settled_cells(kernel, coreset.indices, problem, n_passes=_PASSES, n_jobs=inner_jobs)
        # Levels of several coresets lie at different numbers, so that what is particular to a level averages out too.
        levels = _levels(problem, cells, n_cells, _RATIO ** ((number + 1) / n_coresets), inner_jobs)
        information, entropy = map(_joined, zip(*levels, strict=True))
        entropy = np.maximum.accumulate(entropy)
        return information, entropy + _LEAST_RISE * np.arange(len(entropy))

    swept = map_items(sweep, range(n_coresets), n_jobs)
    most = min(len(information) for information, _ in swept)
    return tuple(np.mean([curve[:most] for curve in curves], axis=0) for curves in zip(*swept, strict=True))


def _levels(problem, labels, n_cells, ratio, n_jobs):
    """Yield curves of the tree of cells, of what these are merged and moved to, and so on, fine to coarse.

    `ratio` is that of the first two levels.
    """
    between = problem.between(labels, n_cells, n_jobs)
    while True:
        tree, information, entropy = _merged(between)
        yield information, entropy
        n_cells, ratio = int(n_cells / ratio), _RATIO
        if n_cells < 2:
            return
        table, moves = tree.labels_at(n_cells), None
        labels, free = apply_labels(table, labels), problem.without_limits(n_cells)
        if is_huge(len(problem.rows.indices)):
            block_sweep(free, labels, n_jobs)
        else:
            sums = between.without_limits(n_cells).sums(table)
            _, moves = move_locally(free, labels, n_passes=_PASSES, tolerance=FEW_MOVES, sums=sums, n_jobs=n_jobs)
        if moves == 0:  # a pass over the whole graph less
            between = between.between(table, n_cells)
        else:
            n_cells = compact_labels(labels, n_cells)
            between = problem.between(labels, n_cells, n_jobs)


def _merged(between):
    """Merge a graph between cells by information: (MergeTree, information [k - 1], entropy [k - 1], which rises)."""
    rows, sizes = between.rows, between.counts
    _, children, losses = agglomerate(rows, sizes, 1, linkage=OBJECTIVES["information"])
    tree = MergeTree(children, np.maximum.accumulate(losses), sizes)
    shares = tree.summed(rows.degrees / rows.degrees.sum())
    terms = shares * np.log(np.maximum(shares, np.finfo(float).tiny))
    # One cluster has neither, and every union loses what it costs.
    gains = terms[tree.n_leaves :] - terms[children].sum(axis=1)
    entropy = np.concatenate([[0.0], np.cumsum(np.maximum(gains[::-1], _LEAST_RISE))])
    return tree, np.concatenate([[0.0], np.cumsum(losses[::-1])]), entropy


def _joined(curves):
    """Join curves [k - 1], one of each level, into one.

    Each says what is known of numbers of clusters down to the first of the next one. The gain by moves before a level
    begins is spread over the numbers before it, evenly in log k: a level is to make no corner of its own.
    """
    out = curves[0].copy()
    for finer, coarser in pairwise(curves):
        n, last = len(finer), len(coarser)
        share = np.log(n / np.arange(last + 1, n + 1)) / np.log(n / last)
        out[last:n] = finer[last:] + (coarser[-1] - finer[last - 1]) * share
        out[:last] = coarser
    return out
