"""Compiled loops that draw a sample of a graph's edges and group it by the clusters of one end."""

import numpy as np

from .._compile import compiled

_A, _B = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)
_SHIFT = np.uint64(32)


@compiled
def is_sampled(x, z, limit):
    """Whether an edge is in the sample: by a hash of its ends, the same from either one; `limit` is a share of 2^64."""
    mixed = (np.uint64(min(x, z)) * _A + np.uint64(max(x, z))) * _B
    mixed = (mixed ^ (mixed >> _SHIFT)) * _A
    return (mixed ^ (mixed >> _SHIFT)) < limit


@compiled
def sample_links(indptr, indices, weights, labels, first, last, limit):
    """Edges from rows first to last to later ones that are in the sample: (cluster of the row, of the column, weight).

    The column's cluster c of a self-loop is written as -1 - c. Weights are of length 0 where the graph's are. Edges
    with an end of label -1 are left out.
    """
    weighted = len(weights) > 0
    room = indptr[last] - indptr[first]
    sources = np.empty(room, dtype=np.int32)
    targets = np.empty(room, dtype=np.int32)
    values = np.empty(room if weighted else 0)
    length = 0
    for x in range(first, last):
        a = labels[x]
        if a < 0:
            continue
        for e in range(indptr[x], indptr[x + 1]):
            z = indices[e]
            if z >= x and is_sampled(x, z, limit) and labels[z] >= 0:
                sources[length] = a
                targets[length] = labels[z] if z > x else -1 - labels[z]
                if weighted:
                    values[length] = weights[e]
                length += 1
    # Copies, since most of the room was not needed.
    return sources[:length].copy(), targets[:length].copy(), values[:length].copy()


@compiled
def count_links(sources, targets, values, first, last, counts, degrees):
    """Add up what links bring to those rows of both their ends that are from first to last: entries, and weight."""
    for i in range(len(sources)):
        weight = values[i] if len(values) > 0 else 1.0
        for row in (sources[i], targets[i]):
            if first <= row < last:
                counts[row] += 1
                degrees[row] += weight


@compiled
def place_links(sources, targets, values, first, last, cursors, indices, weights):
    """Put links into those rows of both their ends that are from first to last, at the rows' cursors on."""
    for i in range(len(sources)):
        a, b = sources[i], targets[i]
        weight = values[i] if len(values) > 0 else 1.0
        for row, column in ((a, b), (b, a)):
            if first <= row < last:
                place = cursors[row]
                indices[place] = column if column >= 0 else -1 - column
                if len(values) > 0:
                    weights[place] = weight
                cursors[row] = place + 1
