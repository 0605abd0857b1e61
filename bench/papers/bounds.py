"""Bounds on the distance from the best partitions and features, by the spectrum of the kernel matrix."""

from typing import NamedTuple

import numpy as np

from graphcore.base.validation import check_integer, check_real, check_sample_weight
from graphcore.exceptions import InputError
from graphcore.kernel_methods.features.diagnostics import FeatureDiagnostics
from graphcore.kernel_methods.features.leverage import largest_eigenpairs, top_eigenpairs
from graphcore.kernel_methods.flats._checks import as_points, check_n_clusters
from graphcore.kernel_methods.flats.fit_kernel import fit_kernel, kernel_and_weights
from graphcore.kernel_methods.flats.kernel_flats import centred_operator
from graphcore.kernels.as_kernel import as_kernel
from graphcore.kernels.definiteness import leading_eigenvectors

# Residual and trace agree to rounding: the kernel matrix has rank s at most.
_ROUNDING = 1e-10


class SpectralGuarantee(NamedTuple):
    """The distance of features from the best of their rank, and the guarantee for k-means on them."""

    alpha: float  # trace of ``K - B B^T``
    best_alpha: float  # trace of ``K - K_s``: the least that any s features can leave out
    # ``alpha / best_alpha - 1``; 0 if both are rounding, infinite if only the latter is. Without the eigenvalues of K
    # there is an upper bound of it, `FeatureDiagnostics.eps_hat`.
    eps_hat: float
    # ``1 + eps_hat + k / s``: k-means solved to a factor g on the features costs at most g times this times the
    # optimum, always.
    factor: float
    optimum_lower: float  # ``(tr K - sum_{i <= k} lambda_i) / n``, below the cost of every partition


def spectral_guarantee(K, found, n_clusters, *, eigenvalues=None):
    """Return a SpectralGuarantee: the measured error against the best rank s, by eigenvalues of the kernel matrix.

    K is a kernel matrix (n, n) or Kernel, of up to 20,000 points unless sparse; `found` are KernelFeatures, or the
    FeatureDiagnostics of an estimator, its `diagnostics_`. `eigenvalues` are the largest of K, at least max(k, s) of
    them in any order, computed if not given. Wang, Gittens, Mahoney, JMLR 20 (2019), Theorem 2 with the measured error
    in place of eps.
    """
    kernel = as_kernel(K)
    k = check_integer("n_clusters", n_clusters, low=1, high=kernel.n_points, why_high="the number of points")
    s = found.n_components
    if found.indefinite:
        raise InputError("the kernel is not positive semi-definite, so nothing is promised; use another kernel")
    if eigenvalues is None:
        eigenvalues = top_eigenpairs(kernel, min(kernel.n_points, max(k, s)))[0]
    eigenvalues = np.sort(np.asarray(eigenvalues, dtype=np.float64))[::-1]
    if len(eigenvalues) < min(kernel.n_points, max(k, s)) or not np.isfinite(eigenvalues).all():
        raise InputError(f"{max(k, s)} finite eigenvalues are needed, got {eigenvalues}")
    if isinstance(found, FeatureDiagnostics):
        alpha, trace = found.n * found.residual, found.n * found.trace
    else:
        alpha, trace = found.alpha, found.trace
    best = max(0.0, trace - float(eigenvalues[:s].sum()))
    if best <= _ROUNDING * trace:
        eps_hat = 0.0 if alpha <= 10 * _ROUNDING * trace else np.inf
    else:
        eps_hat = max(0.0, alpha / best - 1.0)
    lower = max(0.0, trace - float(eigenvalues[:k].sum())) / kernel.n_points
    return SpectralGuarantee(alpha, best, eps_hat, 1.0 + eps_hat + k / s, lower)


class DictionaryQuality(NamedTuple):
    """Whether landmarks preserve the kernel up to an accuracy gamma."""

    residual_norm: float  # spectral norm of ``E = K - B B^T``
    gamma: float
    eps_hat: float  # ``|E| / (|E| + gamma)``: gamma-preserving with every constant eps from this on


def dictionary_quality(K, found, gamma, *, n_jobs=None):
    """Measure the residual's spectral norm, by Lanczos on ``v -> K v - B (B^T v)``, a DictionaryQuality.

    `found` are KernelFeatures, without restriction of the rank for statements about the landmarks themselves; `gamma`
    is positive. Calandriello, Rosasco, NeurIPS 2018, Definition 2; it is the same as ``|E| <= eps gamma / (1 - eps)``.
    """
    kernel = as_kernel(K)
    gamma = check_real("gamma", gamma, low=0.0, open_low=True)
    B = np.asarray(found.features, dtype=np.float64)

    def left_out(v):
        return kernel.product(v, n_jobs) - B @ (B.T @ v)

    if kernel.n_points <= 2:
        norm = float(np.linalg.eigvalsh(left_out(np.eye(kernel.n_points)))[-1])
    elif found.alpha <= _ROUNDING * found.trace:
        norm = found.alpha  # nothing but rounding is left, and Lanczos would not converge on it
    else:
        norm = float(largest_eigenpairs(left_out, kernel.n_points, 1)[0][0])
    norm = max(0.0, norm)
    return DictionaryQuality(norm, gamma, norm / (norm + gamma))


def k_flats_lower_bound(X, n_clusters, n_dims=1, *, sample_weight=None):
    """Return a lower bound of the inertia of all sets of flats of vectors X.

    Indicators of the clusters and coordinates on the flats span at most ``n_clusters * (n_dims + 1)`` dimensions, the
    constant vector among them. No such space captures more than as many leading eigenvalues of the centred kernel, less
    one for the constant. The bound is 0, and trivial, if that reaches the number of features.

    >>> import numpy as np
    >>> import graphcore
    >>> from bench.papers.bounds import k_flats_lower_bound
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
    """Return the lower bound in feature space, with the parameters of `kernel_k_flats`; it may be negative.

    >>> import graphcore
    >>> from bench.papers.bounds import kernel_k_flats_lower_bound
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
