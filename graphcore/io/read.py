"""Read a graph, whatever it is written in."""

import os
from functools import partial

import numpy as np

from .._typing import PathLike, Sequence
from .._validation import check_choice
from .._warn import warn_user
from ..exceptions import FormatError, ParameterError
from ..graphs.from_edges import graph_from_ends
from ..graphs.graph import Graph
from ..graphs.ids import compact_ids
from ..graphs.rows import SYMMETRIZE
from ._guess import guess_format
from ._source import open_source
from .edge_list import read_edge_list
from .markup import OF_NETWORKX, read_by_networkx
from .matrix_market import read_matrix_market
from .metis import read_metis
from .npz import read_npz

# Of a Parquet table, so many bytes are read at once.
_TABLE_MEMORY = 1 << 28
READABLE = ("edgelist", "konect", "matrix-market", "metis", "npz", *OF_NETWORKX, "parquet")


def read_graph(
    path: PathLike, *, format: str | None = None, delimiter: str | None = None,
    comments: str | Sequence[str] = ("#", "%"), header: bool | None = None, columns: tuple[int, int] = (0, 1),
    weight_column: int | str | None = "auto", ids: str = "auto", symmetrize: str = "max", bipartite: bool = False,
    count_repeats: bool = False, encoding: str = "utf-8", any_size: bool = False,
) -> Graph:  # fmt: skip
    r"""Read a graph from a file; format and layout are detected unless they are given.

    Edge lists, Matrix Market, METIS, NumPy archives (scipy's ``save_npz`` or arrays ``indptr`` and ``indices``),
    GraphML, GEXF and GML, each plain or compressed (gzip, bzip2, xz; Zstandard where the
    package zstandard is installed), and Parquet tables of edges (where pyarrow is). The page ``docs/files.md`` tells
    what is recognised and how.

    Parameters
    ----------
    path : str or path-like
        The file; "-" is standard input. A folder is a graph on disk, which is opened (:func:`graphcore.open_graph`).
    format : str, optional
        "edgelist", "konect", "matrix-market", "metis", "npz", "graphml", "gexf", "gml", "adjlist" or "parquet".
        Default: by the content, and by the ending where the content can be read in two ways (METIS; networkx's
        adjacency lists, ``.adjlist``).
    delimiter : str, optional
        Edge lists: one character, or "whitespace" for runs of blanks and tabs. Default: tab, comma, semicolon, white
        space or "|", whichever makes columns of the first 200 lines.
    comments : str or sequence of str, default ("#", "%")
        Edge lists: lines that begin with one of these are left out.
    header : bool, optional
        Edge lists: whether the first line names the columns. Default: if it cannot be an edge as the others are.
    columns : pair of int, default (0, 1)
        Edge lists and Parquet: where the end nodes stand, counted from 0.
    weight_column : {"auto", None}, int or str, default "auto"
        Edge lists: where the weight stands, by number from 0 or by name; None for no weights. "auto" takes the column
        that a header names "weight" or the like; without names, a third numeric column if it is the only one beside
        time stamps. What is left out is warned about. Other formats: None leaves weights out, and for GraphML, GEXF and
        GML a str is the edge attribute ("auto": "weight", else "value").
    ids : {"auto", "integer", "string"}, default "auto"
        Edge lists: what the nodes' names are. "auto" takes integers if the first lines hold nothing else.
    symmetrize : {"max", "average", "sum", "min", "error", "degree-discounted", "random-walk"}, default "max"
        What becomes of the two directions of a pair, see :meth:`Graph.from_edges`.
    bipartite : bool, default False
        Whether rows and columns of a matrix, or the two columns of an edge list, are nodes of two kinds, which may have
        the same names: nodes are then called "r:" and "c:" and their name, or number from 0. Edge lists, Matrix Market
        and scipy's archives.
    count_repeats : bool, default False
        Edge lists and Parquet without weights: whether an edge weighs as many as there are lines of it in one direction
        (messages, calls), and not 1.
    encoding : str, default "utf-8"
        Edge lists: of the node names.
    any_size : bool, default False
        Whether to believe what a file says about sizes: True allows compressed data that expand to more than 100 times
        their size (and 4 MiB), and headers that state more than a million nodes and more than 32 for every edge.

    Returns
    -------
    Graph
        With `node_names` as in the file, unless they are the integers 0 to n_nodes - 1. Integer ids are put in
        ascending order, names in the order in which they first appear.

    Raises
    ------
    FormatError
        If the content does not follow its format; the message names the file and, for edge lists, the line.
    InputError
        If the graph cannot be used (no nodes, negative weights), or a package for its compression is missing.
    OSError
        If the file is missing, unreadable or another folder.
    ParameterError
        If an option is not known.

    Notes
    -----
    Edge lists are read by :func:`numpy.loadtxt`. The highest memory use, the graph included, is two to four times the
    graph.

    Examples
    --------
    >>> import os, tempfile
    >>> import graphcore
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "friends.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("from,to,weight\nAnna,Ben,2\nBen,Chloé,0.5\n")
    ...     graph = graphcore.read_graph(path)
    >>> graph
    Graph(n_nodes=3, n_edges=2, weights=float64, named)
    >>> graph.node_names.tolist()
    ['Anna', 'Ben', 'Chloé']
    """
    check_choice("format", format, (None, *READABLE))
    check_choice("symmetrize", symmetrize, SYMMETRIZE)
    for name, flag in (("bipartite", bipartite), ("count_repeats", count_repeats)):
        if not isinstance(flag, (bool, np.bool_)):
            raise ParameterError(f"{name}={flag!r} must be True or False")
    if isinstance(path, (str, os.PathLike)) and os.path.isdir(path):
        # Imported here, because the store itself imports the readers of this room.
        from ..store import looks_like_store

        if looks_like_store(path):
            if bipartite:
                raise ParameterError(f"bipartite={bipartite!r} is for edge lists and matrices; this is a graph on disk")
            return _read_store(path, weight_column)
    with open_source(path, any_size) as source:
        kind = format or guess_format(source)
        if kind == "parquet" and not bipartite:
            table = {"columns": columns, "weight_column": weight_column, "ids": ids}
            return _read_parquet(source, symmetrize, count_repeats, **table)
        if bipartite and kind not in ("edgelist", "konect", "matrix-market", "npz"):
            raise ParameterError(f"bipartite={bipartite!r} is for edge lists and matrices; this is a {kind} file")
        if kind in ("edgelist", "konect"):
            return read_edge_list(
                source, symmetrize=symmetrize, delimiter=delimiter, comments=comments, header=header, columns=columns,
                weight_column=weight_column, ids=ids, encoding=encoding, bipartite=bipartite,
                count_repeats=count_repeats,
                declared=format == "edgelist",
            )  # fmt: skip
        if kind in OF_NETWORKX:
            if weight_column is not None and not isinstance(weight_column, str):
                raise ParameterError(
                    f"weight_column={weight_column!r} must be the name of an edge attribute, 'auto' or None"
                )
            return read_by_networkx(source, kind, weight=weight_column, symmetrize=symmetrize)
        check_choice("weight_column", weight_column, ("auto", None))
        weighted = weight_column is not None
        if kind == "metis":
            return read_metis(source, weighted=weighted)
        reader = read_matrix_market if kind == "matrix-market" else read_npz
        return reader(source, weighted=weighted, symmetrize=symmetrize, bipartite=bipartite)


def _read_parquet(source, symmetrize, count_repeats, **options):
    from ..store.parquet import open_parquet

    table = open_parquet(source, memory=_TABLE_MEMORY, **options)
    for note in table.notes:
        warn_user(f"{source.name}: {note}")
    blocks = [(ends, weights) for ends, weights, _ in table.blocks(0, None)]
    if not sum(len(ends) for ends, _ in blocks):
        raise FormatError("the table has no rows: there are no edges")
    ends, weights = map(np.concatenate, zip(*blocks, strict=True))
    weights = np.ones(len(ends)) if count_repeats and not table.weighted else weights
    if table.numbering is None:
        numbers, names = compact_ids(ends.ravel())
        ends = numbers.reshape(-1, 2)
    else:
        names = list(table.numbering)
    n_nodes = int(ends.max()) + 1
    return graph_from_ends(Graph, ends, weights, n_nodes, node_names=names, symmetrize=symmetrize, warn=True)


def _read_store(path, weight_column):
    from ..store import open_graph

    check_choice("weight_column", weight_column, ("auto", None))
    graph = open_graph(path)
    if weight_column is None and graph.is_weighted:
        return Graph._mapped(
            graph.indptr, graph.indices, None, graph.node_names, np.diff(graph.indptr).astype(np.float64),
            reopen=(partial(read_graph, weight_column=None), (os.path.abspath(path),)),
            known={"n_self_loops": graph.n_self_loops},
        )  # fmt: skip
    return graph
