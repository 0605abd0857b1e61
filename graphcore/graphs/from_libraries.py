"""Graphs of networkx, igraph, scanpy (AnnData) and torch_geometric become a Graph."""

from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from ..base.validation import check_choice
from ..exceptions import InputError
from .directed import undirected_rows
from .from_edges import graph_from_ends
from .ids import is_numbered
from .rows import DIRECTED, SYMMETRIZE, Rows, drop_zeros, made_of, rows_from_edges, transpose_rows
from .weights import NO_WEIGHTS, edge_weights, entry_weights, first_bad_weight

if TYPE_CHECKING:
    import graphcore


def from_networkx(
    cls: "type[graphcore.Graph]",
    G: object, weight: str | None = "weight", *, symmetrize: str = "max", warn: bool = True,
) -> "graphcore.Graph":  # fmt: skip
    """Make a graph from a networkx graph; its nodes, in the order of ``list(G)``, become the node names.

    Parameters
    ----------
    G : networkx.Graph, DiGraph, MultiGraph or MultiDiGraph
        Parallel edges add up if they have weights. A directed graph is symmetrised.
    weight : str or None, default "weight"
        Edge attribute that holds the weight (1 where it is missing); None for an unweighted graph.
    symmetrize, warn
        See :meth:`from_edges`; a directed graph is warned about.

    Returns
    -------
    Graph

    Examples
    --------
    >>> import networkx as nx
    >>> import graphcore
    >>> graphcore.Graph.from_networkx(nx.path_graph(["a", "b", "c"])).node_names.tolist()
    ['a', 'b', 'c']
    """
    check_choice("symmetrize", symmetrize, SYMMETRIZE)
    if not (hasattr(G, "adjacency") and hasattr(G, "is_multigraph")):
        raise InputError(f"a networkx graph is needed, got {type(G).__name__}")
    names = list(G)
    if not names:
        raise InputError("the networkx graph has no nodes")
    neighbors, indptr, indices = networkx_rows(G, names)
    rows = Rows(indptr, indices, NO_WEIGHTS)
    if weight is not None:
        rows = drop_zeros(rows._replace(weights=_networkx_weights(G, weight, neighbors, rows, names)))
    # This sorts the columns; an undirected graph is its own transpose, and pairs are combined alike both ways.
    rows = transpose_rows(rows)
    if G.is_directed():
        rows = transpose_rows(rows) if symmetrize in DIRECTED else rows
        rows = undirected_rows(rows, symmetrize, warn and "the networkx graph")
    node_names = None if is_numbered(names) else names
    return made_of(cls, rows, node_names)


def networkx_rows(G, names):
    """Return (dictionaries of neighbours in node order, indptr, indices); columns are in networkx's own order."""
    # networkx's own dictionaries are rows already: an undirected edge stands in the rows of both its ends.
    neighbors = [row for _, row in G.adjacency()]
    indptr = np.zeros(len(names) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, neighbors), dtype=np.int64, count=len(names)), out=indptr[1:])
    columns = chain.from_iterable(neighbors)
    if not is_numbered(names):
        columns = map({name: i for i, name in enumerate(names)}.__getitem__, columns)
    return neighbors, indptr, np.fromiter(columns, dtype=np.int32, count=indptr[-1])


def _networkx_weights(G, weight, neighbors, rows, names):
    """Return weights in row order, parallel edges added up; 1 where the attribute is missing."""
    edges = chain.from_iterable(row.values() for row in neighbors)
    starts = np.arange(len(rows.indices))  # where each entry's weights start: parallel edges have several
    if G.is_multigraph():
        parallel = list(edges)
        starts = np.cumsum([0, *map(len, parallel)])[:-1]
        edges = chain.from_iterable(keys.values() for keys in parallel)
    try:
        weights = np.fromiter((data.get(weight, 1.0) for data in edges), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"edge attribute {weight!r} must hold numbers: {error}") from None
    bad = first_bad_weight(weights)
    if bad >= 0:
        entry = np.searchsorted(starts, bad, side="right") - 1
        source, target = np.searchsorted(rows.indptr, entry, side="right") - 1, rows.indices[entry]
        raise InputError(
            f"edge attribute {weight!r} must be finite and not negative; it is {weights[bad]} between "
            f"{names[source]!r} and {names[target]!r}"
        )
    if len(starts) < len(weights):
        weights = np.add.reduceat(weights, starts)
    return entry_weights(weights)


def from_igraph(
    cls: "type[graphcore.Graph]",
    g: object, weight: str | None = "weight", *, symmetrize: str = "max", warn: bool = True,
) -> "graphcore.Graph":  # fmt: skip
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
    rows = undirected_rows(rows_from_edges(ends, weights, n_nodes), symmetrize, warn and "the igraph graph")
    return made_of(cls, rows, names)
