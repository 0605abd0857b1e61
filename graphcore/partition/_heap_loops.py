"""A binary heap for compiled loops: one array of records, whose place 0 holds the number of entries as its item."""

import numpy as np

from .._compile import compiled

__all__ = ["drop_merged", "new_heap", "pop", "push"]

_ENTRY = np.dtype([("key", np.float64), ("item", np.int64)])


@compiled
def new_heap(room):
    """An empty heap for up to `room` entries: smallest key first, of equals the lower item."""
    heap = np.empty(room + 1, dtype=_ENTRY)
    heap[0].item = 0
    return heap


@compiled
def _is_before(key, item, entry):
    return key < entry.key or (key == entry.key and item < entry.item)


@compiled
def push(heap, key, item):
    """Put an entry in."""
    heap[0].item += 1
    i = heap[0].item
    while i > 1 and _is_before(key, item, heap[i >> 1]):
        heap[i].key, heap[i].item = heap[i >> 1].key, heap[i >> 1].item
        i >>= 1
    heap[i].key, heap[i].item = key, item


@compiled
def pop(heap):
    """Take the first entry out; returns its item."""
    first, size = heap[1].item, heap[0].item - 1
    key, item = heap[size + 1].key, heap[size + 1].item
    heap[0].item = size
    i = 1
    while 2 * i <= size:
        down = 2 * i
        if down < size and _is_before(heap[down + 1].key, heap[down + 1].item, heap[down]):
            down += 1
        if _is_before(key, item, heap[down]):
            break
        heap[i].key, heap[i].item = heap[down].key, heap[down].item
        i = down
    heap[i].key, heap[i].item = key, item
    return first


@compiled
def drop_merged(heap, into):
    """Take entries of clusters that have become part of another one off the top."""
    while heap[0].item > 0 and into[heap[1].item] >= 0:
        pop(heap)
