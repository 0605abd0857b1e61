"""Integer ids of a file become node numbers from 0."""

import numpy as np

from .. import _loops

__all__ = ["compact_ids"]

_PIECE = 1 << 20


def compact_ids(sources, targets):
    """Number the ids that occur, in ascending order; returns (sources, targets, names or None).

    The arrays given may be overwritten. names is None when the ids are 0 to n - 1 already, else the int64 ids in
    node order. Ids that are dense enough are looked up in a table of 4 bytes per possible id, no larger than the
    edges themselves; otherwise they are sorted and searched for.
    """
    low = int(min(sources.min(), targets.min()))
    high = int(max(sources.max(), targets.max()))
    if high - low >= max(4 * len(sources), 1 << 16):
        return _rank(sources, targets, low, high)
    if low != 0:
        sources, targets = _shift(sources, low), _shift(targets, low)
    table = np.zeros(high - low + 1, dtype=np.int32)
    table[sources] = 1
    table[targets] = 1
    if table.all():
        names = None if low == 0 else np.arange(low, high + 1, dtype=np.int64)
        return _narrow(sources), _narrow(targets), names
    names = np.flatnonzero(table).astype(np.int64, copy=False)
    table[names] = np.arange(len(names), dtype=np.int32)
    names += low
    return table[sources], table[targets], names


def _shift(ids, low):
    # In 64 bits, where -2**31 fits as well.
    return _narrow(np.subtract(ids, low, dtype=np.int64))


def _narrow(ids):
    return ids.astype(np.int32, copy=False)


def _rank(sources, targets, low, high):
    """Number the ids by sorting: they are too far apart for a table."""
    s_order, t_order = _order(sources, low, high), _order(targets, low, high)
    names = np.empty(2 * len(sources), dtype=np.int64)  # the system gives only the part that is written
    n_names = _loops.rank_ids(sources, targets, s_order, t_order, names)
    del s_order, t_order
    return _narrow(sources), _narrow(targets), names[:n_names].copy()


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
