"""The graph that the networkx backend works on: networkx's own rows, compressed."""

from itertools import chain, repeat

import numpy as np

from ..base.locks import cached_property
from ..exceptions import InputError
from ..graphs.from_libraries import networkx_rows
from ..graphs.graph import Graph
from ..graphs.rows import as_csr_array


class BackendGraph:
    """A graph of the networkx backend, which networkx's functions accept in place of their own graphs.

    It keeps what :class:`graphcore.Graph` does not: direction, numbers of parallel edges, and weights that are
    integers, 0 or negative. networkx makes it when it calls the backend, and keeps it in ``G.__networkx_cache__``;
    :meth:`wrap` makes one of a Graph, so that a file too large for networkx's dictionaries can be measured by
    networkx's functions.

    Parameters
    ----------
    nodes : list
        Nodes in order.
    indptr : ndarray of shape (n_nodes + 1,), int64
    indices : ndarray of shape (n_entries,), int32
        Without repeats in a row; an undirected edge stands in the rows of both its ends.
    counts : ndarray of shape (n_entries,), int64, or None
        Parallel edges behind each entry; None for one everywhere.
    weights : dict
        Edge attributes: arrays of shape (n_entries,), int64 or float64, parallel edges added up. An attribute that is
        not there is 1 on every edge.
    directed, multigraph : bool

    Examples
    --------
    >>> import networkx as nx
    >>> import graphcore
    >>> graph = graphcore.Graph.from_edges([0, 1, 3], [1, 2, 4])
    >>> wrapped = graphcore.networkx.BackendGraph.wrap(graph)
    >>> len(wrapped), wrapped.number_of_edges()
    (5, 3)
    """

    __networkx_backend__ = "graphcore"

    def __init__(self, nodes, indptr, indices, *, counts=None, weights=None, directed=False, multigraph=False):
        self.nodes = nodes
        self.indptr, self.indices = indptr, indices
        self.counts = counts
        self.weights = weights or {}
        self.graph = {}
        self._directed, self._multigraph = directed, multigraph
        self.__networkx_cache__ = {}

    @classmethod
    def wrap(cls, graph):
        """Make one of a :class:`graphcore.Graph`, whose rows are shared; its weights become the attribute "weight"."""
        if not isinstance(graph, Graph):
            raise InputError(f"a graphcore.Graph is needed, got {type(graph).__name__}")
        nodes = range(graph.n_nodes) if graph.node_names is None else graph.node_names.tolist()
        weights = {} if graph.weights is None else {"weight": graph.weights.astype(np.float64, copy=False)}
        return cls(list(nodes), graph.indptr, graph.indices, weights=weights)

    @classmethod
    def from_networkx(cls, G, edge_attrs=None):
        """Convert a networkx graph with the given attributes (a dict of names and defaults), which must be numbers."""
        nodes = list(G)
        neighbors, indptr, indices = networkx_rows(G, nodes)
        counts, edges = None, []
        if edge_attrs or G.is_multigraph():
            if not all(hasattr(row, "values") for row in neighbors):
                raise NotImplementedError(f"the rows of this {type(G).__name__} hold no edge attributes")
            edges = [data for row in neighbors for data in row.values()]
        if G.is_multigraph():
            counts = np.fromiter(map(len, edges), dtype=np.int64, count=len(edges))
            edges = list(chain.from_iterable(keys.values() for keys in edges))
        weights = {name: _attribute(edges, name, default, counts) for name, default in (edge_attrs or {}).items()}
        out = cls(
            nodes, indptr, indices, counts=counts, weights=weights, directed=G.is_directed(),
            multigraph=G.is_multigraph(),
        )  # fmt: skip
        out.graph.update(G.graph)
        return out

    def to_networkx(self):
        """Return a networkx graph with the attributes that are known here."""
        import networkx as nx

        if self._multigraph:
            raise NotImplementedError("the attributes of parallel edges are added up here and cannot be parted again")
        G = (nx.DiGraph if self._directed else nx.Graph)(**self.graph)
        G.add_nodes_from(self.nodes)
        rows = np.repeat(np.arange(len(self)), np.diff(self.indptr))
        kept = slice(None) if self._directed else rows <= self.indices
        names = list(self.weights)
        columns = [self.weights[name][kept].tolist() for name in names]
        sources, targets = ([self.nodes[i] for i in ids[kept].tolist()] for ids in (rows, self.indices))
        values = zip(*columns, strict=True) if names else repeat((), len(sources))
        data = (dict(zip(names, each, strict=True)) for each in values)
        G.add_edges_from(zip(sources, targets, data, strict=True))
        return G

    # -- methods for networkx's own code and for users -----------------------------------------------------------------

    def is_directed(self):
        """Whether edges have a direction."""
        return self._directed

    def is_multigraph(self):
        """Whether there may be parallel edges."""
        return self._multigraph

    def number_of_nodes(self):
        """Count the nodes."""
        return len(self)

    def number_of_edges(self):
        """Count the edges, parallel ones and self-loops included."""
        entries = len(self.indices) if self.counts is None else int(self.counts.sum())
        return entries if self._directed else (entries + int(self.matrix(None).diagonal().sum())) // 2

    def __len__(self):
        return len(self.nodes)

    def __iter__(self):
        return iter(self.nodes)

    def __contains__(self, node):
        try:
            return node in self.positions
        except TypeError:
            return False

    def __repr__(self):
        kind = ("Multi" if self._multigraph else "") + ("DiGraph" if self._directed else "Graph")
        return f"BackendGraph({kind} with {len(self)} nodes and {self.number_of_edges()} edges)"

    # -- methods for the backend's functions ---------------------------------------------------------------------------

    @cached_property
    def positions(self):
        """Number of each node."""
        return dict(zip(self.nodes, range(len(self)), strict=True))

    def numbers_of(self, nodes):
        """Return the numbers of the `nodes` that are in the graph, as an array; repeats stay."""
        return np.array([i for i in map(self.positions.get, nodes) if i is not None], dtype=np.int64)

    def matrix(self, weight):
        """Return the adjacency matrix, as networkx sums it: 1 for every edge that does not have the attribute."""
        values = None if weight is None else self.weights.get(weight)
        if values is None:
            values = np.ones(len(self.indices), dtype=np.int64) if self.counts is None else self.counts
        return as_csr_array(self.indptr, self.indices, values)


def _attribute(edges, name, default, counts):
    """Collect an edge attribute in an array; parallel edges are added up."""
    values = np.array([data.get(name, default) for data in edges])
    if len(values) == 0:
        return np.empty(0, dtype=np.int64)
    if values.ndim != 1 or values.dtype.kind not in "bif":
        raise NotImplementedError(f"edge attribute {name!r} must hold numbers of 64 bits")
    values = values.astype(np.float64 if values.dtype.kind == "f" else np.int64, copy=False)
    if values.dtype.kind == "i" and int(np.abs(values).max()) * len(values) >= 2**62:
        raise NotImplementedError(f"sums of edge attribute {name!r} may not fit 64 bits")
    return values if counts is None else np.add.reduceat(values, np.cumsum(counts) - counts)
