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
    """Some columns of a kernel matrix, in blocks of rows that a function makes; what other classes here give, too."""

    shape: tuple[int, int]
    dtype: np.dtype  # float32 or float64: what the values are computed in
    row_bytes: int  # working memory of one row
    rows: Callable[[int, int], Any]  # rows from the first number up to the second, an ndarray or a csr_array
    is_sparse: bool = False  # whether rows come as a csr_array


@dataclass(frozen=True, eq=False)
class VectorColumns:
    """``K(X, Y)`` for vectors, computed as it is asked for."""

    function: Any
    X: Any
    Y: Any
    dtype: np.dtype
    is_sparse = False

    @property
    def shape(self):
        """Rows and columns."""
        return self.X.shape[0], self.Y.shape[0]

    @property
    def row_bytes(self):
        """Working memory of one row."""
        width = 0 if hasattr(self.X, "tocsr") else 2 * self.X.shape[1]
        return (width + 2 * self.Y.shape[0]) * self.dtype.itemsize

    def rows(self, start, stop):
        """Rows `start` to `stop`."""
        return self.function(as_floats(self.X[start:stop], self.dtype), self.Y)


@dataclass(frozen=True, eq=False)
class MatrixColumns:
    """Columns of a matrix that is there, dense or sparse; all of them if `points` is None."""

    matrix: Any
    dtype: np.dtype
    points: np.ndarray | None = None

    @property
    def is_sparse(self):
        """Whether rows come as a csr_array."""
        return hasattr(self.matrix, "tocsr")

    @property
    def shape(self):
        """Rows and columns."""
        return self.matrix.shape[0], self.matrix.shape[1] if self.points is None else len(self.points)

    @property
    def row_bytes(self):
        """Working memory of one row."""
        return 2 * self.shape[1] * self.dtype.itemsize

    def rows(self, start, stop):
        """Rows `start` to `stop`."""
        rows = self.matrix[start:stop]
        return (rows if self.points is None else rows[:, self.points]).astype(self.dtype, copy=False)


def block_borders(columns, block_rows=None):
    """Borders of the blocks of rows that columns are worked through in; they depend on the data alone."""
    n = columns.shape[0]
    if block_rows is None:
        block_rows = min(max(_BLOCK_BYTES // max(1, columns.row_bytes), 64), 1 << 14)
    return np.append(np.arange(0, n, block_rows), n) if n else np.array([0, 0])


def rows_in(columns, block_bytes):
    """Rows of a block of so many bytes, at least one; None leaves it to :func:`block_borders`."""
    return None if block_bytes is None else max(1, block_bytes // max(1, columns.row_bytes))


def map_rows(columns, function, *, n_jobs=None, block_rows=None):
    """``function(rows)`` for the rows of some columns, a block at a time, results below each other: (n, m), float64.

    The function takes a block of rows, an ndarray or csr_array, and returns one row for each.
    """

    def one(start, stop):
        part = function(columns.rows(start, stop))
        return np.asarray(part.toarray() if hasattr(part, "toarray") else part, dtype=np.float64)

    with limited_libraries():
        return np.concatenate(map_blocks(one, block_borders(columns, block_rows), n_jobs))
