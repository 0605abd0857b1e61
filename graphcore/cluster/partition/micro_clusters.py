"""Micro-clusters: every node goes to the coreset node that reaches it best."""

import numpy as np

from ...base.arrays import read_only
from ...graphs.passes import map_passes, pass_spans
from . import _group_loops as _loops
from .blocks import TURNS, block_sweep, in_turns
from .local_moving import move_locally
from .quotient import apply_labels, compact_labels, label_volumes, min_sampled_volume

# Labels farther away are for the plain breadth-first search, which needs no pass for every step.
_STEPS = 8


def coreset_micro_clusters(kernel_rows):
    """Give every node to the coreset node that reaches it best, by ``kernel.rows(indices)`` of ascending indices.

    Returns positions in `kernel_rows.points`, (n_points,) int32; -1 for nodes that no row reaches. A coreset node is in
    its own micro-cluster unless another row is larger there.
    """
    n, indices = len(kernel_rows.degrees), kernel_rows.points
    labels = np.full(n, -1, dtype=np.int32)
    # A row of the plain kernel leaves out its own point, unless the graph has a self-loop there.
    labels[indices] = np.arange(len(indices), dtype=np.int32)
    best = np.zeros(n, dtype=np.float32)
    best[indices] = kernel_rows.scale * kernel_rows.self_loop
    rows = kernel_rows.starts, kernel_rows.stops, kernel_rows.indices, kernel_rows.values
    _loops.claim_nodes(indices, rows, kernel_rows.scale, kernel_rows.self_loop, best, labels)
    return labels


def spread(rows, labels, n_labels):
    """:func:`_group_loops.spread_labels`, in place; returns the number of labels."""
    return int(_loops.spread_labels(rows[:], n_labels, labels))


def spread_all(rows, labels, n_labels):
    """Spread labels to all nodes; a component without a label gets the one of the least volume."""
    n_all = spread(rows, labels, n_labels)
    if n_all == n_labels:
        return
    volumes, table = label_volumes(labels, rows.degrees, n_all), np.arange(n_all, dtype=np.int32)
    for alone in range(n_labels, n_all):
        table[alone] = np.argmin(volumes[:n_labels])
        volumes[table[alone]] += volumes[alone]
    labels[:] = apply_labels(table, labels)


def spread_in_rounds(rows, labels, n_labels, n_jobs=None):
    """Give nodes of label -1 the label with most weight around them, in place, a step farther in each round."""
    turns = in_turns(pass_spans(rows.indptr), TURNS)
    for _ in range(_STEPS):
        given = 0
        for spans in turns:
            for nodes, offers in map_passes(_spread_part, rows, spans, labels, n_labels, n_jobs=n_jobs):
                labels[nodes] = offers
                given += len(nodes)
        if not given:
            break


def _spread_part(rows, first, last, labels, n_labels):
    room = int(np.count_nonzero(labels[first:last] < 0))
    nodes, offers = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int32)
    found = _loops.offer_labels(rows[:], read_only(labels), n_labels, first, last, nodes, offers)
    return nodes[:found].copy(), offers[:found].copy()


def settled_micro_clusters(kernel_rows, problem, n_passes=1, n_jobs=None):
    """Micro-clusters of all nodes that have an edge, settled by passes of moves of nodes between them.

    On huge graphs a single sweep does, and micro-clusters that it left too small for the sample of links go to their
    neighbours. Where fewer would be left than there are clusters, nothing is moved. Returns labels (n_points,) int32
    with -1 for isolated nodes, the number of micro-clusters, and that of the nodes with an edge that no row reaches.
    """
    indices, rows, least = kernel_rows.points, problem.rows, problem.fewest
    labels = coreset_micro_clusters(kernel_rows)
    n_unreached = int(np.count_nonzero((labels < 0) & (kernel_rows.degrees > 0)))
    if problem.is_huge:
        spread_in_rounds(rows, labels, len(indices), n_jobs)
    n_micro_clusters = spread(rows, labels, len(indices))
    if n_passes and problem.is_huge:
        block_sweep(problem.without_limits(n_micro_clusters), labels, n_jobs)
        labels, n_micro_clusters = _without_small(rows, labels, n_micro_clusters, least, n_jobs)
    elif n_passes:
        move_locally(problem.without_limits(n_micro_clusters), labels, n_passes=n_passes)
    n_micro_clusters = compact_labels(labels, n_micro_clusters)
    if n_micro_clusters < least:
        # Hardly fewer clusters than coreset nodes.
        labels = coreset_micro_clusters(kernel_rows)
        labels[indices] = np.arange(len(indices))
        n_micro_clusters = spread(rows, labels, len(indices))
    return labels, n_micro_clusters, n_unreached


def random_micro_clusters(problem, rng):
    """Micro-clusters that grow from half of a graph's nodes, drawn evenly: labels (n,) int32, and how many."""
    n = len(problem.rows.degrees)
    chosen = rng.choice(n, min(n, max(problem.fewest, n // 2)), replace=False)
    labels = np.full(n, -1, dtype=np.int32)
    labels[chosen] = np.arange(len(chosen))
    n_labels = spread(problem.rows, labels, len(chosen))
    move_locally(problem.without_limits(n_labels), labels, n_passes=1)
    return labels, compact_labels(labels, n_labels)


def _without_small(rows, labels, n_micro_clusters, min_count, n_jobs):
    """Give the nodes of micro-clusters of too little volume to those around; (labels, number of micro-clusters)."""
    kept = label_volumes(labels, rows.degrees, n_micro_clusters) >= min_sampled_volume(rows)
    if np.count_nonzero(kept) < min_count:
        return labels, n_micro_clusters
    table = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
    labels, n_kept = apply_labels(table, labels), int(np.count_nonzero(kept))
    spread_in_rounds(rows, labels, n_kept, n_jobs)
    return labels, spread(rows, labels, n_kept)
