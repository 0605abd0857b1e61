"""Small tables in files: the cluster of each node, written and read; ids, names and attributes of nodes."""

import contextlib
import csv
import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

import numpy as np

from ..base.types import Array, ArrayLike, PathLike, Stream
from ..base.validation import check_choice, check_order
from ..exceptions import FormatError, InputError, ParameterError, warn_user
from ..graphs.columns import ID_NAMES, LEVEL, MISSING_NAMES, NAME_NAMES, column_called, is_index, plain
from ..graphs.from_edges import as_names, is_text
from ..graphs.graph import Graph
from ..graphs.nodes import NodeTable, node_table
from .atomic import atomic_output, compressed, ending_of, text_output
from .formats import is_markup
from .library_formats import attribute_columns
from .npz import read_array, write_array
from .parquet import read_table
from .source import open_source
from .text import MISSING, check_delimiter, first_unfit, guess_delimiter, is_id, is_number, read_columns, refuse_unfit

_PIECE = 1 << 16
_DELIMITERS = {"tsv": "\t", "csv": ","}
_MARKS = '#%"*<{[\ufeff'  # at the beginning of a file they are no names
_NODES = {plain(name) for name in (*ID_NAMES, *NAME_NAMES)} - {""}
_CLUSTERS = frozenset([
    "cluster", "clusters", "clusterid", "label", "labels", "community", "communityid", "group", "class", "module",
    "partition", "membership", "modularityclass", "category", "block", "truth", "leiden", "louvain", "x", "y",
])  # fmt: skip
# Columns of tables of results, which are known not to be classes.
_OF_RESULTS = ("stability", "outside_share", "outlier_score")
_NO_CLUSTER = {"-1", "", *MISSING_NAMES}
# Lines that are looked at for a header.
_SAMPLE = 200
# Programs that open files with these endings refuse text.
NO_TEXT = frozenset([
    ".xlsx", ".xls", ".ods", ".json", ".html", ".pdf", ".npy", ".npz", ".parquet", ".feather", ".arrow", ".orc",
    ".avro", ".h5", ".hdf5", ".sqlite", ".pkl", ".mtx", ".metis", ".store", ".graphml", ".gexf", ".gml",
    ".net", ".paj",
])  # fmt: skip


# -- labels ------------------------------------------------------------------------------------------------------------


def write_labels(
    labels: ArrayLike, path: PathLike | Stream, names: Graph | ArrayLike | None = None, format: str | None = None,
) -> None:  # fmt: skip
    """Write the cluster of every node, atomically.

    Parameters
    ----------
    labels : array-like of shape (n_nodes,) or (n_nodes, n_levels)
        Cluster numbers (-1: no cluster); of several levels one column each.
    path : str, path-like or stream (of text, of bytes for "npy")
        Output file; "-" is standard output. An interrupted run leaves what was there before. An ending .gz, .bz2 or
        .xz after that of the format compresses.
    names : Graph or array-like of shape (n_nodes,), optional
        The graph whose node names are written, or the names. Default: 0 to n_nodes - 1.
    format : {"tsv", "csv", "npy"}, optional
        Two columns, node and cluster, split by a tab, or by a comma under a header (``node,cluster``; of coarser levels
        ``level_1`` and so on); or NumPy's file of the labels alone, in the order of the graph's nodes, much faster for
        many millions. Default: by the ending, tab unless it is .csv or .npy.

    Raises
    ------
    OSError
        If the file cannot be written; :func:`check_writable` finds out before the work.
    ParameterError
        If `path` has the ending of something else than text, such as .gexf or .parquet.
    InputError
        If there are not as many labels as names, or a name has control characters, which no text file holds, or differs
        from another in blanks only.

    Examples
    --------
    >>> import sys
    >>> from graphcore import write_labels
    >>> write_labels([0, 0, 1], sys.stdout, ["Anna", "Ben", "Chloé"], format="csv")
    node,cluster
    Anna,0
    Ben,0
    Chloé,1
    """
    check_order("labels", labels, names.node_names if isinstance(names, Graph) else None)
    labels = np.asarray(labels)
    if labels.ndim not in (1, 2):
        raise InputError(
            f"labels must have one dimension, as model.labels_ have, or two for levels, got shape {labels.shape}"
        )
    n_nodes = len(labels)
    if isinstance(names, Graph):
        n_nodes, names = names.n_nodes, names.node_names
    elif names is not None:
        if not isinstance(names, Iterable):
            raise ParameterError(f"names must be a Graph or a name for each node, got {type(names).__name__}")
        names = names if isinstance(names, np.ndarray) else list(names)
        n_nodes = len(names)
    if len(labels) != n_nodes:
        turned = "; levels are columns: give level_labels_.T" * (labels.ndim == 2 and labels.shape[1] == n_nodes)
        raise InputError(f"{len(labels)} labels for {n_nodes} nodes{turned}")
    check_choice("format", format, (None, "npy", *_DELIMITERS))
    ending, compression = ending_of(path) if isinstance(path, (str, os.PathLike)) else ("", "")
    format = format or (ending[1:] if ending in (".csv", ".npy") else "tsv")
    if format != "npy" and ending in NO_TEXT:
        raise ParameterError(
            f"path={os.fspath(path)!r}: labels are written as text (.tsv, .csv) or .npy; for other files take the data "
            "frame that model.to_table(library='pandas') makes, or graphcore.write_graph(graph, path, "
            "attributes=model.to_table()), which writes them with their graph"
        )
    if format == "npy":
        if labels.dtype.kind not in "iu":
            raise InputError(f".npy holds labels that are integers, got {labels.dtype}; write text (.tsv, .csv)")
        opened = contextlib.nullcontext(path) if hasattr(path, "write") else atomic_output(path)
        with opened as raw, compressed(raw, compression) as stream:
            write_array(stream, labels)
        return
    names = range(n_nodes) if names is None else names
    refuse_unfit(names, "write .npy, or give other names")
    coarser = range(1, labels.shape[1] if labels.ndim == 2 else 1)
    with contextlib.nullcontext(path) if hasattr(path, "write") else text_output(path, compression) as stream:
        plain = csv.writer(stream, delimiter=_DELIMITERS[format], lineterminator="\n")
        quoting = csv.writer(stream, delimiter=_DELIMITERS[format], lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
        if format == "csv":
            plain.writerow(["node", *(f"level_{level}" for level in coarser), "cluster"])
        for start in range(0, n_nodes, _PIECE):
            columns = labels[start : start + _PIECE].reshape(-1, labels.shape[1] if labels.ndim == 2 else 1)
            for given, *values in zip(names[start : start + _PIECE], *columns.T.tolist(), strict=True):
                name = str(given)
                # Unquoted, the name could be read as a comment, a mark of another format, nothing or two columns.
                ambiguous = name[:1] in _MARKS or name != name.strip() or "\t" in name
                (quoting if ambiguous else plain).writerow((name, *values))


def read_labels(
    path: PathLike, graph: Graph | None = None, delimiter: str | None = None, *, partial: bool = False,
    encoding: str = "utf-8",
) -> Array:  # fmt: skip
    """Read the clusters of nodes, as :func:`write_labels` and the collections of benchmarks write them.

    Parameters
    ----------
    path : str or path-like
        Lines of node and cluster, or clusters of several levels (tab, comma, semicolon or white space between them;
        lines that begin with # or % are left out), or lines of a cluster alone, in node order; or a NumPy file of
        integers, in node order; or GraphML, GEXF or GML, by attributes of the nodes. Where columns or attributes have
        names, those called "cluster", "community" or the like are taken. "-" is standard input; compressed files are
        read.
    graph : Graph, optional
        The labels are put in the order of its nodes, found by their names, or by their ids if these are an attribute
        and more of them are in the file. Default: in the order of the file.
    delimiter : str, optional
        One character, or "whitespace". Default: guessed.
    partial : bool, default False
        With a graph, whether its nodes may lack a line, which makes their label -1, and whether lines of other nodes
        are passed over; a node of the graph has to be among them.
    encoding : str, default "utf-8"

    Returns
    -------
    ndarray of shape (n_nodes,), or (n_nodes, n_levels) of several columns
        int64 if all clusters are integers, those missing being -1, otherwise text as it stands in the file.

    Raises
    ------
    FormatError
        If a line has another number of columns than the first (it is named), there are no lines, or a NumPy file holds
        something else than integers in one dimension or two.
    InputError
        If a node of the graph has two lines, or, unless `partial`, has none or a line names a node that the graph has
        not.

    Examples
    --------
    >>> import os, tempfile
    >>> import graphcore
    >>> from graphcore.files import read_labels
    >>> graph = graphcore.Graph.from_edges([0, 1], [1, 2], node_names=["a", "b", "c"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "labels.tsv")
    ...     graphcore.write_labels([0, 0, 1], path, graph)
    ...     read_labels(path, graph)
    array([0, 0, 1])
    """
    if graph is not None and not isinstance(graph, Graph):
        raise ParameterError(f"graph must be a Graph or None, got {type(graph).__name__}")
    check_delimiter(delimiter)
    with open_source(path) as source:
        nodes, columns = _read(source, delimiter, encoding)
        if graph is not None:
            columns = _aligned(nodes, columns, graph, "-1" if partial else None)
        return _as_labels(columns)


def read_label_lines(path, *, encoding="utf-8"):
    """Return (nodes or None, labels), as :func:`read_labels` without a graph has them; nodes are a list of text."""
    with open_source(path) as source:
        nodes, columns = _read(source, None, encoding)
        return nodes, _as_labels(columns)


def _read(source, delimiter, encoding):
    """Return (nodes or None, columns of clusters) as lists of text; clusters of a NumPy file are int64 arrays."""
    if source.head.startswith(np.lib.format.MAGIC_PREFIX):
        with source.open() as stream:
            labels = read_array(stream)
        if labels.ndim not in (1, 2) or labels.dtype.kind not in "iu" or not labels.size:
            raise FormatError(
                f"the NumPy file holds {labels.dtype} of shape {labels.shape}; labels are integers in one dimension, "
                "or two for levels"
            )
        return None, list(labels.reshape(len(labels), -1).T.astype(np.int64))
    if source.begins_with(b"PAR1"):
        table = read_table(source)
        columns = [
            [name, *("" if cell is None else str(cell) for cell in column.to_pylist())]
            for name, column in zip(table.column_names, table.columns, strict=True)
        ]
    elif (kind := next((kind for kind in ("graphml", "gexf", "gml") if is_markup(source, kind)), None)) is not None:
        columns = attribute_columns(source, encoding, kind)
    else:
        columns = _text_columns(source, encoding, delimiter)
    called, columns = _named_columns(source, columns)
    if any(
        len({pair for pair in zip(*both, strict=True) if pair[1] not in _NO_CLUSTER}) > len({*both[1]} - _NO_CLUSTER)
        for both in pairwise(columns[1:])
    ):
        warn_user(
            f"{source.name}: columns {', '.join(map(str, called[1:]))} are read as levels, coarse to fine, and do not "
            "nest; keep the nodes and the column that is meant, or call that 'cluster'"
        )
    if len(columns) > 1 and all(len(set(column)) == len(column) for column in columns):
        said = (
            "no label stands in two lines, as if each line were a community; write a line of node and cluster for each"
        )
        if len(columns) > 2:
            raise FormatError(said)
        if len(columns[0]) > 2:
            warn_user(f"{source.name}: {said}")
    return (None, columns) if len(columns) == 1 else (columns[0], columns[1:])


def _named_columns(source, columns):
    """Return (names, columns) of nodes and clusters below a header, or all columns where the first line is none."""
    heads = [column[0] for column in columns]
    # Columns that graphcore writes come before classes of the input; a "label" may be the name of a node.
    for called in ({"cluster"}, _CLUSTERS - {"label", "x"}, _CLUSTERS):
        known = [c for c, head in enumerate(heads) if plain(head) in called or LEVEL.fullmatch(head)]
        if known:
            break
    known.sort(key=lambda c: LEVEL.fullmatch(heads[c]) is None)  # "cluster" is the finest, wherever it stands
    if not (known and LEVEL.fullmatch(heads[known[0]])) and not _has_header(columns, _CLUSTERS | _NODES):
        return range(len(columns)), columns
    rest = [c for c in range(len(heads)) if c not in known]
    if len(columns) == 1 or not rest:
        return heads, [column[1:] for column in columns]
    node = min(rest, key=lambda c: (plain(heads[c]) not in _NODES, not is_index(heads[c]), c))
    taken = known or [c for c in rest if c != node]
    left = [heads[c] for c in rest if c not in (node, *taken) and heads[c] not in ("", *_OF_RESULTS)]
    if left:
        warn_user(f"{source.name}: {', '.join(map(repr, left))[:200]} not read")
    return [heads[c] for c in (node, *taken)], [columns[c][1:] for c in (node, *taken)]


def _aligned(nodes, columns, graph, missing=None):
    """Return columns in the order of the graph's nodes; `missing`, unless None, stands for nodes without a line."""
    if nodes is None:
        if len(columns[0]) != graph.n_nodes:
            raise InputError(f"{len(columns[0])} clusters without nodes, but the graph has {graph.n_nodes} nodes")
        return columns
    names = range(graph.n_nodes) if graph.node_names is None else graph.node_names.tolist()
    ids = column_called(graph.attributes, ID_NAMES, next(iter(graph.attributes), None))
    ids = graph.attributes.get(ids, np.empty(0)).tolist()
    if len({*ids}) == len(names) and len({*map(str, ids)} & {*nodes}) > len({*map(str, names)} & {*nodes}):
        names = ids  # of nodes that have names as well
    position = {str(name).strip(): i for i, name in enumerate(names)}  # the reader strips blanks around fields
    if len(position) < graph.n_nodes:
        raise InputError("several nodes of the graph have the same name, and labels do not tell which is which")
    twice = next((node for node, count in Counter(nodes).items() if count > 1 and node in position), None)
    if twice is not None:
        raise InputError(f"node {twice!r} has two labels")
    lines = dict(zip(nodes, range(len(nodes)), strict=True))
    others = [node for node in nodes if node not in position]
    if len(others) == len(nodes):
        raise InputError(
            f"the file and the graph have no node in common; their first ones are {nodes[0]!r}, {names[0]!r}; nodes "
            "(--nodes), a table of ids and names, matches both"
        )
    if others and missing is None:
        raise InputError(
            f"node {others[0]!r} has a label, but the graph does not have it; if it has no edge, read the graph "
            "with nodes (--nodes), and if this is a header, call its columns 'node' and 'cluster'"
        )
    if others:
        warn_user(
            f"{len(others)} of {len(nodes)} lines are of nodes that are not in the graph, the first "
            f"{others[0][:80]!r}, and are left out; its first node is called {str(names[0])[:80]!r}"
        )
    left = [name for name in position if name not in lines]
    if left and missing is None:
        raise InputError(
            f"{len(left)} nodes of the graph have no label, the first is {left[0]!r} (lines that begin with # or % are "
            "comments, unless the name is in quotes)"
        )
    lines = [lines.get(name, -1) for name in position]
    return [[missing if line < 0 else column[line] for line in lines] for column in columns]


def _as_labels(columns):
    """Convert columns to integers if all fields are, else to text; a single column has one dimension."""
    integers = [c if isinstance(c, np.ndarray) else _integers(c) for c in columns]
    for column in (c for c, found in zip(columns, integers, strict=True) if found is None):
        if all(is_number(field) for field in column):
            raise FormatError(f"labels are integers or words, and a column holds fractions, as {column[0]!r}")
    if any(column is None for column in integers):
        unknown = ("", *MISSING_NAMES)
        columns = [["-1" if field in unknown else field for field in column] for column in columns]
        integers = [as_names(column, len(column)) for column in columns]
    return integers[0] if len(integers) == 1 else np.stack(integers, axis=1)


def _integers(column):
    """Return the integers of a column, -1 where one is missing; beside these, tables write integers as floats."""
    numbers = {}
    for field in dict.fromkeys(column):
        if field.lower() in MISSING:
            numbers[field] = -1
        elif is_id(field):
            numbers[field] = int(field)
        elif is_number(field) and float(field).is_integer() and abs(float(field)) <= 2**53:
            numbers[field] = int(float(field))
        else:
            return None
    return np.fromiter(map(numbers.__getitem__, column), dtype=np.int64, count=len(column))


# -- nodes -------------------------------------------------------------------------------------------------------------


def read_nodes(path: PathLike, *, encoding: str = "utf-8") -> NodeTable:
    r"""Read a table of nodes, for `nodes` of :func:`graphcore.read_graph` and :meth:`graphcore.Graph.with_nodes`.

    Parameters
    ----------
    path : str or path-like
        A table in text, its columns split by tabs, commas or semicolons, or in Parquet; with a header that calls a
        column "id", "node" or the like, or without one: ids, then names if that is text, then anything. Or lines of an
        integer, white space and a name. Or a single column: ids, or names in the order of the nodes. Comments (# or %)
        may stand before the first line. "-" is standard input; compressed files are read.
    encoding : str, default "utf-8"

    Returns
    -------
    NodeTable
        In the order of the file. Columns of integers are int64, of numbers float64 with NaN where there is none, all
        others text.

    Raises
    ------
    FormatError
        If a line has another number of columns than the first (it is named), or there are none.
    InputError
        If a node comes twice.

    Examples
    --------
    >>> import os, tempfile
    >>> from graphcore.files import read_nodes
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "people.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("id,name,age\n7,Anna,31\n3,Ben,27\n")
    ...     nodes = read_nodes(path)
    >>> nodes.names.tolist(), nodes.columns["id"].tolist(), nodes.columns["age"].tolist()
    (['Anna', 'Ben'], [7, 3], [31, 27])
    """
    with open_source(path) as source:
        if source.begins_with(b"PAR1"):
            table = node_table(read_table(source))
        else:
            table = node_table(_typed(_text_columns(source, encoding, of_nodes=True)))
        names = table.ids if table.names is None else table.names
        names = names.tolist() if is_text(names) else []
        unfit = first_unfit(names) or next((name for name in names if not name.strip()), None)
        if unfit is not None:
            raise FormatError(
                f"the node name {unfit!r} is blank or has control characters or line ends; is a quote open?"
            )
        return replace(table, source=source.name)


def _typed(columns):
    """Return columns of nodes by their names, as arrays; a single one without a header as it is."""
    heads = [column[0] for column in columns]
    if _has_header(columns, _NODES):
        twice = next((head for head, count in Counter(heads).items() if count > 1), None)
        if twice is not None:
            raise FormatError(f"several columns are called {twice[:80]!r}; rename them")
        return {head: _values(column[1:]) for head, column in zip(heads, columns, strict=True)}
    values = [_values(column) for column in columns]
    if len(values) == 1:
        return values[0]
    first = ("id", "name") if is_text(values[1]) else ("id",)
    return dict(zip((*first, *(f"column_{c}" for c in range(len(first), len(values)))), values, strict=True))


def _values(column):
    """Convert a column to integers, to floats (NaN for blanks), or to text, as 007 and what floats do not hold."""
    if all(map(is_id, column)):
        return np.array(column, dtype=np.int64)
    fields = [field for field in column if field]
    if fields and all(is_number(field) and is_id(field) >= field.isdigit() and _is_exact(field) for field in fields):
        return np.array([float(field or "nan") for field in column])
    return as_names(column, len(column))


def _is_exact(field):
    """Return whether a number, if it is an integer, is one as a float, too."""
    return not is_id(field) or int(float(field)) == int(field)


# -- text --------------------------------------------------------------------------------------------------------------


def _text_columns(source, encoding, delimiter=None, *, of_nodes=False):
    """Return the columns of an open Source of text, lists of fields, with a header if there is one.

    Of nodes, comments stand before the first line alone, as names may begin as they do, and blanks do not part columns
    but an integer and a name.
    """
    source.require_text(encoding)
    source.require_lines()
    with source.text(encoding) as stream:
        text = stream.read()
    if text.lower().startswith("*vertices"):  # a partition of Pajek's
        text = text.partition("\n")[2]
    lines = text.split("\n")
    full = [i for i, line in enumerate(lines) if line.strip() and line.lstrip()[0] not in "#%"][:_SAMPLE]
    if not full:
        raise FormatError("there are no nodes: every line is blank or a comment")
    sample = [lines[i] for i in full]
    if not of_nodes:
        delimiter = delimiter or guess_delimiter(sample[1:] or sample)
        return read_columns(text, None if delimiter == "whitespace" else delimiter)
    start, mark = full[0], guess_delimiter(sample, "\t,;")
    if mark is not None:
        return read_columns("\n".join(lines[start:]), mark, comments=(), first_line=start + 1)
    rows = [line.strip() for line in lines[start:]]
    while not rows[-1]:
        rows.pop()
    if "" in rows:  # it would shift the others
        raise FormatError(f"line {start + rows.index('') + 1} is blank, where a name is expected")
    if not all(is_id(line.split()[0]) and len(line.split()) > 1 for line in sample):
        return [rows]
    pairs = [line.split(None, 1) for line in rows]
    short = next((pair[0] for pair in pairs if len(pair) < 2), None)
    if short is not None:
        raise FormatError(f"{short!r} has no name, as other lines have")
    return list(map(list, zip(*pairs, strict=True)))


def _has_header(columns, known):
    """Return whether the first line names the columns: by words of `known`, of an index, or above numbers."""
    heads, below = [column[0] for column in columns], [column[1:_SAMPLE] for column in columns]
    if any(map(is_number, heads)):
        return False
    for head, fields in zip(heads, below, strict=True):
        is_named = (plain(head) in known and head[1:] and head not in fields) or (is_index(head) and len(heads) > 1)
        if is_named or (
            head.lower() not in MISSING and fields and all(is_number(f) or f.lower() in MISSING for f in fields)
        ):
            return True
    return False
