"""Compiled loops that look at a graph through a labelling: groups of nodes, the graph between them, refinements."""

from math import log

import numpy as np

from .._compile import compiled
from .._select import nth_largest
from .._touched import add
from ._objective_loops import total_of


@compiled
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


@compiled
def label_sizes(labels, sizes):
    """Count the nodes of every label; labels of -1 are left out."""
    for x in range(len(labels)):
        if labels[x] >= 0:
            sizes[labels[x]] += 1


@compiled
def label_volumes(labels, degrees, volumes):
    """Sum of the degrees of the nodes of every label; labels of -1 are left out."""
    for x in range(len(labels)):
        if labels[x] >= 0:
            volumes[labels[x]] += degrees[x]


@compiled
def gather_links(indptr, indices, weights, labels, starts, members, a, sums, is_listed, touched):
    """Weights between cluster a and all others into `sums`; returns how many clusters are listed in `touched`."""
    weighted = len(weights) > 0
    n_touched = 0
    for m in range(starts[a], starts[a + 1]):
        x = members[m]
        for e in range(indptr[x], indptr[x + 1]):
            b = labels[indices[e]]
            if b < 0:
                continue
            n_touched = add(sums, is_listed, touched, n_touched, b, weights[e] if weighted else 1.0)
    return n_touched


@compiled
def _grown(array, length, room):
    """A longer array with the same beginning."""
    out = np.empty(room, dtype=array.dtype)
    for i in range(length):  # a slice assignment takes numba over a second to compile
        out[i] = array[i]
    return out


@compiled
def row_lengths(indptr, indices, labels, starts, members, chosen, out):
    """Entries in the chosen rows of the graph between clusters."""
    last_seen = np.full(len(starts) - 1, -1, dtype=np.int32)
    for i in range(len(chosen)):
        count = 0
        for m in range(starts[chosen[i]], starts[chosen[i] + 1]):
            x = members[m]
            for e in range(indptr[x], indptr[x + 1]):
                b = labels[indices[e]]
                if b >= 0 and last_seen[b] != i:
                    last_seen[b] = i
                    count += 1
        out[i] = count


@compiled
def _strength(weight, volume_a, volume_b, total):
    """What a link tells: its weight times the logarithm of weight over weight by chance."""
    return np.float32(weight * log(weight / volume_a * total / volume_b))


@compiled
def link_cuts(indptr, indices, weights, labels, starts, members, first, last, volumes, max_links, cuts):
    """Strength of the `max_links`-th strongest link of clusters first to last, -inf where there are no more."""
    n_clusters = len(starts) - 1
    total = total_of(volumes)
    sums, is_listed = np.zeros(n_clusters), np.zeros(n_clusters, dtype=np.bool_)
    touched = np.empty(n_clusters + 1, dtype=np.int32)
    strengths = np.empty(n_clusters, dtype=np.float32)
    for a in range(first, last):
        n_touched = gather_links(indptr, indices, weights, labels, starts, members, a, sums, is_listed, touched)
        n_links = 0
        for t in range(n_touched):
            b = touched[t]
            if b != a:
                strengths[n_links] = _strength(sums[b], volumes[a], volumes[b], total)
                n_links += 1
            sums[b] = 0.0
            is_listed[b] = False
        cuts[a] = nth_largest(strengths, n_links, max_links) if n_links > max_links else -np.inf


@compiled
def quotient_rows(indptr, indices, weights, labels, starts, members, first, last, volumes, max_links, cuts, out_counts):
    """Rows first to last of the graph between clusters: entry (a, b) is the weight between a and b.

    The diagonal holds the weight inside, both directions counted, so row sums are volumes, as long as no node with an
    edge is left out (label -1). With `max_links`, links that are strong for neither end (`cuts`) are left out. Returns
    (columns, weights) of these rows one after the other, in the order met; out_counts gets row lengths.
    """
    n_clusters = len(starts) - 1
    total = total_of(volumes)
    sums, is_listed = np.zeros(n_clusters), np.zeros(n_clusters, dtype=np.bool_)
    touched = np.empty(n_clusters + 1, dtype=np.int32)
    # No row has more links of its own than `max_links`, and what the other ends add is as much again over all rows.
    room = (2 * max_links + 1 if max_links > 0 else 32) * (last - first) + 64
    columns = np.empty(room, dtype=np.int32)
    values = np.empty(room)
    length = np.int64(0)  # and not a literal, which `_grown` would be compiled for as well
    for a in range(first, last):
        start = length
        n_touched = gather_links(indptr, indices, weights, labels, starts, members, a, sums, is_listed, touched)
        if length + n_touched > room:
            room = 2 * (length + n_touched)
            columns, values = _grown(columns, length, room), _grown(values, length, room)
        for t in range(n_touched):
            b = touched[t]
            kept = max_links == 0 or b == a
            if not kept:
                strength = _strength(sums[b], volumes[a], volumes[b], total)
                # Sums taken in another order differ in the last bits; both ends must come to the same answer.
                strength += np.float32(1e-5) * abs(strength)
                kept = strength >= cuts[a] or strength >= cuts[b]
            if kept:
                columns[length] = b
                values[length] = sums[b]
                length += 1
            sums[b] = 0.0
            is_listed[b] = False
        out_counts[a] = length - start
    return columns[:length].copy(), values[:length].copy()


@compiled
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


@compiled
def number_pairs(other, n_other, starts, members, out):
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


@compiled
def apply_labels(table, groups, out):
    """out[x] = table[groups[x]], -1 where groups[x] is."""
    for x in range(len(groups)):
        out[x] = table[groups[x]] if groups[x] >= 0 else -1


@compiled
def pick_labels(groups, labels, out):
    """out[group] = the label of its members, which must agree."""
    for x in range(len(groups)):
        if groups[x] >= 0:
            out[groups[x]] = labels[x]


@compiled
def count_in_table(labels, other, counts):
    """counts[a, b] += 1 for every node of labels a and b; labels of -1 are left out."""
    for x in range(len(labels)):
        if labels[x] >= 0 and other[x] >= 0:
            counts[labels[x], other[x]] += 1


@compiled
def count_pairs(pairs, labels, other, first, second, counts):
    """For every pair number of `number_pairs`: the two labels, and how many nodes carry them."""
    for x in range(len(pairs)):
        p = pairs[x]
        if p >= 0:
            first[p] = labels[x]
            second[p] = other[x]
            counts[p] += 1
