"""Raise the objective of a draft: improve it, recombine it with another, form clusters of groups anew."""

from dataclasses import replace

import numpy as np

from ...base.arrays import read_only
from ...base.streams import draw_by_weight
from ...base.threads import map_items
from .constraints import Constraints, grow_small_clusters
from .cycles import move_in_cycles, resolutions_of, subgroups
from .local_moving import FEW_MOVES, anneal, move_in_blocks, move_locally
from .merge import agglomerate
from .problem import Partition
from .quotient import apply_labels, common_refinement, label_sizes, pick_labels, quotient

# Simulated annealing of groups: first temperature in mean weights of an edge, or as a share of the mean weight of a
# group if that is more; last temperature; number of sweeps.
_HOT, _HOT_SHARE, _COLD, _SWEEPS = 4.0, 0.3, 0.4, 100
# Moves of groups end when a pass moves a smaller share of them.
_TOLERANCE = 0.002


def improve(problem, labels, rng, n_jobs=None, told=None):
    """Return the Partition of labels, changed in place, after moves of single nodes, then of groups of nodes in cycles.

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
    """Recombine two Partitions by their common refinement; return the best of the three.

    The blocks of the common refinement are moved as wholes by simulated annealing: once from the better partition, once
    from a partition that merging makes of the blocks. The better result is improved node by node.

    Sanders, Schulz, "Distributed evolutionary graph partitioning", ALENEX 2012, recombine by the common refinement.
    """
    better, problem = max(first, second, key=Partition.rank), problem.spanning(first.labels, second.labels)
    groups, n_groups = common_refinement([first.labels, second.labels], problem.n_clusters)
    if n_groups <= problem.n_clusters:
        return better
    coarse = problem.between(groups, n_groups, n_jobs, problem.max_links)
    # The unit of temperatures is the mean weight of an edge end between groups: here it is that of the graph.
    unit = len(coarse.rows.indices) / len(problem.rows.indices)
    hot = max(unit * _HOT, _HOT_SHARE * len(coarse.rows.indices) / n_groups)

    def moved(is_merged, rng):
        table = coarse_partition(coarse, rng) if is_merged else pick_labels(groups, n_groups, better.labels)
        spanning = coarse.spanning(table, room=2)
        anneal(spanning, table, np.geomspace(hot, unit * _COLD, _SWEEPS), rng)
        sums, _ = move_locally(spanning, table)
        return spanning.partition(table, sums)

    found = map_items(lambda start: moved(*start), list(zip((False, True), rng.spawn(2), strict=True)), n_jobs)
    labels = apply_labels(max(found, key=Partition.rank).labels, groups)
    grow_small_clusters(problem, labels)
    return max(better, improve(problem, labels, rng, n_jobs), key=Partition.rank)


def coarse_partition(problem, rng, parts=None, n_jobs=None):
    """Partition the nodes of a graph between groups: merge, then move; labels (n,) int32.

    Merging begins with the nodes, or with `parts` of them: (labels (n,) int32, the Problem of the graph between these).
    """
    n = len(problem.rows.degrees)
    labels, between = (np.arange(n, dtype=np.int32), problem) if parts is None else parts
    return moved_as_groups(problem, merged(between)[labels], rng, n_jobs)


def merged(problem):
    """Labels (n,) int32 of merging one pair at a time, the cheapest first, and moves of the nodes that were merged.

    Where the number of clusters is free, merging ends when no union gains.
    """
    labels, _, _ = agglomerate(
        problem.rows, problem.constraints.counts, problem.n_clusters if problem.min_size else 0,
        linkage=problem.objective, min_size=problem.min_size,
    )  # fmt: skip
    _move_groups(problem.spanning(labels, room=2), labels)
    return labels


def moved_as_groups(problem, labels, rng, n_jobs=None):
    """Return labels (n,) int32 that merging left, after moves of single nodes of a graph between groups."""
    rows, n, n_clusters = problem.rows, len(labels), int(labels.max()) + 1
    spanning = problem.spanning(labels, room=2)
    grow_small_clusters(spanning, labels)
    sums = _move_groups(spanning, labels, rng.permutation(n), n_jobs)
    if not problem.record.is_per_cluster and not _has_inner_weight(rows):
        # Single nodes, whatever they count, have no weight inside, and on graphs where all weights are alike the first
        # unions then show nothing. Their merging by the normalised cut is tried too.
        other, _, _ = agglomerate(
            rows, problem.constraints.counts, n_clusters, linkage="ncut", min_size=problem.min_size
        )
        grow_small_clusters(spanning, other)
        other_sums = _move_groups(spanning, other)
        if other_sums.value(problem.objective) > sums.value(problem.objective):
            return other
    return labels


def _move_groups(problem, labels, order=None, n_jobs=None):
    return move_locally(problem, labels, order=order, tolerance=_TOLERANCE, n_jobs=n_jobs)[0]


def _has_inner_weight(rows):
    """Return whether any group has weight inside: the first ones have, as a rule, so that few rows are read."""
    return any(x in rows.indices[rows.indptr[x] : rows.indptr[x + 1]] for x in range(len(rows.degrees)))


def form_anew(problem, labels, chosen, rng, n_jobs=None):
    """Labels with the `chosen` clusters dissolved and formed anew, or None if their nodes form too few groups."""
    k = problem.n_clusters
    is_chosen = np.isin(np.arange(k), chosen)
    inside = (labels >= 0) & is_chosen[labels]
    if not inside.any():  # where modularity has left them empty
        return None
    resolution = np.array([np.median(resolutions_of(problem, problem.sums(labels, n_jobs))[chosen])])
    within = np.where(inside, 0, -1).astype(np.int32)
    groups, n_groups = subgroups(problem.rows, within, resolution, rng, problem.max_links)
    groups, n_groups = _beside(groups, n_groups, labels, np.flatnonzero(~is_chosen), k)
    if n_groups <= k:
        return None
    coarse = problem.between(groups, n_groups, n_jobs, problem.max_links)
    return apply_labels(coarse_partition(coarse, rng, n_jobs=n_jobs), groups)


def side_by_side(problem, labels, n_chosen, rng):
    """Return a random cluster and others, each drawn by the links to those before: (at most n_chosen,) int64."""
    k = problem.n_clusters
    between = quotient(problem.rows, labels, k)
    chosen, links = [int(rng.integers(k))], np.zeros(k)
    while len(chosen) < min(n_chosen, k):
        row = slice(between.indptr[chosen[-1]], between.indptr[chosen[-1] + 1])
        links[between.indices[row]] += between.weights[row]
        links[chosen] = 0.0
        following = draw_by_weight(links, rng)
        if following < 0:
            break
        chosen.append(following)
    return np.array(chosen)


def cycle_chosen(problem, labels, chosen, rng, n_jobs=None):
    """:func:`move_in_cycles` of nodes of the `chosen` clusters alone, in place; every other cluster is one node."""
    k = problem.n_clusters
    is_chosen = np.isin(np.arange(k), chosen)
    nodes, others = np.flatnonzero((labels >= 0) & is_chosen[labels]), np.flatnonzero(~is_chosen)
    groups = np.full(len(labels), -1, dtype=np.int32)
    groups[nodes] = np.arange(len(nodes))
    groups, n_groups = _beside(groups, len(nodes), labels, others, k)
    clusters = np.concatenate([labels[nodes], others.astype(np.int32)])
    held = Constraints(counts=label_sizes(groups, n_groups), is_fixed=read_only(np.arange(n_groups) >= len(nodes)))
    move_in_cycles(replace(problem.between(groups, n_groups, n_jobs), constraints=held), clusters, rng, n_jobs=n_jobs)
    labels[nodes] = clusters[: len(nodes)]


def _beside(groups, n_groups, labels, others, n_clusters):
    """Groups of nodes (n,) int32 with each of some `others` of the clusters as one more group; and their number."""
    numbers = np.full(n_clusters, -1, dtype=np.int32)
    numbers[others] = n_groups + np.arange(len(others))
    is_other = (labels >= 0) & (numbers[labels] >= 0)
    return np.where(is_other, numbers[labels], groups), n_groups + len(others)
