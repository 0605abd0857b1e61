"""igraph's graphs become a Graph."""

from itertools import chain
from typing import Self

import numpy as np

from .._validation import check_choice
from ..exceptions import InputError
from .directed import undirected_rows
from .from_edges import graph_from_ends
from .rows import SYMMETRIZE, made_of, rows_from_edges
from .weights import edge_weights


class FromIgraph:
    """Mixin of Graph, which is made of igraph's graphs."""

    @classmethod
    def from_igraph(
        cls, g: object, weight: str | None = "weight", *, symmetrize: str = "max", warn: bool = True,
    ) -> Self:  # fmt: skip
        """Make a graph from an igraph graph; its vertex attribute "name", if there is one, becomes the node names.

        Parameters
        ----------
        g : igraph.Graph
            Parallel edges and directed graphs are treated as those of networkx.
        weight, symmetrize, warn
            See :meth:`from_networkx`.

        Returns
        -------
        Graph

        Examples
        --------
        >>> import igraph  # doctest: +SKIP
        >>> graphcore.Graph.from_igraph(igraph.Graph.Famous("Zachary"))  # doctest: +SKIP
        Graph(n_nodes=34, n_edges=78, unweighted)
        """
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
