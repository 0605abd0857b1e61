"""Compiled loops that merge clusters two by two: the cheapest pair first, or many disjoint pairs at once."""

import heapq

import numpy as np
from numba import njit

from ._objective_loops import between, between_slopes, term

__all__ = ["AVERAGE", "agglomerate", "best_partners", "cut_tree", "pair_up"]

# Beside the objectives of _objective_loops: volume-weighted average linkage, S_ab = Q_ab / (vol_a vol_b).
AVERAGE = 2


@njit(cache=True, nogil=True)
def _loss(objective, link, inner_a, inner_b, volume_a, volume_b, part_a, part_b, cut, apart):
    """What the union of two clusters costs (for AVERAGE: minus the similarity)."""
    if objective == AVERAGE:
        return -link / (volume_a * volume_b)
    return (
        part_a
        + part_b
        + between(objective, cut, apart)
        - term(objective, inner_a + inner_b + 2.0 * link, volume_a + volume_b)
        - between(objective, cut - 2.0 * link, apart - 2.0 * volume_a * volume_b)
    )


@njit(cache=True, nogil=True)
def _live(into, c):
    """Cluster that c has become part of, shortening the path on the way."""
    while into[c] >= 0:
        if into[into[c]] >= 0:
            into[c] = into[into[c]]
        c = into[c]
    return c


@njit(cache=True, nogil=True)
def agglomerate(
    indptr,
    indices,
    weights,
    degrees,
    sizes,
    objective,
    n_clusters,
    least_size,
    total,
    rest_inner,
    rest_square,
    children,
    losses,
):
    """Merge the nodes of a weighted graph with self-loops until n_clusters are left.

    Each step unites the two neighbours whose union loses least of the objective. A cluster without neighbours is
    offered to the smallest one. As long as there are clusters of fewer than `least_size` nodes (`sizes` counts what
    each node stands for), the smallest of them goes first, to its best partner. Step i makes cluster n + i out of
    children[i]; losses[i] is what it cost. Every live cluster keeps its best partner in a heap; an entry whose partner
    is gone is looked up again when it comes up. Where the graph is a part of a larger one, `total` is the volume of the
    whole, and rest_inner and rest_square are what the clusters elsewhere add to the sums of inner weights and of
    squared volumes, as shares. Returns the number of steps made.
    """
    n = len(degrees)
    n_all = 2 * n
    volume = np.empty(n_all)
    inner = np.empty(n_all)
    part = np.zeros(n_all)
    count = np.empty(n_all, dtype=np.int64)
    into = np.full(n_all, -1, dtype=np.int32)
    start = np.empty(n_all, dtype=np.int64)
    length = np.empty(n_all, dtype=np.int64)
    top = len(indices)
    room = 2 * top + 16
    pool = np.empty(room, dtype=np.int32)
    link = np.empty(room)
    cut, apart = 1.0 - rest_inner, 1.0 - rest_square
    top = 0
    for c in range(n):
        start[c] = top
        inner[c] = 0.0
        for e in range(indptr[c], indptr[c + 1]):
            if indices[e] == c:
                inner[c] = weights[e] / total
            else:
                pool[top] = indices[e]
                link[top] = weights[e] / total
                top += 1
        length[c] = top - start[c]
        volume[c] = degrees[c] / total
        count[c] = sizes[c]
        if objective != AVERAGE:
            part[c] = term(objective, inner[c], volume[c])
        cut -= inner[c]
        apart -= volume[c] * volume[c]
    sums = np.zeros(n_all)
    touched = np.empty(n, dtype=np.int32)
    # One type of entry for all three, since each type of heap takes long to compile.
    nothing = (0.0, 0.0, np.int64(0), np.int64(0))
    heap, lone, small = [nothing], [nothing], [nothing]
    heap.pop()
    lone.pop()
    small.pop()
    partner = np.full(n_all, -1, dtype=np.int32)
    for c in range(n):
        least = np.inf
        for e in range(start[c], start[c] + length[c]):
            b = pool[e]
            loss = _loss(objective, link[e], inner[c], inner[b], volume[c], volume[b], part[c], part[b], cut, apart)
            if loss < least:
                least, partner[c] = loss, b
        if partner[c] >= 0:
            heap.append((least, 0.0, np.int64(c), np.int64(partner[c])))
        else:
            lone.append((volume[c], 0.0, np.int64(c), np.int64(0)))
        small.append((float(count[c]), volume[c], np.int64(c), np.int64(0)))
    heapq.heapify(heap)
    heapq.heapify(lone)
    heapq.heapify(small)
    steps = 0
    left = n
    while left > n_clusters:
        while into[small[0][2]] >= 0:
            heapq.heappop(small)
        while len(heap) > 0 and into[heap[0][2]] >= 0:
            heapq.heappop(heap)
        while len(lone) > 0 and into[lone[0][2]] >= 0:
            heapq.heappop(lone)
        a, b = np.int64(-1), np.int64(-1)
        forced = small[0][0] < least_size
        if forced:
            a = small[0][2]
            b = np.int64(partner[a])
        elif len(lone) > 0:
            a = lone[0][2]
        if a >= 0 and b < 0:
            # The smallest cluster other than a.
            first = heapq.heappop(small)
            if first[2] == a:
                while into[small[0][2]] >= 0:
                    heapq.heappop(small)
                b = small[0][2]
            else:
                b = first[2]
            heapq.heappush(small, first)
        cost = np.inf
        if a >= 0 and not forced:
            cost = _loss(objective, 0.0, inner[a], inner[b], volume[a], volume[b], part[a], part[b], cut, apart)
        if not forced and len(heap) > 0 and heap[0][0] <= cost:
            cost, _, a, b = heapq.heappop(heap)
        if into[b] >= 0:
            # Its partner has been merged away: find the best one among what its neighbours have become.
            m = 0
            for e in range(start[a], start[a] + length[a]):
                c = _live(into, pool[e])
                if c == a:
                    continue
                if sums[c] == 0.0:
                    touched[m] = c
                    m += 1
                sums[c] += link[e]
            least = np.inf
            partner[a] = -1
            for t in range(m):
                c = touched[t]
                pool[start[a] + t] = c
                link[start[a] + t] = sums[c]
                loss = _loss(objective, sums[c], inner[a], inner[c], volume[a], volume[c], part[a], part[c], cut, apart)
                sums[c] = 0.0
                if loss < least:
                    least, partner[a] = loss, c
            length[a] = m
            if partner[a] >= 0:
                heapq.heappush(heap, (least, 0.0, a, np.int64(partner[a])))
            else:
                heapq.heappush(lone, (volume[a], 0.0, a, np.int64(0)))
            continue
        # Unite a and b into z.
        z = n + steps
        if top + length[a] + length[b] > room:
            room = 2 * (top + length[a] + length[b])
            more_pool = np.empty(room, dtype=np.int32)
            for i in range(top):  # a slice assignment takes numba over a second to compile
                more_pool[i] = pool[i]
            pool = more_pool
            more_link = np.empty(room)
            for i in range(top):
                more_link[i] = link[i]
            link = more_link
        m = 0
        shared = 0.0
        for side in range(2):
            y = a if side == 0 else b
            for e in range(start[y], start[y] + length[y]):
                c = _live(into, pool[e])
                if c in (a, b):
                    if side == 0 and c == b:
                        shared += link[e]
                    continue
                if sums[c] == 0.0:
                    touched[m] = c
                    m += 1
                sums[c] += link[e]
        losses[steps] = _loss(objective, shared, inner[a], inner[b], volume[a], volume[b], part[a], part[b], cut, apart)
        children[steps, 0] = a
        children[steps, 1] = b
        inner[z] = inner[a] + inner[b] + 2.0 * shared
        volume[z] = volume[a] + volume[b]
        count[z] = count[a] + count[b]
        if objective != AVERAGE:
            part[z] = term(objective, inner[z], volume[z])
        cut -= 2.0 * shared
        apart -= 2.0 * volume[a] * volume[b]
        into[a] = z
        into[b] = z
        start[z] = top
        length[z] = m
        least = np.inf
        for t in range(m):
            c = touched[t]
            pool[top + t] = c
            link[top + t] = sums[c]
            loss = _loss(objective, sums[c], inner[z], inner[c], volume[z], volume[c], part[z], part[c], cut, apart)
            sums[c] = 0.0
            if loss < least:
                least, partner[z] = loss, c
        top += m
        if partner[z] >= 0:
            heapq.heappush(heap, (least, 0.0, np.int64(z), np.int64(partner[z])))
        else:
            heapq.heappush(lone, (volume[z], 0.0, np.int64(z), np.int64(0)))
        heapq.heappush(small, (float(count[z]), volume[z], np.int64(z), np.int64(0)))
        steps += 1
        left -= 1
    return steps


@njit(cache=True, nogil=True)
def cut_tree(children, n_leaves, n_steps, labels):
    """Labels of the leaves after the first n_steps merges, numbered by first leaf; returns how many there are."""
    root = np.arange(n_leaves + n_steps)
    for i in range(n_steps - 1, -1, -1):
        for side in range(2):
            root[children[i, side]] = root[n_leaves + i]
    names = np.full(n_leaves + n_steps, -1, dtype=np.int32)
    count = 0
    for x in range(n_leaves):
        if names[root[x]] < 0:
            names[root[x]] = count
            count += 1
        labels[x] = names[root[x]]
    return count


@njit(cache=True, nogil=True)
def best_partners(indptr, indices, weights, degrees, objective, partners, gains, linked, by_degree):
    """For every node of a weighted graph with self-loops, the neighbour whose union is best for the objective.

    The term of what runs between clusters is taken to first order, so a candidate costs one logarithm. Nodes without
    neighbours (not `linked`) are paired with each other in the order of volume, an odd last one with the smallest other
    node.
    """
    n = len(degrees)
    total = degrees.sum()
    cut, apart = 1.0, 1.0
    inner = np.zeros(n)
    part = np.empty(n)
    for a in range(n):
        linked[a] = False
        for e in range(indptr[a], indptr[a + 1]):
            if indices[e] == a:
                inner[a] = weights[e] / total
            else:
                linked[a] = True
        cut -= inner[a]
        apart -= (degrees[a] / total) ** 2
        part[a] = term(objective, inner[a], degrees[a] / total)
        partners[a] = -1
        gains[a] = -np.inf
    by_cut, by_apart = between_slopes(objective, cut, apart)
    for a in range(n):
        volume_a = degrees[a] / total
        for e in range(indptr[a], indptr[a + 1]):
            b = indices[e]
            if b <= a:
                continue
            link = weights[e] / total
            volume_b = degrees[b] / total
            gain = (
                term(objective, inner[a] + inner[b] + 2.0 * link, volume_a + volume_b)
                - part[a]
                - part[b]
                - 2.0 * link * by_cut
                - 2.0 * volume_a * volume_b * by_apart
            )
            if gain > gains[a]:
                gains[a], partners[a] = gain, b
            if gain > gains[b]:
                gains[b], partners[b] = gain, a
    waiting = -1
    for i in range(n):
        if not linked[by_degree[i]]:
            if waiting < 0:
                waiting = by_degree[i]
            else:
                partners[waiting] = by_degree[i]
                waiting = -1
    if waiting >= 0:
        for i in range(n):
            if linked[by_degree[i]]:
                partners[waiting] = by_degree[i]
                break
    for a in range(n):
        b = partners[a]
        if not linked[a] and b >= 0:
            volume_a, volume_b = degrees[a] / total, degrees[b] / total
            gains[a] = (
                term(objective, inner[a] + inner[b], volume_a + volume_b)
                - part[a]
                - part[b]
                - 2.0 * volume_a * volume_b * by_apart
            )


@njit(cache=True, nogil=True)
def pair_up(partners, order, most, labels):
    """Unite disjoint pairs in the order given, at most `most` of them; returns the number of labels."""
    labels[:] = -1
    count = 0
    for i in range(len(order)):
        if count == most:
            break
        a = order[i]
        b = partners[a]
        if b >= 0 and labels[a] < 0 and labels[b] < 0:
            labels[a] = count
            labels[b] = count
            count += 1
    for a in range(len(labels)):
        if labels[a] < 0:
            labels[a] = count
            count += 1
    return count
