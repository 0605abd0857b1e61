"""From a partition without constraints to one that keeps to them."""

from operator import itemgetter

import numpy as np
from scipy.cluster.hierarchy import leaves_list

from .._threads import map_items
from ..partition.cluster_sums import cluster_sums
from ..partition.consensus import matched_clusters
from ..partition.constraints import cut_in_order, relieve_full_clusters
from ..partition.cycles import move_in_cycles
from ..partition.local_moving import move_locally
from ..partition.micro_clusters import spread
from ..partition.quotient import apply_labels

__all__ = ["constrained_partition"]

_TOLERANCE = 1e-4


def constrained_partition(
    rows, labels, n_clusters, constraints, *, fixed=None, groups=None, tree=None, rng, n_cycles, max_entries=None,
    n_jobs=None, **limits,
):  # fmt: skip
    """The best partition found that keeps to `constraints` and `fixed` (n,) int32, labels that stay, or -1.

    One start is `labels`, with clusters matched to the fixed labels, and with nodes moved out of clusters that are too
    large. Another is, where all clusters have fixed nodes, what these make of the nodes around them; or, where clusters
    are limited, the order of the leaves of the MergeTree `tree` over `groups`, cut into pieces. Each is improved by
    moves of nodes and of groups. Returns labels (n,) int32 and the objective.
    """
    starts = [matched_clusters(labels, fixed, n_clusters) if fixed is not None else labels.copy()]
    if fixed is not None and len(np.unique(fixed[fixed >= 0])) == n_clusters:
        around = fixed.copy()
        spread(rows, around, n_clusters)
        starts.append(np.where(around < n_clusters, around, starts[0]))
    elif fixed is None and tree is not None and constraints.limits_clusters:
        rank = np.empty(tree.n_leaves, dtype=np.int64)
        rank[leaves_list(tree.linkage())] = np.arange(tree.n_leaves)
        inside = np.flatnonzero(groups >= 0)
        order = inside[np.argsort(rank[groups[inside]], kind="stable")]
        starts.append(cut_in_order(order, rows, n_clusters, constraints))
    streams = rng.spawn(len(starts))

    def improved(i):
        labels = starts[i]
        if fixed is not None:
            labels[fixed >= 0] = fixed[fixed >= 0]
        relieve_full_clusters(rows, labels, n_clusters, constraints)
        asked = {"constraints": constraints, **limits}
        move_locally(rows, labels, n_clusters, tolerance=_TOLERANCE, **asked)
        sums, _ = move_in_cycles(
            rows, labels, n_clusters, n_cycles=n_cycles, rng=streams[i], max_entries=max_entries, **asked
        )
        return sums.value(limits["objective"]), labels

    value, best = max(map_items(improved, range(len(starts)), n_jobs), key=itemgetter(0))
    return best, value
