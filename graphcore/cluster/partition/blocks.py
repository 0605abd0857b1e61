"""Labels changed by passes over blocks of nodes, for graphs that are read in their own order, here or by workers."""

import numpy as np

from ...base.arrays import read_only
from ...base.work import count
from ...graphs.passes import map_passes, pass_spans
from . import _block_loops as _loops
from . import _objective_loops
from .cluster_sums import ClusterSums, inner_sums
from .constraints import FREE
from .local_moving import FEW_MOVES
from .quotient import label_volumes

# Blocks move in turns, every fourth at the same time: those of the next turn see what became of them. In a sweep, every
# 16th: more are no better, and with workers labels travel between them.
TURNS, SWEEP_TURNS = 4, 16
_EVERYWHERE = np.empty(0, dtype=np.uint8)
_ROUNDS = 20
# Sums are taken anew where a larger share of the nodes has moved.
_FEW = 1 / 8


def in_turns(spans, n_turns):
    """The blocks of every turn, for the turns that there are blocks for."""
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
    """The sums after some nodes have moved from `old` labels, from those before; `moved` are their bits."""
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
    _loops.change_inside(rows[:], labels, *map(read_only, (nodes, old, moved)), (start, stop), change)
    return change


def _turn(problem, labels, spans, sums, limits, near, n_jobs):
    """Move the nodes of some blocks, in place; returns the sums, but for weight between what moved at once."""
    parts = map_passes(_move_part, problem.rows, spans, labels, problem.code, limits, sums.arrays, near, n_jobs=n_jobs)
    nodes = np.concatenate([nodes for nodes, _, _ in parts])
    target = np.concatenate([target for _, target, _ in parts])
    source, degrees = labels[nodes], problem.rows.degrees[nodes]
    going = np.ones(len(nodes), dtype=bool)
    min_size, min_volume, _, _ = limits
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
    """Nodes that move, their clusters then, and what that changes inside clusters."""
    own, inner = np.array(labels[first:last]), np.empty(len(sums[0]))
    task, sums = (rows[:], FREE.of_nodes, code, limits), tuple(map(read_only, sums))
    _loops.move_block(task, sums, read_only(labels), own, first, last, read_only(near), inner)
    moved = np.flatnonzero(own != labels[first:last])
    return first + moved, own[moved], inner - sums[0]


def block_sweep(problem, labels, n_jobs=None):
    """Move nodes, some blocks at a time, to the cluster of steepest ascent, in place, once over the graph.

    The slopes are those of the start, so that it takes a third of the time of a pass of `move_locally`, but does not
    promise that the objective rises. From a poor start it rises further, and some small clusters are given up.
    """
    rows, k = problem.rows, problem.n_clusters
    internal, volume = inner_sums(rows, labels, k, n_jobs), label_volumes(labels, rows.degrees, k)
    slopes = _objective_loops.slopes(problem.code, internal, volume)
    count("entries moved over", len(rows.indices))
    for some in in_turns(pass_spans(rows.indptr), SWEEP_TURNS):
        parts = map_passes(assign_block, rows, some, read_only(labels), slopes, n_jobs=n_jobs)
        for (first, last), moved in zip(some, parts, strict=True):
            labels[first:last] = moved


def assign_block(rows, first, last, labels, slopes):
    """The clusters of steepest ascent for nodes first to last, all labels held: new labels of these."""
    moved = np.empty(last - first, dtype=labels.dtype)
    _loops.batch_assign(rows[:], tuple(map(read_only, slopes)), labels, first, last, moved)
    return moved
