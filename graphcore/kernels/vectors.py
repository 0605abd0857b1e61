"""Kernels over vectors, in memory or in the blocks of a dask.array, evaluated in blocks each time they are needed."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.locks import cached_property
from ..distributed.chunks import is_chunked, map_chunks, rows_at, rows_of_chunks
from ..exceptions import InputError
from .base import BLOCK_BYTES, Kernel, membership_matrix
from .checks import as_floats, check_scale, check_vectors
from .columns import map_rows, vector_columns
from .dense import DenseKernel
from .functions import OF_DISTANCES, KernelFunction

_DIAGONAL_BYTES = 6 << 20


def kernel_over(X, function, dtype=None):
    """Make the kernel of vectors, in memory or chunked."""
    return (ChunkedVectorKernel if is_chunked(X) else VectorKernel)(X, function, dtype)


def columns_of(function, X, Y, dtype):
    """Return ``K(X, Y)`` in blocks of rows, for X in memory or chunked."""
    return (ChunkedColumns if is_chunked(X) else vector_columns)(function, X, Y, dtype)


class VectorKernel(Kernel):
    """The kernel matrix of vectors, ``K[i, j] = function(X[i], X[j])``.

    X is an ndarray, memmap or sparse array (n_points, n_features) of any real type; blocks of rows are brought to
    `dtype`, the type of kernel values, when they are used: by default float32 for float32, otherwise float64.
    `function` is a KernelFunction. A matrix that fits into `held_bytes` is evaluated at the first product, and held.

    >>> import numpy as np
    >>> from graphcore.kernels.functions import kernel_function
    >>> from graphcore.kernels.vectors import VectorKernel
    >>> kernel = VectorKernel(np.array([[0.0], [1.0], [3.0]]), kernel_function("linear"))
    >>> kernel.diagonal.tolist(), kernel.column(1).tolist()
    ([0.0, 1.0, 9.0], [0.0, 1.0, 3.0])
    """

    def __init__(self, X, function: KernelFunction, dtype=None, held_bytes=BLOCK_BYTES):
        self.precision = np.dtype(dtype or (np.float32 if getattr(X, "dtype", None) == np.float32 else np.float64))
        self.X, self.function, self.is_psd = self._checked(X), function, function.is_psd
        self.n_points = self.X.shape[0]
        self._fits = self.precision.itemsize * self.n_points**2 <= held_bytes
        self._held = None

    def _checked(self, X):
        X = X.tocsr() if hasattr(X, "tocsr") else np.asanyarray(X)
        check_vectors(X)
        check_scale(X, self.precision)
        return X

    @cached_property
    def diagonal(self):
        """``K_xx`` for every point."""
        return _own_values(self.X, self.function)

    def block(self, rows, columns, dtype=None):
        """See :meth:`Kernel.block`."""
        if self._held is not None and dtype in (None, self.precision):
            return self._held.block(rows, columns)
        dtype = dtype or self.precision
        left = as_floats(self._rows(rows), dtype)
        return self.function(left, None if _same(rows, columns) else as_floats(self._rows(columns), dtype))

    def columns(self, points=None):
        """See :meth:`Kernel.columns`."""
        return columns_of(self.function, self.X, self.vectors(points), self.precision)

    def vectors(self, points=None):
        """Return vectors of some points, or all of them, in the type that kernel values are computed in."""
        return as_floats(self.X if points is None else self._rows(points), self.precision)

    def product(self, M, n_jobs=None):
        """See :meth:`Kernel.product`."""
        return self._at_hand().product(M, n_jobs)

    def cluster_sums(self, labels, weights, n_clusters, n_jobs=None, before=None):
        """See :meth:`Kernel.cluster_sums`."""
        sums, old = (None, None) if before is None else before
        moved = None if before is None else np.flatnonzero(labels != old)
        if before is None or self._fits or 2 * len(moved) > self.n_points:
            return self._at_hand().cluster_sums(labels, weights, n_clusters, n_jobs)
        if not len(moved):
            return sums
        now, then = (membership_matrix(part[moved], weights[moved], n_clusters) for part in (labels, old))
        M = (now - then).T.toarray()
        return sums + map_rows(self.columns(moved), lambda rows: rows @ M, n_jobs=n_jobs)

    def submatrix(self, points, point_weights=None):
        """See :meth:`Kernel.submatrix`."""
        return DenseKernel(self.block(points, points), check=False)._part_of(self, points, point_weights)

    def _rows(self, points):
        """These vectors."""
        return self.X[points]

    def _at_hand(self):
        """Return the whole matrix where it may be held, evaluated once; otherwise the products by blocks."""
        if self._held is None and self._fits:
            self._held = DenseKernel(self.function(as_floats(self.X, self.precision)), check=False)
        return super() if self._held is None else self._held


class ChunkedVectorKernel(VectorKernel):
    """The kernel of the rows of a dask.array, with the methods that landmark methods need."""

    def __init__(self, X, function: KernelFunction, dtype=None):
        super().__init__(X, function, dtype, held_bytes=0)
        self._fetched: tuple = None, None

    def _checked(self, X):
        return X  # in a pass over the blocks, by :func:`check_chunks`

    @cached_property
    def diagonal(self):
        """``K_xx`` for every point, a dask.array."""
        if self.function.name in OF_DISTANCES:
            import dask.array as da

            return da.ones(self.n_points, chunks=self.X.chunks[:1])
        return rows_of_chunks(_own_values, self.X, None, np.float64, self.function)

    def _rows(self, points):
        """Fetch these vectors; the last ones are kept, since landmarks are asked for several times."""
        if not np.array_equal(points, self._fetched[0]):
            self._fetched = points, rows_at(self.X, points)
        return self._fetched[1]


@dataclass(frozen=True, eq=False)
class ChunkedColumns:
    """``K(X, Y)`` for a dask.array X of one chunk of columns and few vectors Y: columns that are never in one place."""

    function: KernelFunction
    X: Any
    Y: Any
    dtype: np.dtype

    @property
    def shape(self):
        """Rows and columns."""
        return self.X.shape[0], self.Y.shape[0]

    def map(self, function, *shared):
        """Map `function(columns, *shared)` over all blocks, by their Columns; results in block order."""
        name = function.__name__.strip("_")
        return map_chunks(_with_columns, self.X, function, self.function, self.Y, self.dtype, shared, name=name)

    def lazily(self, function, width, dtype, *shared):
        """Return results that are rows of `width` numbers as a dask.array that is not computed yet."""
        given = function, self.function, self.Y, self.dtype, shared
        return rows_of_chunks(_with_columns, self.X, width, dtype, *given, name=function.__name__.strip("_"))


def _with_columns(block, function, kernel, Y, dtype, shared):
    return function(vector_columns(kernel, block, Y, dtype), *shared)


def check_chunks(X, dtype=None):
    """Refuse a dask.array that holds NaN, infinity or numbers too large or small for `dtype`, in one pass over it."""
    if X.dtype.kind == "f" or (dtype == np.float32 and X.dtype.itemsize > 2):  # other integers are not that large
        extremes = np.array(map_chunks(_extremes, X))
        if not np.isfinite(extremes).all():
            raise InputError("X holds NaN or infinity; every number must be finite")
        check_scale(extremes, dtype)


def _extremes(block):
    return block.min(), block.max()


def _own_values(X, function):
    """Compute ``K(x, x)`` for every row of X, float64, in blocks."""
    out = np.ones(X.shape[0])
    if function.name not in OF_DISTANCES:
        step = max(1, _DIAGONAL_BYTES // (8 * (1 if hasattr(X, "tocsr") else max(1, X.shape[1]))))
        for start in range(0, len(out), step):
            out[start : start + step] = function.diagonal(as_floats(X[start : start + step], np.float64))
    return out


def _same(rows, columns):
    """Tell whether rows and columns name the same points: then the block is made symmetric to the last bit."""
    if isinstance(rows, slice) or isinstance(columns, slice):
        return isinstance(rows, slice) and isinstance(columns, slice) and rows == columns
    return rows is columns or np.array_equal(rows, columns)
