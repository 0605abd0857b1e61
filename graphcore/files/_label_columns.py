"""The columns of a file of labels: nodes, and the clusters of one level or several."""

from itertools import chain

import numpy as np

from ..exceptions import FormatError, warn_user
from ..graphs.columns import is_index, plain
from ..graphs.ids import as_names, whole_numbers
from ..graphs.nodes import ID_NAMES, NAME_NAMES
from ._columns import MISSING, is_id
from ._dialect import numbered_lines, read_columns, split_line
from .npz import read_array

_NODES = {plain(name) for name in (*ID_NAMES, *NAME_NAMES)} - {"", "label"}
_CLUSTERS = frozenset([
    "cluster", "clusters", "clusterid", "label", "labels", "community", "communityid", "group", "class", "module",
    "partition", "membership", "modularityclass", "category", "block", "truth", "y",
])  # fmt: skip
# Lines that are looked at for a header.
_SAMPLE = 200


def read_label_columns(source, delimiter, encoding):
    """Return (nodes or None, columns of clusters) as lists of text; clusters of a NumPy file are int64 arrays."""
    if source.head.startswith(np.lib.format.MAGIC_PREFIX):
        return None, _numpy_columns(source)
    source.require_text(encoding)
    with source.text(encoding) as text:
        lines = ((n, line) for n, line in numbered_lines(text) if line.strip() and line.lstrip()[0] not in "#%")
        first = next(lines, None)
        if first is None:
            raise FormatError("there are no labels: every line is blank or a comment")
        if delimiter is None:  # the first line should have two columns
            marks = [mark for mark in "\t,;" if mark in first[1].strip()]
            two = [mark for mark in marks if len(split_line(first[1], mark, '"' in first[1])) == 2]
            delimiter = (*two, *marks, "whitespace")[0]
        columns = read_columns(chain([first], lines), None if delimiter == "whitespace" else delimiter)
    columns = _named_columns(source, columns)
    return (None, columns) if len(columns) == 1 else (columns[0], columns[1:])


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
    known = [c for c, head in enumerate(heads) if plain(head) in _CLUSTERS]
    # Beside another, a label is the name of the node.
    known = [c for c in known if len(known) == 1 or plain(heads[c]) != "label"]
    words = [c for c, head in enumerate(heads) if head[:1].isalpha() and head.lower() not in MISSING]
    nodes = [c for c in words if plain(heads[c]) in _NODES]
    by_number = below[0] and any(all(map(is_id, below[c])) for c in words)
    by_name = (known and (len(columns) == 1 or nodes)) or (nodes and by_number)
    if not (by_name or by_number):
        return columns
    if len(columns) == 1:
        return [columns[0][1:]]
    # An index without a name has the nodes, unless another column is called so.
    rest = [c for c, head in enumerate(heads) if not (nodes and is_index(head))]
    node = (nodes or rest)[0]
    taken = [c for c in known or rest if c != node]
    left = [heads[c] for c in rest if c not in (node, *taken)]
    if left or not by_name:
        said = (
            f"{', '.join(map(repr, left))} not read" if left else f"{', '.join(map(repr, heads))} are names of columns"
        )
        warn_user(f"{source.name}: {said[:200]}")
    return [columns[c][1:] for c in (node, *taken)]


def as_labels(columns):
    """Convert columns to integers if all fields are, else to text; a single column has one dimension."""
    if not isinstance(columns[0], np.ndarray):
        try:
            columns = [_integers(column) for column in columns]
        except (ValueError, OverflowError):
            columns = [as_names(column, len(column)) for column in columns]
    return columns[0] if len(columns) == 1 else np.stack(columns, axis=1)


def _integers(column):
    """Return the integers of a column, -1 where one is missing; beside these, tables write integers as floats."""
    if any("_" in field for field in column):  # Python's own spelling of digits
        raise ValueError
    is_there = [field.lower() not in MISSING for field in column]
    if all(is_there) or not any(is_there):
        return np.array(list(map(int, column)), dtype=np.int64)
    numbers = np.array([float(field) if there else -1.0 for field, there in zip(column, is_there, strict=True)])
    return whole_numbers(numbers, "labels are integers;")
