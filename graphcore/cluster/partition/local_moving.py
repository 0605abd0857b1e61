"""Moves of single nodes to neighbouring clusters: while that raises the objective, or by simulated annealing."""

import numpy as np

from ...base.threads import check_stopped, map_items, row_spans
from ...base.work import count
from . import _local_moving_loops as _loops

# Where others follow, moves end when a pass makes no more for each node.
FEW_MOVES = 1e-4

_NATURAL = np.empty(0, dtype=np.int64)
# Graphs of so many entries are looked at by threads first: so many turns a pass, so many blocks in all, as long as one
# of so many nodes is to be visited. Later the few are visited at once.
_LARGE, _PASS_TURNS, _BLOCKS, _MANY = 1 << 19, 8, 64, 16
# Heated proposals between two looks at whether they are wanted any more.
_AT_ONCE = 1 << 16


def move_locally(problem, labels, *, order=None, n_passes=50, tolerance=0.0, active=None, sums=None, n_jobs=None):
    """Move single nodes, in place, while that raises the objective; returns (ClusterSums as they are now, moves made).

    `labels` (n,) int32, nodes of label -1 stay. Visits are in `order` (n,) int64, or natural order. A pass that moves
    no more than a share `tolerance` of the nodes is the last; with 0, a pass over all nodes confirms that no single
    move to a neighbouring cluster raises the objective (unless `n_passes` come first). With `active` (n,) bool only
    those nodes are visited, then neighbours of what moved, and nothing is confirmed. `sums`, those of `labels` if at
    hand, are changed in place, but for the cut. On a large graph threads look for the nodes that would move, and only
    these are then visited one after the other (:func:`_turns`).
    """
    sums = problem.sums(labels) if sums is None else sums
    visited = np.ones(len(labels), dtype=bool) if active is None else active.copy()
    task, order = problem.task(sums), _NATURAL if order is None else order

    def move(n_passes, first, last, is_local, looks_only=False):
        visits, ends = (order, first, last, is_local), (n_passes, float(tolerance))
        return _loops.move_nodes(task, sums.arrays, labels, visited, visits, ends, looks_only)

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
    if problem.record.is_per_cluster:
        temperatures = problem.n_clusters * temperatures
    sums = problem.sums(labels)
    task, at_once = problem.task(sums), max(1, _AT_ONCE // len(labels))
    for first in range(0, len(temperatures), at_once):
        check_stopped()
        _loops.annealing_sweeps(task, sums.arrays, labels, temperatures[first : first + at_once], rng)
