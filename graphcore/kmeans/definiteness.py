"""Whether a kernel matrix is positive semi-definite, and the shift that makes it so."""

import numpy as np

from .._random import Streams
from ..kernels.matrix import check_symmetric, clearly_negative
from ..kernels.rows_matrix import GraphMatrix

__all__ = ["least_sampled_eigenvalue", "semidefinite_shift"]

_DENSE_POINTS = 1500
_SAMPLE = 500


def least_sampled_eigenvalue(matrix, random_state=None):
    """Least eigenvalue of a principal sub-matrix of at most 500 points, over its largest in absolute value.

    0 where it is negative by no more than the rounding of the kernel values.

    A sub-matrix that is not symmetric (a function that is no kernel) is refused with an InputError.

    Parameters
    ----------
    matrix : KernelMatrix
    random_state : int, Generator, RandomState or None
        Points are drawn at random where there are more.

    Returns
    -------
    float
        Clearly negative only if the whole matrix has a negative eigenvalue (Cauchy's interlacing theorem); the
        converse does not hold where points were drawn.
    """
    points = np.arange(matrix.n_points)
    if len(points) > _SAMPLE:
        rng = Streams(random_state).generator("definiteness")
        points = np.sort(rng.choice(len(points), _SAMPLE, replace=False))
    block = matrix.block(points, points)
    check_symmetric(float(np.abs(block - block.T).max()), float(np.abs(block).max()), block.dtype)
    eigenvalues = np.linalg.eigvalsh(block.astype(np.float64))
    largest = float(np.abs(eigenvalues).max())
    if largest == 0 or (eigenvalues[0] < 0 and not clearly_negative(eigenvalues, matrix.precision, len(points))):
        return 0.0
    return float(eigenvalues[0]) / largest


def semidefinite_shift(matrix, weights, *, random_state=None, n_jobs=None):
    """Shift sigma for which ``K + sigma W^-1`` is positive semi-definite: what ``W^1/2 K W^1/2`` lacks.

    Parameters
    ----------
    matrix : KernelMatrix
    weights : ndarray of shape (n_points,), float64
    random_state : int, Generator, RandomState or None
        For the first Lanczos vector.
    n_jobs : int, optional

    Returns
    -------
    float
        0 where the matrix is known to be positive semi-definite. 1 for the normalised-cut kernel of a graph, whose
        ``D^-1/2 A D^-1/2`` has no eigenvalue below -1. Otherwise minus the least eigenvalue, computed densely up to
        1,500 points and by Lanczos beyond, widened by the residual.
    """
    if matrix.is_psd:
        return 0.0
    if isinstance(matrix, GraphMatrix) and np.array_equal(weights, matrix.kernel.degrees):
        return 1.0
    root = np.sqrt(weights)
    n = matrix.n_points
    if n <= _DENSE_POINTS:
        K = matrix.block(slice(None), slice(None)).astype(np.float64)
        return _beyond_rounding(np.linalg.eigvalsh(root[:, None] * K * root)[[0, -1]])
    from scipy.sparse.linalg import LinearOperator, eigsh

    def apply(v):
        v = v.reshape(n, -1)
        return root[:, None] * matrix.product(root[:, None] * v, n_jobs)

    operator = LinearOperator((n, n), matvec=apply, matmat=apply, dtype=np.float64)
    first = Streams(random_state).generator("shift").standard_normal(n)
    largest = eigsh(operator, 1, which="LM", v0=first, tol=1e-2, return_eigenvectors=False)
    values, vectors = eigsh(operator, 1, which="SA", v0=first, tol=1e-6)
    residual = float(np.linalg.norm(apply(vectors).ravel() - values[0] * vectors[:, 0]))
    return _beyond_rounding(np.array([values[0] - residual, abs(largest[0])]))


def _beyond_rounding(extremes):
    """Minus the least eigenvalue and a little more; 0 where it is negative by rounding alone."""
    least, largest = extremes
    rounding = 1e-10 * max(abs(least), abs(largest))
    return float(rounding - least) if least < -rounding else 0.0
