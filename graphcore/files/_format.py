"""The record of a file format, the options of reading, and checks that formats share: sizes in headers, names."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any

import numpy as np

from ..base.validation import check_choice, check_flag, check_integer, refused
from ..exceptions import FormatError, ParameterError, warn_user
from ..graphs.rows import SYMMETRIZE
from ._fields import is_number
from ._source import check_encoding, check_size

IDS = ("auto", "integer", "string")
NOT_SQUARE = "an adjacency matrix is square; this one has shape {}; pass bipartite=True if its columns are other nodes"

# A header may state this number of nodes without asking; above it, there must be an edge for every 32 nodes.
_FEW_NODES = 1 << 20
_NODES_PER_EDGE = 32
# Characters that no text file holds: control characters, by which binary files are recognised, and surrogates.
_UNFIT = re.compile("[\0-\x08\r\x0e-\x19\x1b-\x1f\ud800-\udfff]")
# A longer field is refused by readers of tables, Python's among them.
_MAX_LENGTH = 131_072
# Entries of the matrix that are written at once.
_PIECE = 1 << 16
_FORMULA = "=+-@\t\r"
# Memory from which on blocks of edges have their largest size.
FULL_MEMORY = 1 << 30
# Options of splitting text into columns, and options of edge lists alone.
LAYOUT = ("delimiter", "comments", "header")
EDGE_OPTIONS = (*LAYOUT, "columns", "ids", "count_repeats")
# Options without effect on a file that holds an undirected graph.
UNDIRECTED_IDLE = (*EDGE_OPTIONS, "symmetrize")


@dataclass(frozen=True)
class Format:
    """A file format: its name, endings, reader and writer, as ``formats.FORMATS`` lists them."""

    name: str
    suffixes: tuple[str, ...] = ()  # endings of its files, where the content is of no other format
    also_read: tuple[str, ...] = ()  # endings of its files that are read, but not written
    sniff: Callable[[Any], bool] = lambda source: False  # whether the first bytes of a Source are of this format
    read: Any = None  # read(source, reading): a Graph
    write: Any = None  # write(graph, binary stream), where `attributes` are taken with them as the third argument
    edges: Any = None  # edges(source, reading, memory): blocks of edges for a store, with the attributes of TextEdges
    is_text: bool = True
    names: bool = True  # whether it holds names of nodes
    isolated: bool = True  # whether it holds nodes without an edge
    bipartite: bool = False  # whether `read` supports bipartite graphs
    attributes: bool = False  # whether `write` takes columns of values of the nodes
    idle: tuple[str, ...] = EDGE_OPTIONS  # fields of a Reading without effect on `read`


@dataclass(frozen=True)
class Reading:
    """How a file is to be read: the options of :func:`graphcore.read_graph`, checked."""

    delimiter: str | None = None
    comments: str | Sequence[str] = ("#", "%")
    header: bool | None = None
    columns: tuple[int | str, int | str] | None = None
    weight_column: int | str | None = "auto"
    ids: str = "auto"
    encoding: str = "utf-8"
    symmetrize: str = "max"
    bipartite: bool = False
    count_repeats: bool = False
    declared: bool = False  # whether the caller named the format, so that the content is not checked for another one

    def __post_init__(self):
        """Raise a ParameterError for an invalid option."""
        columns, weight_column = self.columns, self.weight_column
        check_delimiter(self.delimiter)
        if not all(isinstance(mark, str) and mark for mark in self.marks):
            raise ParameterError(f"comments={self.comments!r} must be strings that begin a comment, like ('#', '%')")
        if self.header not in (None, True, False):
            raise ParameterError(f"header={self.header!r} must be True, False or None (guess)")
        if columns is not None:
            if isinstance(columns, str) or np.ndim(columns) != 1 or len(columns) != 2 or columns[0] == columns[1]:
                raise ParameterError(
                    f"columns={columns!r} must be the two different columns of the ends, by number or name, as (0, 1)"
                )
            for column in columns:
                if not isinstance(column, str):
                    check_integer("columns", column, low=0)
        if weight_column is not None and not isinstance(weight_column, str):
            check_integer("weight_column", weight_column, low=0)
        check_choice("ids", self.ids, IDS)
        check_choice("symmetrize", self.symmetrize, SYMMETRIZE)
        check_flag("bipartite", self.bipartite)
        check_flag("count_repeats", self.count_repeats)
        check_encoding(self.encoding)

    @property
    def marks(self):
        """The comment markers, as a tuple."""
        several = isinstance(self.comments, (list, tuple, type(None)))
        return tuple(self.comments or ()) if several else (self.comments,)

    @property
    def weighted(self):
        """Whether weights are read, for a format with one place for them."""
        if self.weight_column not in ("auto", None):
            raise refused(
                "weight_column", self.weight_column, "names a column, and this file has none: it holds weights in one "
                "place, or not at all; leave the option out, or pass weight_column=None for no weights"
            )  # fmt: skip
        return self.weight_column is not None

    def warn_of_idle(self, names, kind):
        """Warn of options among these names that were given but have no effect on files of this kind."""
        values = {f: repr(getattr(self, f.name)) for f in fields(self) if f.name in names}
        idle = [f"{f.name}={value}" for f, value in values.items() if value != repr(f.default)]
        if idle:
            warn_user(f"{', '.join(idle)} {'does' if len(idle) == 1 else 'do'} nothing here: this is a {kind} file")


def check_delimiter(delimiter):
    """Raise a ParameterError for an invalid delimiter."""
    one = isinstance(delimiter, str) and len(delimiter) == 1 and delimiter not in "\r\n"
    if delimiter not in (None, "whitespace") and not one:
        raise ParameterError(f"delimiter={delimiter!r} must be one character, 'whitespace' or None (guess)")


def header_sizes(words):
    """Parse words (text or bytes) of a header as integers; None if one is none or has more than 18 digits."""
    fit = all(word.isdigit() and word.isascii() and len(word) <= 18 for word in words)
    return [int(word) for word in words] if fit else None


def check_node_count(n_nodes, n_edges, any_size):
    """Refuse a number of nodes in a header that is implausible for the number of edges."""
    if n_nodes >= 2**31:
        raise FormatError(f"the header says {n_nodes} nodes; there can be less than 2**31")
    said = f"the header says {n_nodes} nodes, but there are only {n_edges} edges"
    check_size(n_nodes, _NODES_PER_EDGE * n_edges, _FEW_NODES, said, any_size)


def block_size(largest, memory):
    """Return the size of blocks that are read at once, `largest` from FULL_MEMORY on and less in proportion below."""
    return max(1, min(largest, largest * memory // FULL_MEMORY))


def check_entry_count(n_entries, n_found):
    """Refuse a body with another number of entries than its header states."""
    if n_found != n_entries:
        short = "Truncated: " if n_found < n_entries else ""
        raise FormatError(f"{short}the header promises {n_entries} entries, but there are {n_found}")


def row_pieces(graph):
    """Yield (first, last) of rows that are written at once, with about `_PIECE` entries each."""
    borders = np.searchsorted(graph.indptr, np.arange(0, graph.n_entries, _PIECE))
    yield from pairwise(np.unique(np.append(borders, [0, graph.n_nodes])).tolist())


def first_unfit(names):
    """Return the first name that a text file cannot hold or that readers refuse; None if there is none."""
    names = list(map(str, names))
    if max(map(len, names), default=0) <= _MAX_LENGTH and _UNFIT.search("".join(names)) is None:
        return None
    return next(name for name in names if len(name) > _MAX_LENGTH or _UNFIT.search(name))


def unfit_reason(names):
    """Return the reason why a text file cannot hold some names, as the beginning of a message; None if it can."""
    if isinstance(names, np.ndarray) and names.dtype.kind in "iu":
        return None
    unfit, seen = first_unfit(names), {}
    if unfit is not None:
        return f"node name {unfit!r} has characters that no text file holds, or too many"
    for name in map(str, names):
        if (twin := seen.setdefault(name.strip(), name)) != name:
            return f"node names {twin!r} and {name!r} differ in blanks only, which no reader of text keeps"
    return None


def text_of_names(names):
    """Convert an array of objects to text; numpy itself would take tuples for rows."""
    return np.array(list(map(str, names.tolist())), dtype=str)


def without_formula(name):
    """Return the text of a cell, with a ' in front where a spreadsheet would compute it as a formula."""
    text = str(name)
    return f"'{text}" if text.startswith(tuple(_FORMULA)) and not is_number(text) else name


def without_mark(text):
    """Remove the ' that `without_formula` puts in front of a name."""
    return text[1:] if text.startswith(tuple(f"'{mark}" for mark in _FORMULA)) else text
