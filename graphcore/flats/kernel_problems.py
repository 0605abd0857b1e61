"""The two steps of kernel k-flats on a kernel that is an array, a function of vectors, or a sparse matrix."""

import numpy as np

from .._threads import map_blocks, row_blocks
from . import _loops
from .kernel_clusters import fit_cluster, fit_large_cluster
from .kernel_set import gather

__all__ = ["ArrayKernelFlats", "SparseKernelFlats", "VectorKernelFlats"]

# Clusters up to this size get dense eigenvectors, which are faster than Lanczos there: of sparse kernels, of arrays.
SMALL_CLUSTER = 200
SMALL_ARRAY = 1000


class _KernelFlats:
    """What the problems share. Subclasses give `diagonal`, rows, columns and square parts of the kernel."""

    def __init__(self, diagonal, weights, n_dims, n_jobs):
        self.diagonal = diagonal
        self.weights = weights
        self.n_dims = n_dims
        self._n_jobs = n_jobs
        self.scale = float(np.abs(diagonal).max())

    @property
    def n_points(self):
        """Number of points."""
        return len(self.diagonal)

    def with_dims(self, n_dims):
        """The same kernel with flats of another dimension."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, n_dims=n_dims)
        return other

    def fit(self, labels, n_clusters):
        """The best flat of every cluster (none empty), and the squared distance of every point to its own."""

        def fit_one(_, members):
            few = len(members) > max(SMALL_ARRAY, 20 * self.n_dims)
            return (fit_large_cluster if few else fit_cluster)(self._part(members), self.weights[members], self.n_dims)

        return gather(labels, n_clusters, self.n_dims, fit_one)

    def distances_to_point(self, i):
        """Squared distances of all points to one of them in feature space."""
        distances = self.diagonal + self.diagonal[i] - 2 * self._column(i)
        # Copies of the point are at distance 0, which rounding must not turn into something that can be drawn.
        distances[distances < 1e-12 * self.scale] = 0.0
        return distances

    def reassign(self, flats, labels):
        """Labels after every point moved to its nearest flat, ties staying where they are."""
        out = labels.copy()

        def work(start, stop):
            D = flats.squared_distances(self._rows(start, stop), self.diagonal[start:stop])
            best, places = D.argmin(axis=1), np.arange(stop - start)
            nearer = D[places, best] < D[places, labels[start:stop]] - 1e-12 * self.scale
            out[start:stop][nearer] = best[nearer]

        map_blocks(work, flats.row_borders(self.n_points), self._n_jobs)
        return out


class ArrayKernelFlats(_KernelFlats):
    """Kernel k-flats on a dense, symmetric float64 kernel matrix of shape (n_samples, n_samples)."""

    def __init__(self, K, weights, n_dims, n_jobs=None):
        self._K = K
        super().__init__(np.diagonal(K).copy(), weights, n_dims, n_jobs)

    def _rows(self, start, stop):
        return self._K[start:stop]

    def _column(self, i):
        return self._K[i]

    def _part(self, members):
        return self._K[np.ix_(members, members)]


class VectorKernelFlats(_KernelFlats):
    """Kernel k-flats on vectors, whose kernel is computed by blocks in every pass and never held."""

    def __init__(self, kernel, X, weights, n_dims, n_jobs=None):
        self._kernel, self._X = kernel, X
        super().__init__(np.asarray(kernel.diagonal(X), dtype=np.float64), weights, n_dims, n_jobs)

    def _rows(self, start, stop):
        return self._kernel(self._X[start:stop], self._X)

    def _column(self, i):
        return self._kernel(self._X[i : i + 1], self._X)[0]

    def _part(self, members):
        return np.asarray(self._kernel(self._X[members]), dtype=np.float64)


class SparseKernelFlats(_KernelFlats):
    """Kernel k-flats on a sparse kernel in O(nnz n_dims) for each pass.

    Parameters
    ----------
    K : csr_array of shape (n_samples, n_samples), float64
        Symmetric, columns without repeats.
    weights : ndarray of shape (n_samples,), float64
    n_dims : int
    n_jobs : int or None
    """

    def __init__(self, K, weights, n_dims, n_jobs=None):
        self._K = K
        super().__init__(K.diagonal(), weights, n_dims, n_jobs)

    def fit(self, labels, n_clusters):
        """The best flat of every cluster (none empty), and the squared distance of every point to its own."""
        import scipy.sparse as sp

        # Points in the order of their clusters; what is kept between points of one cluster lies in diagonal blocks.
        order = np.argsort(labels, kind="stable")
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        firsts = np.concatenate([[0], np.cumsum(np.bincount(labels, minlength=n_clusters))])
        row = np.repeat(np.arange(self.n_points), np.diff(self._K.indptr))
        inside = labels[row] == labels[self._K.indices]
        row, column = place[row[inside]], place[self._K.indices[inside]]
        blocks = sp.coo_array((self._K.data[inside], (row, column)), shape=self._K.shape).tocsr()

        def fit_one(j, members):
            first, last = firsts[j], firsts[j + 1]
            start, stop = blocks.indptr[first], blocks.indptr[last]
            block = sp.csr_array(
                (
                    blocks.data[start:stop],
                    blocks.indices[start:stop] - first,
                    blocks.indptr[first : last + 1] - start,
                ),
                shape=(last - first, last - first),
            )
            if len(members) <= max(SMALL_CLUSTER, 4 * self.n_dims):
                return fit_cluster(block.toarray(), self.weights[members], self.n_dims)
            return fit_large_cluster(block, self.weights[members], self.n_dims)

        return gather(labels, n_clusters, self.n_dims, fit_one)

    def reassign(self, flats, labels):
        """Labels after every point moved to its nearest flat, ties staying where they are."""
        return nearest_sparse(self._K, flats, labels, 1e-12 * self.scale, self._n_jobs)[0]

    def _column(self, i):
        out = np.zeros(self.n_points)
        entries = slice(self._K.indptr[i], self._K.indptr[i + 1])
        out[self._K.indices[entries]] = self._K.data[entries]
        return out


def nearest_sparse(K, flats, labels, slack, n_jobs=None):
    """The nearest flat of points given by sparse kernel rows.

    All flats that share no entry with a point have one and the same distance but for a number of their own, so that
    only the smallest of these has to be looked at.

    Parameters
    ----------
    K : csr_array of shape (n_rows, n_samples), float64
    flats : KernelFlatSet
    labels : ndarray of shape (n_rows,), int32
        Where the points are now, -1 for nowhere; they move only if that is nearer by more than `slack`.
    slack : float
    n_jobs : int or None

    Returns
    -------
    labels : ndarray of shape (n_rows,), int32
    values : ndarray of shape (n_rows,), float64
        Squared distances less the kernel values of the points with themselves.
    """
    base = flats.mean_norms - np.square(flats.shifts).sum(axis=1)
    order = np.argsort(base, kind="stable").astype(np.int32)
    out, values = np.empty(K.shape[0], dtype=np.int32), np.empty(K.shape[0])
    indptr, indices = K.indptr.astype(np.int64, copy=False), K.indices.astype(np.int32, copy=False)

    def work(start, stop):
        _loops.nearest_rows(
            indptr,
            indices,
            K.data,
            flats.labels,
            flats.shares,
            flats.coefficients,
            flats.mean_norms,
            flats.shifts,
            base,
            order,
            labels,
            slack,
            start,
            stop,
            out,
            values,
        )

    map_blocks(work, row_blocks(indptr), n_jobs)
    return out, values
