"""Advice to the system on how the arrays of a graph on disk are about to be read."""

import mmap
from contextlib import contextmanager

__all__ = ["read_at_random"]


@contextmanager
def read_at_random(*arrays):
    """Read mapped arrays at random places inside: no more comes from the disk than is asked for.

    Otherwise the system reads ahead, up to megabytes for every row. Arrays that are not mapped are left alone, and so
    are all on systems that take no advice.
    """
    maps = [found for found in map(_map_of, arrays) if found is not None] if hasattr(mmap, "MADV_RANDOM") else []
    for found in maps:
        found.madvise(mmap.MADV_RANDOM)
    try:
        yield
    finally:
        for found in maps:
            found.madvise(mmap.MADV_NORMAL)


def _map_of(array):
    """The memory map that an array is a view of, or None."""
    while array is not None and not isinstance(array, mmap.mmap):
        array = getattr(array, "base", None)
    return array
