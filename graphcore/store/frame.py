"""The edges of a dask.dataframe: numbered, sent to the bucket of their row and merged there, all of it by Dask."""

import copy
import sys
from itertools import chain

import numpy as np

from .._warn import warn_user
from ..exceptions import FormatError
from ..graphs.ids import Numbering
from ..graphs.rows import SYMMETRY_TOLERANCE
from ..io.parquet import EdgeTable, check_parquet
from . import _loops
from .buckets import Buckets, borders_of, bucket_of, entries_of, in_order

_SAMPLE = 500_000
# Lists of ids that one task makes one.
_AT_ONCE = 8


def is_frame(source):
    """Whether this is a dask.dataframe; Dask is not imported for the question."""
    module = sys.modules.get("dask.dataframe")
    return module is not None and isinstance(source, module.DataFrame)


def table_of(frame, reading):
    """Which columns of a dask.dataframe are edges."""
    arrow, _ = check_parquet()
    schema = arrow.Schema.from_pandas(frame._meta, preserve_index=False)
    return EdgeTable(schema, reading.columns, reading.weight_column, reading.ids)


def shuffle_frame(frame, table, kind, policy, folder):
    """Write the merged entries of all edges to buckets in `folder`; returns (facts of these, names of nodes or None).

    Integer ids are numbered in ascending order, names in the order in which they first appear. The ids are brought
    together here and go to every worker; edges go from worker to worker.
    """
    import dask
    import dask.dataframe as dd
    import pandas as pd

    for note in table.notes:
        warn_user(note)
    parts = frame.to_delayed()
    facts = [dask.delayed(_facts, nout=2)(part, table, _SAMPLE // len(parts) + 1) for part in parts]
    lists = [ids for ids, _ in facts]
    while len(lists) > 1:
        lists = [dask.delayed(_united)(lists[i : i + _AT_ONCE]) for i in range(0, len(lists), _AT_ONCE)]
    ids, samples = dask.compute(lists[0], [sample for _, sample in facts])
    if len(ids) == 0:
        raise FormatError("there are no edges")
    n_nodes = len(ids)
    if ids.dtype != object and (ids[0], ids[-1]) == (0, n_nodes - 1):
        ids = None
    borders = borders_of(_numbers(np.concatenate(samples), ids), max(1, len(parts)))
    meta = pd.DataFrame({"bucket": np.empty(0, np.int64), "key": np.empty(0, np.int64), "weight": np.empty(0)})
    ids_there, entries = dask.delayed(ids, traverse=False), dask.delayed(_entries)
    spread = dd.from_delayed([entries(part, table, ids_there, borders) for part in parts], meta=meta)
    buckets = Buckets(folder, len(borders) + 1, kind)
    shuffled = spread.shuffle("bucket", npartitions=buckets.n_buckets).to_delayed()
    merge = dask.delayed(_merge)
    found = sum(dask.compute(*(merge(part, buckets, kind, policy) for part in shuffled)))
    return {"borders": borders.tolist(), "n_nodes": n_nodes, "found": found.tolist()}, ids


def _edges(part, table):
    """(ends, weights, names): ends flat, source and target by turns; they are places in names, if these are no None."""
    arrow, _ = check_parquet()
    table = copy.copy(table)
    if table.numbering is not None:
        table.numbering = Numbering()
    try:
        batch = arrow.RecordBatch.from_pandas(part[table.columns], preserve_index=False)
    except arrow.ArrowException as error:
        raise FormatError(f"a column holds values of several kinds: {str(error).splitlines()[0][:200]}") from None
    ends, weights = table.arrays(batch)
    names = None if table.numbering is None else np.array(list(table.numbering), dtype=object)
    return ends.ravel().astype(np.int64, copy=False), weights, names


def _facts(part, table, n_sampled):
    """The ids of a partition, and the ends of some edges."""
    ends, _, names = _edges(part, table)
    sample = ends.reshape(-1, 2)[:: max(1, len(ends) // 2 // n_sampled)].ravel()
    return (np.unique(ends), sample) if names is None else (names, names[sample])


def _united(lists):
    if lists[0].dtype == object:
        return np.array(list(dict.fromkeys(chain.from_iterable(lists))), dtype=object)
    return np.unique(np.concatenate(lists))


def _numbers(values, ids):
    """Numbers of nodes, by their place among all ids; None stands for 0, 1, ..."""
    if ids is None:
        return values
    if ids.dtype != object:
        return np.searchsorted(ids, values)
    import pandas as pd

    return pd.Index(ids).get_indexer(values).astype(np.int64, copy=False)


def _entries(part, table, ids, borders):
    """Entries of the matrix from the edges of a partition, with their buckets."""
    import pandas as pd

    ends, weights, names = _edges(part, table)
    ends = _numbers(ends, ids) if names is None else _numbers(names, ids)[ends]
    keys, spread = entries_of(ends, weights)
    weight = spread if len(weights) else np.zeros(len(keys))
    return pd.DataFrame({"bucket": bucket_of(keys, borders), "key": keys, "weight": weight})


def _merge(part, buckets, kind, policy):
    """Merge the entries of whole buckets and write them; returns what `merge_entries` has found."""
    found = np.zeros(4, dtype=np.int64)
    for bucket, group in part.groupby("bucket"):
        keys, weights = in_order(group["key"].to_numpy(copy=True), group["weight"].to_numpy(), kind)
        length = _loops.merge_entries(keys, weights, policy, SYMMETRY_TOLERANCE, found)
        buckets.save_merged(int(bucket), keys[:length], weights[:length])
    return found
