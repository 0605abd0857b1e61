"""How an edge list is written, guessed from its first lines."""

import csv
import re
from dataclasses import dataclass
from itertools import islice, takewhile

from .._validation import check_choice, check_integer
from ..exceptions import FormatError, ParameterError
from ..graphs.from_table import edge_columns
from ._weight_column import ID_NAMES, MISSING, choose_weight, is_decimal_comma, is_number

_SAMPLE = 200
# So many characters of them are enough, too; what is far longer is no line of an edge list.
_SAMPLE_LENGTH = 1 << 20
_BLOCK = 1 << 13  # characters
_LONGEST_LINE = 1 << 20
# Comments that are looked at, and how much of each.
_REMARKS, _REMARK_LENGTH = 1000, 1 << 12
_INTEGER = re.compile(r"-?\d{1,19}")
_KONECT = re.compile(r"%\s*(sym|asym|bip)\s+(\w+)")
# What write_graph notes in a comment, so that its own files come back as they were.
_OWN = re.compile(r"# graphcore edge list; nodes: (\d{1,18}|named); ids: (integer|string); weights: (yes|no)")
IDS = ("auto", "integer", "string")


@dataclass(frozen=True)
class Dialect:
    """All that is needed to read the lines of an edge list."""

    delimiter: str | None  # None is any white space
    quoted: bool
    comments: tuple
    marker: str | None
    skip: int  # physical lines before the first edge
    columns: tuple
    weight_column: int | None
    integer_ids: bool
    wide: bool  # whether ids need 64 bits
    n_nodes: int | None  # as write_graph notes it in a comment
    notes: tuple  # what the guess left out
    encoding: str

    @property
    def text_encoding(self):
        """How to decode the lines: where ids are numbers, only comments can hold anything but ASCII."""
        return "latin-1" if self.integer_ids else self.encoding

    @property
    def first_marker(self):
        """The one marker for numpy.loadtxt, which is slow with more of them; None if one would not do.

        A line that begins with another marker is no line of numbers, so the reading fails there and is done again.
        """
        if any(mark[0] in "0123456789+-. \t" for mark in self.comments):
            return None
        return self.marker or (self.comments[0] if self.comments else None)


def guess_dialect(
    source, *, delimiter, comments, header, columns, weight_column, ids, encoding, bipartite=False, declared=False
):
    """Guess the Dialect of `source` from its comments and first 200 lines; what is given is not guessed.

    Lines that look like no edges are refused, unless they are `declared` to be.
    """
    comments = (comments,) if isinstance(comments, str) else tuple(comments or ())
    _check_options(delimiter, comments, header, columns, weight_column, ids, encoding)
    with source.text(encoding, errors="replace") as text:  # comments may hold anything
        numbered, remarks = _sample(text, comments)
    if not numbered:
        raise FormatError("there are no edges: every line is blank or a comment")
    konect = next((m.groups() for m in map(_KONECT.match, remarks) if m), None)
    if konect and konect[0] == "bip" and not (bipartite or declared):
        raise FormatError(
            "the KONECT header says that the graph is bipartite: its two columns number two different sets of nodes, "
            "which would be mixed up. Pass bipartite=True, or format='edgelist' to read one set"
        )
    lines = [line for _, line in numbered]
    own = next((m.groups() for m in map(_OWN.fullmatch, remarks) if m), None)
    if own and "\t" in lines[0]:  # in commas, our own files have a header that says the rest
        delimiter, header = delimiter or "\t", bool(header)
        ids = own[1] if ids == "auto" else ids
        weight_column = (2 if own[2] == "yes" else None) if weight_column == "auto" else weight_column
    any_quote = any('"' in line for line in lines)
    delimiter = _delimiter(lines, delimiter, columns, any_quote, source.suffix)
    # In CSV a " is a quote; with tabs and white space it is one only where some field begins with it.
    quoted = any_quote and (delimiter in (",", ";") or _begins_quoted(lines, delimiter))
    rows = [split_line(line, delimiter, quoted) for line in lines]
    if delimiter is None:
        rows = [list(takewhile(lambda field: not field.startswith(comments), row)) for row in rows]
    if not declared and _is_matrix(rows):
        raise FormatError(
            "this looks like an adjacency matrix and no list of edges; give Graph.from_scipy what numpy.loadtxt(path, "
            "delimiter=...) or, with names, pandas.read_csv(path, index_col=0) reads, or pass format='edgelist'"
        )
    header = _is_header(rows, columns) if header is None else header
    names = _names_in_comment(remarks, len(rows[0]))
    if header:
        names, rows = [field.lower() for field in rows[0]], rows[1:]
        if not rows:
            raise FormatError("there are no edges: only a header line (pass header=False if it is an edge)")
    if isinstance(weight_column, str) and weight_column != "auto":
        weight_column = _named_column(weight_column, names)
    weight, notes = choose_weight(rows, columns, names, konect, weight_column)
    notes += _look_like_vectors(rows, columns) + ends_elsewhere(names or [], columns)
    integer = ids == "integer" or (ids == "auto" and _mostly_integers(rows, columns))
    return Dialect(
        delimiter=delimiter,
        quoted=quoted or delimiter in (",", ";"),
        comments=comments,
        marker=next((mark for mark in comments for remark in remarks if remark.startswith(mark)), None),
        skip=numbered[0][0] if header else numbered[0][0] - 1,
        columns=tuple(columns),
        weight_column=weight,
        integer_ids=integer,
        wide=integer and any(len(row[c]) > 9 for row in rows for c in columns if c < len(row)),
        n_nodes=int(own[0]) if own and own[0] != "named" else None,
        notes=tuple(notes),
        encoding=encoding,
    )


def data_lines(text, dialect):
    """Yield the lines that hold edges: no comments, blank lines or header."""
    for line in islice(text, dialect.skip, None):
        if is_edge(line, dialect):
            yield line


def is_edge(line, dialect):
    """Whether a line is neither blank nor a comment."""
    stripped = line.lstrip()
    return stripped != "" and not stripped.startswith(dialect.comments)


def split_line(line, delimiter, quoted):
    """Fields of one line, without blanks around them."""
    if not quoted:
        return [field.strip() for field in line.split(delimiter)] if delimiter else line.split()
    line = line if delimiter else " ".join(line.split())
    try:
        fields = next(csv.reader([line], delimiter=delimiter or " ", skipinitialspace=delimiter is not None), [])
    except csv.Error as error:  # a field of more characters than the module's limit
        raise FormatError(f"{error}: {line}") from None
    return [field.strip() for field in fields] if delimiter else fields


def _sample(text, comments):
    """First data lines as (number, line), and the first comments before and between them, and the last."""
    numbered, remarks, length = [], [], 0
    for number, line in _lines(text):
        if len(line) >= _LONGEST_LINE:
            raise FormatError(f"line {number} is longer than {_LONGEST_LINE:,} characters: this is no edge list")
        stripped = line.strip()
        if stripped.startswith(comments):
            remarks[_REMARKS:] = [stripped[:_REMARK_LENGTH]]
        elif stripped:
            numbered.append((number, line))
            length += len(line)
            if len(numbered) == _SAMPLE or length > _SAMPLE_LENGTH:
                break
    return numbered, remarks


def _lines(text):
    """Lines and their numbers; of blank ones, which compressed files can have by the hundred million, not all."""
    number = 1
    while block := text.read(_BLOCK):
        block += text.readline(_LONGEST_LINE)
        if not block.isspace():
            yield from enumerate(block.removesuffix("\n").split("\n"), number)
        number += block.count("\n")


def _delimiter(lines, given, columns, quoted, suffix):
    """The delimiter that makes the ids integers in every line but the first, else one that leaves enough columns."""
    if given is not None:
        return None if given == "whitespace" else given
    candidates = ["\t", ";", ",", None] if suffix != ".csv" else [",", ";", "\t", None]
    marks = [*candidates, "|"]
    split = {mark: [split_line(line, mark, quoted and mark is not None) for line in lines] for mark in marks}
    wide = [mark for mark in marks if all(len(row) > max(columns) for row in split[mark])]
    for mark in wide:
        if _all_integers(split[mark][1:] or split[mark], columns):
            return mark
    if ";" in wide and any(map(is_decimal_comma, lines[-1].split(";"))):
        return ";"  # commas are in the numbers
    if wide:
        return wide[0]
    # Some line is short whatever the delimiter; take the one that suits most lines, so that the error names a line.
    return max(
        reversed(candidates), key=lambda c: sum(len(split_line(line, c, False)) > max(columns) for line in lines)
    )


def _named_column(name, names):
    """Where the header has a column of this name, in any case."""
    if names is None:
        raise ParameterError(f"weight_column={name!r} is a name, and the file has no header; give its number, from 0")
    if name.strip().lower() not in names:
        listed = ", ".join(map(repr, names))
        raise ParameterError(f"weight_column={name!r} is no column; there are {listed}")
    return names.index(name.strip().lower())


def _look_like_vectors(rows, columns):
    """A note if nodes are called by fractions, as the coordinates of vectors are written."""
    for c in columns:
        fields = [row[c] for row in rows if c < len(row)]
        if fields and all(is_number(field) and not float(field).is_integer() for field in fields):
            return [
                f"column {c} holds fractions, as {fields[0]!r}, which are taken for names of nodes; if the lines are "
                "vectors, use knn_graph (--vectors)"
            ]
    return []


def ends_elsewhere(names, columns):
    """A note if other columns than those that are read are called as the ends of edges are."""
    found = edge_columns(names)
    at = () if found is None else tuple(names.index(name) for name in found[:2])
    if found is None or set(at) == set(columns):
        return []
    return [
        f"columns {columns[0]} and {columns[1]} are read, but {found[0]!r} and {found[1]!r} are columns {at[0]} and "
        f"{at[1]}; pass columns={at} to read these"
    ]


def _is_matrix(rows):
    """Whether lines are those of an adjacency matrix: numbers between the same names on two sides, or symmetric."""
    sampled_all, first = len(rows) < _SAMPLE, [row[0] if row else "" for row in rows[1:]]
    for names in (rows[0][1:], rows[0]):
        fits = len(names) == len(first) if sampled_all else len(names) >= len(first)
        if fits and len(first) > 1 and names[: len(first)] == first and not is_number(rows[0][0]):
            return all(is_number(field) for row in rows[1:] for field in row[1:])
    n, width = len(rows), len(rows[0])
    if n < 3 or (n != width if sampled_all else n > width) or any(len(row) != width for row in rows):
        return False
    diagonal = {rows[i][i] for i in range(n)}
    mirrored = all(rows[i][j] == rows[j][i] for i in range(n) for j in range(i))
    return mirrored and len(diagonal) == 1 and all(is_number(field) for row in rows for field in row)


def _begins_quoted(lines, delimiter):
    return any(field[:1] == '"' for line in lines for field in split_line(line, delimiter, False))


def _is_header(rows, columns):
    """A first line that names the columns: no integer ids above integer ids, a word above numbers, or known names."""
    first, rest = rows[0], rows[1:]
    if any(c >= len(first) or _INTEGER.fullmatch(first[c]) for c in columns):
        return False
    if all(first[c].lower() in ID_NAMES for c in columns):
        return True
    if not rest:
        return False
    if _all_integers(rest, columns):
        return True
    width = min(map(len, rows))
    return any(
        not is_number(first[c]) and first[c].lower() not in MISSING and all(is_number(row[c]) for row in rest)
        for c in range(width)
        if c not in columns
    )


def _is_id(field):
    # "007" is a name, not the number 7: the file's own names must come back with the labels.
    return bool(_INTEGER.fullmatch(field)) and str(int(field)) == field and -(2**63) <= int(field) < 2**63


def _all_integers(rows, columns):
    return bool(rows) and all(c < len(row) and _is_id(row[c]) for row in rows for c in columns)


def _mostly_integers(rows, columns):
    """Whether ids are integers: all of them, or so many that the rest must be mistakes (which then name a line)."""
    fields = [row[c] for row in rows for c in columns if c < len(row)]
    if any(_INTEGER.fullmatch(field) and not _is_id(field) for field in fields):
        return False
    return sum(map(_is_id, fields)) >= (0.9 * len(fields) if len(rows) >= 10 else len(fields))


def _names_in_comment(remarks, width):
    """Column names from the last comment, as SNAP writes them ("# FromNodeId  ToNodeId"), if it looks like that."""
    if not remarks:
        return None
    words = remarks[-1].lstrip("#% ").lower().replace(",", " ").split()
    return words if len(words) == width and ID_NAMES.intersection(words[:2]) else None


def _check_options(delimiter, comments, header, columns, weight_column, ids, encoding):
    if delimiter is not None and delimiter != "whitespace" and (not isinstance(delimiter, str) or len(delimiter) != 1):
        raise ParameterError(f"delimiter={delimiter!r} must be one character, 'whitespace' or None (guess)")
    if not all(isinstance(mark, str) and mark for mark in comments):
        raise ParameterError(f"comments={comments!r} must be strings that begin a comment, like ('#', '%')")
    if header not in (None, True, False):
        raise ParameterError(f"header={header!r} must be True, False or None (guess)")
    if len(columns) != 2 or columns[0] == columns[1]:
        raise ParameterError(f"columns={columns!r} must be the two different positions of the end nodes, like (0, 1)")
    for column in columns:
        check_integer("columns", column, low=0)
    if weight_column is not None and not isinstance(weight_column, str):
        check_integer("weight_column", weight_column, low=0)
    check_choice("ids", ids, IDS)
    try:
        "".encode(encoding)
    except (LookupError, TypeError, UnicodeError):
        raise ParameterError(f"encoding={encoding!r} is not known to Python; 'utf-8' and 'latin-1' are usual") from None
