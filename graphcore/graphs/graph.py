"""The class Graph: validated, immutable, symmetric compressed rows with degrees."""

from functools import partial
from types import MappingProxyType

import numpy as np

from ..base.loops import cached_property
from ..base.types import Array, ArrayLike, Floats, Integers, Mapping, csr_array
from ..base.validation import read_only
from ..exceptions import InputError
from . import _loops
from .from_edges import as_names, from_edges
from .from_libraries import from_igraph, from_networkx, to_networkx
from .from_matrix import from_biadjacency, from_scipy
from .from_table import from_table
from .nodes import with_nodes
from .rows import (
    NO_WEIGHTS,
    GraphRows,
    Rows,
    as_csr_array,
    as_float_weights,
    check_canonical,
    check_compressed,
    check_volume,
    connected_parts,
    drop_zeros,
    entries_of,
    narrow_ids,
)


class Graph:
    """An immutable undirected graph, stored as symmetric compressed sparse rows.

    Use :meth:`from_edges`, :meth:`from_scipy`, :meth:`from_table`, :meth:`from_networkx`, :meth:`from_igraph` or
    :func:`graphcore.read_graph`; the constructor itself takes arrays that are already canonical and only checks them.
    Repeated edges are merged, explicit zeros dropped, self-loops kept (one entry on the diagonal, counted once in the
    degree), isolated nodes kept (degree 0; clusterings give them label -1), several components allowed.

    Parameters
    ----------
    indptr : ndarray of shape (n_nodes + 1,), integer
        Row borders. Kept as int64.
    indices : ndarray of shape (n_entries,), integer
        Neighbours, ascending in every row and without repeats. int32 arrays are used as they are, also when they are
        read-only or memory-mapped; others are converted.
    weights : ndarray of shape (n_entries,), optional
        Positive, finite edge weights (float32 or float64). None for an unweighted graph, which then stores none.
    node_names : ndarray of shape (n_nodes,), optional
        The nodes' own names (integers or strings), in node order. None when they are 0 to n_nodes - 1.
    check : bool, default True
        A few passes over the entries, O(n_nodes) memory. False is for arrays known to be canonical and symmetric, and
        looks at the row borders and the range of the columns only.

    Attributes
    ----------
    indptr, indices, weights, node_names : ndarray or None
        As above, read-only.
    degrees : ndarray of shape (n_nodes,), float64
        Row sums of the stored matrix: a self-loop counts once.
    attributes : mapping of str to ndarray of shape (n_nodes,)
        What else is known of the nodes, from :meth:`with_nodes` or a file of GraphML, GEXF or GML; empty by default.

    Raises
    ------
    InputError
        Here and in all constructors, if the data are no graph with finite weights that are not negative, or nothing is
        there; the message names the place. From the arrays themselves, also if they are not symmetric.

    Examples
    --------
    >>> import graphcore
    >>> graph = graphcore.Graph.from_edges([0, 1, 2], [1, 2, 0])
    >>> graph
    Graph(n_nodes=3, n_edges=3, unweighted)
    >>> graph.degrees
    array([2., 2., 2.])
    """

    indptr: Integers
    indices: Array
    weights: Array | None
    node_names: Array | None
    degrees: Floats

    attributes: Mapping[str, Array] = MappingProxyType({})
    # Of a graph made by rows.in_range: its weights are those given over 2 to this.
    exponent = 0
    # Of a graph on disk: a function and its arguments that open it again.
    origin = None
    _renamed = False  # whether it has other names than the graph on disk

    from_edges = classmethod(from_edges)
    from_scipy = classmethod(from_scipy)
    from_biadjacency = classmethod(from_biadjacency)
    from_table = classmethod(from_table)
    from_networkx = classmethod(from_networkx)
    from_igraph = classmethod(from_igraph)
    to_networkx = to_networkx
    with_nodes = with_nodes

    def __init__(
        self, indptr: Array, indices: Array, weights: Array | None = None, *, node_names: ArrayLike | None = None,
        check: bool = True,
    ) -> None:  # fmt: skip
        indptr, indices = np.asarray(indptr), np.asarray(indices)
        indices = indices if len(indices) else indices.astype(np.int32)
        weights = None if weights is None else as_float_weights(np.asarray(weights))
        n_nodes = len(indptr) - 1
        if n_nodes < 1:
            raise InputError("the graph is empty: it needs at least one node")
        if indptr.ndim == indices.ndim == 1 and not indptr[-1] == len(indices):
            raise InputError(f"indptr ends at {indptr[-1]} but there are {len(indices)} indices")
        if weights is not None and weights.shape != (len(indices),):
            raise InputError(f"weights have shape {weights.shape}; {len(indices)} indices need as many")
        check_compressed(indptr, indices, n_nodes, n_nodes)
        indptr, indices = indptr.astype(np.int64, copy=False), narrow_ids(indices, n_nodes)
        rows = Rows(indptr, indices, NO_WEIGHTS if weights is None else weights)
        known = {"n_self_loops": check_canonical(rows)} if check else {}
        names = None if node_names is None else as_names(node_names, n_nodes)
        self._hold(indptr, indices, weights, names, known=known)
        if weights is not None:
            check_volume(self.degrees)

    @classmethod
    def _mapped(cls, indptr, indices, weights, node_names, degrees=None, *, reopen=None, known):
        """Return a graph over arrays that were checked before, with values of its attributes that are `known`.

        It is pickled as `reopen`, if that is given.
        """
        graph = cls.__new__(cls)
        graph._hold(indptr, indices, weights, node_names, degrees, known={**known, "origin": reopen})
        return graph

    def _hold(self, indptr, indices, weights, node_names, degrees=None, known=MappingProxyType({})):
        arrays = {"indptr": indptr, "indices": indices, "weights": weights, "node_names": node_names}
        vars(self).update({name: None if a is None else read_only(a) for name, a in arrays.items()}, **known)
        if degrees is None and weights is None:
            degrees = np.diff(indptr).astype(np.float64)
        elif degrees is None:
            degrees = np.empty(self.n_nodes)
            _loops.row_sums(self.indptr, self.weights, 0, len(degrees), degrees)
        vars(self)["degrees"] = read_only(degrees)

    # -- what it holds -----------------------------------------------------------------------------------------------

    @property
    def n_nodes(self) -> int:
        """Number of nodes, isolated ones included."""
        return len(self.indptr) - 1

    @property
    def n_entries(self) -> int:
        """Number of stored matrix entries: two per edge, one per self-loop."""
        return len(self.indices)

    @property
    def n_edges(self) -> int:
        """Number of undirected edges, self-loops included."""
        return (self.n_entries + self.n_self_loops) // 2

    @cached_property
    def n_self_loops(self) -> int:
        """Number of self-loops."""
        return int(_loops.count_self_loops(self.indptr, self.indices, 0, self.n_nodes))

    @cached_property
    def n_isolated(self) -> int:
        """Number of nodes of degree 0."""
        return int(np.count_nonzero(self.degrees == 0))

    @cached_property
    def volume(self) -> float:
        """Sum of all degrees."""
        return float(self.degrees.sum())

    @property
    def mean_weight(self) -> float:
        """Mean of the stored matrix entries, 1 for an unweighted graph."""
        return self.volume / self.n_entries if self.n_entries else 1.0

    @property
    def is_weighted(self) -> bool:
        """Whether weights are stored."""
        return self.weights is not None

    @property
    def rows(self) -> GraphRows:
        """The arrays as compiled loops take them: of an unweighted graph, weights are an array of length 0."""
        weights = NO_WEIGHTS if self.weights is None else self.weights
        return GraphRows(self.indptr, self.indices, weights, self.degrees)

    @property
    def nbytes(self) -> int:
        """Bytes held: rows, weights and degrees (node names apart)."""
        return sum(array.nbytes for array in self.rows)

    @property
    def n_components(self) -> int:
        """Number of connected components; every isolated node is one, ``n_components - n_isolated`` are others."""
        return self._components[0]

    def connected_components(self) -> Array:
        """Component of every node.

        Returns
        -------
        ndarray of shape (n_nodes,), int32
            Numbers from 0, in the order of each component's first node.

        Examples
        --------
        >>> import graphcore
        >>> graphcore.Graph.from_edges([0, 2], [1, 3]).connected_components().tolist()
        [0, 0, 1, 1]
        """
        return self._components[1]

    def to_scipy(self) -> csr_array:
        """Adjacency matrix.

        Returns
        -------
        scipy.sparse.csr_array of shape (n_nodes, n_nodes)
            It shares `indices` and weights with the graph (read-only); an unweighted graph gets an array of ones.

        Examples
        --------
        >>> import graphcore
        >>> graphcore.Graph.from_edges([0, 1], [1, 2]).to_scipy().sum(axis=1).tolist()
        [1.0, 2.0, 1.0]
        """
        data = np.ones(self.n_entries) if self.weights is None else self.weights
        matrix = as_csr_array(self.indptr, self.indices, data)
        matrix.has_sorted_indices = matrix.has_canonical_format = True
        return matrix

    def names_of(self, nodes: ArrayLike) -> Array:
        """Return names of nodes; their numbers, if the graph has no names.

        Parameters
        ----------
        nodes : array-like of int

        Returns
        -------
        ndarray

        Examples
        --------
        >>> import graphcore
        >>> graph = graphcore.Graph.from_edges(["Anna", "Ben"], ["Ben", "Chloé"])
        >>> graph.names_of([2, 0]).tolist()
        ['Chloé', 'Anna']
        """
        nodes = np.asarray(nodes)
        if nodes.size and nodes.dtype.kind not in "iu":
            raise InputError(f"names_of takes numbers of nodes, got {nodes.dtype}; numbers_of takes names")
        return nodes if self.node_names is None else self.node_names[nodes.astype(np.int64, copy=False)]

    def numbers_of(self, names: ArrayLike, *, partial: bool = False) -> Integers:
        """Return the numbers of nodes by their names, as `names_of` returns them.

        A name that is none, or that several nodes of the graph have, is refused.

        Parameters
        ----------
        names : array-like
        partial : bool, default False
            Whether a name that is none has the number -1.

        Returns
        -------
        ndarray, int64

        Examples
        --------
        >>> import graphcore
        >>> graph = graphcore.Graph.from_edges(["Anna", "Ben"], ["Ben", "Chloé"])
        >>> graph.numbers_of(["Chloé", "Anna"]).tolist()
        [2, 0]
        """
        numbers = {name: i for i, name in enumerate(self.names_of(np.arange(self.n_nodes)).tolist())}
        if len(numbers) < self.n_nodes:
            raise InputError("several nodes of the graph have the same name, which does not tell which is meant")
        names = np.asarray(names).ravel().tolist()
        found = np.array([numbers.get(name, -1) for name in names], dtype=np.int64)
        if not partial and len(unknown := np.flatnonzero(found < 0)):
            name = names[unknown[0]]
            like = [f"{one!r:.80}" for one in numbers if str(one).startswith(str(name))]  # perhaps with an id behind
            like = f"; {', '.join(like[:3])} begin with it" * bool(like)
            raise InputError(f"the graph has no node {name!r} among its {self.n_nodes}{like}; partial=True makes it -1")
        return found

    # -- inside ------------------------------------------------------------------------------------------------------

    def _by_names(self, names, attributes=MappingProxyType({})):
        """Return the graph with other names, or None for no names, and other attributes of its nodes."""
        made = type(self).__new__(type(self))
        names = None if names is None else read_only(as_names(names, self.n_nodes))
        attributes = MappingProxyType({name: read_only(values) for name, values in attributes.items()})
        made.__dict__.update(self.__dict__, node_names=names, attributes=attributes, _renamed=True)
        return made

    @cached_property
    def _components(self):
        parts, count = connected_parts(self, np.zeros(self.n_nodes, dtype=np.int32))
        return count, read_only(parts)

    @cached_property
    def _extreme_degrees(self):
        """The largest and the smallest degree of nodes that have an edge; refuses degrees that are no sums of rows."""
        degrees, linked = self.degrees, self.indptr[1:] > self.indptr[:-1]
        largest, smallest = degrees.max(), degrees.min(where=linked, initial=np.inf)
        if not (smallest > 0 and largest < np.inf) or np.count_nonzero(degrees) != np.count_nonzero(linked):
            i = int(np.argmin(np.isfinite(degrees) & ((degrees > 0) == linked)))
            raise InputError(
                f"node {i} has degree {degrees[i]} and {self.indptr[i + 1] - self.indptr[i]} edges: degrees must be "
                "the sums of positive weights; build the graph anew from its edges"
            )
        return largest, smallest

    def __setattr__(self, name, value):
        raise AttributeError(f"a Graph is immutable; cannot set {name}")

    def __delattr__(self, name):
        raise AttributeError(f"a Graph is immutable; cannot delete {name}")

    def __reduce__(self):
        # Unpickled arrays are writable; going through the constructor freezes them again.
        rebuild = partial(Graph, node_names=self.node_names, check=False)
        made = self.origin or (rebuild, (self.indptr, self.indices, self.weights))
        if self.attributes or (self.origin is not None and self._renamed):
            return _made_with_names, (made, self.node_names, dict(self.attributes))
        return made

    def __repr__(self):
        kind = "unweighted" if self.weights is None else f"weights={self.weights.dtype}"
        named = ", named" if self.node_names is not None else ""
        return f"Graph(n_nodes={self.n_nodes}, n_edges={self.n_edges}, {kind}{named})"


def _made_with_names(made, names, attributes):
    """Return the graph that a function makes of its arguments, by names and with attributes given beside them."""
    function, arguments = made
    return function(*arguments)._by_names(names, attributes)


# -- graphs made of another one ----------------------------------------------------------------------------------------


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
    lost = np.flatnonzero(entries == 0)
    if (weights[np.searchsorted(graph.indptr, lost, side="right") - 1] * (weights[graph.indices[lost]] > 0)).any():
        raise InputError("sample_weight times weights of edges is below the smallest number; give larger weights")
    rows = drop_zeros(Rows(graph.indptr, graph.indices, entries))
    return Graph(*rows, check=False)._by_names(graph.node_names, graph.attributes)
