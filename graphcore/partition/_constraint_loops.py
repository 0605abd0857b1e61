"""Compiled loops that bring clusters down to their largest size and volume."""

import numpy as np
from numba import njit

from .._compile import compiled
from .._touched import add


@njit(nogil=True, inline="always")
def _fits(c, degree, count, max_size, max_volume, volumes, sizes):
    return sizes[c] + count <= max_size and volumes[c] + degree <= max_volume


@compiled
def _emptiest(volumes, sizes, max_size, max_volume):
    """The cluster with the largest share of its room left."""
    best, most = 0, -np.inf
    for c in range(len(volumes)):
        room = min(1.0 - volumes[c] / max_volume, 1.0 - sizes[c] / max_size)
        if room > most:
            best, most = c, room
    return best


@compiled
def _best_other(
    indptr, indices, weights, degrees, x, count, emptiest, max_size, max_volume, volumes, sizes, labels, sums,
    is_listed, touched,
):  # fmt: skip
    """(cluster with room that x has most weight to, weight gained inside for its degree); -1 if it fits nowhere."""
    a, weighted, n_touched = labels[x], len(weights) > 0, 0
    for e in range(indptr[x], indptr[x + 1]):
        c = labels[indices[e]]
        if c >= 0 and indices[e] != x:
            n_touched = add(sums, is_listed, touched, n_touched, c, weights[e] if weighted else 1.0)
    own, best, most = sums[a], -1, 0.0
    if _fits(emptiest, degrees[x], count, max_size, max_volume, volumes, sizes) and emptiest != a:
        best, most = emptiest, sums[emptiest]
    for t in range(n_touched):
        c = touched[t]
        if c != a and sums[c] > most and _fits(c, degrees[x], count, max_size, max_volume, volumes, sizes):
            best, most = c, sums[c]
        sums[c] = 0.0
        is_listed[c] = False
    return best, (most - own) / degrees[x] if degrees[x] > 0.0 else 0.0


@compiled
def leaving_gains(
    indptr, indices, weights, degrees, counts, is_fixed, max_size, max_volume, volumes, sizes, labels, gains
):
    """What every node of a cluster beyond its limits gains by going where there is room, -inf for all other nodes.

    Returns the number of clusters beyond their limits.
    """
    k = len(volumes)
    sums, is_listed, touched = np.zeros(k), np.zeros(k, dtype=np.bool_), np.empty(k + 1, dtype=np.int32)
    emptiest, n_over = _emptiest(volumes, sizes, max_size, max_volume), 0
    for c in range(k):
        n_over += volumes[c] > max_volume or sizes[c] > max_size
    for x in range(len(labels)):
        a = labels[x]
        gains[x] = -np.inf
        if a < 0 or (len(is_fixed) > 0 and is_fixed[x]) or not (volumes[a] > max_volume or sizes[a] > max_size):
            continue
        b, gain = _best_other(
            indptr, indices, weights, degrees, x, counts[x] if len(counts) > 0 else 1, emptiest, max_size, max_volume,
            volumes, sizes, labels, sums, is_listed, touched,
        )  # fmt: skip
        if b >= 0:
            gains[x] = gain
    return n_over


@compiled
def leave_in_order(
    indptr, indices, weights, degrees, counts, is_fixed, max_size, max_volume, order, share, volumes, sizes, labels
):
    """Nodes in `order` leave clusters beyond their limits for the best with room, up to a share of what is too much.

    volumes and sizes are those of `labels` and are kept up to date. Returns how many nodes moved.
    """
    k = len(volumes)
    sums, is_listed, touched = np.zeros(k), np.zeros(k, dtype=np.bool_), np.empty(k + 1, dtype=np.int32)
    volume_goals, size_goals = np.empty(k), np.empty(k)
    for c in range(k):
        volume_goals[c] = max_volume + (1.0 - share) * max(0.0, volumes[c] - max_volume)
        size_goals[c] = max_size + (1.0 - share) * max(0, sizes[c] - max_size)
    moved, emptiest = 0, _emptiest(volumes, sizes, max_size, max_volume)
    for x in order:
        a = labels[x]
        if volumes[a] <= volume_goals[a] and sizes[a] <= size_goals[a]:
            continue
        count = counts[x] if len(counts) > 0 else 1
        b, _ = _best_other(
            indptr, indices, weights, degrees, x, count, emptiest, max_size, max_volume, volumes, sizes, labels, sums,
            is_listed, touched,
        )  # fmt: skip
        if b >= 0:
            volumes[a] -= degrees[x]
            volumes[b] += degrees[x]
            sizes[a] -= count
            sizes[b] += count
            labels[x] = b
            moved += 1
            if b == emptiest:
                emptiest = _emptiest(volumes, sizes, max_size, max_volume)
    return moved
