"""Everything that a report tells, gathered in few passes over graph and labels."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..base.types import AnyGraph, ArrayLike
from ..cluster.membership import cluster_shares
from ..cluster.pipeline import Clustering
from ..cluster.refine.merging import MergeTree, agglomerate
from ..cluster.refine.objectives import OBJECTIVES
from ..cluster.refine.problem import ClusterSums, split_sums
from ..exceptions import InputError
from ..graphs.graph import Graph
from ..graphs.rows import csr_rows
from ..metrics import agreement, quotient_graph
from ..metrics.descriptions import most_central
from ..metrics.quality import class_numbers, placed_labels
from ..neighbors.neighbor_lists import places_in_rows

# Nodes that can be looked up on the page; of more, the most central of each cluster.
MOST_LISTED = 100_000
# Classes in the table of known classes.
MOST_CLASSES = 200
_N_CENTRAL = 5
_N_NEAR = 3
_N_BORDER = 30
# The number of nodes among which border nodes are sought: of low stability, and with much weight on both sides.
_CANDIDATES = 5_000
_PIECE = 1 << 14


@dataclass(frozen=True, eq=False)
class Measured:
    """Sums of clusters, and their measures."""

    sums: ClusterSums = field(repr=False)

    @property
    def normalized_cut(self) -> float:
        """Mean conductance of the clusters that hold nodes."""
        return float(self.sums.conductance[self.sums.size > 0].mean())

    @property
    def coverage(self) -> float:
        """Share of the whole edge weight that lies inside clusters."""
        volume = self.sums.volume.sum()
        return float(self.sums.internal.sum() / volume) if volume > 0 else 0.0

    @property
    def chance_cut(self) -> float:
        """Normalised cut to be expected of clusters of these volumes on a graph of these degrees, drawn at random."""
        return float((1 - self.sums.volume / max(self.sums.volume.sum(), 1e-300))[self.sums.size > 0].mean())

    @property
    def chance_coverage(self) -> float:
        """Share of the weight to be expected inside clusters of these volumes, as for `chance_cut`."""
        volume = self.sums.volume / max(float(self.sums.volume.sum()), 1e-300)
        return float(np.square(volume).sum())

    @property
    def modularity(self) -> float:
        """Newman's modularity."""
        volume = max(float(self.sums.volume.sum()), 1e-300)
        return float((self.sums.internal / volume - np.square(self.sums.volume / volume)).sum())


@dataclass(frozen=True, eq=False)
class LevelFacts(Measured):
    """One of nested levels."""

    labels: np.ndarray = field(repr=False)  # (n_nodes,) int32
    inside: np.ndarray = field(repr=False)  # (n_clusters,): cluster of the level above, -1 for none
    central: list = field(repr=False)  # names of the most central nodes of each cluster


@dataclass(frozen=True, eq=False)
class NodeFacts:
    """Nodes that the page can look up, and those at the borders of clusters, the most doubtful first."""

    listed: np.ndarray = field(repr=False)  # (n_listed,): all nodes, or the most central of each cluster; ascending
    is_whole: bool  # whether all nodes are listed
    labels: np.ndarray = field(repr=False)  # of those listed
    near: np.ndarray = field(repr=False)  # (n_listed, 3): clusters with the largest shares of each node, or -1
    shares: np.ndarray = field(repr=False)  # (n_listed, 3): these shares
    is_soft: bool  # whether shares are memberships of the model, and not of the node's edge weight
    border: np.ndarray = field(repr=False)  # (n_border,): nodes between two clusters
    border_labels: np.ndarray = field(repr=False)  # their cluster
    second: np.ndarray = field(repr=False)  # the other one
    border_shares: np.ndarray = field(repr=False)  # (n_border, 2): their shares of the two


@dataclass(frozen=True, eq=False)
class Comparison:
    """Agreement of clusters and known classes."""

    scores: dict  # of graphcore.metrics.agreement, over all nodes that have an edge and a known class
    n_classes: int
    # Of the largest classes: name, nodes, main cluster, nodes of the class in it, number of clusters.
    classes: list = field(repr=False)


@dataclass(frozen=True, eq=False)
class ReportFacts(Measured):
    """The measures of a clustering that a report shows.

    Attributes
    ----------
    graph, labels, n_clusters
        As given, with a label of -1 for nodes without an edge; some clusters may be empty.
    sums, quotient, central
        ClusterSums; the weight between clusters, a csr_array; and names of each cluster's most central nodes.
    filled : ndarray of shape (n_filled,), int64
        Clusters that hold nodes.
    tree : MergeTree or None
        Further merges of the clusters in `filled`; None if no edges run between them.
    nodes : NodeFacts
        Nodes to be looked up, and those between clusters.
    comparison : Comparison or None
        Known classes beside the clusters.
    n_unlabelled : int
        Nodes that have an edge and no cluster.
    levels, inside
        LevelFacts of coarser levels, the coarsest first; the cluster of the level above that each cluster lies in.
    clustering : Clustering or None
        The run that made the labels, where it is known.
    """

    graph: Graph = field(repr=False)
    labels: np.ndarray = field(repr=False)
    n_clusters: int
    quotient: object = field(repr=False)
    central: list = field(repr=False)
    filled: np.ndarray = field(repr=False)
    tree: MergeTree | None = field(repr=False)
    nodes: NodeFacts = field(repr=False)
    comparison: Comparison | None = field(repr=False)
    n_unlabelled: int
    levels: list = field(repr=False)
    inside: np.ndarray | None = field(repr=False)
    clustering: Clustering | None = field(repr=False)

    @property
    def leaves_outliers(self) -> bool:
        """Whether nodes without an edge are outliers of the run."""
        return self.clustering is not None and self.clustering.settings.outliers is not None

    @property
    def n_components(self) -> int:
        """Connected components of the graph; outliers are none."""
        return self.graph.n_components - self.graph.n_isolated * self.leaves_outliers

    @property
    def without_edges(self) -> str:
        """The number of nodes without an edge, in words: outliers, if the run left these out."""
        count = self.graph.n_isolated
        if not self.leaves_outliers:
            return f"{count:,} isolated"
        return f"{count:,} outlier{'' if count == 1 else 's'}"

    @property
    def node_stability(self) -> np.ndarray | None:
        """Stability of every node over seeds, or None if it is not known or there was a single draft."""
        return None if self.clustering is None else self.clustering.node_stability

    @property
    def stability(self) -> float | None:
        """Mean stability of the nodes in clusters, or None."""
        if self.node_stability is None:
            return None
        return float(np.nanmean(self.node_stability[self.clustering.labels >= 0]))


def gather_facts(
    graph: AnyGraph, labels: ArrayLike, n_clusters: int | None = None, *, clustering: Clustering | None = None,
    membership: Any = None, truth: ArrayLike | None = None, n_jobs: int | None = None,
) -> ReportFacts:  # fmt: skip
    """Compute the measures of a labelling that a report shows.

    Parameters
    ----------
    graph : Graph, sparse matrix, square array or networkx graph
    labels : array-like of shape (n_nodes,), or (n_nodes, n_levels), integer
        Cluster of every node, from 0; -1 for no cluster. Columns are nested levels, coarse to fine; the page is about
        the last. Default: in one dimension the levels of the run, if it is known.
    n_clusters : int, optional
        Number of clusters, if the last ones may be empty. Default: as many as the run was asked for, if it is known.
    clustering : Clustering, optional
        The run that the labels come from; without it the page says nothing of stability, coreset and objective.
    membership : csr_array of shape (n_nodes, n_clusters), optional
        Shares of every node in every cluster, rows adding up to 1; without it the page tells shares of edge weight.
    truth : array-like of shape (n_nodes,), optional
        Known classes to compare with, see :func:`graphcore.metrics.agreement`.
    n_jobs : int, optional

    Returns
    -------
    ReportFacts

    Raises
    ------
    InputError
        If the labels do not fit the graph, or no node with an edge has a cluster.

    Examples
    --------
    >>> import graphcore
    >>> from graphcore.report import gather_facts
    >>> graph = graphcore.Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> facts = gather_facts(graph, [0, 0, 0, 1, 1, 1])
    >>> round(facts.normalized_cut, 4), round(facts.chance_cut, 4), round(facts.coverage, 4)
    (0.1429, 0.5, 0.8571)
    """
    if n_clusters is None and clustering is not None:
        n_clusters = clustering.settings.n_clusters
    levels = list(np.asarray(labels).T) if np.ndim(labels) == 2 and np.size(labels) else [labels]
    if len(levels) == 1 and clustering is not None:
        levels = [*clustering.level_labels[:-1], levels[0]]
    graph, levels, splits = gather_levels(graph, levels, n_clusters, n_jobs)
    level = levels.pop()
    labels, sums, central, n_clusters = level.labels, level.sums, level.central, len(level.central)
    filled = np.flatnonzero(sums.size)
    if len(filled) == 0:
        raise InputError("no node with an edge has a label from 0 on: there is no cluster to report on")
    between = quotient_graph(graph, labels, n_clusters, n_jobs=n_jobs)
    stability = None if clustering is None else clustering.node_stability
    return ReportFacts(
        graph=graph, labels=labels, n_clusters=n_clusters, sums=sums, quotient=between, filled=filled, central=central,
        tree=_tree(between[filled][:, filled], sums.size[filled], clustering),
        nodes=gather_nodes(graph, labels, n_clusters, splits, stability, membership),
        comparison=None if truth is None else _compare_classes(graph, labels, truth, n_clusters),
        n_unlabelled=int(np.count_nonzero((labels < 0) & (graph.degrees > 0))), clustering=clustering,
        levels=levels, inside=level.inside if levels else None,
    )  # fmt: skip


def _tree(between, sizes, clustering):
    """Merge the clusters down to one."""
    if len(sizes) < 2 or not between.data.any():  # clusters whose edges all lead to nodes without a cluster
        return None
    rows = Graph(between.indptr, between.indices, between.data, check=False).rows
    objective = OBJECTIVES["information"] if clustering is None else clustering.settings.record
    _, children, losses = agglomerate(rows, sizes.astype(np.int64), 1, linkage=objective)
    return MergeTree(children, np.maximum.accumulate(losses), sizes)


def _compare_classes(graph, labels, truth, n_clusters):
    """Compare the clusters of all nodes with their classes."""
    scores = agreement(labels, truth, graph)
    names, numbers = class_numbers(truth)
    held, sizes = np.unique(numbers[(graph.degrees > 0) & (numbers >= 0)], return_counts=True)
    placed = labels >= 0
    order = np.argsort(-sizes, kind="stable")[:MOST_CLASSES]
    classes = []
    for c, size in zip(held[order], sizes[order], strict=True):
        nodes = np.bincount(labels[placed & (numbers == c)], minlength=n_clusters)
        main = nodes.argmax()
        classes.append((str(names[c]), size, main, nodes[main], np.count_nonzero(nodes)))
    return Comparison(scores, len(held), classes)


# -- levels -----------------------------------------------------------------------------------------------------------


def gather_levels(graph, levels, n_clusters, n_jobs):
    """Measure all `levels` (rows of labels, coarse to fine), the last of which has `n_clusters` (None: all used).

    Returns (Graph, list of LevelFacts, weight of every node's edges inside and outside its cluster of the last level).
    """
    found, above, splits = [], None, None
    for number, row in enumerate(levels, 1):
        graph, labels, k = placed_labels(graph, row, n_clusters if number == len(levels) else None)
        sums, *splits = split_sums(graph, labels, k, n_jobs)
        central = most_central(labels, *splits, k, _N_CENTRAL)
        names = [[str(name) for name in graph.names_of(nodes).tolist()] for nodes in central]
        found.append(LevelFacts(sums, labels, _holders(labels, above, k, number), names))
        above = labels
    return graph, found, splits


def _holders(labels, above, n_clusters, number):
    """Return the cluster above each cluster, which must be a single one."""
    inside = np.full(n_clusters, -1)
    if above is None:
        return inside
    placed = np.flatnonzero(labels >= 0)
    inside[labels[placed]] = above[placed]
    wrong = placed[inside[labels[placed]] != above[placed]]
    if len(wrong):
        cluster = labels[wrong[0]]
        both = sorted({int(inside[cluster]), int(above[wrong[0]])})
        raise InputError(
            f"labels: cluster {cluster} of level {number} has nodes in clusters {both[0]} and {both[1]} of level "
            f"{number - 1}; give nested levels, coarse to fine, or one column of labels"
        )
    return inside


# -- nodes ------------------------------------------------------------------------------------------------------------


def gather_nodes(graph, labels, n_clusters, splits, stability, membership):
    """Choose the nodes to be listed and the border nodes (NodeFacts).

    `splits` is (weight inside the cluster, weight outside) of every node, `stability` that of every node or None,
    `membership` a sparse matrix of nodes by clusters or None.
    """

    def shares_of(nodes):
        pieces = [nodes[start : start + _PIECE] for start in range(0, max(1, len(nodes)), _PIECE)]
        parts = [_shares(graph, labels, n_clusters, piece, membership) for piece in pieces]
        return [np.concatenate(each) for each in zip(*parts, strict=True)]

    is_whole = graph.n_nodes <= MOST_LISTED
    if is_whole:
        listed = np.arange(graph.n_nodes)
    else:
        each = max(1, MOST_LISTED // np.count_nonzero(np.bincount(labels[labels >= 0])))
        listed = np.sort(np.concatenate(most_central(labels, *splits, n_clusters, each)))[:MOST_LISTED]
    near, shares, _ = shares_of(listed)
    border = _doubtful(labels, *splits, stability)
    return NodeFacts(
        listed, is_whole, labels[listed], near, shares, membership is not None,
        *_border(border, labels[border], graph.degrees[border], stability, *shares_of(border)),
    )  # fmt: skip


def _shares(graph, labels, n_clusters, nodes, membership):
    """Return (clusters, shares) of some nodes, (n, 3) each, the largest first; and shares of their own cluster (n,)."""
    if membership is None:
        sums = cluster_shares(csr_rows(graph.rows, nodes), labels, n_clusters)
        totals = np.repeat(graph.degrees[nodes], np.diff(sums.indptr))
    else:
        sums, totals = membership[nodes], 1.0
    sums.sort_indices()  # of equal shares the first cluster comes first
    values = sums.data / totals
    row = np.repeat(np.arange(len(nodes)), np.diff(sums.indptr))
    rank = places_in_rows(row, -values)
    first = rank < _N_NEAR
    near, shares = np.full((len(nodes), _N_NEAR), -1), np.zeros((len(nodes), _N_NEAR))
    near[row[first], rank[first]] = sums.indices[first]
    shares[row[first], rank[first]] = values[first]
    is_own = sums.indices == labels[nodes][row]
    return near, shares, np.bincount(row[is_own], values[is_own], len(nodes))


def _doubtful(labels, inside, outside, stability):
    """Return nodes that may lie between clusters: of low stability, then with much weight on both sides."""
    placed = np.flatnonzero((labels >= 0) & (outside > 0))
    keys = (placed, -np.minimum(inside, outside)[placed])
    if stability is not None:
        keys += (stability[placed],)
    return placed[np.lexsort(keys)[:_CANDIDATES]]


def _border(nodes, own, degrees, stability, near, shares, first):
    """Return nodes with at least half as much in a second cluster as in their own, both clusters, shares of both.

    `near` and `shares` (n, 3) are the largest ones, `first` (n,) those of their own clusters.
    """
    # The largest share of another cluster stands in the first or second place.
    place = (near[:, 0] == own).astype(int)
    each = np.arange(len(nodes))
    second, other = near[each, place], shares[each, place]
    both = np.minimum(first, other) * degrees
    keys = (nodes, -both) if stability is None else (nodes, -both, stability[nodes])
    order = np.lexsort(keys)
    kept = order[((second >= 0) & (other >= first / 2) & (both > 0))[order]][:_N_BORDER]
    return nodes[kept], own[kept], second[kept], np.column_stack([first, other])[kept]
