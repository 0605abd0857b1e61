"""The compiled loop of the build on disk.

An entry of the matrix is one integer: row << 32 | column << 1 | whether the edge was listed from column to row. Every
edge but a self-loop makes two, one for each end's row.
"""

import numpy as np

from ...base.loops import compiled
from ...graphs._loops import MAX, MIN, combined


@compiled
def merge_entries(keys, weights, policy, tolerance, found):
    """Merge equal entries of sorted keys in place, as row << 31 | column; return the number of entries left.

    Weights, if any, are added in each direction, in ascending order so that both rows of a pair get the same sum, and
    combined. `found` counts entries in both directions, in one, in both with different weights, and self-loops.
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
            forward, backward = weights[start:middle].sum(), weights[middle:e].sum()
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


def warm_up():
    """Load or compile the loop, so that the memory of the compiler is known before the rest is divided."""
    merge_entries(np.zeros(2, dtype=np.int64), np.zeros(2), MAX, 0.0, np.zeros(4, dtype=np.int64))
