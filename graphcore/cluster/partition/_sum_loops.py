"""Compiled sums: over the clusters of a graph, and around its nodes."""

import numpy as np
from numba import njit

from ...base.compiling import compiled
from ...base.touched import add


@njit(nogil=True, inline="always")
def places(n):
    """Allocate the arrays of `gather` for n labels: sums, flags of listed labels, the list."""
    return np.zeros(n), np.zeros(n, dtype=np.bool_), np.empty(n + 1, dtype=np.int32)


@njit(nogil=True, inline="always")
def gather(rows, labels, x, found):
    """Weights of x to the labels around it, into `places`; returns (number of labels listed, its self-loop)."""
    indptr, indices, weights, _ = rows
    sums, is_listed, touched = found
    weighted = len(weights) > 0
    n_touched, loop = 0, 0.0
    for e in range(indptr[x], indptr[x + 1]):
        c = labels[indices[e]]
        if c < 0:
            continue
        weight = weights[e] if weighted else 1.0
        if indices[e] == x:
            loop = weight
            continue
        n_touched = add(sums, is_listed, touched, n_touched, c, weight)
    return n_touched, loop


@njit(nogil=True, inline="always")
def forget(found, n_touched):
    """Make `places` empty again."""
    sums, is_listed, touched = found
    for t in range(n_touched):
        sums[touched[t]] = 0.0
        is_listed[touched[t]] = False


@compiled
def add_cluster_sums(rows, counts, labels, first, last, clusters, nodes):
    """Add what nodes first to last bring to their `clusters`: weight inside (both directions), volume, cut, number.

    The two arrays of `nodes`, which begin with node `first`, get each one's weight inside and outside of its cluster,
    unless they are of length 0.
    """
    indptr, indices, weights, degrees = rows
    internal, volume, cut, size = clusters
    inside, outside = nodes
    weighted, split = len(weights) > 0, len(inside) > 0
    for x in range(first, last):
        a = labels[x]
        within, beyond = 0.0, 0.0
        if a >= 0:
            for e in range(indptr[x], indptr[x + 1]):
                weight = weights[e] if weighted else 1.0
                if labels[indices[e]] == a:
                    within += weight
                else:
                    beyond += weight
            internal[a] += within
            volume[a] += degrees[x]
            cut[a] += beyond
            size[a] += counts[x] if len(counts) > 0 else 1
        if split:
            inside[x - first] = within
            outside[x - first] = beyond
