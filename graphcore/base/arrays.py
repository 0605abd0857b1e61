"""Arrays: made ready for compiled loops, their headers read from files, and how those on disk are about to be read."""

import mmap
import tokenize
import warnings
from contextlib import contextmanager

import numpy as np
from numpy.lib import format as npy


def read_only(array, dtype=None):
    """Return a contiguous read-only view, for compiled loops: a copy where it is not contiguous or of another dtype.

    numba compiles a version for each kind of array, to which it belongs whether one is writable and contiguous.
    """
    view = np.ascontiguousarray(array, dtype).view()
    view.flags.writeable = False
    return view


def npy_header(stream):
    """Return (shape, whether columns come first, dtype) from the start of a ``.npy`` stream, which then is at the data.

    A header that is no valid Python literal raises a ValueError of one line.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            version = npy.read_magic(stream)
            read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
            shape, fortran, dtype = read(stream)
    except (ValueError, TypeError, KeyError, SyntaxError, tokenize.TokenError, RecursionError, MemoryError) as error:
        said = str(error).partition("\n")[0][:100]
        raise ValueError(f"its header is damaged ({said})") from None
    if any(length < 0 for length in shape):
        raise ValueError(f"its header is damaged (shape {str(shape)[:80]})")
    return shape, fortran, dtype


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
    """Return the memory map that an array is a view of, or None."""
    while array is not None and not isinstance(array, mmap.mmap):
        array = getattr(array, "base", None)
    return array
