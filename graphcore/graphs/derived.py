"""Graphs made of another one: some of its nodes, its nodes weighed."""

import numpy as np

from ..exceptions import InputError
from .graph import Graph
from .rows import entries_of


def subgraph(graph, nodes):
    """Return the graph of some nodes (ascending, each once) and the edges between them.

    Its nodes have their attributes, and are named as they were, or numbered by their numbers in the whole graph. Edges
    to other nodes are left out, so that nodes may be isolated. Only the rows of these nodes are read, and a table of
    all nodes is written.
    """
    entries, borders = entries_of(graph.indptr, nodes)
    number = np.full(graph.n_nodes, -1, dtype=graph.indices.dtype)
    number[nodes] = np.arange(len(nodes))
    columns = number[graph.indices[entries]]
    kept = columns >= 0
    indptr = np.concatenate([[0], np.cumsum(kept)])[borders]
    weights = None if graph.weights is None else graph.weights[entries[kept]]
    names = graph.names_of(nodes)
    whole = len(nodes) == graph.n_nodes and graph.node_names is None
    made = Graph(indptr, columns[kept], weights, check=False)
    attributes = {name: values[nodes] for name, values in graph.attributes.items()}
    return made._by_names(None if whole else names, attributes)


def with_isolated(graph, n_nodes):
    """Return the graph, which has no names, with isolated nodes after those that it has, `n_nodes` in all."""
    indptr = np.append(graph.indptr, np.full(n_nodes - graph.n_nodes, graph.indptr[-1]))
    return Graph(indptr, graph.indices, graph.weights, check=False)


def weigh_nodes(graph, weights):
    """Return the graph of entries ``w_x A_xy w_y``, for weights w (n_nodes,) float64; nodes of weight 0 are isolated.

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
    return _weighted(graph, entries)


def _weighted(graph, entries):
    """Replace the weights of rows, and drop entries of weight 0."""
    kept, indptr, indices = entries > 0, graph.indptr, graph.indices
    if not kept.all():
        indptr = indptr - np.searchsorted(np.flatnonzero(~kept), indptr)
        indices, entries = indices[kept], entries[kept]
    return Graph(indptr, indices, entries, node_names=graph.node_names, check=False)
