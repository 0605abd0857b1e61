"""Graphs of networkx and igraph become a Graph, and a Graph one of networkx."""

from itertools import chain
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.validation import check_choice, refused
from ..exceptions import InputError, warn_user
from .columns import doubtful_names, left_out, weight_column
from .from_edges import graph_from_ends, is_numbered
from .nodes import column_of
from .rows import (
    NO_WEIGHTS,
    SYMMETRIZE,
    Rows,
    are_ones,
    as_float_weights,
    drop_zeros,
    edge_weights,
    first_bad_weight,
    made_of,
    symmetrize_rows,
    transpose_rows,
)

if TYPE_CHECKING:
    import graphcore

_PLAIN = (str, Real, np.bool_)
# Attributes that files and other libraries give to edges themselves.
OWN = frozenset(["id", "key", "label", "start", "end", "source", "target", "networkx_key"])


def from_networkx(
    cls: "type[graphcore.Graph]",
    G: object, weight: str | None = "auto", *, symmetrize: str = "max", warn: bool = True,
) -> "graphcore.Graph":  # fmt: skip
    """Make a graph from a networkx graph; its nodes, in the order of ``list(G)``, become the node names.

    Attributes of nodes that hold numbers, text, or true and false become those of the graph.

    Parameters
    ----------
    G : networkx.Graph, DiGraph, MultiGraph or MultiDiGraph
        Parallel edges add up, each without a weight as 1; with ``weight=None`` they are one. A directed graph is
        symmetrised.
    weight : str or None, default "auto"
        Edge attribute that holds the weight (1 where it is missing); None for an unweighted graph. "auto" is an
        attribute called "weight", or else one of a similar name; others that hold numbers then raise a warning. A name
        that no edge has is an error, but for "weight", which networkx's own functions ask for where there may be none.
    symmetrize, warn
        See :meth:`from_edges`; a directed graph is warned about, and so are attributes that are not read.

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
    if weight not in (None, "weight") and len(indices):
        values = some_values(_networkx_edges(G, neighbors))
        # Without a weight each of several parallel edges counts 1, as in networkx.
        weight = edge_attribute(values, weight, "weight", warn) or "weight"
    if weight is not None:
        rows = drop_zeros(rows._replace(weights=_networkx_weights(G, weight, neighbors, rows, names)))
    # This sorts the columns; an undirected graph is its own transpose, and pairs are combined alike both ways.
    rows = transpose_rows(rows)
    if G.is_directed():
        rows, both, single = symmetrize_rows(rows, symmetrize)
        if warn:
            warn_user(
                f"the networkx graph is directed ({both} pairs in both directions, {single} in one) and was made "
                f"undirected with symmetrize={symmetrize!r}"
            )
    graph = made_of(cls, rows, _node_names(names, warn))
    return graph._by_names(graph.node_names, node_attributes(G))


def to_networkx(self: "graphcore.Graph") -> Any:
    """Make a networkx graph, whose nodes have the names of this one's, or their numbers.

    Returns
    -------
    networkx.Graph
        With all nodes, in order, and their attributes; edges of a weighted graph have the attribute "weight".

    Examples
    --------
    >>> import graphcore
    >>> graph = graphcore.Graph.from_edges(["Anna", "Ben"], ["Ben", "Chloé"], [3, 1])
    >>> list(graph.to_networkx().edges(data="weight"))
    [('Anna', 'Ben', 3.0), ('Ben', 'Chloé', 1.0)]
    """
    import networkx as nx

    G = nx.Graph()
    names = self.names_of(np.arange(self.n_nodes)).tolist()
    G.add_nodes_from(names)
    for name, values in self.attributes.items():
        nx.set_node_attributes(G, dict(zip(names, values.tolist(), strict=True)), name)
    sources = np.repeat(np.arange(self.n_nodes), np.diff(self.indptr))
    kept = sources <= self.indices  # each edge once
    ends = (self.names_of(nodes[kept]).tolist() for nodes in (sources, self.indices))
    if self.weights is None:
        G.add_edges_from(zip(*ends, strict=True))
    else:
        G.add_weighted_edges_from(zip(*ends, self.weights[kept].tolist(), strict=True))
    return G


def from_igraph(
    cls: "type[graphcore.Graph]",
    g: object, weight: str | None = "auto", *, symmetrize: str = "max", warn: bool = True,
) -> "graphcore.Graph":  # fmt: skip
    """Make a graph from an igraph graph; its vertex attribute "name", if there is one, becomes the node names.

    Other attributes of vertices are kept as those of networkx's nodes.

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
    there = g.es.attributes()
    if weight not in (None, "weight") and n_edges:
        values = {name: next((value for value in g.es[name] if value is not None), None) for name in there}
        weight = edge_attribute(values, weight, "weight", warn) or "weight"  # ones, as of networkx
    weights = None if weight is None else np.ones(n_edges)
    if weight in there:  # igraph has None where an edge was not given the attribute
        weights = _as_numbers((1.0 if value is None else value for value in g.es[weight]), weight)
    weights = edge_weights(weights, n_edges)
    columns = {name: g.vs[name] for name in g.vs.attributes()}
    names = columns.pop("_nx_name", None)  # of a graph that igraph made of one of networkx
    names = columns.pop("name", names)
    names = None if names is None else _node_names(names, warn)
    if not g.is_directed():
        ends.sort(axis=1)
        graph = graph_from_ends(cls, ends, weights, n_nodes, node_names=names, symmetrize="max", warn=False)
    else:
        import scipy.sparse as sp

        data = weights if len(weights) else np.ones(len(ends), dtype=bool)
        matrix = sp.coo_array((data, tuple(ends.T)), shape=(n_nodes, n_nodes))
        graph = cls.from_scipy(matrix, node_names=names, symmetrize=symmetrize, warn=warn)
    return graph._by_names(graph.node_names, _plain(columns))


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


def _networkx_edges(G, neighbors):
    """Yield the attributes of every entry of the rows, those of parallel edges one by one."""
    edges = chain.from_iterable(row.values() for row in neighbors)
    return chain.from_iterable(keys.values() for keys in edges) if G.is_multigraph() else edges


def _networkx_weights(G, weight, neighbors, rows, names):
    """Return weights in row order, parallel edges added up; 1 where the attribute is missing."""
    starts = np.arange(len(rows.indices))  # where each entry's weights start: parallel edges have several
    if G.is_multigraph():
        starts = np.cumsum([0, *(len(keys) for row in neighbors for keys in row.values())])[:-1]
    edges = _networkx_edges(G, neighbors)
    weights = _as_numbers((data.get(weight, 1.0) for data in edges), weight)
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
    return NO_WEIGHTS if are_ones(weights) else as_float_weights(weights)


def node_attributes(G):
    """Return the attributes of a networkx graph's nodes that hold numbers, true or false, or text, as columns."""
    of_nodes = [data for _, data in G.nodes(data=True)]
    return _plain({name: [data.get(name) for data in of_nodes] for name in some_values(of_nodes)})


def _plain(columns):
    some = {name: next((value for value in values if value is not None), None) for name, values in columns.items()}
    kept = [name for name, value in some.items() if isinstance(name, str) and isinstance(value, _PLAIN)]
    return {name: column_of(columns[name]) for name in kept}


def some_values(attributes):
    """Return a value of every attribute of some dictionaries."""
    values: dict = {}
    for data in attributes:
        values |= data
    return values


def edge_attribute(values, weight, parameter, warn=True):
    """Return the attribute of edges that holds the weights, or None; `values` has one of each by name.

    "auto" takes the surest name of a weight, and tells of other numbers; any other name must be there.
    """
    if weight != "auto":
        if weight not in values:
            listed = ", ".join(repr(name) for name in values if name not in OWN)
            raise refused(parameter, weight, f"is an attribute of no edge; there are {listed or 'none'}")
        return weight
    chosen = weight_column(values)
    numbers = [name for name, value in values.items() if isinstance(value, Real) and not isinstance(value, bool)]
    others = [name for name in numbers if name != chosen and name not in OWN]
    if others and chosen != "weight" and warn:
        warn_user(left_out(others, parameter, others, weight=chosen))
    return chosen


def _node_names(names, warn):
    """Return names of nodes, None for 0, 1, 2 and so on; tell of doubtful ones."""
    if is_numbered(names):
        return None
    note = doubtful_names(names) if warn else None
    if note is not None:
        warn_user(note)
    return names


def _as_numbers(values, name):
    try:
        return np.fromiter(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"edge attribute {name!r} must hold numbers, or pass weight=None: {error}") from None
