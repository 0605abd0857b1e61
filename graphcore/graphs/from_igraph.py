"""igraph's graphs become a Graph."""

from itertools import chain

import numpy as np

from .._validation import check_choice
from ..exceptions import InputError
from .directed import undirected_rows
from .from_edges import graph_from_ends
from .rows import SYMMETRIZE, made_of, rows_from_edges
from .weights import edge_weights

__all__ = ["graph_from_igraph"]


def graph_from_igraph(cls, g, weight, *, symmetrize, warn):
    """See :meth:`Graph.from_igraph`."""
    check_choice("symmetrize", symmetrize, SYMMETRIZE)
    if not (hasattr(g, "get_edgelist") and hasattr(g, "vs")):
        raise InputError(f"an igraph graph is needed, got {type(g).__name__}")
    n_nodes, n_edges = g.vcount(), g.ecount()
    if n_nodes == 0:
        raise InputError("the igraph graph has no nodes")
    ends = np.fromiter(chain.from_iterable(g.get_edgelist()), dtype=np.int32, count=2 * n_edges).reshape(-1, 2)
    weights = None
    if weight is not None and weight in g.es.attributes():
        # igraph has None where an edge was not given the attribute.
        weights = np.array([1.0 if value is None else value for value in g.es[weight]])
    names = g.vs["name"] if "name" in g.vs.attributes() else None
    weights = edge_weights(weights, n_edges)
    if not g.is_directed():
        ends.sort(axis=1)
        return graph_from_ends(cls, ends, weights, n_nodes, node_names=names, symmetrize="max", warn=False)
    if len(weights):
        kept = weights != 0
        ends, weights = ends[kept], weights[kept]
    rows = rows_from_edges(*np.ascontiguousarray(ends.T), weights, n_nodes)
    rows = undirected_rows(rows, symmetrize, warn and "the igraph graph")
    return made_of(cls, rows, names)
