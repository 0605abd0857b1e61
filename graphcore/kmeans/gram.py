"""Kernel matrices that are never held whole: what landmark methods ask of them, for vectors and for given matrices."""

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from .._threads import limited_libraries, map_blocks
from ..exceptions import InputError
from ..kernels.dense_matrix import DenseMatrix
from ..kernels.rows_matrix import SparseMatrix
from .inputs import kernel_matrix

__all__ = [
    "BlockGram",
    "Columns",
    "Gram",
    "MatrixGram",
    "VectorGram",
    "as_gram",
    "block_borders",
    "product",
    "whole_matrix",
]

# Bytes of a block of kernel values together with its vectors: small enough for a processor's cache, large enough for
# BLAS to run at full speed.
_BLOCK_BYTES = 6 << 20
_UNIT_DIAGONAL = ("gaussian", "laplacian", "cosine")
# Larger matrices are not formed: 3.2 GB, and n^3 operations mostly follow.
_MOST_POINTS = 20000


class Columns(Protocol):
    """Some columns of a kernel matrix, in blocks of rows."""

    dtype: np.dtype
    row_bytes: int

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        ...

    def rows(self, start: int, stop: int) -> Any:
        """Rows `start` to `stop` as an ndarray or a csr_array."""
        ...


class Gram(Protocol):
    """A symmetric positive semi-definite kernel matrix K of shape (n, n).

    `is_psd` is None where it is not known whether it has negative eigenvalues.
    """

    n: int
    dtype: np.dtype
    is_psd: bool | None

    def diagonal(self) -> np.ndarray:
        """The diagonal, float64."""
        ...

    def columns(self, indices: np.ndarray | None = None) -> Columns:
        """The columns `indices`, or all of them."""
        ...

    def block(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """``K[rows][:, columns]`` in float64."""
        ...


@dataclass(frozen=True, eq=False)
class VectorColumns:
    """``K(X, Y)`` for vectors, computed as it is asked for."""

    kernel: Any
    X: Any
    Y: Any
    dtype: np.dtype

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
        return self.kernel(_as_type(self.X[start:stop], self.dtype), self.Y)


@dataclass(frozen=True, eq=False)
class MatrixColumns:
    """Columns of a matrix that is there, dense or sparse."""

    matrix: Any
    dtype: np.dtype

    @property
    def shape(self):
        """Rows and columns."""
        return self.matrix.shape

    @property
    def row_bytes(self):
        """Working memory of one row."""
        return 2 * self.matrix.shape[1] * self.dtype.itemsize

    def rows(self, start, stop):
        """Rows `start` to `stop`."""
        return _as_type(self.matrix[start:stop], self.dtype)


@dataclass(frozen=True, eq=False)
class VectorGram:
    """The kernel matrix of vectors, ``K[i, j] = kernel(X[i], X[j])``.

    Attributes
    ----------
    kernel : VectorKernel
        See :func:`graphcore.kernels.vectors.vector_kernel`.
    X : ndarray, memmap or csr_array of shape (n, n_features)
        Any real type; blocks of rows are brought to `dtype` when they are used.
    dtype : dtype, default float64
        float32 or float64: what kernel values are computed in. Values among landmarks are always float64.
    """

    kernel: Any
    X: Any
    dtype: np.dtype = field(default=np.dtype(np.float64))

    @property
    def n(self):
        """Number of points."""
        return self.X.shape[0]

    @property
    def is_psd(self):
        """What is known of the kernel."""
        return self.kernel.is_psd

    def diagonal(self):
        """The diagonal, float64, in blocks of rows."""
        if self.kernel.name in _UNIT_DIAGONAL:
            return np.ones(self.n)
        out = np.empty(self.n)
        width = 1 if hasattr(self.X, "tocsr") else self.X.shape[1]
        step = max(1, _BLOCK_BYTES // (8 * width))
        for start in range(0, self.n, step):
            out[start : start + step] = self.kernel.diagonal(_as_type(self.X[start : start + step], np.float64))
        return out

    def columns(self, indices=None):
        """The columns `indices`, or all of them."""
        Y = self.X if indices is None else self.X[indices]
        return VectorColumns(self.kernel, self.X, _as_type(Y, self.dtype), np.dtype(self.dtype))

    def against(self, X, indices=None):
        """Kernel of other vectors with the points `indices`."""
        columns = self.columns(indices)
        return VectorColumns(self.kernel, X, columns.Y, columns.dtype)

    def block(self, rows, columns):
        """``K[rows][:, columns]`` in float64."""
        left = _as_type(self.X[rows], np.float64)
        same = rows is columns or np.array_equal(rows, columns)
        return np.asarray(self.kernel(left, None if same else _as_type(self.X[columns], np.float64)), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class MatrixGram:
    """A kernel matrix that is given: a square symmetric ndarray, or a csr_array.

    Attributes
    ----------
    K : ndarray or csr_array of shape (n, n)
        Checked by :func:`as_gram`.
    precision : dtype, optional
        What the values were computed in, where they are held in a wider type.
    """

    K: Any
    precision: Any = None
    is_psd = None

    @property
    def n(self):
        """Number of points."""
        return self.K.shape[0]

    @property
    def dtype(self):
        """float32 or float64."""
        return np.dtype(np.float32 if np.float32 in (self.K.dtype, self.precision) else np.float64)

    def diagonal(self):
        """The diagonal, float64."""
        return np.asarray(self.K.diagonal(), dtype=np.float64)

    def columns(self, indices=None):
        """The columns `indices`, or all of them."""
        if indices is None:
            return MatrixColumns(self.K, self.dtype)
        if not hasattr(self.K, "tocsr"):
            return MatrixColumns(self.K[:, indices], self.dtype)
        # Rows of a symmetric CSR matrix are its columns, and quicker to take.
        return MatrixColumns(self.K[indices].T.tocsr(), self.dtype)

    def against(self, X, indices=None):
        """Columns `indices` of given kernel values of other points, shape (n_rows, n)."""
        return MatrixColumns(X if indices is None else X[:, indices], self.dtype)

    def block(self, rows, columns):
        """``K[rows][:, columns]`` in float64."""
        block = self.K[rows][:, columns]
        return np.asarray(block.toarray() if hasattr(block, "toarray") else block, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class BlockColumns:
    """Columns of a :class:`graphcore.kernels.matrix.KernelMatrix`, read where they are needed."""

    matrix: Any
    indices: Any

    @property
    def shape(self):
        """Rows and columns."""
        n = self.matrix.n_points
        return n, n if isinstance(self.indices, slice) else len(self.indices)

    @property
    def dtype(self):
        """Always float64."""
        return np.dtype(np.float64)

    @property
    def row_bytes(self):
        """Working memory of one row."""
        return 16 * self.shape[1]

    def rows(self, start, stop):
        """Rows `start` to `stop`."""
        return np.asarray(self.matrix.block(slice(start, stop), self.indices), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class BlockGram:
    """A kernel matrix in the form that exact kernel k-means takes: of a graph, for one.

    Attributes
    ----------
    matrix : KernelMatrix
    """

    matrix: Any

    @property
    def n(self):
        """Number of points."""
        return self.matrix.n_points

    @property
    def is_psd(self):
        """What is known of the kernel."""
        return self.matrix.is_psd

    @property
    def dtype(self):
        """Always float64."""
        return np.dtype(np.float64)

    def diagonal(self):
        """The diagonal, float64."""
        return np.array(self.matrix.diagonal, dtype=np.float64)

    def columns(self, indices=None):
        """The columns `indices`, or all of them."""
        return BlockColumns(self.matrix, slice(None) if indices is None else indices)

    def block(self, rows, columns):
        """``K[rows][:, columns]`` in float64."""
        return np.asarray(self.matrix.block(rows, columns), dtype=np.float64)


def as_gram(K):
    """Check a kernel matrix and wrap it; a Gram is returned as it is.

    Parameters
    ----------
    K : array-like or sparse matrix of shape (n, n), Graph, KernelMatrix or Gram
        A graph stands for its kernel ``D^-1 A D^-1``, which is positive semi-definite only with loops that are heavy
        enough: ``GraphMatrix(graph, self_loop)``.

    Returns
    -------
    Gram

    Raises
    ------
    InputError
        If K is not square, real, finite and symmetric, or has a negative diagonal.
    """
    if isinstance(K, VectorGram | MatrixGram | BlockGram):
        return K
    matrix = kernel_matrix(K)
    if isinstance(matrix, DenseMatrix):
        return MatrixGram(matrix.values)
    if isinstance(matrix, SparseMatrix):
        import scipy.sparse as sp

        K = sp.csr_array((matrix.values, matrix.indices, matrix.indptr), shape=(matrix.n_points,) * 2)
        return MatrixGram(K, matrix.precision)
    return BlockGram(matrix)


def whole_matrix(K, what):
    """The matrix of a kernel in any form that :func:`as_gram` takes, an ndarray or csr_array, for `what` needs it."""
    gram = as_gram(K)
    if isinstance(gram, MatrixGram):
        return gram.K
    if gram.n > _MOST_POINTS:
        raise InputError(
            f"{what} needs the whole kernel matrix, and {gram.n} x {gram.n} is too large (at most {_MOST_POINTS}); "
            "take a sample of the points"
        )
    every = np.arange(gram.n)
    return gram.block(every, every)


def _as_type(X, dtype):
    """Rows as a plain array or CSR of `dtype`, copied only where they are not that."""
    return X.astype(dtype, copy=False) if hasattr(X, "tocsr") else np.asarray(X, dtype=dtype)


def block_borders(columns, block_rows=None):
    """Borders of the blocks of rows that columns are worked through in; they depend on the data alone."""
    n = columns.shape[0]
    if block_rows is None:
        block_rows = min(max(_BLOCK_BYTES // max(1, columns.row_bytes), 64), 1 << 14)
    return np.append(np.arange(0, n, block_rows), n) if n else np.array([0, 0])


def product(columns, M, *, n_jobs=None, block_rows=None):
    """``C M`` by blocks of rows, float64.

    Parameters
    ----------
    columns : Columns
        C, of shape (n, c).
    M : ndarray of shape (c, m), or a function that takes a block of rows and returns its product
    n_jobs, block_rows : int, optional

    Returns
    -------
    ndarray of shape (n, m), float64
    """
    apply = M if callable(M) else (lambda rows: rows @ M)

    def one(start, stop):
        part = apply(columns.rows(start, stop))
        return np.asarray(part.toarray() if hasattr(part, "toarray") else part, dtype=np.float64)

    with limited_libraries():
        return np.concatenate(map_blocks(one, block_borders(columns, block_rows), n_jobs))
