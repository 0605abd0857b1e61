"""Compiled loops of D2 seeding, and the sampling tree that it draws from: in logarithmic time, by values that change.

The tree is implicit and wide: `sums` holds the leaves, then the sums of groups of FAN_OUT leaves, and so on to a single
group; `offsets[l]` is where level l starts. A group is one cache line, so an update touches one line per level. Memory
is 8/7 of the values' own. Inner sums are recomputed from their children, so no error builds up.

Wong and Easton, "An efficient method for weighted sampling without replacement", SIAM J. Comput. 1980; Algorithms 6
to 8 of Jourdan, Schwartzman, Macgregor, Sun, "Coreset Spectral Clustering".
"""

import numpy as np

from ..base.loops import compiled

FAN_OUT = 8


def level_offsets(n_leaves):
    """Where each level of the tree starts, from the leaves up; the last entry is the total length (int64)."""
    offsets, groups = [0], n_leaves
    while len(offsets) == 1 or groups > 1:
        groups = max(1, -(-groups // FAN_OUT))
        offsets.append(offsets[-1] + groups * FAN_OUT)
    # The root stands alone in the last level.
    return np.array([*offsets, offsets[-1] + 1], dtype=np.int64)


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


@compiled
def _repair(y, seed_number, rows, points, tree, nearest, counters):
    """Bring contributions up to date after y became a centre."""
    indptr, indices, weights, degrees = rows
    diagonal, point_weights, noise = points
    sums, offsets, touched = tree
    weighted = len(weights) > 0
    n_touched = np.int64(0)  # no literal, of which numba compiles another version of `tree_update`
    own_done = False
    for e in range(indptr[y], indptr[y + 1] + 1):
        x = indices[e] if e < indptr[y + 1] else len(sums)
        if not own_done and x >= y:
            sums[y] = 0.0
            nearest[y] = seed_number
            touched[n_touched] = y
            n_touched += 1
            own_done = True
        if e == indptr[y + 1] or x == y or sums[x] == 0.0:
            continue
        entry = weights[e] if weighted else 1.0
        norms = diagonal[x] + diagonal[y]
        distance = norms - 2.0 * entry / (degrees[x] * degrees[y])
        if distance < -noise * norms:
            counters[2] += 1
        if distance <= noise * norms:
            distance = 0.0
        contribution = point_weights[x] * distance
        if contribution < sums[x]:
            sums[x] = contribution
            nearest[x] = seed_number
            touched[n_touched] = x
            n_touched += 1
    counters[0] += indptr[y + 1] - indptr[y]
    counters[1] += tree_update(sums, offsets, touched, n_touched)


@compiled
def seed_fast(rows, points, initial, uniforms, tree, nearest, counters, seeds):
    """D2 seeding through the sampling tree, Algorithm 2 with 6, 7 and 8 of the coreset paper.

    `points` are the diagonal, the weights of the points, and the share of two norms below which their distance is
    rounding between equal points; `tree` its sums and offsets, and room for the longest row and one more. A point with
    no neighbour among the centres is nearest to that of smallest K_xx, which is x* where it comes first. Stops early
    when no point has a positive distance left. counters: entries read, groups summed, negative distances met. Returns
    the number of seeds.
    """
    diagonal, point_weights, _ = points
    sums, offsets, _ = tree
    base = np.inf
    for x in range(len(nearest)):
        sums[x] = np.inf if point_weights[x] > 0 else 0.0
        nearest[x] = 0 if point_weights[x] > 0 else -1
    for draw in range(len(initial) + len(uniforms)):
        if draw < len(initial):
            y = initial[draw]
        else:
            y = tree_sample(sums, offsets, uniforms[draw - len(initial)])
        if y < 0:
            return draw
        seeds[draw] = y
        if diagonal[y] < base:
            base = diagonal[y]
            for x in range(len(nearest)):
                contribution = point_weights[x] * (diagonal[x] + base)
                if contribution < sums[x]:
                    sums[x] = contribution
                    nearest[x] = draw
            tree_build(sums, offsets)
        _repair(y, draw, rows, points, tree, nearest, counters)
    return len(initial) + len(uniforms)
