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
def submatrix_count(rows, position, first, last, out_counts):
    """Count entries of rows (KernelRows) among some points; position[x] is the place of x among them or -1.

    An isolated point has no loop.
    """
    points, starts, stops, indices, _, scale, _, loops = rows
    for i in range(first, last):
        count = 0
        has_diagonal = False
        for e in range(starts[i], stops[i]):
            if position[indices[e]] >= 0:
                count += 1
                has_diagonal |= indices[e] == points[i]
        if loops[i] > 0 and not has_diagonal:
            count += 1
        out_counts[i] = count if scale[i] > 0.0 else 0


@compiled
def submatrix_fill(rows, factors, position, first, last, out_indptr, out_indices, out_values):
    """Fill ``W K(points, points) W`` row by row; columns ascend because the points of `rows` (KernelRows) do.

    factors are the points' weights over their degrees. Isolated points (scale 0) get no entry.
    Each product is taken in the same order for (i, j) and (j, i), so the result is symmetric to the last bit.
    """
    points, starts, stops, indices, values, scale, _, loops = rows
    weighted = len(values) > 0
    for i in range(first, last):
        at = out_indptr[i]
        own = points[i]
        if scale[i] == 0.0:
            continue
        own_factor = factors[i]
        pending = loops[i] > 0
        for e in range(starts[i], stops[i]):
            x = indices[e]
            j = position[x]
            if j < 0:
                continue
            if pending and x > own:
                out_indices[at] = i
                out_values[at] = loops[i] * (own_factor * own_factor)
                pending = False
                at += 1
            value = values[e] if weighted else 1.0
            if x == own and pending:
                value += loops[i]
                pending = False
            out_indices[at] = j
            out_values[at] = value * (own_factor * factors[j])
            at += 1
        if pending:
            out_indices[at] = i
            out_values[at] = loops[i] * (own_factor * own_factor)


@compiled
def label_by_centroids(rows, members, clusters, first, last, best, labels):
    """Offer every point the centroids first to last whose members' rows (KernelRows) reach it.

    Clusters are taken one by one: their members (order[borders[j]:borders[j + 1]]) add their rows to `inner`. A point
    takes the smallest ``norm - 2 <phi(x), c_j>``, and of equals the lowest label. `members` are (weights, order,
    borders), `clusters` (norms, masses).
    """
    weights, order, borders = members
    norms, masses = clusters
    points, starts, stops, indices, values, scale, degrees, loops = rows
    weighted = len(values) > 0
    n = len(degrees)
    inner, is_listed, touched = np.zeros(n), np.zeros(n, dtype=np.bool_), np.empty(n + 1, dtype=indices.dtype)
    for j in range(first, last):
        if masses[j] <= 0.0:
            continue
        n_touched = 0
        for t in range(borders[j], borders[j + 1]):
            i = order[t]
            factor = weights[i] * scale[i]
            if factor == 0.0:
                continue
            if loops[i] > 0.0:
                n_touched = add(inner, is_listed, touched, n_touched, points[i], factor * loops[i])
            for e in range(starts[i], stops[i]):
                added = factor * (values[e] if weighted else 1.0)
                if added != 0.0:
                    n_touched = add(inner, is_listed, touched, n_touched, indices[e], added)
        for t in range(n_touched):
            x = touched[t]
            value = norms[j] - 2.0 * inner[x] / (degrees[x] * masses[j])
            if value < best[x] or (value == best[x] and j < labels[x]):
                best[x] = value
                labels[x] = j
            inner[x], is_listed[x] = 0.0, False


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
