"""Kernel matrices that are held dense, and kernels over vectors evaluated in blocks."""

from functools import cached_property

import numpy as np

from .._threads import map_blocks
from ..exceptions import InputError
from ._floats import as_floats
from .matrix import (
    BLOCK_BYTES,
    KernelMatrix,
    check_diagonal,
    check_precomputed,
    check_symmetric,
    memberships,
    noise_of,
)
from .vectors import VectorKernel

__all__ = ["DenseMatrix", "VectorMatrix"]


class DenseMatrix(KernelMatrix):
    """A precomputed kernel matrix.

    Parameters
    ----------
    K : array-like of shape (n_points, n_points)
        Real, finite, symmetric, with a diagonal that is not negative. float32 and float64 are not copied.
    check : bool, default True
        Whether to look for what is wrong with K (one pass).

    Raises
    ------
    InputError
        Saying what is wrong and what to do.
    """

    def __init__(self, K, *, check=True):
        K = np.asarray(K)
        check_precomputed(K)
        self.values = K if K.dtype in (np.float32, np.float64) else K.astype(np.float64)
        self.n_points = K.shape[0]
        self.precision = self.values.dtype
        self.noise = noise_of(self.precision)
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
            difference = max(difference, float(np.abs(rows - K[:, start : start + step].T).max()))
        check_symmetric(difference, largest, K.dtype)
        check_diagonal(self.diagonal)

    @cached_property
    def diagonal(self):
        """``K_xx`` for every point."""
        return self.values.diagonal().astype(np.float64)

    def block(self, rows, columns):
        """See :meth:`KernelMatrix.block`."""
        return self.values[rows][:, columns]

    def column(self, point):
        """See :meth:`KernelMatrix.column`."""
        return self.values[point].astype(np.float64)

    def product(self, M, n_jobs=None):
        """See :meth:`KernelMatrix.product`."""
        M = np.asarray(M, dtype=np.float64)
        return np.concatenate([self.values[a:b].astype(np.float64, copy=False) @ M for a, b in self._spans()])

    def group_sums(self, labels, weights, n_groups, n_jobs=None):
        """See :meth:`KernelMatrix.group_sums`; O(n_points^2) for any number of groups."""
        Z = memberships(labels, weights, n_groups)
        out = np.zeros((n_groups, self.n_points))
        for start, stop in self._spans():
            out += Z[:, start:stop] @ self.values[start:stop].astype(np.float64, copy=False)
        return out.T

    def _spans(self):
        step = max(1, BLOCK_BYTES // (8 * self.n_points)) if self.values.dtype == np.float32 else self.n_points
        return [(a, min(a + step, self.n_points)) for a in range(0, self.n_points, step)]


class VectorMatrix(KernelMatrix):
    """A kernel over vectors, evaluated in blocks of rows each time it is needed.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n_points, n_features)
    kernel : VectorKernel
    block_bytes : int, default 64 MiB
        Size of a block. If the whole matrix fits into one, it is evaluated at the first product and held.
    """

    def __init__(self, X, kernel: VectorKernel, block_bytes=BLOCK_BYTES):
        self.X, self.kernel = as_floats(X), kernel
        self.n_points = self.X.shape[0]
        self.is_psd = kernel.is_psd
        self.precision = self.X.dtype
        self.noise = noise_of(self.precision)
        self.block_bytes = block_bytes
        self._fits = self.X.dtype.itemsize * self.n_points**2 <= block_bytes
        self._held = None

    @cached_property
    def diagonal(self):
        """``K_xx`` for every point."""
        out = self.kernel.diagonal(self.X).astype(np.float64)
        check_diagonal(out)
        return out

    def block(self, rows, columns):
        """See :meth:`KernelMatrix.block`."""
        if self._held is not None:
            return self._held.block(rows, columns)
        return self.kernel(self.X[rows], self.X[columns])

    def product(self, M, n_jobs=None):
        """See :meth:`KernelMatrix.product`."""
        if self._hold():
            return self._held.product(M, n_jobs)
        return self._product(self.X, np.asarray(M, dtype=np.float64), n_jobs)

    def group_sums(self, labels, weights, n_groups, n_jobs=None):
        """See :meth:`KernelMatrix.group_sums`."""
        if self._hold():
            return self._held.group_sums(labels, weights, n_groups, n_jobs)
        return super().group_sums(labels, weights, n_groups, n_jobs)

    def updated_sums(self, sums, before, labels, weights, n_jobs=None):
        """See :meth:`KernelMatrix.updated_sums`; evaluates the columns of the points that moved."""
        moved = np.flatnonzero(labels != before)
        if self._hold() or 2 * len(moved) > self.n_points:
            return super().updated_sums(sums, before, labels, weights, n_jobs)
        now, then = (memberships(part[moved], weights[moved], sums.shape[1]) for part in (labels, before))
        return sums + self._product(self.X[moved], (now - then).T.toarray(), n_jobs) if len(moved) else sums

    def _product(self, Y, M, n_jobs):
        """``K(X, Y) M``, a block of rows at a time."""
        step = max(1, self.block_bytes // (2 * self.X.dtype.itemsize * Y.shape[0]))
        borders = np.append(np.arange(0, self.n_points, step), self.n_points)
        return np.concatenate(
            map_blocks(lambda a, b: self.kernel(self.X[a:b], Y).astype(np.float64, copy=False) @ M, borders, n_jobs)
        )

    def _hold(self):
        """Whether the whole matrix is held; evaluates it where it may be."""
        if self._held is None and self._fits:
            self._held = DenseMatrix(self.kernel(self.X), check=False)
        return self._fits
