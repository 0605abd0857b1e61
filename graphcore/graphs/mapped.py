"""Advice to the system on how the arrays of a graph on disk are about to be read."""

import mmap
from contextlib import contextmanager


@contextmanager
def read_at_random(*arrays):
    """Keep the system, within, from reading ahead in mapped arrays (megabytes a row); other arrays are left alone."""
    maps = [found for found in map(_map_of, arrays) if found is not None] if hasattr(mmap, "MADV_RANDOM") else []
    for found in maps:
        found.madvise(mmap.MADV_RANDOM)
    try:
        yield
    finally:
        for found in maps:
            found.madvise(mmap.MADV_NORMAL)


def release(*arrays):
    """Give pages of mapped arrays back; the system keeps them while it has room, but no longer counts them here."""
    for found in map(_map_of, arrays) if hasattr(mmap, "MADV_DONTNEED") else ():
        if found is not None:
            found.madvise(mmap.MADV_DONTNEED)


def _map_of(array):
    """The memory map that an array is a view of, or None."""
    while array is not None and not isinstance(array, mmap.mmap):
        array = getattr(array, "base", None)
    return array
