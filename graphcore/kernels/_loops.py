"""Compiled loops over the rows of sparse kernels ``K_xy = outer_x (A_xy + loops_x [x = y]) outer_y``.

Values of length 0 stand for ones. For a graph, whose rows are read where they are, `outer` is one over the degree.
"""

import numpy as np

from ..base.loops import compiled
from ..graphs._loops import add, own_entry


@compiled
def diagonal_entries(indptr, indices, weights, out):
    """Write the entries (i, i) of a sparse matrix with sorted rows to out[i], 0 where there is none."""
    for i in range(len(indptr) - 1):
        entry = own_entry(indptr, indices, i)
        if entry < 0:
            out[i] = 0.0
        else:
            out[i] = weights[entry] if len(weights) > 0 else 1.0


@compiled
def own_sums(rows, inner, labels, first, last, out):
    """Write ``S_xj``, the sum of w_y K_xy over the y of the cluster j that holds x, to out[x]; 0 for points in none.

    `rows` are (indptr, indices, values, loops, outer), and inner is ``w_y outer_y``.
    """
    indptr, indices, values, loops, outer = rows
    weighted = len(values) > 0
    for x in range(first, last):
        own = labels[x]
        total = 0.0
        if own >= 0:
            total = loops[x] * inner[x]
            for e in range(indptr[x], indptr[x + 1]):
                y = indices[e]
                if labels[y] == own:
                    total += (values[e] if weighted else 1.0) * inner[y]
        out[x] = outer[x] * total


@compiled
def nearest_centroids(rows, inner, points, clusters, first, last, out):
    """Find the j of least norms[j] - 2 S_xj / masses[j], less own_bonus[j] for the cluster of the weight of x.

    `rows`, `inner` and S as for `own_sums`. Of equals the lowest label. Clusters that a row does not reach offer their
    norm alone, so the first such in `by_norm` (clusters by ascending norm, empty ones with infinite norm last) stands
    for all of them. `points` are (labels, weights), `clusters` (norms, masses, own_bonus, by_norm).
    """
    indptr, indices, values, loops, outer = rows
    labels, weights = points
    norms, masses, own_bonus, by_norm = clusters
    out_labels, out_values = out
    weighted = len(values) > 0
    k = len(norms)
    sums, is_listed, touched = np.zeros(k), np.zeros(k, dtype=np.bool_), np.empty(k + 1, dtype=np.int64)
    for x in range(first, last):
        own = labels[x]
        n_touched = 0
        if own >= 0:
            n_touched = add(sums, is_listed, touched, n_touched, own, loops[x] * inner[x])
        for e in range(indptr[x], indptr[x + 1]):
            y = indices[e]
            if labels[y] >= 0:
                added = (values[e] if weighted else 1.0) * inner[y]
                n_touched = add(sums, is_listed, touched, n_touched, labels[y], added)
        best = -1
        best_value = 0.0
        for j in by_norm:
            if not is_listed[j]:
                best = j
                best_value = norms[j]
                break
        for t in range(n_touched):
            j = touched[t]
            value = norms[j] - 2.0 * outer[x] * sums[j] / masses[j]
            if j == own and weights[x] > 0.0:
                value -= own_bonus[j]
            if best < 0 or value < best_value or (value == best_value and j < best):
                best = j
                best_value = value
            sums[j], is_listed[j] = 0.0, False
        out_labels[x] = best
        out_values[x] = best_value
