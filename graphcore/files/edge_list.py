"""Edge lists: one edge a line, as SNAP, networkx and spreadsheets write them; read by blocks, and written.

The first lines tell the delimiter, whether there is a header, and which columns hold the ends and the weight; whatever
else a file has is said by the options of a `Reading`.
"""

import contextlib
import csv
import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise

import numpy as np

from ..base.progress import note, record
from ..base.validation import check_choice, check_flag, check_integer, refused
from ..exceptions import FormatError, InputError, ParameterError, warn_user
from ..graphs.columns import (
    MISSING_NAMES,
    TWO_KINDS,
    doubtful_names,
    edge_columns,
    is_index,
    is_time,
    left_out,
    no_edges,
    two_kinds,
)
from ..graphs.columns import weight_column as find_weight
from ..graphs.from_edges import compact_ids, graph_from_ends
from ..graphs.graph import Graph
from ..graphs.numbering import Numbering, integers_of, text_of
from ..graphs.rows import SYMMETRIZE, counted
from .atomic import as_text
from .source import check_encoding
from .text import (
    MISSING,
    check_delimiter,
    first_unfit,
    is_id,
    is_number,
    plain_columns,
    refuse_unfit,
    sample_lines,
    split_line,
)

# Memory from which on blocks of edges have their largest size.
FULL_MEMORY = 1 << 30
# Characters that are parsed at once, at most; parsing takes some fifty bytes for each.
CHUNK = 1 << 18
# Entries of the matrix that are written at once.
_PIECE = 1 << 16
# Lines with more numeric columns than these beside the ends are more likely vectors than edges.
_MANY = 3
# Lines of numbers, as many as columns, that are more likely a matrix than edges even where it is not symmetric.
_MANY_ENDS = 5
# Numbers above this are taken for times, in seconds (since 1973) or parts of them since 1970, and not for weights.
_TIME = 1e8
# Dates, perhaps with the time of the day, and this time alone; they are no nodes.
_DATE = re.compile(r"\d{4}([-/])\d\d?\1\d\d?([T ]\d\d?:.*)?|\d\d?:\d\d:\d\d([.,]\d+)?")
# A header may state this number of nodes without asking; above it, there must be an edge for every 32 nodes.
_FEW_NODES, _NODES_PER_EDGE = 1 << 20, 32
# The comment in which write_graph notes the number of nodes and the kind of ids, so that its files read back the same.
_OWN = re.compile(r"# graphcore edge list; nodes: (\d{1,18}|named); ids: (integer|string); weights: (yes|no)")
OR_SKIP = "; on_bad_lines='skip' (graphcore convert --on-bad-lines skip) leaves out such lines"
_COMMENT = "a comment, though it has the columns of an edge; pass comments=() (--comments '') to read such lines"


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
    count_repeats: bool = False
    on_bad_lines: str = "error"
    declared: bool = False  # whether the caller named the format, so that lines need not look like edges

    def __post_init__(self):
        """Raise a ParameterError for an invalid option."""
        columns, weight_column = self.columns, self.weight_column
        check_delimiter(self.delimiter)
        if not all(isinstance(mark, str) and mark for mark in self.marks):
            raise ParameterError(f"comments={self.comments!r} must be strings that begin a comment, like ('#', '%')")
        if not isinstance(self.header, (bool, type(None))):
            raise ParameterError(f"header={self.header!r} must be True, False or None (guess)")
        if columns is not None:
            if not isinstance(columns, (tuple, list)) or len(columns) != 2 or columns[0] == columns[1]:
                raise ParameterError(
                    f"columns={columns!r} must be the two different columns of the ends, by number or name, as (0, 1)"
                )
            for column in columns:
                if not isinstance(column, str):
                    check_integer("columns", column, low=0)
        if weight_column is not None and not isinstance(weight_column, str):
            check_integer("weight_column", weight_column, low=0)
        check_choice("ids", self.ids, ("auto", "integer", "string"))
        check_choice("symmetrize", self.symmetrize, SYMMETRIZE)
        check_flag("count_repeats", self.count_repeats)
        check_choice("on_bad_lines", self.on_bad_lines, ("error", "skip"))
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

    def refuse_for(self, kind, *others):
        """Raise a ParameterError for an option given that files of this kind, which are no lists of edges, ignore."""
        for name in ("delimiter", "header", "columns", "ids", "count_repeats", "on_bad_lines", *others):
            if getattr(self, name) != getattr(Reading, name):
                raise refused(name, getattr(self, name), f"does not apply to {kind}, read as it is; leave it out")


# -- columns -----------------------------------------------------------------------------------------------------------


def choose_columns(names, values, numeric, reading, idle=(), times=()):
    """Return (positions of the two ends, that of the weight or None, notes) of a table of edges, text or Parquet.

    `names` are those of its columns, or their numbers where there is no header; `values` what the first rows hold, as
    text; `numeric` are positions of columns that may be weights, `idle` of those that hold nothing, and `times` of
    those whose type says that they are no nodes.
    """
    index, named, doubts = [c for c, name in enumerate(names) if is_index(name)], edge_columns(names), []
    dates = {*times} | {c for c, fields in enumerate(values) if hold(fields, _DATE.fullmatch)}
    times = dates | {c for c in numeric if hold(values[c], _is_time) and find_weight([names[c]]) is None}
    is_headed = any(isinstance(name, str) for name in names)
    numeric = [c for c in numeric if is_headed or c not in times]
    if reading.columns is not None:
        ends = tuple(_place(column, names, "columns") for column in reading.columns)
    elif named is not None:
        ends = tuple(map(names.index, named))
    else:
        stated = find_weight([names[c] for c in numeric]) if reading.weight_column == "auto" else reading.weight_column
        others = {*index, *dates, _place(stated, names, "weight_column")}
        nodes = [c for c, name in enumerate(names) if c not in others and not is_time(name)]
        ends = tuple(nodes[:2])
        if len(nodes) > 2:
            ends, doubts = _ends_by_values(values, names, nodes[:3], times)
            idle = {*idle, *(c for c in {*nodes[:2]} - {*ends, *numeric} if len(set(values[c])) == 1)}
    if len(names) < 2:
        raise FormatError(
            f"the first lines have {len(names)} column, and edges have two ends; pass delimiter= if there is another "
            "mark between the columns"
        )
    if len(ends) < 2:
        there = "only column " + repr(names[ends[0]])[:80] if ends else "no column"
        raise FormatError(
            f"{there} may hold nodes, as others are times, weights or an index ({', '.join(map(str, names))[:80]}); "
            "edges have two ends: pass columns= (--columns) to say which they are"
        )
    if reading.columns is None and not reading.declared and no_edges(*(names[c] for c in ends)):
        raise FormatError(no_edges(*(names[c] for c in ends)))
    weight = reading.weight_column
    if weight != "auto":
        weight = _place(weight, names, "weight_column")
        if weight in ends:
            raise ParameterError(f"weight_column={reading.weight_column!r} is a column of the ends, {ends}")
        return ends, weight, doubts
    if {*numeric} - {*times, *ends}:  # SNAP writes the time of an edge after its weight
        idle = {*idle, *times}
    others = [c for c in range(len(names)) if c not in (*ends, *index, *idle)]
    numeric = [c for c in numeric if c in others]
    if is_headed:
        found = find_weight([names[c] for c in numeric])
        weight = None if found is None else names.index(found)
    else:
        weight = numeric[0] if len(numeric) == len(others) == 1 else None
    unread = [c for c in others if c != weight]
    if not unread:
        return ends, weight, doubts
    hint = ""
    if len(unread) > _MANY and len(numeric) == len(others):
        hint = " (if the rows are vectors, use knn_graph, or --vectors)"
    elif named is None and reading.columns is None and not doubts:
        hint = f" (columns {names[ends[0]]!r} and {names[ends[1]]!r} are taken for the ends; pass columns= for others)"
    chosen = None if weight is None else names[weight]
    offered = [names[c] for c in numeric if c != weight]
    return ends, weight, [left_out([names[c] for c in unread], "weight_column", offered, hint, chosen), *doubts]


def hold(fields, is_one):
    """Return whether these fields, missing ones aside, are all of one kind."""
    there = [field for field in fields if field.lower() not in MISSING]
    return bool(there) and all(map(is_one, there))


def _is_time(field):
    """Return whether a field may be a time in seconds, perhaps with a fraction, or in parts of seconds; or a year."""
    number = float(field) if is_number(field) else math.nan
    is_whole = number.is_integer()
    return (number >= _TIME and (number <= 2**32 or is_whole)) or (is_whole and 1900 <= number <= 2100)


def _ends_by_values(values, names, places, times):
    """Return the two of these three columns that share nodes, if the first two do not; and notes.

    That is sure where these nodes are no numbers, or where the other column holds times, or one word or sign, as
    1 -> 2 has. Otherwise a note asks, as numbers may be ratings, and a table whose columns have names is refused.
    """
    first, second, third = places
    if set(values[first]) & set(values[second]):
        return (first, second), []
    one = next((c for c in (second, first) if len(set(values[c])) == 1 and not is_number(values[c][0])), None)
    shared = [len(set(values[c]) & set(values[third])) for c in (first, second)]
    if any(shared):
        end, other = (second, first) if shared[1] > shared[0] else (first, second)
        is_sure = other in {one, *times} or not any(map(is_number, (*values[end], *values[third])))
    elif one is not None and re.search(r"\w", values[one][0]) is None:
        end, other, is_sure = first + second - one, one, True
    else:
        return (first, second), []
    ends, usual = (names[end], names[third]), (names[first], names[second])
    # Where it has a name, parts of one table have one note.
    what = "what" if isinstance(names[other], str) else f"{values[other][0][:40]!r} and the like, which"
    taken = "the ends are" if is_sure else f"pass columns={ends} if the ends are"
    said = f"column {names[other]!r} holds {what} no other column holds; {taken} columns {ends}"
    if not is_sure:
        if isinstance(names[other], str):
            raise FormatError(f"{said}, and columns={usual} if not")
        return (first, second), [said]
    return (end, third), [f"{said}; pass columns={usual} if it is a node"]


def _place(column, names, parameter):
    """Return the position of a column that is given by its name, in any case, or by its position; None stays None."""
    if not isinstance(column, str):
        if column is not None and column >= len(names):
            raise FormatError(f"the first lines have {len(names)} columns; {parameter}={column} counts from 0")
        return column
    if not any(isinstance(name, str) for name in names):
        raise ParameterError(
            f"{parameter}={column!r} is a name, and the file has no header with it; give its number, from 0"
        )
    wanted = column.strip()
    found = [c for same in (str, str.lower) for c, name in enumerate(names) if same(name) == same(wanted)]
    if not found:
        raise ParameterError(f"{parameter}={column!r} is no column; there are {', '.join(map(repr, names))}")
    return found[0]


# -- the dialect of a file ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Dialect:
    """The parameters by which all lines of an edge list are read."""

    delimiter: str | None  # None is any white space
    quoted: bool
    comments: tuple
    skip: int  # physical lines before the first edge
    columns: tuple  # positions of the ends
    weight: int | None  # that of the weight
    integer: bool  # whether ids are integers, and no names
    are_told: bool  # whether the caller gave the columns
    width: int  # columns of the first lines
    called: tuple  # names of the columns that are read, or their numbers
    n_nodes: int | None  # as write_graph notes it in a comment
    encoding: str
    notes: list

    @property
    def used(self):
        """Positions of the columns that are read."""
        return [*self.columns, *([] if self.weight is None else [self.weight])]

    def split(self, line):
        """Return the fields of a line."""
        return split_line(line, self.delimiter, self.quoted)


def _guess_dialect(source, reading):
    """Guess the _Dialect of a Source from its first 200 lines, beyond the values that the Reading gives.

    Lines that do not look like edges are refused, unless the caller declares the format or the columns.
    """
    with source.text(reading.encoding, errors="replace") as text:  # comments may hold anything
        numbered, remarks = sample_lines(text, reading.marks)
    no_comment = "; pass comments=() (--comments '') to read the lines that are taken for comments" if remarks else ""
    if not numbered:
        raise FormatError(f"there are no edges: every line is blank or a comment{no_comment}")
    lines = [line for _, line in numbered]
    own = next(filter(None, map(_OWN.fullmatch, remarks)), None)
    if own and "\t" in lines[0]:  # files of write_graph with commas have a header
        reading = _as_written(own, reading)
    header, ids = reading.header, reading.ids
    asked = [c for c in reading.columns or (0, 1) if isinstance(c, int)]
    delimiter = _guess_delimiter(lines, reading.delimiter, asked, source.suffix)
    # In CSV a " is a quote; with tabs and white space it is one only where some field begins with it.
    begins = any(field[:1] == '"' for line in lines if '"' in line for field in split_line(line, delimiter, False))
    quoted = delimiter in (",", ";") or begins
    rows = [split_line(line, delimiter, quoted) for line in lines]
    if header is None:
        words = [c for c in (*(reading.columns or ()), reading.weight_column) if isinstance(c, str) and c != "auto"]
        heads = {field.lower() for field in rows[0]}
        header = bool(words) and all(word.strip().lower() in heads for word in words)
        header = header or _is_header(rows[0], rows[1:], asked)
    is_count = rows[0] == [str(c) for c in range(len(rows[0]))]
    names = rows[0] if header and not is_count else list(range(max(map(len, rows))))
    rows = rows[1:] if header else rows
    if header and rows and all(len(row) == len(names) + 1 for row in rows):  # R writes no name above names of rows
        names = ["", *names] if any(row[-1] for row in rows) else [*names, ""]
    if not rows:
        raise FormatError(
            "there are no edges: only a header line; leave the file out, or pass header=False if it is an "
            f"edge{no_comment}"
        )
    values = [[row[c] for row in rows if c < len(row)] for c in range(len(names))]
    # {} is how networkx writes an edge without attributes: nothing is lost with it.
    empty = {c for c, fields in enumerate(values) if {*fields} <= {"", "{}"}}
    numeric = [c for c, fields in enumerate(values) if c not in empty and _are_numbers(fields)]
    if not reading.declared and reading.columns is None:
        _refuse_matrix(names, rows)
    columns, weight, notes = choose_columns(names, values, numeric, reading, empty)
    if max(columns) < len(values):
        notes += notes_on_ends([values[c] for c in columns], [names[c] for c in columns], reading)
    ends = [tuple(row[c] for c in columns) for row in rows if max(columns) < len(row)]
    if ids == "auto":  # numbers if nine of ten are, so that others are errors
        share = 0.9 if len(rows) >= 10 else 1
        ids = "integer" if sum(map(is_id, chain(*ends))) >= share * 2 * len(ends) else "string"
    called = tuple(names[c] for c in (*columns, weight) if c is not None)
    dialect = _Dialect(
        delimiter, quoted, reading.marks, numbered[0][0] - (not header), columns, weight, ids == "integer",
        reading.columns is not None, len(names), called, int(own[1]) if own and own[1] != "named" else None,
        reading.encoding, notes,
    )  # fmt: skip
    if ids == "string" and reading.ids == "auto":
        for name, side in zip(called, zip(*ends, strict=True), strict=False):
            there = [field for field in side if field.lower() not in MISSING]
            if there and all(re.search("[.eE]", one) and is_number(one) and float(one) % 1 == 0 for one in there):
                raise FormatError(
                    f"column {name!r} holds {there[0]!r} and the like, whole numbers as pandas writes them where a "
                    "value was missing; write integers (astype('int64')), or pass ids='string' (--ids string) for names"
                )
        mixed = [side for side in zip(*ends, strict=True) if 2 * sum(map(is_id, side)) > len(side)]
        odd = next((name for side in mixed for name in side if not is_id(name) and not is_number(name)), None)
        if odd is not None:
            notes.append(f"a node is called {odd[:40]!r} among integers; leave its line out if it is none")
    notes += _doubts_of_comments(remarks, ends, dialect, reading.declared)
    return dialect


def _doubts_of_comments(remarks, ends, dialect, is_declared):
    """Return a note on a comment that may be an edge of names, and refuse nodes in comments above their neighbours."""
    said, nodes = [remark[1:].split() for remark in remarks], set(chain(*ends))
    if not is_declared and all(len(words) == 1 for words in said) and any(word in nodes for (word,) in said):
        raise FormatError(
            "these seem to be lists of neighbours below lines of # and a node; igraph.Graph.Read_Lgl(path) reads LGL, "
            "for Graph.from_igraph; or pass format='edgelist' if lines with # are comments"
        )
    for remark in () if dialect.integer else remarks:
        row, weight = dialect.split(remark), dialect.weight
        if len(row) == dialect.width and not remark[1:2].isspace() and (weight is None or is_number(row[weight])):
            return [f"{remark[:40]!r} is {_COMMENT}"]
    return []


def _as_written(own, reading):
    """Return the Reading of a file with tabs that write_graph has written, by its comment, a match of _OWN."""
    weight_column = (2 if own[3] == "yes" else None) if reading.weight_column == "auto" else reading.weight_column
    return replace(
        reading, delimiter=reading.delimiter or "\t", header=bool(reading.header), columns=reading.columns or (0, 1),
        weight_column=weight_column, ids=own[2] if reading.ids == "auto" else reading.ids, declared=True,
    )  # fmt: skip


def _guess_delimiter(lines, given, columns, suffix):
    """Return the delimiter that makes the ids integers in all lines but the first, else one with enough columns."""
    if given is not None:
        return None if given == "whitespace" else given
    marks, last = ("\t", ";", ",", None) if suffix != ".csv" else (",", ";", "\t", None), max(columns, default=1)
    if all("|" in line and ("|" in line.split() or len(line.split()) == 1) for line in lines):
        marks = ("|", *marks)
    split = {mark: [split_line(line, mark, mark is not None) for line in lines] for mark in marks}
    wide = [mark for mark in marks if all(len(row) > last for row in split[mark])]
    for mark in wide:
        if all(is_id(row[c]) for row in split[mark][1:] or split[mark] for c in columns):
            return mark
    # A mark that parts all lines alike into more fields than others, of which 1,5 has one between them.
    even = [mark for mark in wide if mark and len({*map(len, split[mark])}) == 1]
    if even:
        return max(even, key=lambda mark: len(split[mark][0]))
    # If some line is short whatever the delimiter, the error is to name it by the one that suits most lines.
    return wide[0] if wide else max(reversed(marks), key=lambda mark: sum(len(row) > last for row in split[mark]))


def _is_header(first, rest, columns):
    """Return whether the first line names the columns; `columns` are those of the ends as far as they are known.

    It does if it has names of ends, or leaves out the name of an index, or has words above numbers, or counts the
    columns above names, as pandas does.
    """
    named = edge_columns(first)
    if named is not None:  # u and v, or gene1 and gene2, may be nodes
        is_sure = len(named[0]) > 1 and edge_columns(first, certain=True) is not None
        return is_sure or not any(end in row for row in rest for end in named)
    index = [c for c, name in enumerate(first) if is_index(name) and all(c < len(row) and row[c] for row in rest)]
    if (0 < len(index) < len(first)) or (len(first) > 1 and no_edges(*first[:2])):
        return True
    ends = [row[c] for row in rest for c in columns if c < len(row)]
    if first == [str(c) for c in range(len(first))]:
        return bool(ends) and not any(map(is_id, ends))
    if any(c >= len(first) or is_id(first[c]) for c in columns):
        return False
    words = [c for c, word in enumerate(first) if not is_number(word) and word.lower() not in MISSING]
    columns = list(zip(*rest, strict=False))
    return any(c < len(columns) and hold(columns[c], is_number) for c in words)


def _are_numbers(fields):
    """Return whether most fields are numbers, missing ones aside; others are reported with their line."""
    there = [field for field in fields if field.lower() not in MISSING]
    return 2 * sum(is_number(field.replace(",", ".")) for field in there) > len(there)  # 2,5 is told with its line


def _refuse_matrix(names, rows):
    """Refuse a table of as many lines as columns that holds numbers, as an adjacency matrix, or one with its names."""
    named = len(names) > 2 and [row[0] for row in rows] == names[1:]
    is_square = len(rows) == len(names) > 2 and all(map(is_number, chain(*rows))) and {len(names)} == {*map(len, rows)}
    if named or (is_square and (len(rows) > _MANY_ENDS or [list(map(float, row)) for row in rows] == [
        list(map(float, column)) for column in zip(*rows, strict=True)
    ])):  # fmt: skip
        raise FormatError(
            "this is a square matrix; pandas.read_csv(path, index_col=0) or numpy.loadtxt(path) reads it, for "
            "Graph.from_scipy; or pass format='edgelist' if its lines are edges"
        )


def notes_on_ends(values, names, reading):
    """Return notes on ends of two kinds, and refuse what is no node; `values` are text in the first rows."""
    if reading.declared or reading.columns is not None:
        return []
    vectors = "pass --vectors (knn_graph) if the rows are vectors"
    for fields, name in () if reading.ids == "string" else zip(values, names, strict=False):
        what = None
        if all(field[:1] in ("[", "(") and (re.search(r"[\s,]", field) or field[-1] not in "])") for field in fields):
            what = f"lists or tuples; write their values alone, between tabs; {vectors}"
        elif all(field[1:].endswith(":") for field in fields):
            what = "marks of lists of neighbours; without the colons they are read with format='adjlist'"
        elif 2 * sum(is_number(field) and float(field) % 1 > 0 for field in fields) > len(fields):
            what = f"fractions; {vectors}, ids='string' if these are names"
        if what:
            raise FormatError(f"column {name!r} holds {fields[0][:40]!r} and the like, {what}")
    if two_kinds(*names[:2]) and not set(values[0]).isdisjoint(values[1]):
        return [TWO_KINDS.format(*names[:2])]
    return []


# -- reading -----------------------------------------------------------------------------------------------------------


@dataclass
class BadLines:
    """Lines, or rows, that are no edges and are left out: how many, and what the first one is."""

    count: int = 0
    first: str = ""

    def add(self, count, first):
        """Count lines, of which the first is described."""
        self.first = self.first or first
        self.count += count

    def tell(self):
        """Warn if there are any, and record how many."""
        record("lines_left_out", self.count)
        if self.count:
            warn_user(f"lines that are no edges are left out ({self.count:,}); the first is {self.first}")


class TextEdges:
    """The edges of an open Source by blocks: pieces of the text.

    `notes` are warnings about columns that are not read; `called` is what those that are read are called; `n_nodes` is
    None unless the file states it; `numbering` numbers names, None where ids are integers; `source` is the Source;
    `places` are the positions of the columns that are read; `bad` counts lines that are left out.
    """

    def __init__(self, source, reading, memory=FULL_MEMORY):
        self.source, self._dialect = source, _guess_dialect(source, reading)
        self._skips, self.bad = reading.on_bad_lines == "skip", BadLines()
        self._chunk = block_size(CHUNK, memory)
        self.notes, self.n_nodes, self.called = self._dialect.notes, self._dialect.n_nodes, self._dialect.called
        self.weighted, self.places = self._dialect.weight is not None, self._dialect.used
        self.numbering = None if self._dialect.integer else Numbering()

    def blocks(self):
        """Yield (ends, weights, share of the file read)."""
        line = self._dialect.skip + 1
        for text, share in self._texts():
            yield *self._parsed(text, line), share
            line += text.count("\n")

    def _texts(self):
        """Yield (whole lines of about a chunk, share of the file read)."""
        size = max(1, os.stat(self.source.path).st_size)
        errors = "replace" if self._dialect.integer else "strict"  # beside integers there are comments alone
        marks = self._dialect.comments
        with self.source.text(self._dialect.encoding, errors) as text:
            for _ in range(self._dialect.skip):
                text.readline()
            read = 0
            while chunk := text.read(self._chunk):
                chunk += text.readline()
                read += len(chunk)
                if any(mark in chunk for mark in marks):
                    chunk = re.sub(rf"(?m)^[ \t]*(?:{'|'.join(map(re.escape, marks))}).*", "", chunk)
                yield chunk, min(1.0, read / size)

    def _parsed(self, text, line):
        """Return (ends, weights) of a piece of text, which begins at this line of the file.

        Plain lines are parsed all at once; where these hold anything unexpected, line by line.
        """
        dialect, missing = self._dialect, MISSING_NAMES if self._skips else ()
        columns = plain_columns(text, dialect.delimiter, (), dialect.quoted)
        if columns is not None and len(columns) == dialect.width and not any(word in text for word in missing):
            with contextlib.suppress(ValueError, OverflowError):
                return self._numbers([columns[c] for c in dialect.used])
        rows, lines = [], text.split("\n")
        for number, each in enumerate(lines, line):
            if not each.strip():
                continue
            fields = dialect.split(each)
            problem = _problem(each, fields, dialect, missing, is_last=number == line + len(lines) - 1)
            if problem:
                shown = each.strip() if len(each) <= 60 else f"{each.strip()[:57]}..."
                said = f"line {number}: {problem}: {shown!r}"
                if not self._skips:
                    raise FormatError(said + OR_SKIP)
                self.bad.add(1, f"{said} of {self.source.name}")
                continue
            rows.append([fields[c] for c in dialect.used])
        columns = zip(*rows, strict=True) if rows else [[]] * len(dialect.used)
        return self._numbers([text_of(list(column)) for column in columns])

    def _numbers(self, columns):
        """Return (ends, weights) of the columns that are read; a ValueError tells of what is no name or number."""
        weights = np.empty(0)
        if self.weighted:
            fields = columns[2].tolist()
            weights = np.array(list(map(float, fields)), dtype=np.float64)
            # The minimum is NaN if any weight is.
            if "_" in "".join(fields) or not (weights.min(initial=0) >= 0 and weights.max(initial=0) < np.inf):
                raise ValueError
        if self._dialect.integer:
            ends = np.stack([integers_of(column) for column in columns[:2]], axis=1)
            narrow = ends.min(initial=0) >= -(2**31) and ends.max(initial=0) < 2**31
            return ends.astype(np.int32) if narrow else ends, weights
        if any((column.starts == column.stops).any() for column in columns[:2]):
            raise ValueError  # before names get numbers
        return self.numbering.ends(*columns[:2], self.called).reshape(-1, 2), weights


def _problem(line, fields, dialect, missing, is_last):
    """Describe the first error in one line; None if there is none. The last line of a file may be cut.

    Nodes that are called as one of `missing` are errors.
    """
    if dialect.quoted and line.count('"') % 2:
        return "a quote is not closed (pandas.read_csv reads fields of several lines, for Graph.from_table)"
    least = dialect.width if is_last else max(dialect.used) + 1
    if len(fields) != dialect.width if dialect.delimiter else len(fields) < least:
        return (
            f"{len(fields)} column{'s' * (len(fields) != 1)}, where the first lines have {dialect.width} (pass "
            "delimiter= if another mark is between columns)"
        )
    for column in dialect.used:
        field, defect = fields[column], None
        if column == dialect.weight:
            if is_number(field) and float(field) < 0:
                defect = "but weights must not be negative"
            elif not (is_number(field) and float(field) < math.inf):
                comma = "; pandas.read_csv with thousands=',', or decimal=',' and sep=';', reads it (Graph.from_table)"
                defect = (
                    "but weights must be numbers and finite (weight_column says where they stand, weight_column=None "
                    f"that there are none{comma * (',' in field)})"
                )
        elif not field or field in missing:
            defect = "where a node is expected"
        elif dialect.integer and not is_id(field):
            defect = "which is no 64-bit integer as the other nodes are (pass ids='string' to read names)"
        if defect:
            return f"column {column} (counted from 0) holds {field!r}, {defect}"
    is_ragged = len(fields) != dialect.width and not dialect.are_told
    if is_ragged and (not dialect.integer or dialect.width == len(dialect.used)):
        return (
            f"{len(fields)} columns, where the first lines have {dialect.width} (pass columns={dialect.columns} and "
            "weight_column to say which are read)"
        )
    return None


def graph_of_blocks(edges, reading, name):
    """Build the graph of the blocks of Tables of edges."""
    # No name keeps the last block.
    pieces = [(ends, weights, note(f"{share:.0%}")) for ends, weights, share in edges.blocks()]
    edges.bad.tell()
    ends = np.concatenate([piece[0] for piece in pieces]) if pieces else np.empty((0, 2))
    if not len(ends):
        raise FormatError("there are no edges")
    is_weighted = any(len(piece[1]) for piece in pieces)
    weights = np.concatenate([piece[1] for piece in pieces]) if is_weighted else np.empty(0, dtype=np.float32)
    del pieces
    weights = counted(weights, len(ends), reading.count_repeats)
    names, n_nodes = edges.numbering, edges.n_nodes
    if names is not None:
        names, n_nodes = names.tolist(), None
        check_names(names, edges.called, name)
    if n_nodes is not None:
        if ends.max() >= n_nodes or ends.min() < 0:
            raise FormatError(f"the file says that nodes are 0 to {n_nodes - 1}, but there are edges of other nodes")
        check_node_count(n_nodes, len(ends))
        ends = ends.astype(np.int32, copy=False)
    else:
        whole = [(ends.ravel(), weights)]
        tell_of_first_line(lambda: whole, names, len(ends), edges.called, reading, name)
        if names is None:
            numbers, names = compact_ids(ends.ravel())
            ends = numbers.reshape(-1, 2)
    n_nodes = int(ends.max()) + 1 if n_nodes is None else n_nodes
    return graph_from_ends(
        Graph, ends, weights, n_nodes, node_names=names, symmetrize=reading.symmetrize, warn=True,
        are_lines=reading.weight_column is not None,
    )  # fmt: skip


def check_names(names, called, file):
    """Refuse names of nodes that no text holds, and warn of doubtful ones; `called` are the columns."""
    told = doubtful_names(names)
    if told is not None:
        warn_user(f"{file}: {told}")
    if called and all(one in names for one in called[:2]):
        warn_user(f"{file}: nodes are called as the columns are, {called[:2]}; is a header repeated?")
    unfit = first_unfit(names)
    if unfit is not None:
        raise FormatError(f"the node name {unfit!r} has control characters or line ends; is a quote not closed?")


def tell_of_first_line(blocks, names, n_edges, called, reading, file):
    """Warn where the first edge may be names of columns, or counts of nodes and edges.

    `blocks()` gives (source and target by turns, weights) of all edges; `names` of nodes are None for integers.
    """
    ends, weights = next(iter(blocks()))
    a, b = ends[:2].tolist()
    first = (a, b) if names is None else (names[a], names[b])
    count = int(first[0]) if is_id(str(first[0])) else -1
    if n_edges > 2 and str(n_edges - 1) in map(str, (first[1], *weights[:1].astype(int))):
        n_nodes = max(int(ends.max()) for ends, _ in blocks()) + 1 if names is None else len(names)
        if n_nodes - 2 <= count <= n_nodes:
            said = "the first line seems to count nodes and edges; pass header=True (--header) to leave it out"
            warn_user(f"{file}: {said}")
    if names is None or reading.header is not None or not isinstance(called[0], int):
        return
    often = np.zeros(len(names), dtype=np.int64)
    for ends, _ in blocks():
        np.add.at(often, ends, 1)
    n_like_first = 0  # more than one if each of several files has a header
    for ends, _ in blocks():
        pairs = ends.reshape(-1, 2)
        is_like_first = (pairs == (a, b)).all(axis=1)
        n_like_first += np.count_nonzero(is_like_first)
        if often[pairs[~is_like_first]].max(axis=1).min(initial=2) < 2:
            return  # as lonely as the first
    if max(often[a], often[b]) == n_like_first < n_edges:
        warn_user(f"{file}: no other line has {first} of the first; pass header=True (--header) if it is no edge")


def record_columns(called):
    """Record what the columns of a table of edges are called: those of the two ends, and of the weights if any."""
    record("columns", {"ends": list(called[:2]), "weight": called[2] if len(called) > 2 else None})


def check_node_count(n_nodes, n_edges):
    """Refuse a number of nodes in a header that is implausible for the number of edges."""
    if n_nodes >= 2**31:
        raise FormatError(f"the header says {n_nodes} nodes; there can be less than 2**31")
    if n_nodes > max(_NODES_PER_EDGE * n_edges, _FEW_NODES):
        raise FormatError(
            f"the header says {n_nodes} nodes, but there are only {n_edges} edges; if that is meant, leave out nodes "
            "without edges, or give Graph.from_scipy the matrix"
        )


def block_size(largest, memory):
    """Return the size of blocks that are read at once, `largest` from FULL_MEMORY on and less in proportion below."""
    return max(1, min(largest, largest * memory // FULL_MEMORY))


# -- writing -----------------------------------------------------------------------------------------------------------


def write_edge_list(graph, stream, delimiter):
    """Write each edge once, lower node first, to a binary stream; a graph without names notes its node count."""
    names = graph.node_names
    if names is not None and graph.n_isolated:
        warn_user(
            f"{graph.n_isolated} isolated nodes are not in the edge list, which has no place for their names; .npz has"
        )
    names = None if names is None else _checked_names(names, delimiter)
    with as_text(stream) as text:
        # Other programs cannot read comments in CSV, so there the comment is written only when nodes would be lost.
        if delimiter == "\t" or (names is None and graph.n_isolated):
            kind = "integer" if names is None or names.dtype.kind in "iu" else "string"
            count = graph.n_nodes if names is None else "named"
            weights = "no" if graph.weights is None else "yes"
            text.write(f"# graphcore edge list; nodes: {count}; ids: {kind}; weights: {weights}\n")
        writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
        if delimiter == ",":
            writer.writerow(["source", "target", *([] if graph.weights is None else ["weight"])])
        for sources, targets, weights in upper_edges(graph):
            ends = [ids.tolist() if names is None else names[ids].tolist() for ids in (sources, targets)]
            writer.writerows(zip(*ends, strict=True) if weights is None else zip(*ends, weights.tolist(), strict=True))


def row_pieces(graph):
    """Yield (first, last) of rows that are written at once, with about `_PIECE` entries each."""
    borders = np.searchsorted(graph.indptr, np.arange(0, graph.n_entries, _PIECE))
    yield from pairwise(np.unique(np.append(borders, [0, graph.n_nodes])).tolist())


def upper_edges(graph):
    """Yield (sources, targets, weights or None) of the edges listed from their lower end, some rows at a time."""
    for first, last in row_pieces(graph):
        span = slice(graph.indptr[first], graph.indptr[last])
        sources = np.repeat(np.arange(first, last), np.diff(graph.indptr[first : last + 1]))
        kept = sources <= graph.indices[span]
        weights = None if graph.weights is None else graph.weights[span][kept]
        yield sources[kept], graph.indices[span][kept], weights


def _checked_names(names, delimiter):
    """Return names as they are written; refuse blank or repeated ones and those with line ends or some quotes."""
    names = names if names.dtype.kind in "iuU" else np.array(list(map(str, names)), dtype=object)
    if len(set(names.tolist())) < len(names):
        raise InputError("two nodes have the same name, and an edge list would make one of them; write .npz instead")
    if names.dtype.kind in "iu":
        return names
    refuse_unfit(names.tolist())
    forbidden = '"' if delimiter == "," else '\t"'
    for name in names.tolist():
        if not name or name != name.strip() or name[0] in "#%" or any(mark in name for mark in forbidden):
            raise InputError(f"node name {name!r} cannot be written to an edge list; write .npz instead")
    return names
