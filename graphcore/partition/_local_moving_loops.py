"""Compiled loops that improve a partition of a whole graph by local moving."""

import numpy as np
from numba import njit

from .._compile import compiled
from .._touched import add
from ._objective_loops import between, between_slopes, term, total_of

_MIN_GAIN = 1e-13
# What is left of a sum after something was taken out is rounding if it is less than this share of what it was.
_ROUNDING = 1e-14


# One cluster: weight inside (both directions), volume and nodes as the caller counts them, and its term of the
# objective. One record is one look into memory.
_CLUSTER = np.dtype(
    (np.record, [("inner", np.float64), ("volume", np.float64), ("count", np.int64), ("part", np.float64)])
)


@compiled
def _records(objective, inner, volumes, sizes, total):
    """The clusters, the cut share, and 1 - sum of squared shares of volume."""
    clusters = np.empty(len(inner), dtype=_CLUSTER)
    cut, apart = 1.0, 1.0
    for c in range(len(inner)):
        new = clusters[c]
        new.inner, new.volume, new.count = inner[c], volumes[c], sizes[c]
        new.part = term(objective, inner[c] / total, volumes[c] / total)
        cut -= inner[c] / total
        apart -= (volumes[c] / total) * (volumes[c] / total)
    return clusters, cut, apart


@njit(nogil=True, inline="always")
def _is_inside(indptr, indices, labels, x):
    """Whether no neighbour is in another cluster; most nodes are passed over by this, without touching the sums."""
    for e in range(indptr[x], indptr[x + 1]):
        c = labels[indices[e]]
        if c != labels[x] and c >= 0:
            return False
    return True


@njit(nogil=True, inline="always")
def _gather(indptr, indices, weights, labels, x, sums, is_listed, touched):
    """Weights of x to the clusters around it into `sums`; returns (clusters listed in `touched`, its self-loop)."""
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
def _rest(before, taken):
    """What is left of a sum."""
    rest = before - taken
    return rest if rest > _ROUNDING * before else 0.0


@compiled
def _without(objective, cluster, total, degree, link, loop, cut, apart):
    """What becomes of a cluster's term and of `apart` without a node, and what the objective's two parts lose by it.

    Degree, link and loop are shares of the total.
    """
    volume = cluster.volume / total
    rest = volume - degree
    part = term(objective, _rest(cluster.inner / total, 2.0 * link + loop), rest)
    return part, apart + volume * volume - rest * rest, cluster.part + between(objective, cut, apart) - part


@compiled
def _with(objective, cluster, total, degree, link, loop, apart):
    """What becomes of a cluster's term and of `apart` with a node that was in none, and the change of the latter."""
    volume = cluster.volume / total
    grown = volume + degree
    part = term(objective, cluster.inner / total + 2.0 * link + loop, grown)
    return part, apart + volume * volume - grown * grown, volume * volume - grown * grown


@compiled
def _put_in(cluster, part, link, loop, degree, count):
    """Add a node to a cluster; `part` is the cluster's term then."""
    cluster.inner += 2.0 * link + loop
    cluster.volume += degree
    cluster.count += count
    cluster.part = part


@compiled
def _take_out(cluster, part, link, loop, degree, count):
    """Take a node out of a cluster."""
    cluster.inner = _rest(cluster.inner, 2.0 * link + loop)
    cluster.volume = _rest(cluster.volume, degree)
    cluster.count -= count
    cluster.part = part


@compiled
def _an_empty_one(clusters, first):
    """A cluster without nodes, looked for from `first` on; any, where there is none."""
    for step in range(len(clusters)):
        c = (first + step) % len(clusters)
        if clusters[c].count == 0:
            return c
    return first


@compiled
def move_nodes(
    indptr, indices, weights, degrees, counts, objective, order, n_passes, tolerance, min_size, min_volume, max_size,
    max_volume, is_fixed, active, is_local, inner, volumes, sizes, labels, first, last, looks_only,
):  # fmt: skip
    """Move single nodes to a neighbouring cluster while that raises the objective.

    Nodes that are `active` (all, if this is not `is_local`; overwritten) are visited in `order` (natural order if it is
    empty), from place `first` to `last` of it, and others and again only after a neighbour has moved. With `looks_only`
    nothing but `active` is changed: what would move, with all others as they are, stays active. Ends when a pass moves
    no more than `tolerance` times the number of nodes, or after `n_passes`. With a tolerance of 0, a pass over all
    nodes that weighs every candidate exactly must confirm the end, so that no single move raises the objective any
    more. No cluster shrinks below `min_size` nodes or `min_volume`, or grows beyond `max_size` or `max_volume`; counts
    says how many nodes each one stands for (length 0: one), is_fixed which ones stay (length 0: none). inner, volumes
    and sizes are those of `labels` and are kept up to date.
    Returns (moves made, entries read).
    """
    n = len(labels)
    natural = len(order) == 0
    total = total_of(volumes)
    clusters, cut, apart = _records(objective, inner, volumes, sizes, total)
    sums, is_listed = np.zeros(len(inner)), np.zeros(len(inner), dtype=np.bool_)
    touched = np.empty(len(inner) + 1, dtype=np.int32)
    confirming, spare = False, 0
    moves, entries = 0, 0
    for _ in range(n_passes):
        moved = 0
        for i in range(first, last):
            x = i if natural else order[i]
            if not active[x]:
                continue
            active[x] = False
            a = labels[x]
            if a < 0 or (len(is_fixed) > 0 and is_fixed[x]):
                continue
            count = counts[x] if len(counts) > 0 else 1
            rest = clusters[a].volume - degrees[x]
            # A node that is nearly all of its cluster stays: the sums of what is left would be rounding.
            is_most = rest <= _ROUNDING * degrees[x] and clusters[a].count > count
            if clusters[a].count - count < min_size or rest < min_volume or is_most:
                continue
            # Where clusters may be emptied, a group of nodes may also leave for an empty one.
            is_leaver = min_size == 0 and len(counts) > 0 and clusters[a].count > count
            if not is_leaver and _is_inside(indptr, indices, labels, x):
                continue
            if is_leaver:
                spare = _an_empty_one(clusters, spare)
            entries += indptr[x + 1] - indptr[x]
            n_touched, loop = _gather(indptr, indices, weights, labels, x, sums, is_listed, touched)
            degree, link_a = degrees[x] / total, sums[a] / total
            rest_part, left, base = _without(objective, clusters[a], total, degree, link_a, loop / total, cut, apart)
            # Candidates are compared with the part between clusters to first order, one logarithm each; the winner
            # is then weighed exactly. (That part is convex, so a move that looks good so is good.)
            by_cut, by_apart = between_slopes(objective, cut, apart)
            best, b, best_part, best_apart = -np.inf, -1, 0.0, 0.0
            for t in range(n_touched):
                c = touched[t]
                if c == a or clusters[c].count + count > max_size or clusters[c].volume + degrees[x] > max_volume:
                    continue
                link = sums[c] / total
                part, then, change = _with(objective, clusters[c], total, degree, link, loop / total, left)
                gain = part - clusters[c].part
                if confirming:
                    gain += between(objective, cut + 2.0 * (link_a - link), then)
                else:
                    gain = gain - 2.0 * link * by_cut + change * by_apart
                if gain > best:
                    best, b, best_part, best_apart = gain, c, part, then
            if is_leaver and clusters[spare].count == 0:
                part, then, _ = _with(objective, clusters[spare], total, degree, 0.0, loop / total, left)
                if part > best:
                    best, b, best_part, best_apart = part, spare, part, then
            if b >= 0:
                best_cut = cut + 2.0 * (sums[a] - sums[b]) / total
                if best_part - clusters[b].part - base + between(objective, best_cut, best_apart) > _MIN_GAIN:
                    moved += 1
                    if looks_only:
                        active[x] = True
                    else:
                        cut, apart = best_cut, best_apart
                        _take_out(clusters[a], rest_part, sums[a], loop, degrees[x], count)
                        _put_in(clusters[b], best_part, sums[b], loop, degrees[x], count)
                        labels[x] = b
                        for e in range(indptr[x], indptr[x + 1]):
                            if labels[indices[e]] != b:
                                active[indices[e]] = True
            for t in range(n_touched):
                sums[touched[t]] = 0.0
                is_listed[touched[t]] = False
        moves += moved
        if moved <= tolerance * n:
            if confirming or tolerance > 0.0 or is_local:
                break
            confirming = True
            active[:] = True
        else:
            confirming = False
    for c in range(0 if looks_only else len(inner)):
        inner[c], volumes[c], sizes[c] = clusters[c].inner, clusters[c].volume, clusters[c].count
    return moves, entries


@compiled
def batch_assign(indptr, indices, weights, degrees, by_inner, by_volume, first, last, labels, out):
    """Best cluster of nodes first to last with all others held: the cluster of steepest ascent of the objective.

    For the normalised cut this is the assignment step of weighted kernel k-means (the node's own weight apart). Nodes
    look at the clusters around them and their own; of equals they stay, then take the first met. `out` holds nodes
    first to last alone. Returns how many would change.
    """
    weighted = len(weights) > 0
    sums, is_listed = np.zeros(len(by_inner)), np.zeros(len(by_inner), dtype=np.bool_)
    touched = np.empty(len(by_inner) + 1, dtype=np.int32)
    changed = 0
    for x in range(first, last):
        a = labels[x]
        out[x - first] = a
        if a < 0:
            continue
        n_touched = 0
        for e in range(indptr[x], indptr[x + 1]):
            c = labels[indices[e]]
            if c < 0 or indices[e] == x:
                continue
            n_touched = add(sums, is_listed, touched, n_touched, c, weights[e] if weighted else 1.0)
        best = 2.0 * sums[a] * by_inner[a] + degrees[x] * by_volume[a]
        for t in range(n_touched):
            c = touched[t]
            score = 2.0 * sums[c] * by_inner[c] + degrees[x] * by_volume[c]
            sums[c] = 0.0
            is_listed[c] = False
            if score > best:
                best = score
                out[x - first] = c
        changed += out[x - first] != a
    return changed
