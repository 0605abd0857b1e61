"""The columns of a file of labels: nodes, and the clusters of one level or several."""

import io
import re
from itertools import chain, islice

import numpy as np

from ..exceptions import FormatError, warn_user
from ..graphs.columns import MISSING_NAMES, is_index, plain
from ..graphs.ids import as_names, whole_numbers
from ..graphs.nodes import ID_NAMES, NAME_NAMES
from ._columns import is_count
from ._dialect import numbered_lines, read_columns, split_line
from ._fields import MISSING, is_above_codes, is_id, is_number, is_whole
from .npz import read_array
from .parquet import read_table

_NODES = {plain(name) for name in (*ID_NAMES, *NAME_NAMES)} - {"", "label"}
_CLUSTERS = frozenset([
    "leiden", "louvain", "comm", "kmeans", "hdbscan", "phenograph", "celltype", "x",
    "cluster", "clusters", "clusterid", "label", "labels", "community", "communityid", "group", "class", "module",
    "partition", "membership", "modularityclass", "category", "block", "truth", "y",
])  # fmt: skip
# Columns of tables of results, which are known not to be classes.
_OF_RESULTS = ("stability", "outside_share")
_UNKNOWN = frozenset(["", *MISSING_NAMES])
_BEGINNING, _NOT_BLANKS = re.compile(r"\n[\s#%]"), re.compile(r"  | (\n|\Z)|[^\S\n ]")
_LEVEL = re.compile(r"level_\d+")
# Lines that are looked at for a header.
_SAMPLE = 200


def read_label_columns(source, delimiter, encoding):
    """Return (nodes or None, columns of clusters) as lists of text; clusters of a NumPy file are int64 arrays."""
    if source.head.startswith(np.lib.format.MAGIC_PREFIX):
        return None, _numpy_columns(source)
    if source.begins_with(b"PAR1"):
        return _nodes_and_clusters(source, _parquet_columns(source))
    source.require_text(encoding)
    with source.text(encoding) as stream:
        text = stream.read()
    numbered = numbered_lines(io.StringIO(text))
    lines = ((n, line) for n, line in numbered if line.strip() and line.lstrip()[0] not in "#%")
    first = next(lines, None)
    if first is None:
        raise FormatError("there are no labels: every line is blank or a comment")
    if first[1].lower().startswith("*vertices"):  # a partition of Pajek's
        first = next(lines, first)
    sample = [first, *islice(lines, 1)]
    if delimiter is None:  # lines should have two columns; the first may be a header
        marks = [mark for mark in "\t,;|" if mark in sample[-1][1].strip()]
        two = [mark for mark in marks if len(split_line(sample[-1][1], mark, '"' in sample[-1][1])) == 2]
        delimiter = (*two, *marks, "whitespace")[0]
    delimiter = None if delimiter == "whitespace" else delimiter
    columns = _plain_columns(text.split("\n", first[0] - 1)[-1], delimiter)
    return _nodes_and_clusters(source, columns or read_columns(chain(sample, lines), delimiter))


def _plain_columns(text, delimiter):
    """Split text as `read_columns` does, all at once; None if it has to be read line by line.

    It has to where there are quotes, comments, blank lines or white space of several characters, or where lines differ
    in the number of their columns.
    """
    if not text.strip() or '"' in text or _BEGINNING.search("\n" + text):
        return None
    if delimiter is None and _NOT_BLANKS.search(text):
        return None
    mark = delimiter or " "
    text = text.removesuffix("\n") + "\n"
    code = np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)
    ends = code[(code == ord("\n")) | (code == ord(mark))] == ord("\n") if mark.isascii() else np.empty(0, dtype=bool)
    width = int(np.argmax(ends)) + 1 if len(ends) else 1
    if len(ends) % width or not len(ends) or (ends.reshape(-1, width) != ends[:width]).any():
        return None
    fields = list(map(str.strip, text.replace("\n", mark).split(mark)))
    return [fields[c:-1:width] for c in range(width)]


def _nodes_and_clusters(source, columns):
    columns = _named_columns(source, columns)
    return (None, columns) if len(columns) == 1 else (columns[0], columns[1:])


def _parquet_columns(source):
    table = read_table(source)
    return [[name, *_cells(column)] for name, column in zip(table.column_names, table.columns, strict=True)]


def _cells(column):
    """Yield the cells of a column as text, "" for missing ones; equal cells are one object, as a small file may ask."""
    if column.type.num_fields:  # lists and the like
        yield from map(str, column.to_pylist())
        return
    for chunk in column.dictionary_encode().chunks:
        words = ["" if cell is None else str(cell) for cell in chunk.dictionary.to_pylist()]
        yield from ("" if place is None else words[place] for place in chunk.indices.to_pylist())


def _numpy_columns(source):
    with source.open() as stream:
        try:
            labels = read_array(stream, source.size)
        except FormatError as error:
            raise FormatError(f"the NumPy file cannot be read ({error})") from None
    if labels.ndim not in (1, 2) or labels.dtype.kind not in "iu" or not labels.size:
        raise FormatError(
            f"the NumPy file holds {labels.dtype} of shape {labels.shape}; labels are integers in one dimension, or "
            "two for levels"
        )
    return list(labels.reshape(len(labels), -1).T.astype(np.int64))


def _named_columns(source, columns):
    """Return the columns of nodes and clusters below a header, or all columns where the first line is none."""
    heads, below = [column[0] for column in columns], [column[1:_SAMPLE] for column in columns]
    known = [c for c, head in enumerate(heads) if plain(head) in _CLUSTERS or _LEVEL.fullmatch(head)]
    words = [c for c, head in enumerate(heads) if head[:1].isalpha() and head.lower() not in MISSING]
    by_number = not any(map(is_number, heads)) and any(
        _are_numbers(below[c]) or is_above_codes(heads[c], below[c]) for c in words
    )
    # Labels that are words repeat, and the name of their column is none of them; x and y name classes, too.
    by_repeats = any(heads[c] not in below[c] and len(set(below[c])) < len(below[c]) for c in known if heads[c][1:])
    # A node may have a blank name, too.
    has_index = len(columns) > 1 and any(map(is_index, heads)) and not is_id(heads[-1])
    by_name = known and (len(columns) == 1 or has_index or any(plain(head) in _NODES for head in heads))
    is_counted = len(columns) > 1 and is_count(heads) and not all(map(is_whole, below[0]))
    if not (by_name or by_number or by_repeats or has_index or is_counted):
        return columns
    if len({plain(heads[c]) for c in known} - {"label", "x"}) > 0:  # names of nodes, and a coordinate
        known = [c for c in known if plain(heads[c]) not in ("label", "x")]
    # An index that only counts the rows names no nodes where another column may.
    rest = [c for c, head in enumerate(heads) if not (is_index(head) and len(heads) > 2 and _counts(below[c]))]
    rest = rest or list(range(len(heads)))
    node = min(rest, key=lambda c: (plain(heads[c]) not in _NODES, c in known))
    taken = [c for c in known or rest if c != node]
    if len(columns) == 1:
        return [columns[0][1:]]
    left = [heads[c] for c in rest if c not in (node, *taken) and heads[c] not in _OF_RESULTS]
    if left or not (by_name or has_index or is_counted or source.begins_with(b"PAR1")):  # whose columns have names
        said = (
            f"{', '.join(map(repr, left))} not read" if left else f"{', '.join(map(repr, heads))} are names of columns"
        )
        warn_user(f"{source.name}: {said[:200]}")
    return [columns[c][1:] for c in (node, *taken)]


def _are_numbers(fields):
    """Return whether fields are numbers, some of which may be missing."""
    found = [field for field in fields if field.lower() not in MISSING]
    return bool(found) and all(map(is_number, found))


def _counts(fields):
    return all(map(is_id, fields)) and [int(field) - int(fields[0]) for field in fields] == list(range(len(fields)))


def as_labels(columns):
    """Convert columns to integers if all fields are, else to text; a single column has one dimension.

    Missing labels are -1. Columns of fractions beside labels, as memberships, are no labels.
    """
    labels = [c for c in columns if isinstance(c, np.ndarray) or not _are_fractions(set(c))] or columns
    if len(labels) < len(columns):
        warn_user(f"{len(columns) - len(labels)} of {len(columns)} columns of labels hold fractions, and are not read")
    columns = labels
    if not isinstance(columns[0], np.ndarray):
        try:
            columns = [_integers(column) for column in columns]
        except (ValueError, OverflowError):
            columns = [["-1" if field in _UNKNOWN else field for field in column] for column in columns]
            columns = [as_names(column, len(column)) for column in columns]
    return columns[0] if len(columns) == 1 else np.stack(columns, axis=1)


def _are_fractions(fields):
    return all(map(is_number, fields)) and not all(map(is_whole, fields))


def _integers(column):
    """Return the integers of a column, -1 where one is missing; beside these, tables write integers as floats."""
    fields = list(dict.fromkeys(column))
    if any("_" in field for field in fields):  # Python's own spelling of digits
        raise ValueError
    is_there = [field.lower() not in MISSING for field in fields]
    if not any(is_there) or (not any("." in field for field in fields) and all(is_there)):
        numbers = list(map(int, fields))
    else:
        floats = np.array([float(field) if there else -1.0 for field, there in zip(fields, is_there, strict=True)])
        numbers = whole_numbers(floats, "labels are integers;").tolist()
    number_of = dict(zip(fields, numbers, strict=True))
    return np.fromiter(map(number_of.__getitem__, column), dtype=np.int64, count=len(column))
