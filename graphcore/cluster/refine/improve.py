"""Raise the objective of a draft: moves of nodes, then of parts of nodes in cycles; and recombine it with another."""

from copy import deepcopy

import numpy as np

from ...base.loops import check_stopped, effective_jobs, map_items, row_spans
from ...base.progress import count
from ...base.validation import read_only
from ...graphs.rows import map_passes, pass_spans
from . import _move_loops
from ._objective_loops import places
from ._quotient_loops import join_parts
from .merging import agglomerate
from .objectives import OBJECTIVES
from .problem import (
    NO_COUNTS,
    NONE_FIXED,
    ClusterSums,
    Partition,
    apply_labels,
    cluster_sums,
    common_refinement,
    compact_labels,
    grouped,
    is_huge,
    is_too_dense,
    label_sizes,
    label_volumes,
    matrix_of,
    max_links,
    pick_labels,
    slopes,
)

# Simulated annealing of parts: first temperature in mean weights of an edge, or as a share of the mean weight of a
# part if that is more; last temperature; number of sweeps.
_HOT, _HOT_SHARE, _COLD, _SWEEPS = 4.0, 0.3, 0.4, 100
# Moves of parts end when a pass moves a smaller share of them.
_FEW_PART_MOVES = 0.002


def improve(problem, labels, rng, n_jobs=None, told=None):
    """Return the Partition of labels, changed in place, after moves of single nodes, then of parts of nodes in cycles.

    (stage, objective) before and after each of the two is appended to the list `told`.
    """
    problem = problem.spanning(labels, room=2)
    told, sums = [] if told is None else told, problem.sums(labels, n_jobs)
    told.append(("draft", sums.value(problem.objective)))
    huge = is_huge(len(problem.rows.indices))
    move = move_in_blocks if huge and not len(problem.counts) else move_locally
    sums, _ = move(problem, labels, sums=sums, tolerance=FEW_MOVES, n_jobs=n_jobs)
    told.append(("moves", sums.value(problem.objective)))
    if not huge:
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
    parts, n_parts = common_refinement([first.labels, second.labels], problem.n_clusters)
    if n_parts <= problem.n_clusters:
        return better
    coarse = problem.between(parts, n_parts, n_jobs, max_links(problem.rows))
    # The unit of temperatures is the mean weight of an edge end between parts: here it is that of the graph.
    unit = len(coarse.rows.indices) / len(problem.rows.indices)
    hot = max(unit * _HOT, _HOT_SHARE * len(coarse.rows.indices) / n_parts)

    def moved(is_merged, rng):
        table = coarse_partition(coarse, rng) if is_merged else pick_labels(parts, n_parts, better.labels)
        spanning = coarse.spanning(table, room=2)
        anneal(spanning, table, np.geomspace(hot, unit * _COLD, _SWEEPS), rng)
        sums, _ = move_locally(spanning, table)
        return spanning.partition(table, sums)

    found = map_items(lambda start: moved(*start), list(zip((False, True), rng.spawn(2), strict=True)), n_jobs)
    labels = apply_labels(max(found, key=Partition.rank).labels, parts)
    keep_sizes(problem.spanning(labels), labels)
    return max(better, improve(problem, labels, rng, n_jobs), key=Partition.rank)


def coarse_partition(problem, rng, parts=None, n_jobs=None):
    """Partition the nodes of a graph between parts: merge, then move; labels (n,) int32.

    Merging begins with the nodes, or with `parts` of them: (labels (n,) int32, the Problem of the graph between these).
    """
    n = len(problem.rows.degrees)
    labels, between = (np.arange(n, dtype=np.int32), problem) if parts is None else parts
    return moved_as_parts(problem, merged(between)[labels], rng, n_jobs)


def merged(problem):
    """Merge one pair at a time, the cheapest first, then move the nodes that were merged.

    Where the number of clusters is free, merging ends when no union gains. Returns labels (n,) int32.
    """
    labels, _, _ = agglomerate(
        problem.rows, problem.counts, problem.n_clusters if problem.min_size else 0,
        linkage=problem.objective, min_size=problem.min_size,
    )  # fmt: skip
    move_locally(problem.spanning(labels, room=2), labels, tolerance=_FEW_PART_MOVES)
    return labels


def moved_as_parts(problem, labels, rng, n_jobs=None):
    """Return labels (n,) int32 that merging left, after moves of single nodes of a graph between parts."""
    n_clusters, spanning = int(labels.max()) + 1, problem.spanning(labels, room=2)
    keep_sizes(spanning, labels)
    order = rng.permutation(len(labels))
    sums, _ = move_locally(spanning, labels, order=order, tolerance=_FEW_PART_MOVES, n_jobs=n_jobs)
    if not problem.objective.is_per_cluster and not matrix_of(problem.rows).diagonal().any():
        # Single nodes, whatever they count, have no weight inside, and on graphs where all weights are alike the first
        # unions then show nothing. Their merging by the normalised cut is tried too.
        other, _, _ = agglomerate(
            problem.rows, problem.counts, n_clusters, linkage=OBJECTIVES["ncut"], min_size=problem.min_size
        )
        keep_sizes(spanning, other)
        other_sums, _ = move_locally(spanning, other, tolerance=_FEW_PART_MOVES)
        if other_sums.value(problem.objective) > sums.value(problem.objective):
            return other
    return labels


# -- moves of single nodes ---------------------------------------------------------------------------------------------

# Where others follow, moves end when a pass makes no more for each node.
FEW_MOVES = 1e-4

_NATURAL = np.empty(0, dtype=np.int64)
# Graphs of so many entries are looked at by threads first: so many turns a pass, so many blocks in all, as long as one
# of so many nodes is to be visited. Later the few are visited at once.
_MANY_LINKS, _PASS_TURNS, _BLOCKS, _MANY = 1 << 19, 4, 32, 16
# Heated proposals between two looks at whether they are wanted any more.
_AT_ONCE = 1 << 16
# Blocks move in turns, every fourth at the same time: those of the next turn see what became of them. In a sweep, every
# 16th: more are no better, and with workers labels travel between them.
TURNS, SWEEP_TURNS = 4, 16
_EVERYWHERE = np.empty(0, dtype=np.uint8)
_ROUNDS = 20
# Sums are taken anew where a larger share of the nodes has moved.
_FEW = 1 / 8


def move_locally(problem, labels, *, order=None, n_passes=50, tolerance=0.0, sums=None, n_jobs=None):
    """Move single nodes, in place, while that raises the objective; returns (ClusterSums as they are now, moves made).

    `labels` (n,) int32, nodes of label -1 stay. Visits are in `order` (n,) int64, or natural order. A pass that moves
    no more than a share `tolerance` of the nodes is the last; with 0, a pass over all nodes confirms that no single
    move to a neighbouring cluster raises the objective (unless `n_passes` come first). `sums`, those of `labels` if at
    hand, are changed in place, but for the cut. On a large graph threads look for the nodes that would move, and only
    these are then visited one after the other (:func:`_turns`).
    """
    sums = problem.sums(labels, n_jobs) if sums is None else sums
    active, task, order = np.ones(len(labels), dtype=bool), problem.task(sums), _NATURAL if order is None else order

    def move(n_passes, first, last, is_local=True, looks_only=False):
        visits, ends = (order, first, last, is_local), (n_passes, float(tolerance))
        room = _move_loops.room(problem.n_clusters)
        return _move_loops.move_nodes(task, sums.arrays, labels, active, visits, ends, looks_only, room)

    done = [(0, 0)]
    if len(problem.rows.indices) >= _MANY_LINKS:
        turns = _turns(problem.rows.indptr)
        while n_passes > 0 and _MANY * np.count_nonzero(active) > len(labels):
            made: list = []
            for spans in turns:  # threads look, and then nodes move
                looks = map_items(lambda span: move(1, span[0], span[1], looks_only=True), spans, n_jobs)
                made += [(0, entries) for _, entries in looks] + [move(1, spans[0][0], spans[-1][1])]
            done += made
            ended = sum(moves for moves, _ in made) <= tolerance * len(labels)
            n_passes = 0 if ended and tolerance > 0.0 else n_passes - 1
    done.append(move(n_passes, 0, len(labels), is_local=False))
    moves, entries = np.sum(done, axis=0).tolist()
    count("entries moved over", entries)
    if moves:
        sums.cut[:] = np.nan
    return sums, moves


def _turns(indptr):
    """The parts of a graph that are looked at by what is known at their beginning, each as a list of blocks of nodes.

    Blocks depend on the graph alone. A node that would not move is not visited unless a neighbour of it moves, as ever.
    """
    spans = row_spans(indptr, int(indptr[-1]) // _BLOCKS)
    step = -(-len(spans) // _PASS_TURNS)
    return [spans[i : i + step] for i in range(0, len(spans), step)]


def anneal(problem, labels, temperatures, rng):
    """Simulated annealing of labels, in place, with a sweep for each temperature.

    An edge changes an objective of shares by 1 / volume of a cluster, so that temperatures are `n_clusters` as high.
    """
    if problem.objective.is_per_cluster:
        temperatures = problem.n_clusters * temperatures
    sums = problem.sums(labels)
    task, at_once = problem.task(sums), max(1, _AT_ONCE // len(labels))
    clusters, _ = _move_loops.room(problem.n_clusters)
    for first in range(0, len(temperatures), at_once):
        check_stopped()
        _move_loops.annealing_sweeps(task, sums.arrays, labels, temperatures[first : first + at_once], rng, clusters)


def in_turns(spans, n_turns):
    """Return the blocks of every turn, for the turns that there are blocks for."""
    return [spans[turn::n_turns] for turn in range(min(n_turns, len(spans)))]


def move_in_blocks(problem, labels, *, sums=None, tolerance=FEW_MOVES, n_jobs=None):
    """Move single nodes, in place, as `move_locally` does, block by block; returns (ClusterSums, moves made).

    In a round every block has its turn, together with a quarter of all: its nodes move one after the other by what is
    known of the others at the beginning of the turn. A round that has not raised the objective is undone and is the
    last, as is one that moves no more than a share `tolerance` of the nodes.
    """
    rows, objective = problem.rows, problem.objective
    sums = problem.sums(labels, n_jobs) if sums is None else sums
    *_, limits = problem.task(sums)
    spans, near = pass_spans(rows.indptr), _EVERYWHERE
    moves = 0
    for _ in range(_ROUNDS):
        before, then = labels.copy(), sums
        count("entries moved over", len(rows.indices))
        for turn, some in enumerate(in_turns(spans, TURNS)):
            # From the second round on, only nodes that have had a neighbour move are weighed.
            lately = near if turn == 0 or not len(near) else near | np.packbits(labels != before)
            sums = _turn(problem, labels, some, sums, limits, lately, n_jobs)
        nodes = np.flatnonzero(labels != before)
        moved = len(nodes)
        if not moved:
            return then, moves
        near = np.packbits(labels != before)
        if moved > _FEW * len(labels):
            sums = problem.sums(labels, n_jobs)
        else:
            sums = _sums_then(rows, labels, nodes, before[nodes], near, then, n_jobs)
        if sums.value(objective) <= then.value(objective):
            labels[:] = before
            return then, moves
        moves += moved
        if moved <= tolerance * len(labels):
            break
    return sums, moves


def _sums_then(rows, labels, nodes, old, moved, sums, n_jobs):
    """Return the sums after some nodes have moved from `old` labels, from those before; `moved` are their bits."""
    spans = pass_spans(rows.indptr, few=True)
    changes = map_passes(_change_part, rows, spans, read_only(labels), nodes, old, moved, len(sums.size), n_jobs=n_jobs)
    internal, volume, size = sum(changes, sums.internal), sums.volume.copy(), sums.size.copy()
    for change, clusters in ((1, labels[nodes]), (-1, old)):
        np.add.at(volume, clusters, change * rows.degrees[nodes])
        np.add.at(size, clusters, change)
    # Rounding may leave a little below nothing.
    internal, volume = np.maximum(internal, 0.0), np.maximum(volume, 0.0)
    return ClusterSums(internal, volume, np.maximum(volume - internal, 0.0), size)


def _change_part(rows, first, last, labels, nodes, old, moved, n_clusters):
    """Return the changes of inner weights by the moved nodes of a block."""
    change = np.zeros(n_clusters)
    start, stop = np.searchsorted(nodes, (first, last))
    _move_loops.change_inside(rows[:], labels, *map(read_only, (nodes, old, moved)), (start, stop), change)
    return change


def _turn(problem, labels, spans, sums, limits, near, n_jobs):
    """Move the nodes of some blocks, in place; returns the sums, but for weight between what moved at once."""
    parts = map_passes(
        _move_part, problem.rows, spans, labels, problem.objective.code, limits, sums.arrays, near, n_jobs=n_jobs
    )
    nodes = np.concatenate([nodes for nodes, _, _ in parts])
    target = np.concatenate([target for _, target, _ in parts])
    source, degrees = labels[nodes], problem.rows.degrees[nodes]
    going = np.ones(len(nodes), dtype=bool)
    min_size, min_volume, _ = limits
    while True:
        volume, size = sums.volume.copy(), sums.size.copy()
        np.add.at(volume, target[going], degrees[going])
        np.subtract.at(volume, source[going], degrees[going])
        np.add.at(size, target[going], 1)
        np.subtract.at(size, source[going], 1)
        # Each block has left a cluster enough, but all of them together may not have: then its nodes stay.
        short = (size < min_size) | (volume < min_volume)
        stopped = going & short[source]
        if not stopped.any():
            break
        going &= ~stopped
    labels[nodes[going]] = target[going]
    internal = sums.internal + sum(change for _, _, change in parts)
    return ClusterSums(np.clip(internal, 0.0, volume), volume, np.full(len(volume), np.nan), size)


def _move_part(rows, first, last, labels, code, limits, sums, near):
    """Return nodes that move, their clusters then, and what that changes inside clusters."""
    own, inner = np.array(labels[first:last]), np.empty(len(sums[0]))
    task, sums = (rows[:], (NO_COUNTS, NONE_FIXED), code, limits), tuple(map(read_only, sums))
    _move_loops.move_block(
        task, sums, read_only(labels), own, first, last, read_only(near), inner, _move_loops.room(len(inner))
    )
    moved = np.flatnonzero(own != labels[first:last])
    return first + moved, own[moved], inner - sums[0]


def block_sweep(problem, labels, n_jobs=None):
    """Move nodes, some blocks at a time, to the cluster of steepest ascent, in place, once over the graph.

    The slopes are those of the start, so that it takes a third of the time of a pass of `move_locally`, but does not
    promise that the objective rises. From a poor start it rises further, and some small clusters are given up.
    """
    rows, k = problem.rows, problem.n_clusters
    sums = cluster_sums(rows, labels, k, n_jobs)
    steepness = slopes(problem.objective, sums.internal, sums.volume)
    count("entries moved over", len(rows.indices))
    for some in in_turns(pass_spans(rows.indptr), SWEEP_TURNS):
        parts = map_passes(assign_block, rows, some, read_only(labels), steepness, n_jobs=n_jobs)
        for (first, last), moved in zip(some, parts, strict=True):
            labels[first:last] = moved


def assign_block(rows, first, last, labels, slopes):
    """Return the clusters of steepest ascent for nodes first to last, all labels held: new labels of these."""
    moved = np.empty(last - first, dtype=labels.dtype)
    found = places(len(slopes[0]))
    _move_loops.batch_assign(rows[:], tuple(map(read_only, slopes)), labels, first, last, found, moved)
    return moved


# Clusters that are too large or too small mend this share of what is wrong in a round, and all of it after so many.
_SHARE, _GENTLE_ROUNDS = 0.5, 8


def keep_sizes(problem, labels):
    """Move nodes out of clusters that are too large, and into those that are too small, in place; True if none is left.

    Nodes go first that gain most, or lose least, of the weight inside clusters for their degree; a cluster that takes
    them may be one that they have no edge to. Fixed nodes and those of -1 stay. With a least size of 1 none is small.
    """
    rows, sizes = problem.rows, label_sizes(labels, problem.n_clusters, problem.counts)
    of_nodes, least = (read_only(problem.counts), read_only(problem.is_fixed)), max(1, problem.min_size)
    gains, goals, found = np.empty(len(labels)), np.empty(len(sizes)), places(len(sizes))
    for grow in (False, True):
        bounds = least, problem.max_size, grow
        for turn in range(len(labels)):
            if (least == 1 or sizes.min() >= least) if grow else sizes.max() <= problem.max_size:
                break
            _move_loops.size_gains(rows[:], of_nodes, sizes, bounds, labels, found, gains)
            going = np.flatnonzero(gains > -np.inf)
            order, share = going[np.argsort(-gains[going], kind="stable")], _SHARE if turn < _GENTLE_ROUNDS else 1.0
            if not _move_loops.move_for_sizes(rows[:], of_nodes[0], sizes, bounds, labels, order, share, found, goals):
                break
    return bool(sizes.max() <= problem.max_size and (least == 1 or sizes.min() >= least))


# -- moves of parts of nodes, in cycles -------------------------------------------------------------------------------

# A level of parts that leaves more than this share of what it unites, or of its entries, is not worth a level.
_MAX_SHARE = 0.9
# Cycles end where one raises the objective by less than this share of itself; the same among parts.
_WORTH = 2.5e-3
# Cycles among the parts of nodes for each cycle of the nodes: they are much cheaper, and raise it nearly as far.
_INNER = 3
# Blocks of numbers that stay together when an order is drawn: what is near in memory is visited soon.
_BLOCK = 64
# Threads for less than so many entries take longer to begin than they save.
_LARGE = 1 << 18
_NO_STARTS, _NO_NODES = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32)


def move_in_cycles(problem, labels, rng, *, sums=None, merges=True, n_jobs=None):
    """Raise the objective by moving parts of nodes, large ones first, then single nodes; again with other parts.

    Each cycle splits every cluster anew into parts, these into parts of parts (:func:`inner_parts`), and moves the
    largest first, which the first cycle also `merges` anew, where that is better; parts of nodes are moved so up to
    three times, with other parts of theirs. `labels` (n,) int32, -1 stays, are changed in place, and never for the
    worse; `sums` are theirs, if at hand. Returns ClusterSums, but for the cut.

    Parts inside clusters are the refinement phase of Traag, Waltman, van Eck, "From Louvain to Leiden", Scientific
    Reports 9, 2019.
    """
    sums = problem.sums(labels, n_jobs) if sums is None else sums
    while True:
        before, kept, moved = sums.value(problem.objective), labels.copy(), deepcopy(sums)
        _cycle(problem, labels, moved, rng, n_jobs, _INNER, merges)
        merges = False
        value = moved.value(problem.objective)
        if value <= before:  # also where there were no parts to move
            labels[:] = kept
            break
        sums = moved
        if value - before < _WORTH * abs(value):
            break
    return sums


def _cycle(problem, labels, sums, rng, n_jobs, n_inner, merges, of_parts=False):
    """One cycle; labels and their sums are changed in place. A cycle consists of cycles among the parts.

    The first one `merges` parts: on 85 graphs all but 1 % of what merging gains came of the first.
    """
    rows, most = problem.rows, min(int(_MAX_SHARE * len(problem.rows.indices)), max_links(problem.rows))
    parts, n_parts = inner_parts(rows, labels, part_resolutions(problem.objective, sums), rng, most, n_jobs)
    if n_parts <= _MAX_SHARE * len(labels):
        between, clusters = problem.between(parts, n_parts, n_jobs), pick_labels(parts, n_parts, labels)
        count("most links between parts", len(between.rows.indices), most=True)
        for _ in range(n_inner):
            before = sums.value(problem.objective)
            _cycle(between, clusters, sums, rng, n_jobs, 1, merges, of_parts=True)
            merges, value = False, sums.value(problem.objective)
            if value - before < _WORTH * abs(value):
                break
        labels[:] = apply_labels(clusters, parts)
    elif merges and of_parts:
        _merge_anew(problem, labels, sums)
    move_locally(problem, labels, sums=sums, tolerance=FEW_MOVES, n_jobs=n_jobs)


def _merge_anew(problem, labels, sums):
    """Take what merging makes of the largest parts, in place, where that is better than the clusters they come from.

    Where two clusters are united and a third is cut, no single move mends both. As by moves, no cluster is made of
    parts without a link between them.
    """
    from scipy.sparse.csgraph import connected_components

    rows, k, counts = problem.rows, problem.n_clusters, problem.counts
    if not problem.min_size or len(labels) <= k:
        return
    merged, _, _ = agglomerate(rows, counts, k, linkage=problem.objective, min_size=problem.min_size)
    n_parts, parts = connected_components(matrix_of(rows), directed=False)
    found, linked = problem.sums(merged), np.unique(merged.astype(np.int64) * n_parts + parts)
    fits = found.size.min() >= problem.min_size and len(linked) == k
    if fits and found.value(problem.objective) > sums.value(problem.objective):
        labels[:] = merged
        for kept, new in zip(sums.arrays, found.arrays, strict=True):
            kept[:] = new


def inner_parts(rows, clusters, resolutions, rng, max_entries=None, n_jobs=None):
    """Parts of nodes that belong together inside their cluster: labels (n,) int32, -1 where `clusters` is, and number.

    `resolutions` (n_clusters,) float64 say how many times as dense as by chance a part is. `rng` draws the order of
    visits. Where the graph between the parts would have more than `max_entries`, by a sample, they are joined once
    more; if even then, every node is a part.
    """
    parts, n_parts = _joined(rows, clusters, resolutions, rng, None, len(clusters), n_jobs)
    while is_too_dense(rows, parts, n_parts, max_entries):
        joined, n_joined = _joined(rows, clusters, resolutions, rng, parts, n_parts, n_jobs)
        if n_joined > _MAX_SHARE * n_parts:
            return np.where(clusters >= 0, np.arange(len(clusters), dtype=np.int32), -1), len(clusters)
        parts, n_parts = apply_labels(joined, parts), n_joined
    return parts, n_parts


def _joined(rows, clusters, resolutions, rng, parts, n_parts, n_jobs):
    """Join parts inside their clusters: labels (n_parts,) int32, and their number; without parts every node is one."""
    if parts is None:
        of_nodes, volumes = (_NO_NODES, _NO_STARTS, _NO_NODES), rows.degrees.copy()
    else:
        of_nodes, volumes = (parts, *grouped(parts, n_parts)), label_volumes(parts, rows.degrees, n_parts)
        clusters = pick_labels(parts, n_parts, clusters)
    count("entries joined", len(rows.indices))
    joined = np.where(clusters >= 0, np.arange(n_parts, dtype=np.int32), np.int32(-1))
    total = float(rows.degrees.sum())
    own, is_alone = volumes.copy(), np.ones(n_parts, dtype=bool)

    def join(order):
        around = np.empty(n_parts), np.full(n_parts, -1, dtype=np.int32), np.empty(n_parts, dtype=np.int32)
        join_parts(rows[:], total, clusters, resolutions, of_nodes, order, own, joined, volumes, is_alone, around)

    starts = rng.permutation(-(-n_parts // _BLOCK)).astype(np.int32) * _BLOCK
    order = (starts[:, None] + np.arange(_BLOCK, dtype=np.int32)).ravel()
    order = order[order < n_parts]
    n_threads = effective_jobs(n_jobs) if len(rows.indices) >= _LARGE else 1
    if n_threads == 1:
        join(order)
    else:  # by clusters: what parts do in one does not touch what those of others do
        shares = label_volumes(clusters, volumes, len(resolutions))
        shares /= shares.sum()
        threads = ((np.cumsum(shares) - shares / 2) * n_threads).astype(np.int32)[clusters[order]]
        map_items(join, [order[threads == t] for t in range(n_threads)], n_threads)
    return joined, compact_labels(joined, n_parts)


def part_resolutions(objective, sums):
    """The resolution of modularity at which two parts of each cluster are better together: the objective's own, if any.

    Others have that of a planted partition of these inner weights, as many times more likely inside (p) and between (q)
    as by chance: ``(p - q) / log(p / q)`` (Newman 2016, equation 10).
    """
    if objective.resolution is not None:
        return np.full(len(sums.volume), objective.resolution)
    total = sums.volume.sum()
    share, volume = sums.internal / total, sums.volume / total
    cut, apart = max(1.0 - share.sum(), 1e-12), max(1.0 - (volume**2).sum(), 1e-12)
    inside = np.divide(share, volume**2, out=np.ones_like(share), where=volume > 0)
    ratio = np.maximum(inside * apart / cut, 1.0 + 1e-9)
    return cut / apart * (ratio - 1.0) / np.log(ratio)
