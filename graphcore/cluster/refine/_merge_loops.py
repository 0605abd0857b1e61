"""Compiled loops that merge clusters one pair at a time, the cheapest first, and the heap that they stand in."""

import numpy as np
from numba import njit

from ...base.loops import compiled
from ...graphs._loops import add
from ._objective_loops import between, between_slopes, is_information, most_gained, term, term_slopes

# An entry of a heap, which is one array of records; place 0 holds the number of entries as its name.
_ENTRY = np.dtype((np.record, [("key", np.float64), ("name", np.int64)]))


def new_heap(room):
    """An empty heap for up to `room` entries: smallest key first, of equals the lower name."""
    heap = np.empty(room + 1, dtype=_ENTRY)
    heap[0].name = 0
    return heap


@compiled
def _is_before(one, other):
    return one.key < other.key or (one.key == other.key and one.name < other.name)


@compiled
def push(heap, key, name):
    """Put an entry in."""
    heap[0].name += 1
    i = heap[0].name
    while i > 1:
        up = heap[i >> 1]
        if up.key < key or (up.key == key and up.name < name):
            break
        heap[i] = up
        i >>= 1
    heap[i].key, heap[i].name = key, name


@compiled
def pop(heap):
    """Take the first entry out; returns its name."""
    first, last = heap[1].name, heap[heap[0].name]
    heap[0].name -= 1
    size, i = heap[0].name, 1
    while 2 * i <= size:
        down = 2 * i
        if down < size and _is_before(heap[down + 1], heap[down]):
            down += 1
        if _is_before(last, heap[down]):
            break
        heap[i] = heap[down]
        i = down
    heap[i] = last
    return first


@compiled
def drop_merged(heap, into):
    """Take entries of clusters that have become part of another one off the top."""
    while heap[0].name > 0 and into[heap[1].name] >= 0:
        pop(heap)


# One cluster; weights are shares of the whole volume, `part` is its term of the objective, with `term_slopes`.
# Values that are read together form one small record, because it takes one access to memory.
_CLUSTER = np.dtype((np.record, [(name, np.float64) for name in ("inner", "volume", "part", "by_inner", "by_volume")]))
# Its neighbours are links[start : start + length], by the names they had when they were listed; partner is the best of
# them when last looked up, -1 where there is none. `count` is the number of nodes.
_LIST = np.dtype((np.record, [("start", np.int64), ("count", np.int64), ("length", np.int32), ("partner", np.int32)]))
_LINK = np.dtype((np.record, [("to", np.int32), ("weight", np.float64)]))


def room(n, n_entries):
    """Return what merging n nodes of a graph needs: a forest, heaps (pairs, lone, all), and sums, flags and a list."""
    # A union's list is never longer than its parts' together, so twice the entries always do.
    clusters, lists, links = np.empty(2 * n, _CLUSTER), np.empty(2 * n, _LIST), np.empty(2 * n_entries + 16, _LINK)
    forest = clusters, lists, links, np.full(2 * n, -1, dtype=np.int32)
    found = np.zeros(2 * n), np.zeros(2 * n, dtype=bool), np.empty(n + 1, dtype=np.int32)
    return forest, (new_heap(2 * n), new_heap(2 * n), new_heap(2 * n)), found


@compiled
def _weigh(objective, cluster):
    """The part of the objective of a cluster whose sums are known, and its slopes."""
    cluster.part = term(objective, cluster.inner, cluster.volume)
    cluster.by_inner, cluster.by_volume = term_slopes(objective, cluster.inner, cluster.volume)


@compiled
def _fill(forest, rows, sizes, objective, total, cut, apart):
    """Make the nodes of the graph the first clusters; returns (places of the links in use, cut, apart)."""
    clusters, lists, links, _ = forest
    indptr, indices, weights, degrees = rows
    top = 0
    for c in range(len(degrees)):
        new, listed = clusters[c], lists[c]
        listed.start = top
        new.inner = 0.0
        for e in range(indptr[c], indptr[c + 1]):
            if indices[e] == c:
                new.inner = weights[e] / total
            else:
                links[top].to, links[top].weight = indices[e], weights[e] / total
                top += 1
        listed.length = top - listed.start
        new.volume = degrees[c] / total
        listed.count = sizes[c]
        _weigh(objective, new)
        cut -= new.inner
        apart -= new.volume * new.volume
    return top, cut, apart


@njit(nogil=True, inline="always")
def _loss(objective, a, b, link, cut, apart):
    """Return the loss of the union of two clusters."""
    return (
        a.part
        + b.part
        + between(objective, cut, apart)
        - term(objective, a.inner + b.inner + 2.0 * link, a.volume + b.volume)
        - between(objective, cut - 2.0 * link, apart - 2.0 * a.volume * b.volume)
    )


@njit(nogil=True, inline="always")
def _least_loss(objective, a, b, link, cut, apart, slopes):
    """Bound the loss of the union of two clusters from below, without a logarithm; -inf on the other side of chance.

    `slopes` are those between clusters, ``log(x / y) + 1`` by the cut share x: at x - d and y - e that part is at most
    ``(x - d) (log(x / y) - d / x + e / (y - e))``.
    """
    left, rest = cut - 2.0 * link, apart - 2.0 * a.volume * b.volume
    if not is_information(objective) or left <= 0.0 or rest <= 0.0 or cut > apart:
        return -np.inf
    if a.volume < b.volume:
        a, b = b, a
    above = left * ((apart - rest) / rest - 2.0 * link / cut)
    return b.part - most_gained(objective, a, b.inner + 2.0 * link, b.volume) + 2.0 * link * (slopes[0] - 1.0) - above


@njit(nogil=True, inline="always")
def _live(into, c):
    """Cluster that c has become part of, shortening the path on the way."""
    while into[c] >= 0:
        if into[into[c]] >= 0:
            into[c] = into[into[c]]
        c = into[c]
    return c


@compiled
def _smallest_other(by_size, into, a):
    """The smallest cluster other than a."""
    if by_size[1].name != a:
        return by_size[1].name
    key = by_size[1].key
    pop(by_size)
    drop_merged(by_size, into)
    b = by_size[1].name
    push(by_size, key, a)
    return b


@njit(nogil=True, inline="always")
def _next_pair(objective, forest, heaps, min_size, refreshed, cut, apart):
    """The two clusters to unite next, or (a, -1) where the best partner of a has to be looked up first.

    `refreshed` is the cluster of too few nodes whose partner was looked up last.
    """
    clusters, lists, _, into = forest
    pairs, lone, by_size = heaps
    drop_merged(pairs, into)
    drop_merged(lone, into)
    drop_merged(by_size, into)
    a, b, loss = by_size[1].name, np.int64(-1), np.inf
    if lists[a].count < min_size:
        if lists[a].partner < 0:
            b = _smallest_other(by_size, into, a)
        elif a == refreshed:
            b = np.int64(lists[a].partner)
    else:
        if lone[0].name > 0:
            a = lone[1].name
            b = _smallest_other(by_size, into, a)
            loss = _loss(objective, clusters[a], clusters[b], 0.0, cut, apart)
        if pairs[0].name > 0 and pairs[1].key <= loss:
            a = pop(pairs)
            b = np.int64(lists[a].partner)
            if into[b] >= 0:
                b = np.int64(-1)
    return a, b


@compiled
def _slide_together(forest, n_made):
    """Move the lists still in use, which lie in the order of their clusters, to the front; returns where they end."""
    _, lists, links, into = forest
    top = 0
    for c in range(n_made):
        if into[c] >= 0:
            continue
        start = lists[c].start
        for i in range(lists[c].length):
            links[top + i].to, links[top + i].weight = links[start + i].to, links[start + i].weight
        lists[c].start = top
        top += lists[c].length
    return top


@compiled
def agglomerate(rows, sizes, objective, n_clusters, min_size, elsewhere, room, children, losses):
    """Merge the nodes of a weighted graph with self-loops until n_clusters are left, or, if that is 0, none gains.

    Each step unites the two neighbours whose union loses least of the objective. A cluster without neighbours is
    offered to the smallest one. As long as there are clusters of fewer than `min_size` nodes (`sizes` counts what
    each node stands for), the smallest of them goes first, to its best partner. Step i makes cluster n + i out of
    children[i]; losses[i] is what it cost. Every live cluster stands in a heap with the loss to its best partner; an
    entry whose partner is gone is looked up again when it comes up. For information a loss also depends on what all
    clusters cut, and an entry keeps that of when it was looked up: the order is nearly that of the true losses.
    `elsewhere` are the volume of the whole, where the graph is a part of a larger one, and what the clusters elsewhere
    add to the sums of inner weights and of squared volumes, as shares; `room` is what :func:`room` makes. Returns the
    number of steps made.
    """
    n = len(sizes)
    total, rest_inner, rest_square = elsewhere
    forest, heaps, (sums, is_listed, touched) = room
    clusters, lists, links, into = forest
    # Pairs by loss, clusters without neighbours by volume, all clusters by count and then volume.
    pairs, lone, by_size = heaps
    # Totals between clusters: the cut share, and 1 - sum of squared volumes.
    cut, apart = 1.0 - rest_inner, 1.0 - rest_square
    top, cut, apart = _fill(forest, rows, sizes, objective, total, cut, apart)
    n_entered, steps, refreshed = 0, 0, -1
    # Every turn lists the neighbours of one cluster z by what they have become, and finds the best partner among them:
    # of each node first, then of a union of a and b, or of a cluster a whose partner is gone.
    while n - steps > max(1, n_clusters):
        if n_entered < n:
            a, b = n_entered, -1
        else:
            a, b = _next_pair(objective, forest, heaps, min_size, refreshed, cut, apart)
        z = a
        if b >= 0:
            z = n + steps
            if top + lists[a].length + lists[b].length > len(links):
                top = _slide_together(forest, z)
            lists[z].start = top
            into[a] = z
            into[b] = z
        m, shared = 0, 0.0
        for side in range(1 if b < 0 else 2):
            listed = lists[a] if side == 0 else lists[b]
            for e in range(listed.start, listed.start + listed.length):
                c = _live(into, links[e].to)
                if c == z:
                    shared += links[e].weight if side == 0 else 0.0
                    continue
                m = add(sums, is_listed, touched, m, c, links[e].weight)
        if b >= 0:
            children[steps, 0] = a
            children[steps, 1] = b
            losses[steps] = _loss(objective, clusters[a], clusters[b], shared, cut, apart)
            if n_clusters == 0 and losses[steps] >= 0.0:
                break
            cut -= 2.0 * shared
            apart -= 2.0 * clusters[a].volume * clusters[b].volume
            clusters[z].inner = clusters[a].inner + clusters[b].inner + 2.0 * shared
            clusters[z].volume = clusters[a].volume + clusters[b].volume
            _weigh(objective, clusters[z])
            lists[z].count = lists[a].count + lists[b].count
            top += m
            steps += 1
        lowest, partner, start, slopes = np.inf, -1, lists[z].start, between_slopes(objective, cut, apart)
        for t in range(m):
            c = touched[t]
            links[start + t].to, links[start + t].weight = c, sums[c]
            if _least_loss(objective, clusters[z], clusters[c], sums[c], cut, apart, slopes) < lowest:
                loss = _loss(objective, clusters[z], clusters[c], sums[c], cut, apart)
                if loss < lowest:
                    lowest, partner = loss, c
            sums[c] = 0.0
            is_listed[c] = False
        lists[z].length, lists[z].partner = m, partner
        is_new = b >= 0 or n_entered < n
        if is_new:
            n_entered = min(n_entered + 1, n)
            push(by_size, lists[z].count + 0.5 * clusters[z].volume, z)
        if partner < 0:
            push(lone, clusters[z].volume, z)
        elif is_new or lists[z].count >= min_size:
            push(pairs, lowest, z)
        else:
            refreshed = z
    return steps
