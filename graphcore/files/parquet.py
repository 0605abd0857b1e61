"""Parquet tables, by pyarrow: edges read in batches; and tables of any columns written, to text as well."""

import contextlib
import csv
import os
from importlib import import_module

import numpy as np

from ..exceptions import FormatError, InputError, ParameterError, missing_package
from ..graphs.columns import MISSING_NAMES
from ..graphs.from_table import Columns
from ..graphs.numbering import Numbering, text_of
from ..graphs.rows import edge_weights
from .atomic import atomic_output, text_output
from .edge_list import FULL_MEMORY, OR_SKIP, BadLines, block_size, choose_columns, hold, notes_on_ends
from .source import naming, refusing
from .text import is_number

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
    with refusing("the Parquet table cannot be read"):
        table = parquet.ParquetFile(source.path, buffer_size=1 << 20, pre_buffer=False)
    with table:
        yield table


def _first_values(file, names):
    """Return what the first rows of columns hold, as lists of text; none of a table without rows."""
    with refusing("the Parquet table is damaged"):
        batch = next(file.iter_batches(_SAMPLE, columns=names, use_threads=False), None)
        if batch is None:
            return []
        return [list(map(str, batch.columns[batch.schema.names.index(name)].to_pylist())) for name in names]


def read_table(source):
    """Read all columns of an open Source, as a table of pyarrow's."""
    with _opened(source) as file, refusing("the Parquet table cannot be read"):
        table = file.read(use_threads=False)
        table.validate(full=True)
    return table


class ParquetEdges:
    """The edges of an open Source by blocks; the attributes are those of `TextEdges`."""

    n_nodes = None  # tables do not state it

    def __init__(self, source, reading, memory=FULL_MEMORY // 4):
        types = check_parquet()[0].types
        self.source, self._n_rows = source, block_size(_ROWS, memory)
        self._skips, self.bad = reading.on_bad_lines == "skip", BadLines()
        with _opened(source) as file:
            schema = file.schema_arrow
            kinds = {name: schema.field(c).type for c, name in enumerate(schema.names)}
            times = [c for c, kind in enumerate(schema.types) if types.is_temporal(kind) or types.is_boolean(kind)]
            others = [name for c, name in enumerate(schema.names) if c not in times]
            first = dict(zip(others, _first_values(file, others), strict=False))
            values = [first.get(name, []) for name in schema.names]
            of_text = {c for c, fields in enumerate(values) if hold(fields, is_number)}  # as in text files
            of_numbers = types.is_integer, types.is_floating, types.is_decimal
            numeric = [
                c for c, kind in enumerate(schema.types) if c in of_text or any(fits(kind) for fits in of_numbers)
            ]
            columns, weight, self.notes = choose_columns(schema.names, values, numeric, reading, times=times)
            self.called = tuple(schema.names[c] for c in (*columns, *([] if weight is None else [weight])))
            if weight is not None and weight not in numeric:
                raise FormatError(f"column {self.called[2]!r} holds {schema.types[weight]}; weights must be numbers")
            twice = next((name for name in self.called if schema.names.count(name) > 1), None)
            if twice is not None:
                raise FormatError(f"several columns are called {twice[:80]!r}; rename them")
        ends = [values[c] for c in columns]
        self.notes += notes_on_ends(ends, self.called, reading) if all(ends) else []
        # Columns of floats hold integers where something was missing once.
        ends = [kinds[name] for name in self.called[:2]]
        are_ids = all(types.is_integer(kind) or types.is_floating(kind) for kind in ends)
        if reading.ids == "integer" and not are_ids:
            raise FormatError(f"ids='integer', but {self.called[:2]} hold {ends[0]} and {ends[1]}")
        self.numbering = None if are_ids and reading.ids != "string" else Numbering()
        self.weighted = weight is not None

    def blocks(self):
        """Yield (ends, weights, share of the table read)."""
        with _opened(self.source) as table:
            total, read = max(1, table.metadata.num_rows), 0
            batches = table.iter_batches(self._n_rows, columns=self.called, use_threads=False)
            while True:
                with refusing("the Parquet table is damaged"):
                    batch = next(batches, None)
                    if batch is None:
                        return
                    batch.validate(full=True)
                rows = naming(f"rows from {read} on", OR_SKIP)
                with rows, refusing(f"ids or weights of {self.called} cannot be read"):
                    ends, weights = self._arrays(self._edges_of(batch, read) if self._skips else batch)
                read += batch.num_rows
                yield ends, weights, read / total

    def _edges_of(self, batch, first):
        """Return a batch without the rows that lack an end or a weight; it begins with this row of the table."""
        arrow, compute = check_parquet()[0], import_module("pyarrow.compute")
        missing, is_edge = arrow.array(["", *MISSING_NAMES]), np.ones(batch.num_rows, dtype=bool)
        for name in self.called[:2]:
            ends = batch.column(name).cast(arrow.string())
            is_edge &= ends.is_valid().to_numpy(False)
            is_edge &= ~compute.is_in(compute.utf8_trim_whitespace(ends), missing).to_numpy(False)
        if self.weighted:
            weights = batch.column(self.called[2])
            if not arrow.types.is_primitive(weights.type):  # text that is no number is left out, too
                weights = arrow.array([float(w) if is_number(str(w)) else None for w in weights.to_pylist()])
            weights = weights.cast(arrow.float64()).to_numpy(False)
            is_edge &= (weights >= 0) & (weights < np.inf)  # of null it is NaN
        bad = np.flatnonzero(~is_edge)
        if len(bad):
            row = {name: batch.column(name)[int(bad[0])].as_py() for name in self.called}
            self.bad.add(len(bad), f"row {first + bad[0]} ({row}) of {self.source.name}")
        return batch.filter(arrow.array(is_edge))

    def _arrays(self, batch):
        """Return (ends, weights) of a batch; new names get the next numbers."""
        columns, called = Columns(check_parquet()[0].Table.from_batches([batch])), self.called[:2]
        if self.numbering is None:
            ends = np.stack([columns.ends("columns", name) for name in called], axis=1)
        else:
            sources, targets = (
                columns.text(name) or text_of(list(map(str, columns.values("columns", name).tolist())))
                for name in called
            )
            ends = self.numbering.ends(sources, targets, [f"column {name!r}" for name in called]).reshape(-1, 2)
        if not self.weighted:
            return ends, np.empty(0)
        with refusing(f"column {self.called[2]!r} cannot be read as weights"):
            weights = columns.values("weight_column", self.called[2]).astype(np.float64)
        return ends, edge_weights(weights, len(ends))
