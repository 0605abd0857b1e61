"""One view of a kernel matrix, whether it is held dense or sparse, read off a graph, or evaluated from vectors."""

from functools import cached_property

import numpy as np

from ..exceptions import InputError

__all__ = [
    "BLOCK_BYTES",
    "KernelMatrix",
    "check_diagonal",
    "check_precomputed",
    "check_symmetric",
    "clearly_negative",
    "eigenvalue_noise",
    "memberships",
    "noise_of",
]

BLOCK_BYTES = 1 << 26
# A matrix whose two halves differ by less than this share of its largest entry is symmetric up to rounding.
_SYMMETRY_TOLERANCE = {"f": 1e-4}


class KernelMatrix:
    """What the algorithms see of a symmetric kernel matrix.

    Its forms: DenseMatrix and SparseMatrix (precomputed), GraphMatrix, VectorMatrix.

    Attributes
    ----------
    n_points : int
    diagonal : ndarray of shape (n_points,), float64
    point_weights : ndarray of shape (n_points,), float64
        The weights of kernel k-means that belong to the matrix: node degrees for a graph, otherwise ones. Points of
        weight 0 of a graph are isolated nodes and take no part.
    is_psd : bool or None
        Whether the matrix is positive semi-definite for certain (True), for certain not (False), or it is not known.
    precision : dtype
        float32 or float64: what the kernel values were computed in, whatever type they are held in.
    noise : float
        Squared distances below this share of the two squared norms are rounding: the points are equal.
    leaves_out_isolated : bool
        Whether points of weight 0 are in no cluster, as the isolated nodes of a graph.
    """

    n_points: int
    is_psd: bool | None = None
    precision: np.dtype = np.dtype(np.float64)
    noise: float = 1e-12
    leaves_out_isolated: bool = False

    @cached_property
    def point_weights(self):
        """Ones."""
        return np.ones(self.n_points)

    def block(self, rows, columns):
        """Entries at some rows and columns.

        Parameters
        ----------
        rows, columns : ndarray of integers, or slice

        Returns
        -------
        ndarray of shape (n_rows, n_columns)
        """
        raise NotImplementedError

    def column(self, point):
        """One column (or row), as a new float64 array of shape (n_points,)."""
        return np.array(self.block(slice(None), np.array([point]))[:, 0], dtype=np.float64)

    def product(self, M, n_jobs=None):
        """``K M`` for a matrix M of few columns, such as weighted memberships of clusters.

        Parameters
        ----------
        M : ndarray of shape (n_points, n_columns)
        n_jobs : int, optional
            Threads, where blocks are evaluated; the result does not depend on it.

        Returns
        -------
        ndarray of shape (n_points, n_columns), float64
        """
        raise NotImplementedError

    def absolute_sums(self, weights):
        """``sum_y w_y |K_xy|`` for every point x; their largest bounds all eigenvalues of ``W^1/2 K W^1/2``.

        Parameters
        ----------
        weights : ndarray of shape (n_points,), float64

        Returns
        -------
        ndarray of shape (n_points,), float64
        """
        step = max(1, BLOCK_BYTES // (16 * self.n_points))
        rows = (slice(start, start + step) for start in range(0, self.n_points, step))
        return np.concatenate([np.abs(self.block(part, slice(None))) @ weights for part in rows])

    def group_sums(self, labels, weights, n_groups, n_jobs=None):
        """``S_xj = sum over y of label j of weights_y K_xy``: the product with a weighted membership matrix.

        Parameters
        ----------
        labels : ndarray of shape (n_points,), integer
            -1 for points in no group.
        weights : ndarray of shape (n_points,), float64
        n_groups : int
        n_jobs : int, optional

        Returns
        -------
        ndarray of shape (n_points, n_groups), float64
        """
        return self.product(memberships(labels, weights, n_groups).T.toarray(), n_jobs)

    def updated_sums(self, sums, before, labels, weights, n_jobs=None):
        """:meth:`group_sums` of `labels`, given those of the labels before.

        Kernels whose entries are dear evaluate only the columns of points that moved.

        Parameters
        ----------
        sums : ndarray of shape (n_points, n_groups), float64
            Not changed.
        before, labels : ndarray of shape (n_points,), integer
        weights : ndarray of shape (n_points,), float64
        n_jobs : int, optional

        Returns
        -------
        ndarray of shape (n_points, n_groups), float64
        """
        return self.group_sums(labels, weights, sums.shape[1], n_jobs)


def noise_of(dtype):
    """Relative rounding of squared distances between points whose kernel values have this type."""
    return 2e-6 if dtype == np.float32 else 1e-12


def eigenvalue_noise(n_points, dtype):
    """Share of the largest eigenvalue below which negative ones may be the rounding of kernel values of this type.

    The rounding of n x n values has eigenvalues up to about n times the machine epsilon. 1e-8 is for what went into the
    values before: they are seldom exact to the last digit.
    """
    return max(1e-8, n_points * float(np.finfo(dtype).eps))


def clearly_negative(eigenvalues, dtype, n_points):
    """Whether the least of some eigenvalues is more negative than rounding of n x n values of this type explains."""
    least, largest = float(np.min(eigenvalues)), float(np.abs(eigenvalues).max())
    return least < -eigenvalue_noise(n_points, dtype) * largest


def memberships(labels, weights, n_groups):
    """Weighted membership matrix, groups by points, as a csr_array; points of label -1 are in no group."""
    import scipy.sparse as sp

    points = np.flatnonzero(labels >= 0)
    shape = (n_groups, len(labels))
    return sp.coo_array((np.asarray(weights, dtype=np.float64)[points], (labels[points], points)), shape=shape).tocsr()


def check_precomputed(K):
    """Refuse what has not the shape or type of a precomputed kernel."""
    if K.ndim != 2 or K.shape[0] != K.shape[1] or K.shape[0] == 0:
        raise InputError(f"a precomputed kernel is a square matrix, and not empty; this one has shape {K.shape}")
    if K.dtype.kind not in "biuf":
        raise InputError(f"a precomputed kernel has real numbers, got {K.dtype}")


def check_symmetric(difference, largest, dtype):
    """Refuse a matrix whose halves differ by more than rounding."""
    if difference > _SYMMETRY_TOLERANCE.get(dtype.char, 1e-8) * largest:
        raise InputError(
            f"the kernel matrix is not symmetric: entries differ by up to {difference:.3g} across the diagonal; "
            "use (K + K.T) / 2 if that is what is meant"
        )


def check_diagonal(diagonal):
    """Refuse a diagonal that no inner product has."""
    if not np.isfinite(diagonal).all():
        raise InputError("the kernel overflows on its diagonal: rescale the vectors, or lower degree or gamma")
    if (diagonal < 0).any():
        x = int(np.argmin(diagonal))
        raise InputError(
            f"the kernel has a negative diagonal ({np.count_nonzero(diagonal < 0)} entries; K[{x}, {x}] is "
            f"{diagonal[x]:.3g}), so it is no inner product: add a multiple of the identity, or choose another kernel"
        )
