"""The one view of a kernel: what every algorithm sees of it, whatever form it has."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..base.loops import cached_property, limited_libraries, map_blocks
from ..exceptions import InputError
from .checks import as_floats

BLOCK_BYTES = 1 << 26
# Larger matrices are not made whole: 3.2 GB, and n^3 operations mostly follow.
_MAX_DENSE = 20_000
# Bytes of a block of kernel values together with its vectors: small enough for a processor's cache, large enough for
# BLAS to run at full speed.
_CACHE_BYTES = 6 << 20


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


def block_borders(columns, block_rows=None):
    """Return borders of blocks of so many rows, by default such as fit into a processor's cache."""
    n = columns.shape[0]
    if block_rows is None:
        block_rows = min(max(_CACHE_BYTES // max(1, columns.row_bytes), 64), 1 << 14)
    return np.append(np.arange(0, n, block_rows), n) if n else np.array([0, 0])


def map_rows(columns, function, *, n_jobs=None, block_rows=None):
    """Map a function over the rows of some columns, a block at a time: (n, m), float64.

    The function takes a block of rows, an ndarray or csr_array, and returns one row for each; blocks as of
    :func:`block_borders`.
    """

    def one(start, stop):
        part = function(columns.rows(start, stop))
        return np.asarray(part.toarray() if hasattr(part, "toarray") else part, dtype=np.float64)

    with limited_libraries():
        return np.concatenate(map_blocks(one, block_borders(columns, block_rows), n_jobs))


class Products(NamedTuple):
    """Sums over ``S_xj = sum_{y in j} w_y K_xy`` for all points and clusters of a partition."""

    own: np.ndarray  # (n_points,) float64: ``S_xj`` for the cluster j that holds x, 0 for points in none
    # ``nearest(norms, masses, own_bonus)`` is ``argmin_j norms_j - 2 S_xj / masses_j``, less the bonus of the cluster
    # that holds x's weight: labels (n_points,), int32, of equals the lowest, and these values.
    nearest: Callable


class Kernel:
    """A symmetric kernel matrix K of shape (n_points, n_points), as the algorithms see it.

    Its forms: GraphKernel, SparseKernel, DenseKernel (memory-mapped too) and VectorKernel, which evaluates
    a function in blocks. A form gives `n_points`, `diagonal`, :meth:`block`, :meth:`columns` and `_among`, the matrix
    among some points; the rest follows from these, and is overridden where that is quicker.
    """

    n_points: int
    diagonal: np.ndarray  # (n_points,) float64
    is_psd: bool | None = None  # whether it is positive semi-definite for certain, for certain not, or not known
    is_sparse: bool = False  # whether most entries are 0, and rows come as csr_array
    precision: np.dtype = np.dtype(np.float64)  # type that values were computed in, whatever type holds them
    leaves_out_isolated: bool = False  # whether points of weight 0 are in no cluster, as the isolated nodes of a graph

    @property
    def noise(self):
        """Share of the two squared norms below which squared distances are rounding: the points are equal."""
        return 2e-6 if self.precision == np.float32 else 1e-12

    @cached_property
    def point_weights(self):
        """Weights of kernel k-means that belong to the kernel, (n_points,) float64: degrees for a graph, else ones."""
        return np.ones(self.n_points)

    def block(self, rows, columns, dtype=None):
        """Return entries at some rows and columns (arrays of integers, or slices), an ndarray (n_rows, n_columns).

        `dtype` is the type that values are computed and returned in, by default `precision`.
        """
        raise NotImplementedError

    def columns(self, points=None):
        """Return Columns of some points, or all of them: blocks of rows."""
        raise NotImplementedError

    def column(self, point):
        """Return one column (or row), as a new float64 array of shape (n_points,)."""
        return np.array(self.block(slice(None), np.array([point]))[:, 0], dtype=np.float64)

    def product(self, M, n_jobs=None):
        """Compute ``K M``, float64, for a matrix M (n_points, n_columns) of few columns, such as memberships.

        The result does not depend on the threads, `n_jobs`.
        """
        M = np.asarray(M, dtype=np.float64)
        return map_rows(self.columns(), lambda rows: rows @ M, n_jobs=n_jobs)

    def submatrix(self, points, point_weights=None):
        """Return the Kernel among some of its points, ascending, with other weights if these are given."""
        part = self._among(points)
        part.is_psd, part.precision = self.is_psd, self.precision  # it was computed alike
        part.point_weights = self.point_weights[points] if point_weights is None else point_weights
        return part

    def whole(self, purpose):
        """Return the matrix for a `purpose` that needs it: a csr_array where it is sparse, otherwise an ndarray."""
        return self.dense(purpose)

    def dense(self, purpose, remedy="take a sample of the points"):
        """Return the matrix as an ndarray of float64, for a `purpose` that needs it, unless it is too large."""
        if self.n_points > _MAX_DENSE:
            raise InputError(
                f"{purpose} needs the whole kernel matrix, and {self.n_points} x {self.n_points} is too large (at most "
                f"{_MAX_DENSE}); {remedy}"
            )
        return self.block(slice(None), slice(None), np.float64)

    def absolute_sums(self, weights):
        """Sum ``w_y |K_xy|`` for every point x; the largest sum bounds all eigenvalues of ``W^1/2 K W^1/2``."""
        return map_rows(self.columns(), lambda rows: (abs(rows) @ weights)[:, None])[:, 0]

    def definite_shift(self, weights):
        """Return a shift from which on ``K + shift W^-1`` is positive semi-definite, by Gershgorin's circles."""
        return float(self.absolute_sums(weights).max())

    def cluster_products(self, labels, weights, n_clusters, n_jobs=None):
        """Return Products of points with centroids, not yet divided by the weights of the latter.

        `labels` are integers, -1 for points in no cluster, `weights` float64.
        """
        sums = self.cluster_sums(labels, weights, n_clusters, n_jobs)
        placed = np.flatnonzero(labels >= 0)
        own = np.zeros(len(labels))
        own[placed] = sums[placed, labels[placed]]

        def nearest(norms, masses, own_bonus):
            values = norms - 2.0 * sums / masses
            held = placed[weights[placed] > 0]
            values[held, labels[held]] -= own_bonus[labels[held]]
            found = values.argmin(axis=1).astype(np.int32)
            return found, values[np.arange(len(found)), found]

        return Products(own, nearest)

    def cluster_sums(self, labels, weights, n_clusters, n_jobs=None):
        """Sum ``weights_y K_xy`` over the y of label j, an ndarray of shape (n_points, n_clusters), float64."""
        return self.product(membership_matrix(labels, weights, n_clusters).T.toarray(), n_jobs)


def membership_matrix(labels, weights, n_clusters):
    """Make the weighted membership matrix, clusters by points, a csr_array; points of label -1 are in no cluster."""
    import scipy.sparse as sp

    points = np.flatnonzero(labels >= 0)
    shape = (n_clusters, len(labels))
    return sp.coo_array((np.asarray(weights, dtype=np.float64)[points], (labels[points], points)), shape=shape).tocsr()
