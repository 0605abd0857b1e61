"""What a graph is made from: the constructors of Graph, each with the code of its source in a file of its own."""

from typing import Self

from .._typing import AnyGraph, ArrayLike

__all__ = ["Constructors"]


class Constructors:
    """Mixin of Graph: it is made of edges, matrices, tables and the graphs of other libraries."""

    @classmethod
    def from_edges(
        cls, sources: ArrayLike, targets: ArrayLike, weights: ArrayLike | None = None, n_nodes: int | None = None, *,
        node_names: ArrayLike | None = None, symmetrize: str = "max", warn: bool = True,
    ) -> Self:  # fmt: skip
        """Make a graph from a list of edges.

        Parameters
        ----------
        sources, targets : array-like of shape (n_edges,), integers or text
            End nodes, 0 to n_nodes - 1 (whole numbers stored as floats too); or their names, which become the node
            names in the order in which they first appear. Each edge may be listed once, in either direction, or in
            both.
        weights : array-like of shape (n_edges,), optional
            Finite, non-negative weights. Edges repeated in one direction add up; without weights they count once.
            Edges of weight 0 are dropped.
        n_nodes : int, optional
            Number of nodes, if there are isolated ones at the end. Default: largest id + 1.
        node_names : array-like of shape (n_nodes,), optional
            Names of the nodes.
        symmetrize : {"max", "average", "sum", "min", "error", "degree-discounted", "random-walk"}, default "max"
            Weight of a pair, from its weights in the two directions (0 where a direction is not listed). "max"
            makes an edge of whatever is listed in either direction; "min" keeps what is listed in both. The last two
            are for edges that have a direction: pairs weigh as much as they link to and are linked from the same
            nodes, or as a random walk goes from one to the other; `docs/directed.md` says when. A list with all edges
            in both directions is undirected, and stays as it is.
        warn : bool, default True
            Warn when the list looks directed: some pairs stand in both directions and others in one.

        Returns
        -------
        Graph

        Examples
        --------
        >>> import graphcore
        >>> graphcore.Graph.from_edges([0, 0, 1], [1, 2, 2], weights=[1.0, 2.0, 0.5]).degrees
        array([3. , 1.5, 2.5])
        """
        from .from_edges import graph_from_edges

        return graph_from_edges(
            cls, sources, targets, weights, n_nodes, node_names=node_names, symmetrize=symmetrize, warn=warn
        )

    @classmethod
    def from_scipy(
        cls, A: object, *, node_names: ArrayLike | None = None, symmetrize: str = "max", warn: bool = True,
        check: bool = True,
    ) -> Self:  # fmt: skip
        """Make a graph from a square sparse (or dense) matrix.

        Parameters
        ----------
        A : sparse array or matrix of any format, or ndarray, of shape (n_nodes, n_nodes)
            Finite, non-negative weights. A matrix whose entries are all 1 (or boolean) makes an unweighted graph.
            It is never changed; canonical int32 CSR arrays are shared, not copied.
        node_names, symmetrize, warn
            See :meth:`from_edges`; an asymmetric matrix is warned about.
        check : bool, default True
            False is for a CSR matrix that is known to be canonical and symmetric: only what would make compiled code
            read or write beyond its arrays is looked for.

        Returns
        -------
        Graph

        Examples
        --------
        >>> import scipy.sparse as sp
        >>> import graphcore
        >>> graphcore.Graph.from_scipy(sp.csr_array([[0, 1, 0], [1, 0, 2], [0, 2, 0]])).n_edges
        2
        """
        from .from_scipy import graph_from_scipy

        return graph_from_scipy(cls, A, node_names=node_names, symmetrize=symmetrize, warn=warn, check=check)

    @classmethod
    def from_biadjacency(
        cls, B: AnyGraph, *, row_names: ArrayLike | None = None, column_names: ArrayLike | None = None,
    ) -> Self:  # fmt: skip
        """Make a bipartite graph from a rectangular matrix: its rows and its columns are the nodes, rows first.

        Parameters
        ----------
        B : sparse array or matrix of any format, or ndarray, of shape (n_rows, n_columns)
            Weights of the edges between rows and columns, finite and not negative. Repeated entries add up.
        row_names, column_names : array-like, optional
            Names of rows and columns. If either is given, nodes are called "r:" and "c:" and their name, or number.

        Returns
        -------
        Graph

        Examples
        --------
        >>> import graphcore
        >>> graph = graphcore.Graph.from_biadjacency([[1, 0, 2], [0, 1, 0]])
        >>> graph, graph.degrees.tolist()
        (Graph(n_nodes=5, n_edges=3, weights=float64), [3.0, 1.0, 1.0, 1.0, 2.0])
        """
        from .from_biadjacency import graph_from_biadjacency

        return graph_from_biadjacency(cls, B, row_names, column_names)

    @classmethod
    def from_networkx(
        cls, G: object, weight: str | None = "weight", *, symmetrize: str = "max", warn: bool = True,
    ) -> Self:  # fmt: skip
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
        from .from_networkx import graph_from_networkx

        return graph_from_networkx(cls, G, weight, symmetrize=symmetrize, warn=warn)

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
        from .from_igraph import graph_from_igraph

        return graph_from_igraph(cls, g, weight, symmetrize=symmetrize, warn=warn)

    @classmethod
    def from_table(
        cls, table: object, source: str = "source", target: str = "target", weight: str | None = "auto", *,
        symmetrize: str = "max", warn: bool = True,
    ) -> Self:  # fmt: skip
        """Make a graph from a table with one edge a row.

        Nodes keep their own names, unless they are the integers 0 to n_nodes - 1. Integers are put in ascending order,
        text in the order in which it first appears. Missing values are refused.

        Parameters
        ----------
        table : data frame, Arrow table or stream, or dict of columns
            Of pandas, polars, pyarrow, or whatever else narwhals knows or has ``__arrow_c_stream__``. Of a lazy frame
            these columns are computed.
        source, target : str, default "source" and "target"
            Columns that hold the end nodes: integers of any size (whole numbers stored as floats too), or text. Each
            edge may be listed once, in either direction, or in both. Where neither is given nor there, columns
            "from" and "to", "src" and "dst", or "u" and "v" are looked for, in any case.
        weight : str or None, default "auto"
            Column of finite, non-negative weights, see :meth:`from_edges`. None for none; "auto" is the column
            "weight", if there is one.
        symmetrize, warn
            See :meth:`from_edges`.

        Returns
        -------
        Graph

        Examples
        --------
        >>> import graphcore
        >>> table = {"source": ["Anna", "Ben"], "target": ["Ben", "Chloé"], "weight": [2, 0.5]}
        >>> graph = graphcore.Graph.from_table(table)
        >>> graph.node_names.tolist(), graph.degrees.tolist()
        (['Anna', 'Ben', 'Chloé'], [2.0, 2.5, 0.5])
        """
        from .from_table import graph_from_table

        return graph_from_table(cls, table, source, target, weight, symmetrize=symmetrize, warn=warn)
