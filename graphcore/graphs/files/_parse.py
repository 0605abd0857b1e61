"""Lines of an edge list become arrays, read by numpy.loadtxt."""

import contextlib
import warnings

import numpy as np

from ...exceptions import InputError
from ._dialect import data_lines
from ._locate import locate

__all__ = ["parse"]


def parse(source, dialect):
    """Return (ends, weights or None, names or None).

    ends has shape (n_edges, 2). Integer ids stand there as in the file (int32 or int64), and names is None; other
    names are numbered in the order in which they first appear (int32), and names is the list of them.

    Raises
    ------
    FormatError
        With the number of the first line that cannot be read, found in a second, slower pass.
    """
    names = None if dialect.integer_ids else _Numbering()
    ends, weights = _read(source, dialect, names)
    # The minimum is NaN if any weight is, and makes no mask of full length.
    if weights is not None and not (weights.min() >= 0 and weights.max() < np.inf):
        raise locate(source, dialect, "there are weights that are negative or not finite")
    return ends, weights, None if names is None else list(names)


class _Unfit(Exception):
    """numpy.loadtxt did not accept the lines."""


class _Numbering(dict):
    """Names and their numbers, in the order of first use."""

    def __missing__(self, name):
        self[name] = number = len(self)
        return number

    def number(self, field):
        field = field.strip()
        if not field:
            raise ValueError("a name is blank")
        return self[field]


def _read(source, dialect, names):
    """Straight from the file, or through a filter of lines if that fails or names need it."""
    if names is None and source.direct and (dialect.first_marker is not None or not dialect.comments):
        # numpy reads whole files two times faster than lines that Python hands it.
        read = {"comments": dialect.first_marker, "skiprows": dialect.skip}
        with contextlib.suppress(_Unfit):
            return _load(source, dialect, np.int64 if dialect.wide else np.int32, source.path, **read)
    with source.text(dialect.text_encoding) as text:
        try:
            id_dtype = np.int64 if names is None else np.int32
            return _load(source, dialect, id_dtype, data_lines(text, dialect), names=names, comments=None)
        except _Unfit as error:
            reason = str(error)
    raise locate(source, dialect, reason)


def _load(source, dialect, id_dtype, lines, names=None, **options):
    weighted = dialect.weight_column is not None
    with warnings.catch_warnings(), source.guard():
        warnings.simplefilter("error", DeprecationWarning)  # a fraction as an integer
        try:
            table = np.loadtxt(
                lines,
                dtype=[("ends", id_dtype, 2), ("weight", np.float64)] if weighted else id_dtype,
                delimiter=dialect.delimiter,
                usecols=[*dialect.columns, *([dialect.weight_column] if weighted else [])],
                quotechar='"' if dialect.quoted else None,
                converters=None if names is None else dict.fromkeys(dialect.columns, names.number),
                encoding=source.encoding(dialect.text_encoding),
                ndmin=1 if weighted else 2,
                **options,
            )
        except (InputError, UnicodeDecodeError):
            raise
        except (ValueError, OverflowError, DeprecationWarning) as error:
            raise _Unfit(str(error)) from None
    return (np.ascontiguousarray(table["ends"]), np.ascontiguousarray(table["weight"])) if weighted else (table, None)
