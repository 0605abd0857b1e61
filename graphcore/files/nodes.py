"""Files of node tables: ids, names and other columns, or names alone in the order of the nodes."""

import os
from collections import Counter
from dataclasses import replace

import numpy as np

from ..base.types import PathLike
from ..exceptions import FormatError
from ..graphs.columns import without_kind
from ..graphs.ids import as_names, is_text
from ..graphs.nodes import ID_NAMES, NAME_NAMES, NodeTable, node_table
from .parquet import read_table
from .source import open_source
from .text import first_unfit, guess_delimiter, is_id, is_number, read_columns

_SAMPLE = 200


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
        If a header calls no column as ids of nodes are, or a node comes twice.

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
            source.require_text()
            with source.text(encoding) as stream:
                table = node_table(_columns(stream.read()))
        names = table.ids if table.names is None else table.names
        names = names.tolist() if is_text(names) else []
        unfit = first_unfit(names) or next((name for name in names if not name.strip()), None)
        if unfit is not None:
            raise FormatError(
                f"the node name {unfit!r} is blank or has control characters or line ends; is a quote open?"
            )
        return replace(table, source=source.name)


def read_table_of(nodes, encoding="utf-8"):
    """Return the NodeTable of a path, or of a table in memory; None stays None."""
    if isinstance(nodes, (str, os.PathLike)):
        return read_nodes(nodes, encoding=encoding)
    return None if nodes is None else node_table(nodes)


def _columns(text):
    """Return the columns of a text by their names; a single column without a header is returned as it is."""
    lines = text.split("\n")
    start = next((i for i, line in enumerate(lines) if line.strip() and line.lstrip()[0] not in "#%"), None)
    if start is None:
        raise FormatError("there are no nodes: every line is blank or a comment")
    text, sample = "\n".join(lines[start:]), [line for line in lines[start : start + _SAMPLE] if line.strip()]
    mark = guess_delimiter(sample, "\t,;")
    if mark is not None:
        columns = read_columns(text, mark, comments=(), first_line=start + 1)
    else:
        blank = next((i for i, line in enumerate(lines[start:], start + 1) if not line.strip()), None)
        rows = [line.strip() for line in lines[start:] if line.strip()]
        if all(is_id(line.split()[0]) and len(line.split()) > 1 for line in sample):  # an integer, and a name
            rows = [line.split(None, 1) for line in rows]
            if any(len(row) < 2 for row in rows):
                raise FormatError(f"{next(row[0] for row in rows if len(row) < 2)!r} has no name, as other lines have")
            columns = list(map(list, zip(*rows, strict=True)))
        elif blank is not None and blank <= start + len(rows):  # it would shift the others
            raise FormatError(f"line {blank} is blank, where a name is expected")
        else:
            columns = [rows]
    heads = [column[0] for column in columns]
    if _is_header([column[:_SAMPLE] for column in columns]):
        twice = next((head for head, count in Counter(heads).items() if count > 1), None)
        if twice is not None:
            raise FormatError(f"several columns are called {twice[:80]!r}; rename them")
        return {head: _values(column[1:]) for head, column in zip(heads, columns, strict=True)}
    values = [_values(column) for column in columns]
    if len(values) == 1:
        return values[0]
    first = ("id", "label") if is_text(values[1]) else ("id",)
    return dict(zip((*first, *(f"column_{c}" for c in range(len(first), len(values)))), values, strict=True))


def _is_header(columns):
    """Return whether the first line has a known name of a column of ids or names, or a word above numbers."""
    heads = [column[0] for column in columns]
    if any(map(is_id, heads)):
        return False
    known = {*ID_NAMES, *NAME_NAMES} - {""}
    return any(without_kind(head) in known for head in heads) or any(
        head and not is_number(head) and rest and all(map(is_number, rest)) for head, *rest in columns
    )


def _values(column):
    """Convert a column to integers, else to floats (NaN for blanks), else to text, as 007 and integers over 64 bits."""
    if all(map(is_id, column)):
        return np.array(column, dtype=np.int64)
    fields = [field for field in column if field]
    if fields and all(is_number(field) and is_id(field) >= field.isdigit() for field in fields):
        return np.array([float(field or "nan") for field in column])
    return as_names(column, len(column))
