"""Vectors from files: numpy's and scipy's own formats, Parquet, and tables of numbers as text."""

import re
import warnings

from ..exceptions import FormatError, InputError, warn_user

# This encoding knows every byte; numbers are alike in all encodings, and names of columns are ignored.
_TEXT = "latin-1"
_UNREADABLE = re.compile(r"could not convert string (?P<value>'.*') to float64 at row (?P<row>\d+), column (?P<at>\d+)")


def read_vectors(path, any_size=False):
    """Read one vector per row, from ``.npy`` (two dimensions), ``.npz`` (scipy's, or one array), Parquet, or text.

    The content says which, also where it is compressed (but for Parquet). Text is numbers between commas, semicolons,
    tabs or blanks, perhaps with ``#`` comments and a line of names. Of a Parquet table all columns are taken, or the
    one of lists.
    """
    from ..files._source import open_source

    with open_source(path, any_size) as source:
        try:
            X = _load(source)
        except ValueError as error:
            if isinstance(error, InputError):
                raise
            raise FormatError(f"cannot be read as vectors: {_said(error)}") from error
        if X.ndim != 2 or 0 in X.shape:
            raise InputError(f"vectors are rows of an array of two dimensions; this one has shape {X.shape}")
        if X.dtype.kind not in "biuf":
            raise InputError(f"vectors are rows of real numbers; this array holds {X.dtype}")
        return X


def _load(source):
    from ..files.npz import NPZ_MAGIC, matrix_of, open_archive, read_array

    if source.head.startswith(b"\x93NUMPY") or source.suffix == ".npy":
        with source.open() as stream:
            return read_array(stream, source.size)
    if source.head.startswith(NPZ_MAGIC) or source.suffix == ".npz":
        with source.open() as stream, open_archive(stream) as archive:
            if "format" in archive:
                return matrix_of(archive).tocsr()
            if len(archive.names) != 1:
                listed = ", ".join(archive.names)[:200]
                raise InputError(f"holds {len(archive.names)} arrays ({listed}); save the vectors alone")
            return archive[archive.names[0]]
    return _load_parquet(source) if source.begins_with(b"PAR1") else _load_text(source)


def _load_parquet(source):
    import numpy as np

    from ..files.parquet import check_parquet, read_table

    table, kinds = read_table(source), check_parquet()[0].types
    lists = [f.name for f in table.schema if kinds.is_list(f.type) or kinds.is_fixed_size_list(f.type)]
    if len(lists) == 1:
        if len(table.column_names) > 1:
            warn_user(f"{source.name}: the vectors are the lists in column {lists[0]!r}; no other column is read")
        rows = table.column(lists[0]).to_numpy()
        if len({0 if row is None else len(row) for row in rows}) > 1:
            raise InputError(f"the lists in column {lists[0]!r} are not all of one length")
        return np.stack(rows) if len(rows) else np.empty((0, 0))
    for field in table.schema:
        if not (kinds.is_integer(field.type) or kinds.is_floating(field.type) or kinds.is_boolean(field.type)):
            raise InputError(f"column {field.name!r} holds {field.type}, and vectors are numbers only; leave it out")
    return np.stack([column.to_numpy() for column in table.columns], axis=1) if table.columns else np.empty((0, 0))


def _load_text(source):
    import numpy as np

    from ..files._columns import MISSING, is_number

    if source.head:
        source.require_text()
    with source.text(_TEXT) as lines:
        contents = ((number, line.partition("#")[0].strip()) for number, line in enumerate(lines))
        before, first = next(((number, content) for number, content in contents if content), (0, None))
    if first is None:
        raise InputError("holds no numbers")
    delimiter = next((mark for mark in ";,\t" if mark in first), None)
    # The first line has names of columns if a field is neither a number nor a sign for a missing one.
    fields = [field.strip() for field in first.split(delimiter)]
    has_names = any(not is_number(field) and field.lower() not in MISSING for field in fields)
    options: dict = {"delimiter": delimiter, "skiprows": before + has_names, "ndmin": 2}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "loadtxt: input contained no data")  # an InputError below
        if source.direct:  # numpy reads files in larger pieces than streams
            with source.guard():
                X = np.loadtxt(source.path, encoding=source.encoding(_TEXT), **options)
        else:
            with source.text(_TEXT) as lines:
                X = np.loadtxt(lines, **options)
    if X.size == 0:
        raise InputError("holds column names and no numbers")
    return X


def _said(error):
    """Shorten numpy's message to its first line, or say which field is no number and what to do."""
    found = _UNREADABLE.search(str(error))
    if found is None:
        return str(error).partition("\n")[0][:200]
    return (
        f"column {int(found['at']) - 1} of row {found['row']} (both counted from 0) holds {found['value'][:80]}; "
        "vectors are numbers only, with decimal points: leave out columns of names, fill in what is missing"
    )
