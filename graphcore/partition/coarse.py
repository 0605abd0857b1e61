"""Groups of nodes as wholes: merged and moved until as many clusters are left as are asked for."""

from dataclasses import replace

import numpy as np

from .local_moving import move_locally
from .merge import agglomerate, merge_rounds
from .sizes import grow_small_clusters

# Merging goes down to this many clusters for each one asked for, then groups are moved, then merging goes on.
_HALFWAY = 8
# Share of the clusters united in a round while there are more than that: early pairs are safe.
_EARLY_SHARE = 0.6
# Moves of groups end when a pass moves a smaller share of them, or after so many passes.
_TOLERANCE, _PASSES = 0.002, 20


def coarse_partition(problem, rng, n_jobs=None):
    """Partition groups of nodes: merge, move groups, merge on, move groups again; returns labels (n,) int32.

    Merging begins in rounds of many pairs and ends one pair at a time. `problem` is that of the graph between groups,
    whose nodes its constraints count. Clusters below the least size are merged before all others, and moves make none.
    The Generator `rng` draws the order of visits.
    """
    rows, k, sizes = problem.rows, problem.n_clusters, problem.constraints.counts
    n, moves = len(rows.degrees), {"n_passes": _PASSES, "tolerance": _TOLERANCE}
    if not problem.min_size:  # how many there are to be is what merging alone would leave
        k = n - len(agglomerate(rows, sizes, 0, linkage=problem.objective)[1])
    halfway = _HALFWAY * k
    labels, between = np.arange(n, dtype=np.int32), problem
    if halfway < n:
        labels = merge_rounds(
            rows, sizes, halfway, objective=problem.objective, share=_EARLY_SHARE, min_size=problem.min_size,
            n_jobs=n_jobs,
        )  # fmt: skip
        early = replace(problem.without_limits(halfway), min_share=problem.min_share)
        move_locally(early, labels, order=rng.permutation(n), **moves)
        between = problem.between(labels, halfway, n_jobs)
    merged, _, _ = agglomerate(
        between.rows, between.constraints.counts, k, linkage=problem.objective, min_size=problem.min_size
    )
    move_locally(between.spanning(merged, room=2), merged, **moves)
    labels = merged[labels]
    problem = problem.spanning(labels, room=2)
    grow_small_clusters(problem, labels)
    sums, _ = move_locally(problem, labels, order=rng.permutation(n), **moves)
    if not problem.record.is_per_cluster and not _has_inner_weight(rows):
        # Single nodes, whatever they count, have no weight inside, and on graphs where all weights are alike the first
        # unions then show nothing. What the normalised cut makes of them is tried too.
        other, _, _ = agglomerate(rows, sizes, k, linkage="ncut", min_size=problem.min_size)
        grow_small_clusters(problem, other)
        other_sums, _ = move_locally(problem, other, **moves)
        if other_sums.value(problem.objective) > sums.value(problem.objective):
            return other
    return labels


def _has_inner_weight(rows):
    """Whether any group has weight inside: the first ones have, as a rule, so that few rows are read."""
    return any(x in rows.indices[rows.indptr[x] : rows.indptr[x + 1]] for x in range(len(rows.degrees)))
