"""What a file format is, how a file is to be read, and the checks that formats share: sizes in headers, names."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any

import numpy as np

from ..base.validation import check_choice, check_flag, check_integer
from ..base.warn import warn_user
from ..exceptions import FormatError, ParameterError
from ..graphs.rows import SYMMETRIZE
from ._columns import is_number
from ._source import check_encoding

IDS = ("auto", "integer", "string")
NOT_SQUARE = "an adjacency matrix is square; this one has shape {}; pass bipartite=True if its columns are other nodes"

# So many nodes cost little; beyond, most of them should have edges.
_FEW_NODES = 1 << 20
_NODES_PER_EDGE = 32
# What no text has (files with control characters are taken for binary ones), and halves of characters.
_UNFIT = re.compile("[\0-\x08\r\x0e-\x19\x1b-\x1f\ud800-\udfff]")
# A longer field is refused by readers of tables, Python's among them.
_MAX_LENGTH = 131_072
# Entries of the matrix that are written at once.
_PIECE = 1 << 16
_FORMULA = "=+-@\t\r"
# Options that say how text is split into columns, and of edge lists alone.
LAYOUT = ("delimiter", "comments", "header")
EDGE_OPTIONS = (*LAYOUT, "columns", "ids", "count_repeats")
# What a file has no use for that holds a graph without directions.
UNDIRECTED_IDLE = (*EDGE_OPTIONS, "symmetrize")


@dataclass(frozen=True)
class Format:
    """One way to write a graph down: what its file gives to ``formats.FORMATS``, which is all that others ask."""

    name: str
    suffixes: tuple[str, ...] = ()  # endings that mean it, unless the content says something else
    also_read: tuple[str, ...] = ()  # endings that mean it in files that are read
    sniff: Callable[[Any], bool] = lambda source: False  # whether the first bytes of a Source say that it is this
    read: Any = None  # read(source, reading): a Graph
    write: Any = None  # write(graph, binary stream), where `attributes` are taken with them as the third argument
    edges: Any = None  # edges(source, reading, memory): blocks of edges to build from, as TextEdges has them
    is_text: bool = True
    names: bool = True  # whether it holds names of nodes
    isolated: bool = True  # whether it holds nodes without an edge
    bipartite: bool = False  # whether `read` knows of two kinds of nodes
    attributes: bool = False  # whether `write` takes columns of values of the nodes
    idle: tuple[str, ...] = EDGE_OPTIONS  # fields of a Reading that `read` has no use for


@dataclass(frozen=True)
class Reading:
    """How a file is to be read: the options of :func:`graphcore.read_graph`, checked."""

    delimiter: str | None = None
    comments: str | Sequence[str] = ("#", "%")
    header: bool | None = None
    columns: tuple[int, int] = (0, 1)
    weight_column: int | str | None = "auto"
    ids: str = "auto"
    encoding: str = "utf-8"
    symmetrize: str = "max"
    bipartite: bool = False
    count_repeats: bool = False
    declared: bool = False  # whether the format was named, so that nothing else is made of the content

    def __post_init__(self):
        """Raise a ParameterError for what is no option."""
        columns, weight_column = self.columns, self.weight_column
        check_delimiter(self.delimiter)
        if not all(isinstance(mark, str) and mark for mark in self.marks):
            raise ParameterError(f"comments={self.comments!r} must be strings that begin a comment, like ('#', '%')")
        if self.header not in (None, True, False):
            raise ParameterError(f"header={self.header!r} must be True, False or None (guess)")
        if np.ndim(columns) != 1 or len(columns) != 2 or columns[0] == columns[1]:
            raise ParameterError(
                f"columns={columns!r} must be the two different positions of the end nodes, like (0, 1)"
            )
        for column in columns:
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
        """What begins a comment, as a tuple."""
        several = isinstance(self.comments, (list, tuple, type(None)))
        return tuple(self.comments or ()) if several else (self.comments,)

    @property
    def weighted(self):
        """Whether weights are read, of a format that has one place for them."""
        return check_choice("weight_column", self.weight_column, ("auto", None)) is not None

    def warn_of_idle(self, names, kind):
        """Warn of fields among these names that somebody gave: files of this kind are read without them."""
        values = {f: repr(getattr(self, f.name)) for f in fields(self) if f.name in names}
        idle = [f"{f.name}={value}" for f, value in values.items() if value != repr(f.default)]
        if idle:
            warn_user(f"{', '.join(idle)} {'does' if len(idle) == 1 else 'do'} nothing here: this is a {kind} file")


def check_delimiter(delimiter):
    """Raise a ParameterError for what splits no line into columns."""
    one = isinstance(delimiter, str) and len(delimiter) == 1 and delimiter not in "\r\n"
    if delimiter not in (None, "whitespace") and not one:
        raise ParameterError(f"delimiter={delimiter!r} must be one character, 'whitespace' or None (guess)")


def header_sizes(words):
    """The integers that words (text or bytes) of a header are, or None if one is none or has more than 18 digits."""
    fit = all(word.isdigit() and word.isascii() and len(word) <= 18 for word in words)
    return [int(word) for word in words] if fit else None


def check_node_count(n_nodes, n_edges, any_size):
    """Refuse a number of nodes, as a header states it, that so many edges do not make plausible."""
    if n_nodes >= 2**31:
        raise FormatError(f"the header says {n_nodes} nodes; there can be less than 2**31")
    if not any_size and n_nodes > max(_FEW_NODES, _NODES_PER_EDGE * n_edges):
        raise FormatError(
            f"the header says {n_nodes} nodes, but there are only {n_edges} edges; pass any_size=True (--any-size) if "
            "so many nodes without an edge are meant"
        )


def check_entry_count(n_entries, n_found):
    """Refuse a body of other length than its header says."""
    if n_found != n_entries:
        short = "Truncated: " if n_found < n_entries else ""
        raise FormatError(f"{short}the header promises {n_entries} entries, but there are {n_found}")


def row_pieces(graph):
    """Yield (first, last) of rows that are written at once: about so many entries, however many rows there are."""
    borders = np.searchsorted(graph.indptr, np.arange(0, graph.n_entries, _PIECE))
    yield from pairwise(np.unique(np.append(borders, [0, graph.n_nodes])).tolist())


def first_unfit(names):
    """The first of some names that a text file cannot hold, or that no reader would take; None if there is none."""
    if isinstance(names, np.ndarray) and names.dtype.kind in "iu":
        return None
    names = list(map(str, names))
    if max(map(len, names), default=0) <= _MAX_LENGTH and _UNFIT.search("".join(names)) is None:
        return None
    return next(name for name in names if len(name) > _MAX_LENGTH or _UNFIT.search(name))


def unfit_reason(names):
    """Why a text file cannot hold some names, as the beginning of a message; None if it can."""
    unfit, seen = first_unfit(names), {}
    if unfit is not None:
        return f"node name {unfit!r} has characters that no text file holds, or too many"
    if isinstance(names, np.ndarray) and names.dtype.kind in "iu":
        return None
    for name in map(str, names):
        if (twin := seen.setdefault(name.strip(), name)) != name:
            return f"node names {twin!r} and {name!r} differ in blanks only, which no reader of text keeps"
    return None


def text_of_names(names):
    """An array of objects as text; numpy itself would take tuples for rows."""
    return np.array(list(map(str, names.tolist())), dtype=str)


def without_formula(name):
    """A cell's text that no spreadsheet computes: what would be a formula, and is no number, gets a ' in front."""
    text = str(name)
    return f"'{text}" if text.startswith(tuple(_FORMULA)) and not is_number(text) else name


def without_mark(text):
    """The name that `without_formula` has put a ' in front of; others as they are."""
    return text[1:] if text.startswith(tuple(f"'{mark}" for mark in _FORMULA)) else text
