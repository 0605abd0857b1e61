"""Compiled loops that make compressed sparse rows out of edges and of other rows.

`weights` of length 0 stands for a graph without weights (every entry counts 1). Outputs are allocated by the caller.
"""

import numpy as np

from .._compile import compiled

MAX, AVERAGE, SUM, MIN = 0, 1, 2, 3


@compiled
def combined(policy, one_way, other_way):
    """Weight of an edge from those of its two directions, 0 for a direction that is missing."""
    if policy == MAX:
        return max(one_way, other_way)
    if policy == AVERAGE:
        return 0.5 * (one_way + other_way)
    if policy == SUM:
        return one_way + other_way
    return min(one_way, other_way)


@compiled
def count_rows(ids, counts):
    """counts[i] += how often i stands in ids."""
    for e in range(len(ids)):
        counts[ids[e]] += 1


@compiled
def scatter_rows(sources, targets, weights, cursor, out_indices, out_weights):
    """Place each edge in its source's row; cursor[i] is the row's next free position."""
    weighted = len(weights) > 0
    for e in range(len(sources)):
        position = cursor[sources[e]]
        cursor[sources[e]] = position + 1
        out_indices[position] = targets[e]
        if weighted:
            out_weights[position] = weights[e]


@compiled
def transpose(indptr, indices, weights, cursor, out_indices, out_weights):
    """Transpose; rows of the result are sorted because rows are read in ascending order."""
    weighted = len(weights) > 0
    for i in range(len(indptr) - 1):
        for e in range(indptr[i], indptr[i + 1]):
            position = cursor[indices[e]]
            cursor[indices[e]] = position + 1
            out_indices[position] = i
            if weighted:
                out_weights[position] = weights[e]


@compiled
def compress_rows(indptr, indices, weights, out_indptr):
    """Merge equal neighbours of sorted rows in place, adding their weights; returns the new length."""
    weighted = len(weights) > 0
    length = 0
    for i in range(len(indptr) - 1):
        row_start = length
        for e in range(indptr[i], indptr[i + 1]):
            if length > row_start and indices[length - 1] == indices[e]:
                if weighted:
                    weights[length - 1] += weights[e]
            else:
                indices[length] = indices[e]
                if weighted:
                    weights[length] = weights[e]
                length += 1
        out_indptr[i + 1] = length
    return length


@compiled
def merge_count(indptr, indices, t_indptr, t_indices, policy, out_counts):
    """Row lengths of the symmetrised matrix; returns entries in both directions and in one, the diagonal in neither."""
    both, single = 0, 0
    for i in range(len(indptr) - 1):
        a, b = indptr[i], t_indptr[i]
        a_end, b_end = indptr[i + 1], t_indptr[i + 1]
        length = 0
        while a < a_end or b < b_end:
            one_way = a < a_end and (b == b_end or indices[a] <= t_indices[b])
            other_way = b < b_end and (a == a_end or t_indices[b] <= indices[a])
            if one_way and other_way:
                both += indices[a] != i
                length += 1
            else:
                single += 1
                length += policy != MIN
            a += one_way
            b += other_way
        out_counts[i] = length
    return both, single


@compiled
def merge_fill(indptr, indices, weights, t_indptr, t_indices, t_weights, policy, out_indptr, out_indices, out_weights):
    """Fill the symmetrised matrix: every pair gets max, mean, sum or min of its two directions."""
    weighted = len(weights) > 0
    for i in range(len(indptr) - 1):
        a, b = indptr[i], t_indptr[i]
        a_end, b_end = indptr[i + 1], t_indptr[i + 1]
        position = out_indptr[i]
        while a < a_end or b < b_end:
            one_way = a < a_end and (b == b_end or indices[a] <= t_indices[b])
            other_way = b < b_end and (a == a_end or t_indices[b] <= indices[a])
            j = indices[a] if one_way else t_indices[b]
            forward = (weights[a] if weighted else 1.0) if one_way else 0.0
            backward = (t_weights[b] if weighted else 1.0) if other_way else 0.0
            a += one_way
            b += other_way
            if policy == MIN and (forward == 0.0 or backward == 0.0):
                continue
            out_indices[position] = j
            if len(out_weights) > 0:
                out_weights[position] = forward if j == i else combined(policy, forward, backward)
            position += 1


@compiled
def pack_pairs(ends, keys):
    """keys[e] = lower end << 32 | higher end << 1 | whether it runs downwards; may be the memory of `ends`."""
    for e in range(len(ends)):
        i, j = np.int64(ends[e, 0]), np.int64(ends[e, 1])
        keys[e] = (i << 32) | (j << 1) if i <= j else (j << 32) | (i << 1) | 1


@compiled
def unique_pairs(keys, weights, policy, tolerance, counts):
    """Merge equal pairs of sorted keys in place, as lower end << 32 | higher end; counts[i] += pairs at node i.

    Weights, if any, are added in each direction and then combined. Returns (pairs kept, pairs found in both
    directions, in one only, in both with different weights); self-loops count in none of the last three.
    """
    weighted = len(weights) > 0
    length, both, single, different = 0, 0, 0, 0
    e = 0
    while e < len(keys):
        pair = keys[e] >> 1
        i, j = pair >> 31, pair & 0x7FFFFFFF
        first = keys[e] & 1
        upward, downward = 0.0, 0.0
        while e < len(keys) and keys[e] >> 1 == pair:
            if weighted:
                if keys[e] & 1:
                    downward += weights[e]
                else:
                    upward += weights[e]
            e += 1
        # Keys are sorted, so a pair has both directions if its first key runs upwards and its last one downwards.
        two_way = first != keys[e - 1] & 1
        if i != j:
            both += two_way
            single += not two_way
            if policy == MIN and not two_way:
                continue
            different += two_way and abs(upward - downward) > tolerance * max(upward, downward)
            counts[j] += 1
        counts[i] += 1
        keys[length] = (i << 32) | j
        if weighted:
            weights[length] = upward if i == j else combined(policy, upward, downward)
        length += 1
    return length, both, single, different


@compiled
def fill_pairs(keys, weights, cursor, out_indices, out_weights):
    """Write every pair into the rows of both its ends; ascending keys make ascending columns."""
    weighted = len(out_weights) > 0
    for e in range(len(keys)):
        i, j = keys[e] >> 32, keys[e] & 0x7FFFFFFF
        position = cursor[i]
        cursor[i] = position + 1
        out_indices[position] = j
        if weighted:
            out_weights[position] = weights[e]
        if i != j:
            position = cursor[j]
            cursor[j] = position + 1
            out_indices[position] = i
            if weighted:
                out_weights[position] = weights[e]


@compiled
def rank_ids(ids, order, names):
    """Replace ids by their ranks, given the order that sorts them, and list them; returns how many there are."""
    e, rank = 0, 0
    while e < len(ids):
        name = ids[order[e]]
        names[rank] = name
        while e < len(ids) and ids[order[e]] == name:
            ids[order[e]] = rank
            e += 1
        rank += 1
    return rank
