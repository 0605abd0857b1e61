"""From a partition without constraints to one that keeps to them."""

from dataclasses import replace

import numpy as np

from ...base.threads import map_items
from ..partition.constraints import cut_in_order, grow_small_clusters, relieve_full_clusters, swap_between_full_clusters
from ..partition.coreset_graph import spread
from ..partition.cycles import move_in_cycles
from ..partition.evidence import matched_clusters
from ..partition.local_moving import FEW_MOVES, move_locally

# Limits are tightened in so many steps, from what the fullest cluster needs or this factor, whichever is more.
_STEPS, _LOOSE = 10, 1.1
# Then loosened again by one of these factors and tightened in so many steps, and so on.
_AGAIN, _STEPS_AGAIN = (1.1, 1.05, 1.025, 1.1, 1.05, 1.025), 6


def constrained_partition(problem, labels, rng, *, fixed=None, groups=None, tree=None, n_jobs=None):
    """Return the best Partition found that keeps to the limits and to `fixed` (n,) int32, labels that stay, or -1.

    One start is `labels`, with clusters matched to the fixed labels. Another is, where all clusters have fixed nodes,
    what these make of the nodes around them; or, where clusters are limited, the order of the leaves of the MergeTree
    `tree` over `groups`, cut into pieces. Each is improved by moves of nodes and of groups, and by swaps of nodes,
    under limits that become tighter, so that what is too much flows from cluster to cluster; the best of them again,
    under limits that are loosened and tightened. `Known.check` refuses labels that break a limit.
    """
    limits = problem.constraints
    starts = _starts(problem, labels, fixed, groups, tree)
    streams = rng.spawn(len(starts))

    def tightened(labels, factors, rng):
        """(whether limits hold, rank, labels) after moves under limits times each factor."""
        for factor in factors:
            limited = replace(problem, constraints=limits.times(factor))
            holds = relieve_full_clusters(limited, labels)
            move_locally(limited, labels, tolerance=FEW_MOVES, n_jobs=n_jobs)
            sums = move_in_cycles(limited, labels, rng, n_jobs=n_jobs)
            # Swaps cost as much as all the rest, and under loose limits nodes find room without.
            if factor == 1.0 and limits.limits_clusters and swap_between_full_clusters(limited, labels):
                sums, _ = move_locally(limited, labels, tolerance=FEW_MOVES, n_jobs=n_jobs)
        return holds, problem.partition(labels, sums)

    def improved(i):
        labels = starts[i]
        if fixed is not None:
            labels[fixed >= 0] = fixed[fixed >= 0]
        grow_small_clusters(problem, labels)
        loose = limits.excess(problem.sums(labels))
        factors = np.geomspace(max(loose, _LOOSE), 1.0, _STEPS) if limits.limits_clusters else (1.0,)
        return tightened(labels, factors, streams[i])

    def rank(found):
        return found[0], found[1].rank()

    best = max(map_items(improved, range(len(starts)), n_jobs), key=rank)
    for factor in _AGAIN if limits.limits_clusters else ():
        best = max(best, tightened(best[1].labels.copy(), np.geomspace(factor, 1.0, _STEPS_AGAIN), rng), key=rank)
    return best[1]


def _starts(problem, labels, fixed, groups, tree):
    """Partitions to begin with, as new arrays."""
    rows, n_clusters = problem.rows, problem.n_clusters
    starts = [matched_clusters(labels, fixed, n_clusters) if fixed is not None else labels.copy()]
    if fixed is not None and len(np.unique(fixed[fixed >= 0])) == n_clusters:
        around = fixed.copy()
        spread(rows, around, n_clusters)
        starts.append(np.where(around < n_clusters, around, starts[0]))
    elif tree is not None:
        from scipy.cluster.hierarchy import leaves_list  # slow to import, and few fits need it

        rank = np.zeros(tree.n_leaves, dtype=np.int64)
        if tree.n_leaves > 1:  # scipy knows no tree of one leaf
            rank[leaves_list(tree.linkage())] = np.arange(tree.n_leaves)
        inside = np.flatnonzero(groups >= 0)
        order = inside[np.argsort(rank[groups[inside]], kind="stable")]
        starts.append(cut_in_order(order, rows, n_clusters, problem.constraints))
    return starts
