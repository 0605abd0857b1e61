"""Sparse kernel matrices in compressed rows: precomputed ones, and graph kernels that are never stored."""

import numpy as np

from .._threads import map_blocks, row_blocks
from ..exceptions import InputError
from .cut import CutKernel
from .matrix import KernelMatrix, check_diagonal, check_precomputed, check_symmetric, noise_of

__all__ = ["GraphMatrix", "RowsMatrix", "SparseMatrix"]

_BLOCK_ENTRIES = 1 << 20


class RowsMatrix(KernelMatrix):
    """Compressed rows: ``K_xy = outer_x (A_xy + self_loop [x = y]) outer_y``; see `_matrix_loops`."""

    indptr: np.ndarray
    indices: np.ndarray
    values: np.ndarray
    self_loop: float = 0.0
    outer: np.ndarray

    def _gather(self, rows):
        """Row number, column and value of every entry of some rows."""
        rows = np.arange(self.n_points)[rows]
        lengths = self.indptr[rows + 1] - self.indptr[rows]
        where = np.repeat(np.arange(len(rows)), lengths)
        entries = np.arange(lengths.sum()) + np.repeat(self.indptr[rows] - (np.cumsum(lengths) - lengths), lengths)
        columns = self.indices[entries]
        data = self.values[entries] if len(self.values) else 1.0
        return where, columns, data * self.outer[rows][where] * self.outer[columns]

    def block(self, rows, columns):
        """See :meth:`KernelMatrix.block`; O(n_points + entries of the rows)."""
        rows, columns = np.arange(self.n_points)[rows], np.arange(self.n_points)[columns]
        wanted, place = np.unique(columns, return_inverse=True)
        position = np.full(self.n_points, -1)
        position[wanted] = np.arange(len(wanted))
        where, found, data = self._gather(rows)
        kept = position[found] >= 0
        out = np.zeros((len(rows), len(wanted)))
        out[where[kept], position[found[kept]]] = data[kept]
        if self.self_loop:
            i = np.flatnonzero(position[rows] >= 0)
            out[i, position[rows[i]]] += self.self_loop * self.outer[rows[i]] ** 2
        return out[:, place]

    def column(self, point):
        """See :meth:`KernelMatrix.column`."""
        out = np.zeros(self.n_points)
        span = slice(self.indptr[point], self.indptr[point + 1])
        data = self.values[span] if len(self.values) else 1.0
        out[self.indices[span]] = data * self.outer[point] * self.outer[self.indices[span]]
        out[point] += self.self_loop * self.outer[point] ** 2
        return out

    def product(self, M, n_jobs=None):
        """See :meth:`KernelMatrix.product`; values of a graph without weights are made block by block."""
        import scipy.sparse as sp

        M = np.asarray(M, dtype=np.float64)
        inner = M * self.outer[:, None]

        def rows_of(start, stop):
            low, high = self.indptr[start], self.indptr[stop]
            data = self.values[low:high] if len(self.values) else np.ones(high - low)
            part = sp.csr_array(
                (data, self.indices[low:high], self.indptr[start : stop + 1] - low), shape=(stop - start, self.n_points)
            )
            return (part @ inner + self.self_loop * inner[start:stop]) * self.outer[start:stop, None]

        return np.concatenate(map_blocks(rows_of, row_blocks(self.indptr, _BLOCK_ENTRIES), n_jobs))


class SparseMatrix(RowsMatrix):
    """A precomputed sparse kernel matrix; entries that are not stored are 0.

    Parameters
    ----------
    K : sparse matrix of shape (n_points, n_points)
        As for :class:`DenseMatrix`. Repeated entries add up.

    Raises
    ------
    InputError
        Saying what is wrong and what to do.
    """

    def __init__(self, K):
        import scipy.sparse as sp

        check_precomputed(K)
        given = K.dtype
        K = sp.csr_array(K, dtype=np.float64, copy=not getattr(K, "has_canonical_format", False))
        K.sum_duplicates()
        if not np.isfinite(K.data).all():
            raise InputError("the kernel matrix must be finite; it holds NaN or infinity")
        difference = float(np.abs((K - K.T).data).max(initial=0.0))
        check_symmetric(difference, np.abs(K.data).max(initial=0.0), given)
        self.n_points = K.shape[0]
        # Held in float64, for the loops; what float32 has rounded away is not back.
        self.precision = np.dtype(np.float32 if given == np.float32 else np.float64)
        self.noise = noise_of(self.precision)
        self.diagonal = K.diagonal()
        check_diagonal(self.diagonal)
        self.indptr = K.indptr.astype(np.int64)
        # Views, for scipy may share these with the caller's matrix, which stays writable.
        self.indices = K.indices.astype(np.int32 if self.n_points < 2**31 else np.int64, copy=False).view()
        self.values = K.data.view()
        for array in (self.indptr, self.indices, self.values):
            array.flags.writeable = False  # like a graph's arrays, so that loops are compiled once
        self.outer = np.ones(self.n_points)

    def absolute_sums(self, weights):
        """See :meth:`KernelMatrix.absolute_sums`; O(entries)."""
        import scipy.sparse as sp

        shape = (self.n_points, self.n_points)
        return sp.csr_array((np.abs(self.values), self.indices, self.indptr), shape=shape) @ weights


class GraphMatrix(RowsMatrix):
    """The kernel ``D^-1 A D^-1`` of a graph, read where it is used and never stored.

    Parameters
    ----------
    graph : Graph or CutKernel
    self_loop : float, default 0
        Weight of a loop on every node that has an edge, inside the kernel only. A CutKernel has its own.
    """

    leaves_out_isolated = True

    def __init__(self, graph, self_loop=0.0):
        self.kernel = graph if isinstance(graph, CutKernel) else CutKernel(graph, self_loop)
        self.n_points = self.kernel.n_points
        self.indptr, self.indices, self.values = self.kernel.indptr, self.kernel.indices, self.kernel.weights
        self.self_loop = self.kernel.self_loop
        degrees = self.kernel.degrees
        self.outer = np.divide(1.0, degrees, out=np.zeros(len(degrees)), where=degrees > 0)
        self.diagonal = self.kernel.diagonal
        self.point_weights = self.kernel.point_weights
