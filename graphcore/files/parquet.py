"""Parquet tables, by pyarrow: edges read in batches; and tables of any columns written, to text as well."""

import contextlib
import csv
import os

import numpy as np

from ..base.progress import note
from ..exceptions import FormatError, InputError, ParameterError, missing_package, warn_user
from ..graphs.columns import TWO_KINDS, edge_columns, is_index, left_out, two_kinds, weight_column
from ..graphs.columns import no_edges as no_edges_in
from ..graphs.ids import Numbering
from ..graphs.weights import counted
from ._format import LAYOUT, Format, block_size
from ._source import MAX_RATIO, check_size
from .atomic import atomic_output, text_output
from .edge_list import graph_of, record_columns, warn_of_names
from .npz import ALWAYS_FINE

# Formats of tables by the endings of their files.
TABLES = {".csv": "csv", ".tsv": "tsv", ".parquet": "parquet"}
_NO_IDS = (
    "a column of nodes cannot be read as {}; if the rows are vectors, use knn_graph (--vectors); ids='string' takes "
    "any numbers for names"
)
_SAMPLE = 200
# Rows that are read at once, at most.
_ROWS = 1 << 20
# Memory of a batch where a whole table is read.
_TABLE_MEMORY = 1 << 28


def check_parquet():
    """Return the modules of pyarrow that are needed, or raise an InputError."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise InputError(missing_package("Parquet", "pyarrow", "parquet")) from None
    return pyarrow, pyarrow.parquet


def write_table(columns, path):
    """Write a dictionary of columns to a .csv, .tsv or .parquet file, atomically."""
    format = TABLES.get(os.path.splitext(path)[1].lower())
    if format is None:
        raise ParameterError(f"the ending of {str(path)!r} is none of {', '.join(TABLES)}")
    if format == "parquet":
        arrow, parquet = check_parquet()
        # Columns of Parquet hold one kind of values.
        columns = {k: list(map(str, v.tolist())) if v.dtype.kind == "O" else v for k, v in columns.items()}
        with atomic_output(path) as stream:
            parquet.write_table(arrow.table(columns), stream)
        return
    with text_output(path) as stream:
        writer = csv.writer(stream, delimiter="," if format == "csv" else "\t", lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))


def _plain_parquet(source):
    """Return the module that reads an open Source, which pyarrow opens by its path."""
    if source.compression:
        raise FormatError("Parquet compresses its columns by itself; decompress the file around it")
    return check_parquet()[1]


def _check_size(source, metadata):
    """Refuse a table whose footer counts far more values than its file can hold, unless any size is accepted."""
    groups = (metadata.row_group(group) for group in range(metadata.num_row_groups))
    n_values = sum(group.column(c).num_values for group in groups for c in range(group.num_columns))
    said = f"the table has {source.size:,} bytes, and says that it holds {n_values:,} values"
    check_size(8 * n_values, MAX_RATIO * source.size, ALWAYS_FINE, said, source.any_size)


def read_table(source):
    """Read all columns of an open Source, as a table of pyarrow's."""
    parquet = _plain_parquet(source)
    with _refusing("the Parquet table cannot be read"):
        with parquet.ParquetFile(source.path) as file:
            _check_size(source, file.metadata)
        table = parquet.read_table(source.path, use_threads=False)
        table.validate(full=True)
    return table


def read_parquet(source, reading):
    """Read an open Source as its Reading says."""
    table = ParquetEdges(source, reading, _TABLE_MEMORY)
    for said in table.notes:
        warn_user(f"{source.name}: {said}")
    record_columns(table.called)
    blocks = []
    for ends, weights, share in table.blocks(0, None):
        note(f"{share:.0%}")
        blocks.append((ends, weights))
    if not sum(len(ends) for ends, _ in blocks):
        raise FormatError("the table has no rows: there are no edges")
    ends, weights = map(np.concatenate, zip(*blocks, strict=True))
    warn_of_names(source, table.numbering or {})
    weights = counted(weights, len(ends), reading.count_repeats)
    return graph_of(ends, weights, None if table.numbering is None else list(table.numbering), reading)


class EdgeTable:
    """The columns of a table that hold edges, chosen by its schema, and the conversion of pyarrow's batches."""

    n_nodes = None  # tables do not state it

    def __init__(self, schema, reading, whole=()):
        """Choose columns; those of floats called in `whole` begin with integers, as they have beside missing values."""
        arrow, _ = check_parquet()
        names, given, ids = schema.names, reading.weight_column, reading.ids
        ends = _ends(names, reading)
        if len(ends) < 2:
            raise FormatError(f"the table has {len(names)} columns, and edges have two ends")
        weight = given
        if given == "auto":
            kinds = arrow.types.is_integer, arrow.types.is_floating, arrow.types.is_decimal
            numeric = [f.name for f in schema if any(is_kind(f.type) for is_kind in kinds)]
            weight = weight_column([name for name in numeric if name not in ends])
        elif given is not None:
            weight = _named(given, names, "weight_column")
            if weight in ends:
                raise ParameterError(f"weight_column={given!r} is a column of the end nodes")
        self.columns, self.weighted = [*ends, *([] if weight is None else [weight])], weight is not None
        twice = [name for name in self.columns if names.count(name) > 1]
        if twice:
            raise FormatError(f"several columns are called {twice[0][:80]!r}; rename them")
        others = [name for name in names if name not in self.columns and not is_index(name)]
        self.called, hint = self.columns, ""
        if not (reading.columns or edge_columns(names)):
            hint = f" (columns {ends[0]!r} and {ends[1]!r} are taken for the ends; pass columns= for others)"
        self.notes = []
        if given == "auto" and others:
            offered = {c: c for c in numeric if c in others}
            self.notes.append(left_out(others, "weight_column", offered, hint, weight))
        types = [schema.field(name).type for name in ends]
        for name, kind in zip(ends, types, strict=True):
            if arrow.types.is_nested(kind):
                raise FormatError(
                    f"column {name} holds {kind}, and no nodes; if these are vectors, use knn_graph (--vectors)"
                )
            if arrow.types.is_floating(kind) and ids == "auto" and name not in whole:
                self.notes.append(
                    f"column {name} holds {kind}, which are taken for names of nodes; if the rows are vectors, use "
                    "knn_graph (--vectors)"
                )
            if arrow.types.is_boolean(kind) or arrow.types.is_temporal(kind):
                raise FormatError(f"column {name} holds {kind}, and nodes are integers or text; pass columns=")
        no_edges = None if reading.columns or reading.declared else no_edges_in(*ends)
        if no_edges is not None:
            raise FormatError(no_edges)
        self._two_kinds = ends if two_kinds(*ends) else None
        integers = all(arrow.types.is_integer(kind) or name in whole for name, kind in zip(ends, types, strict=True))
        if ids == "integer" and not integers:
            raise FormatError(f"columns {ends[0]} and {ends[1]} are {types[0]} and {types[1]}")
        self.numbering = None if integers and ids != "string" else Numbering()

    def arrays(self, batch, n_before=None):
        """Return (ends, weights) of a batch; new names get the next numbers.

        `n_before` is the number of rows before it, where that is known, so that errors can name a row.
        """
        arrays = [batch.column(batch.schema.get_field_index(name)) for name in self.columns]
        arrays = [_as_text(array) if c < 2 else array for c, array in enumerate(arrays)]
        for name, array in zip(self.columns, arrays, strict=True):
            if array.null_count:
                where = first_row(array.is_null().to_numpy(zero_copy_only=False), n_before)
                raise FormatError(f"column {name} has missing values{where}; leave such rows out")
        if self.numbering is None:
            ends = np.stack([_numbers(array, np.int64, _NO_IDS) for array in arrays[:2]], axis=1)
        else:
            # Names are listed row by row, to be numbered in the order in which they first appear.
            names = [str(name) for row in zip(*(a.to_pylist() for a in arrays[:2]), strict=True) for name in row]
            ends = self.numbering.of(names, len(names)).reshape(-1, 2)
        if self._two_kinds and np.isin(ends[:, 0], ends[:, 1]).any():
            self._two_kinds = warn_user(TWO_KINDS.format(*self._two_kinds))
        weights = _numbers(arrays[2], np.float64) if self.weighted else np.empty(0)
        wrong = ~(np.isfinite(weights) & (weights >= 0))
        if wrong.any():
            where = first_row(wrong, n_before)
            raise FormatError(f"column {self.columns[2]} has weights that are negative or not finite{where}")
        return ends, weights


class ParquetEdges(EdgeTable):
    """The edges of an open Source by blocks; the attributes are those of `TextEdges`."""

    def __init__(self, source, reading, memory):
        parquet = _plain_parquet(source)
        with _refusing("the Parquet table cannot be read"), parquet.ParquetFile(source.path) as table:
            _check_size(source, table.metadata)
            schema = table.schema_arrow
            is_float = check_parquet()[0].types.is_floating
            floats = [name for name in set(_ends(schema.names, reading)) if _is_of_kind(schema, name, is_float)]
            first = next(table.iter_batches(_SAMPLE, columns=floats, use_threads=False), None) if floats else None
        values = {} if first is None else {name: first.column(name).to_numpy(zero_copy_only=False) for name in floats}
        super().__init__(schema, reading, [name for name, v in values.items() if (np.trunc(v) == v).all()])
        self._path, self._n_rows = source.path, block_size(_ROWS, memory)

    def blocks(self, skip, _folder):
        """Yield (ends, weights, share of the table read), leaving out the first `skip` blocks."""
        _, parquet = check_parquet()
        with parquet.ParquetFile(self._path, buffer_size=1 << 20, pre_buffer=False) as table:
            total, read, number = max(1, table.metadata.num_rows), 0, 0
            batches = table.iter_batches(self._n_rows, columns=self.columns, use_threads=False)
            while True:
                with _refusing("the Parquet table is damaged"):
                    batch = next(batches, None)
                    if batch is None:
                        return
                    batch.validate(full=True)
                before, read, number = read, read + batch.num_rows, number + 1
                if number > skip:
                    yield *self.arrays(batch, before), read / total


def _ends(names, reading):
    """Return the names of the columns of the end nodes: those asked for, those called so, or the first two."""
    ends = reading.columns or edge_columns(names) or [name for name in names if not is_index(name)][:2]
    return [_named(end, names, "columns") for end in ends]


def _is_of_kind(schema, name, is_kind):
    return schema.names.count(name) == 1 and is_kind(schema.field(name).type)


def _named(column, names, parameter):
    """Return the name of a column that is given by its name in any case, or by its position."""
    if not isinstance(column, str):
        if column >= len(names):
            raise FormatError(f"the table has {len(names)} columns; {parameter} are counted from 0, got {column}")
        return names[column]
    found = next((name for name in names if column == name), None)
    found = found or next((name for name in names if column.lower() == name.lower()), None)
    if found is None:
        raise ParameterError(f"{parameter}={column[:80]!r} is no column; there are {', '.join(map(repr, names))}")
    return found


def first_row(wrong, n_before):
    """Say which row of a table is the first of those that are wrong, in a batch behind so many others."""
    return "" if n_before is None else f", first in row {n_before + int(np.argmax(wrong))} (counted from 0)"


def _as_text(array):
    """Return names that are stored as bytes or in a dictionary as text."""
    arrow, _ = check_parquet()
    kind = array.type
    if arrow.types.is_dictionary(kind):
        array, kind = array.dictionary_decode(), kind.value_type
    if not (arrow.types.is_binary(kind) or arrow.types.is_large_binary(kind)):
        return array
    with _refusing("a column of names is no text in UTF-8"):
        return array.cast(arrow.large_string())


def _numbers(array, dtype, refused="a column cannot be read as {}"):
    arrow, _ = check_parquet()
    with _refusing(refused.format(np.dtype(dtype))):
        return array.cast(arrow.from_numpy_dtype(dtype)).to_numpy(zero_copy_only=False)


@contextlib.contextmanager
def _refusing(failure):
    """Turn errors of pyarrow into a FormatError that states the `failure` and its reason."""
    arrow, _ = check_parquet()
    try:
        yield
    except InputError:
        raise
    except (ValueError, OSError, arrow.ArrowException) as error:
        said = str(error).partition("\n")[0][:200]
        raise FormatError(f"{failure}: {said}") from None


PARQUET = Format(
    "parquet", sniff=lambda source: source.begins_with(b"PAR1"), read=read_parquet, edges=ParquetEdges, is_text=False,
    isolated=False, idle=LAYOUT,
)  # fmt: skip
