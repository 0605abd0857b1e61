"""Compiled loops that improve a partition of a whole graph."""

import numpy as np
from numba import njit

from ._objective_loops import between, between_slopes, term

__all__ = ["batch_assign", "cluster_sums", "move_nodes"]

_LEAST_GAIN = 1e-13


@njit(cache=True, nogil=True)
def cluster_sums(indptr, indices, weights, degrees, counts, labels, first, last, inner, volumes, sizes):
    """Add what nodes first to last bring to their clusters: inner weight (both directions), volume, number.

    counts says how many nodes each one stands for; length 0 stands for ones.
    """
    weighted = len(weights) > 0
    for x in range(first, last):
        a = labels[x]
        if a < 0:
            continue
        total = 0.0
        for e in range(indptr[x], indptr[x + 1]):
            if labels[indices[e]] == a:
                total += weights[e] if weighted else 1.0
        inner[a] += total
        volumes[a] += degrees[x]
        sizes[a] += counts[x] if len(counts) > 0 else 1


@njit(cache=True, nogil=True)
def move_nodes(
    indptr,
    indices,
    weights,
    degrees,
    counts,
    objective,
    order,
    n_passes,
    tolerance,
    least_size,
    least_volume,
    inner,
    volumes,
    sizes,
    labels,
):
    """Move single nodes to a neighbouring cluster while that raises the objective.

    Nodes are visited in `order` (natural order if it is empty), and again only after a neighbour has moved. Ends when
    a pass moves no more than `tolerance` times the number of nodes, or after `n_passes`. With a tolerance of 0, a pass
    over all nodes that weighs every candidate exactly must confirm the end, so that no single move raises the
    objective any more. No cluster shrinks below `least_size` nodes or `least_volume`; counts says how many nodes each
    one stands for (length 0: one). inner, volumes and sizes are those of `labels` and are kept up to date.
    Returns (moves made, entries read).
    """
    n = len(labels)
    k = len(inner)
    weighted = len(weights) > 0
    natural = len(order) == 0
    total = volumes.sum()
    sums = np.zeros(k)
    touched = np.empty(k + 1, dtype=np.int32)
    parts = np.empty(k)
    cut, apart = 1.0, 1.0
    for c in range(k):
        parts[c] = term(objective, inner[c] / total, volumes[c] / total)
        cut -= inner[c] / total
        apart -= (volumes[c] / total) ** 2
    active = np.ones(n, dtype=np.bool_)
    confirming = False
    moves, entries = 0, 0
    for _ in range(n_passes):
        moved = 0
        for i in range(n):
            x = i if natural else order[i]
            if not active[x]:
                continue
            active[x] = False
            a = labels[x]
            if a < 0:
                continue
            count = counts[x] if len(counts) > 0 else 1
            if sizes[a] - count < least_size or volumes[a] - degrees[x] < least_volume:
                continue
            # Most nodes lie inside a cluster; they are passed over without touching the sums.
            border = False
            for e in range(indptr[x], indptr[x + 1]):
                c = labels[indices[e]]
                if c != a and c >= 0:
                    border = True
                    break
            if not border:
                continue
            entries += indptr[x + 1] - indptr[x]
            own = 0.0
            n_touched = 0
            for e in range(indptr[x], indptr[x + 1]):
                z = indices[e]
                c = labels[z]
                if c < 0:
                    continue
                weight = weights[e] if weighted else 1.0
                if z == x:
                    own = weight
                    continue
                # Without a branch, which would be mispredicted half the time.
                before = sums[c]
                touched[n_touched] = c
                n_touched += before == 0.0
                sums[c] = before + weight
            degree = degrees[x] / total
            loop = own / total
            link_a = sums[a] / total
            inner_a = inner[a] / total
            volume_a = volumes[a] / total
            left_inner = inner_a - 2.0 * link_a - loop
            left_volume = volume_a - degree
            left_part = term(objective, left_inner, left_volume)
            base = parts[a] + between(objective, cut, apart) - left_part
            apart_a = apart + volume_a * volume_a - left_volume * left_volume
            # Candidates are compared with the part between clusters to first order, one logarithm each; the winner
            # is then weighed exactly. (That part is convex, so a move that looks good so is good.)
            by_cut, by_apart = between_slopes(objective, cut, apart)
            best, chosen, best_part = -np.inf, -1, 0.0
            for t in range(n_touched):
                c = touched[t]
                if c == a:
                    continue
                link = sums[c] / total
                volume_c = volumes[c] / total
                grown = volume_c + degree
                part = term(objective, inner[c] / total + 2.0 * link + loop, grown)
                if confirming:
                    gain = part - parts[c]
                    gain += between(
                        objective, cut + 2.0 * (link_a - link), apart_a + volume_c * volume_c - grown * grown
                    )
                else:
                    gain = part - parts[c] - 2.0 * link * by_cut + (volume_c * volume_c - grown * grown) * by_apart
                if gain > best:
                    best, chosen, best_part = gain, c, part
            if chosen >= 0:
                b = chosen
                volume_b = volumes[b] / total
                grown = volume_b + degree
                moved_cut = cut + 2.0 * (sums[a] - sums[b]) / total
                moved_apart = apart_a + volume_b * volume_b - grown * grown
                if best_part - parts[b] - base + between(objective, moved_cut, moved_apart) <= _LEAST_GAIN:
                    chosen = -1
            if chosen >= 0:
                cut, apart = moved_cut, moved_apart
                inner[a] -= 2.0 * sums[a] + own
                inner[b] += 2.0 * sums[b] + own
                volumes[a] -= degrees[x]
                volumes[b] += degrees[x]
                sizes[a] -= count
                sizes[b] += count
                parts[a] = left_part
                parts[b] = best_part
                labels[x] = b
                moved += 1
                for e in range(indptr[x], indptr[x + 1]):
                    if labels[indices[e]] != b:
                        active[indices[e]] = True
            for t in range(n_touched):
                sums[touched[t]] = 0.0
        moves += moved
        if moved <= tolerance * n:
            if confirming or tolerance > 0.0:
                break
            confirming = True
            active[:] = True
        else:
            confirming = False
    return moves, entries


@njit(cache=True, nogil=True)
def batch_assign(indptr, indices, weights, degrees, by_inner, by_volume, first, last, labels, out):
    """Best cluster of nodes first to last with all others held: the cluster of steepest ascent of the objective.

    For the normalised cut this is the assignment step of weighted kernel k-means (the node's own weight apart). Nodes
    look at the clusters around them and their own; of equals they stay, then take the first met. `out` holds nodes
    first to last alone. Returns how many would change.
    """
    weighted = len(weights) > 0
    sums = np.zeros(len(by_inner))
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
            before = sums[c]
            touched[n_touched] = c
            n_touched += before == 0.0
            sums[c] = before + (weights[e] if weighted else 1.0)
        best = 2.0 * sums[a] * by_inner[a] + degrees[x] * by_volume[a]
        for t in range(n_touched):
            c = touched[t]
            score = 2.0 * sums[c] * by_inner[c] + degrees[x] * by_volume[c]
            sums[c] = 0.0
            if score > best:
                best = score
                out[x - first] = c
        sums[a] = 0.0
        changed += out[x - first] != a
    return changed
