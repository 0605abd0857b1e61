"""A binary heap for compiled loops: one array of records, whose place 0 holds the number of entries as its name."""

import numpy as np

from .._compile import compiled

_ENTRY = np.dtype((np.record, [("key", np.float64), ("name", np.int64)]))


@compiled
def new_heap(room):
    """An empty heap for up to `room` entries: smallest key first, of equals the lower name."""
    heap = np.empty(room + 1, dtype=_ENTRY)
    heap[0].name = 0
    return heap


@compiled
def _is_before(key, name, entry):
    return key < entry.key or (key == entry.key and name < entry.name)


@compiled
def push(heap, key, name):
    """Put an entry in."""
    heap[0].name += 1
    i = heap[0].name
    while i > 1 and _is_before(key, name, heap[i >> 1]):
        heap[i].key, heap[i].name = heap[i >> 1].key, heap[i >> 1].name
        i >>= 1
    heap[i].key, heap[i].name = key, name


@compiled
def pop(heap):
    """Take the first entry out; returns its name."""
    first, size = heap[1].name, heap[0].name - 1
    key, name = heap[size + 1].key, heap[size + 1].name
    heap[0].name = size
    i = 1
    while 2 * i <= size:
        down = 2 * i
        if down < size and _is_before(heap[down + 1].key, heap[down + 1].name, heap[down]):
            down += 1
        if _is_before(key, name, heap[down]):
            break
        heap[i].key, heap[i].name = heap[down].key, heap[down].name
        i = down
    heap[i].key, heap[i].name = key, name
    return first


@compiled
def drop_merged(heap, into):
    """Take entries of clusters that have become part of another one off the top."""
    while heap[0].name > 0 and into[heap[1].name] >= 0:
        pop(heap)
