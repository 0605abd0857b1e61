"""Compiled loops that change the labels of one block of nodes, while those of all others are held."""

import numpy as np
from numba import njit

from ...base._loops import add
from ...base.compiling import compiled
from ._local_moving_loops import MIN_GAIN, ROUNDING, _best_move, _put_in, _records, _take_out
from ._objective_loops import between, forget, gather, places


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
def move_block(task, sums, labels, own, first, last, near, inner):
    """Move nodes first to last, one after the other, to a neighbouring cluster while that raises the objective.

    `own` comes with the labels of these nodes and is changed; `task` and `sums` are those of
    `_local_moving_loops.py`, of all labels, and stay: `inner` gets the inner weights. `near` has
    a bit for each node (length 0: all are set): nodes are passed over if none of their neighbours' is set. Returns the
    number of moves.
    """
    rows, _, objective, limits = task
    indptr, indices, weights, degrees = rows
    min_size, min_volume, _, _ = limits
    clusters, total, cut, apart = _records(objective, sums)
    found = places(len(clusters))
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
def batch_assign(rows, slopes, labels, first, last, out):
    """Best cluster of nodes first to last with all others held: the cluster of steepest ascent of the objective.

    `slopes` are those by inner weight and by volume. For the normalised cut this is the assignment step of weighted
    kernel k-means (the node's own weight apart). Nodes look at the clusters around them and their own; of equals they
    stay, then take the first met. `out` holds nodes first to last alone. Returns how many would change.
    """
    by_inner, by_volume = slopes
    found, degrees = places(len(by_inner)), rows[3]
    links, _, touched = found
    changed = 0
    for x in range(first, last):
        a = labels[x]
        out[x - first] = a
        if a < 0:
            continue
        n_touched, _ = gather(rows, labels, x, found)
        best = 2.0 * links[a] * by_inner[a] + degrees[x] * by_volume[a]
        for t in range(n_touched):
            c = touched[t]
            score = 2.0 * links[c] * by_inner[c] + degrees[x] * by_volume[c]
            if score > best:
                best = score
                out[x - first] = c
        forget(found, n_touched)
        changed += out[x - first] != a
    return changed
