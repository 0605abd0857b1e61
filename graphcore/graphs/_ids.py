"""Integer ids of a file become node numbers from 0."""

import numpy as np

from . import _loops

__all__ = ["compact_ids"]

_PIECE = 1 << 16


def compact_ids(ids):
    """Number the ids that occur, in ascending order; returns (numbers, names or None).

    `ids` (one dimension, int32 or int64) may be overwritten; the numbers are int32. names is None when the ids are
    0 to n - 1 already, else the int64 ids in node order. Ids that are dense enough are looked up in a table of 4 bytes
    per possible id, no larger than twice the ids themselves; otherwise they are sorted.
    """
    low, high = int(ids.min()), int(ids.max())
    if high - low >= max(2 * len(ids), 1 << 16):
        return _rank(ids, low, high)
    if low != 0:
        ids = _narrow(np.subtract(ids, low, dtype=np.int64))  # -2**31 fits in 64 bits as well
    table = np.zeros(high - low + 1, dtype=np.int32)
    table[ids] = 1
    if table.all():
        return _narrow(ids), None if low == 0 else np.arange(low, high + 1, dtype=np.int64)
    names = np.flatnonzero(table).astype(np.int64, copy=False)
    table[names] = np.arange(len(names), dtype=np.int32)
    for start in range(0, len(ids), _PIECE):  # in place, but for the one piece that numpy copies
        ids[start : start + _PIECE] = table[ids[start : start + _PIECE]]
    names += low
    return _narrow(ids), names


def _rank(ids, low, high):
    """Number the ids by sorting: they are too far apart for a table."""
    names = np.empty(len(ids), dtype=np.int64)  # the system gives only the part that is written
    n_names = _loops.rank_ids(ids, _order(ids, low, high), names)
    return _narrow(ids), names[:n_names].copy()


def _order(ids, low, high):
    """Positions of the ids in ascending order; sorting id and position as one integer is three times faster."""
    bits = max(1, (len(ids) - 1).bit_length())
    if (high - low).bit_length() + bits > 63:
        return np.argsort(ids)
    keys = np.subtract(ids, low, dtype=np.int64)
    keys <<= bits
    for start in range(0, len(ids), _PIECE):
        piece = keys[start : start + _PIECE]
        piece |= np.arange(start, start + len(piece))
    keys.sort()
    keys &= (1 << bits) - 1
    return keys


def _narrow(ids):
    return ids.astype(np.int32, copy=False)
