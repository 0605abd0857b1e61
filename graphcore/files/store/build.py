"""Build a graph on disk, block by block, from edges that do not fit in memory: an external sort of the entries.

Edges are read into a spool, of which the range of the ids is known afterwards; ids become node numbers; entries of the
matrix are spread over buckets, each a range of rows; every bucket is sorted in memory and written.
"""

import contextlib
import os
import re
import shutil
from dataclasses import dataclass
from functools import partial
from itertools import chain, pairwise

import numpy as np

from ...base.loops import away
from ...base.progress import note
from ...base.types import PathLike
from ...base.validation import check_integer, refused
from ...exceptions import FormatError, InputError, ParameterError
from ...graphs.from_edges import as_ids, count_nodes
from ...graphs.graph import Graph
from ...graphs.rows import SYMMETRY_TOLERANCE, check_directions, counted, edge_weights, policy_code
from ..atomic import to_disk
from ..edge_list import Reading, check_names, check_node_count, tell_of_first_line
from ..formats import open_tables
from ..npz import write_array as write_npy
from . import _loops
from .folder import atomic_folder, check_replaceable, open_graph
from .format import Meta, RowWriter, array_path, names_as_arrays, write_array, write_meta

_UNITS = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
# Memory of Python, numpy and compiled loops, where the system does not report it.
_ASSUMED = 250 << 20
# Memory for line buffers and for freed blocks that allocators keep.
_SPARE = 32 << 20
_MIN_FREE = 64 << 20


def build_store(
    source: object, out: PathLike, *, memory: str | int = "4G", symmetrize: str = "max", n_nodes: int | None = None,
    columns: tuple[int | str, int | str] | None = None, weight_column: int | str | None = "auto", ids: str = "auto",
    count_repeats: bool = False, on_bad_lines: str = "error",
) -> Graph:  # fmt: skip
    """Build a graph on disk from edges that need not fit in memory.

    The result is that of :func:`graphcore.read_graph` (of all files, one after the other) or :meth:`Graph.from_edges`
    (of all blocks). Temporary files lie beside the output and take 24 to 56 bytes per edge. A build that fails or is
    interrupted leaves nothing.

    Parameters
    ----------
    source : str, path-like, list of them, or iterable of tuples
        Files of edges: text, plain or compressed, Parquet (needs pyarrow), or BVGraph. Or blocks of edges,
        (sources, targets) or (sources, targets, weights), each as for :meth:`Graph.from_edges`.
    out : str or path-like
        ``NAME.store``. A graph on disk that is there is replaced, once the new one is complete.
    memory : str or int, default "4G"
        Limit on the whole process's own memory (page cache apart), like "500M" and "2G"; an integer is bytes.
    symmetrize : {"max", "average", "sum", "min", "error"}, default "max"
        How the two directions of a pair are combined, see :meth:`Graph.from_edges`.
    n_nodes : int, optional
        For blocks: the number of nodes. Default: largest id + 1.
    columns, weight_column, ids, count_repeats, on_bad_lines
        How files are read, see :func:`graphcore.read_graph`.

    Returns
    -------
    Graph
        The graph, as :func:`graphcore.open_graph` opens it.

    Raises
    ------
    FormatError
        If a file does not follow its format; the message names it, and the line.
    InputError
        If the edges cannot be used, or the limit on memory is too low for them.
    OSError
        If something cannot be read or written, or the disk is full.
    ParameterError
        If an option is not known.

    Notes
    -----
    While they are numbered, node names that are text take about 200 bytes of memory each, integers at most a bit;
    text that does not fit within `memory` is refused.
    There can be fewer than 2**31 nodes. Weights of an edge that is listed several times are added in ascending order,
    so that the result does not depend on the order of the input.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> import graphcore
    >>> blocks = ((np.arange(i, i + 10), np.arange(i + 1, i + 11)) for i in range(0, 100, 10))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     graphcore.build_store(blocks, os.path.join(folder, "path.store"))
    Graph(n_nodes=101, n_edges=100, unweighted)
    """
    n_nodes = None if n_nodes is None else check_integer("n_nodes", n_nodes, low=1)
    paths = _paths_of(source)
    if paths and n_nodes is not None:
        raise ParameterError(f"n_nodes={n_nodes} is for edge blocks; the nodes of files are those that occur in them")
    out = check_replaceable(out, reads=paths)
    reading = Reading(
        columns=columns, weight_column=weight_column, ids=ids, symmetrize=symmetrize, count_repeats=count_repeats,
        on_bad_lines=on_bad_lines,
    )  # fmt: skip
    _loops.warm_up()  # so that the memory of the compiler is known before the rest is divided
    with contextlib.ExitStack() as stack:
        given = _Blocks(source, n_nodes)
        if paths:  # compressed files of any size, as what they expand to does not have to fit in memory
            given = stack.enter_context(open_tables(paths, reading, parse_memory(memory)))
        limit = Limit(memory)
        store = stack.enter_context(atomic_folder(out, reads=paths))
        work = os.path.join(store, "work")  # on the disk of the output
        os.mkdir(work)
        spool, names = _read(given, os.path.join(work, "edges"), limit, count_repeats)
        if paths and given.n_nodes is None:
            file = os.fspath(paths[0])
            if names is not None and _CHECK * len(names) < limit.free:
                check_names(names.tolist(), given.called, file)
            tell_of_first_line(spool.blocks, names, spool.n_edges, given.called, reading, file)
        n_nodes, number, facts = _numbered(spool, given, names, store, limit)
        del names
        free = max(limit.free, _MIN_FREE)  # what allocators keep of the names is used again
        kind = "file" if spool.weighted else "ones" if symmetrize in ("average", "sum") else "none"
        buckets = Buckets(work, _borders(spool, number, kind, free), n_nodes, kind)
        buckets.fill(spool, number)
        os.unlink(spool.path)
        del number
        write_meta(store, _sorted(buckets, spool, given, reading, facts, store, free))
        shutil.rmtree(work)
    return open_graph(out, trusted=True)


def _paths_of(source):
    """Return the paths of a source, or an empty list for blocks of edges."""
    paths = [source] if isinstance(source, (str, os.PathLike)) else source
    if isinstance(paths, (list, tuple)) and paths and all(isinstance(path, (str, os.PathLike)) for path in paths):
        return list(paths)
    if not hasattr(source, "__iter__") or hasattr(source, "shape") or hasattr(source, "adjacency"):
        raise ParameterError(
            f"source must be a path, a list of paths or an iterator of blocks of edges, got {type(source).__name__}; "
            "a graph in memory is written by graphcore.write_graph(graph, 'NAME.store')"
        )
    return []


# -- the limit on memory -----------------------------------------------------------------------------------------------


def parse_memory(memory):
    """Return bytes of "4G", "500 MB", "2GiB" or an integer; K, M, G and T are powers of 1,024."""
    if isinstance(memory, str):
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT])(?:i?B)?\s*", memory, re.IGNORECASE)
        if match is None:
            raise refused("memory", memory, "is no size with a unit; write it like '4G' or '500M'")
        return int(float(match[1]) * _UNITS[match[2].upper()])
    return check_integer("memory", memory, low=1)


def anonymous_memory():
    """Return the bytes of this process's own memory, without pages of mapped files."""
    try:
        with open("/proc/self/status", encoding="ascii") as status:
            found = re.search(r"RssAnon:\s+(\d+) kB", status.read())
    except OSError:
        found = None
    return int(found[1]) << 10 if found else _ASSUMED


class Limit:
    """A limit on the memory of the whole process: `total` bytes."""

    def __init__(self, memory):
        held, self.total = anonymous_memory(), parse_memory(memory)
        if self.free < _MIN_FREE:
            raise ParameterError(
                f"memory={memory!r} is too little, as this process holds {held >> 20} MiB already: give "
                f"'{-(-(held + _SPARE + _MIN_FREE) >> 20)}M' or more"
            )

    @property
    def free(self):
        """The bytes left for arrays beside what the process holds now."""
        return self.total - anonymous_memory() - _SPARE


# -- read: blocks of edges into a spool --------------------------------------------------------------------------------

# Bytes that a name takes as a string, apart from its letters, and while it is checked.
_NAME, _CHECK = 80, 100
# Edges of a block in a Spool. Spreading a block takes some 256 bytes an edge: ids, numbers, entries, buckets.
_BLOCK = 1 << 17


class _Blocks:
    """An iterator of blocks of edges, with the attributes and blocks of `Tables`."""

    numbering, compact, ones, of_lines = None, False, np.float64, False

    def __init__(self, source, n_nodes):
        self._source, self.n_nodes = source, n_nodes

    def blocks(self):
        """Yield blocks as `Tables.blocks` does."""
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
            yield np.stack([sources, targets], axis=1), weights, 0.0


@dataclass
class Spool:
    """A file of edges as arrays: blocks of ends (n, 2), each followed by its weights, of length 0 for none."""

    path: str
    n_edges: int = 0
    low: int = 0  # of the ids
    high: int = -1
    weighted: bool = False
    narrow: bool = True  # whether the weights of the input have 32 bits

    def append(self, stream, ends, weights):
        """Write edges: `ends` of shape (n_edges, 2), int32 or int64; weights of length 0 stand for none."""
        if not len(ends):
            return
        low, high = int(ends.min()), int(ends.max())
        self.low, self.high = (min(low, self.low), max(high, self.high)) if self.n_edges else (low, high)
        if len(weights):
            self.weighted, self.narrow = True, self.narrow and weights.dtype == np.float32
        if low >= -(2**31) and high < 2**31:
            ends = ends.astype(np.int32, copy=False)
        for start in range(0, len(ends), _BLOCK):
            piece = slice(start, start + _BLOCK)
            write_npy(stream, ends[piece])
            write_npy(stream, weights[piece].astype(np.float64, copy=False))
        self.n_edges += len(ends)

    def blocks(self):
        """Yield (ends, weights) of each block: int64, source and target by turns; float64, of length 0 for none."""
        size = os.path.getsize(self.path)
        with open(self.path, "rb") as stream:
            while stream.tell() < size:
                yield np.load(stream).ravel().astype(np.int64, copy=False), np.load(stream)

    def sample(self, n_edges):
        """Return both ends of about `n_edges` random edges."""
        rng, rate, picked = np.random.default_rng(0), min(1.0, n_edges / self.n_edges), []
        for ends, _ in self.blocks():
            pairs = ends.reshape(-1, 2)
            picked.append(pairs[rng.integers(len(pairs), size=rng.binomial(len(pairs), rate))].ravel())
        return np.concatenate(picked)


def _read(given, path, limit, count_repeats):
    """Return the Spool of an input's edges, and the names of its nodes, None for integers."""
    spool, names = Spool(path), given.numbering
    with open(path, "wb") as stream:
        for ends, weights, share in given.blocks():
            note(f"read {share:.0%}")
            spool.append(stream, ends, counted(weights, len(ends), count_repeats))
            if names is not None:
                _check_room(limit.free, names)
        to_disk(stream)
    if given.of_lines:
        given.bad.tell()
        if not spool.n_edges:
            raise FormatError("there are no edges")
        check_node_count(given.n_nodes or 0, spool.n_edges)
    if names is None:
        return spool, None
    _check_room(limit.free - _NAME * len(names) - 2 * names.n_bytes, names)
    found = np.array(names.tolist(), dtype=object)
    names.clear()
    return spool, found


def _check_room(free, names):
    """Refuse names that leave no memory free."""
    if free < 0:
        raise InputError(
            f"the names of {len(names):,} nodes fill the memory given, and more may follow; give more memory= "
            "(--memory), some 200 bytes for each name, or number the nodes first"
        )


# -- number: ids with gaps, in ascending order, without a table of all ids in memory -----------------------------------

_WORDS = 1 << 16


def _numbered(spool, given, names, store, limit):
    """Return (number of nodes, function from ids to node numbers, checksums of the arrays of their names)."""
    if names is not None:
        arrays = names_as_arrays(names)
        return len(names), _same, {key: write_array(store, key, a.dtype, [a]) for key, a in arrays.items()}
    if not given.compact:
        return count_nodes(spool.low, spool.high, spool.n_edges, given.n_nodes), _same, {}
    found = _number_ids(spool, store, limit.free // 2)
    if found[0] >= 2**31:
        raise InputError(f"there are {found[0]:,} nodes, and ids of 32 bits name fewer than 2**31")
    return found


def _number_ids(spool, store, limit):
    """Number the ids that occur in a Spool, in ascending order, within `limit` bytes."""
    span = spool.high - spool.low + 1
    if span <= 2 * limit:  # a bit for each id, and an int64 for every 64 ids, twice while these are computed
        marked = _Marked(spool, span)
        if spool.low == 0 and marked.n_nodes == span:
            return span, _same, {}
        n_nodes, number, pieces = marked.n_nodes, marked, marked.names()
    else:
        names = _distinct(spool, limit)
        n_nodes, number, pieces = len(names), partial(np.searchsorted, names), [names]
    return n_nodes, number, {"node_names": write_array(store, "node_names", np.int64, pieces)}


def _same(ids):
    return ids


class _Marked:
    """A callable that numbers the ids in a Spool, whose range is small enough for one bit each."""

    def __init__(self, spool, span):
        self._low, self._bits = spool.low, np.zeros(span // 64 + 1, dtype=np.uint64)
        for ends, _ in spool.blocks():
            words, bits = self._places(ends)
            np.bitwise_or.at(self._bits, words, bits)
        self._before = np.zeros(len(self._bits) + 1, dtype=np.int64)
        np.cumsum(np.bitwise_count(self._bits), out=self._before[1:])
        self.n_nodes = int(self._before[-1])

    def __call__(self, ids):
        """Return the numbers of `ids`, counts of smaller marked ids."""
        words, bits = self._places(ids)
        return self._before[words] + np.bitwise_count(self._bits[words] & (bits - np.uint64(1)))

    def names(self):
        """Yield the ids in ascending order, by pieces."""
        for start in range(0, len(self._bits), _WORDS):
            words = self._bits[start : start + _WORDS].astype("<u8")
            yield np.flatnonzero(np.unpackbits(words.view(np.uint8), bitorder="little")) + (self._low + 64 * start)

    def _places(self, ids):
        """Return (indices of words, bits within them) of ids."""
        places = ids - self._low
        return places >> 6, np.uint64(1) << (places & 63).astype(np.uint64)


def _distinct(spool, limit):
    """Return the distinct ids of a Spool in ascending order; those of many blocks are put together at once."""
    ids, pieces, waiting = np.empty(0, dtype=np.int64), [], 0
    for ends, _ in spool.blocks():
        pieces.append(away(np.unique, ends))
        waiting += len(pieces[-1])
        if waiting > max(len(ids), _BLOCK):
            ids, pieces, waiting = away(np.unique, np.concatenate([ids, *pieces])), [], 0
        if 32 * (len(ids) + _BLOCK) > limit:
            raise InputError(
                f"the ids of {len(ids):,} nodes fill the memory given, and more may follow; give more memory"
            )
    return away(np.unique, np.concatenate([ids, *pieces]))


# -- spread: entries of the matrix into buckets that can be sorted in memory -------------------------------------------

_SAMPLE = 500_000
_MIN_BUCKETS = 1
# Systems limit the number of open files.
_MAX_BUCKETS = 200
# Bytes to sort an entry without weights, with weights of a file, or with ones (where each direction counts once).
_ENTRY_BYTES = {"none": 12, "file": 40, "ones": 36}


def entries_of(ends, weights):
    """Return (keys, weights) of the entries of edges, without edges of weight 0; see `_loops.py` for keys."""
    i, j = ends[::2], ends[1::2]
    if len(weights):
        kept = weights != 0
        i, j, weights = i[kept], j[kept], weights[kept]
    back = i != j
    keys = np.concatenate([(i << 32) | (j << 1), ((j << 32) | (i << 1) | 1)[back]])
    return keys, np.concatenate([weights, weights[back]]) if len(weights) else weights


def _borders(spool, number, kind, limit):
    """Choose the rows at which buckets after the first begin, so that each can be sorted within `limit` bytes."""
    if not spool.n_edges:
        return np.empty(0, dtype=np.int64)
    # Buckets are twice as many as equal ones would need, because no row is cut, and rows may be long.
    n_buckets = max(_MIN_BUCKETS, 1 + int(1.5 * 2 * spool.n_edges * _ENTRY_BYTES[kind] / limit))
    if n_buckets > _MAX_BUCKETS:
        times = n_buckets // _MAX_BUCKETS + 1
        raise InputError(f"{spool.n_edges:,} edges need more memory than this; {times} times as much will do")
    ends = np.sort(number(spool.sample(min(_SAMPLE, limit // 256))))
    return np.unique(ends[np.linspace(0, len(ends), n_buckets + 1).astype(np.int64)[1:-1]])


class Buckets:
    """Files of entries in ascending order from file to file; `kind` is the source of weights (_ENTRY_BYTES)."""

    def __init__(self, folder, borders, n_nodes, kind):
        self._folder, self._borders, self.kind = folder, borders, kind
        self.lasts = [*borders.tolist(), n_nodes]

    def fill(self, spool, number):
        """Write all entries of a Spool."""
        n_buckets, names = len(self.lasts), ("keys", "weights") if self.kind == "file" else ("keys",)
        with contextlib.ExitStack() as stack:
            streams = [
                [stack.enter_context(open(self._path(b, name), "wb")) for b in range(n_buckets)] for name in names
            ]
            done = 0
            for ends, weights in spool.blocks():
                note(f"spread {done / spool.n_edges:.0%}")
                entries = entries_of(number(ends), weights)
                bucket = np.searchsorted(self._borders, entries[0] >> 32, side="right").astype(np.uint8)
                order = np.argsort(bucket, kind="stable") if n_buckets > 1 else slice(None)
                cuts = [0, *np.cumsum(np.bincount(bucket, minlength=n_buckets)).tolist()]
                for array, files in zip(entries, streams, strict=False):
                    grouped = array[order]
                    for stream, (first, last) in zip(files, pairwise(cuts), strict=True):
                        stream.write(grouped[first:last].data)
                done += len(ends) // 2
            for stream in chain(*streams):
                to_disk(stream)

    def load(self, bucket, limit):
        """Return sorted (keys, weights) of a bucket, weights of length 0 for none."""
        size = os.path.getsize(self._path(bucket, "keys"))
        if size // 8 * _ENTRY_BYTES[self.kind] > limit:
            raise InputError("one node has so many edges, or so often the same, that they do not fit; give more memory")
        keys = np.fromfile(self._path(bucket, "keys"), dtype=np.int64)
        if self.kind == "file":
            order = away(np.argsort, keys)
            return keys[order], np.fromfile(self._path(bucket, "weights"))[order]
        away(keys.sort)
        if self.kind == "none":
            return keys, np.empty(0)
        keys = keys[np.diff(keys, prepend=-1) != 0]
        return keys, np.ones(len(keys))

    def _path(self, bucket, name):
        return os.path.join(self._folder, f"{name}-{bucket}")


# -- sort: buckets into rows -------------------------------------------------------------------------------------------


def _sorted(buckets, spool, given, reading, names, store, free):
    """Sort and merge the buckets in order into the rows of the store; return the Meta."""
    found, policy = np.zeros(4, dtype=np.int64), policy_code(reading.symmetrize)
    weight_dtype = given.ones if buckets.kind == "ones" else None
    if buckets.kind == "file":
        weight_dtype = np.float32 if spool.narrow else np.float64
    with contextlib.ExitStack() as stack:
        rows = RowWriter(stack, store, buckets.lasts[-1], weight_dtype)
        for bucket, last in enumerate(buckets.lasts):
            note(f"sort {bucket / len(buckets.lasts):.0%}")
            keys, weights = buckets.load(bucket, free)
            length = _loops.merge_entries(keys, weights, policy, SYMMETRY_TOLERANCE, found)
            rows.append(keys[:length], weights[:length], last)
            del keys, weights
        both, single, different, n_self_loops = found.tolist()
        are_lines = given.of_lines and reading.weight_column is not None
        n_repeats = spool.n_edges - both - single // 2 - n_self_loops if are_lines else 0
        check_directions(
            both // 2, single // 2, single + different > 0, reading.symmetrize, True, n_repeats, spool.weighted
        )
        checksums = rows.finish()
    if rows.all_ones and checksums.pop("weights", None) is not None:
        os.unlink(array_path(store, "weights"))
    return Meta(buckets.lasts[-1], rows.n_entries, n_self_loops, rows.n_isolated, checksums | names)
