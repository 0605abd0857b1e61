"""Part of a graph: some nodes, and the edges between them."""

import numpy as np

from .graph import Graph

__all__ = ["subgraph"]


def subgraph(graph, nodes):
    """The graph of some nodes (ascending, each once) and the edges between them.

    Its nodes are named as they were, or numbered by their numbers in the whole graph. Edges to other nodes are left
    out, so that nodes may be isolated. Only the rows of these nodes are read, and a table of all nodes is written.
    """
    starts = graph.indptr[nodes]
    lengths = graph.indptr[nodes + 1] - starts
    borders = np.concatenate([[0], np.cumsum(lengths)])
    entries = np.repeat(starts - borders[:-1], lengths) + np.arange(borders[-1])
    number = np.full(graph.n_nodes, -1, dtype=graph.indices.dtype)
    number[nodes] = np.arange(len(nodes))
    columns = number[graph.indices[entries]]
    kept = columns >= 0
    indptr = np.concatenate([[0], np.cumsum(kept)])[borders]
    weights = None if graph.weights is None else graph.weights[entries[kept]]
    names = graph.names_of(nodes)
    whole = len(nodes) == graph.n_nodes and graph.node_names is None
    return Graph(indptr, columns[kept], weights, node_names=None if whole else names, check=False)
