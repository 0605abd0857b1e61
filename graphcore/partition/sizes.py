"""The least size of a cluster: clusters that came out too small are grown."""

import heapq

import numpy as np


def grow_small_clusters(problem, labels):
    """Give clusters below the least size more nodes, in place (-1 stays); returns how many nodes changed.

    A small cluster grows over its border, each time by the node that has most to do with it and least with its own
    cluster, ``(l_xc - l_xa) / d_x``; no cluster is made small by that. Where its border gives nothing, nodes come from
    the largest cluster, those of low degree first. Fixed nodes stay. Single nodes that may move always add up to the
    size asked for, if there are as many as n_clusters times min_size; groups may not. With a least size of 1 nothing is
    done: by default a cluster may come out empty, and a warning says so.
    """
    rows, limits, min_size = problem.rows, problem.constraints, problem.min_size
    if min_size <= 1:
        return 0
    counts = limits.counts if len(limits.counts) else np.ones(len(labels), dtype=np.int64)
    is_fixed = limits.is_fixed if len(limits.is_fixed) else labels < 0
    sizes = limits.sizes(labels, problem.n_clusters)
    small = np.flatnonzero(sizes < min_size)
    moved = 0
    # Those that lack least go first: what they take cannot be taken from them.
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
                # What links z to its own cluster has become less if x was in it.
                self._offer(z, None if z not in self.surplus else 2 * weight if own == a else weight)

    def pop(self):
        """Node to take next, -1 if there is none; nodes may come up again."""
        while self.heap:
            key, z = heapq.heappop(self.heap)
            if self.labels[z] != self.c and key == -self.surplus[z] / self.rows.degrees[z]:
                return z
        return -1
