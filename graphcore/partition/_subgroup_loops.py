"""Compiled loop that splits clusters into groups of nodes that belong together."""

import numpy as np

from .._compile import compiled


@compiled
def join_subgroups(
    indptr, indices, weights, total, clusters, resolutions, units, starts, members, order, groups, volumes
):
    """Units, visited in `order`, join the group inside their cluster that gains most modularity by it.

    Unit u is the nodes ``members[starts[u]:starts[u + 1]]``, `units` (n,) says which one a node is in (-1: none), and
    `clusters` (n_units,) in which cluster a unit lies; with `units` of length 0 every node is a unit. On entry every
    unit is a group of its own, ``groups[u] == u`` (-1: left out), of volume ``volumes[u]``, out of `total`; a group
    keeps the number of its first unit, which stays. `resolutions` (n_clusters,) weighs a link against one by chance.
    """
    n = len(groups)
    nested, weighted = len(units) > 0, len(weights) > 0
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
                v = units[indices[e]] if nested else indices[e]
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
