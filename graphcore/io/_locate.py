"""The slow second pass: which line of the file is the one that cannot be read."""

import math
from itertools import islice

from ..exceptions import FormatError
from ._dialect import is_edge, split_line
from ._weight_column import is_decimal_comma, is_number


def locate(source, dialect, otherwise):
    """Return the FormatError that names the first bad line; `otherwise` is said if no line looks bad."""
    with source.text(dialect.text_encoding) as text:
        for number, line in enumerate(text, 1):
            stripped = line.strip()
            if number <= dialect.skip or not is_edge(line, dialect):
                continue
            problem = _problem(split_line(line.rstrip("\r\n"), dialect.delimiter, dialect.quoted), dialect)
            if problem:
                return FormatError(f"line {number}: {problem}: {_shortened(stripped)}")
    return FormatError(f"the lines cannot be read: {otherwise}")


def number_of_line(source, dialect, position):
    """Number, from 1, of the line of the edge at this position, from 0."""
    with source.text(dialect.text_encoding) as text:
        numbered = enumerate(text, 1)
        edges = (n for n, line in numbered if n > dialect.skip and is_edge(line, dialect))
        return next(islice(edges, position, None))


def _problem(fields, dialect):
    """Say what is wrong with the fields of one line; None if nothing is."""
    weights = [] if dialect.weight_column is None else [dialect.weight_column]
    for column in [*dialect.columns, *weights]:
        if column >= len(fields):
            return _too_few(fields, dialect, column)
        field = fields[column]
        defect = _weight_defect(field) if column in weights else _id_defect(field, dialect)
        if defect:
            return f"column {column} (counted from 0) holds {field!r}, {defect}"
    return None


def _id_defect(field, dialect):
    if not field:
        return "where a node is expected"
    if dialect.integer_ids and not _fits(field):
        return "which is no 64-bit integer as the other nodes are (pass ids='string' to read names)"
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


def _too_few(fields, dialect, column):
    what = {None: "white space", "\t": "tabs"}.get(dialect.delimiter, repr(dialect.delimiter))
    count = f"{len(fields)} column{'s' if len(fields) != 1 else ''}"
    return f"{count} when split at {what}, but column {column} (counted from 0) is needed"


def _fits(field):
    try:
        return -(2**63) <= int(field) < 2**63 and "_" not in field
    except ValueError:
        return False


def _shortened(line):
    return repr(line if len(line) <= 60 else f"{line[:57]}...")
