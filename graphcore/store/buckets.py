"""Entries of the matrix, spread over files so that each file can be sorted in memory."""

import contextlib
import os
import secrets
from itertools import chain, pairwise

import numpy as np

from .._threads import away
from ..exceptions import InputError
from . import _loops

_SAMPLE = 500_000
_MIN_BUCKETS = 1
# Systems limit the number of open files.
_MAX_BUCKETS = 200
# Bytes for one edge while a block is spread: both ends as ids and numbers, two entries, their buckets, a copy.
_BYTES_PER_EDGE = 256


def entry_bytes(kind):
    """Bytes to sort an entry without weights, with those of a "file", or with "ones" (each direction counts once)."""
    return {"none": 12, "file": 40, "ones": 36}[kind]


def choose_borders(spool, number, kind, limit):
    """Entries that cut all entries into buckets, each to be sorted within `limit` bytes."""
    sample = number(spool.sample(min(_SAMPLE, limit // 256), np.random.default_rng(0)))
    n_buckets = max(_MIN_BUCKETS, 1 + int(1.3 * 2 * spool.n_edges * entry_bytes(kind) / limit))
    if n_buckets > _MAX_BUCKETS:
        times = n_buckets // _MAX_BUCKETS + 1
        raise InputError(f"{spool.n_edges:,} edges need more memory than this; {times} times as much will do")
    return borders_of(sample, n_buckets)


def borders_of(ends, n_buckets):
    """Entries that cut those of some edges (flat, source and target by turns) into so many parts, or fewer."""
    keys, no_weights = np.empty(len(ends), dtype=np.int64), np.empty(0)
    keys = np.sort(keys[: _loops.pack_entries(ends, no_weights, keys, no_weights)])
    cuts = np.linspace(0, len(keys), n_buckets + 1).astype(np.int64)[1:-1]
    # The two directions of an entry must not be parted.
    return np.unique(keys[cuts] & ~np.int64(1))


def in_order(keys, weights, kind):
    """Sorted (keys, weights) of entries, weights of length 0 for none; keys may be overwritten."""
    if kind == "file":
        order = away(np.argsort, keys)
        return keys[order], weights[order]
    away(keys.sort)
    if kind == "none":
        return keys, np.empty(0)
    keys = keys[np.diff(keys, prepend=-1) != 0]
    return keys, np.ones(len(keys))


class Buckets:
    """Files of entries (and of weights, see :func:`entry_bytes` for `kind`), in ascending order from file to file."""

    def __init__(self, folder, n_buckets, kind):
        self._folder, self.n_buckets, self._kind = folder, n_buckets, kind

    def fill(self, spool, number, borders, limit, tell):
        """Write all entries of a Spool; what was there is overwritten."""
        weighted = self._kind == "file"
        with contextlib.ExitStack() as stack:
            streams = {
                name: [stack.enter_context(open(self._path(b, name), "wb")) for b in range(self.n_buckets)]
                for name in (("keys", "weights") if weighted else ("keys",))
            }
            ends_of = np.empty(self.n_buckets, dtype=np.int64)
            done = 0
            for ends, weights in spool.pieces(min(1 << 22, max(1, limit // _BYTES_PER_EDGE))):
                tell(done / spool.n_edges)
                keys = np.empty(len(ends), dtype=np.int64)
                spread = np.empty(len(ends) if weighted else 0)
                length = _loops.pack_entries(number(ends), weights, keys, spread)
                keys, spread = keys[:length], spread[: length if weighted else 0]
                grouped = {"keys": np.empty_like(keys), "weights": np.empty_like(spread)}
                _loops.scatter(keys, spread, borders, ends_of, grouped["keys"], grouped["weights"])
                for name, files in streams.items():
                    for stream, (first, last) in zip(files, pairwise([0, *ends_of.tolist()]), strict=True):
                        stream.write(grouped[name][first:last].data)
                done += len(ends) // 2
            for stream in chain(*streams.values()):
                stream.flush()
                os.fsync(stream.fileno())

    def load(self, bucket, limit):
        """Return sorted (keys, weights) of a bucket, weights of length 0 for none."""
        size = os.path.getsize(self._path(bucket, "keys"))
        if size // 8 * entry_bytes(self._kind) > limit:
            raise InputError("the same edges are repeated so often that they do not fit; give more memory")
        keys = np.fromfile(self._path(bucket, "keys"), dtype=np.int64)
        return in_order(keys, np.fromfile(self._path(bucket, "weights")) if self._kind == "file" else None, self._kind)

    def save_merged(self, bucket, keys, weights):
        """Write what was merged of a bucket elsewhere; whole or not at all, since it may be done twice at once."""
        for name, array in (("keys", keys), ("weights", weights)):
            path = self._path(bucket, name)
            own = f"{path}.{secrets.token_hex(4)}"
            with open(own, "wb") as stream:  # numpy's tofile takes no notice of a full disk
                stream.write(np.ascontiguousarray(array).data)
            os.replace(own, path)

    def load_merged(self, bucket):
        """(keys, weights) of a bucket that was merged elsewhere, mapped; nothing for one that got no entries."""
        paths = [(self._path(bucket, name), dtype) for name, dtype in (("keys", np.int64), ("weights", np.float64))]
        sizes = [os.path.getsize(path) if os.path.exists(path) else 0 for path, _ in paths]
        return tuple(
            np.asarray(np.memmap(path, dtype, "c")) if size else np.empty(0, dtype=dtype)
            for (path, dtype), size in zip(paths, sizes, strict=True)
        )

    def drop(self, bucket):
        """Delete the files of a bucket; they may be gone already."""
        for name in ("keys", "weights"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self._path(bucket, name))

    def _path(self, bucket, name):
        return os.path.join(self._folder, f"{name}-{bucket}")
