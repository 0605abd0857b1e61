"""From a partition without constraints to one that keeps to them."""

from operator import itemgetter

import numpy as np

from .._threads import map_items
from ..partition.cluster_sums import cluster_sums
from ..partition.consensus import matched_clusters
from ..partition.constraints import cut_in_order, relieve_full_clusters, swap_between_full_clusters
from ..partition.cycles import move_in_cycles
from ..partition.local_moving import move_locally
from ..partition.micro_clusters import spread
from ..partition.sizes import grow_small_clusters

__all__ = ["constrained_partition"]

# Limits are tightened in so many steps, from what the fullest cluster needs or this factor, whichever is more.
_STEPS, _LOOSE = 10, 1.1
# Then loosened again by one of these factors and tightened in so many steps, and so on.
_AGAIN, _STEPS_AGAIN = (1.1, 1.05, 1.025, 1.1, 1.05, 1.025), 6
_MOVE_TOLERANCE = 1e-4


def constrained_partition(
    rows, labels, n_clusters, constraints, *, fixed=None, groups=None, tree=None, rng, n_cycles, max_entries=None,
    n_jobs=None, **limits,
):  # fmt: skip
    """The best partition found that keeps to `constraints` and `fixed` (n,) int32, labels that stay, or -1.

    One start is `labels`, with clusters matched to the fixed labels. Another is, where all clusters have fixed nodes,
    what these make of the nodes around them; or, where clusters are limited, the order of the leaves of the MergeTree
    `tree` over `groups`, cut into pieces. Each is improved by moves of nodes and of groups, and by swaps of nodes,
    under limits that begin loose and become tighter, so that what is too much flows from cluster to cluster; the best
    of them again, under limits that are loosened and tightened some times. Returns labels (n,) int32 and the objective;
    what no start can be brought to keep to is not kept, and for :meth:`graphcore.pipeline.known.Known.check` to find.
    """
    starts = _starts(rows, labels, n_clusters, constraints, fixed, groups, tree)
    streams = rng.spawn(len(starts))

    def tightened(labels, factors, rng):
        """(whether limits hold, whether the least size does, objective, labels) after moves under limits times each."""
        for factor in factors:
            asked = {"constraints": constraints.times(factor), **limits}
            fits = relieve_full_clusters(rows, labels, n_clusters, asked["constraints"])
            move_locally(rows, labels, n_clusters, tolerance=_MOVE_TOLERANCE, **asked)
            sums, _ = move_in_cycles(
                rows, labels, n_clusters, n_cycles=n_cycles, rng=rng, max_entries=max_entries, n_jobs=n_jobs, **asked
            )
            # Swaps cost as much as all the rest, and under loose limits nodes find room without.
            if (
                factor == 1.0
                and constraints.limits_clusters
                and swap_between_full_clusters(rows, labels, n_clusters, **asked)
            ):
                sums, _ = move_locally(rows, labels, n_clusters, tolerance=_MOVE_TOLERANCE, **asked)
        return fits, bool(sums.size.min() >= limits["min_size"]), sums.value(limits["objective"]), labels

    def improved(i):
        labels = starts[i]
        if fixed is not None:
            labels[fixed >= 0] = fixed[fixed >= 0]
        if limits["min_size"] > 1:
            held = {"counts": constraints.counts, "is_fixed": constraints.is_fixed}
            grow_small_clusters(rows, labels, n_clusters, limits["min_size"], **held)
        loose = constraints.excess(cluster_sums(rows, labels, n_clusters, counts=constraints.counts))
        factors = np.geomspace(max(loose, _LOOSE), 1.0, _STEPS) if constraints.limits_clusters else (1.0,)
        return tightened(labels, factors, streams[i])

    best = max(map_items(improved, range(len(starts)), n_jobs), key=itemgetter(0, 1, 2))
    for factor in _AGAIN if constraints.limits_clusters else ():
        again = tightened(best[3].copy(), np.geomspace(factor, 1.0, _STEPS_AGAIN), rng)
        if again[:3] > best[:3]:
            best = again
    return best[3], best[2]


def _starts(rows, labels, n_clusters, constraints, fixed, groups, tree):
    """Partitions to begin with, as new arrays."""
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
        starts.append(cut_in_order(order, rows, n_clusters, constraints))
    return starts
