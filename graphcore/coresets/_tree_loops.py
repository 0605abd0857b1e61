"""The sampling tree that D2 seeding draws from: points in proportion to values that change, in logarithmic time.

The tree is implicit and wide: `sums` holds the leaves, then the sums of groups of FAN_OUT leaves, and so on to a single
group; `offsets[l]` is where level l starts. A group is one cache line, so an update touches one line per level. Memory
is 8/7 of the values' own. Inner sums are recomputed from their children, so no error builds up.

Wong and Easton, "An efficient method for weighted sampling without replacement", SIAM J. Comput. 1980; Algorithms 6
to 8 of Jourdan, Schwartzman, Macgregor, Sun, "Coreset Spectral Clustering".
"""

import numpy as np

from .._compile import compiled

FAN_OUT = 8


def level_offsets(n_leaves):
    """Where each level of the tree starts, from the leaves up; the last entry is the total length (int64)."""
    offsets = [0]
    size = n_leaves
    while True:
        groups = max(1, -(-size // FAN_OUT))
        offsets.append(offsets[-1] + groups * FAN_OUT)
        size = groups
        if groups == 1:
            break
    # The root stands alone in the last level.
    offsets.append(offsets[-1] + 1)
    return np.array(offsets, dtype=np.int64)


@compiled
def tree_build(sums, offsets):
    """Fill all levels above the leaves."""
    for level in range(1, len(offsets) - 1):
        below, here = offsets[level - 1], offsets[level]
        for i in range((here - below) // FAN_OUT):
            _sum_group(sums, below, here, i)


@compiled
def _sum_group(sums, below, here, i):
    # Levels are padded to full groups, so a group never runs over its level's end.
    total = 0.0
    for c in range(below + i * FAN_OUT, below + (i + 1) * FAN_OUT):
        total += sums[c]
    sums[here + i] = total


@compiled
def tree_update(sums, offsets, touched, n_touched):
    """Recompute the sums above the leaves touched[:n_touched], given ascending; `touched` is overwritten.

    Level by level, so that neighbours share their common ancestors' work. Returns the number of groups summed.
    """
    work = 0
    for level in range(1, len(offsets) - 1):
        below, here = offsets[level - 1], offsets[level]
        kept = 0
        for t in range(n_touched):
            group = touched[t] // FAN_OUT
            if kept == 0 or touched[kept - 1] != group:
                _sum_group(sums, below, here, group)
                touched[kept] = group
                kept += 1
        n_touched = kept
        work += kept
    return work


@compiled
def tree_sample(sums, offsets, uniform):
    """Leaf drawn with probability proportional to its value, from one uniform number in [0, 1); -1 if all are 0."""
    top = len(offsets) - 2
    if not sums[offsets[top]] > 0.0:
        return -1
    target = uniform * sums[offsets[top]]
    node = 0
    for level in range(top - 1, -1, -1):
        first = offsets[level] + node * FAN_OUT
        chosen = -1
        for c in range(FAN_OUT):
            value = sums[first + c]
            if value > 0.0:
                # The last positive child also takes what rounding left over.
                chosen = c
                if target < value:
                    break
                target -= value
        node = node * FAN_OUT + chosen
    return node
