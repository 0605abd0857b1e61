"""Compiled loops that change the labels of one block of nodes, while those of all others are held."""

import numpy as np
from numba import njit

from .._compile import compiled
from .._touched import add
from ._local_moving_loops import _MIN_GAIN, _ROUNDING, _put_in, _records, _take_out, _with, _without
from ._objective_loops import between, between_slopes, total_of


@compiled
def offer_labels(indptr, indices, weights, n_labels, first, last, labels, nodes, offers):
    """For nodes first to last of label -1 the label with most weight around them; of equals, the first met.

    `nodes` and `offers` are filled with those that have a labelled neighbour; returns how many.
    """
    weighted = len(weights) > 0
    sums, is_listed = np.zeros(n_labels), np.zeros(n_labels, dtype=np.bool_)
    touched = np.empty(n_labels + 1, dtype=np.int32)
    found = 0
    for x in range(first, last):
        if labels[x] >= 0:
            continue
        n_touched = 0
        for e in range(indptr[x], indptr[x + 1]):
            c = labels[indices[e]]
            if c >= 0:
                n_touched = add(sums, is_listed, touched, n_touched, c, weights[e] if weighted else 1.0)
        highest, chosen = -1.0, -1
        for t in range(n_touched):
            c = touched[t]
            if sums[c] > highest:
                highest, chosen = sums[c], c
            sums[c] = 0.0
            is_listed[c] = False
        if chosen >= 0:
            nodes[found], offers[found] = x, chosen
            found += 1
    return found


@njit(nogil=True, inline="always")
def _is_near(indptr, indices, bits, x):
    """Whether a neighbour's bit is set, as numpy packs them."""
    found = 0
    for z in indices[indptr[x] : indptr[x + 1]]:
        found |= bits[z >> 3] >> (7 - (z & 7)) & 1
    return found > 0


@compiled
def change_inside(indptr, indices, weights, nodes, old, start, stop, moved, labels, change):
    """Add to `change` what the moves of nodes[start:stop] have done to the weight inside clusters, both directions.

    All `nodes` have moved at once, from their `old` labels; they ascend, and `moved` holds their bits. An edge between
    two of them counts once for each, other edges count twice.
    """
    for i in range(start, stop):
        x = nodes[i]
        for e in range(indptr[x], indptr[x + 1]):
            z = indices[e]
            weight = weights[e] if len(weights) > 0 else 1.0
            now = then = labels[z]
            if moved[z >> 3] >> (7 - (z & 7)) & 1:
                then = old[np.searchsorted(nodes, z)]
            else:
                weight *= 2.0
            if then == old[i]:
                change[then] -= weight
            if now == labels[x]:
                change[now] += weight


@compiled
def move_block(
    indptr, indices, weights, degrees, objective, first, last, min_size, min_volume, inner, volumes, sizes, near,
    labels, own,
):  # fmt: skip
    """Move nodes first to last, one after the other, to a neighbouring cluster while that raises the objective.

    `own` comes with the labels of these nodes and is changed, as inner is; inner, volumes and sizes are those of all
    labels. No cluster shrinks below `min_size` nodes or `min_volume`. `near` has a bit for each node (length 0: all are
    set): nodes are passed over if none of their neighbours' is set. Returns the number of moves.
    """
    weighted = len(weights) > 0
    total = total_of(volumes)
    clusters, cut, apart = _records(objective, inner, volumes, sizes, total)
    sums, is_listed = np.zeros(len(inner)), np.zeros(len(inner), dtype=np.bool_)
    touched = np.empty(len(inner) + 1, dtype=np.int32)
    moves = 0
    for x in range(first, last):
        a = own[x - first]
        if a < 0:
            continue
        rest = clusters[a].volume - degrees[x]
        # A node that is nearly all of its cluster stays: the sums of what is left would be rounding.
        if clusters[a].count <= min_size or rest < min_volume or rest <= _ROUNDING * degrees[x]:
            continue
        if len(near) > 0 and not _is_near(indptr, indices, near, x):
            continue
        n_touched, loop = 0, 0.0
        for e in range(indptr[x], indptr[x + 1]):
            z = indices[e]
            c = own[z - first] if first <= z < last else labels[z]
            if c < 0:
                continue
            weight = weights[e] if weighted else 1.0
            if z == x:
                loop = weight
            else:
                n_touched = add(sums, is_listed, touched, n_touched, c, weight)
        degree, link_a = degrees[x] / total, sums[a] / total
        best, b, best_part, best_apart = -np.inf, -1, 0.0, 0.0
        if n_touched > 1 or (n_touched == 1 and touched[0] != a):
            rest_part, left, base = _without(objective, clusters[a], total, degree, link_a, loop / total, cut, apart)
            by_cut, by_apart = between_slopes(objective, cut, apart)
            for t in range(n_touched):
                c = touched[t]
                if c == a:
                    continue
                link = sums[c] / total
                part, then, change = _with(objective, clusters[c], total, degree, link, loop / total, left)
                gain = part - clusters[c].part - 2.0 * link * by_cut + change * by_apart
                if gain > best:
                    best, b, best_part, best_apart = gain, c, part, then
        if b >= 0:
            best_cut = cut + 2.0 * (sums[a] - sums[b]) / total
            if best_part - clusters[b].part - base + between(objective, best_cut, best_apart) > _MIN_GAIN:
                cut, apart = best_cut, best_apart
                _take_out(clusters[a], rest_part, sums[a], loop, degrees[x], 1)
                _put_in(clusters[b], best_part, sums[b], loop, degrees[x], 1)
                own[x - first] = b
                moves += 1
        for t in range(n_touched):
            sums[touched[t]] = 0.0
            is_listed[touched[t]] = False
    for c in range(len(inner)):
        inner[c] = clusters[c].inner
    return moves
