"""How far from the best any partition can be: lower bounds for k-flats by eigenvalues, after Ky Fan."""

import numpy as np

from ...base.validation import check_integer, check_sample_weight
from ._checks import as_points, check_n_clusters
from .euclidean import leading_eigenvectors
from .fit_kernel import fit_kernel, kernel_and_weights
from .kernel_flats import centred_operator


def k_flats_lower_bound(X, n_clusters, n_dims=1, *, sample_weight=None):
    """A number that no set of flats of vectors X can have a smaller inertia than.

    Indicators of the clusters and coordinates on the flats span at most ``n_clusters * (n_dims + 1)`` dimensions, the
    constant vector among them. No such space captures more than as many leading eigenvalues of the centred kernel, less
    one for the constant. It is 0, and says nothing, if that reaches the number of features.

    >>> import numpy as np
    >>> import graphcore
    >>> from graphcore.kernel_methods.flats.certificates import k_flats_lower_bound
    >>> points = np.random.default_rng(0).normal(size=(200, 25))
    >>> bound = k_flats_lower_bound(points, 3, 1)
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


def kernel_k_flats_lower_bound(K, n_clusters, n_dims=1, *, shift=0.0, sample_weight=None):
    """The same in feature space, all parameters as for `kernel_k_flats`; for an indefinite kernel it may be negative.

    >>> import graphcore
    >>> from graphcore.kernel_methods.flats.certificates import kernel_k_flats_lower_bound
    >>> graph = graphcore.datasets.load_karate().graph
    >>> bound = kernel_k_flats_lower_bound(graph, 2, 1, shift=1.0)
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
    """Leading eigenvalues of the weighted kernel with the direction of its weights projected out."""
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
