"""What can be said for certain about a clustering of kernel features, without ever forming the kernel matrix."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...base.validation import check_integer, check_labels, check_real, check_sample_weight
from ...distributed.chunks import is_chunked, map_chunks
from ...exceptions import InputError
from ...kernels.as_kernel import as_kernel
from ..features.diagnostics import FeatureDiagnostics, as_text
from ..features.leverage import largest_eigenpairs, top_eigenpairs
from .chunked import centers_and_cost

# Residual and trace agree to rounding: the kernel matrix has rank s at most.
_ROUNDING = 1e-10


@dataclass(frozen=True)
class Certificate:
    """Deterministic statements about a partition J of the points, from features B with ``0 <= B B^T <= K``.

    Costs are means over points (over weights, where there are any), and hold up to the rounding of the type that the
    features are stored in. For a kernel that is not positive semi-definite the bounds are infinite: no statement.
    """

    n_clusters: int  # that hold a point
    # ``f(J; B) + alpha / n``, the exact cost of J with centres from the span of the features: the one to compare
    # between numbers of landmarks.
    cost: float
    cost_lower: float  # cost of J on the features, ``f(J; B)``: not above the true cost
    cost_upper: float  # not below the true cost: `cost`
    # No partition into so many clusters costs less: the sum of the squared singular values of the landmark
    # approximation after the k-th, over n; with weights 0, no statement.
    optimum_lower: float

    @property
    def ratio_bound(self):
        """The partition costs at most so many times the optimum; infinite if nothing is known of the optimum."""
        if self.optimum_lower > 0:
            return self.cost_upper / self.optimum_lower
        return 1.0 if self.cost_upper <= 0 else np.inf

    def lines(self):
        """The statements as (what, value) pairs of text."""
        if np.isinf(self.cost_lower):
            return [
                ("clusters", f"{self.n_clusters:,}"),
                ("cost", f"about {self.cost:.6g}, without bounds: the kernel is not positive semi-definite"),
            ]
        ratio = f"{self.ratio_bound:.3g} times the optimum" if np.isfinite(self.ratio_bound) else "unknown"
        return [
            ("clusters", f"{self.n_clusters:,}"),
            ("cost", f"{self.cost_lower:.6g} to {self.cost_upper:.6g}, mean over points"),
            ("optimum", f"at least {self.optimum_lower:.6g}, so the cost is at most: {ratio}"),
        ]

    def __str__(self):
        return as_text(self.lines())


def certify(found, labels, *, sample_weight=None):
    """Bound the true kernel k-means cost of a partition from both sides, without the kernel matrix: a Certificate.

    `found` are KernelFeatures, `labels` (n,) any partition, from 0, an array or a dask.array. With ``E = K - B B^T``
    positive semi-definite, the cost is ``f(J; B)`` plus the cost of the same partition under E, which is from 0 to the
    (weighted) trace of E. Time O(n s). Wang, Gittens, Mahoney, JMLR 20 (2019), Lemmas 8, 11 and 12.

    >>> import numpy as np
    >>> from graphcore.kernel_methods.kmeans.certificates import certify
    >>> from graphcore.kernel_methods.features.nystrom import nystrom_features
    >>> X = np.array([[0.0], [0.1], [4.0], [4.2]])
    >>> K = np.exp(-((X - X.T) ** 2))
    >>> proof = certify(nystrom_features(K, 2, sampling=[0, 2]), [0, 0, 1, 1])
    >>> true = (np.trace(K) - (K[:2, :2].sum() + K[2:, 2:].sum()) / 2) / 4
    >>> bool(proof.cost_lower <= true <= proof.cost_upper)
    True
    """
    n = len(found.features)
    if not is_chunked(labels):
        labels = check_labels("labels", labels, n)
    found_labels = np.unique(np.concatenate(map_chunks(np.unique, labels)))
    if found_labels[0] < 0:
        raise InputError("every point needs a label from 0; -1 has no cost here")
    w = None if sample_weight is None else check_sample_weight(sample_weight, n)
    lower = centers_and_cost(found.features, labels, w)[1]
    cost = lower + (found.alpha / n if w is None else float(np.average(found.residuals, weights=w)))
    k = len(found_labels)
    if found.indefinite:
        return Certificate(k, cost, -np.inf, np.inf, -np.inf)
    optimum = 0.0 if w is not None else float((found.singular_values[k:] ** 2).sum()) / n
    return Certificate(k, cost, lower, cost, optimum)


class SpectralGuarantee(NamedTuple):
    """How far features are from the best of their rank, and what that promises for k-means on them."""

    alpha: float  # trace of ``K - B B^T``
    best_alpha: float  # trace of ``K - K_s``: the least that any s features can leave out
    # ``alpha / best_alpha - 1``; 0 if both are rounding, infinite if only the latter is. Without the eigenvalues of K
    # there is an upper bound of it, `graphcore.kernel_methods.features.diagnostics.FeatureDiagnostics.eps_hat`.
    eps_hat: float
    # ``1 + eps_hat + k / s``: k-means solved to a factor g on the features costs at most g times this times the
    # optimum, always.
    factor: float
    optimum_lower: float  # ``(tr K - sum_{i <= k} lambda_i) / n``, below the cost of every partition


def spectral_guarantee(K, found, n_clusters, *, eigenvalues=None):
    """Measured error against the best rank s, by the top eigenvalues of the kernel matrix: a SpectralGuarantee.

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
    """Spectral norm of what features leave out, by Lanczos on ``v -> K v - B (B^T v)``, a DictionaryQuality.

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
