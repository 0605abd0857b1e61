"""Local moving: single nodes go to a neighbouring cluster while that raises the objective."""

import numpy as np

from .._arrays import read_only
from .._threads import map_items, row_spans
from .._work import count
from ..distributed.passes import map_passes, pass_spans
from . import _local_moving_loops as _loops
from . import _objective_loops
from .cluster_sums import inner_sums
from .quotient import label_volumes

# Where others follow, moves end when a pass makes no more for each node.
FEW_MOVES = 1e-4

_NATURAL = np.empty(0, dtype=np.int64)
# Turns of a sweep: blocks of the same turn do not see each other's moves. More are no better, and with workers labels
# travel between them.
_TURNS = 16
# Graphs of so many entries are looked at by threads first: so many turns a pass, so many blocks in all, as long as one
# of so many nodes is to be visited. Later the few are visited at once.
_LARGE, _PASS_TURNS, _BLOCKS, _MANY = 1 << 19, 8, 64, 16


def move_locally(problem, labels, *, order=None, n_passes=50, tolerance=0.0, active=None, sums=None, n_jobs=None):
    """Move single nodes, in place, while that raises the objective; returns (ClusterSums as they are now, moves made).

    `labels` (n,) int32, nodes of label -1 stay. Visits are in `order` (n,) int64, or natural order. A pass that moves
    no more than a share `tolerance` of the nodes is the last; with 0, a pass over all nodes confirms that no single
    move to a neighbouring cluster raises the objective (unless `n_passes` come first). Limits are those of the Problem.
    With `active` (n,) bool only those nodes are visited, then neighbours of what moved; nothing is confirmed, so that
    the cost goes by what changes. `sums`, those of `labels` if at hand, are changed in place, but for the cut. On a
    large graph threads look for the nodes that would move, a part of the graph at a time, and only these are then
    visited one after the other (:func:`_turns`).
    """
    rows, limits = problem.rows, problem.constraints
    sums = problem.sums(labels) if sums is None else sums
    visited = np.ones(len(labels), dtype=bool) if active is None else active.copy()
    total = float(sums.volume.sum())

    def move(n_passes, first, last, is_local, looks_only=False):
        return _loops.move_nodes(
            *rows, read_only(limits.counts), problem.code, _NATURAL if order is None else order, n_passes,
            float(tolerance), *problem.least(total), limits.max_size, limits.max_volume(total, problem.n_clusters),
            limits.is_fixed, visited, is_local, sums.internal, sums.volume, sums.size, labels, first, last, looks_only,
        )  # fmt: skip

    done = [(0, 0)]
    if len(rows.indices) >= _LARGE:
        turns = _turns(rows.indptr)
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


def block_sweep(problem, labels, n_jobs=None):
    """Move nodes, some blocks at a time, to the cluster of steepest ascent, in place, once over the graph.

    The slopes are those of the start; the labels (-1 stays) are those that the blocks before have left. So it takes a
    third of the time of a pass of :func:`move_locally`, on any number of threads, but does not promise that the
    objective rises. From a poor start it rises further than by moving single nodes, and some small clusters are given
    up.
    """
    rows, k = problem.rows, problem.n_clusters
    internal, volume = inner_sums(rows, labels, k, n_jobs), label_volumes(labels, rows.degrees, k)
    by_inner, by_volume = np.empty(k), np.empty(k)
    _objective_loops.slopes(problem.code, internal, volume, by_inner, by_volume)
    count("entries moved over", len(rows.indices))
    spans = pass_spans(rows.indptr)
    for turn in range(min(_TURNS, len(spans))):
        some = spans[turn::_TURNS]
        parts = map_passes(_sweep_part, rows, some, read_only(labels), by_inner, by_volume, n_jobs=n_jobs)
        for (first, last), moved in zip(some, parts, strict=True):
            labels[first:last] = moved


def _sweep_part(rows, first, last, labels, by_inner, by_volume):
    """New labels of some nodes."""
    moved = np.empty(last - first, dtype=labels.dtype)
    _loops.batch_assign(*rows, read_only(by_inner), read_only(by_volume), first, last, labels, moved)
    return moved
