"""Compiled loops that put nodes into groups: micro-clusters around coreset nodes, and groups inside clusters."""

import numpy as np

from ...base.compiling import compiled
from ._objective_loops import forget, gather, places


@compiled
def claim_nodes(points, rows, scale, loops, best, labels):
    """Every node goes to the row that is largest there, of equals to its own row or else the first.

    `rows` of the points are (starts, stops, indices, values), to be scaled. `best` comes with what a row's loop alone
    gives at its own point; untouched nodes keep their micro-cluster.
    """
    starts, stops, indices, values = rows
    weighted = len(values) > 0
    for r in range(len(starts)):
        own = points[r]
        for e in range(starts[r], stops[r]):
            x = indices[e]
            value = scale[r] * values[e] if weighted else scale[r]
            if x == own:
                value += scale[r] * loops[r]
            offer = np.float32(value)
            if offer > best[x] or (x == own and offer == best[x]):
                best[x] = offer
                labels[x] = r


@compiled
def offer_labels(rows, labels, n_labels, first, last, nodes, offers):
    """For nodes first to last of label -1 the label with most weight around them; of equals, the first met.

    `nodes` and `offers` are filled with those that have a labelled neighbour; returns how many.
    """
    found, n_found = places(n_labels), 0
    sums, _, touched = found
    for x in range(first, last):
        if labels[x] >= 0:
            continue
        n_touched, _ = gather(rows, labels, x, found)
        highest, chosen = -1.0, -1
        for t in range(n_touched):
            if sums[touched[t]] > highest:
                highest, chosen = sums[touched[t]], touched[t]
        forget(found, n_touched)
        if chosen >= 0:
            nodes[n_found], offers[n_found] = x, chosen
            n_found += 1
    return n_found


@compiled
def spread_labels(rows, n_labels, labels):
    """Give nodes of label -1 the label with most weight around them, breadth first from the labelled ones.

    A component that holds no label becomes a new one. Nodes without any edge stay -1. Returns the number of labels.
    """
    indptr, indices, weights, _ = rows
    n = len(labels)
    weighted = len(weights) > 0
    sums = np.zeros(n_labels)
    queue = np.empty(n, dtype=indices.dtype)
    queued = np.zeros(n, dtype=np.bool_)
    head, tail = 0, 0
    for x in range(n):
        if labels[x] < 0:
            for e in range(indptr[x], indptr[x + 1]):
                if labels[indices[e]] >= 0:
                    queue[tail] = x
                    tail += 1
                    queued[x] = True
                    break
    while head < tail:
        x = queue[head]
        head += 1
        highest, chosen = -1.0, -1
        for e in range(indptr[x], indptr[x + 1]):
            c = labels[indices[e]]
            if c >= 0:
                sums[c] += weights[e] if weighted else 1.0
                if sums[c] > highest:
                    highest, chosen = sums[c], c
        for e in range(indptr[x], indptr[x + 1]):
            z = indices[e]
            if labels[z] >= 0:
                sums[labels[z]] = 0.0
            elif not queued[z]:
                queue[tail] = z
                tail += 1
                queued[z] = True
        labels[x] = chosen
    for y in range(n):
        if labels[y] >= 0 or indptr[y] == indptr[y + 1]:
            continue
        head, tail = 0, 1
        queue[0] = y
        labels[y] = n_labels
        while head < tail:
            x = queue[head]
            head += 1
            for e in range(indptr[x], indptr[x + 1]):
                z = indices[e]
                if labels[z] < 0:
                    labels[z] = n_labels
                    queue[tail] = z
                    tail += 1
        n_labels += 1
    return n_labels


@compiled
def join_subgroups(rows, total, clusters, resolutions, units, order, groups, volumes):
    """Units, visited in `order`, join the group inside their cluster that gains most modularity by it.

    `units` are (of_node, starts, members): unit u is the nodes ``members[starts[u]:starts[u + 1]]``, of_node (n,) says
    which one a node is in (-1: none); where they are of length 0 every node is a unit. `clusters` (n_units,) says in
    which cluster a unit lies. On entry every unit is a group of its own, ``groups[u] == u`` (-1: left out), of volume
    ``volumes[u]``, out of `total`; a group keeps the number of its first unit, which stays. `resolutions` (n_clusters,)
    weighs a link against one by chance.
    """
    indptr, indices, weights, _ = rows
    of_node, starts, members = units
    n = len(groups)
    nested, weighted = len(of_node) > 0, len(weights) > 0
    own = volumes.copy()
    is_alone = np.ones(n, dtype=np.bool_)
    links, seen, around = np.zeros(n), np.full(n, -1, dtype=np.int32), np.empty(n, dtype=np.int32)
    for u in order:
        if groups[u] < 0 or not is_alone[u]:
            continue
        n_around = 0
        for m in range(starts[u] if nested else u, starts[u + 1] if nested else u + 1):
            x = members[m] if nested else m
            for e in range(indptr[x], indptr[x + 1]):
                v = of_node[indices[e]] if nested else indices[e]
                if v < 0 or v == u or clusters[v] != clusters[u]:
                    continue
                g = groups[v]
                if seen[g] != u:
                    seen[g] = u
                    links[g] = 0.0
                    around[n_around] = g
                    n_around += 1
                links[g] += weights[e] if weighted else 1.0
        by_chance = resolutions[clusters[u]] * own[u] / total
        best, gain = -1, 0.0
        for i in range(n_around):
            g = around[i]
            if links[g] - by_chance * volumes[g] > gain:
                best, gain = g, links[g] - by_chance * volumes[g]
        if best >= 0:
            volumes[best] += own[u]
            volumes[u] = 0.0
            groups[u] = best
            is_alone[u] = False
            is_alone[best] = False
