"""Groups of nodes as wholes: merged and moved until as many clusters are left as are asked for."""

from dataclasses import replace
from operator import itemgetter

import numpy as np

from .._threads import map_items
from .cluster_sums import inner_sums
from .local_moving import move_locally
from .merge import agglomerate, merge_rounds
from .objectives import OBJECTIVES
from .sizes import grow_small_clusters

__all__ = ["coarse_partition"]

# Merging goes down to this many clusters for each one asked for, then groups are moved, then merging goes on.
_HALFWAY = 8
# Share of the clusters united in a round while there are more than that: early pairs are safe.
_EARLY_SHARE = 0.6
# Moves of groups end when a pass moves a smaller share of them.
_TOLERANCE = 0.002
# Up to this many entries, merging one pair at a time costs next to nothing, and is tried as well.
_SMALL_ENTRIES = 1 << 18


def coarse_partition(problem, rng, n_jobs=None):
    """Partition groups of nodes: merge, move groups, merge on, move groups again; returns labels (n,) int32.

    `problem` is that of the graph between groups, which its constraints count. Clusters below the least size are merged
    before all others, and moves make none. The Generator `rng` draws the order of visits.
    """
    rows, k, objective = problem.rows, problem.n_clusters, OBJECTIVES[problem.objective]
    sizes, n = problem.constraints.counts, len(rows.degrees)
    halfway = _HALFWAY * k
    # Stopping halfway to move micro-clusters keeps clusters of weight apart, which the pure cut does not look for.
    if halfway >= n or (objective.is_per_cluster and len(rows.indices) <= _SMALL_ENTRIES):
        labels = _merged(problem, n_jobs)
    else:
        labels = merge_rounds(
            rows, sizes, halfway, objective=problem.objective, share=_EARLY_SHARE, min_size=problem.min_size,
            n_jobs=n_jobs,
        )  # fmt: skip
        early = replace(problem.without_limits(halfway), min_share=problem.min_share)
        move_locally(early, labels, order=rng.permutation(n), n_passes=10, tolerance=_TOLERANCE)
        labels = _merged(problem.between(labels, halfway, n_jobs), n_jobs)[labels]
    grow_small_clusters(problem, labels)
    sums, _ = move_locally(problem, labels, order=rng.permutation(n), n_passes=20, tolerance=_TOLERANCE)
    if not objective.is_per_cluster and not inner_sums(rows, np.arange(n, dtype=np.int32), n, n_jobs).any():
        # Single nodes, whatever they count, have no weight inside, and on graphs where all weights are alike the first
        # unions then show nothing. What the normalised cut makes of them is tried too.
        other, _, _ = agglomerate(rows, sizes, k, linkage="ncut", min_size=problem.min_size)
        grow_small_clusters(problem, other)
        other_sums, _ = move_locally(problem, other, n_passes=20, tolerance=_TOLERANCE)
        if other_sums.value(problem.objective) > sums.value(problem.objective):
            return other
    return labels


def _merged(problem, n_jobs):
    """Merge in rounds, and on small graphs one pair at a time as well; move groups; return the better partition."""
    rows, sizes = problem.rows, problem.constraints.counts

    def start(in_rounds):
        if in_rounds:
            labels = merge_rounds(
                rows, sizes, problem.n_clusters, objective=problem.objective, min_size=problem.min_size, n_jobs=n_jobs
            )
        else:
            labels = agglomerate(
                rows, sizes, problem.n_clusters, linkage=problem.objective, min_size=problem.min_size
            )[0]
        sums, _ = move_locally(problem, labels, n_passes=20)
        return sums.value(problem.objective), labels

    starts = (True, False) if len(rows.indices) <= _SMALL_ENTRIES else (True,)
    return max(map_items(start, starts, n_jobs), key=itemgetter(0))[1]
