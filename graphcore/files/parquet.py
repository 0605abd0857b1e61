"""Parquet tables, by pyarrow: edges read in batches; and tables of any columns written, to text as well."""

import contextlib
import csv
import os

import numpy as np

from ..exceptions import FormatError, InputError, ParameterError, missing_package, warn_user
from ..graphs.columns import TWO_KINDS, two_kinds
from ..graphs.ids import Numbering
from .atomic import atomic_output, text_output
from .edge_list import FULL_MEMORY, block_size, choose_columns, graph_of_blocks

# Formats of tables by the endings of their files.
TABLES = {".csv": "csv", ".tsv": "tsv", ".parquet": "parquet"}
# Rows that are read at once, at most, and rows that are looked at before.
_ROWS, _SAMPLE = 1 << 20, 200


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


@contextlib.contextmanager
def _opened(source):
    """Yield the ParquetFile in an open Source, which pyarrow opens by its path."""
    if source.compression:
        raise FormatError("Parquet compresses its columns by itself; decompress the file around it")
    _, parquet = check_parquet()
    with _refusing("the Parquet table cannot be read"):
        table = parquet.ParquetFile(source.path, buffer_size=1 << 20, pre_buffer=False)
    with table:
        yield table


def read_table(source):
    """Read all columns of an open Source, as a table of pyarrow's."""
    with _opened(source) as file, _refusing("the Parquet table cannot be read"):
        table = file.read(use_threads=False)
        table.validate(full=True)
    return table


def read_parquet(source, reading):
    """Read an open Source as its Reading says."""
    edges = ParquetEdges(source, reading)
    return graph_of_blocks(edges, edges.blocks(None), reading, source.name)


class ParquetEdges:
    """The edges of an open Source by blocks; the attributes are those of `TextEdges`."""

    n_nodes = None  # tables do not state it

    def __init__(self, source, reading, memory=FULL_MEMORY // 4):
        types = check_parquet()[0].types
        self._source, self._n_rows = source, block_size(_ROWS, memory)
        with _opened(source) as file:
            schema = file.schema_arrow
            names = schema.names
            are_numbers = types.is_integer, types.is_floating, types.is_decimal
            numeric = [c for c, field in enumerate(schema) if any(is_kind(field.type) for is_kind in are_numbers)]
            columns, weight, self.notes = choose_columns(names, numeric, reading)
            ends = [schema.field(c) for c in columns]
            self.columns = [names[c] for c in (*columns, *([] if weight is None else [weight]))]
            twice = next((name for name in self.columns if names.count(name) > 1), None)
            if twice is not None:
                raise FormatError(f"several columns are called {twice[:80]!r}; rename them")
            fractions = self._with_fractions(file, [field.name for field in ends if types.is_floating(field.type)])
        for field in ends:
            if types.is_nested(field.type):
                raise FormatError(
                    f"column {field.name} holds {field.type}, and no nodes; if these are vectors, use knn_graph "
                    "(--vectors)"
                )
            if types.is_boolean(field.type) or types.is_temporal(field.type):
                raise FormatError(f"column {field.name} holds {field.type}; nodes are named by integers or text")
        if fractions and reading.ids == "auto":
            self.notes.append(
                f"column {fractions[0]} holds fractions, which are taken for names of nodes; if the rows are vectors, "
                "use knn_graph (--vectors)"
            )
        # Columns of floats hold integers where something was missing once.
        are_ids = not fractions and all(types.is_integer(f.type) or types.is_floating(f.type) for f in ends)
        if reading.ids == "integer" and not are_ids:
            raise FormatError(f"ids='integer', but {self.columns[:2]} hold {ends[0].type} and {ends[1].type}")
        self.numbering = None if are_ids and reading.ids != "string" else Numbering()
        self.weighted, self.called = weight is not None, tuple(self.columns)
        self._two_kinds = not reading.bipartite and two_kinds(*self.columns[:2])

    @staticmethod
    def _with_fractions(file, floats):
        """Return those of the columns that have fractions in the first rows."""
        first = next(file.iter_batches(_SAMPLE, columns=floats, use_threads=False), None) if floats else None
        values = {name: first.column(name).to_numpy(zero_copy_only=False) for name in floats if first is not None}
        return [name for name, v in values.items() if not (np.trunc(v) == v).all()]

    def blocks(self, _folder):
        """Yield (ends, weights, share of the table read)."""
        with _opened(self._source) as table:
            total, read = max(1, table.metadata.num_rows), 0
            batches = table.iter_batches(self._n_rows, columns=self.columns, use_threads=False)
            while True:
                with _refusing("the Parquet table is damaged"):
                    batch = next(batches, None)
                    if batch is None:
                        return
                    batch.validate(full=True)
                yield *self._arrays(batch, read), (read + batch.num_rows) / total
                read += batch.num_rows

    def _arrays(self, batch, n_before):
        """Return (ends, weights) of a batch; new names get the next numbers."""
        arrays = [batch.column(batch.schema.get_field_index(name)) for name in self.columns]
        for name, array in zip(self.columns, arrays, strict=True):
            if array.null_count:
                where = first_row(array.is_null().to_numpy(zero_copy_only=False), n_before)
                raise FormatError(f"column {name} has missing values{where}; leave such rows out")
        if self.numbering is None:
            no_ids = "a column of nodes cannot be read as {}; ids='string' takes any numbers for names"
            ends = np.stack([_numbers(array, np.int64, no_ids) for array in arrays[:2]], axis=1)
        else:
            # Names are listed row by row, to be numbered in the order in which they first appear.
            columns = (_as_text(array).to_pylist() for array in arrays[:2])
            names = [str(name) for row in zip(*columns, strict=True) for name in row]
            ends = self.numbering.of(names, len(names)).reshape(-1, 2)
        if self._two_kinds and np.isin(ends[:, 0], ends[:, 1]).any():
            self._two_kinds = warn_user(TWO_KINDS.format(*self.columns[:2]))
        weights = _numbers(arrays[2], np.float64) if self.weighted else np.empty(0)
        wrong = ~(np.isfinite(weights) & (weights >= 0))
        if wrong.any():
            where = first_row(wrong, n_before)
            raise FormatError(f"column {self.columns[2]} has weights that are negative or not finite{where}")
        return ends, weights


def first_row(wrong, n_before):
    """Say which row of a table is the first of those that are wrong, in a batch behind so many others."""
    return f", first in row {n_before + int(np.argmax(wrong))} (counted from 0)"


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
