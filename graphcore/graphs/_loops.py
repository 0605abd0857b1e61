"""Compiled loops that make compressed sparse rows out of edges.

`weights` of length 0 stands for a graph without weights (every entry counts 1). Outputs are allocated by the caller.
"""

import numpy as np

from ..base.compiling import compiled

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
def rank_ids(ids, order):
    """Replace ids by their ranks, given the order that sorts them, and list them in its place; returns how many."""
    e, rank = 0, 0
    while e < len(ids):
        name = ids[order[e]]
        while e < len(ids) and ids[order[e]] == name:
            ids[order[e]] = rank
            e += 1
        order[rank] = name  # which has been read
        rank += 1
    return rank
