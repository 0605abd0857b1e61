"""Merging: agglomeration of a quotient graph, and the merge tree that labels for any number of clusters come from."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .._arrays import read_only
from .._validation import check_choice, check_integer
from . import _agglomerate_loops, _merge_round_loops, _objective_loops
from .cluster_sums import cluster_sums
from .quotient import GraphRows, grouped, quotient

__all__ = ["LINKAGES", "MergeTree", "agglomerate", "hierarchy", "merge_rounds"]

LINKAGES = {
    "information": _objective_loops.INFORMATION,
    "ncut": _objective_loops.NCUT,
    "average": _agglomerate_loops.AVERAGE,
}


@dataclass(frozen=True, eq=False)
class MergeTree:
    """The order in which groups of nodes are merged, down to one cluster.

    Attributes
    ----------
    children : ndarray of shape (n_leaves - 1, 2), int64
        Step i makes cluster ``n_leaves + i`` of these two, as in scipy.
    heights : ndarray of shape (n_leaves - 1,), float64
        What the objective loses at each step (minus the similarity for average linkage), made non-decreasing.
    leaf_sizes : ndarray of shape (n_leaves,), int64
        Nodes in each leaf.
    """

    children: np.ndarray
    heights: np.ndarray
    leaf_sizes: np.ndarray

    @property
    def n_leaves(self):
        """Number of groups at the bottom."""
        return len(self.leaf_sizes)

    def labels_at(self, n_clusters):
        """Labels of the leaves when `n_clusters` are left.

        Parameters
        ----------
        n_clusters : int
            1 to n_leaves.

        Returns
        -------
        ndarray of shape (n_leaves,), int32
            Numbered in the order of each cluster's first leaf.
        """
        n_clusters = check_integer(
            "n_clusters", n_clusters, low=1, high=self.n_leaves, why_high="the leaves of the merge tree"
        )
        labels = np.empty(self.n_leaves, dtype=np.int32)
        _agglomerate_loops.cut_tree(self.children, self.n_leaves, self.n_leaves - n_clusters, labels)
        return labels

    def linkage(self):
        """The tree as scipy writes it.

        Returns
        -------
        ndarray of shape (n_leaves - 1, 4), float64
            Children, height, and number of leaves below, for ``scipy.cluster.hierarchy``. Scipy refuses negative
            heights: where the first unions gain (or heights are minus similarities), all heights are raised alike.
        """
        heights = self.heights - min(self.heights[0], 0.0) if len(self.heights) else self.heights
        below = np.ones(2 * self.n_leaves - 1)
        for i, (a, b) in enumerate(self.children):
            below[self.n_leaves + i] = below[a] + below[b]
        return np.column_stack([self.children.astype(np.float64), heights, below[self.n_leaves :]])


def agglomerate(rows, sizes, n_clusters, *, linkage="information", min_size=1, elsewhere=None):
    """Merge the nodes of a quotient graph, the pair of neighbours that costs least first.

    Parameters
    ----------
    rows : GraphRows
        With weights, and the weight inside every group as its self-loop.
    sizes : ndarray of shape (n,), int64
        How many nodes each group stands for.
    n_clusters : int
        Number of clusters to stop at; nothing is done if there are no more nodes.
    linkage : {"information", "ncut", "average"}
        What a union costs: the loss of an objective, or minus ``Q_ab / (vol_a vol_b)`` with weights and volumes as
        shares of the whole (volume-weighted average linkage).
    min_size : int, default 1
        Clusters of fewer nodes are merged first, whatever it costs.
    elsewhere : (float, float, float), optional
        For a part of a larger graph: the volume of the whole, and what the clusters elsewhere add to the sums of inner
        weights and of squared volumes, as shares of it.

    Returns
    -------
    labels : ndarray of shape (n,), int32
    children : ndarray of shape (n - n_clusters, 2), int64
    losses : ndarray of shape (n - n_clusters,), float64
        What each union cost when it was made: the objective falls by their sum in all.

    Notes
    -----
    For "ncut" and "average" every step is the cheapest there is. For "information" what a union costs changes a little
    with every other union, and costs are only looked up again when a partner is gone, so a step may be slightly dearer.
    """
    check_choice("linkage", linkage, tuple(LINKAGES))
    n_clusters = check_integer("n_clusters", n_clusters, low=1)
    n = len(rows.degrees)
    children = np.empty((max(0, n - n_clusters), 2), dtype=np.int64)
    losses = np.empty(len(children))
    if elsewhere is None:
        elsewhere = float(rows.degrees.sum()), 0.0, 0.0
    steps = _agglomerate_loops.agglomerate(
        *rows, sizes, LINKAGES[linkage], n_clusters, min_size, *elsewhere, children, losses
    )
    labels = np.empty(n, dtype=np.int32)
    _agglomerate_loops.cut_tree(children, n, steps, labels)
    return labels, children, losses


def merge_rounds(rows, sizes, n_clusters, *, objective="information", share=0.2, min_size=1):
    """Merge the nodes of a quotient graph in rounds of disjoint pairs, the best pairs first.

    Every round costs one pass over the entries, however long the rows are. Around hubs, where few pairs are disjoint,
    many nodes join the same one in a round.

    Parameters
    ----------
    rows : GraphRows
        With weights, and the weight inside every group as its self-loop.
    sizes : ndarray of shape (n,), int64
        How many nodes each group stands for.
    n_clusters : int
        Number of clusters to stop at.
    objective : {"information", "ncut"}
    share : float, default 0.2
        Share of the clusters that a round unites, at most: small is closer to one pair at a time.
    min_size : int, default 1
        Clusters of fewer nodes are united before all others.

    Returns
    -------
    ndarray of shape (n,), int32
    """
    count = len(rows.degrees)
    labels = np.arange(count, dtype=np.int32)
    while count > n_clusters:
        partners, gains, linked = np.empty(count, dtype=np.int32), np.empty(count), np.empty(count, dtype=bool)
        _merge_round_loops.best_partners(*rows, LINKAGES[objective], partners, gains, linked)
        order = np.argsort(-gains, kind="stable")
        small = sizes[order] < min_size
        order = np.concatenate([order[small], order[~small]])
        max_pairs = min(count - n_clusters, max(1, int(share * count / 2)))
        # Where many nodes have the same best partner few pairs are disjoint, and the list is read far down; separate
        # components must not be united on that account.
        order = order[linked[order] | (np.arange(count) < 2 * max_pairs)]
        table = np.empty(count, dtype=np.int32)
        merged = int(_merge_round_loops.pair_up(partners, order, max_pairs, rows.degrees, table))
        sizes = np.bincount(table, weights=sizes, minlength=merged).astype(np.int64)
        labels = table[labels]
        count = merged
        if count > n_clusters:
            rows = quotient(rows, table, count)
    return labels


def hierarchy(rows, sizes, labels, n_clusters, *, linkage="information"):
    """Build a merge tree that passes through a given partition.

    Groups are first merged inside each cluster of the partition, then the clusters are merged with each other, so
    ``tree.labels_at(n_clusters)`` is the partition itself.

    Parameters
    ----------
    rows : GraphRows
        Quotient graph of the groups.
    sizes : ndarray of shape (n,), int64
    labels : ndarray of shape (n,), int32
        Clusters of the groups, every one of 0 to n_clusters - 1 in use.
    n_clusters : int
    linkage : {"information", "ncut", "average"}

    Returns
    -------
    MergeTree
    """
    n = len(labels)
    starts, members = grouped(labels, n_clusters)
    top = quotient(rows, labels, n_clusters)
    volume = float(top.degrees.sum())
    sums = cluster_sums(top, np.arange(n_clusters, dtype=np.int32), n_clusters)
    inner, squares = sums.internal / volume, (sums.volume / volume) ** 2
    inside = _inside(rows, labels, starts, members)
    steps = []  # (height, cluster, position in the cluster's own order, the two children in the cluster's own names)
    for c in range(n_clusters):
        group = members[starts[c] : starts[c + 1]]
        elsewhere = volume, inner.sum() - inner[c], squares.sum() - squares[c]
        _, children, losses = agglomerate(next(inside), sizes[group], 1, linkage=linkage, elsewhere=elsewhere)
        heights = np.maximum.accumulate(losses)
        steps.extend((heights[i], c, i, *children[i]) for i in range(len(children)))
    steps.sort()
    names = [members[starts[c] : starts[c + 1]].tolist() for c in range(n_clusters)]
    children = np.empty((n - 1, 2), dtype=np.int64)
    heights = np.empty(n - 1)
    for position, (height, c, _, a, b) in enumerate(steps):
        children[position] = names[c][a], names[c][b]
        heights[position] = height
        names[c].append(n + position)
    inner = len(steps)
    top_sizes = np.bincount(labels, weights=sizes, minlength=n_clusters).astype(np.int64)
    _, top_children, losses = agglomerate(top, top_sizes, 1, linkage=linkage)
    roots = [names[c][-1] for c in range(n_clusters)]
    for i, (a, b) in enumerate(top_children):
        children[inner + i] = roots[a], roots[b]
        roots.append(n + inner + i)
    heights[inner:] = losses
    return MergeTree(children, np.maximum.accumulate(heights), np.asarray(sizes, dtype=np.int64))


def _inside(rows, labels, starts, members):
    """Yield the graph inside each cluster, nodes numbered in their order; degrees stay those of the whole graph."""
    n = len(labels)
    position = np.empty(n, dtype=np.int32)
    position[members] = np.arange(n) - np.repeat(starts[:-1], np.diff(starts))
    row = np.repeat(np.arange(n), np.diff(rows.indptr))
    kept = np.flatnonzero(labels[row] == labels[rows.indices])
    # Rows in the order of members, so that every cluster's are next to each other.
    rank = np.empty(n, dtype=np.int64)
    rank[members] = np.arange(n)
    kept = kept[np.argsort(rank[row[kept]], kind="stable")]
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rank[row[kept]], minlength=n))])
    indices, weights, degrees = position[rows.indices[kept]], rows.weights[kept], rows.degrees[members]
    for start, stop in pairwise(starts):
        span = slice(indptr[start], indptr[stop])
        inside = indptr[start : stop + 1] - indptr[start], indices[span], weights[span], degrees[start:stop]
        yield GraphRows(*map(read_only, inside))
