"""Compiled loops that bring clusters down to their largest size and volume, and improve those that are full.

`task` and `sums` are those of :mod:`graphcore.cluster.partition._local_moving_loops`.
"""

import numpy as np
from numba import njit

from ...base.compiling import compiled
from ._local_moving_loops import (
    MIN_GAIN,
    _is_inside,
    _links,
    _put_in,
    _records,
    _take_out,
    _with,
    _without,
    _write_back,
)
from ._objective_loops import between, forget, gather, places

# Partners that a node tries: the first may be tied to it, or have another degree than fits.
_TRIES = 4


@njit(nogil=True, inline="always")
def _fits(c, degree, count, limits, sums):
    return sums[2][c] + count <= limits[2] and sums[1][c] + degree <= limits[3]


@compiled
def _emptiest(limits, sums):
    """The cluster with the largest share of its room left."""
    _, volumes, sizes = sums
    _, _, max_size, max_volume = limits
    best, most = 0, -np.inf
    for c in range(len(volumes)):
        room = min(1.0 - volumes[c] / max_volume, 1.0 - sizes[c] / max_size)
        if room > most:
            best, most = c, room
    return best


@compiled
def _best_other(task, sums, labels, x, count, emptiest, found):
    """(cluster with room that x has most weight to, weight gained inside for its degree); -1 if it fits nowhere."""
    rows, _, _, limits = task
    a, degree = labels[x], rows[3][x]
    n_touched, _ = gather(rows, labels, x, found)
    links, _, touched = found
    own, best, most = links[a], -1, 0.0
    if _fits(emptiest, degree, count, limits, sums) and emptiest != a:
        best, most = emptiest, links[emptiest]
    for t in range(n_touched):
        c = touched[t]
        if c != a and links[c] > most and _fits(c, degree, count, limits, sums):
            best, most = c, links[c]
    forget(found, n_touched)
    return best, (most - own) / degree if degree > 0.0 else 0.0


@compiled
def leaving_gains(task, sums, labels, gains):
    """Compute the best gain of a move to a cluster with room, for nodes of clusters beyond their limits, else -inf.

    Returns the number of clusters beyond their limits.
    """
    _, of_nodes, _, limits = task
    counts, is_fixed = of_nodes
    _, volumes, sizes = sums
    _, _, max_size, max_volume = limits
    found, emptiest, n_over = places(len(volumes)), _emptiest(limits, sums), 0
    for c in range(len(volumes)):
        n_over += 1 if volumes[c] > max_volume or sizes[c] > max_size else 0
    for x in range(len(labels)):
        a = labels[x]
        gains[x] = -np.inf
        if a < 0 or (len(is_fixed) > 0 and is_fixed[x]) or not (volumes[a] > max_volume or sizes[a] > max_size):
            continue
        b, gain = _best_other(task, sums, labels, x, counts[x] if len(counts) > 0 else 1, emptiest, found)
        if b >= 0:
            gains[x] = gain
    return n_over


@compiled
def leave_in_order(task, sums, labels, order, share):
    """Nodes in `order` leave clusters beyond their limits for the best with room, up to a share of what is too much.

    Volumes and sizes are kept up to date. Returns how many nodes moved.
    """
    rows, of_nodes, _, limits = task
    counts, degrees = of_nodes[0], rows[3]
    _, volumes, sizes = sums
    _, _, max_size, max_volume = limits
    k = len(volumes)
    found, volume_goals, size_goals = places(k), np.empty(k), np.empty(k)
    for c in range(k):
        volume_goals[c] = max_volume + (1.0 - share) * max(0.0, volumes[c] - max_volume)
        size_goals[c] = max_size + (1.0 - share) * max(0, sizes[c] - max_size)
    moved, emptiest = 0, _emptiest(limits, sums)
    for x in order:
        a = labels[x]
        if volumes[a] <= volume_goals[a] and sizes[a] <= size_goals[a]:
            continue
        count = counts[x] if len(counts) > 0 else 1
        b, _ = _best_other(task, sums, labels, x, count, emptiest, found)
        if b >= 0:
            volumes[a] -= degrees[x]
            volumes[b] += degrees[x]
            sizes[a] -= count
            sizes[b] += count
            labels[x] = b
            moved += 1
            if b == emptiest:
                emptiest = _emptiest(limits, sums)
    return moved


@compiled
def swap_gains(task, sums, labels, at_border, least, found_pairs):
    """Compute the gains above `least` of moves of nodes to neighbouring clusters, with or without room for the nodes.

    Writes into the arrays of `found_pairs`: node, own cluster times the number of clusters plus the other one, and
    gain; returns how many, and the largest gain. Arrays of length 0 are not written to, for a pass that counts. Only
    nodes `at_border` (n,) bool are looked at; those that turn out to have no neighbour elsewhere are taken out.
    """
    rows, _, objective, _ = task
    nodes, pairs, gains = found_pairs
    degrees, k = rows[3], len(sums[0])
    clusters, total, cut, apart = _records(objective, sums)
    found = places(k)
    links, _, touched = found
    n_found, most = 0, -np.inf
    for x in range(len(labels)):
        if at_border[x] and _is_inside(rows, labels, x):
            at_border[x] = False
        if not at_border[x]:
            continue
        a = labels[x]
        n_touched, loop = gather(rows, labels, x, found)
        degree, link_a = degrees[x] / total, links[a] / total
        _, left, base = _without(objective, clusters[a], total, degree, link_a, loop / total, cut, apart)
        for t in range(n_touched):
            c = touched[t]
            if c != a:
                link = links[c] / total
                part, then, _ = _with(objective, clusters[c], total, degree, link, loop / total, left)
                gain = part - clusters[c].part - base + between(objective, cut + 2.0 * (link_a - link), then)
                most = max(most, gain)
                if gain > least:
                    if len(nodes) > 0:
                        nodes[n_found], pairs[n_found], gains[n_found] = x, a * k + c, gain
                    n_found += 1
        forget(found, n_touched)
    return n_found, most


@compiled
def _go(task, clusters, total, shares, labels, x, b, count):
    """Move a node; returns (what the objective gains, the cut share and 1 - sum of squared shares of volume)."""
    rows, _, objective, _ = task
    cut, apart = shares
    a, degrees = labels[x], rows[3]
    link_a, link_b, loop = _links(rows, labels, x, a, b)
    degree = degrees[x] / total
    rest, left, base = _without(objective, clusters[a], total, degree, link_a / total, loop / total, cut, apart)
    part, then, _ = _with(objective, clusters[b], total, degree, link_b / total, loop / total, left)
    cut += 2.0 * (link_a - link_b) / total
    gain = part - clusters[b].part - base + between(objective, cut, then)
    _take_out(objective, clusters[a], total, rest, link_a, loop, degrees[x], count)
    _put_in(objective, clusters[b], total, part, link_b, loop, degrees[x], count)
    labels[x] = b
    return gain, (cut, then)


@compiled
def swap_nodes(task, sums, labels, lists, nodes, gains):
    """Swap nodes of two clusters while that raises the objective and both keep to their limits; returns the swaps.

    Each row of `lists` (m, 6) is of two clusters: both, the span in `nodes` of those that might go from the first to
    the second, and the span of those that might come back, largest `gains` first.
    """
    rows, of_nodes, objective, limits = task
    counts, degrees = of_nodes[0], rows[3]
    min_size, min_volume, max_size, max_volume = limits
    clusters, total, cut, apart = _records(objective, sums)
    shares, swaps = (cut, apart), 0
    for row in range(len(lists)):
        a, b, i, last, j, other_last = lists[row]
        while i < last and j < other_last and gains[i] + gains[j] > MIN_GAIN:
            x = nodes[i]
            for place in range(j, min(j + _TRIES, other_last)):
                if labels[x] != a or gains[i] + gains[place] <= MIN_GAIN:
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
                first, shares = _go(task, clusters, total, shares, labels, x, b, count)
                second, shares = _go(task, clusters, total, shares, labels, y, a, other)
                if first + second > MIN_GAIN:
                    swaps += 1
                    break
                _, shares = _go(task, clusters, total, shares, labels, y, b, other)
                _, shares = _go(task, clusters, total, shares, labels, x, a, count)
            i += 1
            while j < other_last and labels[nodes[j]] != b:
                j += 1
    _write_back(clusters, sums)
    return swaps
