"""External sorting: a spool of edges as they were read, and buckets of matrix entries that are sorted in memory."""

import contextlib
import errno
import os
from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np

from ...base.threads import away
from ...exceptions import InputError
from ..atomic import to_disk
from ..npz import write_array

# Edges of a block in a Spool. Spreading a block takes some 256 bytes an edge: ids, numbers, entries, buckets.
_BLOCK = 1 << 17
_SAMPLE = 500_000
_MIN_BUCKETS = 1
# Systems limit the number of open files.
_MAX_BUCKETS = 200
# Bytes to sort an entry without weights, with weights of a file, or with ones (where each direction counts once).
_ENTRY_BYTES = {"none": 12, "file": 40, "ones": 36}


@dataclass
class Spool:
    """A file of edges as arrays: blocks of ends (n, 2), each followed by its weights, of length 0 for none."""

    path: str
    n_bytes: int = 0
    n_edges: int = 0
    low: int | None = None  # of the ids
    high: int | None = None
    weighted: bool = False
    narrow: bool = True  # whether the weights of the input have 32 bits

    @contextlib.contextmanager
    def writing(self):
        """Open the file for appending edges within this context."""
        with open(self.path, "ab") as self._stream:
            self._require_whole(self._stream)
            self._stream.truncate(self._stream.seek(self.n_bytes))  # a crash may have left an incomplete block
            yield

    def append(self, ends, weights):
        """Write edges: `ends` of shape (n_edges, 2), int32 or int64; weights of length 0 stand for none."""
        if not len(ends):
            return
        low, high = int(ends.min()), int(ends.max())
        self.low, self.high = (low, high) if self.low is None else (min(low, self.low), max(high, self.high))
        if len(weights):
            self.weighted, self.narrow = True, self.narrow and weights.dtype == np.float32
        if low >= -(2**31) and high < 2**31:
            ends = ends.astype(np.int32, copy=False)
        for start in range(0, len(ends), _BLOCK):
            piece = slice(start, start + _BLOCK)
            write_array(self._stream, ends[piece])
            write_array(self._stream, weights[piece].astype(np.float64, copy=False))
        self.n_bytes, self.n_edges = self._stream.tell(), self.n_edges + len(ends)

    def sync(self):
        """Flush all blocks to the disk."""
        to_disk(self._stream)

    def blocks(self):
        """Yield (ends, weights) of each block: int64, source and target by turns; float64, of length 0 for none."""
        if not self.n_edges:
            return
        with open(self.path, "rb") as stream:
            self._require_whole(stream)
            while stream.tell() < self.n_bytes:
                yield np.load(stream).ravel().astype(np.int64, copy=False), np.load(stream)

    def _require_whole(self, stream):
        if os.fstat(stream.fileno()).st_size < self.n_bytes:
            raise OSError(errno.EIO, f"{self.path} is shorter than it was: start over without resume")

    def sample(self, n_edges):
        """Return both ends of about `n_edges` random edges."""
        rng, rate, picked = np.random.default_rng(0), min(1.0, n_edges / self.n_edges), []
        for ends, _ in self.blocks():
            pairs = ends.reshape(-1, 2)
            picked.append(pairs[rng.integers(len(pairs), size=rng.binomial(len(pairs), rate))].ravel())
        return np.concatenate(picked)


def entries_of(ends, weights):
    """Return (keys, weights) of the entries of edges, without edges of weight 0; see `_loops.py` for keys."""
    i, j = ends[::2], ends[1::2]
    if len(weights):
        kept = weights != 0
        i, j, weights = i[kept], j[kept], weights[kept]
    back = i != j
    keys = np.concatenate([(i << 32) | (j << 1), ((j << 32) | (i << 1) | 1)[back]])
    return keys, np.concatenate([weights, weights[back]]) if len(weights) else weights


def choose_borders(spool, number, kind, limit):
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

    def __init__(self, folder, n_buckets, kind):
        self._folder, self.n_buckets, self._kind = folder, n_buckets, kind

    def fill(self, spool, number, borders, tell):
        """Write all entries of a Spool, over files of an interrupted build."""
        names = ("keys", "weights") if self._kind == "file" else ("keys",)
        with contextlib.ExitStack() as stack:
            streams = [
                [stack.enter_context(open(self._path(b, name), "wb")) for b in range(self.n_buckets)] for name in names
            ]
            done = 0
            for ends, weights in spool.blocks():
                tell(done / spool.n_edges)
                entries = entries_of(number(ends), weights)
                bucket = np.searchsorted(borders, entries[0] >> 32, side="right").astype(np.uint8)
                order = np.argsort(bucket, kind="stable") if self.n_buckets > 1 else slice(None)
                cuts = [0, *np.cumsum(np.bincount(bucket, minlength=self.n_buckets)).tolist()]
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
        if size // 8 * _ENTRY_BYTES[self._kind] > limit:
            raise InputError("one node has so many edges, or so often the same, that they do not fit; give more memory")
        keys = np.fromfile(self._path(bucket, "keys"), dtype=np.int64)
        if self._kind == "file":
            order = away(np.argsort, keys)
            return keys[order], np.fromfile(self._path(bucket, "weights"))[order]
        away(keys.sort)
        if self._kind == "none":
            return keys, np.empty(0)
        keys = keys[np.diff(keys, prepend=-1) != 0]
        return keys, np.ones(len(keys))

    def _path(self, bucket, name):
        return os.path.join(self._folder, f"{name}-{bucket}")
