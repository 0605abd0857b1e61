"""Compiled loops that look at a graph through a labelling: groups of nodes, the graph between them, overlays."""

import numpy as np
from numba import njit

__all__ = [
    "apply_labels",
    "compact_labels",
    "count_pairs",
    "group_nodes",
    "label_sizes",
    "overlay_labels",
    "pick_labels",
    "quotient_rows",
]


@njit(cache=True, nogil=True)
def group_nodes(labels, starts, members):
    """Nodes by label: cluster c is members[starts[c]:starts[c + 1]]; labels of -1 are left out."""
    n_clusters = len(starts) - 1
    starts[:] = 0
    for x in range(len(labels)):
        if labels[x] >= 0:
            starts[labels[x] + 1] += 1
    for c in range(n_clusters):
        starts[c + 1] += starts[c]
    cursor = starts[:-1].copy()
    for x in range(len(labels)):
        c = labels[x]
        if c >= 0:
            members[cursor[c]] = x
            cursor[c] += 1


@njit(cache=True, nogil=True)
def label_sizes(labels, sizes):
    """Count the nodes of every label; labels of -1 are left out."""
    for x in range(len(labels)):
        if labels[x] >= 0:
            sizes[labels[x]] += 1


@njit(cache=True, nogil=True)
def quotient_rows(indptr, indices, weights, degrees, labels, starts, members, first, last, out_counts, out_volumes):
    """Rows first to last of the graph between clusters: entry (a, b) is the weight between a and b.

    The diagonal holds the weight inside, both directions counted, so row sums are volumes, as long as no node with an
    edge is left out (label -1). Returns (columns, weights) of these rows one after the other, in the order met;
    out_counts gets row lengths, out_volumes the sums of the members' degrees.
    """
    n_clusters = len(starts) - 1
    weighted = len(weights) > 0
    sums = np.zeros(n_clusters)
    touched = np.empty(n_clusters, dtype=np.int32)
    room = 32 * (last - first) + 64
    columns = np.empty(room, dtype=np.int32)
    values = np.empty(room)
    length = 0
    for a in range(first, last):
        n_touched = 0
        out_volumes[a] = 0.0
        for m in range(starts[a], starts[a + 1]):
            x = members[m]
            out_volumes[a] += degrees[x]
            for e in range(indptr[x], indptr[x + 1]):
                b = labels[indices[e]]
                if b < 0:
                    continue
                if sums[b] == 0.0:
                    touched[n_touched] = b
                    n_touched += 1
                sums[b] += weights[e] if weighted else 1.0
        if length + n_touched > room:
            room = 2 * (length + n_touched)
            more_columns = np.empty(room, dtype=np.int32)
            for i in range(length):  # a slice assignment takes numba over a second to compile
                more_columns[i] = columns[i]
            columns = more_columns
            more_values = np.empty(room)
            for i in range(length):
                more_values[i] = values[i]
            values = more_values
        for t in range(n_touched):
            b = touched[t]
            columns[length] = b
            values[length] = sums[b]
            sums[b] = 0.0
            length += 1
        out_counts[a] = n_touched
    return columns[:length].copy(), values[:length].copy()


@njit(cache=True, nogil=True)
def compact_labels(labels, n_clusters):
    """Renumber the labels in use 0, 1, ... in place, keeping their order; returns how many there are."""
    names = np.full(n_clusters, -1, dtype=np.int32)
    for x in range(len(labels)):
        if labels[x] >= 0:
            names[labels[x]] = 0
    count = 0
    for c in range(n_clusters):
        if names[c] == 0:
            names[c] = count
            count += 1
    for x in range(len(labels)):
        if labels[x] >= 0:
            labels[x] = names[labels[x]]
    return count


@njit(cache=True, nogil=True)
def overlay_labels(other, n_other, starts, members, out):
    """Number the pairs (group, other label); -1 where either is missing. Returns how many pairs there are."""
    names = np.full(n_other, -1, dtype=np.int32)
    out[:] = -1
    count = 0
    for c in range(len(starts) - 1):
        for m in range(starts[c], starts[c + 1]):
            x = members[m]
            if other[x] >= 0:
                if names[other[x]] < 0:
                    names[other[x]] = count
                    count += 1
                out[x] = names[other[x]]
        for m in range(starts[c], starts[c + 1]):
            if other[members[m]] >= 0:
                names[other[members[m]]] = -1
    return count


@njit(cache=True, nogil=True)
def apply_labels(table, groups, out):
    """out[x] = table[groups[x]], -1 where groups[x] is."""
    for x in range(len(groups)):
        out[x] = table[groups[x]] if groups[x] >= 0 else -1


@njit(cache=True, nogil=True)
def pick_labels(groups, labels, out):
    """out[group] = the label of its members, which must agree."""
    for x in range(len(groups)):
        if groups[x] >= 0:
            out[groups[x]] = labels[x]


@njit(cache=True, nogil=True)
def count_pairs(pairs, labels, other, first, second, counts):
    """For every pair number of `overlay_labels`: the two labels, and how many nodes carry them."""
    for x in range(len(pairs)):
        p = pairs[x]
        if p >= 0:
            first[p] = labels[x]
            second[p] = other[x]
            counts[p] += 1
