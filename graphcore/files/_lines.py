"""Parsing of the lines of an edge list by numpy.loadtxt; a second, slow pass locates a line that it refuses."""

import math
import warnings
from itertools import islice

import numpy as np

from ..exceptions import FormatError, InputError
from ..graphs.ids import Numbering
from ._columns import is_decimal_comma, is_number
from ._dialect import data_lines, is_edge, split_line

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


def parse_numbers(source, dialect):
    """Return the numbers of lines with one number each, which must be finite and not negative."""
    with source.text(dialect.text_encoding) as text:
        try:
            values = np.fromiter(map(float, data_lines(text, dialect)), dtype=np.float64)
        except UnicodeDecodeError:
            raise
        except ValueError as error:
            raise FormatError(f"the lines cannot be read: {error}") from None
    if len(values) and not (values.min() >= 0 and values.max() < np.inf):
        raise FormatError(_NO_WEIGHTS)
    return values


class _Unfit(Exception):
    """numpy.loadtxt did not accept the lines."""


def _whole_file(source, dialect):
    """Parse a file that numpy.loadtxt opens itself, which is faster; raise _Unfit where loadtxt could misread it."""
    names, marker = Numbering(), dialect.first_marker
    if not source.direct:
        raise _Unfit
    if dialect.integer_ids:
        if marker is None and dialect.comments:
            raise _Unfit
        id_dtype = np.int64 if dialect.wide else np.int32
        return *_load(source, dialect, source.path, id_dtype, comments=marker, skiprows=dialect.skip), None
    # A comment between the edges would be read as a name; the check of names below finds its marker.
    if 0 not in dialect.columns and dialect.comments:
        raise _Unfit
    parsed = _load(source, dialect, source.path, np.int32, names.__getitem__, skiprows=dialect.skip)
    if not all(name.strip() == name != "" and not name.startswith(dialect.comments) for name in names):
        raise _Unfit
    return *parsed, list(names)


def _line_by_line(source, dialect):
    """Parse lines that Python reads and hands to numpy.loadtxt, without comments and blank lines."""
    names = Numbering()

    def number(field):
        field = field.strip()
        if not field:
            raise ValueError("a name is blank")
        return names[field]

    with source.text(dialect.text_encoding) as text:
        lines = data_lines(text, dialect)
        if dialect.integer_ids:
            return *_load(source, dialect, lines, np.int64), None
        return *_load(source, dialect, lines, np.int32, number), list(names)


def _load(source, dialect, lines, id_dtype, number=None, comments=None, skiprows=0):
    weighted = dialect.weight_column is not None
    with warnings.catch_warnings(), source.guard():
        warnings.simplefilter("error", DeprecationWarning)  # a fraction as an integer
        warnings.filterwarnings("ignore", "loadtxt: input contained no data", UserWarning)
        try:
            table = np.loadtxt(
                lines, dtype=[("ends", id_dtype, 2), ("weight", np.float64)] if weighted else id_dtype,
                delimiter=dialect.delimiter, usecols=[*dialect.columns, *([dialect.weight_column] if weighted else [])],
                quotechar='"' if dialect.quoted else None,
                converters=None if number is None else dict.fromkeys(dialect.columns, number), comments=comments,
                skiprows=skiprows, encoding=source.encoding(dialect.text_encoding), ndmin=1 if weighted else 2,
            )  # fmt: skip
        except (InputError, UnicodeDecodeError):
            raise
        except (ValueError, OverflowError, DeprecationWarning) as error:
            raise _Unfit(str(error)) from None
    if weighted:
        return np.ascontiguousarray(table["ends"]), np.ascontiguousarray(table["weight"])
    return table.reshape(-1, 2), None


def locate(source, dialect, otherwise):
    """Return the FormatError that names the first bad line, or has the text `otherwise` if no line looks bad."""
    for number, line in _numbered(source, dialect):
        problem = _problem(split_line(line.rstrip("\r\n"), dialect.delimiter, dialect.quoted), dialect)
        if problem:
            shown = line.strip()
            shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
            return FormatError(f"line {number}: {problem}: {shown!r}")
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
    weights = [] if dialect.weight_column is None else [dialect.weight_column]
    for column in [*dialect.columns, *weights]:
        if column >= len(fields):
            mark = {None: "white space", "\t": "tabs"}.get(dialect.delimiter, repr(dialect.delimiter))
            count = f"{len(fields)} column{'s' if len(fields) != 1 else ''}"
            return f"{count} when split at {mark}, but column {column} (counted from 0) is needed"
        field, defect = fields[column], None
        if column in weights:
            defect = _weight_defect(field)
        elif not field:
            defect = "where a node is expected"
        elif dialect.integer_ids and not _is_int64(field):
            defect = "which is no 64-bit integer as the other nodes are (pass ids='string' to read names)"
        if defect:
            return f"column {column} (counted from 0) holds {field!r}, {defect}"
    return None


def _weight_defect(field):
    if is_decimal_comma(field):
        return "and numbers are read with a decimal point, not a comma (weight_column=None reads no weights)"
    if not is_number(field):
        return (
            "but weights must be numbers (weight_column says where they stand, weight_column=None that there are none)"
        )
    if not math.isfinite(float(field)):
        return "but weights must be finite"
    return "but weights must not be negative" if float(field) < 0 else None


def _is_int64(field):
    try:
        return -(2**63) <= int(field) < 2**63 and "_" not in field
    except ValueError:
        return False
