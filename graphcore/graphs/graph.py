"""The class Graph: validated, immutable, symmetric compressed rows with degrees."""

from functools import partial
from types import MappingProxyType

import numpy as np

from ..base.arrays import read_only
from ..base.locks import cached_property
from ..base.threads import map_blocks, row_blocks
from ..base.types import Array, ArrayLike, Floats, Integers, Mapping, csr_array
from ..exceptions import InputError
from . import _row_loops
from .from_edges import from_edges
from .from_libraries import from_igraph, from_networkx, to_networkx
from .from_matrix import from_biadjacency, from_scipy
from .from_table import from_table
from .ids import as_names
from .nodes import with_nodes
from .rows import GraphRows, Rows, as_csr_array, checked_arrays, find_defect
from .structure import check_compressed
from .weights import NO_WEIGHTS, extreme_degrees


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
        read-only or memory-mapped; int64 is narrowed when the node count allows it.
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
    # Of a graph made by weights.in_range: its weights are those given over 2 to this.
    exponent = 0
    # Of a graph on disk: a function and its arguments that open it again.
    origin = None
    _renamed = False  # whether it has other names than the graph on disk
    parts = ([], [])  # first rows of the parts of a store, and numbers of those that are here

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
        self.indptr, self.indices, self.weights = checked_arrays(indptr, indices, weights)
        self.node_names = None if node_names is None else read_only(as_names(node_names, self.n_nodes))
        if check:
            values = NO_WEIGHTS if self.weights is None else self.weights
            defect, n_self_loops = find_defect(Rows(self.indptr, self.indices, values))
            if defect:
                raise InputError(defect)
            self.n_self_loops = n_self_loops
        else:
            check_compressed(self.indptr, self.indices, self.n_nodes, self.n_nodes)
        self.degrees = read_only(self._row_sums())
        with np.errstate(over="ignore"):
            if self.weights is not None and not np.isfinite(self.degrees.sum()):
                raise InputError("the weights are so large that their sum overflows; divide them by a common factor")
        self._frozen = True

    @classmethod
    def _mapped(cls, indptr, indices, weights, node_names, degrees=None, *, reopen=None, known):
        """Return a graph over arrays that were checked before, with values of its attributes that are `known`.

        It is pickled as `reopen`, if that is given.
        """
        graph = cls.__new__(cls)
        graph.indptr, graph.indices = read_only(indptr), read_only(indices)
        graph.weights = None if weights is None else read_only(weights)
        graph.node_names = None if node_names is None else read_only(node_names)
        graph.degrees = read_only(graph._row_sums() if degrees is None else degrees)
        for name, value in {**known, "origin": reopen}.items():
            setattr(graph, name, value)
        graph._frozen = True
        return graph

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
        count = map_blocks(
            lambda a, b: _row_loops.count_self_loops(self.indptr, self.indices, a, b), row_blocks(self.indptr), 1
        )
        return int(sum(count))

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
        weights = 0 if self.weights is None else self.weights.nbytes
        return self.indptr.nbytes + self.indices.nbytes + weights + self.degrees.nbytes

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
        return np.asarray(nodes) if self.node_names is None else self.node_names[nodes]

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
        labels = np.empty(self.n_nodes, dtype=self.indices.dtype)
        count = _row_loops.union_components(self.indptr, self.indices, labels)
        return int(count), read_only(labels)

    _extreme_degrees = cached_property(extreme_degrees)

    def _row_sums(self):
        if self.weights is None:
            return np.diff(self.indptr).astype(np.float64)
        out = np.empty(self.n_nodes)
        map_blocks(lambda a, b: _row_loops.row_sums(self.indptr, self.weights, a, b, out), row_blocks(self.indptr), 1)
        return out

    def __setattr__(self, name, value):
        if getattr(self, "_frozen", False):
            raise AttributeError(f"a Graph is immutable; cannot set {name}")
        object.__setattr__(self, name, value)

    def __delattr__(self, name):
        raise AttributeError(f"a Graph is immutable; cannot delete {name}")

    def __reduce__(self):
        # Unpickled arrays are writable; going through the constructor freezes them again.
        rebuild = partial(Graph, node_names=self.node_names, check=False)
        made = self.origin or (rebuild, (self.indptr, self.indices, self.weights))
        if self.attributes or (self.origin is not None and self._renamed and self.node_names is not None):
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
