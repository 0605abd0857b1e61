"""Arrays are made ready for compiled loops in one place; the headers of those in files are read in one place."""

import tokenize
import warnings

import numpy as np
from numpy.lib import format as npy


def read_only(array, dtype=None):
    """Return a contiguous read-only view, for compiled loops; the owner's own array keeps its flag.

    numba compiles a version for each kind of array, and whether it is writable and contiguous belongs to its kind. What
    loops only read is therefore always passed like this, as the arrays of a Graph are. Copied only where it is not
    contiguous or of another dtype.
    """
    view = np.ascontiguousarray(array, dtype).view()
    view.flags.writeable = False
    return view


def npy_header(stream):
    """Return (shape, whether columns come first, dtype) from the start of a ``.npy`` stream, which then is at the data.

    Whatever is wrong with the header is a ValueError of one line. numpy reads it as a Python literal, whose parser has
    many ways to fail, and warnings of its own.
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
