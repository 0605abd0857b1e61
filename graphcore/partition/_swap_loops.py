"""Compiled loops that swap nodes between clusters, where a cluster is too full for a node alone."""

import numpy as np

from .._compile import compiled
from ._local_moving_loops import _gather, _is_inside, _put_in, _records, _take_out, _with, _without
from ._objective_loops import between, total_of

_MIN_GAIN = 1e-13
# Partners that a node tries: the first may be tied to it, or have another degree than fits.
_TRIES = 4


@compiled
def swap_gains(
    indptr, indices, weights, degrees, objective, inner, volumes, sizes, labels, at_border, least, nodes, pairs, gains
):
    """What nodes gain by going to each cluster around them, whether there is room or not, where it is above `least`.

    Writes node, own cluster times the number of clusters plus the other one, and gain; returns how many, and the
    largest gain. `nodes` of length 0 is not written to, for a pass that counts. Only nodes `at_border` (n,) bool are
    looked at; those that turn out to have no neighbour elsewhere are taken out.
    """
    k, total, found, most = len(inner), total_of(volumes), 0, -np.inf
    clusters, cut, apart = _records(objective, inner, volumes, sizes, total)
    sums, is_listed, touched = np.zeros(k), np.zeros(k, dtype=np.bool_), np.empty(k + 1, dtype=np.int32)
    for x in range(len(labels)):
        if at_border[x] and _is_inside(indptr, indices, labels, x):
            at_border[x] = False
        if not at_border[x]:
            continue
        a = labels[x]
        n_touched, loop = _gather(indptr, indices, weights, labels, x, sums, is_listed, touched)
        degree, link_a = degrees[x] / total, sums[a] / total
        _, left, base = _without(objective, clusters[a], total, degree, link_a, loop / total, cut, apart)
        for t in range(n_touched):
            c = touched[t]
            if c != a:
                link = sums[c] / total
                part, then, _ = _with(objective, clusters[c], total, degree, link, loop / total, left)
                gain = part - clusters[c].part - base + between(objective, cut + 2.0 * (link_a - link), then)
                most = max(most, gain)
                if gain > least:
                    if len(nodes) > 0:
                        nodes[found], pairs[found], gains[found] = x, a * k + c, gain
                    found += 1
            sums[c] = 0.0
            is_listed[c] = False
        sums[a] = 0.0
        is_listed[a] = False
    return found, most


@compiled
def _go(indptr, indices, weights, degrees, objective, total, clusters, cut, apart, x, b, count, labels):
    """Move a node; returns (what the objective gains, cut share, 1 - sum of squared shares of volume)."""
    a, weighted = labels[x], len(weights) > 0
    link_a, link_b, loop = 0.0, 0.0, 0.0
    for e in range(indptr[x], indptr[x + 1]):
        weight = weights[e] if weighted else 1.0
        if indices[e] == x:
            loop = weight
        elif labels[indices[e]] == a:
            link_a += weight
        elif labels[indices[e]] == b:
            link_b += weight
    degree = degrees[x] / total
    rest, left, base = _without(objective, clusters[a], total, degree, link_a / total, loop / total, cut, apart)
    part, then, _ = _with(objective, clusters[b], total, degree, link_b / total, loop / total, left)
    cut += 2.0 * (link_a - link_b) / total
    gain = part - clusters[b].part - base + between(objective, cut, then)
    _take_out(clusters[a], rest, link_a, loop, degrees[x], count)
    _put_in(clusters[b], part, link_b, loop, degrees[x], count)
    labels[x] = b
    return gain, cut, then


@compiled
def swap_nodes(
    indptr, indices, weights, degrees, counts, objective, min_size, min_volume, max_size, max_volume, lists, nodes,
    gains, inner, volumes, sizes, labels,
):  # fmt: skip
    """Swap nodes of two clusters while that raises the objective and both keep to their limits; returns the swaps.

    Each row of `lists` (m, 6) is of two clusters: both, the span in `nodes` of those that might go from the first to
    the second, and the span of those that might come back, largest `gains` first. inner, volumes and sizes are those
    of `labels` and are kept up to date.
    """
    total, swaps = total_of(volumes), 0
    clusters, cut, apart = _records(objective, inner, volumes, sizes, total)
    for row in range(len(lists)):
        a, b, i, last, j, other_last = lists[row]
        while i < last and j < other_last and gains[i] + gains[j] > _MIN_GAIN:
            x = nodes[i]
            for place in range(j, min(j + _TRIES, other_last)):
                if labels[x] != a or gains[i] + gains[place] <= _MIN_GAIN:
                    break
                y = nodes[place]
                count, other = (counts[x], counts[y]) if len(counts) > 0 else (1, 1)
                rest, grown = clusters[a].count - count + other, clusters[b].count + count - other
                light = clusters[a].volume - degrees[x] + degrees[y]
                heavy = clusters[b].volume + degrees[x] - degrees[y]
                if (
                    labels[y] != b or max(rest, grown) > max_size or min(rest, grown) < min_size
                    or max(light, heavy) > max_volume or min(light, heavy) < min_volume
                ):  # fmt: skip
                    continue
                first, cut, apart = _go(
                    indptr, indices, weights, degrees, objective, total, clusters, cut, apart, x, b, count, labels
                )
                second, cut, apart = _go(
                    indptr, indices, weights, degrees, objective, total, clusters, cut, apart, y, a, other, labels
                )
                if first + second > _MIN_GAIN:
                    swaps += 1
                    break
                _, cut, apart = _go(
                    indptr, indices, weights, degrees, objective, total, clusters, cut, apart, y, b, other, labels
                )
                _, cut, apart = _go(
                    indptr, indices, weights, degrees, objective, total, clusters, cut, apart, x, a, count, labels
                )
            i += 1
            while j < other_last and labels[nodes[j]] != b:
                j += 1
    for c in range(len(inner)):
        inner[c], volumes[c], sizes[c] = clusters[c].inner, clusters[c].volume, clusters[c].count
    return swaps
