"""Compiled loops of the build on disk.

An entry of the matrix is one integer: row << 32 | column << 1 | whether the edge was listed from column to row. Every
edge but a self-loop makes two, one for each end's row.
"""

import numpy as np

from .._compile import compiled
from ..graphs._loops import MAX, MIN, combined, scatter_rows


@compiled
def mark_ids(ids, low, bits):
    """Set bit id - low for every id."""
    for e in range(len(ids)):
        position = np.int64(ids[e]) - low
        bits[position >> 6] |= np.uint64(1) << np.uint64(position & 63)


@compiled
def rank_marked(ids, low, bits, before, out):
    """out[e] = how many marked ids are smaller than ids[e]; before[w] counts those in the words before w."""
    for e in range(len(ids)):
        position = np.int64(ids[e]) - low
        word = bits[position >> 6] & ((np.uint64(1) << np.uint64(position & 63)) - np.uint64(1))
        # The number of bits set, added up in parallel: pairs, nibbles, bytes.
        word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
        word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
        word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
        out[e] = before[position >> 6] + np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@compiled
def pack_entries(ends, weights, keys, out_weights):
    """Make the entries of edges (ends[2 e], ends[2 e + 1]), leaving out those of weight 0; returns their number."""
    weighted = len(weights) > 0
    length = 0
    for e in range(len(ends) // 2):
        if weighted and weights[e] == 0:
            continue
        i, j = np.int64(ends[2 * e]), np.int64(ends[2 * e + 1])
        keys[length] = (i << 32) | (j << 1)
        if weighted:
            out_weights[length] = weights[e]
        length += 1
        if i != j:
            keys[length] = (j << 32) | (i << 1) | 1
            if weighted:
                out_weights[length] = weights[e]
            length += 1
    return length


@compiled
def scatter(keys, weights, borders, ends, out_keys, out_weights):
    """Group entries by bucket: bucket b holds keys below borders[b] and ends at ends[b] (from ends[b - 1])."""
    bucket = np.empty(len(keys), dtype=np.int32)
    ends[:] = 0
    for e in range(len(keys)):
        low, high = 0, len(borders)
        while low < high:
            middle = (low + high) // 2
            if borders[middle] <= keys[e]:
                low = middle + 1
            else:
                high = middle
        bucket[e] = low
        ends[low] += 1
    position = 0
    for b in range(len(ends)):
        position, ends[b] = position + ends[b], position
    scatter_rows(bucket, keys, weights, ends, out_keys, out_weights)


@compiled
def merge_entries(keys, weights, policy, tolerance, found):
    """Merge equal entries of sorted keys in place, as row << 31 | column; returns the number of entries left.

    Weights, if any, are added in each direction, in ascending order so that both rows of a pair get the same sum, and
    combined. found += entries in both directions, in one, in both with different weights (no self-loops); self-loops.
    """
    weighted = len(weights) > 0
    length = 0
    e = 0
    while e < len(keys):
        start = e
        entry = keys[e] >> 1
        i, j = entry >> 31, entry & 0x7FFFFFFF
        while e < len(keys) and keys[e] >> 1 == entry:
            e += 1
        two_way = keys[start] & 1 != keys[e - 1] & 1
        forward, backward = 0.0, 0.0
        if weighted:
            middle = start
            while middle < e and keys[middle] & 1 == 0:
                middle += 1
            if middle - start > 2:
                weights[start:middle].sort()
            if e - middle > 2:
                weights[middle:e].sort()
            for other in range(start, middle):
                forward += weights[other]
            for other in range(middle, e):
                backward += weights[other]
        if i == j:
            found[3] += 1
        else:
            found[0] += two_way
            found[1] += not two_way
            if policy == MIN and not two_way:
                continue
            found[2] += two_way and abs(forward - backward) > tolerance * max(forward, backward)
        keys[length] = entry
        if weighted:
            weights[length] = forward if i == j else combined(policy, forward, backward)
        length += 1
    return length


@compiled
def count_rows(keys, weights, start, first, counts, sums):
    """Add entries, and weights if any, of len(counts) rows from `first` on, from entry `start`; returns the next."""
    weighted = len(weights) > 0
    e = start
    while e < len(keys):
        row = (keys[e] >> 31) - first
        if row >= len(counts):
            break
        counts[row] += 1
        if weighted:
            sums[row] += weights[e]
        e += 1
    return e


def warm_up():
    """Load or compile the loops, so that the memory that this takes is known before the rest is shared out."""
    ints, floats, words = np.zeros(2, dtype=np.int64), np.zeros(2), np.zeros(1, dtype=np.uint64)
    mark_ids(ints, 0, words)
    rank_marked(ints, 0, words, ints.copy(), ints.copy())
    pack_entries(ints, floats, ints.copy(), floats.copy())
    scatter(ints, floats, ints[:0], ints[:1].copy(), ints.copy(), floats.copy())
    merge_entries(ints.copy(), floats.copy(), MAX, 0.0, np.zeros(4, dtype=np.int64))
    count_rows(ints[:0], floats[:0], 0, 0, ints.copy(), floats.copy())
