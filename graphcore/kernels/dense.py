"""Kernel matrices that are held dense, in memory or mapped from a file."""

import numpy as np

from ..base.locks import cached_property
from ..exceptions import InputError
from .base import BLOCK_BYTES, Kernel, membership_matrix
from .checks import check_diagonal, check_precomputed, check_symmetric
from .columns import matrix_columns


class DenseKernel(Kernel):
    """A precomputed kernel matrix K (n_points, n_points): real, finite, symmetric, its diagonal not negative.

    float32 and float64 are not copied, and may be memory-mapped. With `check`, one pass looks for errors in K, which
    are an InputError with a remedy.
    """

    def __init__(self, K, *, check=True):
        K = np.asarray(K)
        check_precomputed(K)
        self.values = K if K.dtype in (np.float32, np.float64) else K.astype(np.float64)
        self.n_points = K.shape[0]
        self.precision = self.values.dtype
        if check:
            self._check()

    def _check(self):
        K, step = self.values, max(1, BLOCK_BYTES // (16 * self.n_points))
        largest = difference = 0.0
        for start in range(0, self.n_points, step):
            rows = K[start : start + step]
            if not np.isfinite(rows).all():
                i, j = np.argwhere(~np.isfinite(rows))[0]
                raise InputError(f"the kernel matrix must be finite; entry ({start + i}, {j}) is {rows[i, j]}")
            largest = max(largest, float(np.abs(rows).max()))
            with np.errstate(over="ignore"):  # values as large as that are refused
                difference = max(difference, float(np.abs(rows - K[:, start : start + step].T).max()))
        check_symmetric(difference, largest, K.dtype)
        check_diagonal(self.diagonal)

    @cached_property
    def diagonal(self):
        """``K_xx`` for every point."""
        return self.values.diagonal().astype(np.float64)

    def block(self, rows, columns, dtype=None):
        """See :meth:`Kernel.block`."""
        block = self.values[rows][:, columns]
        return block if dtype is None else block.astype(dtype, copy=False)

    def columns(self, points=None):
        """See :meth:`Kernel.columns`."""
        return matrix_columns(self.values, self.precision, points)

    def column(self, point):
        """See :meth:`Kernel.column`."""
        return self.values[point].astype(np.float64)

    def submatrix(self, points, point_weights=None):
        """See :meth:`Kernel.submatrix`."""
        return DenseKernel(self.block(points, points), check=False)._part_of(self, points, point_weights)

    def cluster_sums(self, labels, weights, n_clusters, n_jobs=None, before=None):
        """See :meth:`Kernel.cluster_sums`; O(n_points^2) for any number of clusters."""
        Z = membership_matrix(labels, weights, n_clusters)
        out = np.zeros((n_clusters, self.n_points))
        step = max(1, BLOCK_BYTES // (8 * self.n_points)) if self.values.dtype == np.float32 else self.n_points
        for start in range(0, self.n_points, step):
            rows = slice(start, start + step)
            out += Z[:, rows] @ self.values[rows].astype(np.float64, copy=False)
        return out.T
