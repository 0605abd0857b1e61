"""Vectors from files: numpy's and scipy's own formats, Parquet, and tables of numbers as text."""

import csv
import re
import warnings
from collections import Counter
from itertools import islice, zip_longest
from typing import Any

import numpy as np

from ..exceptions import FormatError, InputError, warn_user
from ..graphs.columns import ID_NAMES, column_called, edge_columns, is_index

# Names of columns that are no coordinates: an index, and classes.
_INDEX = re.compile(r"(.*[\W_])?(id|index|row|node|key)|.*[a-z]Id")
_CLASSES = frozenset(["label", "labels", "class", "cluster", "target", "truth"])
# Lines by which the layout of a text is guessed.
_SAMPLE = 50


def read_rows(path, encoding="utf-8"):
    """Read one vector per row, the names of the rows, and those of the columns, None where there are none.

    Files are ``.npy`` (two dimensions), ``.npz`` (scipy's, or one array), Parquet, or text: numbers between commas,
    semicolons, tabs or blanks, perhaps with ``#`` comments, a line of names of columns (or of sizes, as word2vec writes
    it). Of a Parquet table all columns are taken, or the one of lists, without an index of pandas. The only column of
    text has the names, or else the only one that is an index or called as one. A warning names columns that are no
    coordinates.
    """
    from ..files.source import open_source

    with open_source(path) as source:
        try:
            X, names, columns = _load(source, encoding)
        except (ValueError, IndexError) as error:
            if isinstance(error, InputError):
                raise
            said = str(error).partition("\n")[0][:200].rstrip(".")
            raise FormatError(f"cannot be read as vectors, which are numbers only: {said}") from error
        if X.ndim != 2 or 0 in X.shape:
            raise InputError(f"vectors are rows of an array of two dimensions; this one has shape {X.shape}")
        if X.dtype.kind not in "biuf":
            raise InputError(f"vectors are rows of real numbers; this array holds {X.dtype}")
        again = next((name for name, times in Counter(names or ()).items() if times > 1), None)
        if again is not None:
            warn_user(f"{source.name}: the names of rows are not read, as {again[:80]!r} stands there more than once")
        return X, names if again is None else None, columns


def _load(source, encoding):
    from ..files.npz import NPZ_MAGIC, matrix_of, open_archive, read_array

    if source.head.startswith(b"PAR1"):
        return _load_parquet(source)
    if not source.head.startswith((b"\x93NUMPY", NPZ_MAGIC)) and source.suffix not in (".npy", ".npz"):
        return _load_text(source, encoding)
    if not source.head.startswith(NPZ_MAGIC):
        with source.open() as stream:
            return read_array(stream), None, None
    with open_archive(source) as archive:
        if "format" in archive:
            return matrix_of(archive).tocsr(), None, None
        if len(archive.names) != 1:
            listed = ", ".join(archive.names)[:200]
            raise InputError(f"holds {len(archive.names)} arrays ({listed}); save the vectors alone")
        return archive[archive.names[0]], None, None


def _load_parquet(source):
    from ..files.parquet import read_table
    from ..files.source import refusing

    table = read_table(source)

    def texts_of(name):
        return None if name is None else list(map(str, table.column(name).to_pylist()))

    with refusing("the table's metadata of pandas are damaged"):
        stored = (table.schema.pandas_metadata or {}).get("index_columns", ())
        levels = [name for name in table.column_names if name in stored]
    kinds = {field.name: str(field.type) for field in table.schema}
    texts = [name for name, kind in kinds.items() if kind in ("string", "large_string")]
    lists = [name for name, kind in kinds.items() if "list" in kind]
    integers = [name for name, kind in kinds.items() if re.match("u?int", kind)]
    named = column_called(texts + integers, ID_NAMES, texts[0] if len(texts) == 1 else None)
    namer = None
    if named in texts and len(kinds) > 1 and not table.column(named).null_count:
        namer, levels = named, [name for name in levels if name != named]
    elif len(levels) == 1 and len(set(texts_of(levels[0]))) == table.num_rows:
        namer = levels[0]
    for name in levels:
        _say_left(source, name, "an index", name == namer)
    rest = [name for name in table.column_names if name not in (namer, *levels)]
    if len(lists) == 1:
        others = [name for name in rest if name != lists[0]]
        said = "no other column is read"
        index = named if named in others else others[0] if len(others) == 1 else None
        if namer is None and index in integers and _is_index(index):
            namer, said = index, f"{index!r} names the rows"
        if others:
            warn_user(f"{source.name}: the vectors are the lists in column {lists[0]!r}; {said}")
        rows = table.column(lists[0]).to_numpy()
        if len({0 if row is None else len(row) for row in rows}) > 1:
            raise InputError(f"the lists in column {lists[0]!r} are not all of one length")
        return np.stack(rows) if len(rows) else np.empty((0, 0)), texts_of(namer), None
    beside = [] if named is None else [name for name in texts if name != named and name in rest]
    for name in beside:
        _say_left(source, name, "text", False)
    rest = [name for name in rest if name not in beside]
    for name in rest:
        if not re.match("u?int|float|double|halffloat|bool", kinds[name]):
            raise InputError(f"column {name!r} holds {kinds[name]}, and vectors are numbers only; leave it out")
        if table.column(name).null_count:
            raise InputError(f"column {name!r} has missing values; fill them in, or leave these rows out")
    X = np.stack([table.column(name).to_numpy() for name in rest], axis=1) if rest else np.empty((0, 0))
    coordinates, columns, index = _coordinates(source, X, rest, range(X.shape[1]))
    return coordinates, texts_of(rest[index] if namer is None and index is not None else namer), columns


def _load_text(source, encoding):
    """Read text; the layout is that of the first lines below a header."""
    from ..files.text import is_number

    if source.head:
        source.require_text()
        source.require_lines()
    with source.text(encoding, errors="replace") as text:
        lines = list(islice((line.rstrip("\n") for line in text if line.strip()), _SAMPLE))
    if not lines:
        raise InputError("holds no numbers")
    plain = [line for line in lines[1:] if not line.startswith("#")] or lines
    delimiter = next((mark for mark in ";,\t|" if all(mark in line for line in plain)), None)
    rows = [next(csv.reader([line], delimiter=delimiter)) if delimiter else line.split() for line in lines]
    below = [row for row, line in zip(rows[1:], lines[1:], strict=True) if not line.startswith("#")]
    texts = [
        c
        for c, column in enumerate(zip_longest(*below, fillvalue=""))
        if 2 * sum(field.strip() != "" and not is_number(field) for field in column) > len(below)
    ]
    # Words of embeddings may begin with the mark of comments.
    marks = () if texts else "#"
    while marks and len(rows) > 1 and rows[0][0].strip().startswith("#"):
        rows.pop(0)
    head = [field.strip() for field in rows[0]]
    width = max(map(len, below or rows))
    sizes = delimiter is None and len(head) == 2 and len(rows) > 1 and [str(len(rows[1]) - 1)] == head[1:]
    if sizes:  # as word2vec writes them
        texts, head = [0], []
    elif texts == [0] and len(head) == width - 1:  # R writes no name above names of rows
        head = ["", *head]
    places = [c for c in range(width) if c not in texts[:1]]
    called = [head[c] for c in places if c < len(head)]
    counts = [field for field in called if field] == [str(c) for c in range(sum(map(bool, called)))]
    fractions = any("." in field for row in below for field in row)
    header = None
    if sizes or (not all(map(is_number, called)) and any(map(_is_word, called))):
        header = head
    elif counts and len(rows) > 1 and (fractions or head[0] == "") and len(head) > 1:
        header = head
        warn_user(f"{source.name}: the first line counts the columns, and is not read as a vector")
    if header and edge_columns(header, certain=True) is not None:
        raise InputError("the columns are called as the ends of edges are; edges are clustered without --vectors")
    layout: dict[str, Any] = {
        "delimiter": delimiter, "skiprows": 0 if header is None else 1 + len(lines) - len(rows), "ndmin": 2,
        "comments": marks or None, "quotechar": '"',
    }  # fmt: skip
    number = 0

    def filled(text):
        nonlocal number
        for line in text:
            number += 1
            if line.strip(" \n"):
                yield line

    with warnings.catch_warnings(), source.text("latin-1") as text:  # every byte is a character
        warnings.filterwarnings("ignore", "loadtxt: input contained no data")  # an InputError below
        try:
            X = np.loadtxt(filled(text), usecols=places, **layout)
        except ValueError as error:  # numpy counts rows without header, comments and blank lines
            said, n_rows = re.subn(r" at row \d+", "", str(error).rstrip("."))
            if n_rows == 0:
                raise
            odd = re.fullmatch(r"could not convert string (.*) to float64, column (\d+)", said, re.DOTALL)
            if odd:
                c = int(odd[2]) - 1
                name = dict(enumerate(header or ())).get(c)
                column = repr(name[:80]) if name else f"{c} (counted from 0)"
                said = (
                    f"column {column} holds {odd[1][:80]}, and vectors are numbers only; fill missing values in, and "
                    "leave columns of text out, but for one of names"
                )
            raise FormatError(f"line {number}: {said}") from None
    if X.size == 0:
        raise InputError("holds no numbers")
    X, columns, index = _coordinates(source, X, called if header else None, places)
    ids, named = None, texts[0] if texts else index
    if named is not None:
        with source.text(encoding) as text:
            found = np.loadtxt(filled(text), dtype=str, usecols=named, **layout)
        ids = [name.strip() for name in found.ravel().tolist()]
    return X, ids, columns


def _is_index(name):
    name = str(name)
    bare = name.strip()
    return is_index(name) or bare.lower() in ID_NAMES or any(map(_INDEX.fullmatch, (bare, bare.lower())))


def _is_word(field):
    from ..files.text import is_number

    missing = field.lower() in ("na", "n/a", "null", "none")
    return re.search(r"[^\W\d_]", field) is not None and not (missing or is_number(field))


def _coordinates(source, X, names, places):
    """Return X without columns that number the rows or hold their classes, which is said, and names of the others.

    `places` are those of the columns in the file. Third comes that of the only column that numbers the rows, or None.
    """
    left, first = {}, X[:, 0]
    for c, name in enumerate(names or ()):
        if (X[:, c] != np.trunc(X[:, c])).any():
            continue
        if _is_index(name):
            left[c] = "an index"
        elif str(name).strip().lower() in _CLASSES:
            left[c] = "called as classes are"
    if names is None and places == list(range(X.shape[1])) and X.shape[1] > 1 and len(X) > 2:
        counts = first[0] in (0, 1) and bool((np.diff(first) == 1).all())
        if counts and (X[:, 1:] != np.trunc(X[:, 1:])).any():
            left[0] = "an index"
    if len(left) == X.shape[1]:
        left = {}
    numbering = [c for c, what in left.items() if what == "an index"]
    index = numbering[0] if len(numbering) == 1 and len(np.unique(X[:, numbering[0]])) == len(X) else None
    for c, what in left.items():
        column = names[c] if names is not None and names[c] else places[c]
        _say_left(source, column, what, c == index)
    kept = None if names is None else [name for c, name in enumerate(names) if c not in left]
    return (np.delete(X, list(left), axis=1) if left else X), kept, None if index is None else places[index]


def _say_left(source, column, what, names_rows):
    warn_user(f"{source.name}: column {column!r} is {what}, and {'names the rows' if names_rows else 'is not read'}")


def in_order_of(X, columns, wanted):
    """Return X with its columns in the order of those that a model was fitted to, where both have names."""
    if columns is None or wanted is None or list(columns) == list(wanted):
        return X
    if sorted(columns) != sorted(wanted):
        other = next((name for name in wanted if name not in columns), columns[-1])
        raise InputError(
            f"the model was fitted to columns {', '.join(map(repr, wanted))[:160]}, and these are "
            f"{', '.join(map(repr, columns))[:160]}: {other!r} is in one only; give all of them, by these names"
        )
    places = np.empty(len(wanted), dtype=np.int64)  # of equal names in their order
    places[np.argsort(wanted, kind="stable")] = np.argsort(columns, kind="stable")
    return np.asarray(X)[:, places]
