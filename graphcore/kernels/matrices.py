"""Precomputed kernel matrices: dense, in memory or mapped from a file, and sparse in compressed rows."""

import copy

import numpy as np

from ..base.loops import cached_property, map_blocks, row_blocks
from ..base.validation import read_only
from ..graphs.from_matrix import check_given
from ..graphs.rows import Rows, csr_rows
from ..neighbors.vectors import check_finite
from . import _loops
from .base import BLOCK_BYTES, Columns, Kernel, Products, matrix_columns, membership_matrix
from .checks import canonical_csr, check_diagonal, check_precomputed, check_symmetric

_BLOCK_ENTRIES, _PRODUCT_ENTRIES = 1 << 20, 1 << 18


class DenseKernel(Kernel):
    """A precomputed kernel matrix K (n_points, n_points): real, finite, symmetric, its diagonal not negative.

    float32 and float64 are not copied, and may be memory-mapped. With `check`, errors are looked for in K, which
    are an InputError with a remedy.
    """

    def __init__(self, K, *, check=True):
        K = np.asarray(K)
        check_precomputed(K)
        self.values = K if K.dtype in (np.float32, np.float64) else K.astype(np.float64)
        self.n_points = K.shape[0]
        self.precision = self.values.dtype
        if check:
            K, step = self.values, max(1, BLOCK_BYTES // (16 * self.n_points))
            largest, difference = check_finite(K, "the kernel matrix"), 0.0
            for start in range(0, self.n_points, step):
                rows = K[start : start + step]
                with np.errstate(over="ignore"):  # values as large as that are refused
                    difference = max(difference, float(np.abs(rows - K[:, start : start + step].T).max()))
            check_symmetric(difference, largest, K.dtype)
            check_diagonal(self)

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

    def _among(self, points):
        return DenseKernel(self.block(points, points), check=False)

    def cluster_sums(self, labels, weights, n_clusters, n_jobs=None):
        """See :meth:`Kernel.cluster_sums`; O(n_points^2) for any number of clusters."""
        Z = membership_matrix(labels, weights, n_clusters)
        out = np.zeros((n_clusters, self.n_points))
        step = max(1, BLOCK_BYTES // (8 * self.n_points)) if self.values.dtype == np.float32 else self.n_points
        for start in range(0, self.n_points, step):
            rows = slice(start, start + step)
            out += Z[:, rows] @ self.values[rows].astype(np.float64, copy=False)
        return out.T


class RowsKernel(Kernel):
    """Compressed rows: ``K_xy = outer_x (A_xy + (self_loop + shift degrees_x) [x = y]) outer_y``, never made dense."""

    is_sparse = True
    indptr: np.ndarray  # (n_points + 1,) int64
    indices: np.ndarray  # (n_entries,) int32 or int64
    values: np.ndarray  # (n_entries,) float32 or float64: entries of A; length 0 stands for ones
    outer: np.ndarray  # (n_points,) float64
    degrees: np.ndarray  # (n_points,) float64: by which entries are divided, ones for a matrix
    self_loop: float = 0.0
    shift: float = 0.0

    def loops(self, points):
        """Return what is added to the own entries of some points, or a slice of them, a new float64 array."""
        return self.self_loop + self.shift * self.degrees[points]

    def sparse_rows(self, points):
        """Return rows of K for some points, or a slice of them, as a csr_array of float64."""
        import scipy.sparse as sp

        points = np.arange(*points.indices(self.n_points)) if isinstance(points, slice) else np.asarray(points)
        rows = csr_rows(Rows(self.indptr, self.indices, self.values), points)
        if self.self_loop or self.shift:
            rows = rows + sp.csr_array((self.loops(points), points, np.arange(len(points) + 1)), shape=rows.shape)
        rows.data *= np.repeat(self.outer[points], np.diff(rows.indptr))
        rows.data *= self.outer[rows.indices]
        return rows

    def towards(self, points):
        """Return this kernel with the entries of the columns of some ascending points alone, in all its rows.

        It takes O(n_points + entries of these columns), and the same sums over these points as the whole kernel.
        """
        # Rows of a symmetric matrix are its columns, and quicker to take.
        columns = csr_rows(Rows(self.indptr, self.indices, self.values), points).T.tocsr()
        kernel = copy.copy(self)
        kernel.indptr = read_only(columns.indptr, np.int64)
        kernel.indices = read_only(points[columns.indices], self.indices.dtype)
        kernel.values = read_only(columns.data)
        return kernel

    def block(self, rows, columns, dtype=None):
        """See :meth:`Kernel.block`; O(n_points + entries of the rows), and the block itself dense."""
        block = self.sparse_rows(rows)
        block = block if isinstance(columns, slice) and columns == slice(None) else block[:, columns]
        return block.toarray() if dtype is None else block.toarray().astype(dtype, copy=False)

    def columns(self, points=None):
        """See :meth:`Kernel.columns`; rows are csr_arrays."""
        if points is None:

            def rows(start, stop):
                return self.sparse_rows(slice(start, stop)).astype(self.precision, copy=False)

            mean_bytes = 1 + 32 * len(self.indices) // self.n_points  # of a row of mean length
            return Columns((self.n_points, self.n_points), self.precision, mean_bytes, rows, is_sparse=True)
        # Rows of a symmetric matrix are its columns, and quicker to take.
        return matrix_columns(self.sparse_rows(points).T.tocsr(), self.precision)

    def column(self, point):
        """See :meth:`Kernel.column`."""
        out = np.zeros(self.n_points)
        span = slice(self.indptr[point], self.indptr[point + 1])
        data = self.values[span] if len(self.values) else 1.0
        out[self.indices[span]] = data * self.outer[point] * self.outer[self.indices[span]]
        out[point] += self.loops(point) * self.outer[point] ** 2
        return out

    def product(self, M, n_jobs=None):
        """See :meth:`Kernel.product`; values of a graph without weights are made block by block."""
        import scipy.sparse as sp

        M = np.asarray(M, dtype=np.float64)
        inner, loops = M * self.outer[:, None], self.loops(slice(None))[:, None]

        def rows_of(start, stop):
            low, high = self.indptr[start], self.indptr[stop]
            data = self.values[low:high] if len(self.values) else np.ones(high - low)
            part = sp.csr_array(
                (data, self.indices[low:high], self.indptr[start : stop + 1] - low), shape=(stop - start, self.n_points)
            )
            return (part @ inner + loops[start:stop] * inner[start:stop]) * self.outer[start:stop, None]

        return np.concatenate(map_blocks(rows_of, row_blocks(self.indptr, _BLOCK_ENTRIES), n_jobs))

    def whole(self, purpose):
        """See :meth:`Kernel.whole`."""
        return self.sparse_rows(slice(None))

    def cluster_products(self, labels, weights, n_clusters, n_jobs=None):
        """See :meth:`Kernel.cluster_products`; rows are read once for each question, and nothing is held."""
        inner = weights * self.outer
        rows = self.indptr, self.indices, self.values, self.loops(slice(None)), self.outer
        blocks = row_blocks(self.indptr, _PRODUCT_ENTRIES)
        own = np.empty(self.n_points)
        map_blocks(lambda a, b: _loops.own_sums(rows, inner, labels, a, b, own), blocks, n_jobs)

        def nearest(norms, masses, own_bonus):
            found = np.empty(self.n_points, dtype=np.int32), np.empty(self.n_points)
            clusters = norms, masses, own_bonus, np.argsort(norms, kind="stable")
            points = labels, read_only(weights)
            map_blocks(
                lambda a, b: _loops.nearest_centroids(rows, inner, points, clusters, a, b, found), blocks, n_jobs
            )
            return found

        return Products(own, nearest)


class SparseKernel(RowsKernel):
    """A precomputed sparse kernel matrix; entries that are not stored are 0, and repeated ones add up.

    K and `check` are as for `DenseKernel`.
    """

    def __init__(self, K, *, check=True):
        if check:
            check_given(K)
        check_precomputed(K)
        given, K = K.dtype, canonical_csr(K)
        self.n_points = K.shape[0]
        # Held in float64, for the loops; digits that float32 has rounded away do not come back.
        self.precision = np.dtype(np.float32 if given == np.float32 else np.float64)
        self.diagonal = K.diagonal()
        if check:
            largest = check_finite(K, "the kernel matrix")
            difference = float(np.abs((K - K.T).data).max(initial=0.0))
            check_symmetric(difference, largest, self.precision)
            check_diagonal(self)
        self.indptr = read_only(K.indptr, np.int64)
        # scipy may share these with the caller's matrix, which stays writable.
        self.indices = read_only(K.indices, np.int32 if self.n_points < 2**31 else np.int64)
        self.values = read_only(K.data)
        self.outer = self.degrees = read_only(np.ones(self.n_points))

    def _among(self, points):
        return SparseKernel(self.sparse_rows(points)[:, points], check=False)
