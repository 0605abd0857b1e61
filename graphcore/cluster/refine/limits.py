"""Constraints on single nodes and on cluster sizes, and moves that make a partition keep to them."""

import heapq

import numpy as np

from ._move_loops import leave_in_order, leaving_gains, swap_gains, swap_nodes

# Clusters that are too full give away this share of what is too much in a round, and all of it after so many rounds.
_SHARE, _GENTLE_ROUNDS = 0.5, 8
# Passes of swaps end when one makes no more for each node, or after so many.
_FEW_SWAPS, _SWAP_PASSES = 1e-4, 20


def relieve_full_clusters(problem, labels):
    """Move nodes out of clusters that are too large, in place (-1 and fixed nodes stay); True if none is left.

    Nodes go first that gain most, or lose least, of the weight inside clusters for their degree, to a cluster that has
    room, and that may be one that they have no edge to.
    """
    limits = problem.constraints
    if not limits.limits_clusters:
        return True
    sums = problem.sums(labels)
    task, gains = problem.task(sums), np.empty(len(labels))
    for turn in range(len(labels)):
        if not leaving_gains(task, sums.arrays, labels, gains):
            return True
        leaving = np.flatnonzero(gains > -np.inf)
        order = leaving[np.argsort(-gains[leaving], kind="stable")]
        if not leave_in_order(task, sums.arrays, labels, order, _SHARE if turn < _GENTLE_ROUNDS else 1.0):
            break
    return False


def swap_between_full_clusters(problem, labels):
    """Swap nodes of two clusters, in place, while that raises the objective; returns how many swaps were made.

    Nodes that gain most (or lose least) by leaving are paired with nodes that would come in their place.
    """
    n_clusters, is_fixed = problem.n_clusters, problem.constraints.is_fixed
    sums, swaps = problem.sums(labels), 0
    task = problem.task(sums)
    for _ in range(_SWAP_PASSES):
        at_border = (labels >= 0) & ~is_fixed if len(is_fixed) else labels >= 0
        known = task, sums.arrays, labels, at_border
        _, most = swap_gains(*known, -np.inf, _no_pairs(0))
        # Nobody makes up for what loses more than that.
        n, _ = swap_gains(*known, -most, _no_pairs(0))
        if n == 0:
            break
        nodes, pairs, gains = found_pairs = _no_pairs(n)
        swap_gains(*known, -most, found_pairs)
        order = np.lexsort((-gains, pairs))
        found, starts = np.unique(pairs[order], return_index=True)
        stops = np.append(starts[1:], n)
        a, b = found // n_clusters, found % n_clusters
        back = np.minimum(np.searchsorted(found, b * n_clusters + a), len(found) - 1)
        both = (a < b) & (found[back] == b * n_clusters + a)
        lists = np.stack([each[both] for each in (a, b, starts, stops, starts[back], stops[back])], axis=1)
        made = swap_nodes(task, sums.arrays, labels, lists, nodes[order], gains[order])
        swaps += made
        if made <= _FEW_SWAPS * len(labels):
            break
    return swaps


def _no_pairs(n):
    """Room for n nodes, pairs of clusters and gains."""
    return np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64), np.empty(n)


def cut_in_order(order, rows, n_clusters, constraints):
    """Labels (n,) int32 that cut nodes in an order into `n_clusters` pieces of about the same load, -1 for the others.

    The load of a node is its degree where volumes are limited, and what it counts where sizes are, whichever is the
    greater share of its limit.

    Aydin, Bateni, Mirrokni, "Distributed Balanced Partitioning via Linear Embedding", WSDM 2016: the order is that of
    the leaves of a hierarchical clustering, and what was cut is improved afterwards.
    """
    counts = constraints.counts[order] if len(constraints.counts) else np.ones(len(order))
    load = counts / constraints.max_size
    if constraints.max_share < np.inf:
        degrees = rows.degrees[order]
        load = np.maximum(load, degrees / constraints.max_volume(float(degrees.sum()), n_clusters))
    before = np.cumsum(load) - 0.5 * load
    labels = np.full(len(rows.degrees), -1, dtype=np.int32)
    labels[order] = np.minimum(before / load.sum() * n_clusters, n_clusters - 1).astype(np.int32)
    return labels


def grow_small_clusters(problem, labels):
    """Give clusters below the least size more nodes, in place (-1 stays); returns how many nodes changed.

    A small cluster grows over its border, each time by the node that has most to do with it and least with its own
    cluster, ``(l_xc - l_xa) / d_x``; no cluster is made small by that. Where its border gives nothing, nodes come from
    the largest cluster, those of low degree first. Fixed nodes stay. With a least size of 1 nothing is done.
    """
    rows, limits, min_size = problem.rows, problem.constraints, problem.min_size
    if min_size <= 1:
        return 0
    counts = limits.counts if len(limits.counts) else np.ones(len(labels), dtype=np.int64)
    is_fixed = limits.is_fixed if len(limits.is_fixed) else labels < 0
    sizes = limits.sizes(labels, problem.n_clusters)
    small = np.flatnonzero(sizes < min_size)
    moved = 0
    # Clusters that lack least go first: their nodes are not taken again.
    for c in small[np.argsort(-sizes[small], kind="stable")]:
        moved += _grow(rows, labels, counts, is_fixed, sizes, int(c), min_size)
    return moved


def _grow(rows, labels, counts, is_fixed, sizes, c, min_size):
    """Grow one cluster; returns how many nodes it took."""
    border = _Border(rows, labels, c)
    spare = _spare_nodes(rows, labels, sizes, c)
    taken = 0
    while sizes[c] < min_size:
        x = border.pop()
        if x < 0:
            x = next(spare, -1)
        if x < 0:
            break
        a = labels[x]
        if a == c or is_fixed[x] or sizes[a] - counts[x] < min_size:
            continue
        labels[x] = c
        sizes[a] -= counts[x]
        sizes[c] += counts[x]
        border.has_joined(x, a)
        taken += 1
    return taken


def _spare_nodes(rows, labels, sizes, c):
    """Yield nodes of other clusters, those of the largest first, of these the ones of low degree first."""
    others = np.flatnonzero((labels >= 0) & (labels != c))
    others = others[np.lexsort((others, rows.degrees[others], labels[others], -sizes[labels[others]]))]
    yield from others.tolist()


class _Border:
    """Nodes around a growing cluster, the one with most to do with it first."""

    def __init__(self, rows, labels, c):
        self.rows, self.labels, self.c = rows, labels, c
        self.heap = []
        self.surplus: dict[int, float] = {}  # weight to the cluster less weight to the node's own
        for x in np.flatnonzero(labels == c).tolist():
            for z in self._neighbours(x)[0].tolist():
                if labels[z] not in (-1, c) and z not in self.surplus:
                    self._offer(z)

    def _offer(self, z, gain=None):
        if gain is None:
            around, links = self._neighbours(z)
            theirs = self.labels[around]
            self.surplus[z] = float(links[theirs == self.c].sum() - links[theirs == self.labels[z]].sum())
        else:
            self.surplus[z] += gain
        heapq.heappush(self.heap, (-self.surplus[z] / self.rows.degrees[z], z))

    def _neighbours(self, x):
        span = slice(self.rows.indptr[x], self.rows.indptr[x + 1])
        nodes = self.rows.indices[span]
        weights = self.rows.weights[span] if len(self.rows.weights) else np.ones(len(nodes))
        others = nodes != x
        return nodes[others], weights[others]

    def has_joined(self, x, a):
        """Node x has come into the cluster from cluster a."""
        nodes, weights = self._neighbours(x)
        for z, weight in zip(nodes.tolist(), weights.tolist(), strict=True):
            own = self.labels[z]
            if own not in (-1, self.c):
                # The links of z to its own cluster have lost weight if x was there.
                self._offer(z, None if z not in self.surplus else 2 * weight if own == a else weight)

    def pop(self):
        """Node to take next, -1 if there is none; nodes may come up again."""
        while self.heap:
            key, z = heapq.heappop(self.heap)
            if self.labels[z] != self.c and key == -self.surplus[z] / self.rows.degrees[z]:
                return z
        return -1
