"""Compiled loops that improve a partition of a whole graph by moving nodes.

Where a loop takes a `task`, it is that of `Problem`: the rows; what nodes count
(length 0: one each) and which stay (length 0: none); the objective's code; and the limits of clusters, (least size,
least volume, largest size, largest volume). `sums` are the inner weights, volumes and sizes of the clusters of
`labels`, and are kept up to date.
"""

import numpy as np
from numba import njit

from ...base.compiling import compiled
from ._objective_loops import (
    between,
    between_slopes,
    forget,
    gather,
    is_information,
    most_gained,
    places,
    shares_of,
    term,
    term_slopes,
)

MIN_GAIN = 1e-13
# The rest of a sum after a subtraction is rounding error if it is less than this share of the sum.
ROUNDING = 1e-14

# One cluster: weight inside (both directions), volume and nodes as the caller counts them, its term of the objective,
# and what `most_gained` needs. One record is one look into memory.
_FIELDS = ("inner", "volume", "part", "by_inner", "by_volume")
_CLUSTER = np.dtype((np.record, [*((name, np.float64) for name in _FIELDS), ("count", np.int64)]))


@compiled
def _records(objective, sums):
    """The clusters, the whole volume, the cut share, and 1 - sum of squared shares of volume."""
    inner, volumes, sizes = sums
    total, cut, apart = shares_of(inner, volumes)
    clusters = np.empty(len(inner), dtype=_CLUSTER)
    for c in range(len(inner)):
        new = clusters[c]
        new.inner, new.volume, new.count = inner[c], volumes[c], sizes[c]
        new.part = term(objective, inner[c] / total, volumes[c] / total)
        new.by_inner, new.by_volume = term_slopes(objective, new.inner / total, new.volume / total)
    return clusters, total, cut, apart


@compiled
def _write_back(clusters, sums):
    """Sums from the clusters."""
    inner, volumes, sizes = sums
    for c in range(len(clusters)):
        inner[c], volumes[c], sizes[c] = clusters[c].inner, clusters[c].volume, clusters[c].count


@njit(nogil=True, inline="always")
def _is_inside(rows, labels, x):
    """Whether no neighbour is in another cluster; most nodes are passed over by this, without touching the sums."""
    indptr, indices, _, _ = rows
    for e in range(indptr[x], indptr[x + 1]):
        c = labels[indices[e]]
        if c != labels[x] and c >= 0:
            return False
    return True


@njit(nogil=True, inline="always")
def _rest(before, taken):
    """Subtract from a sum, and return 0 where the rest is rounding error."""
    rest = before - taken
    return rest if rest > ROUNDING * before else 0.0


@compiled
def _without(objective, cluster, total, degree, link, loop, cut, apart):
    """Return a cluster's term and `apart` without a node, and the losses of the two parts of the objective.

    Degree, link and loop are shares of the total.
    """
    volume = cluster.volume / total
    rest = volume - degree
    part = term(objective, _rest(cluster.inner / total, 2.0 * link + loop), rest)
    return part, apart + volume * volume - rest * rest, cluster.part + between(objective, cut, apart) - part


@compiled
def _with(objective, cluster, total, degree, link, loop, apart):
    """Return a cluster's term and `apart` with an unassigned node, and the change of the latter."""
    volume = cluster.volume / total
    grown = volume + degree
    part = term(objective, cluster.inner / total + 2.0 * link + loop, grown)
    return part, apart + volume * volume - grown * grown, volume * volume - grown * grown


@compiled
def _put_in(objective, cluster, total, part, link, loop, degree, count):
    """Add a node to a cluster; `part` is the cluster's term then."""
    cluster.inner += 2.0 * link + loop
    cluster.volume += degree
    cluster.count += count
    cluster.part = part
    cluster.by_inner, cluster.by_volume = term_slopes(objective, cluster.inner / total, cluster.volume / total)


@compiled
def _take_out(objective, cluster, total, part, link, loop, degree, count):
    """Take a node out of a cluster."""
    cluster.inner = _rest(cluster.inner, 2.0 * link + loop)
    cluster.volume = _rest(cluster.volume, degree)
    cluster.count -= count
    cluster.part = part
    cluster.by_inner, cluster.by_volume = term_slopes(objective, cluster.inner / total, cluster.volume / total)


@njit(nogil=True, inline="always")
def _best_move(objective, clusters, shares, node, found, n_touched, limits, is_exact):
    """The best of the clusters around a node, or -1, and what moving there would leave.

    `shares` are the whole volume, the cut share and 1 - sum of squared shares of volume; `node` is its cluster, degree,
    count and self-loop. Returns (cluster, its term then, 1 - sum of squares then, the term of the cluster left, what
    leaving costs). Candidates are compared with the part between clusters to first order, unless this `is_exact`, and
    only where a bound without a logarithm leaves a candidate a chance; whoever goes there weighs the winner exactly.
    (That part is convex where it is not 0, so a move that looks good so is good.)
    """
    total, cut, apart = shares
    a, weight, count, loop = node
    sums, _, touched = found
    _, _, max_size, max_volume = limits
    degree, link_a = weight / total, sums[a] / total
    rest_part, left, base = _without(objective, clusters[a], total, degree, link_a, loop / total, cut, apart)
    by_cut, by_apart = between_slopes(objective, cut, apart)
    best, b, best_part, best_apart = -np.inf, -1, 0.0, 0.0
    is_bounded = is_information(objective) and not is_exact
    reach = 2.0 * degree  # no move changes the cut share or `apart` by more
    if is_bounded and cut > 2.0 * reach and apart > 2.0 * reach:
        # A move has to gain the cost of leaving, less the convex rest of the part between clusters.
        above = reach * reach * (1.0 + 3.0 * cut / apart) ** 2 / cut
        best = base - between(objective, cut, apart) - 2.0 * link_a * by_cut - (left - apart) * by_apart - above
    for t in range(n_touched):
        c = touched[t]
        if c == a or clusters[c].count + count > max_size or clusters[c].volume + weight > max_volume:
            continue
        if is_bounded:
            most = most_gained(objective, clusters[c], 2.0 * sums[c] + loop, weight) - 2.0 * sums[c] * by_cut
            if most - degree * (2.0 * clusters[c].volume + weight) * by_apart <= best * total:
                continue
        link = sums[c] / total
        part, then, change = _with(objective, clusters[c], total, degree, link, loop / total, left)
        gain = part - clusters[c].part
        if is_exact:
            gain += between(objective, cut + 2.0 * (link_a - link), then)
        else:
            gain = gain - 2.0 * link * by_cut + change * by_apart
        if gain > best:
            best, b, best_part, best_apart = gain, c, part, then
    return b, best_part, best_apart, rest_part, base


@compiled
def _an_empty_one(clusters, first):
    """A cluster without nodes, looked for from `first` on; any, where there is none."""
    for step in range(len(clusters)):
        c = (first + step) % len(clusters)
        if clusters[c].count == 0:
            return c
    return first


@compiled
def move_nodes(task, sums, labels, active, visits, ends, looks_only):
    """Move single nodes to a neighbouring cluster while that raises the objective.

    `visits` are (order, first, last, is_local): nodes that are `active` (all, if this is not `is_local`; overwritten)
    are visited in `order` (natural order if it is empty), from place `first` to `last` of it, and others and again only
    after a neighbour has moved. With `looks_only` nothing but `active` is changed: what would move, with all others as
    they are, stays active. `ends` are (n_passes, tolerance): ends when a pass moves no more than `tolerance` times the
    number of nodes, or after `n_passes`. With a tolerance of 0, a pass over all nodes that weighs every candidate
    exactly must confirm the end, so that no single move raises the objective any more. Returns (moves made, entries
    read).
    """
    rows, of_nodes, objective, limits = task
    indptr, indices, _, degrees = rows
    counts, is_fixed = of_nodes
    min_size, min_volume, _, _ = limits
    order, first, last, is_local = visits
    n_passes, tolerance = ends
    clusters, total, cut, apart = _records(objective, sums)
    found = places(len(clusters))
    links = found[0]
    confirming, spare, moves, entries = False, 0, 0, 0
    for _ in range(n_passes):
        moved = 0
        for i in range(first, last):
            x = i if len(order) == 0 else order[i]
            if not active[x]:
                continue
            active[x] = False
            a = labels[x]
            if a < 0 or (len(is_fixed) > 0 and is_fixed[x]):
                continue
            count = counts[x] if len(counts) > 0 else 1
            rest = _rest(clusters[a].volume, degrees[x])
            # A node that is nearly all of its cluster stays: the sums of what is left would be rounding.
            is_most = rest <= ROUNDING * degrees[x] and clusters[a].count > count
            if clusters[a].count - count < min_size or rest < min_volume or is_most:
                continue
            # Where clusters may be emptied, a group of nodes may also leave for an empty one.
            is_leaver = min_size == 0 and len(counts) > 0 and clusters[a].count > count
            if not is_leaver and _is_inside(rows, labels, x):
                continue
            entries += indptr[x + 1] - indptr[x]
            n_touched, loop = gather(rows, labels, x, found)
            n_candidates = n_touched
            if is_leaver:
                spare = _an_empty_one(clusters, spare)
                if clusters[spare].count == 0:
                    found[2][n_touched] = spare
                    n_candidates += 1
            shares, node = (total, cut, apart), (a, degrees[x], count, loop)
            b, best_part, best_apart, rest_part, base = _best_move(
                objective, clusters, shares, node, found, n_candidates, limits, confirming
            )
            if b >= 0:
                best_cut = cut + 2.0 * (links[a] - links[b]) / total
                if best_part - clusters[b].part - base + between(objective, best_cut, best_apart) > MIN_GAIN:
                    moved += 1
                    if looks_only:
                        active[x] = True
                    else:
                        cut, apart = best_cut, best_apart
                        _take_out(objective, clusters[a], total, rest_part, links[a], loop, degrees[x], count)
                        _put_in(objective, clusters[b], total, best_part, links[b], loop, degrees[x], count)
                        labels[x] = b
                        for e in range(indptr[x], indptr[x + 1]):
                            if labels[indices[e]] != b:
                                active[indices[e]] = True
            forget(found, n_touched)
        moves += moved
        if moved <= tolerance * len(labels):
            if confirming or tolerance > 0.0 or is_local:
                break
            confirming = True
            active[:] = True
        else:
            confirming = False
    if not looks_only:
        _write_back(clusters, sums)
    return moves, entries


@njit(nogil=True, inline="always")
def _links(rows, labels, x, a, b):
    """Weights of x to the clusters a and b, and its self-loop."""
    indptr, indices, weights, _ = rows
    weighted = len(weights) > 0
    to_a, to_b, loop = 0.0, 0.0, 0.0
    for e in range(indptr[x], indptr[x + 1]):
        weight = weights[e] if weighted else 1.0
        if indices[e] == x:
            loop = weight
        elif labels[indices[e]] == a:
            to_a += weight
        elif labels[indices[e]] == b:
            to_b += weight
    return to_a, to_b, loop
