"""Vectors from files: numpy's and scipy's own formats, Parquet, and tables of numbers as text."""

import re
import warnings
from collections import Counter
from contextlib import contextmanager

from ..exceptions import FormatError, InputError, warn_user

# This encoding knows every byte; numbers are alike in all encodings, and names of columns are ignored.
_TEXT = "latin-1"
# Names of a first column of different integers, and of classes, which are no coordinates.
_NUMBERS = re.compile(r"^(index|row|sample|cell|node|no|nr|number)$|id$")
_CLASSES = frozenset(["label", "labels", "class", "cluster", "target", "truth", "category"])
_UNREADABLE = re.compile(r"could not convert string (?P<value>'.*') to float64 at row (?P<row>\d+), column (?P<at>\d+)")


@contextmanager
def by_order_of_columns():
    """Silence scikit-learn's warning that vectors of a file have no names of columns, which a data frame had."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names", UserWarning)
        yield


def read_vectors(path, any_size=False):
    """Read the vectors of :func:`read_rows`."""
    return read_rows(path, any_size)[0]


def read_rows(path, any_size=False, encoding="utf-8"):
    """Read one vector per row, and the names of the rows, None where there are none.

    Files are ``.npy`` (two dimensions), ``.npz`` (scipy's, or one array), Parquet, or text; the content says which,
    also where it is compressed (but for Parquet). Text is numbers between commas, semicolons, tabs or blanks, perhaps
    with ``#`` comments, a line of names of columns (or of sizes, as word2vec writes it), and a first column of names.
    Of a Parquet table all columns are taken, or the one of lists; its only column of text has the names. An index of
    numbers is left out; what is not read is said in a warning.
    """
    from ..files._source import open_source

    with open_source(path, any_size) as source:
        try:
            X, names = _load(source, encoding)
        except ValueError as error:
            if isinstance(error, InputError):
                raise
            raise FormatError(f"cannot be read as vectors: {_said(error)}") from error
        if X.ndim != 2 or 0 in X.shape:
            raise InputError(f"vectors are rows of an array of two dimensions; this one has shape {X.shape}")
        if X.dtype.kind not in "biuf":
            raise InputError(f"vectors are rows of real numbers; this array holds {X.dtype}")
        return X, None if names is None else _different(source, names)


def _load(source, encoding):
    from ..files.npz import NPZ_MAGIC, matrix_of, open_archive, read_array

    if source.head.startswith(b"\x93NUMPY") or source.suffix == ".npy":
        with source.open() as stream:
            return read_array(stream, source.size), None
    if source.head.startswith(NPZ_MAGIC) or source.suffix == ".npz":
        with source.open() as stream, open_archive(stream, any_size=source.any_size) as archive:
            if "format" in archive:
                return matrix_of(archive).tocsr(), None
            if len(archive.names) != 1:
                listed = ", ".join(archive.names)[:200]
                raise InputError(f"holds {len(archive.names)} arrays ({listed}); save the vectors alone")
            return archive[archive.names[0]], None
    return _load_parquet(source) if source.begins_with(b"PAR1") else _load_text(source, encoding)


def _different(source, names):
    """Return names of rows, or None with a warning where two are the same."""
    again = next((name for name, times in Counter(names).items() if times > 1), None)
    if again is None:
        return names
    warn_user(f"{source.name}: the names of rows are not read, as {again[:80]!r} stands there more than once")
    return None


def _load_parquet(source):
    import numpy as np

    from ..files.parquet import check_parquet, first_row, read_table
    from ..graphs.columns import is_index

    table, kinds = read_table(source), check_parquet()[0].types
    are_lists = kinds.is_list, kinds.is_large_list, kinds.is_fixed_size_list
    lists = [f.name for f in table.schema if any(is_list(f.type) for is_list in are_lists)]
    texts = [f.name for f in table.schema if kinds.is_string(f.type) or kinds.is_large_string(f.type)]
    names = None
    if len(texts) == 1 and len(table.column_names) > 1 and not table.column(texts[0]).null_count:
        names = table.column(texts[0]).to_pylist()
        table = table.drop_columns(texts)
    if len(lists) == 1:
        if len(table.column_names) > 1:
            warn_user(f"{source.name}: the vectors are the lists in column {lists[0]!r}; no other column is read")
        rows = table.column(lists[0]).to_numpy()
        if len({0 if row is None else len(row) for row in rows}) > 1:
            raise InputError(f"the lists in column {lists[0]!r} are not all of one length")
        return np.stack(rows) if len(rows) else np.empty((0, 0)), names
    for field in table.schema:
        if not (kinds.is_integer(field.type) or kinds.is_floating(field.type) or kinds.is_boolean(field.type)):
            if not is_index(field.name):
                raise InputError(
                    f"column {field.name!r} holds {field.type}, and vectors are numbers only; leave it out"
                )
            warn_user(f"{source.name}: column {field.name!r} is an index, and is not read")
            table = table.drop_columns([field.name])
        elif table.column(field.name).null_count:
            where = first_row(table.column(field.name).is_null().to_numpy(), 0)
            raise InputError(f"column {field.name!r} has missing values{where}; fill them in, or leave these rows out")
    if not table.columns:
        return np.empty((0, 0)), None
    X = np.stack([column.to_numpy() for column in table.columns], axis=1)
    return _without_index(source, X, table.column_names), names


def _load_text(source, encoding):
    """Read text; the layout is that of the first lines below a header."""
    import numpy as np

    from ..files._dialect import EXCEL, named_columns, sample_lines, split_line
    from ..files._fields import is_number

    if source.head:
        source.require_text()
    with source.text(_TEXT) as text:
        numbered, *_ = sample_lines(text, ("#",))
    if len(numbered) > 1 and EXCEL.fullmatch(numbered[0][1]):
        del numbered[0]
    if not numbered:
        raise InputError("holds no numbers")
    lines = [line for _, line in numbered]
    body = lines[1:] or lines
    delimiter = next((mark for mark in ";,\t|" if all(mark in line for line in body)), None)
    # Words of embeddings may be quotes and comment marks.
    words = sum(map(_is_word, (line.split(delimiter, 1)[0].strip().strip('"') or "-" for line in body)))
    named = int(2 * words > len(body))
    quoted = any(line.count('"') > 1 for line in lines)
    if not named or quoted:
        lines = [line.partition("#")[0] for line in lines]
    rows = [split_line(line, delimiter, quoted) for line in lines]
    skip = numbered[0][0] - 1
    has_sizes = delimiter is None and _are_sizes(rows)
    if has_sizes:
        rows, skip, named = rows[1:], numbered[0][0], 1
    rows[0] = named_columns(rows)
    if len(rows[0]) > 1 and not any(row[-1] for row in rows[1:] or rows):  # each line ends in a delimiter
        rows = [row[:-1] for row in rows]
    width, body = len(rows[0]), rows[1:] or rows
    named = named if width > 1 else 0
    names = rows[0] if any(map(_is_word, rows[0][named:])) or (not has_sizes and _is_counted(rows[0], body)) else None
    if names is not None and all(map(is_number, names[1:])):
        warn_user(f"{source.name}: the first line counts the columns, and is not read as a vector")
    layout = {
        "delimiter": delimiter, "skiprows": skip + (names is not None), "quotechar": '"' if quoted else None,
        "comments": None if named and not quoted else "#",
    }  # fmt: skip
    X = _numbers(source, ndmin=2, usecols=range(named, width), **layout)
    if X.size == 0:
        raise InputError("holds column names and no numbers")
    ids = None
    if named:
        with source.text(encoding) as lines:
            ids = [name.strip() for name in np.loadtxt(lines, dtype=str, usecols=0, ndmin=1, **layout).tolist()]
    return _without_index(source, X, names if names is None else names[named:], named), ids


def _numbers(source, **options):
    import numpy as np

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "loadtxt: input contained no data")  # an InputError of the caller
        if source.direct and source.size:  # numpy reads files in larger pieces than streams
            with source.guard():
                return np.loadtxt(source.path, encoding=source.encoding(_TEXT), **options)
        with source.text(_TEXT) as lines:
            return np.loadtxt(lines, **options)


def _is_word(field):
    from ..files._fields import MISSING, is_formatted, is_number

    return not (is_number(field) or is_formatted(field)) and field.lower() not in MISSING


def _are_sizes(rows):
    """Return whether the first line has the numbers of vectors and columns, as word2vec's text does."""
    sizes = rows[0]
    is_pair = len(rows) > 1 and len(sizes) == 2 and all(map(str.isdecimal, sizes))
    return is_pair and len(rows[1]) == int(sizes[1]) + 1 and (len(rows[1]) > 2 or _is_word(rows[1][0]))


def _is_counted(first, body):
    """Return whether the first line counts the columns from 0, as pandas does, perhaps beside an index."""
    fields = first[1:] if first[0] == "" else first
    fractions = any("." in field for row in body for field in row)
    return fields == [str(c) for c in range(len(fields))] and (first[0] == "" or len(fields) > 2 or fractions)


def _without_index(source, X, names, named=False):
    """Leave out columns that only number the rows, or have their classes; `named` if names of rows are left out."""
    import numpy as np

    from ..graphs.columns import is_index, plain

    left = {c: "an index" for c, name in enumerate(names or ()) if is_index(name)}
    first = X[:, 0].astype(np.float64)
    steps = np.diff(first)
    whole = X.shape[1] > 1 and len(X) > 2 and not named and bool((first == np.trunc(first)).all())
    if names is None:
        counts = whole and first[0] in (0, 1) and bool((steps == 1).all())
        is_index_too = counts and bool((X[:, 1:] != np.trunc(X[:, 1:])).any())
    else:
        is_index_too = whole and _NUMBERS.search(plain(names[0])) and len(np.unique(first)) == len(X)
    if is_index_too:
        left[0] = "an index"
    for c, name in enumerate(names or ()):
        if plain(name) in _CLASSES and (X[:, c] == np.trunc(X[:, c])).all():
            left[c] = "called as classes are"
    if not left or len(left) == X.shape[1]:
        return X
    for c, what in sorted(left.items()):
        column = names[c] if names is not None and names[c] else c + named
        warn_user(f"{source.name}: column {column!r} is {what}, and is not read")
    return np.delete(X, sorted(left), axis=1)


def _said(error):
    """Shorten numpy's message to its first line, or say which field is no number and what to do."""
    found = _UNREADABLE.search(str(error))
    if found is None:
        return str(error).partition("\n")[0][:200]
    remedy = "leave out columns of names, fill in what is missing"
    if found["value"][1:2] == "[":
        remedy = "write lists as columns, as numpy.stack(frame[name].map(json.loads)) makes of them, or Parquet"
    elif re.match(r"'\d+:", found["value"]):
        remedy = "read LIBSVM's format with sklearn.datasets.load_svmlight_file, and give scipy.sparse.save_npz's file"
    return (
        f"column {int(found['at']) - 1} of row {found['row']} (both counted from 0) holds {found['value'][:80]}; "
        f"vectors are numbers only, with decimal points: {remedy}"
    )
