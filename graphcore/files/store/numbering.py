"""Node numbers for ids with gaps, in ascending order, without a table of all ids in memory."""

import os

import numpy as np

from ...base.threads import away
from ..atomic import to_disk
from .arrays import map_array, write_array

_WORDS = 1 << 16
_PIECE = 1 << 20


def number_ids(spool, folder, work, limit):
    """Number the ids that occur in a Spool, in ascending order, within `limit` bytes.

    Returns (number of nodes, function from ids to numbers, ArrayFacts of the names, which are written to `folder`, or
    None if they are 0 to n - 1). A temporary file lies in `work`.
    """
    span = spool.high - spool.low + 1
    if span <= 2 * limit:  # a bit for each id, and an int64 for every 64 ids, twice while these are computed
        marked = _Marked(spool, span)
        if spool.low == 0 and marked.n_nodes == span:
            return span, same, None
        return marked.n_nodes, marked, write_array(folder, "node_names", np.int64, marked.names())
    facts = write_array(folder, "node_names", np.int64, _distinct(spool, os.path.join(work, "ids")))
    names = map_array(folder, "node_names", facts)

    def number(ids):
        # Ids are looked up in ascending order, so that the mapped list is read sequentially.
        distinct, inverse = away(np.unique, ids, return_inverse=True)
        return np.searchsorted(names, distinct)[inverse]

    return len(names), number, facts


def same(ids):
    """Return ids that are node numbers already."""
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


def _distinct(spool, path):
    """Yield the distinct ids of a Spool in ascending order, by pieces, sorted in a mapped file (in the page cache)."""
    with open(path, "wb") as stream:
        for ends, _ in spool.blocks():
            stream.write(away(np.unique, ends).data)
        to_disk(stream)  # a full disk is found before the file is mapped
    ids, last = np.memmap(path, np.int64, "r+"), None
    away(ids.sort)
    for start in range(0, len(ids), _PIECE):
        piece = np.unique(ids[start : start + _PIECE])
        yield piece[1:] if piece[0] == last else piece
        last = piece[-1]
    os.unlink(path)
