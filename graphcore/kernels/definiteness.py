"""Eigenvalues of kernel matrices: the ends of the spectrum, the shift that lifts it, and the largest."""

import numpy as np

from ..base.streams import Streams
from ..base.threads import away, limited_libraries
from ..exceptions import InputError, warn_user
from .checks import check_symmetric, clearly_negative

_DENSE_POINTS = 1500
_SAMPLE = 500


def spectrum_ends(K, random_state=None):
    """Compute the smallest and largest eigenvalue of a symmetric matrix: dense up to 1,500 points, then by Lanczos."""
    if K.shape[0] <= _DENSE_POINTS:
        dense = np.asarray(K.toarray() if hasattr(K, "tocsr") else K, dtype=np.float64)
        with limited_libraries():
            return np.linalg.eigvalsh(dense)[[0, -1]]
    from scipy.sparse.linalg import eigsh

    how = {"v0": Streams(random_state).generator("spectrum").standard_normal(K.shape[0]), "tol": 1e-6}
    with limited_libraries():
        return np.array([eigsh(K, k=1, which=end, return_eigenvectors=False, **how)[0] for end in ("SA", "LA")])


def report_indefinite(ends, on_indefinite, *, where, consequence, remedy=""):
    """Refuse a kernel with clearly negative eigenvalues ("error"), or warn of it ("warn").

    `ends` are the smallest and the largest found eigenvalue, `where` names their matrix, `remedy` a remedy beside
    another kernel, and `consequence` the consequence of going on.
    """
    found = f"the kernel is not positive semi-definite: {where} its eigenvalues go from {ends[0]:.3g} to {ends[1]:.3g}"
    if on_indefinite == "error":
        raise InputError(f"{found}; use another kernel, {remedy}")
    warn_user(f"{found}; {consequence}")


def smallest_sampled_eigenvalue(kernel, random_state=None, *, n_points=_SAMPLE):
    """Compute the smallest eigenvalue among at most `n_points` points, over the largest in absolute value.

    0 where it is negative by no more than the rounding of the kernel values; clearly negative only if the whole matrix
    has a negative eigenvalue (Cauchy's interlacing theorem). A function that is not symmetric is refused with an
    InputError.
    """
    points = np.arange(kernel.n_points)
    if len(points) > n_points:
        rng = Streams(random_state).generator("definiteness")
        points = np.sort(rng.choice(len(points), n_points, replace=False))
    block = kernel.block(points, points)
    check_symmetric(float(np.abs(block - block.T).max()), float(np.abs(block).max()), block.dtype)
    ends = spectrum_ends(block)
    largest = float(np.abs(ends).max())
    if largest == 0 or (ends[0] < 0 and not clearly_negative(ends, kernel.precision, len(points))):
        return 0.0
    return float(ends[0]) / largest


def semidefinite_shift(kernel, weights, *, random_state=None, n_jobs=None):
    """Compute a shift sigma for which ``K + sigma W^-1`` is positive semi-definite, as ``W^1/2 K W^1/2`` needs it.

    1 for the normalised-cut kernel of a graph; otherwise minus the least eigenvalue, computed densely up to 1,500
    points and by Lanczos beyond, widened by the residual.
    """
    if kernel.is_psd:
        return 0.0
    if kernel.leaves_out_isolated and np.array_equal(weights, kernel.degrees):
        return kernel.definite_shift(weights)
    root = np.sqrt(weights)
    n = kernel.n_points
    if n <= _DENSE_POINTS:
        K = kernel.block(slice(None), slice(None), np.float64)
        return _beyond_rounding(spectrum_ends(root[:, None] * K * root))
    from scipy.sparse.linalg import LinearOperator, eigsh

    def apply(v):
        v = v.reshape(n, -1)
        return root[:, None] * kernel.product(root[:, None] * v, n_jobs)

    operator = LinearOperator((n, n), matvec=apply, matmat=apply, dtype=np.float64)
    first = Streams(random_state).generator("shift").standard_normal(n)
    largest = eigsh(operator, 1, which="LM", v0=first, tol=1e-2, return_eigenvectors=False)
    values, vectors = eigsh(operator, 1, which="SA", v0=first, tol=1e-6)
    residual = float(np.linalg.norm(apply(vectors).ravel() - values[0] * vectors[:, 0]))
    return _beyond_rounding(np.array([values[0] - residual, abs(largest[0])]))


def _beyond_rounding(extremes):
    """Return minus the least eigenvalue and a little more; 0 where it is negative by rounding alone."""
    smallest, largest = extremes
    rounding = 1e-10 * max(abs(smallest), abs(largest))
    return float(rounding - smallest) if smallest < -rounding else 0.0


def leading_eigenvectors(M, count):
    """Compute the largest eigenvalues of a symmetric matrix and their vectors, in ascending order.

    Where more of them are equal than are asked for, LAPACK may find none of these by their numbers: then it finds all.
    """
    from scipy.linalg import eigh

    n = len(M)
    values, vectors = away(eigh, M, subset_by_index=(n - count, n - 1), check_finite=False)
    if len(values) < count:
        values, vectors = away(eigh, M, check_finite=False)
    return values[-count:], vectors[:, -count:]
