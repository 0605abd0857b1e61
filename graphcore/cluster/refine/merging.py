"""Merging: agglomeration of a quotient graph, and the merge tree that labels for any number of clusters come from."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ...base.loops import cached_property
from ...base.validation import check_integer, read_only
from ...graphs.rows import GraphRows
from . import _merge_loops
from .objectives import OBJECTIVES
from .problem import cluster_sums, grouped, matrix_of, quotient


@dataclass(frozen=True, eq=False)
class MergeTree:
    """The order in which parts of nodes are merged, down to one cluster.

    `children` (n_leaves - 1, 2) int64: step i makes cluster ``n_leaves + i`` of these two, as in scipy. `heights`: what
    the objective loses at each step, made non-decreasing. `leaf_sizes`
    (n_leaves,) int64: nodes in each leaf.
    """

    children: np.ndarray
    heights: np.ndarray
    leaf_sizes: np.ndarray

    @property
    def n_leaves(self):
        """Number of parts at the bottom."""
        return len(self.leaf_sizes)

    def labels_at(self, n_clusters):
        """Return labels of the leaves, (n_leaves,) int32, when `n_clusters` are left, numbered by first leaf."""
        n_clusters = check_integer(
            "n_clusters", n_clusters, low=1, high=self.n_leaves, why_high="the leaves of the merge tree"
        )
        return _labels_after(self.children[: self.n_leaves - n_clusters], self.n_leaves)

    def summed(self, values):
        """Sums of the leaves' values over the leaves of every cluster, (2 n_leaves - 1,): leaves, then unions."""
        sums = values.tolist()
        for a, b in self.children.tolist():
            sums.append(sums[a] + sums[b])
        return np.array(sums)

    @cached_property
    def clusters(self):
        """Columns "first_leaf", "size" and "number", int64 (2 n_leaves - 1,) each, of leaves and then of unions.

        A cluster has the same number in all partitions that it is in. The single cluster is 0; where the partition into
        k + 1 clusters splits one, the part with more nodes keeps its number, and the other one is k.
        """
        n = self.n_leaves
        first, size = list(range(n)), self.summed(self.leaf_sizes)
        for a, b in self.children.tolist():
            first.append(min(first[a], first[b]))
        number = [0] * (2 * n - 1)
        for step in range(n - 2, -1, -1):
            a, b = self.children[step].tolist()
            large, small = (a, b) if (-size[a], first[a]) < (-size[b], first[b]) else (b, a)
            number[large], number[small] = number[n + step], n - 1 - step
        columns = {"first_leaf": first, "size": size, "number": number}
        return {name: np.array(values, dtype=np.int64) for name, values in columns.items()}

    def linkage(self):
        """Return the tree as scipy writes it, (n_leaves - 1, 4) float64: children, height, number of leaves below.

        Scipy refuses negative heights: where the first unions gain, all are raised alike.
        """
        heights = self.heights - min(self.heights[0], 0.0) if len(self.heights) else self.heights
        below = self.summed(np.ones(self.n_leaves))
        return np.column_stack([self.children.astype(np.float64), heights, below[self.n_leaves :]])


def agglomerate(rows, sizes, n_clusters, *, linkage=OBJECTIVES["information"], min_size=1):
    """Merge the nodes of a quotient graph, the pair of neighbours that costs least first, until `n_clusters` are left.

    With `n_clusters` 0 merging ends when no union gains. `sizes` (n,) int64 holds the nodes that each part stands for;
    clusters of fewer than `min_size` are merged first. A union costs what an objective, the linkage, loses by it.
    Returns labels (n,) int32, children (n_unions, 2) int64, and what each union cost when it was made.
    """
    children, losses = _unions(rows, sizes, n_clusters, linkage, min_size)
    return _labels_after(children, len(rows.degrees)), children, losses


def _unions(rows, sizes, n_clusters, linkage, min_size=1, elsewhere=None):
    """Return the children and losses of :func:`agglomerate`; `elsewhere` is for a part of a graph, as in the loop."""
    n = len(rows.degrees)
    children = np.empty((max(0, n - max(1, n_clusters)), 2), dtype=np.int64)
    losses = np.empty(len(children))
    if elsewhere is None:
        elsewhere = float(rows.degrees.sum()), 0.0, 0.0
    room = _merge_loops.room(n, len(rows.indices))
    steps = _merge_loops.agglomerate(
        rows[:], sizes, linkage.code, n_clusters, min_size, elsewhere, room, children, losses
    )
    return children[:steps], losses[:steps]


def _labels_after(children, n_leaves):
    """Return labels of the leaves, (n_leaves,) int32, after these unions, numbered by first leaf."""
    import scipy.sparse as sp
    from scipy.sparse.csgraph import connected_components  # which numbers components by first node

    unions = np.repeat(n_leaves + np.arange(len(children)), 2)
    links = sp.csr_array((np.ones(len(unions)), (unions, children.ravel())), shape=(n_leaves + len(children),) * 2)
    return connected_components(links, directed=False)[1][:n_leaves]


def hierarchy(rows, sizes, labels, n_clusters, *, linkage=OBJECTIVES["information"], above=()):
    """Build a merge tree that passes through a given partition, whose labels 0 to n_clusters - 1 are all in use.

    It passes through those of `above` likewise: pairs of labels of the clusters before and their number, coarser and
    coarser.
    """
    n = len(labels)
    starts, members = grouped(labels, n_clusters)
    top = quotient(rows, labels, n_clusters)
    volume = float(top.degrees.sum())
    sums = cluster_sums(top, np.arange(n_clusters, dtype=np.int32), n_clusters)
    inner, squares = sums.internal / volume, (sums.volume / volume) ** 2
    # Of each: height, cluster, position in the cluster's own order, the two children in the cluster's own names.
    steps: list[tuple] = []
    for c, inside in enumerate(_inside(rows, starts, members)):
        part = members[starts[c] : starts[c + 1]]
        elsewhere = volume, inner.sum() - inner[c], squares.sum() - squares[c]
        children, losses = _unions(inside, sizes[part], 1, linkage, elsewhere=elsewhere)
        heights = np.maximum.accumulate(losses)
        steps.extend((heights[i], c, i, *children[i]) for i in range(len(children)))
    steps.sort()
    names = [members[starts[c] : starts[c + 1]].tolist() for c in range(n_clusters)]
    children = np.empty((n - 1, 2), dtype=np.int64)
    for position, (_, c, _, a, b) in enumerate(steps):
        children[position] = names[c][a], names[c][b]
        names[c].append(n + position)
    top_sizes = np.bincount(labels, weights=sizes, minlength=n_clusters).astype(np.int64)
    if above:
        upper = hierarchy(top, top_sizes, *above[0], linkage=linkage, above=above[1:])
        top_children, losses = upper.children, upper.heights
    else:
        top_children, losses = _unions(top, top_sizes, 1, linkage)
    roots = [of_cluster[-1] for of_cluster in names]
    for position, (a, b) in enumerate(top_children, len(steps)):
        children[position] = roots[a], roots[b]
        roots.append(n + position)
    heights = np.concatenate([[height for height, *_ in steps], losses])
    return MergeTree(children, np.maximum.accumulate(heights), np.asarray(sizes, dtype=np.int64))


def _inside(rows, starts, members):
    """Yield the graph inside each cluster, nodes numbered in their order; degrees stay those of the whole graph."""
    A = matrix_of(rows)[members][:, members]
    for start, stop in pairwise(starts):
        inside = A[start:stop, start:stop]
        # Of the types of the rows, for which the loops are compiled.
        indptr, indices = inside.indptr.astype(np.int64), inside.indices.astype(rows.indices.dtype)
        yield GraphRows(*map(read_only, (indptr, indices, inside.data, rows.degrees[members[start:stop]])))
