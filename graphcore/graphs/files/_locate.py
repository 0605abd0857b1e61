"""The slow second pass: which line of the file is the one that cannot be read."""

import math

from ...exceptions import FormatError
from ._dialect import split_line
from ._weight_column import is_number

__all__ = ["locate"]


def locate(source, dialect, otherwise):
    """Return the FormatError that names the first bad line; `otherwise` is said if no line looks bad."""
    with source.text(dialect.text_encoding) as text:
        for number, line in enumerate(text, 1):
            stripped = line.strip()
            if number <= dialect.skip or not stripped or stripped.startswith(dialect.comments):
                continue
            problem = _problem(split_line(line.rstrip("\r\n"), dialect.delimiter, dialect.quoted), dialect)
            if problem:
                return FormatError(f"line {number}: {problem} (the line is {_shortened(stripped)})")
    return FormatError(f"the lines cannot be read: {otherwise}")


def _problem(fields, dialect):
    """Say what is wrong with the fields of one line; None if nothing is."""
    weights = [] if dialect.weight_column is None else [dialect.weight_column]
    for column in [*dialect.columns, *weights]:
        if column >= len(fields):
            return _too_few(fields, dialect, column)
        problem = _weight_problem(fields[column]) if column in weights else _id_problem(fields[column], dialect)
        if problem:
            return f"{problem}, in column {column} (counted from 0)"
    return None


def _id_problem(field, dialect):
    if not field:
        return "blank where a node is expected"
    if dialect.integer_ids and not _fits(field):
        return f"node {field!r} is not an integer of 64 bits (pass ids='string' to read names)"
    return None


def _weight_problem(field):
    if not is_number(field):
        return f"weight {field!r} is not a number"
    if not math.isfinite(float(field)):
        return f"weight {field} is not finite"
    return f"weight {field} is negative" if float(field) < 0 else None


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
