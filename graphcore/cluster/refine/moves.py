"""Moves of single nodes to neighbouring clusters, one by one or in blocks at a time, and simulated annealing."""

import numpy as np

from ...base.loops import check_stopped, map_items, row_spans
from ...base.progress import count
from ...base.validation import read_only
from ...graphs.rows import map_passes, pass_spans
from . import _move_loops, _objective_loops
from .problem import NO_COUNTS, NONE_FIXED, ClusterSums, inner_sums, label_sizes, label_volumes

# Where others follow, moves end when a pass makes no more for each node.
FEW_MOVES = 1e-4

_NATURAL = np.empty(0, dtype=np.int64)
# Graphs of so many entries are looked at by threads first: so many turns a pass, so many blocks in all, as long as one
# of so many nodes is to be visited. Later the few are visited at once.
_LARGE, _PASS_TURNS, _BLOCKS, _MANY = 1 << 19, 4, 32, 16
# Heated proposals between two looks at whether they are wanted any more.
_AT_ONCE = 1 << 16
# Blocks move in turns, every fourth at the same time: those of the next turn see what became of them. In a sweep, every
# 16th: more are no better, and with workers labels travel between them.
TURNS, SWEEP_TURNS = 4, 16
_EVERYWHERE = np.empty(0, dtype=np.uint8)
_ROUNDS = 20
# Sums are taken anew where a larger share of the nodes has moved.
_FEW = 1 / 8


def move_locally(problem, labels, *, order=None, n_passes=50, tolerance=0.0, active=None, sums=None, n_jobs=None):
    """Move single nodes, in place, while that raises the objective; returns (ClusterSums as they are now, moves made).

    `labels` (n,) int32, nodes of label -1 stay. Visits are in `order` (n,) int64, or natural order. A pass that moves
    no more than a share `tolerance` of the nodes is the last; with 0, a pass over all nodes confirms that no single
    move to a neighbouring cluster raises the objective (unless `n_passes` come first). With `active` (n,) bool only
    those nodes are visited, then neighbours of what moved, and nothing is confirmed. `sums`, those of `labels` if at
    hand, are changed in place, but for the cut. On a large graph threads look for the nodes that would move, and only
    these are then visited one after the other (:func:`_turns`).
    """
    sums = problem.sums(labels, n_jobs) if sums is None else sums
    visited = np.ones(len(labels), dtype=bool) if active is None else active.copy()
    task, order = problem.task(sums), _NATURAL if order is None else order

    def move(n_passes, first, last, is_local, looks_only=False):
        visits, ends = (order, first, last, is_local), (n_passes, float(tolerance))
        return _move_loops.move_nodes(task, sums.arrays, labels, visited, visits, ends, looks_only)

    done = [(0, 0)]
    if len(problem.rows.indices) >= _LARGE:
        turns = _turns(problem.rows.indptr)
        while n_passes > 0 and _MANY * np.count_nonzero(visited) > len(labels):
            made = [result for turn in turns for result in _take_turn(move, turn, n_jobs)]
            done += made
            ended = sum(moves for moves, _ in made) <= tolerance * len(labels)
            n_passes = 0 if ended and (tolerance > 0.0 or active is not None) else n_passes - 1
    done.append(move(n_passes, 0, len(labels), active is not None))
    moves, entries = (int(sum(each)) for each in zip(*done, strict=True))
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


def _take_turn(move, spans, n_jobs):
    """Moves made and entries read by one part of the graph: to look, by threads, then to move."""
    looks = map_items(lambda span: move(1, *span, True, True), spans, n_jobs)
    return [(0, entries) for _, entries in looks] + [move(1, spans[0][0], spans[-1][1], True)]


def anneal(problem, labels, temperatures, rng):
    """Simulated annealing of labels, in place, with a sweep for each temperature.

    An edge changes an objective of shares by 1 / volume of a cluster, so that temperatures are `n_clusters` as high.
    """
    if problem.objective.is_per_cluster:
        temperatures = problem.n_clusters * temperatures
    sums = problem.sums(labels)
    task, at_once = problem.task(sums), max(1, _AT_ONCE // len(labels))
    for first in range(0, len(temperatures), at_once):
        check_stopped()
        _move_loops.annealing_sweeps(task, sums.arrays, labels, temperatures[first : first + at_once], rng)


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
    limits = problem.limits(float(sums.volume.sum()))
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
    _move_loops.move_block(task, sums, read_only(labels), own, first, last, read_only(near), inner)
    moved = np.flatnonzero(own != labels[first:last])
    return first + moved, own[moved], inner - sums[0]


def block_sweep(problem, labels, n_jobs=None):
    """Move nodes, some blocks at a time, to the cluster of steepest ascent, in place, once over the graph.

    The slopes are those of the start, so that it takes a third of the time of a pass of `move_locally`, but does not
    promise that the objective rises. From a poor start it rises further, and some small clusters are given up.
    """
    rows, k = problem.rows, problem.n_clusters
    internal, volume = inner_sums(rows, labels, k, n_jobs), label_volumes(labels, rows.degrees, k)
    slopes = _objective_loops.slopes(problem.objective.code, internal, volume)
    count("entries moved over", len(rows.indices))
    for some in in_turns(pass_spans(rows.indptr), SWEEP_TURNS):
        parts = map_passes(assign_block, rows, some, read_only(labels), slopes, n_jobs=n_jobs)
        for (first, last), moved in zip(some, parts, strict=True):
            labels[first:last] = moved


def assign_block(rows, first, last, labels, slopes):
    """Return the clusters of steepest ascent for nodes first to last, all labels held: new labels of these."""
    moved = np.empty(last - first, dtype=labels.dtype)
    _move_loops.batch_assign(rows[:], tuple(map(read_only, slopes)), labels, first, last, moved)
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
    gains = np.empty(len(labels))
    for grow in (False, True):
        bounds = least, problem.max_size, grow
        for turn in range(len(labels)):
            if (least == 1 or sizes.min() >= least) if grow else sizes.max() <= problem.max_size:
                break
            _move_loops.size_gains(rows[:], of_nodes, sizes, bounds, labels, gains)
            going = np.flatnonzero(gains > -np.inf)
            order, share = going[np.argsort(-gains[going], kind="stable")], _SHARE if turn < _GENTLE_ROUNDS else 1.0
            if not _move_loops.move_for_sizes(rows[:], of_nodes[0], sizes, bounds, labels, order, share):
                break
    return bool(sizes.max() <= problem.max_size and (least == 1 or sizes.min() >= least))
