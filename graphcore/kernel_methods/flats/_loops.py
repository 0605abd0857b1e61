"""Compiled loop of kernel k-flats on sparse kernels."""

import numpy as np

from ...base.loops import compiled


@compiled
def nearest_rows(rows, points, flats, labels, slack, out, values):
    """Find the nearest flat for rows of a sparse kernel, among flats of their neighbours and one other.

    `rows` are those of the kernel, compressed; `points` the flat of every point and its share and coefficients there;
    `flats` the squared norms of their means, the products of these with their directions, `base`, and an order by it:
    the distance of a flat that shares no entry with a point, but for a number of the point. Labels of -1 are in no flat
    now.
    """
    indptr, indices, data = rows
    members, factors = points
    mean_norms, shifts, base, by_base = flats
    k, m = shifts.shape
    met = np.full(k, -1, dtype=np.int64)
    touched = np.empty(k, dtype=np.int64)
    sums = np.zeros((k, 1 + m))
    for i in range(len(out)):
        n_touched = 0
        for e in range(indptr[i], indptr[i + 1]):
            x = indices[e]
            j = members[x]
            if met[j] != i:
                met[j] = i
                touched[n_touched] = j
                n_touched += 1
                sums[j, :] = 0.0
            for q in range(1 + m):
                sums[j, q] += data[e] * factors[x, q]
        best, nearest = np.inf, -1
        here = np.inf
        for s in range(n_touched):
            j = touched[s]
            distance = mean_norms[j] - 2.0 * sums[j, 0]
            for q in range(m):
                part = sums[j, 1 + q] - shifts[j, q]
                distance -= part * part
            if j == labels[i]:
                here = distance
            if distance < best or (distance == best and j < nearest):
                best, nearest = distance, j
        for s in range(k):
            j = by_base[s]
            if met[j] != i:
                if base[j] < best or (base[j] == best and j < nearest):
                    best, nearest = base[j], j
                break
        if labels[i] >= 0 and met[labels[i]] != i:
            here = base[labels[i]]
        if labels[i] >= 0 and not best < here - slack:
            best, nearest = here, labels[i]
        out[i] = nearest
        values[i] = best
