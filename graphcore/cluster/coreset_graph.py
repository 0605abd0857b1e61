"""The coreset graph: contracted, in which every edge of the graph counts, or induced by the coreset, as published."""

from typing import NamedTuple

import numpy as np

from ..base.progress import count
from ..base.validation import read_only
from ..graphs.rows import GraphRows, map_passes, pass_spans
from .refine import _quotient_loops as _loops
from .refine._objective_loops import places
from .refine.improve import TURNS, assign_block, block_sweep, in_turns, move_locally
from .refine.objectives import OBJECTIVES
from .refine.problem import (
    apply_labels,
    cluster_sums,
    compact_labels,
    is_huge,
    label_sizes,
    label_volumes,
    max_links,
    min_sampled_volume,
    slopes,
)

# Labels farther away are for the plain breadth-first search, which needs no pass for every step.
_STEPS = 8


def contract(kernel, coreset, problem, n_jobs=None):
    """Give every node to the coreset node of largest kernel value, and contract these cells.

    Nodes that no coreset node reaches follow their neighbours. One pass of moves of single nodes then settles the
    cells, by the objective of the Problem; it may empty some, and a component without a coreset node is one. Returns
    the cell of every node (n_nodes,) int32, -1 if isolated; the Problem of the graph between cells; and how many nodes
    with an edge no coreset node reaches.

    A union of cells has the same inner weight, volume and cut between cells as in the graph, and so the same normalised
    cut. Its cost of kernel k-means is less by that of the cells, whatever the partition is.
    """
    cells, n_cells, n_unreached = settled_cells(kernel, coreset.indices, problem, n_jobs=n_jobs)
    return cells, problem.between(cells, n_cells, n_jobs, max_links(problem.rows)), n_unreached


def nearest_cells(kernel, indices):
    """Give every node x to the coreset node y, one of ascending indices, of the largest ``K_xy``.

    The least distance ``K_xx + K_yy - 2 K_xy`` would be another, as ``K_yy`` is the weight of a loop, put there for the
    draws, over the square of the degree: it would draw nodes to hubs, also those that have no edge to them.

    Returns positions in `indices`, (n_points,) int32; -1 for nodes that no row reaches. A coreset node is in its own
    cell unless another row is larger there.
    """
    labels = np.full(kernel.n_points, -1, dtype=np.int32)
    # A row of the plain kernel leaves out its own point, unless the graph has a self-loop there.
    labels[indices] = np.arange(len(indices), dtype=np.int32)
    scale, loops = kernel.outer[indices], kernel.loops(indices)
    best = np.zeros(kernel.n_points, dtype=np.float32)
    best[indices] = scale * loops
    rows = kernel.indptr[indices], kernel.indptr[1:][indices], kernel.indices, kernel.values
    _loops.claim_nodes(indices, rows, scale, loops, best, labels)
    return labels


def spread(rows, labels, n_labels):
    """:func:`_quotient_loops.spread_labels`, in place; returns the number of labels."""
    if labels.min(initial=0) >= 0:
        return n_labels
    queue, queued = np.empty(len(labels), dtype=rows.indices.dtype), np.zeros(len(labels), dtype=bool)
    return int(_loops.spread_labels(rows[:], np.zeros(n_labels), queue, queued, labels))


def spread_all(rows, labels, n_labels):
    """Spread labels to all nodes; a component without one gets that of the least volume, or where k is free its own."""
    n_all = spread(rows, labels, n_labels or int(labels.max()) + 1)
    if n_all == n_labels or not n_labels:
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
    found = _loops.offer_labels(rows[:], read_only(labels), first, last, places(n_labels), nodes, offers)
    return nodes[:found].copy(), offers[:found].copy()


def settled_cells(kernel, indices, problem, n_passes=1, n_jobs=None):
    """Cells of all nodes that have an edge, settled by passes of moves of nodes between them.

    On huge graphs a single sweep does, and cells that it left too small for the sample of links go to their
    neighbours. Where fewer would be left than there are clusters, nothing is moved. Returns labels (n_points,) int32
    with -1 for isolated nodes, the number of cells, and that of the nodes with an edge that no row reaches.
    """
    rows, huge = problem.rows, is_huge(len(problem.rows.indices))
    least = problem.n_clusters if problem.min_size else 1
    labels = nearest_cells(kernel, indices)
    n_unreached = int(np.count_nonzero((labels < 0) & (kernel.degrees > 0)))
    if huge:
        spread_in_rounds(rows, labels, len(indices), n_jobs)
    n_cells = spread(rows, labels, len(indices))
    if huge:
        block_sweep(problem.without_limits(n_cells), labels, n_jobs)
        labels, n_cells = _without_small(rows, labels, n_cells, least, n_jobs)
    else:
        move_locally(problem.without_limits(n_cells), labels, n_passes=n_passes, n_jobs=n_jobs)
    n_cells = compact_labels(labels, n_cells)
    if n_cells < least:
        # Hardly fewer clusters than coreset nodes.
        labels = nearest_cells(kernel, indices)
        labels[indices] = np.arange(len(indices))
        n_cells = spread(rows, labels, len(indices))
    return labels, n_cells, n_unreached


def _without_small(rows, labels, n_cells, min_count, n_jobs):
    """Give the nodes of cells of too little volume to those around; (labels, number of cells)."""
    kept = label_volumes(labels, rows.degrees, n_cells) >= min_sampled_volume(rows)
    if np.count_nonzero(kept) < min_count:
        return labels, n_cells
    table = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
    labels, n_kept = apply_labels(table, labels), int(np.count_nonzero(kept))
    spread_in_rounds(rows, labels, n_kept, n_jobs)
    return labels, spread(rows, labels, n_kept)


class Labelling(NamedTuple):
    """Labels of all points, and which of them no row of a coreset point reaches: their label is no evidence."""

    labels: np.ndarray  # (n_points,) int32, -1 for points of weight 0
    unreached: np.ndarray  # (n_points,) bool: with the label of the centroid of smallest norm


def label_all(kernel, indices, weights, labels, n_clusters, *, coreset_graph=None, n_jobs=None):
    """Label every point by the centroid nearest to it, from `labels` and `weights` of the coreset points: a Labelling.

    With ``c_j = sum_{y in P_j} w(y) phi(y) / w(P_j)``, point x goes to ``argmin_j ||c_j||^2 - 2 <phi(x), c_j>``, of
    equals to the lowest label, in O(n + entries of the coreset's rows). Indices ascend; `coreset_graph` is
    ``kernel.weighted_submatrix(indices, weights)``, if at hand.

    Section 5 of Jourdan, Schwartzman, Macgregor, Sun, "Coreset Spectral Clustering".
    """
    if coreset_graph is None:
        coreset_graph = kernel.weighted_submatrix(indices, weights, n_jobs=n_jobs)
    labels = np.ascontiguousarray(labels, dtype=np.int32)
    rows = GraphRows(*map(read_only, (coreset_graph.indptr, coreset_graph.indices, coreset_graph.data, weights)))
    sums = cluster_sums(rows, labels, n_clusters, n_jobs)
    with np.errstate(invalid="ignore", divide="ignore"):
        norms = np.where(sums.volume > 0, sums.internal / sums.volume**2, np.inf)
    drawn, given = np.zeros(kernel.n_points), np.full(kernel.n_points, -1, dtype=np.int32)
    drawn[indices], given[indices] = weights, np.where(weights > 0, labels, -1)
    near = kernel.towards(indices)
    out, _ = near.cluster_products(given, drawn, n_clusters, n_jobs).nearest(norms, sums.volume, np.zeros(n_clusters))
    taking_part = kernel.point_weights > 0
    out[~taking_part] = -1
    return Labelling(out, taking_part & (near.product(drawn[:, None], n_jobs)[:, 0] == 0))


def nearest_centroids(rows, labels, n_clusters, n_jobs=None):
    """Give every node of a graph the nearest of the centroids of clusters of all its nodes, as new labels (n,) int32.

    With the kernel ``K = D^-1 A D^-1`` and the clusters of `labels`, of inner weight ``L_j`` and volume ``v_j``, node x
    of degree ``d_x`` with weight ``l_xj`` to cluster j goes to ``argmin_j ||c_j||^2 - 2 <phi(x), c_j>``, where
    ``||c_j||^2 = L_j / v_j^2`` and ``<phi(x), c_j> = l_xj / (d_x v_j)``: one step of weighted kernel k-means. A loop is
    weight to the own cluster. Only that and those around it are considered; of equals it stays, then takes the first
    met. Nodes of -1 keep it. A cluster that all its nodes would leave keeps them.

    Section 5 of Jourdan, Schwartzman, Macgregor, Sun, "Coreset Spectral Clustering".
    """
    sums = cluster_sums(rows, labels, n_clusters, n_jobs)
    # The derivatives of the normalised cut are these distances, times -d_x.
    steepness = slopes(OBJECTIVES["ncut"], sums.internal, sums.volume)
    count("entries labelled", len(rows.indices))
    parts = map_passes(assign_block, rows, pass_spans(rows.indptr), read_only(labels), steepness, n_jobs=n_jobs)
    nearest, is_used = np.concatenate(parts), label_sizes(labels, n_clusters) > 0
    while (is_left := is_used & (label_sizes(nearest, n_clusters) == 0)).any():
        staying = (labels >= 0) & is_left[labels]
        nearest[staying] = labels[staying]
    return nearest
