"""Compiled loops that merge many disjoint pairs of clusters at once."""

import numpy as np

from .._compile import compiled
from ._heap_loops import new_heap, pop, push
from ._objective_loops import between_slopes, term

__all__ = ["best_partners", "pair_up"]


@compiled
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
    alone = new_heap(n)
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
            push(alone, degrees[a], a)
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
    while alone[0].item > 0:
        a = pop(alone)
        b = pop(alone) if alone[0].item > 0 else smallest
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


@compiled
def pair_up(partners, order, max_pairs, degrees, labels):
    """Unite disjoint pairs in the order given, at most `max_pairs` of them; returns the number of labels.

    Where many nodes have the same best partner (a hub) and few pairs are disjoint, the others join their partner as
    well, as long as that does not more than double its volume.
    """
    labels[:] = -1
    count = 0
    for i in range(len(order)):
        if count == max_pairs:
            break
        a = order[i]
        b = partners[a]
        if b >= 0 and labels[a] < 0 and labels[b] < 0:
            labels[a] = count
            labels[b] = count
            count += 1
    if 4 * count < max_pairs:
        united = count
        room = degrees.copy()
        for i in range(len(order)):
            if united == max_pairs:
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
