"""Raise the objective of a draft: improve it by moves of nodes and of groups, and recombine it with another."""

from copy import deepcopy

import numpy as np

from ...base.loops import effective_jobs, map_items
from ...base.progress import count
from ._quotient_loops import join_subgroups
from .merging import agglomerate
from .moves import FEW_MOVES, anneal, keep_sizes, move_in_blocks, move_locally
from .problem import (
    Partition,
    apply_labels,
    common_refinement,
    compact_labels,
    grouped,
    is_too_dense,
    label_volumes,
    matrix_of,
    pick_labels,
)

# Simulated annealing of groups: first temperature in mean weights of an edge, or as a share of the mean weight of a
# group if that is more; last temperature; number of sweeps.
_HOT, _HOT_SHARE, _COLD, _SWEEPS = 4.0, 0.3, 0.4, 100
# Moves of groups end when a pass moves a smaller share of them.
_FEW_GROUP_MOVES = 0.002


def improve(problem, labels, rng, n_jobs=None, told=None):
    """Return the Partition of labels, changed in place, after moves of single nodes, then of groups of nodes in cycles.

    (stage, objective) before and after each of the two is appended to the list `told`.
    """
    problem = problem.spanning(labels, room=2)
    told, sums = [] if told is None else told, problem.sums(labels, n_jobs)
    told.append(("draft", sums.value(problem.objective)))
    move = move_in_blocks if problem.is_huge and not (problem.is_bound or len(problem.counts)) else move_locally
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
    keep_sizes(problem.spanning(labels), labels)
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
        problem.rows, problem.counts, problem.n_clusters if problem.min_size else 0,
        linkage=problem.objective, min_size=problem.min_size,
    )  # fmt: skip
    _move_groups(problem.spanning(labels, room=2), labels)
    return labels


def moved_as_groups(problem, labels, rng, n_jobs=None):
    """Return labels (n,) int32 that merging left, after moves of single nodes of a graph between groups."""
    rows, n, n_clusters = problem.rows, len(labels), int(labels.max()) + 1
    spanning = problem.spanning(labels, room=2)
    keep_sizes(spanning, labels)
    sums = _move_groups(spanning, labels, rng.permutation(n), n_jobs)
    if not problem.objective.is_per_cluster and not _has_inner_weight(rows):
        # Single nodes, whatever they count, have no weight inside, and on graphs where all weights are alike the first
        # unions then show nothing. Their merging by the normalised cut is tried too.
        other, _, _ = agglomerate(rows, problem.counts, n_clusters, linkage="ncut", min_size=problem.min_size)
        keep_sizes(spanning, other)
        other_sums = _move_groups(spanning, other)
        if other_sums.value(problem.objective) > sums.value(problem.objective):
            return other
    return labels


def _move_groups(problem, labels, order=None, n_jobs=None):
    return move_locally(problem, labels, order=order, tolerance=_FEW_GROUP_MOVES, n_jobs=n_jobs)[0]


def _has_inner_weight(rows):
    """Return whether any group has weight inside: the first ones have, as a rule, so that few rows are read."""
    return any(x in rows.indices[rows.indptr[x] : rows.indptr[x + 1]] for x in range(len(rows.degrees)))


# A level of groups that leaves more than this share of what it groups, or of its entries, is not worth a level.
_MAX_SHARE = 0.9
# Cycles end where one raises the objective by less than this share of itself; the same among groups.
_WORTH = 2.5e-3
# Cycles among the groups of nodes for each cycle of the nodes: they are much cheaper, and raise it nearly as far.
_INNER = 3
# Blocks of numbers that stay together when an order is drawn: what is near in memory is visited soon.
_BLOCK = 64
# Threads for less than so many entries take longer to begin than they save.
_LARGE = 1 << 18
_NO_STARTS, _NO_NODES = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32)


def move_in_cycles(problem, labels, rng, *, sums=None, n_jobs=None):
    """Raise the objective by moving groups of nodes, large ones first, then single nodes; again with other groups.

    Each cycle splits every cluster anew into groups, these into groups of groups (:func:`subgroups`), and moves the
    largest first, which the first cycle also merges anew, where that is better; groups of nodes are moved so up to
    three times, with other groups of theirs. `labels` (n,) int32, -1 stays, are changed in place, and never for the
    worse; `sums` are theirs, if at hand. Returns ClusterSums, but for the cut.

    Groups inside clusters are the refinement phase of Traag, Waltman, van Eck, "From Louvain to Leiden", Scientific
    Reports 9, 2019.
    """
    sums, merges = problem.sums(labels, n_jobs) if sums is None else sums, True
    while True:
        before, kept, moved = sums.value(problem.objective), labels.copy(), deepcopy(sums)
        _cycle(problem, labels, moved, rng, n_jobs, _INNER, merges)
        merges = False
        value = moved.value(problem.objective)
        if value <= before:  # also where there were no groups to move
            labels[:] = kept
            break
        sums = moved
        if not _is_worth_it(before, value):
            break
    return sums


def _cycle(problem, labels, sums, rng, n_jobs, n_inner, merges, of_groups=False):
    """One cycle; labels and their sums are changed in place. A cycle consists of cycles among the groups.

    The first one `merges` groups: on 85 graphs all but 1 % of what merging gains came of the first.
    """
    rows, most = problem.rows, min(int(_MAX_SHARE * len(problem.rows.indices)), problem.max_links)
    groups, n_groups = subgroups(rows, labels, resolutions_of(problem, sums), rng, most, n_jobs)
    if n_groups <= _MAX_SHARE * len(labels):
        between, clusters = problem.between(groups, n_groups, n_jobs), pick_labels(groups, n_groups, labels)
        count("most links between groups", len(between.rows.indices), most=True)
        for _ in range(n_inner):
            before = sums.value(problem.objective)
            _cycle(between, clusters, sums, rng, n_jobs, 1, merges, of_groups=True)
            merges = False
            if not _is_worth_it(before, sums.value(problem.objective)):
                break
        labels[:] = apply_labels(clusters, groups)
    elif merges and of_groups:
        _merge_anew(problem, labels, sums)
    move_locally(problem, labels, sums=sums, tolerance=FEW_MOVES, n_jobs=n_jobs)


def _merge_anew(problem, labels, sums):
    """Take what merging makes of the largest groups, in place, where that is better than the clusters they come from.

    Where two clusters are united and a third is cut, no single move mends both. As by moves, no cluster is made of
    parts without a link between them.
    """
    from scipy.sparse.csgraph import connected_components

    rows, k, counts = problem.rows, problem.n_clusters, problem.counts
    if not problem.min_size or problem.is_bound or len(labels) <= k:
        return
    merged, _, _ = agglomerate(rows, counts, k, linkage=problem.objective, min_size=problem.min_size)
    n_parts, parts = connected_components(matrix_of(rows), directed=False)
    found = problem.sums(merged)
    fits = found.size.min() >= problem.min_size and found.volume.min() >= problem.min_share * found.volume.mean()
    fits = fits and len(np.unique(merged.astype(np.int64) * n_parts + parts)) == k
    if fits and found.value(problem.objective) > sums.value(problem.objective):
        labels[:] = merged
        for kept, new in zip(sums.arrays, found.arrays, strict=True):
            kept[:] = new


def _is_worth_it(before, value):
    """Return whether a cycle raised the objective so much that another one may."""
    return value - before >= _WORTH * abs(value)


def subgroups(rows, clusters, resolutions, rng, max_entries=None, n_jobs=None):
    """Groups of nodes that belong together inside their cluster: labels (n,) int32, -1 where `clusters` is, and number.

    `resolutions` (n_clusters,) float64 say how many times as dense as by chance a group is. `rng` draws the order of
    visits. Where the graph between the groups would have more than `max_entries`, by a sample, they are joined once
    more; if even then, every node is a group.
    """
    groups, n_groups = _joined(rows, clusters, resolutions, rng, None, len(clusters), n_jobs)
    while is_too_dense(rows, groups, n_groups, max_entries):
        joined, n_joined = _joined(rows, clusters, resolutions, rng, groups, n_groups, n_jobs)
        if n_joined > _MAX_SHARE * n_groups:
            return np.where(clusters >= 0, np.arange(len(clusters), dtype=np.int32), -1), len(clusters)
        groups, n_groups = apply_labels(joined, groups), n_joined
    return groups, n_groups


def _joined(rows, clusters, resolutions, rng, units, n_units, n_jobs):
    """Groups of units inside their clusters, labels (n_units,) int32, and their number; None: every node is a unit."""
    if units is None:
        of_nodes, volumes = (_NO_NODES, _NO_STARTS, _NO_NODES), rows.degrees.copy()
    else:
        of_nodes, volumes = (units, *grouped(units, n_units)), label_volumes(units, rows.degrees, n_units)
        clusters = pick_labels(units, n_units, clusters)
    count("entries joined", len(rows.indices))
    groups = np.where(clusters >= 0, np.arange(n_units, dtype=np.int32), np.int32(-1))
    total = float(rows.degrees.sum())

    def join(order):
        join_subgroups(rows[:], total, clusters, resolutions, of_nodes, order, groups, volumes)

    n_threads = effective_jobs(n_jobs) if len(rows.indices) >= _LARGE else 1
    map_items(join, _split(_shuffled(n_units, rng), clusters, volumes, len(resolutions), n_threads), n_threads)
    return groups, compact_labels(groups, n_units)


def _split(order, clusters, volumes, n_clusters, n_threads):
    """The order as one for each thread, by clusters: what units do in one does not touch what those of others do."""
    if n_threads == 1:
        return [order]
    shares = label_volumes(clusters, volumes, n_clusters)
    shares /= shares.sum()
    thread = ((np.cumsum(shares) - shares / 2) * n_threads).astype(np.int32)
    threads = thread[clusters[order]]
    return [order[threads == t] for t in range(n_threads)]


def _shuffled(n, rng):
    """Return numbers 0 to n - 1, blocks of them in random order."""
    starts = rng.permutation(-(-n // _BLOCK)).astype(np.int32) * _BLOCK
    order = (starts[:, None] + np.arange(_BLOCK, dtype=np.int32)).ravel()
    return order[order < n]


def resolutions_of(problem, sums):
    """The resolution of modularity at which groups are formed in each cluster: the objective's own, or by the sums."""
    own = problem.objective.resolution
    return cluster_resolutions(sums) if own is None else np.full(len(sums.volume), own)


def cluster_resolutions(sums):
    """The resolution of modularity at which two parts of a cluster are better together (Newman 2016, equation 10).

    Of a planted partition of these inner weights, as many times more likely inside (p) and between (q) as by chance:
    ``(p - q) / log(p / q)``.
    """
    total = sums.volume.sum()
    share, volume = sums.internal / total, sums.volume / total
    cut, apart = max(1.0 - share.sum(), 1e-12), max(1.0 - (volume**2).sum(), 1e-12)
    inside = np.divide(share, volume**2, out=np.ones_like(share), where=volume > 0)
    ratio = np.maximum(inside * apart / cut, 1.0 + 1e-9)
    return cut / apart * (ratio - 1.0) / np.log(ratio)
