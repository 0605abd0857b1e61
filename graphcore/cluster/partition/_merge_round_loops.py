"""Compiled loops that merge many disjoint pairs of clusters at once."""

import numpy as np

from ...base.compiling import compiled
from ._objective_loops import term, total_of


@compiled
def terms_of_nodes(rows, objective, inner, part, linked):
    """Inner weight and term of every node as a cluster, and whether it has neighbours; returns the parts for between.

    These are the weight between nodes and one less the sum of squared volumes, as shares.
    """
    indptr, indices, weights, degrees = rows
    total = total_of(degrees)
    cut, apart = 1.0, 1.0
    for a in range(len(degrees)):
        inner[a] = 0.0
        linked[a] = False
        for e in range(indptr[a], indptr[a + 1]):
            if indices[e] == a:
                inner[a] = weights[e] / total
            else:
                linked[a] = True
        cut -= inner[a]
        apart -= (degrees[a] / total) * (degrees[a] / total)
        part[a] = term(objective, inner[a], degrees[a] / total)
    return cut, apart


@compiled
def best_of_pairs(rows, objective, nodes, slopes, first, last, partners, gains):
    """For every node of a weighted graph with self-loops, the neighbour whose union is best for the objective.

    Looked for among the entries of rows first to last beyond the diagonal, for both ends; of equals the first stays.
    `nodes` are the inner weights and terms; the term of what runs between clusters is taken to first order, by its
    `slopes`, so a candidate costs one logarithm.
    """
    indptr, indices, weights, degrees = rows
    inner, part = nodes
    by_cut, by_apart = slopes
    total = total_of(degrees)
    longest = np.int64(0)
    for a in range(first, last):
        longest = max(longest, indptr[a + 1] - indptr[a])
    volumes, unit = degrees / total, 1.0 / total
    later = np.empty(longest + 1, dtype=np.int64)
    for a in range(first, last):
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
