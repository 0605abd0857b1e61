"""Spectral clustering of a kernel matrix, exact and by way of a low-rank factor: what kernel k-means is compared to."""

from typing import NamedTuple

import numpy as np

from .._random import Streams
from .._threads import limited_libraries
from .._validation import check_choice, check_integer
from .._warn import warn_user
from ..exceptions import InputError, NonPositiveDegreeError
from ..kernels.as_kernel import as_kernel
from ..spectral.exact import spectral_embedding
from ..spectral.rounding import kmeans_labels
from .initialisation import labels_of_few

__all__ = ["SpectralClusters", "factor_spectral_clustering", "kernel_spectral_clustering"]


class SpectralClusters(NamedTuple):
    """What spectral clustering of a kernel returns.

    Attributes
    ----------
    labels : ndarray of shape (n,), int32
        Cluster of every point, from 0.
    embedding : ndarray of shape (n, n_clusters), float64
        Leading eigenvectors of ``D^-1/2 K D^-1/2``, rows of norm 1 (or 0).
    eigenvalues : ndarray of shape (n_clusters,), float64
        Largest first.
    n_nonpositive : int
        Points whose approximate degree is not positive.
    """

    labels: np.ndarray
    embedding: np.ndarray
    eigenvalues: np.ndarray
    n_nonpositive: int


def kernel_spectral_clustering(K, n_clusters, *, n_init=10, random_state=None):
    """Normalised spectral clustering of a kernel matrix: k leading eigenvectors, rows of norm 1, k-means.

    Parameters
    ----------
    K : array-like or sparse matrix of shape (n, n)
        Symmetric, without negative entries.
    n_clusters : int
    n_init : int, default 10
    random_state : int, Generator, RandomState or None

    Returns
    -------
    SpectralClusters

    Raises
    ------
    NonPositiveDegreeError
        If a row of K is all zero.
    InputError
        If K is not square, finite, symmetric and non-negative.

    Warns
    -----
    GraphWarning
        If there are fewer different points than clusters: there are then as many clusters as different points.

    Examples
    --------
    >>> import numpy as np
    >>> from graphcore.kmeans.spectral import kernel_spectral_clustering
    >>> kernel_spectral_clustering(np.kron(np.eye(2), np.ones((3, 3))), 2, random_state=0).eigenvalues.round(6).tolist()
    [1.0, 1.0]
    """
    import scipy.sparse as sp

    kernel = as_kernel(K)
    n_clusters = check_integer("n_clusters", n_clusters, low=1, high=kernel.n_points, why_high="the points")
    A = sp.csr_array(kernel.whole("exact spectral clustering"), dtype=np.float64)
    if A.nnz and A.data.min() < 0:
        raise InputError(
            f"spectral clustering needs similarities that are not negative; the smallest is {A.data.min():.3g}: use a "
            "kernel such as the Gaussian one, or kernel k-means, which has no such need"
        )
    _check_degrees(np.asarray(A.sum(axis=1)).ravel())
    streams = Streams(random_state)
    vectors, values = spectral_embedding(A, n_clusters, random_state=streams.child("eigenvectors"))
    labels = labels_of_few(kernel, n_clusters, streams.generator("different"))
    return _rounded(vectors, values, 0, n_clusters, n_init, streams, labels)


def factor_spectral_clustering(B, n_clusters, *, nonpositive="error", n_init=10, random_state=None):
    """Normalised spectral clustering of ``B B^T``, which is never formed: Nystrom spectral clustering.

    Parameters
    ----------
    B : ndarray of shape (n, r)
        Features whose inner products approximate a kernel, such as the Nystrom method's.
    n_clusters : int
        At most r.
    nonpositive : {"error", "clip", "absolute"}, default "error"
        What becomes of points whose approximate degree ``(B B^T 1)_i`` is not positive, of which an approximation of a
        non-negative kernel may have some. "clip" raises them to the smallest positive degree, "absolute" takes the
        absolute value; neither has a justification.
    n_init : int, default 10
    random_state : int, Generator, RandomState or None

    Returns
    -------
    SpectralClusters

    Raises
    ------
    NonPositiveDegreeError
        With ``nonpositive="error"``; its `indices` are those points. Where no degree is positive, always.
    InputError
        If B is no matrix of finite numbers, or a parameter cannot be used.

    Warns
    -----
    GraphWarning
        If there are fewer clusters, because so few rows are different.

    Notes
    -----
    With ``d = B (B^T 1)`` and ``Q = D^-1/2 B`` the eigenvectors are the left singular vectors of Q: time O(n r^2),
    memory O(n r). Unlike kernel k-means on B, which is cheaper by these steps, it has no bound on its error: a small
    error of the kernel may be a large one of the normalised Laplacian.

    References
    ----------
    Fowlkes, Belongie, Chung, Malik, "Spectral grouping using the Nystrom method", 2004. Wang, Gittens, Mahoney, JMLR
    2019, section 4, where draws with such degrees are discarded.

    Examples
    --------
    >>> import numpy as np
    >>> from graphcore.kmeans.spectral import factor_spectral_clustering
    >>> factor_spectral_clustering(np.kron(np.eye(2), np.ones((3, 1))), 2, random_state=0).n_nonpositive
    0
    """
    B = np.asarray(B, dtype=np.float64)
    if B.ndim != 2 or 0 in B.shape:
        raise InputError(f"B has shape {B.shape}; features must be a matrix of at least one row and column")
    if not np.isfinite(B).all():
        raise InputError("B holds NaN or infinite values")
    check_choice("nonpositive", nonpositive, ("error", "clip", "absolute"))
    n_clusters = check_integer("n_clusters", n_clusters, low=1, high=B.shape[1], why_high="the columns of B")
    degrees = B @ B.sum(axis=0)
    bad = degrees <= 0
    if nonpositive == "error" or bad.all():
        _check_degrees(degrees)
    if nonpositive == "absolute":
        degrees = np.abs(degrees)
    degrees = np.maximum(degrees, degrees[degrees > 0].min())
    Q = B / np.sqrt(degrees)[:, None]
    with limited_libraries():
        values, rotation = np.linalg.eigh(Q.T @ Q)
        values, rotation = values[::-1][:n_clusters], rotation[:, ::-1][:, :n_clusters]
        vectors = Q @ rotation
    # Directions that Q does not have are left at 0: dividing by their singular value would make noise of them.
    kept = values > B.shape[1] * np.finfo(float).eps * values[0]
    vectors[:, ~kept] = 0.0
    vectors[:, kept] /= np.sqrt(values[kept])
    return _rounded(vectors, values, int(bad.sum()), n_clusters, n_init, Streams(random_state))


def _check_degrees(degrees):
    bad = np.flatnonzero(degrees <= 0)
    if len(bad):
        raise NonPositiveDegreeError(bad, degrees[bad])


def _rounded(vectors, values, n_nonpositive, n_clusters, n_init, streams, labels=None):
    """Labels of an embedding, unless they are known."""
    norms = np.sqrt(np.square(vectors).sum(axis=1, keepdims=True))
    embedding = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
    if labels is None:
        labels = kmeans_labels(embedding, n_clusters, n_init=n_init, random_state=streams.child("k-means"))
        found, labels = np.unique(labels, return_inverse=True)
        labels = labels.astype(np.int32)
        if len(found) < n_clusters:
            warn_user(
                f"there are {len(found)} clusters instead of n_clusters={n_clusters}: there are no more different rows "
                "of eigenvectors; ask for fewer clusters"
            )
    return SpectralClusters(labels, embedding, values, n_nonpositive)
