"""Compiled loops that merge clusters two by two: the cheapest pair first, or many disjoint pairs at once."""

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
        return -link / (volume_a * volume_b) if link > 0.0 else 0.0
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
def _push(keys, items, size, key, item):
    """Put (key, item) into a binary heap of `size` entries, least first, of equals the lower item; returns size + 1."""
    i = size
    while i > 0:
        up = (i - 1) >> 1
        if keys[up] < key or (keys[up] == key and items[up] < item):
            break
        keys[i], items[i] = keys[up], items[up]
        i = up
    keys[i], items[i] = key, item
    return size + 1


@njit(cache=True, nogil=True)
def _pop(keys, items, size):
    """Take the first entry out of a binary heap; returns size - 1."""
    size -= 1
    key, item = keys[size], items[size]
    i = 0
    while True:
        down = 2 * i + 1
        if down >= size:
            break
        right = down + 1
        if right < size and (keys[right] < keys[down] or (keys[right] == keys[down] and items[right] < items[down])):
            down = right
        if key < keys[down] or (key == keys[down] and item < items[down]):
            break
        keys[i], items[i] = keys[down], items[down]
        i = down
    keys[i], items[i] = key, item
    return size


@njit(cache=True, nogil=True)
def _drop_merged(keys, items, size, into):
    """Take entries of clusters that are gone off the top of a heap; returns its size."""
    while size > 0 and into[items[0]] >= 0:
        size = _pop(keys, items, size)
    return size


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
    children[i]; losses[i] is what it cost. Every live cluster stands in a heap with the loss to its best partner; an
    entry whose partner is gone is looked up again when it comes up. For NCUT and AVERAGE a loss depends on the two
    clusters alone, so the order is exact; for INFORMATION it also depends on what all clusters cut, and an entry keeps
    the loss of when it was looked up, so the order is nearly that of the true losses.
    Where the graph is a part of a larger one, `total` is the volume of the whole, and rest_inner and rest_square are
    what the clusters elsewhere add to the sums of inner weights and of squared volumes, as shares. Returns the number
    of steps made.
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
    # A union's list is never longer than its parts' together, so twice the entries always do.
    room = 2 * len(indices) + 16
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
    partner = np.full(n_all, -1, dtype=np.int32)
    # Three heaps: pairs by loss, clusters without neighbours by volume, all clusters by count and then volume.
    heap_key, heap_item, n_heap = np.empty(n_all), np.empty(n_all, dtype=np.int32), 0
    lone_key, lone_item, n_lone = np.empty(n_all), np.empty(n_all, dtype=np.int32), 0
    small_key, small_item, n_small = np.empty(n_all), np.empty(n_all, dtype=np.int32), 0
    for c in range(n):
        least = np.inf
        for e in range(start[c], start[c] + length[c]):
            b = pool[e]
            loss = _loss(objective, link[e], inner[c], inner[b], volume[c], volume[b], part[c], part[b], cut, apart)
            if loss < least:
                least, partner[c] = loss, b
        if partner[c] >= 0:
            n_heap = _push(heap_key, heap_item, n_heap, least, c)
        else:
            n_lone = _push(lone_key, lone_item, n_lone, volume[c], c)
        n_small = _push(small_key, small_item, n_small, count[c] + 0.5 * volume[c], c)
    steps = 0
    while n - steps > n_clusters:
        n_heap = _drop_merged(heap_key, heap_item, n_heap, into)
        n_lone = _drop_merged(lone_key, lone_item, n_lone, into)
        n_small = _drop_merged(small_key, small_item, n_small, into)
        forced = count[small_item[0]] < least_size
        a, b = np.int64(-1), np.int64(-1)
        if forced:
            a = np.int64(small_item[0])
        elif n_lone > 0:
            a = np.int64(lone_item[0])
        if a >= 0 and partner[a] < 0:
            # No neighbour: the smallest cluster other than a.
            b = np.int64(small_item[0])
            if b == a:
                key = small_key[0]
                n_small = _drop_merged(small_key, small_item, _pop(small_key, small_item, n_small), into)
                b = np.int64(small_item[0])
                n_small = _push(small_key, small_item, n_small, key, a)
        if not forced and n_heap > 0:
            cost = np.inf
            if a >= 0:
                cost = _loss(objective, 0.0, inner[a], inner[b], volume[a], volume[b], part[a], part[b], cut, apart)
            if heap_key[0] <= cost:
                a = np.int64(heap_item[0])
                b = np.int64(partner[a])
                n_heap = _pop(heap_key, heap_item, n_heap)
        if b < 0 or into[b] >= 0:
            # Find the best partner among what the neighbours have become.
            m = 0
            for e in range(start[a], start[a] + length[a]):
                c = _live(into, pool[e])
                if sums[c] == 0.0:
                    touched[m] = c
                    m += 1
                sums[c] += link[e]
            least = np.inf
            for t in range(m):
                c = touched[t]
                pool[start[a] + t] = c
                link[start[a] + t] = sums[c]
                loss = _loss(objective, sums[c], inner[a], inner[c], volume[a], volume[c], part[a], part[c], cut, apart)
                sums[c] = 0.0
                if loss < least:
                    least, partner[a] = loss, c
            length[a] = m
            if not forced:
                n_heap = _push(heap_key, heap_item, n_heap, least, a)
                continue
            b = np.int64(partner[a])
        # Unite a and b into z.
        z = n + steps
        if top + length[a] + length[b] > room:
            # Lists lie in the order of their clusters: slide those still in use together.
            top = 0
            for c in range(z):
                if into[c] >= 0:
                    continue
                for i in range(length[c]):
                    pool[top + i] = pool[start[c] + i]
                    link[top + i] = link[start[c] + i]
                start[c] = top
                top += length[c]
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
            n_heap = _push(heap_key, heap_item, n_heap, least, z)
        else:
            n_lone = _push(lone_key, lone_item, n_lone, volume[z], z)
        n_small = _push(small_key, small_item, n_small, count[z] + 0.5 * volume[z], z)
        steps += 1
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
def best_partners(indptr, indices, weights, degrees, objective, partners, gains, linked):
    """For every node of a weighted graph with self-loops, the neighbour whose union is best for the objective.

    The term of what runs between clusters is taken to first order, so a candidate costs one logarithm. Nodes without
    neighbours (not `linked`) are paired with each other in the order of volume, an odd last one goes to the smallest
    other node.
    """
    n = len(degrees)
    total = degrees.sum()
    cut, apart = 1.0, 1.0
    inner = np.zeros(n)
    part = np.empty(n)
    alone_key, alone_item, n_alone = np.empty(n), np.empty(n, dtype=np.int32), 0
    smallest = np.int64(-1)
    longest = np.int64(0)
    for a in range(n):
        longest = max(longest, indptr[a + 1] - indptr[a])
        linked[a] = False
        for e in range(indptr[a], indptr[a + 1]):
            if indices[e] == a:
                inner[a] = weights[e] / total
            else:
                linked[a] = True
        if not linked[a]:
            n_alone = _push(alone_key, alone_item, n_alone, degrees[a], a)
        elif smallest < 0 or degrees[a] < degrees[smallest]:
            smallest = np.int64(a)
        cut -= inner[a]
        apart -= (degrees[a] / total) ** 2
        part[a] = term(objective, inner[a], degrees[a] / total)
        partners[a] = -1
        gains[a] = -np.inf
    by_cut, by_apart = between_slopes(objective, cut, apart)
    volumes, unit = degrees / total, 1.0 / total
    later = np.empty(longest + 1, dtype=np.int64)
    for a in range(n):
        # Every pair once. Listed without a branch, which would be mispredicted half the time.
        n_later = 0
        for e in range(indptr[a], indptr[a + 1]):
            later[n_later] = e
            n_later += indices[e] > a
        for i in range(n_later):
            e = later[i]
            b = indices[e]
            link = weights[e] * unit
            gain = (
                term(objective, inner[a] + inner[b] + 2.0 * link, volumes[a] + volumes[b])
                - part[a]
                - part[b]
                - 2.0 * link * by_cut
                - 2.0 * volumes[a] * volumes[b] * by_apart
            )
            if gain > gains[a]:
                gains[a], partners[a] = gain, b
            if gain > gains[b]:
                gains[b], partners[b] = gain, a
    while n_alone > 0:
        a = np.int64(alone_item[0])
        b = smallest
        n_alone = _pop(alone_key, alone_item, n_alone)
        if n_alone > 0:
            b = np.int64(alone_item[0])
            n_alone = _pop(alone_key, alone_item, n_alone)
        if b < 0:
            break
        volume_a, volume_b = degrees[a] / total, degrees[b] / total
        gain = (
            term(objective, inner[a] + inner[b], volume_a + volume_b)
            - part[a]
            - part[b]
            - 2.0 * volume_a * volume_b * by_apart
        )
        partners[a], gains[a] = b, gain
        if b != smallest:
            partners[b], gains[b] = a, gain


@njit(cache=True, nogil=True)
def pair_up(partners, order, most, degrees, labels):
    """Unite disjoint pairs in the order given, at most `most` of them; returns the number of labels.

    Where many nodes have the same best partner (a hub) and few pairs are disjoint, the others join their partner as
    well, as long as that does not more than double its volume.
    """
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
    if 4 * count < most:
        united = count
        room = degrees.copy()
        for i in range(len(order)):
            if united == most:
                break
            a = order[i]
            b = partners[a]
            if b >= 0 and labels[a] < 0 and labels[b] >= 0 and degrees[a] <= room[b]:
                labels[a] = labels[b]
                room[b] -= degrees[a]
                united += 1
    for a in range(len(labels)):
        if labels[a] < 0:
            labels[a] = count
            count += 1
    return count
