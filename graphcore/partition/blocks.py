"""Labels changed by passes over blocks of nodes, for graphs that are read in their own order, here or by workers."""

import numpy as np

from .._arrays import read_only
from .._work import count
from ..distributed.passes import map_passes, pass_spans
from . import _block_loops as _loops
from .cluster_sums import ClusterSums
from .local_moving import FEW_MOVES

# Blocks move in turns, every fourth at the same time: those of the next turn see what became of them.
_TURNS = 4
_EVERYWHERE = np.empty(0, dtype=np.uint8)
_ROUNDS = 20
# Sums are taken anew where a larger share of the nodes has moved.
_FEW = 1 / 8
# Labels farther away are for the plain breadth-first search, which needs no pass for every step.
_STEPS = 8


def spread_in_rounds(rows, labels, n_labels, n_jobs=None):
    """Give nodes of label -1 the label with most weight around them, in place, a step farther in every round.

    Unlike in a breadth-first search, node after node, those of the same turn do not see each other's. Ends after a few
    rounds, or when nothing changes.
    """
    spans = pass_spans(rows.indptr)
    for _ in range(_STEPS):
        given = 0
        for turn in range(min(_TURNS, len(spans))):
            parts = map_passes(_spread_part, rows, spans[turn::_TURNS], labels, n_labels, n_jobs=n_jobs)
            for nodes, offers in parts:
                labels[nodes] = offers
                given += len(nodes)
        if not given:
            break


def _spread_part(rows, first, last, labels, n_labels):
    room = int(np.count_nonzero(labels[first:last] < 0))
    nodes, offers = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int32)
    found = _loops.offer_labels(
        rows.indptr, rows.indices, rows.weights, n_labels, first, last, read_only(labels), nodes, offers
    )
    return nodes[:found].copy(), offers[:found].copy()


def move_in_blocks(problem, labels, *, sums=None, tolerance=FEW_MOVES, n_jobs=None):
    """Move single nodes, in place, as :func:`graphcore.partition.local_moving.move_locally` does, block by block.

    In a round every block of nodes has its turn, together with a quarter of all blocks: its nodes move one after the
    other by what is known of the others at the beginning of the turn. After each round the sums are those of the whole
    graph again; a round that has not raised the objective is undone and is the last, as is one that moves no more than
    a share `tolerance` of the nodes. Clusters keep the least size and volume. Returns (ClusterSums, moves made).
    """
    rows, objective = problem.rows, problem.objective
    sums = problem.sums(labels, n_jobs) if sums is None else sums
    least = problem.least(float(sums.volume.sum()))
    spans, near = pass_spans(rows.indptr), _EVERYWHERE
    moves = 0
    for _ in range(_ROUNDS):
        before, then = labels.copy(), sums
        count("entries moved over", len(rows.indices))
        for turn in range(min(_TURNS, len(spans))):
            # From the second round on, only nodes that have had a neighbour move are weighed.
            lately = near if turn == 0 or not len(near) else near | np.packbits(labels != before)
            sums = _turn(problem, labels, spans[turn::_TURNS], sums, least, lately, n_jobs)
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
    """What those of the moved nodes that are in a block have changed inside clusters."""
    change = np.zeros(n_clusters)
    some = np.searchsorted(nodes, (first, last))
    _loops.change_inside(
        rows.indptr, rows.indices, rows.weights, read_only(nodes), read_only(old), *some, read_only(moved), labels,
        change,
    )  # fmt: skip
    return change


def _turn(problem, labels, spans, sums, least, near, n_jobs):
    """Move the nodes of some blocks, in place; returns the sums, but for weight between what moved at once."""
    parts = map_passes(
        _move_part, problem.rows, spans, labels, problem.code, *least, sums.internal, sums.volume, sums.size, near,
        n_jobs=n_jobs,
    )  # fmt: skip
    nodes = np.concatenate([nodes for nodes, _, _ in parts])
    target = np.concatenate([target for _, target, _ in parts])
    source, degrees = labels[nodes], problem.rows.degrees[nodes]
    going = np.ones(len(nodes), dtype=bool)
    while True:
        volume, size = sums.volume.copy(), sums.size.copy()
        np.add.at(volume, target[going], degrees[going])
        np.subtract.at(volume, source[going], degrees[going])
        np.add.at(size, target[going], 1)
        np.subtract.at(size, source[going], 1)
        # Each block has left a cluster enough, but all of them together may not have: then its nodes stay.
        short = (size < least[0]) | (volume < least[1])
        stopped = going & short[source]
        if not stopped.any():
            break
        going &= ~stopped
    labels[nodes[going]] = target[going]
    internal = sums.internal + sum(change for _, _, change in parts)
    return ClusterSums(np.clip(internal, 0.0, volume), volume, np.full(len(volume), np.nan), size)


def _move_part(rows, first, last, labels, objective, min_size, min_volume, inner, volumes, sizes, near):
    """Nodes that move, their clusters then, and what that changes inside clusters."""
    own, changed = np.array(labels[first:last]), np.array(inner)
    _loops.move_block(
        *rows, objective, first, last, min_size, min_volume, changed, read_only(volumes), read_only(sizes),
        read_only(near), read_only(labels), own,
    )  # fmt: skip
    moved = np.flatnonzero(own != labels[first:last])
    return first + moved, own[moved], changed - inner
