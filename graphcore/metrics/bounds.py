"""Bounds on the distance of kernel features from the best, by the spectrum of the kernel matrix."""

from typing import Any, NamedTuple

import numpy as np

from ..base.types import ArrayLike
from ..base.validation import check_integer, check_real
from ..exceptions import InputError
from ..kernel_methods.features.diagnostics import FeatureDiagnostics
from ..kernel_methods.features.leverage import largest_eigenpairs, top_eigenpairs
from ..kernels.as_kernel import as_kernel

# Residual and trace agree to rounding: the kernel matrix has rank s at most.
_ROUNDING = 1e-10


class SpectralGuarantee(NamedTuple):
    """The distance of features from the best of their rank, and the guarantee for k-means on them.

    Attributes
    ----------
    alpha : float
        Trace of ``K - B B^T``.
    best_alpha : float
        Trace of ``K - K_s``: the least that any s features can leave out.
    eps_hat : float
        ``alpha / best_alpha - 1``; 0 if both are rounding, infinite if only the latter is. Without the eigenvalues of K
        there is an upper bound of it, ``diagnostics_.eps_hat`` of the estimators.
    factor : float
        ``1 + eps_hat + k / s``: k-means solved to a factor g on the features costs at most g times this times the
        optimum, always.
    optimum_lower : float
        ``(tr K - sum_{i <= k} lambda_i) / n``, below the mean cost of every partition.
    """

    alpha: float
    best_alpha: float
    eps_hat: float
    factor: float
    optimum_lower: float


def spectral_guarantee(
    K: Any, found: Any, n_clusters: int, *, eigenvalues: ArrayLike | None = None
) -> SpectralGuarantee:
    """Bound the cost of k-means on kernel features by the optimum, from eigenvalues of the kernel matrix.

    Parameters
    ----------
    K : ndarray or sparse matrix of shape (n, n), or Kernel
        A positive semi-definite kernel matrix, of up to 20,000 points unless sparse.
    found : FeatureDiagnostics or KernelFeatures
        ``diagnostics_`` of an estimator, or features of :mod:`graphcore.kernel_methods.features`.
    n_clusters : int
    eigenvalues : array-like of shape (n_values,), float, optional
        The largest of K in any order, at least as many as there are clusters and features. Computed if not given.

    Returns
    -------
    SpectralGuarantee

    Raises
    ------
    InputError
        If the kernel is not positive semi-definite, eigenvalues are missing or not finite, or K is no kernel matrix.

    References
    ----------
    Wang, Gittens, Mahoney, "Scalable kernel k-means clustering with Nystrom approximation", JMLR 2019, Theorem 2 with
    the measured error in place of eps.

    Examples
    --------
    >>> import numpy as np
    >>> import graphcore
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> model = graphcore.NystromKernelKMeans(3, bandwidth=1.0, n_landmarks=30, random_state=0).fit(X)
    >>> K = np.exp(-np.square(X[:, None] - X).sum(axis=2) / 2)
    >>> bound = graphcore.metrics.spectral_guarantee(K, model.diagnostics_, 3)
    >>> bool(model.cost_ >= bound.optimum_lower > 0 and bound.factor >= 1)
    True
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
    """Whether landmarks preserve the kernel up to an accuracy gamma.

    Attributes
    ----------
    residual_norm : float
        Spectral norm of ``E = K - B B^T``. The best partition with centres in the span of the landmarks costs at most
        ``k * residual_norm / n`` more than the best one, in the mean over points.
    gamma : float
    eps_hat : float
        ``|E| / (|E| + gamma)``: the landmarks are gamma-preserving with every constant eps from this on.
    """

    residual_norm: float
    gamma: float
    eps_hat: float


def dictionary_quality(K: Any, found: Any, gamma: float, *, n_jobs: int | None = None) -> DictionaryQuality:
    """Measure how well landmarks preserve a kernel: the spectral norm of the residual, by Lanczos.

    Parameters
    ----------
    K : ndarray or sparse matrix of shape (n, n), or Kernel
    found : KernelFeatures
        Of :mod:`graphcore.kernel_methods.features`, without restriction of the rank for statements about the landmarks
        themselves.
    gamma : float
        Accuracy in the unit of eigenvalues of K, positive.
    n_jobs : int, optional

    Returns
    -------
    DictionaryQuality

    Raises
    ------
    InputError
        If gamma is not positive, or K is no kernel matrix.

    References
    ----------
    Calandriello, Rosasco, "Statistical and computational trade-offs in kernel k-means", NeurIPS 2018, Definition 2; it
    is the same as ``|E| <= eps gamma / (1 - eps)``.

    Examples
    --------
    >>> import numpy as np
    >>> import graphcore
    >>> from graphcore.kernel_methods.features.nystrom import nystrom_features
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> K = np.exp(-np.square(X[:, None] - X).sum(axis=2) / 2)
    >>> few, many = (nystrom_features(K, m, random_state=0) for m in (5, 40))
    >>> quality = graphcore.metrics.dictionary_quality
    >>> quality(K, few, gamma=10.0).eps_hat > quality(K, many, gamma=10.0).eps_hat
    True
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
