"""One cluster of kernel k-flats: the flat of its points in feature space, by the eigenvectors of the centred kernel."""

from typing import NamedTuple

import numpy as np

from .._threads import away
from ..exceptions import InputError

# Directions with a smaller share of a cluster's energy are rounding: coefficients would be divided by next to zero.
RANK_TOLERANCE = 1e-10
# Where Lanczos fails, clusters up to this size are done by dense eigenvectors (512 MiB).
_DENSE_LIMIT = 8192


class ClusterFlat(NamedTuple):
    """The flat of one cluster of n points, and the distances of these."""

    shares: np.ndarray  # (n,): weights divided by their sum, the mean as a combination of the points
    coefficients: np.ndarray  # (n, n_dims): orthonormal directions as combinations of the points, each summing to 0
    mean_norm: float  # squared norm of the mean
    shifts: np.ndarray  # (n_dims,): inner products of the mean with the directions
    own: np.ndarray  # (n,): squared distances of the points to the flat


def fit_cluster(K, weights, n_dims):
    """The best flat of a cluster by dense eigenvectors of its kernel; of fewer dimensions where it has no more."""
    from scipy.linalg import eigh

    n = len(weights)
    p = weights / weights.sum()
    r = K @ p
    t = float(p @ r)
    centred = K - r
    centred -= r[:, None]
    centred += t
    own = np.diagonal(centred).copy()
    m = min(n_dims, n - 1)
    if m <= 0:
        return ClusterFlat(p, np.zeros((n, 0)), t, np.zeros(0), own)
    root = np.sqrt(weights)
    centred *= root
    centred *= root[:, None]
    centred += centred.T.copy()
    centred *= 0.5
    values, vectors = away(eigh, centred, subset_by_index=(n - m, n - 1), check_finite=False)
    return _finish(p, r, t, own, root, values, vectors, float(np.trace(centred)))


def fit_large_cluster(K, weights, n_dims):
    """The same by Lanczos, without forming the centred matrix: for sparse kernels, few directions of large clusters.

    `n_dims` is less than the number of points less one.
    """
    from scipy.sparse.linalg import ArpackNoConvergence, eigsh

    n = len(weights)
    p = weights / weights.sum()
    r = K @ p
    t = float(p @ r)
    own = K.diagonal() - 2 * r + t
    if n_dims == 0:
        return ClusterFlat(p, np.zeros((n, 0)), t, np.zeros(0), own)
    root = np.sqrt(weights)
    u = root / np.linalg.norm(root)

    operator, start = centred_operator(K.__matmul__, root, u)
    try:
        values, vectors = eigsh(operator, n_dims, which="LA", v0=start, maxiter=50 * n)
    except ArpackNoConvergence:
        if n <= _DENSE_LIMIT:
            return fit_cluster(K.toarray() if hasattr(K, "tocsr") else K, weights, n_dims)
        raise InputError(
            f"the leading eigenvectors of a cluster of {n} points were not found; take a smaller n_dims={n_dims}"
        ) from None
    return _finish(p, r, t, own, root, values, vectors, float(weights @ own))


def centred_operator(product, root, u):
    """A kernel times roots of weights on both sides, without the unit direction u, and a first vector for Lanczos."""
    from scipy.sparse.linalg import LinearOperator

    def multiply(x):
        x = x.ravel()
        x = x - u * (u @ x)
        x = root * product(root * x)
        return x - u * (u @ x)

    n = len(u)
    # The start is fixed, so that the result is.
    return LinearOperator((n, n), matvec=multiply, dtype=np.float64), np.random.default_rng(n).normal(size=n)


def _finish(p, r, t, own, root, values, vectors, energy):
    """Coefficients of unit directions from eigenvectors in ascending order, and what they leave of the distances."""
    genuine = values > max(RANK_TOLERANCE * energy, 0.0)
    values, vectors = values[genuine][::-1], vectors[:, genuine][:, ::-1]
    # Kc a = sqrt(value) vector / root: coordinates of the cluster's own points.
    own = own - (np.square(vectors) @ values) / np.square(root)
    A = root[:, None] * vectors / np.sqrt(values)
    # A multiple of the shares adds nothing to a direction; this one makes the sums exactly 0.
    A -= p[:, None] * A.sum(axis=0)
    return ClusterFlat(p, A, t, r @ A, own)
