"""Kernels over vectors, evaluated in blocks each time they are needed."""

import numpy as np

from .._locks import cached_property
from ._floats import as_floats, check_scale, check_vectors
from .base import BLOCK_BYTES, Kernel
from .checks import noise_of
from .columns import VectorColumns, map_rows
from .dense import DenseKernel, dense_submatrix
from .functions import OF_DISTANCES, KernelFunction
from .products import memberships

_DIAGONAL_BYTES = 6 << 20


class VectorKernel(Kernel):
    """The kernel matrix of vectors, ``K[i, j] = function(X[i], X[j])``.

    Parameters
    ----------
    X : ndarray, memmap or sparse array of shape (n_points, n_features)
        Any real type; blocks of rows are brought to `dtype` when they are used.
    function : KernelFunction
        See :func:`graphcore.kernels.functions.kernel_function`.
    dtype : {float32, float64}, optional
        What kernel values are computed in. Default: float32 for float32, otherwise float64.
    held_bytes : int, default 64 MiB
        A matrix that fits into these is evaluated at the first product, and held.

    Examples
    --------
    >>> import numpy as np
    >>> from graphcore.kernels.functions import kernel_function
    >>> from graphcore.kernels.vectors import VectorKernel
    >>> kernel = VectorKernel(np.array([[0.0], [1.0], [3.0]]), kernel_function("linear"))
    >>> kernel.diagonal.tolist(), kernel.column(1).tolist()
    ([0.0, 1.0, 9.0], [0.0, 1.0, 3.0])
    """

    def __init__(self, X, function: KernelFunction, dtype=None, held_bytes=BLOCK_BYTES):
        if dtype is None:
            dtype = np.float32 if getattr(X, "dtype", None) == np.float32 else np.float64
        X = X.tocsr() if hasattr(X, "tocsr") else np.asanyarray(X)
        check_vectors(X)
        check_scale(X, dtype)
        self.X, self.function = X, function
        self.n_points = X.shape[0]
        self.is_psd = function.is_psd
        self.precision = np.dtype(dtype)
        self.noise = noise_of(self.precision)
        self._fits = self.precision.itemsize * self.n_points**2 <= held_bytes
        self._held = None

    @cached_property
    def diagonal(self):
        """``K_xx`` for every point."""
        if self.function.name in OF_DISTANCES:
            return np.ones(self.n_points)
        out = np.empty(self.n_points)
        step = max(1, _DIAGONAL_BYTES // (8 * (1 if hasattr(self.X, "tocsr") else max(1, self.X.shape[1]))))
        for start in range(0, self.n_points, step):
            out[start : start + step] = self.function.diagonal(as_floats(self.X[start : start + step], np.float64))
        return out

    def block(self, rows, columns, dtype=None):
        """See :meth:`Kernel.block`."""
        if self._held is not None and dtype in (None, self.precision):
            return self._held.block(rows, columns)
        dtype = dtype or self.precision
        left = as_floats(self.X[rows], dtype)
        return self.function(left, None if _same(rows, columns) else as_floats(self.X[columns], dtype))

    def columns(self, points=None):
        """See :meth:`Kernel.columns`."""
        Y = as_floats(self.X if points is None else self.X[points], self.precision)
        return VectorColumns(self.function, self.X, Y, self.precision)

    def product(self, M, n_jobs=None):
        """See :meth:`Kernel.product`."""
        if self._hold():
            return self._held.product(M, n_jobs)
        return super().product(M, n_jobs)

    def cluster_sums(self, labels, weights, n_clusters, n_jobs=None):
        """See :meth:`Kernel.cluster_sums`."""
        if self._hold():
            return self._held.cluster_sums(labels, weights, n_clusters, n_jobs)
        return super().cluster_sums(labels, weights, n_clusters, n_jobs)

    def updated_sums(self, sums, before, labels, weights, n_jobs=None):
        """See :meth:`Kernel.updated_sums`; evaluates the columns of the points that moved."""
        moved = np.flatnonzero(labels != before)
        if self._hold() or 2 * len(moved) > self.n_points:
            return self.cluster_sums(labels, weights, sums.shape[1], n_jobs)
        if not len(moved):
            return sums
        now, then = (memberships(part[moved], weights[moved], sums.shape[1]) for part in (labels, before))
        M = (now - then).T.toarray()
        return sums + map_rows(self.columns(moved), lambda rows: rows @ M, n_jobs=n_jobs)

    def submatrix(self, points, point_weights=None):
        """See :meth:`Kernel.submatrix`."""
        return dense_submatrix(self, points, point_weights)

    def _hold(self):
        """Whether the whole matrix is held; evaluates it where it may be."""
        if self._held is None and self._fits:
            self._held = DenseKernel(self.function(as_floats(self.X, self.precision)), check=False)
        return self._fits


def _same(rows, columns):
    """Whether rows and columns name the same points: then the block is symmetric, and made so to the last bit."""
    if isinstance(rows, slice) or isinstance(columns, slice):
        return isinstance(rows, slice) and isinstance(columns, slice) and rows == columns
    return rows is columns or np.array_equal(rows, columns)
