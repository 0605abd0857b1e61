"""Weights of nodes: a graph in which a node of weight 2 is what two copies of it would be."""

import numpy as np

from ..exceptions import InputError
from .graph import Graph

__all__ = ["weigh_nodes"]


def weigh_nodes(graph, weights):
    """The graph of entries ``w_x A_xy w_y``, for weights w (n_nodes,) float64; nodes of weight 0 are isolated.

    It is what is left of the graph in which every node stands w times, each copy with its edges to all copies of its
    neighbours (and, where it has a loop, to all copies of itself), once the copies are drawn together: inner weights,
    volumes and cuts of clusters that hold all copies of a node or none are the same. Holds 8 bytes for every entry.
    """
    entries = np.repeat(weights, np.diff(graph.indptr))
    with np.errstate(over="ignore", invalid="ignore"):
        entries *= weights[graph.indices]
        if graph.weights is not None:
            entries *= graph.weights
    if not np.isfinite(entries).all():
        raise InputError("sample_weight times weights of edges is beyond the largest number; give smaller weights")
    kept, indptr, indices = entries > 0, graph.indptr, graph.indices
    if not kept.all():
        indptr = np.concatenate([[0], np.cumsum(kept)])[indptr]
        indices, entries = indices[kept], entries[kept]
    return Graph(indptr, indices, entries, node_names=graph.node_names, check=False)
