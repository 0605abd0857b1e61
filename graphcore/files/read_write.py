"""Read and write graphs in files of all formats, and as stores."""

import os
from collections import abc
from contextlib import nullcontext
from typing import Any

from ..base.types import AnyGraph, ArrayLike, Mapping, PathLike, Sequence, Table
from ..base.validation import check_choice, check_order, check_path
from ..exceptions import ParameterError, warn_user
from ..graphs.as_graph import as_graph
from ..graphs.from_table import Columns
from ..graphs.graph import Graph
from ..graphs.nodes import node_table
from .atomic import atomic_output, compressed
from .edge_list import FULL_MEMORY, Reading, graph_of_blocks
from .formats import FORMATS, READABLE, guess_format, open_tables, output_format
from .source import naming, open_source, parts_of


def read_graph(
    path: PathLike | Sequence[PathLike], *, format: str | None = None, delimiter: str | None = None,
    comments: str | Sequence[str] = ("#", "%"), header: bool | None = None,
    columns: tuple[int | str, int | str] | None = None,
    weight_column: int | str | None = "auto", ids: str = "auto", symmetrize: str = "max",
    count_repeats: bool = False, on_bad_lines: str = "error", encoding: str = "utf-8", nodes: object = None,
) -> Graph:  # fmt: skip
    r"""Read a graph from a file; format and layout are detected unless they are given.

    Edge lists, METIS, NumPy archives (scipy's ``save_npz`` or arrays ``indptr`` and ``indices``), Matrix Market by
    scipy, GraphML, GEXF, GML, Pajek and adjacency lists by networkx, each plain or compressed (gzip, bzip2, xz),
    Parquet tables of edges (with pyarrow), and BVGraph, the WebGraph framework's
    files. The page ``docs/files.md`` tells what is recognised and how.

    Parameters
    ----------
    path : str or path-like, or list of them
        The file; "-" is standard input. Of a web graph its .graph, or the name that its files have in common. A folder
        is a graph on disk, which is opened (:func:`graphcore.open_graph`), or holds parts of one list of edges, as a
        list of files does: text, Parquet or web graphs. Hidden files, empty ones and those called _NAME are left out.
    format : str, optional
        "edgelist", "matrix-market", "metis", "npz", "graphml", "gexf", "gml", "pajek", "adjlist", "networkx", "parquet"
        or "bvgraph". Default: by the content, and for METIS and adjacency lists by the ending.
    delimiter : str, optional
        Edge lists: one character, or "whitespace" for runs of blanks and tabs. Default: tab, comma, semicolon, bar,
        or white space, whichever makes columns of the first 200 lines.
    comments : str or sequence of str, default ("#", "%")
        Edge lists: lines that begin with one of these are left out.
    header : bool, optional
        Edge lists: whether the first line names the columns. Default: if it cannot be an edge as the others are.
    columns : pair of int or str, optional
        Edge lists and Parquet: the columns of the end nodes, by number from 0 or by name. Default: those called
        "source" and "target" or the like, else the first two that hold nodes.
    weight_column : {"auto", None}, int or str, default "auto"
        Edge lists: where the weight stands, by number from 0 or by name; None for no weights. "auto" takes the column
        that a header names "weight" or the like; without names, a third, numeric column if there is no other beside
        time stamps. Columns left out raise a warning. Other formats: None leaves weights out, and for GraphML, GEXF and
        GML a str is the edge attribute ("auto": one called "weight" or the like).
    ids : {"auto", "integer", "string"}, default "auto"
        Edge lists: what the nodes' names are. "auto" takes integers if nine in ten of the first are.
    symmetrize : {"max", "average", "sum", "min", "error"}, default "max"
        How the two directions of a pair are combined, see :meth:`Graph.from_edges`.
    count_repeats : bool, default False
        Edge lists and Parquet without weights: whether an edge weighs as many as there are lines of it in one direction
        (messages, calls), instead of 1; without it a warning gives the number of repeats.
    on_bad_lines : {"error", "skip"}, default "error"
        Edge lists and Parquet: what happens to a line that is no edge as the first ones are: without an end (blank,
        NULL, nan or the like), or without a weight that is a number and not negative. "skip" leaves them out, and a
        warning gives their number and the first one.
    encoding : str, default "utf-8"
        Edge lists: of the node names.
    nodes : path, or what :meth:`Graph.with_nodes` takes, optional
        Names, order and attributes of the nodes, those without an edge included. A path is read by
        :func:`graphcore.files.read_nodes`.

    Returns
    -------
    Graph
        With `node_names` as in the file, unless they are the integers 0 to n_nodes - 1. Integer ids are put in
        ascending order, names in the order in which they first appear; with `nodes`, node i is row i of these.

    Raises
    ------
    FormatError
        If the content does not follow its format; the message names the file and, for edge lists, the line.
    InputError
        If the graph cannot be used (no nodes, negative weights), a folder holds no file of edges, or a
        package for a format is missing.
    OSError
        If the file is missing or unreadable.
    ParameterError
        If an option is not known.

    Notes
    -----
    The highest memory use, the graph included, is two to four times the graph.

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
    reading = Reading(
        delimiter=delimiter, comments=comments, header=header, columns=columns, weight_column=weight_column, ids=ids,
        encoding=encoding, symmetrize=symmetrize, count_repeats=count_repeats, on_bad_lines=on_bad_lines,
        declared=format == "edgelist",
    )  # fmt: skip
    if nodes is not None:
        from .tables import read_nodes

        nodes = read_nodes(nodes, encoding=encoding) if isinstance(nodes, (str, os.PathLike)) else node_table(nodes)
    given: Any = path if isinstance(path, (list, tuple)) else [path]
    parts = [part for each in given for part in parts_of(check_path(each))]
    if not parts:
        raise ParameterError(f"path={path!r} names no file; give one, or several")
    if len(parts) > 1:
        if format is not None:
            raise ParameterError(f"format={format!r} is for a single file, and there are {len(parts)}; leave it out")
        place = naming(f"the folder {path}") if len(given) == 1 else nullcontext()
        with place, open_tables(parts, reading, FULL_MEMORY) as tables:
            return of_nodes(graph_of_blocks(tables, reading, parts[0]), nodes, False)
    file = parts[0]
    if os.path.isdir(file):
        # This import is late because the store itself imports the readers of files.
        from .store import open_graph

        reading.refuse_for("a graph on disk", "weight_column", "symmetrize")
        return of_nodes(open_graph(file), nodes)
    with open_source(file) as source:
        found = FORMATS[format] if format else guess_format(source, encoding)
        if found.is_text:
            source.require_text(encoding)
        if found.isolated:
            reading.refuse_for(f"{found.name} files")
        graph = found.read(source, reading)
    return of_nodes(graph, nodes, found.isolated)


def of_nodes(graph, table, complete=True):
    """Return the graph with a NodeTable, or as it is with None; `complete` if its file has isolated nodes, too."""
    if table is None:
        return graph
    if complete and graph.node_names is None and len(table) != graph.n_nodes:
        raise table.error(
            f"there are {len(table)} nodes, and the graph has nodes 0 to {graph.n_nodes - 1}, those without an edge "
            "among them: one of the files is of another graph, or has lines that are no nodes (a header has to name a "
            "column 'id')"
        )
    graph = graph.with_nodes(table)
    if table.source and graph.degrees[0] == 0 and graph.n_isolated == 1:
        first = graph.names_of([0])[0]
        warn_user(f"{table.source}: only the first line ({first}) has no edge; if it is a header, call a column 'id'")
    return graph


def write_graph(
    graph: AnyGraph, path: PathLike, format: str | None = None, *,
    attributes: Mapping[str, ArrayLike] | Table | None = None,
) -> None:  # fmt: skip
    """Write a graph to a file that :func:`read_graph` reads back, atomically.

    Parameters
    ----------
    graph : Graph, or what :meth:`CoresetSpectralClustering.fit` takes for one
    path : str or path-like
        Output file; "-" is standard output. An ending .gz, .bz2 or .xz compresses.
    format : {"tsv", "csv", "matrix-market", "metis", "npz", "graphml", "gexf", "gml", "store"}, optional
        Default: by the ending (.tsv, .txt, .edges, .csv, .mtx, .metis, .npz, .graphml, .gexf, .gml, .store). Edge lists
        ("tsv" and "csv") hold each edge once, with node names; isolated nodes come back only if the graph has no names.
        "metis" holds integer weights, no self-loops and no names, "matrix-market" no names; "npz" holds everything but
        attributes, and ``scipy.sparse.load_npz`` reads it too. "store" does as well, in a folder that
        :func:`graphcore.open_graph` opens without reading it. "graphml", "gexf" and "gml" are for other programs, such
        as Gephi and Cytoscape.
    attributes : dict of array-like of shape (n_nodes,), or data frame, optional
        Attributes of the nodes in GraphML, GEXF and GML, such as ``model.to_table()``, beside those of the graph, of
        which other formats say that they are not written; rows are in the order of the nodes. A column "node" is left
        out, as the names are written anyway, and so is NaN. :meth:`Graph.with_nodes` takes tables in any order.

    Raises
    ------
    OSError
        If the file cannot be written.
    InputError
        If the format cannot hold the graph, or `path` is the graph on disk that `graph` is mapped from.
    ParameterError
        If the format is not known.

    Examples
    --------
    >>> import os, tempfile
    >>> import graphcore
    >>> graph = graphcore.Graph.from_edges([0, 1], [1, 2], n_nodes=4)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "path.mtx.gz")
    ...     graphcore.write_graph(graph, path)
    ...     graphcore.read_graph(path)
    Graph(n_nodes=4, n_edges=2, unweighted)
    """
    graph = as_graph(graph)
    name, compression = output_format(path, format)
    for values in (attributes, *(attributes.values() if isinstance(attributes, abc.Mapping) else ())):
        check_order("attributes", values, graph.node_names)
    if not isinstance(attributes, (abc.Mapping, type(None))):
        table = Columns(attributes, "attributes")
        attributes = {name: table.raw(name) for name in table.names}
    takes_attributes = name != "store" and FORMATS[name].attributes
    if attributes and not takes_attributes:
        raise ParameterError(f"attributes are for graphml, gexf and gml; {name} files have no place for them")
    if graph.attributes and not takes_attributes:
        warn_user(f"{name} files hold no attributes of nodes: {', '.join(graph.attributes)[:200]} not written")
    if name == "store":
        # This import is late because the store itself imports the readers of files.
        from .store import write_store

        write_store(graph, path)
        return
    if graph.node_names is not None and not FORMATS[name].names:
        warn_user(f"{name} files hold no node names; nodes are numbered from 1, in their order")
    with atomic_output(path) as raw, compressed(raw, compression) as stream:
        FORMATS[name].write(graph, stream, *([attributes] if takes_attributes else []))
