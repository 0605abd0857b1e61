"""Compiled loops over the rows of a sparse kernel ``K_xy = outer_x (A_xy + self_loop [x = y]) outer_y``.

`inner` is ``w_y outer_y``, the weights of kernel k-means included, so that the loops see the sums
``S_xj = sum_{y in j} w_y K_xy`` only. Points of label -1 are in no cluster.
"""

from .._compile import compiled


@compiled
def own_sums(indptr, indices, values, self_loop, inner, outer, labels, first, last, out):
    """out[x] = S_xj for the cluster j that holds x, 0 for points in none."""
    weighted = len(values) > 0
    for x in range(first, last):
        own = labels[x]
        total = 0.0
        if own >= 0:
            total = self_loop * inner[x]
            for e in range(indptr[x], indptr[x + 1]):
                y = indices[e]
                if labels[y] == own:
                    total += (values[e] if weighted else 1.0) * inner[y]
        out[x] = outer[x] * total


@compiled
def nearest_centroids(
    indptr,
    indices,
    values,
    self_loop,
    inner,
    outer,
    labels,
    weights,
    norms,
    masses,
    own_bonus,
    by_norm,
    first,
    last,
    sums,
    stamps,
    touched,
    out_labels,
    out_values,
):
    """out_labels[x] = argmin_j norms[j] - 2 S_xj / masses[j], less own_bonus[j] for the cluster that has x's weight.

    Of equals the lowest label. Clusters that a row does not reach offer their norm alone, so the first such in
    `by_norm` (clusters by ascending norm, empty ones with infinite norm last) stands for all of them. `sums`, `stamps`
    (-1 before) and `touched` have one place for each cluster.
    """
    weighted = len(values) > 0
    for x in range(first, last):
        own = labels[x]
        n_touched = 0
        if own >= 0:
            sums[own] = self_loop * inner[x]
            stamps[own] = x
            touched[0] = own
            n_touched = 1
        for e in range(indptr[x], indptr[x + 1]):
            y = indices[e]
            j = labels[y]
            if j < 0:
                continue
            if stamps[j] != x:
                sums[j] = 0.0
                stamps[j] = x
                touched[n_touched] = j
                n_touched += 1
            sums[j] += (values[e] if weighted else 1.0) * inner[y]
        best = -1
        best_value = 0.0
        for j in by_norm:
            if stamps[j] != x:
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
        out_labels[x] = best
        out_values[x] = best_value
