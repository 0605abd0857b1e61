"""Checks of vectors and kernel matrices, up to rounding error, and the ends of their spectrum."""

import numpy as np

from ..base.loops import limited_libraries
from ..base.streams import Streams
from ..base.validation import check_magnitude
from ..exceptions import InputError, warn_user
from ..neighbors.vectors import check_finite

# Vectors are squared and products of them squared again: larger numbers overflow on the way, smaller ones vanish. In
# float32 ("f") and in float64.
_LARGEST_VECTORS = {"f": 1e9}, 1e75
# A matrix whose two halves differ by less than this share of its largest entry is symmetric up to rounding.
_SYMMETRY_TOLERANCE = {"f": 1e-4}
# Up to so many points all eigenvalues are about as quick to find as the ends.
DENSE_POINTS = 1500
_SAMPLE = 500
# The share of squared distances that inner products may round away.
_OFFSET = 1e-4


def as_floats(X, dtype=None):
    """Return vectors as an array or CSR of float32 or float64; no copy where they are that already."""
    if dtype is None:
        dtype = np.float32 if getattr(X, "dtype", None) == np.float32 else np.float64
    if hasattr(X, "tocsr"):
        return X.tocsr().astype(dtype, copy=False)
    X = np.asarray(X)
    check_vectors(X)
    return X.astype(dtype, copy=False)


def check_vectors(X):
    """Refuse vectors that are no matrix of real numbers."""
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise InputError(f"vectors must be a matrix of real numbers, got shape {X.shape} and type {X.dtype}")


def canonical_csr(X):
    """Return a sparse matrix as a csr_array of float64 without repeats; the caller's object is never changed."""
    import scipy.sparse as sp

    X = sp.csr_array(X, dtype=np.float64)  # which finds out anew whether its rows are sorted and without repeats
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def check_scale(X, dtype=None, name="X"):
    """Refuse vectors that are not finite, or so long or short that products of them overflow or vanish.

    Products are computed in `dtype`, by default that of the vectors.
    """
    if X.dtype.kind != "b":
        check_magnitude(name, check_finite(X, name), dtype or X.dtype, _LARGEST_VECTORS)


def warn_of_offset(X, precision):
    """Warn of vectors so far from the origin, beside their distances, that inner products round these away."""
    rows = X[:: max(1, X.shape[0] // _SAMPLE)]
    rows = np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows, dtype=np.float64)
    mean, spread = rows.mean(axis=0), rows.var(axis=0).sum()
    if np.finfo(precision).eps * (mean @ mean) > _OFFSET * spread > 0:
        warn_user(
            f"the vectors are {np.sqrt(mean @ mean / spread):.0f} times as far from the origin as from their mean, and "
            f"inner products in {precision} round away what they differ by: subtract the mean, or a column's own"
        )


def eigenvalue_noise(n_points, dtype):
    """Return the share of the largest eigenvalue up to which negative ones may be rounding of kernel values.

    The rounding of n x n values has eigenvalues up to about n times the machine epsilon. 1e-8 is for errors in the
    values before they were rounded: values are seldom exact to the last digit.
    """
    return max(1e-8, n_points * float(np.finfo(dtype).eps))


def clearly_negative(eigenvalues, dtype, n_points):
    """Tell whether the least eigenvalue is more negative than rounding of n x n values of this type explains."""
    smallest, largest = float(np.min(eigenvalues)), float(np.abs(eigenvalues).max())
    return smallest < -eigenvalue_noise(n_points, dtype) * largest


def check_precomputed(K):
    """Refuse an array without the shape or type of a precomputed kernel."""
    if K.ndim != 2 or K.shape[0] != K.shape[1] or K.shape[0] == 0:
        raise InputError(f"a precomputed kernel is a square matrix, and not empty; this one has shape {K.shape}")
    if K.dtype.kind not in "biuf":
        raise InputError(f"a precomputed kernel has real numbers, got {K.dtype}")


def check_symmetric(difference, largest, dtype):
    """Refuse a matrix whose halves differ by more than rounding."""
    check_magnitude("the kernel matrix", largest, dtype)
    if difference > _SYMMETRY_TOLERANCE.get(dtype.char, 1e-8) * largest:
        raise InputError(
            f"the kernel matrix is not symmetric: entries differ by up to {difference:.3g} across the diagonal; "
            "use (K + K.T) / 2 if that is what is meant"
        )


def check_diagonal(kernel):
    """Refuse a kernel with a diagonal that no inner product has; rounding may leave it a little below 0."""
    diagonal = kernel.diagonal
    if not np.isfinite(diagonal).all():
        raise InputError("the kernel overflows on its diagonal: rescale the vectors, or lower degree or gamma")
    if (negative := diagonal < -kernel.noise * diagonal.max(initial=0)).any():
        x = int(np.argmin(diagonal))
        raise InputError(
            f"the kernel has a negative diagonal ({np.count_nonzero(negative)} entries; K[{x}, {x}] is "
            f"{diagonal[x]:.3g}), so it is no inner product, also where shift= is given: add {-diagonal[x]:.3g} times "
            "the identity or more to the matrix yourself, or choose another kernel"
        )


def spectrum_ends(K, random_state=None):
    """Compute the smallest and largest eigenvalue of a symmetric matrix: dense up to 1,500 points, then by Lanczos.

    Lanczos takes a LinearOperator, too. It ends when an eigenvalue is known to a share of itself, for which one next to
    0 would never be near enough: each end is sought as the largest eigenvalue of the matrix added to a multiple of I.
    """
    if K.shape[0] <= DENSE_POINTS:
        with limited_libraries():
            dense = K.astype(np.float64) if isinstance(K, np.ndarray) else K @ np.eye(K.shape[0])
            return np.linalg.eigvalsh(dense)[[0, -1]]
    from scipy.sparse.linalg import LinearOperator, eigsh

    first = Streams(random_state).generator("spectrum").standard_normal(K.shape[0])
    how = {"v0": first, "return_eigenvectors": False}
    with limited_libraries():
        size = abs(eigsh(K, 1, which="LM", tol=1e-2, **how)[0])
        ends = []
        for sign in (-1.0, 1.0):
            moved = LinearOperator(K.shape, lambda v, sign=sign: size * v + sign * (K @ v), dtype=np.float64)
            ends.append(sign * (eigsh(moved, 1, which="LA", ncv=100, tol=1e-8, **how)[0] - size))
        return np.array(ends)


def report_indefinite(ends, on_indefinite, *, consequence, where="in shares of the largest", remedy=""):
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
