"""Compiled loops that improve a partition of a whole graph by moving nodes.

Where a loop takes a `task`, it is that of `Problem`: the rows; what nodes count
(length 0: one each) and which stay (length 0: none); the objective's code; and the limits of clusters, (least size,
least volume, largest size). `sums` are the inner weights, volumes and sizes of the clusters of
`labels`, and are kept up to date; `room` is what :func:`room` makes.
"""

from math import exp

import numpy as np
from numba import njit

from ...base.loops import compiled
from ...graphs._loops import add
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


def room(n_clusters):
    """Return what a loop that moves nodes needs: the clusters, which it fills, and `places`."""
    return np.empty(n_clusters, dtype=_CLUSTER), places(n_clusters)


@compiled
def _fill(objective, sums, clusters):
    """Fill in the clusters; returns the whole volume, the cut share, and 1 - sum of squared shares of volume."""
    inner, volumes, sizes = sums
    total, cut, apart = shares_of(inner, volumes)
    for c in range(len(inner)):
        new = clusters[c]
        new.inner, new.volume, new.count = inner[c], volumes[c], sizes[c]
        new.part = term(objective, inner[c] / total, volumes[c] / total)
        new.by_inner, new.by_volume = term_slopes(objective, new.inner / total, new.volume / total)
    return total, cut, apart


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
    (That part is convex, so a move that looks good so is good.)
    """
    total, cut, apart = shares
    a, weight, count, loop = node
    sums, _, touched = found
    _, _, max_size = limits
    degree, link_a = weight / total, sums[a] / total
    rest_part, left, base = _without(objective, clusters[a], total, degree, link_a, loop / total, cut, apart)
    by_cut, by_apart = between_slopes(objective, cut, apart)
    best, b, best_part, best_apart = -np.inf, -1, 0.0, 0.0
    is_bounded = is_information(objective) and not is_exact
    reach = 2.0 * degree  # no move changes the cut share or `apart` by more
    if is_bounded and cut > 2.0 * reach and apart > 2.0 * reach:
        # A move has to gain the cost of leaving, less the convex rest of the part between clusters.
        above = reach * reach * (1.0 + 3.0 * cut / apart) * (1.0 + 3.0 * cut / apart) / cut
        best = base - between(objective, cut, apart) - 2.0 * link_a * by_cut - (left - apart) * by_apart - above
    for t in range(n_touched):
        c = touched[t]
        if c == a or clusters[c].count + count > max_size:
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
    """A cluster without nodes, looked for from `first` on; -1 where there is none."""
    for step in range(len(clusters)):
        c = (first + step) % len(clusters)
        if clusters[c].count == 0:
            return c
    return -1


@compiled
def move_nodes(task, sums, labels, active, visits, ends, looks_only, room):
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
    min_size, min_volume, _ = limits
    order, first, last, is_local = visits
    n_passes, tolerance = ends
    clusters, found = room
    total, cut, apart = _fill(objective, sums, clusters)
    links = found[0]
    confirming, spare, moves, entries = False, _an_empty_one(clusters, 0), 0, 0
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
            # A group of nodes may leave for an empty cluster, too; a single node from the border, where k is free.
            is_leaver = spare >= 0 and clusters[a].count > count and (min_size == 0 or len(counts) > 0)
            if (len(counts) == 0 or not is_leaver) and _is_inside(rows, labels, x):
                continue
            entries += indptr[x + 1] - indptr[x]
            n_touched, loop = gather(rows, labels, x, found)
            n_candidates = n_touched
            if is_leaver:
                spare = _an_empty_one(clusters, spare)
                if spare >= 0:
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
                        spare = a if spare < 0 and clusters[a].count == 0 else spare
                        for e in range(indptr[x], indptr[x + 1]):
                            if labels[indices[e]] != b:
                                active[indices[e]] = True
            forget(found, n_touched)
        moves += moved
        if moved <= tolerance * len(labels):
            if confirming or tolerance > 0.0 or is_local:
                break
            confirming = True
            for x in range(len(active)):
                active[x] = True
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


@njit(nogil=True, inline="always")
def _is_near(rows, bits, x):
    """Whether a neighbour's bit is set, as numpy packs them."""
    indptr, indices, _, _ = rows
    found = 0
    for z in indices[indptr[x] : indptr[x + 1]]:
        found |= bits[z >> 3] >> (7 - (z & 7)) & 1
    return found > 0


@compiled
def change_inside(rows, labels, nodes, old, moved, span, change):
    """Add to `change` what the moves of a span of `nodes` have done to the weight inside clusters, both directions.

    All `nodes` have moved at once, from their `old` labels; they ascend, and `moved` holds their bits. An edge between
    two of them counts once for each, other edges count twice.
    """
    indptr, indices, weights, _ = rows
    for i in range(span[0], span[1]):
        x = nodes[i]
        for e in range(indptr[x], indptr[x + 1]):
            z = indices[e]
            weight = weights[e] if len(weights) > 0 else 1.0
            now = then = labels[z]
            if moved[z >> 3] >> (7 - (z & 7)) & 1:
                then = old[np.searchsorted(nodes, z)]
            else:
                weight *= 2.0
            if then == old[i]:
                change[then] -= weight
            if now == labels[x]:
                change[now] += weight


@compiled
def move_block(task, sums, labels, own, first, last, near, inner, room):
    """Move nodes first to last, one after the other, to a neighbouring cluster while that raises the objective.

    `own` comes with the labels of these nodes and is changed; `task` and `sums` are those of
    `_move_loops.py`, of all labels, and stay: `inner` gets the inner weights. `near` has
    a bit for each node (length 0: all are set): nodes are passed over if none of their neighbours' is set. Returns the
    number of moves.
    """
    rows, _, objective, limits = task
    indptr, indices, weights, degrees = rows
    min_size, min_volume, _ = limits
    clusters, found = room
    total, cut, apart = _fill(objective, sums, clusters)
    links, is_listed, touched = found
    moves = 0
    for x in range(first, last):
        a = own[x - first]
        if a < 0:
            continue
        rest = clusters[a].volume - degrees[x]
        # A node that is nearly all of its cluster stays: the sums of what is left would be rounding.
        if clusters[a].count <= min_size or rest < min_volume or rest <= ROUNDING * degrees[x]:
            continue
        if len(near) > 0 and not _is_near(rows, near, x):
            continue
        n_touched, loop = 0, 0.0
        for e in range(indptr[x], indptr[x + 1]):
            z = indices[e]
            c = own[z - first] if first <= z < last else labels[z]
            if c < 0:
                continue
            weight = weights[e] if len(weights) > 0 else 1.0
            if z == x:
                loop = weight
            else:
                n_touched = add(links, is_listed, touched, n_touched, c, weight)
        if n_touched > 1 or (n_touched == 1 and touched[0] != a):
            shares, node = (total, cut, apart), (a, degrees[x], 1, loop)
            b, part, best_apart, rest_part, base = _best_move(
                objective, clusters, shares, node, found, n_touched, limits, False
            )
            best_cut = cut + 2.0 * (links[a] - links[b]) / total
            if b >= 0 and part - clusters[b].part - base + between(objective, best_cut, best_apart) > MIN_GAIN:
                cut, apart = best_cut, best_apart
                _take_out(objective, clusters[a], total, rest_part, links[a], loop, degrees[x], 1)
                _put_in(objective, clusters[b], total, part, links[b], loop, degrees[x], 1)
                own[x - first] = b
                moves += 1
        forget(found, n_touched)
    for c in range(len(inner)):
        inner[c] = clusters[c].inner
    return moves


@compiled
def batch_assign(rows, slopes, labels, first, last, found, out):
    """Best cluster of nodes first to last with all others held: the cluster of steepest ascent of the objective.

    `slopes` are those by inner weight and by volume. For the normalised cut this is the assignment step of weighted
    kernel k-means, in which a node's loop is a link to its own cluster. Nodes look at the clusters around them and
    their own; of equals they stay, then take the first met. `out` holds nodes first to last alone. Returns how many
    would change.
    """
    by_inner, by_volume = slopes
    degrees = rows[3]
    links, _, touched = found
    changed = 0
    for x in range(first, last):
        a = labels[x]
        out[x - first] = a
        if a < 0:
            continue
        n_touched, loop = gather(rows, labels, x, found)
        best = 2.0 * (links[a] + loop) * by_inner[a] + degrees[x] * by_volume[a]
        for t in range(n_touched):
            c = touched[t]
            if c == a:
                continue
            score = 2.0 * links[c] * by_inner[c] + degrees[x] * by_volume[c]
            if score > best:
                best = score
                out[x - first] = c
        forget(found, n_touched)
        changed += out[x - first] != a
    return changed


@compiled
def annealing_sweeps(task, sums, labels, temperatures, rng, clusters):
    """Propose, once per node for each temperature, a move of a random node to a random neighbour's cluster.

    A proposal that gains is accepted, one that loses with probability exp(gain / temperature): gains are in units of
    the mean weight of an edge end, the temperature without unit. Returns the number of moves.
    """
    rows, of_nodes, objective, limits = task
    indptr, indices, _, degrees = rows
    counts, is_fixed = of_nodes
    min_size, min_volume, max_size = limits
    total, cut, apart = _fill(objective, sums, clusters)
    n = len(labels)
    across = between(objective, cut, apart)
    moved = 0
    for temperature in temperatures:
        unit = 2.0 * temperature / max(1, len(indices))
        for _ in range(n):
            x = int(rng.random() * n)
            a, first, length = labels[x], indptr[x], indptr[x + 1] - indptr[x]
            if a < 0 or length == 0 or (len(is_fixed) > 0 and is_fixed[x]):
                continue
            count = counts[x] if len(counts) > 0 else 1
            b = labels[indices[first + int(rng.random() * length)]]
            if b == a or b < 0:
                continue
            one, other = clusters[a], clusters[b]
            left, grown = _rest(one.volume, degrees[x]), other.volume + degrees[x]
            is_most = left <= ROUNDING * degrees[x] and one.count > count
            if one.count - count < min_size or left < min_volume or is_most:
                continue
            if other.count + count > max_size:
                continue
            from_a, to_b, loop = _links(rows, labels, x, a, b)
            rest, grown = left / total, grown / total
            part_a = term(objective, _rest(one.inner, 2.0 * from_a + loop) / total, rest)
            part_b = term(objective, (other.inner + 2.0 * to_b + loop) / total, grown)
            new_cut = cut + 2.0 * (from_a - to_b) / total
            share_a, share_b = one.volume / total, other.volume / total
            new_apart = apart + share_a * share_a + share_b * share_b - rest * rest - grown * grown
            new_across = between(objective, new_cut, new_apart)
            gain = part_a + part_b + new_across - one.part - other.part - across
            if gain < 0.0 and (unit == 0.0 or rng.random() >= exp(gain / unit)):
                continue
            _take_out(objective, one, total, part_a, from_a, loop, degrees[x], count)
            _put_in(objective, other, total, part_b, to_b, loop, degrees[x], count)
            cut, apart, across = new_cut, new_apart, new_across
            labels[x] = b
            moved += 1
    _write_back(clusters, sums)
    return moved


@compiled
def _smallest(sizes):
    """The cluster of the smallest size, the first of equal ones."""
    best = 0
    for c in range(len(sizes)):
        if sizes[c] < sizes[best]:
            best = c
    return best


@njit(nogil=True, inline="always")
def _takes(size, count, bounds):
    """Whether a cluster takes a node: it has room for it, and lacks nodes where small clusters `grow`."""
    least, most, grow = bounds
    return size + count <= most and (not grow or size < least)


@compiled
def _best_target(rows, sizes, bounds, labels, x, count, smallest, found):
    """(cluster that takes x and that x has most weight to, weight gained inside for its degree); -1 if none does."""
    a, degree = labels[x], rows[3][x]
    n_touched, _ = gather(rows, labels, x, found)
    links, _, touched = found
    own, best, most = links[a], -1, 0.0
    if smallest != a and _takes(sizes[smallest], count, bounds):
        best, most = smallest, links[smallest]
    for t in range(n_touched):
        c = touched[t]
        if c != a and links[c] > most and _takes(sizes[c], count, bounds):
            best, most = c, links[c]
    forget(found, n_touched)
    return best, (most - own) / degree if degree > 0.0 else 0.0


@compiled
def size_gains(rows, of_nodes, sizes, bounds, labels, found, gains):
    """Compute each node's best gain by a move that brings sizes nearer to their bounds, -inf where there is none.

    `bounds` are (least size, largest size, whether small clusters are to grow, or full ones to shrink).
    """
    counts, is_fixed = of_nodes
    least, most, grow = bounds
    smallest = _smallest(sizes)
    for x in range(len(labels)):
        a = labels[x]
        gains[x] = -np.inf
        if a < 0 or (len(is_fixed) > 0 and is_fixed[x]):
            continue
        count = counts[x] if len(counts) > 0 else 1
        if sizes[a] - count >= least if grow else sizes[a] > most:
            b, gain = _best_target(rows, sizes, bounds, labels, x, count, smallest, found)
            if b >= 0:
                gains[x] = gain


@compiled
def move_for_sizes(rows, counts, sizes, bounds, labels, order, share, found, goals):
    """Move nodes in `order` as :func:`size_gains` has it, up to a share of what clusters lack or have too much.

    Sizes are kept up to date. Returns how many nodes moved.
    """
    least, most, grow = bounds
    for c in range(len(sizes)):
        lacks, excess = max(0, least - sizes[c]), max(0, sizes[c] - most)
        goals[c] = least - (1.0 - share) * lacks if grow else most + (1.0 - share) * excess
    moved, smallest = 0, _smallest(sizes)
    for x in order:
        a, count = labels[x], counts[x] if len(counts) > 0 else 1
        if sizes[a] - count < least if grow else sizes[a] <= goals[a]:
            continue
        b, _ = _best_target(rows, sizes, bounds, labels, x, count, smallest, found)
        if b >= 0 and (not grow or sizes[b] < goals[b]):
            sizes[a] -= count
            sizes[b] += count
            labels[x] = b
            moved += 1
            if b == smallest:
                smallest = _smallest(sizes)
            elif sizes[a] < sizes[smallest]:
                smallest = a
    return moved
