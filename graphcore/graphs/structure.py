"""Moved to `from_matrix.py` and `rows.py`."""

from .from_matrix import check_sparse  # noqa: F401
from .rows import check_compressed  # noqa: F401


def stated_lengths(shape, format):
    """Return the numbers of rows and columns that a matrix only states, because no array of it is as long."""
    if shape[0] == shape[1] and format in ("csr", "csc"):
        return ()
    return {"csr": shape[1:], "csc": shape[:1]}.get(format, shape)
