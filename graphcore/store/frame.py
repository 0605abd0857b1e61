"""The edges of a dask.dataframe, block by block: Dask's workers read the partitions, which are taken in their order."""

import sys

from ..exceptions import FormatError
from ..io.parquet import EdgeTable, check_parquet

# Partitions that Dask makes at the same time; so many are in memory here, their columns of edges alone.
_AT_ONCE = 4


def is_frame(source):
    """Whether this is a dask.dataframe; Dask is not imported for the question."""
    module = sys.modules.get("dask.dataframe")
    return module is not None and isinstance(source, module.DataFrame)


class FrameEdges(EdgeTable):
    """The attributes and blocks of :class:`graphcore.io.edge_list.TextEdges`, of a dask.dataframe."""

    def __init__(self, frame, reading):
        arrow, _ = check_parquet()
        schema = arrow.Schema.from_pandas(frame._meta, preserve_index=False)
        super().__init__(schema, reading.columns, reading.weight_column, reading.ids)
        self._frame = frame

    def blocks(self, skip, _folder):
        """Yield (ends, weights, share of the partitions read), leaving out the first `skip` partitions."""
        import dask

        parts = self._frame.to_delayed()
        batch_of = dask.delayed(_batch)
        for start in range(skip, len(parts), _AT_ONCE):
            batches = dask.compute(*(batch_of(part, self.columns) for part in parts[start : start + _AT_ONCE]))
            for number, batch in enumerate(batches, start + 1):
                yield *self.arrays(batch), number / len(parts)


def _batch(part, columns):
    """Some columns of a partition, as pyarrow has them; this is what comes from a worker."""
    arrow, _ = check_parquet()
    try:
        return arrow.RecordBatch.from_pandas(part[columns], preserve_index=False)
    except arrow.ArrowException as error:
        raise FormatError(f"a column holds values of several kinds: {str(error).splitlines()[0][:200]}") from None
