"""Columns of a kernel matrix in blocks of rows: how matrices that are never held whole are gone through."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.threads import limited_libraries, map_blocks
from .checks import as_floats

# Bytes of a block of kernel values together with its vectors: small enough for a processor's cache, large enough for
# BLAS to run at full speed.
_BLOCK_BYTES = 6 << 20


@dataclass(frozen=True, eq=False)
class Columns:
    """Some columns of a kernel matrix, in blocks of rows that a function makes."""

    shape: tuple[int, int]
    dtype: np.dtype  # float32 or float64: type that values are computed in
    row_bytes: int  # working memory of one row
    rows: Callable[[int, int], Any]  # rows from the first number up to the second, an ndarray or a csr_array
    is_sparse: bool = False  # whether rows come as a csr_array


def vector_columns(function, X, Y, dtype):
    """Return ``K(X, Y)`` for vectors, computed when asked for."""
    width = 0 if hasattr(X, "tocsr") else 2 * X.shape[1]

    def rows(start, stop):
        return function(as_floats(X[start:stop], dtype), Y)

    return Columns((X.shape[0], Y.shape[0]), dtype, (width + 2 * Y.shape[0]) * dtype.itemsize, rows)


def matrix_columns(matrix, dtype, points=None):
    """Return Columns of a matrix, dense or sparse; all of them if `points` is None."""
    width = matrix.shape[1] if points is None else len(points)

    def rows(start, stop):
        rows = matrix[start:stop]
        return (rows if points is None else rows[:, points]).astype(dtype, copy=False)

    return Columns((matrix.shape[0], width), dtype, 2 * width * dtype.itemsize, rows, hasattr(matrix, "tocsr"))


def block_borders(columns, block_rows=None, block_bytes=None):
    """Return borders of blocks of so many rows, or bytes (at least one row), by default such as fit into a cache."""
    n = columns.shape[0]
    if block_bytes is not None:
        block_rows = max(1, block_bytes // max(1, columns.row_bytes))
    elif block_rows is None:
        block_rows = min(max(_BLOCK_BYTES // max(1, columns.row_bytes), 64), 1 << 14)
    return np.append(np.arange(0, n, block_rows), n) if n else np.array([0, 0])


def map_rows(columns, function, *, n_jobs=None, **block_size):
    """Map a function over the rows of some columns, a block at a time: (n, m), float64.

    The function takes a block of rows, an ndarray or csr_array, and returns one row for each; blocks as of
    :func:`block_borders`.
    """

    def one(start, stop):
        part = function(columns.rows(start, stop))
        return np.asarray(part.toarray() if hasattr(part, "toarray") else part, dtype=np.float64)

    with limited_libraries():
        return np.concatenate(map_blocks(one, block_borders(columns, **block_size), n_jobs))
