"""Compiled loops that draw a sample of a graph's edges and group it by the clusters of one end."""

import numpy as np

from .._compile import compiled

__all__ = ["place_links", "sample_links"]

_A, _B = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)
_SHIFT = np.uint64(32)


@compiled
def _is_kept(x, z, limit):
    """Whether an edge is in the sample: by a hash of its ends, the same from either one; `limit` is a share of 2^64."""
    mixed = (np.uint64(min(x, z)) * _A + np.uint64(max(x, z))) * _B
    mixed = (mixed ^ (mixed >> _SHIFT)) * _A
    return (mixed ^ (mixed >> _SHIFT)) < limit


@compiled
def sample_links(indptr, indices, weights, labels, first, last, limit):
    """Entries of rows first to last that are in the sample: (cluster of the row, of the column, weight).

    Weights are of length 0 where the graph's are. Entries with an end of label -1 are left out.
    """
    weighted = len(weights) > 0
    room = 0
    for x in range(first, last):
        if labels[x] >= 0:
            for e in range(indptr[x], indptr[x + 1]):
                room += _is_kept(x, indices[e], limit)
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
            if _is_kept(x, z, limit) and labels[z] >= 0:
                sources[length] = a
                targets[length] = labels[z]
                if weighted:
                    values[length] = weights[e]
                length += 1
    return sources[:length], targets[:length], values[:length]


@compiled
def place_links(sources, targets, values, cursors, indices, weights):
    """Put links into their sources' rows, at cursors[source] on."""
    for i in range(len(sources)):
        place = cursors[sources[i]]
        indices[place] = targets[i]
        if len(values) > 0:
            weights[place] = values[i]
        cursors[sources[i]] = place + 1
