"""Cells: every node goes to the coreset node that reaches it best."""

import numpy as np

from . import _micro_cluster_loops as _loops
from .quotient import apply_labels, compact_labels, is_huge, label_volumes, least_sampled_volume
from .refine import block_sweep, refine

__all__ = ["coreset_cells", "settled_cells", "spread"]

# Passes over the nodes that let cells settle before they are merged.
_PASSES = 2


def coreset_cells(reach):
    """Give every node to the coreset node that reaches it best.

    Parameters
    ----------
    reach : KernelRows or HalfWalkRows
        ``kernel.reach(indices)`` of the coreset's nodes, ascending.

    Returns
    -------
    ndarray of shape (n_points,), int32
        Position in `indices`; -1 for nodes that no row reaches. A coreset node is in its own cell unless another row is
        larger there.
    """
    n, indices = len(reach.degrees), reach.points
    cells = np.full(n, -1, dtype=np.int32)
    # A row of the plain kernel leaves out its own point, unless the graph has a self-loop there.
    cells[indices] = np.arange(len(indices), dtype=np.int32)
    best = np.zeros(n, dtype=np.float32)
    best[indices] = reach.scale * reach.self_loop
    _loops.claim_cells(
        indices, reach.starts, reach.stops, reach.indices, reach.values, reach.scale, reach.self_loop, best, cells
    )
    return cells


def spread(rows, labels, n_labels):
    """Give every unlabelled node that has an edge the label with most weight around it, breadth first, in place.

    Parameters
    ----------
    rows : GraphRows
    labels : ndarray of shape (n,), int32
        -1 for unlabelled nodes; changed in place.
    n_labels : int

    Returns
    -------
    int
        Number of labels; a component that held none adds one.
    """
    return int(_loops.spread_labels(rows.indptr, rows.indices, rows.weights, n_labels, labels))


def settled_cells(reach, rows, least_cells, objective=None, n_jobs=None):
    """Cells of all nodes that have an edge, settled by a few moves of nodes between them.

    On huge graphs a single sweep does, block by block, and cells that it left too small for the sample of links go to
    their neighbours: nobody would know where to merge them.

    Parameters
    ----------
    reach : KernelRows or HalfWalkRows
        ``kernel.reach(indices)`` of the coreset's nodes, ascending.
    rows : GraphRows
    least_cells : int
        Where fewer would be left, every coreset node keeps its cell and nothing is moved.
    objective : str, optional
        What moves raise, see :func:`graphcore.partition.refine.refine`; None moves nothing.
    n_jobs : int, optional

    Returns
    -------
    cells : ndarray of shape (n_points,), int32
        -1 for isolated nodes.
    n_cells : int
    n_unreached : int
        Nodes that have an edge and that no row reaches.
    """
    indices = reach.points
    cells = coreset_cells(reach)
    n_unreached = int(np.count_nonzero((cells < 0) & (reach.degrees > 0)))
    n_cells = spread(rows, cells, len(indices))
    if objective is not None and is_huge(len(rows.indices)):
        block_sweep(rows, cells, n_cells, objective=objective, n_jobs=n_jobs)
        cells, n_cells = _without_crumbs(rows, cells, n_cells, least_cells)
    elif objective is not None:
        refine(rows, cells, n_cells, objective=objective, n_passes=_PASSES)
    n_cells = compact_labels(cells, n_cells)
    if n_cells < least_cells:
        # Hardly fewer clusters than coreset nodes.
        cells = coreset_cells(reach)
        cells[indices] = np.arange(len(indices))
        n_cells = spread(rows, cells, len(indices))
    return cells, n_cells, n_unreached


def _without_crumbs(rows, cells, n_cells, least_cells):
    """Give the nodes of cells of too little volume to the cells around them; (cells, number of cells)."""
    kept = label_volumes(cells, rows.degrees, n_cells) >= least_sampled_volume(rows)
    if np.count_nonzero(kept) < least_cells:
        return cells, n_cells
    table = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
    cells = apply_labels(table, cells)
    return cells, spread(rows, cells, np.count_nonzero(kept))
