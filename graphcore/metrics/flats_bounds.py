"""Lower bounds of the inertia of flats, by the spectrum of the points or of the kernel matrix."""

from typing import Any

import numpy as np

from ..base.types import ArrayLike
from ..base.validation import check_integer, check_sample_weight
from ..kernel_methods.flats._checks import as_points, check_n_clusters
from ..kernel_methods.flats.fit_kernel import fit_kernel, kernel_and_weights
from ..kernel_methods.flats.kernel_flats import centred_operator
from ..kernels.definiteness import leading_eigenvectors


def k_flats_lower_bound(
    X: ArrayLike, n_clusters: int, n_dims: int = 1, *, sample_weight: ArrayLike | None = None
) -> float:
    """Compute a lower bound of the inertia of all sets of flats of vectors.

    Indicators of the clusters and coordinates on the flats span at most ``n_clusters * (n_dims + 1)`` dimensions, the
    constant vector among them. No such space captures more than as many leading eigenvalues of the centred kernel, less
    one for the constant.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), float
    n_clusters : int
    n_dims : int, default 1
        Dimensions of the flats; 0 for means.
    sample_weight : array-like of shape (n_samples,), optional

    Returns
    -------
    float
        At most ``inertia_`` of :class:`graphcore.KFlats`. It is 0, and trivial, if the dimensions reach the features.

    Raises
    ------
    InputError
        If the points, the weights or the numbers cannot be used.

    References
    ----------
    Ding, He, "K-means clustering via principal component analysis", ICML 2004, section 3, for means.

    Examples
    --------
    >>> import numpy as np
    >>> import graphcore
    >>> points = np.random.default_rng(0).normal(size=(200, 25))
    >>> bound = graphcore.metrics.k_flats_lower_bound(points, 3, 1)
    >>> bool(0 < bound <= graphcore.KFlats(3, 1, random_state=0).fit(points).inertia_)
    True
    """
    X = as_points(X)
    weights = check_sample_weight(sample_weight, len(X))
    n_clusters = check_n_clusters(n_clusters, weights)
    n_dims = check_integer("n_dims", n_dims, low=0)
    Y = (X - weights @ X / weights.sum()) * np.sqrt(weights)[:, None]
    captured = n_clusters * (n_dims + 1) - 1
    if captured >= min(Y.shape):
        return 0.0
    values = np.linalg.svd(Y, compute_uv=False)
    return float(np.square(values[captured:]).sum())


def kernel_k_flats_lower_bound(
    K: Any, n_clusters: int, n_dims: int = 1, *, shift: float = 0.0, sample_weight: ArrayLike | None = None
) -> float:
    """Compute a lower bound of the inertia of all sets of flats in feature space.

    Parameters
    ----------
    K : ndarray or sparse matrix of shape (n, n), Graph, or Kernel
    n_clusters : int
    n_dims : int, default 1
    shift : float, default 0.0
        Multiple of the identity, over the weights, that is added to K.
    sample_weight : array-like of shape (n,), optional

    Returns
    -------
    float
        At most ``inertia_`` of :class:`graphcore.KernelKFlats`; negative where an indefinite kernel lets it be.

    Raises
    ------
    InputError
        If K is no kernel matrix, or the weights or the numbers cannot be used.

    References
    ----------
    As for :func:`k_flats_lower_bound`.

    Examples
    --------
    >>> import graphcore
    >>> graph = graphcore.datasets.load_karate().graph
    >>> bound = graphcore.metrics.kernel_k_flats_lower_bound(graph, 2, 1, shift=1.0)
    >>> model = graphcore.KernelKFlats(2, 1, shift=1.0, random_state=0).fit(graph)
    >>> bool(bound <= model.inertia_ < 1.05 * bound)
    True
    """
    kernel, weights = kernel_and_weights(K, sample_weight)
    n_clusters = check_n_clusters(n_clusters, weights)
    fit = fit_kernel(kernel, weights, shift)
    n_dims = check_integer("n_dims", n_dims, low=0)
    root = np.sqrt(fit.weights)
    u = root / np.linalg.norm(root)
    captured = n_clusters * (n_dims + 1) - 1
    if captured >= len(u) - 1:
        return 0.0
    trace = float(fit.diagonal @ fit.weights) - float((root * u) @ fit.product(root * u))
    return trace - float(_leading(fit, root, u, captured).sum()) if captured else trace


def _leading(fit, root, u, count):
    """Return the leading eigenvalues of the weighted kernel with the direction of its weights projected out."""
    n = len(u)
    if not fit.kernel.is_sparse or n <= 500 or count >= n // 2:
        M = fit.among(np.arange(n))
        M = (M.toarray() if hasattr(M, "tocsr") else M) * root * root[:, None]
        v = M @ u
        M = M - np.outer(v, u) - np.outer(u, v) + (u @ v) * np.outer(u, u)
        return leading_eigenvectors(M, count)[0]
    from scipy.sparse.linalg import eigsh

    operator, start = centred_operator(fit.product, root, u)
    return eigsh(operator, count, which="LA", v0=start, return_eigenvectors=False)
