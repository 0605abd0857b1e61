"""The two steps that raise the objective of a draft: improve, and recombine."""

import numpy as np

from .blocks import move_in_blocks
from .coarse import coarse_partition
from .cycles import move_in_cycles
from .heating import heat
from .local_moving import FEW_MOVES, move_locally
from .problem import Partition
from .quotient import apply_labels, common_refinement, pick_labels
from .sizes import grow_small_clusters

# Groups are heated to so many mean weights of an edge, or to so much of what a group has of them if that is more, and
# cooled to so little, in so many sweeps.
_HOT, _HOT_SHARE, _COLD, _SWEEPS = 4.0, 0.3, 0.4, 100


def improve(problem, labels, rng, n_jobs=None, told=None):
    """Partition of labels, changed in place, after moves of single nodes, then of groups of nodes in cycles.

    (stage, objective) before and after each of the two is appended to the list `told`.
    """
    problem = problem.spanning(labels, room=2)
    told, sums = [] if told is None else told, problem.sums(labels, n_jobs)
    told.append(("draft", sums.value(problem.objective)))
    move = move_in_blocks if problem.is_huge and problem.constraints.is_empty else move_locally
    sums, _ = move(problem, labels, sums=sums, tolerance=FEW_MOVES, n_jobs=n_jobs)
    told.append(("moves", sums.value(problem.objective)))
    if not problem.is_huge:
        sums = move_in_cycles(problem, labels, rng, sums=sums, n_jobs=n_jobs)
        told.append(("cycles", sums.value(problem.objective)))
    return problem.partition(labels, sums)


def recombine(problem, first, second, rng, n_jobs=None):
    """The better of two Partitions, or one that is better than both, made of what they agree on.

    Groups of nodes that are together in both are moved as wholes: once from the better one, once from what merging
    makes of them anew. They are heated and cooled: few moves of groups do what would take moves of many nodes, the
    first of them for the worse. The better result is improved node by node.

    References
    ----------
    Sanders, Schulz, "Distributed evolutionary graph partitioning", ALENEX 2012, for recombining by what is common.
    """
    better, problem = max(first, second, key=Partition.rank), problem.spanning(first.labels, second.labels)
    groups, n_groups = common_refinement([first.labels, second.labels], problem.n_clusters)
    if n_groups <= problem.n_clusters:
        return better
    coarse = problem.between(groups, n_groups, n_jobs, problem.max_links)
    # The unit of temperatures is the mean weight of an edge end between groups: here it is that of the graph.
    unit = len(coarse.rows.indices) / len(problem.rows.indices)
    hot = max(unit * _HOT, _HOT_SHARE * len(coarse.rows.indices) / n_groups)
    found = []
    for table in (pick_labels(groups, n_groups, better.labels), coarse_partition(coarse, rng, n_jobs)):
        moved = coarse.spanning(table, room=2)
        heat(moved, table, np.geomspace(hot, unit * _COLD, _SWEEPS), rng)
        sums, _ = move_locally(moved, table)
        found.append(moved.partition(table, sums))
    labels = apply_labels(max(found, key=Partition.rank).labels, groups)
    grow_small_clusters(problem, labels)
    return max(better, improve(problem, labels, rng, n_jobs), key=Partition.rank)
