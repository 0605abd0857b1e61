"""Edges from Parquet tables, read by pyarrow in batches."""

import os

import numpy as np

from .._validation import check_choice
from ..exceptions import FormatError, InputError, ParameterError, missing_package
from ..graphs.from_table import left_out
from ..graphs.ids import Numbering
from ..io._dialect import ends_elsewhere
from ..io._weight_column import WEIGHT_NAMES

MAGIC = b"PAR1"
# Rows that are read at once, in so much memory or more.
_ROWS = 1 << 20
_FULL_MEMORY = 1 << 30


def open_parquet(source, *, columns, weight_column, ids, memory, **_text_only):
    """Return the ParquetFile of an open Source."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise InputError(missing_package("reading Parquet", "pyarrow", "parquet")) from None
    try:
        with pq.ParquetFile(source.path) as table:
            schema = table.schema_arrow
    except (ValueError, OSError, pa.ArrowException) as error:
        raise FormatError(f"the Parquet table cannot be read: {_said(error)}") from None
    return ParquetFile(source, schema, columns, weight_column, ids, max(1, min(_ROWS, _ROWS * memory // _FULL_MEMORY)))


class EdgeTable:
    """Which columns of a table are edges, by its schema, and how their arrays come out of pyarrow's batches."""

    def __init__(self, schema, columns, weight_column, ids):
        import pyarrow as pa

        check_choice("ids", ids, ("auto", "integer", "string"))
        if max(columns) >= len(schema):
            raise FormatError(f"the table has {len(schema)} columns; columns={tuple(columns)} are counted from 0")
        weight = _weight(schema, columns, weight_column)
        self.columns = [schema.field(c).name for c in [*columns, *([] if weight is None else [weight])]]
        self.n_nodes, self.weighted = None, weight is not None
        twice = [name for name in self.columns if schema.names.count(name) > 1]
        if twice:
            raise FormatError(f"several columns are called {twice[0][:80]!r}; rename them")
        others = [name for name in schema.names if name not in self.columns]
        silent = weight_column is None or not others
        self.notes = ends_elsewhere(schema.names, columns) + ([] if silent else [left_out(others, "weight_column")])
        types = [schema.field(name).type for name in self.columns[:2]]
        floating = next((c for c in (0, 1) if pa.types.is_floating(types[c])), None)
        if floating is not None and ids == "auto":
            self.notes.append(
                f"column {self.columns[floating]} holds {types[floating]}, which are taken for names of "
                "nodes; if the rows are vectors, use knn_graph (--vectors)"
            )
        integers = all(pa.types.is_integer(kind) for kind in types)
        if ids == "integer" and not integers:
            raise FormatError(f"columns {self.columns[0]} and {self.columns[1]} are {types[0]} and {types[1]}")
        self.numbering = None if integers and ids != "string" else Numbering()

    @classmethod
    def of_frame(cls, frame, columns, weight_column, ids):
        """Of a dask.dataframe."""
        try:
            import pyarrow as pa
        except ImportError:
            raise InputError(missing_package("edges in a dask.dataframe", "pyarrow", "parquet")) from None
        return cls(pa.Schema.from_pandas(frame._meta, preserve_index=False), columns, weight_column, ids)

    def arrays(self, batch):
        """(ends, weights) of a batch; names are numbered on."""
        arrays = [batch.column(batch.schema.get_field_index(name)) for name in self.columns]
        for name, array in zip(self.columns, arrays, strict=True):
            if array.null_count:
                raise FormatError(f"column {name} has missing values")
        if self.numbering is None:
            ends = [_numbers(array, np.int64) for array in arrays[:2]]
        else:
            # Row by row, so that names are numbered in the order in which they first appear.
            names = [str(name) for row in zip(*(a.to_pylist() for a in arrays[:2]), strict=True) for name in row]
            both = self.numbering.of(names, len(names)).reshape(-1, 2)
            ends = [both[:, 0], both[:, 1]]
        weights = _numbers(arrays[2], np.float64) if self.weighted else np.empty(0)
        if not (np.isfinite(weights).all() and (weights >= 0).all()):
            raise FormatError(f"column {self.columns[2]} has weights that are negative or not finite")
        return np.stack(ends, axis=1), weights


class ParquetFile(EdgeTable):
    """A file of edges; the attributes are those of :class:`graphcore.store.text.TextFile`."""

    def __init__(self, source, schema, columns, weight_column, ids, n_rows):
        super().__init__(schema, columns, weight_column, ids)
        self._path, self._n_rows = source.path, n_rows
        self.name = source.name
        status = os.stat(source.path)
        self.size, self.modified = status.st_size, status.st_mtime_ns

    def blocks(self, skip, _folder):
        """Yield (ends, weights, share of the table read), leaving out the first `skip` blocks."""
        import pyarrow.parquet as pq

        with pq.ParquetFile(self._path, buffer_size=1 << 20, pre_buffer=False) as table:
            total, read = max(1, table.metadata.num_rows), 0
            batches = table.iter_batches(self._n_rows, columns=self.columns, use_threads=False)
            for i, batch in enumerate(_guarded(batches)):
                read += batch.num_rows
                if i >= skip:
                    yield *self.arrays(batch), read / total


def _weight(schema, columns, weight_column):
    """Position of the column of weights, or None."""
    import pyarrow as pa

    names = [name.lower() for name in schema.names]
    if weight_column == "auto":
        numeric = [c for c in range(len(names)) if pa.types.is_integer(schema.field(c).type) or
                   pa.types.is_floating(schema.field(c).type)]  # fmt: skip
        return next((c for c in numeric if c not in columns and names[c].strip() in WEIGHT_NAMES), None)
    if isinstance(weight_column, str):
        position = schema.get_field_index(weight_column)
        if position < 0:
            raise ParameterError(f"weight_column={weight_column[:80]!r} is no column of the table")
        weight_column = position
    if weight_column is not None and (weight_column in columns or not 0 <= weight_column < len(names)):
        raise ParameterError(f"weight_column={weight_column} must be one of the table's other {len(names)} columns")
    return weight_column


def _numbers(array, dtype):
    import pyarrow as pa

    try:
        return array.cast(pa.from_numpy_dtype(dtype)).to_numpy(zero_copy_only=False)
    except pa.ArrowException as error:
        raise FormatError(f"a column cannot be read as {np.dtype(dtype)}: {_said(error)}") from None


def _guarded(batches):
    """The batches; what pyarrow raises about damaged files becomes a FormatError."""
    import pyarrow as pa

    while True:
        try:
            batch = next(batches, None)
            if batch is not None:
                batch.validate(full=True)
        except (ValueError, OSError, pa.ArrowException) as error:
            raise FormatError(f"the Parquet table is damaged: {_said(error)}") from None
        if batch is None:
            return
        yield batch


def _said(error):
    return str(error).partition("\n")[0][:200]
