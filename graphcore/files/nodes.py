"""Files of node tables: ids, names and other columns, or names alone in the order of the nodes."""

import os
import re
from collections import Counter
from dataclasses import replace
from itertools import chain, dropwhile, islice

import numpy as np

from ..base.types import PathLike
from ..exceptions import FormatError
from ..graphs.columns import without_kind
from ..graphs.ids import as_names, is_text
from ..graphs.nodes import ID_NAMES, NAME_NAMES, NodeTable, node_table
from ._columns import is_count
from ._dialect import numbered_lines, read_columns, split_line
from ._fields import is_above_codes, is_id, is_number
from ._format import first_unfit
from ._source import open_source
from .parquet import read_table

_SAMPLE = 200
_ID_AND_REST = re.compile(r"\s*-?\d+\s+\S")


def read_nodes(path: PathLike, *, encoding: str = "utf-8", any_size: bool = False) -> NodeTable:
    r"""Read a table of nodes, for `nodes` of :func:`graphcore.read_graph` and :meth:`graphcore.Graph.with_nodes`.

    Parameters
    ----------
    path : str or path-like
        A table in text, its columns split by tabs, commas or semicolons, or in Parquet; with a header that calls a
        column "id", "node" or the like, or without one: ids, then names if that is text, then anything. Or lines of an
        integer, white space and a name. Or a single column: ids, or names in the order of the nodes. Comments (# or %)
        may stand before the first line. "-" is standard input; compressed files are read.
    encoding : str, default "utf-8"
    any_size : bool, default False
        Whether compressed data may expand without bound, as for :func:`graphcore.read_graph`.

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
    with open_source(path, any_size) as source:
        if source.begins_with(b"PAR1"):
            table = node_table(read_table(source))
        else:
            source.require_text()
            with source.text(encoding) as text:
                table = node_table(_columns(numbered_lines(text)))
        names = table.ids if table.names is None else table.names
        names = names.tolist() if is_text(names) else []
        unfit = first_unfit(names) or next((name for name in names if not name.strip() or "\n" in name), None)
        if unfit is not None:
            raise FormatError(
                f"the node name {unfit!r} is blank or has control characters or line ends; is a quote open?"
            )
        return replace(table, source=source.name)


def read_table_of(nodes, encoding="utf-8", any_size=False):
    """Return the NodeTable of a path, or of a table in memory; None stays None."""
    if isinstance(nodes, (str, os.PathLike)):
        return read_nodes(nodes, encoding=encoding, any_size=any_size)
    return None if nodes is None else node_table(nodes)


def _columns(lines):
    """Return the columns of a text by their names; a single column without a header is returned as it is."""
    lines = dropwhile(lambda line: not line[1].strip() or line[1].lstrip()[0] in "#%", lines)
    sample = list(islice(lines, _SAMPLE))
    if not sample:
        raise FormatError("there are no nodes: every line is blank or a comment")
    mark, most = _delimiter([line for _, line in sample if line.strip()])
    columns = read_columns(_filled(chain(sample, lines), most == 0), mark, most)
    heads = [column[0] for column in columns]
    if _is_header([column[:_SAMPLE] for column in columns]):
        twice = next((head for head, count in Counter(heads).items() if count > 1), None)
        if twice is not None:
            raise FormatError(f"several columns are called {twice[:80]!r}; rename them")
        return {head: _values(column[1:]) for head, column in zip(heads, columns, strict=True)}
    if len(heads) > 1 and is_count(heads) and not all(map(is_id, columns[1][1:])):
        columns = [column[1:] for column in columns]
    values = [_values(column) for column in columns]
    if len(values) == 1:
        return values[0]
    first = ("id", "label") if is_text(values[1]) else ("id",)
    return dict(zip((*first, *(f"column_{c}" for c in range(len(first), len(values)))), values, strict=True))


def _delimiter(lines):
    """Guess (delimiter or None for white space, largest number of splits or -1) from the first lines."""
    found = {}
    for mark in "\t,;":
        ((width, often),) = Counter(len(split_line(line, mark, '"' in line)) for line in lines).most_common(1)
        if width > 1 and 2 * often > len(lines):  # read_columns reports the other lines as errors
            found[mark] = width
    if found:
        return "\t" if "\t" in found else max(found, key=found.__getitem__), -1
    if all("|" in line for line in lines) and _knows(split_line(lines[0], "|", False)):
        return "|", -1
    widths = {len(split_line(line, None, True)) for line in lines[1:]} if all('"' in line for line in lines) else ()
    if len(widths) == 1 and min(widths) > 1:  # as R writes tables
        return None, -1
    return None, int(all(map(_ID_AND_REST.match, lines)))


def _knows(heads):
    """Return whether a name of a column is one of ids or names of nodes."""
    known = {*ID_NAMES, *NAME_NAMES} - {""}
    return any(without_kind(head) in known for head in heads)


def _filled(lines, alone):
    """Yield lines that are not blank; raise an error for blank ones between names `alone`, which would shift nodes."""
    blank = None
    for number, line in lines:
        if not line.strip():
            blank = blank or number
        elif blank and alone:
            raise FormatError(f"line {blank} is blank, where a name is expected")
        else:
            yield number, line


def _is_header(columns):
    """Return whether the first line has a known name of a column of ids or names, or a word above numbers or codes."""
    heads = [column[0] for column in columns]
    if any(map(is_id, heads)):
        return False
    return _knows(heads) or any(
        head
        and not is_number(head)
        and len(rest)
        and (all(map(is_number, rest)) or (len(columns) > 1 and is_above_codes(head, rest)))
        for head, *rest in columns
    )


def _values(column):
    """Convert a column to integers, else to floats (NaN for blanks), else to text, as 007 and integers over 64 bits."""
    if all(map(is_id, column)):
        return np.array(column, dtype=np.int64)
    fields = [field for field in column if field]
    if fields and all(is_number(field) and is_id(field) >= field.isdigit() for field in fields):
        return np.array([float(field or "nan") for field in column])
    return as_names(column, len(column))
