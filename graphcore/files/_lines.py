"""Parsing of the lines of an edge list by numpy.loadtxt; a second, slow pass locates a line that it refuses."""

import math
import re
import warnings
from functools import partial
from itertools import islice

import numpy as np

from ..exceptions import FormatError, warn_user
from ..graphs.ids import Numbering, whole_numbers
from ._dialect import COMMENT, is_edge, is_like_edge
from ._fields import is_decimal_comma, is_formatted, is_id, is_number, is_whole

# Bytes that are looked through at once: few enough to stay in the processor's cache.
_PIECE = 1 << 16
_ZERO = re.compile(r"(?<![^\s,;|\"])0\d")
_NO_WEIGHTS = "there are weights that are negative or not finite"


def parse(source, dialect):
    """Return (ends, weights or None, names or None).

    Integer `ends` (n_edges, 2) are as in the file (int32 or int64), and names is None; other names are numbered (int32)
    in the order in which they first appear. A FormatError names the first bad line, found in a second, slower pass.
    """
    try:
        ends, weights, names = _whole_file(source, dialect)
    except _Unfit:
        try:
            ends, weights, names = _line_by_line(source, dialect)
        except _Unfit as error:
            raise locate(source, dialect, str(error)) from None
    # The minimum is NaN if any weight is, and needs no mask of full length.
    if weights is not None and len(weights) and not (weights.min() >= 0 and weights.max() < np.inf):
        raise locate(source, dialect, _NO_WEIGHTS)
    return ends, weights, names


def data_lines(text, dialect, doubtful=None):
    """Yield lines that hold edges; comments with an edge's columns go to the list `doubtful`, with their numbers."""
    for number, line in islice(enumerate(text, 1), dialect.skip, None):
        if is_edge(line, dialect):
            yield dialect.behind.sub("", line) if dialect.behind else line
        elif doubtful is not None and line.strip() and is_like_edge(line, dialect):
            doubtful.append((number, line))


class _Unfit(Exception):
    """numpy.loadtxt did not accept the lines."""


def _whole_file(source, dialect):
    """Parse a file that numpy.loadtxt opens itself, which is faster; raise _Unfit where loadtxt could misread it."""
    if not (source.direct and _is_plain(source, dialect)):
        raise _Unfit
    names = Numbering()
    number = names.__getitem__ if dialect.ids == "string" else None
    parsed = _load(source, dialect, source.path, dialect.wide, number, dialect.skip)
    if not all(name.strip() == name != "" for name in names):
        raise _Unfit
    return *parsed, list(names) if number else None


def _is_plain(source, dialect):
    """Return whether lines hold no comments, and no numbers such as 007 where ids are integers."""
    marks = [mark[:1].encode(dialect.encoding) for mark in dialect.comments]
    delimiter = ord(dialect.delimiter or " ")
    buffer = bytearray(_PIECE + 2)
    view, codes = memoryview(buffer)[2:], np.frombuffer(buffer, dtype=np.uint8)
    with source.open() as stream:
        for _ in range(dialect.skip):
            stream.readline()
        buffer[:2] = b"\n\n"
        while n_read := stream.readinto(view):
            if any(buffer.find(mark, 2, n_read + 2) >= 0 for mark in marks):
                return False
            if dialect.ids == "integer" and dialect.width is not None:
                before, digit, after = codes[:n_read], codes[1 : n_read + 1], codes[2 : n_read + 2]
                zeros = digit == ord("0")
                zeros &= (before < ord("-")) | (before == delimiter)
                zeros &= after >= ord("0")
                if zeros.any() and (after[zeros] <= ord("9")).any():
                    return False
            buffer[:2] = buffer[n_read : n_read + 2]
    return True


def _line_by_line(source, dialect):
    """Parse lines that Python reads and hands to numpy.loadtxt, without comments and blank lines."""
    names = Numbering()

    def number(field):
        field = field.strip()
        if not field:
            raise ValueError("a name is blank")
        return names[field]

    number = number if dialect.ids == "string" else None
    doubtful = []
    with source.text(dialect.text_encoding) as text:
        lines = data_lines(text, dialect, doubtful)
        if dialect.ids == "integer" and dialect.width is not None:
            lines = map(partial(_checked, dialect), lines)
        ends, weights = _load(source, dialect, lines, True, number)
    if doubtful:
        number_of, line = doubtful[0]
        count = f" and {len(doubtful) - 1} more" if doubtful[1:] else ""
        warn_user(f"{source.name}: line {number_of + source.first_line}{count}: {line.strip()[:40]!r} is {COMMENT}")
    return ends, weights, list(names) if number else None


def _checked(dialect, line):
    """Return a line; raise _Unfit if numpy would take a name for a number, as 007 for 7."""
    if _ZERO.search(line):
        fields = dialect.split(line)
        if not all(is_id(fields[c]) for c in dialect.columns if c < len(fields)):
            raise _Unfit(f"{line.strip()!r} has names that are no numbers")
    return line


def _load(source, dialect, lines, wide, number=None, skiprows=0):
    weighted, used = dialect.weight_column is not None, dialect.used
    id_dtype = np.float64 if dialect.ids == "whole" else np.int64 if wide and number is None else np.int32
    with warnings.catch_warnings(), source.guard():
        warnings.simplefilter("error", DeprecationWarning)  # a fraction as an integer
        warnings.filterwarnings("ignore", "loadtxt: input contained no data", UserWarning)
        try:
            table = np.loadtxt(
                lines, dtype=[("ends", id_dtype, 2), ("weight", np.float64)] if weighted else id_dtype,
                delimiter=dialect.delimiter, usecols=None if used == list(range(dialect.width or 0)) else used,
                quotechar='"' if dialect.quoted else None,
                converters=None if number is None else dict.fromkeys(dialect.columns, number), comments=None,
                skiprows=skiprows, encoding=source.encoding(dialect.text_encoding), ndmin=1 if weighted else 2,
            )  # fmt: skip
            ends = table["ends"] if weighted else table.reshape(-1, 2)
            if dialect.ids == "whole":
                ends = whole_numbers(ends.ravel(), "an id is").reshape(-1, 2)
        except UnicodeDecodeError:
            raise
        except FormatError:
            raise
        except (ValueError, OverflowError, DeprecationWarning) as error:
            raise _Unfit(str(error)) from None
    return (np.ascontiguousarray(ends), np.ascontiguousarray(table["weight"])) if weighted else (ends, None)


def locate(source, dialect, otherwise):
    """Return the FormatError that names the first bad line, or has the text `otherwise` if no line looks bad."""
    for number, line in _numbered(source, dialect):
        problem = _problem(dialect.split(line.rstrip("\r\n")), dialect)
        if problem:
            shown = line.strip()
            shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
            return FormatError(f"line {source.first_line + number}: {problem}: {shown!r}")
    return FormatError(f"the lines cannot be read: {otherwise}")


def number_of_line(source, dialect, position):
    """Return the number, from 1, of the line of the edge at this position, from 0."""
    return next(islice(_numbered(source, dialect), position, None))[0]


def _numbered(source, dialect):
    """Yield (number from 1, line) of the lines that hold edges."""
    with source.text(dialect.text_encoding) as text:
        numbered = islice(enumerate(text, 1), dialect.skip, None)
        yield from ((number, line) for number, line in numbered if is_edge(line, dialect))


def _problem(fields, dialect):
    """Describe the first error in the fields of one line; None if there is none."""
    for column in dialect.used:
        if column >= len(fields):
            mark = {None: "white space", "\t": "tabs"}.get(dialect.delimiter, repr(dialect.delimiter))
            count = f"{len(fields)} column{'s' if len(fields) != 1 else ''}"
            hint = (
                "" if dialect.delimiter or len(fields) > 1 else " (pass delimiter= if another mark is between columns)"
            )
            return f"{count} when split at {mark}, but column {column} (counted from 0) is needed{hint}"
        field, defect = fields[column], None
        if column == dialect.weight_column:
            defect = _weight_defect(field)
        elif not field:
            defect = "where a node is expected"
        elif dialect.ids != "string" and not (is_id(field) if dialect.ids == "integer" else is_whole(field)):
            defect = "which is no 64-bit integer as the other nodes are (pass ids='string' to read names)"
        if defect:
            return f"column {column} (counted from 0) holds {field!r}, {defect}"
    if dialect.width == len(dialect.used) < len(fields):
        return (
            f"{len(fields)} columns, where the first lines have {dialect.width} (pass columns={dialect.columns} and "
            "weight_column to say which are read)"
        )
    return None


def _weight_defect(field):
    if is_decimal_comma(field):
        return (
            "and numbers are read with a decimal point, not a comma (weight_column=None reads no weights; "
            "pandas.read_csv(path, sep=';', decimal=',') makes a table for Graph.from_table)"
        )
    if is_formatted(field):
        return (
            "and weights are plain numbers, as 1200.50: write them without currencies and marks of thousands "
            "(weight_column=None reads no weights)"
        )
    if not is_number(field):
        return (
            "but weights must be numbers (weight_column says where they stand, weight_column=None that there are none)"
        )
    if not math.isfinite(float(field)):
        return "but weights must be finite"
    return "but weights must not be negative" if float(field) < 0 else None
