"""Arrays are made ready for compiled loops in one place."""

import numpy as np

__all__ = ["read_only"]


def read_only(array, dtype=None):
    """Return a contiguous read-only view, for compiled loops; the owner's own array keeps its flag.

    numba compiles a version for each kind of array, and whether it is writable and contiguous belongs to its kind. What
    loops only read is therefore always passed like this, as the arrays of a Graph are. Copied only where it is not
    contiguous or of another dtype.
    """
    view = np.ascontiguousarray(array, dtype).view()
    view.flags.writeable = False
    return view
