"""Node numbers for ids with gaps, in ascending order, without a table of all ids in memory."""

import os
from itertools import pairwise

import numpy as np

from .._threads import away
from ..exceptions import InputError
from . import _loops
from .arrays import ArrayWriter, map_array

_WORDS = 1 << 16


class Same:
    """Ids that are node numbers already."""

    def __init__(self, n_nodes):
        self.n_nodes = n_nodes

    def __call__(self, ids):
        """Return the numbers of ids."""
        return ids


class Marked:
    """Ids in a range small enough for one bit each."""

    def __init__(self, low, bits):
        self._low, self._bits = low, bits
        counts = np.bitwise_count(bits)
        self._before = np.zeros(len(bits) + 1, dtype=np.int64)
        np.cumsum(counts, out=self._before[1:])
        self.n_nodes = int(self._before[-1])

    def __call__(self, ids):
        """Numbers of `ids`."""
        out = np.empty(len(ids), dtype=np.int64)
        _loops.rank_marked(ids, self._low, self._bits, self._before, out)
        return out

    def names(self):
        """Yield the ids in ascending order, by pieces."""
        for start in range(0, len(self._bits), _WORDS):
            words = self._bits[start : start + _WORDS].astype("<u8")
            yield np.flatnonzero(np.unpackbits(words.view(np.uint8), bitorder="little")) + (self._low + 64 * start)


class Sorted:
    """Any ids, looked up in the sorted list of them on disk."""

    def __init__(self, names):
        self._names = names
        self.n_nodes = len(names)

    def __call__(self, ids):
        """Numbers of `ids`."""
        # Asked for in ascending order, so that the list is read from the start.
        distinct, inverse = away(np.unique, ids, return_inverse=True)
        return np.searchsorted(self._names, distinct)[inverse]


def number_ids(spool, low, high, folder, work, limit):
    """Number the ids that occur in a Spool, from `low` to `high`, in ascending order, within `limit` bytes.

    Returns a callable with `n_nodes` that maps ids to numbers, and the ArrayFacts of the names, which are written to
    `folder`, or None if they are 0 to n - 1. Temporary files lie in `work`.
    """
    span = high - low + 1
    if span <= 2 * limit:  # a bit for each, an int64 for every 64 of them, and as much again while these are made
        return _number_marked(spool, low, span, folder)
    return _number_sorted(spool, folder, work, limit)


def _number_marked(spool, low, span, folder):
    bits = np.zeros(span // 64 + 1, dtype=np.uint64)
    for ends, _ in spool.pieces(1 << 20):
        _loops.mark_ids(ends, low, bits)
    marked = Marked(low, bits)
    if low == 0 and marked.n_nodes == span:
        return Same(span), None
    writer = ArrayWriter(folder, "node_names", np.int64)
    for names in marked.names():
        writer.append(names)
    return marked, writer.close()


def _number_sorted(spool, folder, work, limit):
    borders = _borders(spool, limit)
    paths = [os.path.join(work, f"ids-{b}") for b in range(len(borders) + 1)]
    streams = [open(path, "wb") for path in paths]  # noqa: SIM115 - closed below
    try:
        for ends, _ in spool.pieces(max(1, limit // 128)):
            ids = away(np.unique, ends)
            cuts = [0, *np.searchsorted(ids, borders).tolist(), len(ids)]
            for stream, (first, last) in zip(streams, pairwise(cuts), strict=True):
                stream.write(ids[first:last].tobytes())
    finally:
        for stream in streams:
            stream.close()
    writer = ArrayWriter(folder, "node_names", np.int64)
    for path in paths:
        if os.path.getsize(path) > limit // 3:  # finding the distinct ones takes copies
            raise InputError("the ids are spread so unevenly that they do not fit; give more memory")
        writer.append(away(np.unique, np.fromfile(path, dtype=np.int64)))
        os.unlink(path)
    facts = writer.close()
    return Sorted(map_array(folder, "node_names", facts)), facts


def _borders(spool, limit):
    """Ids that cut all ids into parts which fit in a quarter of the memory."""
    sample = np.sort(spool.sample(min(200_000, limit // 256), np.random.default_rng(0)))
    n_parts = 1 + 16 * spool.n_edges // (limit // 4)
    return np.unique(sample[np.linspace(0, len(sample), n_parts + 1).astype(np.int64)[1:-1]])
