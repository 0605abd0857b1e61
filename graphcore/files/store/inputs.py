"""Sources of the edges of a build: files, a dask.dataframe, or an iterator of blocks."""

import contextlib
import os
import sys
import zlib
from collections import Counter
from typing import NamedTuple

import numpy as np

from ...exceptions import FormatError, InputError, ParameterError, warn_user
from ...graphs.ids import as_ids
from ...graphs.weights import edge_weights
from .._source import Source, is_stream, naming, open_source, parts_of
from ..edge_list import record_columns
from ..formats import guess_format
from ..parquet import EdgeTable, check_parquet

# Partitions that Dask computes at once; their columns of edges are in memory here at the same time.
_AT_ONCE = 4


class _Table(NamedTuple):
    """A file or a frame with its blocks of edges: TextEdges, ParquetEdges, BVGraphEdges or _FrameEdges."""

    name: str
    size: int
    modified: int
    edges: object


@contextlib.contextmanager
def open_inputs(source, n_nodes, reading, memory, any_size):
    """Yield the _Tables or _Blocks of the source of `build_store`: paths, a dask.dataframe, or blocks of edges."""
    paths = [source] if isinstance(source, (str, os.PathLike)) else source
    if not (isinstance(paths, (list, tuple)) and paths and all(isinstance(path, (str, os.PathLike)) for path in paths)):
        paths = []
    module = sys.modules.get("dask.dataframe")  # without it, nothing can be a dask.dataframe
    framed = module is not None and isinstance(source, module.DataFrame)
    if not (paths or framed):
        if not hasattr(source, "__iter__") or isinstance(source, np.ndarray):
            raise ParameterError(
                f"source must be a path, a list of paths or an iterator of blocks of edges, got {type(source).__name__}"
            )
        yield _Blocks(source, n_nodes)
        return
    if n_nodes is not None:
        raise ParameterError(f"n_nodes={n_nodes} is for edge blocks; the nodes of files are those that occur in them")
    with contextlib.ExitStack() as stack:
        files = [file for path in paths for file in parts_of(os.fspath(path))]
        tables = [_opened(stack, file, reading, memory, any_size) for file in files]
        if framed:
            tables = [_Table("the dask.dataframe", source.npartitions, 0, _FrameEdges(source, reading))]
        yield _Tables(tables)


def check_nodes(table, given):
    """Check that a NodeTable fits an input, and number the names of the input in its order."""
    ids = table.ids_among(text=given.names is not None)
    if given.names is not None:
        given.names.of(map(str, ids.tolist()), len(ids))
    elif ids.dtype.kind not in "iu":
        raise table.error(f"nodes are called {ids[:1].tolist()[0]!r} and the like, and by integers in the edges")
    if given.n_nodes is not None:
        table.holds_all(given.n_nodes)
        for end in (0, given.n_nodes - 1):
            if end not in (ids.min(), ids.max()):
                raise table.lacks(end)


def identity_of(table):
    """Return a fingerprint of a NodeTable: its length and checksums of ids and names."""
    texts = [[] if values is None else map(str, values.tolist()) for values in (table.ids, table.names)]
    return [len(table), *(zlib.crc32("\n".join(text).encode("utf-8", "surrogatepass")) for text in texts)]


def _opened(stack, path, reading, memory, any_size):
    if is_stream(path):
        source = stack.enter_context(open_source(path, any_size))  # a copy of it, until all is done
    else:
        with naming(path):
            source = Source(path, path, any_size)
    with naming(source.name):
        kind = guess_format(source)
        if kind.edges is None:
            raise FormatError(
                f"this is a {kind.name} file; several files, and files to build from, are edge lists, Parquet tables "
                "or BVGraphs. What fits in memory can be written with graphcore.write_graph (graphcore convert)"
            )
        facts = os.stat(source.path)
        return _Table(source.name, facts.st_size, facts.st_mtime_ns, kind.edges(source, reading, memory))


class _Tables:
    """Several tables, one after the other, as one input.

    `identity` is a fingerprint of the input; `names` numbers the nodes' names, and is None where ids are integers;
    `compact` says whether these may have gaps; `n_nodes` is None where it is not known; `ones` is the type of weights
    where each edge counts once, as for a graph in memory; `of_lines`, whether an edge is a line of a file.
    """

    ones, of_lines = np.float32, True

    def __init__(self, tables):
        self._tables, first = tables, tables[0]
        self.identity, self.names = [list(table[:3]) for table in tables], first.edges.numbering
        weighted, known = first.edges.weighted, [table.edges.n_nodes for table in tables]
        for table in tables:
            if (table.edges.numbering is None) != (self.names is None):
                kinds = ["integers" if one.edges.numbering is None else "names" for one in (first, table)]
                raise InputError(
                    f"the nodes of {first.name} are {kinds[0]}, those of {table.name} {kinds[1]}; pass ids='string' to "
                    "read all of them as names"
                )
            if table.edges.weighted != weighted:
                has, has_none = (first, table) if weighted else (table, first)
                raise InputError(
                    f"{has.name} has weights and {has_none.name} has none; pass weight_column=None to leave them out"
                )
        if first.edges.called:
            record_columns(first.edges.called)
        said: set = set()
        n_told = Counter(note for table in tables for note in table.edges.notes)
        for table in tables:
            if [*table.edges.called] != [*first.edges.called]:
                kinds = (f"{', '.join(map(str, one.edges.called))} of {one.name}" for one in (first, table))
                warn_user(f"the columns {' and '.join(kinds)} are read")
            for note in (note for note in table.edges.notes if note not in said):  # of many parts, once
                more = f" and {n_told[note] - 1} more" if n_told[note] > 1 else ""
                warn_user(f"{table.name}{more}: {note}")
            said.update(table.edges.notes)
            table.edges.numbering = self.names  # all tables share one numbering
        self.n_nodes = None if None in known else max(known)
        self.compact = self.n_nodes is None and self.names is None

    def blocks(self, start, skip, folder):
        """Yield blocks from table `start` on, without its first `skip`; temporary files lie in `folder`.

        A block is (ends (n_edges, 2), weights of length 0 for none, (number of the table, number of the next block),
        share of the input read).
        """
        total, before = max(1, sum(table.size for table in self._tables)), 0
        for i, table in enumerate(self._tables):
            if i >= start:
                skipped = skip if i == start else 0
                with naming(table.name):
                    for j, (ends, weights, share) in enumerate(table.edges.blocks(skipped, folder), skipped + 1):
                        yield ends, weights, (i, j), (before + share * table.size) / total
            before += table.size


class _FrameEdges(EdgeTable):
    """The edges of a dask.dataframe by blocks; the attributes are those of `TextEdges`."""

    def __init__(self, frame, reading):
        super().__init__(check_parquet()[0].Schema.from_pandas(frame._meta, preserve_index=False), reading)
        self._frame = frame

    def blocks(self, skip, _folder):
        """Yield (ends, weights, share of the partitions read), leaving out the first `skip` partitions."""
        import dask

        parts, batch_of = self._frame.to_delayed(), dask.delayed(_batch)
        for start in range(skip, len(parts), _AT_ONCE):
            batches = dask.compute(*(batch_of(part, self.columns) for part in parts[start : start + _AT_ONCE]))
            for number, batch in enumerate(batches, start + 1):
                yield *self.arrays(batch), number / len(parts)


def _batch(part, columns):
    """Convert columns of a partition to a batch of pyarrow, on a worker."""
    arrow, _ = check_parquet()
    try:
        return arrow.RecordBatch.from_pandas(part[columns], preserve_index=False)
    except arrow.ArrowException as error:
        raise FormatError(f"a column holds values of several kinds: {str(error).splitlines()[0][:200]}") from None


class _Blocks:
    """An iterator of blocks of edges, with the attributes and blocks of `_Tables`."""

    identity, names, compact, ones, of_lines = (), None, False, np.float64, False

    def __init__(self, source, n_nodes):
        self._source, self.n_nodes = source, n_nodes

    def blocks(self, _start, skip, _folder):
        """Yield blocks as `_Tables.blocks` does."""
        weighted = None
        for i, block in enumerate(self._source):
            if not isinstance(block, tuple) or len(block) not in (2, 3):
                raise InputError(f"block {i} must be a tuple (sources, targets) or (sources, targets, weights)")
            sources, targets = as_ids("sources", block[0]), as_ids("targets", block[1])
            if len(sources) != len(targets):
                raise InputError(
                    f"block {i}: {len(sources)} sources and {len(targets)} targets: there must be as many of each"
                )
            weights = edge_weights(block[2] if len(block) == 3 else None, len(sources))
            if weighted not in (None, len(block) == 3):
                raise InputError(f"block {i} has {'' if not weighted else 'no '}weights, unlike those before it")
            weighted = len(block) == 3
            if i >= skip:
                yield np.stack([sources, targets], axis=1), weights, (0, i + 1), 0.0
