"""What can be said for certain about a clustering of kernel features, without ever forming the kernel matrix."""

from dataclasses import dataclass

import numpy as np

from .._validation import check_integer, check_labels, check_real
from ..exceptions import InputError
from .gram import as_gram, product
from .leverage import coherence, top_eigenpairs
from .linear import centers_and_cost

__all__ = [
    "Certificate",
    "DictionaryQuality",
    "SpectralGuarantee",
    "certify",
    "column_cost",
    "dictionary_quality",
    "partition_cost",
    "spectral_guarantee",
]

# Residual and trace agree to rounding: the kernel matrix has rank s at most.
_ROUNDING = 1e-10


@dataclass(frozen=True, eq=False)
class Certificate:
    """Deterministic statements about a clustering J of features B, with ``0 <= B B^T <= K``.

    All costs are means over points (over weights, where there are any). They hold up to the rounding of the type that
    features are stored in.

    Attributes
    ----------
    n, n_clusters, n_components, n_landmarks : int
    rank : int
        Of the landmark matrix as used.
    cost_lower : float
        Cost of J on the features, ``f(J; B)``: not above the true cost.
    cost_upper : float
        ``f(J; B) + alpha / n``: not below the true cost. It is also the exact cost of J with centres from the span of
        the features, the one to compare between numbers of landmarks.
    optimum_lower : float
        No partition into k clusters costs less, on the kernel itself: the sum of the squared singular
        values of the landmark approximation from the (k+1)-th on, over n. 0 with weights.
    trace : float
        Trace of the kernel matrix over n: mean of the diagonal.
    residual : float
        ``alpha / n``, the mean residual.
    residual_max : float
    n_uncovered : int
        Points of which the features keep less than a tenth, ``K_ii - |b_i|^2 > 0.9 K_ii``.
    coherence : float
        Of the features' left singular vectors, an estimate of the coherence of the top eigenvectors: from 1 (uniform
        landmarks do) to n / s.
    ridge : float
        gamma that the effective dimension is for: ``sqrt(n)`` times the mean diagonal.
    effective_dimension : (float, float)
        Lower and upper bound of ``sum_j lambda_j / (lambda_j + gamma)``.
    landmark_spectrum : (float, float), or None
        Largest eigenvalue of the landmark matrix and the smallest one in use.
    n_zero_rows : int
        Points with a kernel value of zero to every landmark.
    """

    n: int
    n_clusters: int
    n_components: int
    n_landmarks: int
    rank: int
    cost_lower: float
    cost_upper: float
    optimum_lower: float
    trace: float
    residual: float
    residual_max: float
    n_uncovered: int
    coherence: float
    ridge: float
    effective_dimension: tuple[float, float]
    landmark_spectrum: tuple[float, float] | None
    n_zero_rows: int

    @property
    def ratio_bound(self):
        """Cost of J is at most this many times the optimum; infinite if nothing is known of the optimum."""
        if self.optimum_lower > 0:
            return self.cost_upper / self.optimum_lower
        return np.inf if self.cost_upper > 0 else 1.0

    def __str__(self):
        share = 1.0 - self.residual / self.trace if self.trace > 0 else 1.0
        low, high = self.effective_dimension
        lines = [
            f"points {self.n:,}, clusters {self.n_clusters}, landmarks {self.n_landmarks} (rank {self.rank} used), "
            f"features {self.n_components}",
            f"cost             between {self.cost_lower:.6g} and {self.cost_upper:.6g} (mean over points)",
            f"optimum          at least {self.optimum_lower:.6g}; this clustering costs at most "
            f"{self.ratio_bound:.3g} times the optimum",
            f"kernel kept      {100 * share:.2f} % of the trace; residual mean {self.residual:.3g}, "
            f"largest {self.residual_max:.3g}",
            f"points uncovered {self.n_uncovered:,} (less than a tenth kept), {self.n_zero_rows:,} with no similar "
            "landmark",
            f"coherence        {self.coherence:.3g} of at most {self.n / self.n_components:.3g}",
            f"eff. dimension   {low:.3g} to {high:.3g} at ridge {self.ridge:.3g}",
        ]
        if self.landmark_spectrum is not None:
            top, bottom = self.landmark_spectrum
            lines.append(f"landmark matrix  eigenvalues {top:.3g} to {bottom:.3g} in use")
        return "\n".join(lines)


def certify(found, labels, *, sample_weight=None):
    """Bracket the true kernel k-means cost of a partition, and judge the features that it comes from.

    Parameters
    ----------
    found : KernelFeatures
    labels : array-like of shape (n,), int
        Any partition, from 0.
    sample_weight : ndarray of shape (n,), optional

    Returns
    -------
    Certificate

    Notes
    -----
    With ``E = K - B B^T`` positive semi-definite, the cost is ``f(J; B)`` plus the cost of the same partition under E,
    which is from 0 to the (weighted) trace of E. Time O(n s).

    References
    ----------
    Wang, Gittens, Mahoney, JMLR 20 (2019), Lemmas 8, 11 and 12.

    Examples
    --------
    >>> import numpy as np
    >>> from graphcore.kmeans.certificates import certify
    >>> from graphcore.kmeans.nystrom import nystrom_features
    >>> X = np.array([[0.0], [0.1], [4.0], [4.2]])
    >>> K = np.exp(-((X - X.T) ** 2))
    >>> proof = certify(nystrom_features(K, 2, sampling=[0, 2]), [0, 0, 1, 1])
    >>> true = (np.trace(K) - (K[:2, :2].sum() + K[2:, 2:].sum()) / 2) / 4
    >>> bool(proof.cost_lower <= true <= proof.cost_upper)
    True
    """
    B, residuals, diagonal = found.features, found.residuals, found.diagonal
    n, s = B.shape
    labels = check_labels("labels", labels, n)
    if labels.min() < 0:
        raise InputError("every point needs a label from 0; -1 has no cost here")
    lower = centers_and_cost(B, labels, sample_weight)[1]
    w = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    residual = float(np.average(residuals, weights=w))
    k = len(np.unique(labels))
    sigma = found.singular_values[:s]
    ridge = float(np.sqrt(n) * diagonal.mean()) or 1.0
    seen = float((sigma**2 / (sigma**2 + ridge)).sum())
    root = found.landmark_root
    return Certificate(
        n=n,
        n_clusters=k,
        n_components=s,
        n_landmarks=found.n_landmarks,
        rank=s if root is None else root.rank,
        cost_lower=lower,
        cost_upper=lower + residual,
        optimum_lower=0.0 if w is not None else float((found.singular_values[k:] ** 2).sum()) / n,
        trace=float(np.average(diagonal, weights=w)),
        residual=residual,
        residual_max=float(residuals.max()),
        n_uncovered=int(((residuals > 0.9 * diagonal) & (diagonal > 0)).sum()),
        coherence=_feature_coherence(B, sigma),
        ridge=ridge,
        effective_dimension=(seen, seen + found.alpha / ridge),
        landmark_spectrum=None
        if root is None
        else (float(root.eigenvalues[0]), float(root.eigenvalues[root.rank - 1])),
        n_zero_rows=found.n_zero_rows,
    )


def _feature_coherence(B, sigma):
    """Coherence of the left singular vectors of the features, in blocks of rows."""
    n, s = B.shape
    largest, step = 0.0, max(1, (1 << 22) // s)
    for start in range(0, n, step):
        rows = np.asarray(B[start : start + step], dtype=np.float64) / sigma
        largest = max(largest, float(np.einsum("ij,ij->i", rows, rows).max()))
    return n / s * largest


@dataclass(frozen=True)
class SpectralGuarantee:
    """How far features are from the best of their rank, and what that promises for k-means on them.

    Attributes
    ----------
    alpha : float
        Trace of ``K - B B^T``.
    best_alpha : float
        Trace of ``K - K_s``: the least that any s features can leave out.
    eps_hat : float
        ``alpha / best_alpha - 1``; 0 if both are rounding, infinite if only the latter is.
    factor : float
        ``1 + eps_hat + k / s``: k-means solved to a factor g on the features costs at most g times this times the
        optimum, always.
    optimum_lower : float
        ``(tr K - sum_{i <= k} lambda_i) / n``, below the cost of every partition.
    """

    alpha: float
    best_alpha: float
    eps_hat: float
    factor: float
    optimum_lower: float


def spectral_guarantee(K, found, n_clusters, *, eigenvalues=None):
    """Measured error against the best rank s, which needs the top eigenvalues of the kernel matrix.

    Parameters
    ----------
    K : array-like or sparse matrix of shape (n, n), or Gram
        Up to 20,000 points unless sparse.
    found : KernelFeatures
    n_clusters : int
        k.
    eigenvalues : array-like, optional
        Largest eigenvalues of K, at least max(k, s) of them, descending; computed if not given.

    Returns
    -------
    SpectralGuarantee

    References
    ----------
    Wang, Gittens, Mahoney, JMLR 20 (2019), Theorem 2 with the measured error in place of eps.
    """
    gram = as_gram(K)
    k = check_integer("n_clusters", n_clusters, low=1, high=gram.n, why_high="the number of points")
    s = found.n_components
    if eigenvalues is None:
        eigenvalues = top_eigenpairs(gram, min(gram.n, max(k, s)))[0]
    eigenvalues = np.asarray(eigenvalues, dtype=np.float64)
    if len(eigenvalues) < min(gram.n, max(k, s)):
        raise InputError(f"{max(k, s)} eigenvalues are needed, got {len(eigenvalues)}")
    trace = found.trace
    best = max(0.0, trace - float(eigenvalues[:s].sum()))
    if best <= _ROUNDING * trace:
        eps_hat = 0.0 if found.alpha <= 10 * _ROUNDING * trace else np.inf
    else:
        eps_hat = max(0.0, found.alpha / best - 1.0)
    lower = max(0.0, trace - float(eigenvalues[:k].sum())) / gram.n
    return SpectralGuarantee(found.alpha, best, eps_hat, 1.0 + eps_hat + k / s, lower)


@dataclass(frozen=True)
class DictionaryQuality:
    """Whether landmarks preserve the kernel up to an accuracy gamma.

    Attributes
    ----------
    residual_norm : float
        Spectral norm of ``E = K - B B^T``.
    gamma : float
    eps_hat : float
        ``|E| / (|E| + gamma)``: the landmarks are gamma-preserving with every constant eps from this on.
    """

    residual_norm: float
    gamma: float
    eps_hat: float


def dictionary_quality(K, found, gamma, *, n_jobs=None):
    """Spectral norm of what features leave out, by Lanczos on ``v -> K v - B (B^T v)``; nothing is formed.

    Parameters
    ----------
    K : array-like or sparse matrix of shape (n, n), or Gram
    found : KernelFeatures
        Without restriction of the rank, for statements about the landmarks themselves.
    gamma : float
        Positive.
    n_jobs : int, optional

    Returns
    -------
    DictionaryQuality

    References
    ----------
    Calandriello, Rosasco, NeurIPS 2018, Definition 2; it is the same as ``|E| <= eps gamma / (1 - eps)``.
    """
    from scipy.sparse.linalg import LinearOperator, eigsh

    gram = as_gram(K)
    gamma = check_real("gamma", gamma, low=0.0, open_low=True)
    columns, B = gram.columns(), np.asarray(found.features, dtype=np.float64)

    def apply(v):
        v = v.reshape(-1, 1)
        return (product(columns, v, n_jobs=n_jobs) - B @ (B.T @ v)).ravel()

    if gram.n <= 2:
        norm = float(np.linalg.eigvalsh(np.column_stack([apply(e) for e in np.eye(gram.n)]))[-1])
    elif found.alpha <= _ROUNDING * found.trace:
        norm = found.alpha  # nothing but rounding is left, and Lanczos would not converge on it
    else:
        start = np.random.default_rng(0).standard_normal(gram.n)
        operator = LinearOperator((gram.n, gram.n), matvec=apply, dtype=np.float64)
        norm = float(eigsh(operator, k=1, which="LA", v0=start, return_eigenvectors=False)[0])
    norm = max(0.0, norm)
    return DictionaryQuality(norm, gamma, norm / (norm + gamma))


def partition_cost(K, labels, *, sample_weight=None, n_jobs=None):
    """True kernel k-means cost of a partition, a mean over points: all n^2 kernel values, in blocks of rows.

    Parameters
    ----------
    K : array-like or sparse matrix of shape (n, n), or Gram
    labels : array-like of shape (n,), int
        From 0.
    sample_weight : ndarray of shape (n,), optional
    n_jobs : int, optional

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> from graphcore.kmeans.certificates import partition_cost
    >>> partition_cost(np.eye(4), [0, 0, 1, 1])
    0.5
    """
    gram, labels, w, membership = _partition(K, labels, sample_weight)
    inside = (membership * product(gram.columns(), membership, n_jobs=n_jobs)).sum()
    return float((w @ gram.diagonal() - inside) / w.sum())


def column_cost(K, labels, *, n_jobs=None):
    """Mean squared distance of the columns of K, as vectors, to the means of their clusters.

    The objective that the experiments of the Nystrom paper report (its equation 6). It is no kernel k-means cost: the
    columns stand for the points, not their images in kernel space.

    Parameters
    ----------
    K : array-like or sparse matrix of shape (n, n), or Gram
    labels : array-like of shape (n,), int
        From 0.
    n_jobs : int, optional

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> from graphcore.kmeans.certificates import column_cost
    >>> column_cost(np.eye(4), [0, 0, 1, 1])
    0.5
    """
    gram, labels, w, membership = _partition(K, labels, None)
    columns = gram.columns()

    def squares(rows):
        rows = rows.toarray() if hasattr(rows, "toarray") else rows
        return np.einsum("ij,ij->i", rows, rows, dtype=np.float64)[:, None]

    total = product(columns, squares, n_jobs=n_jobs).sum()
    explained = np.square(product(columns, membership, n_jobs=n_jobs)).sum()
    return float((total - explained) / gram.n)


def _partition(K, labels, sample_weight):
    """Checked input and the n x k matrix with orthonormal columns, times the root of the weights."""
    gram = as_gram(K)
    labels = check_labels("labels", labels, gram.n)
    if labels.min() < 0:
        raise InputError("every point needs a label from 0; -1 has no cost here")
    w = np.ones(gram.n) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    found, labels = np.unique(labels, return_inverse=True)
    masses = np.bincount(labels, weights=w)
    membership = np.zeros((gram.n, len(found)))
    share = np.divide(1.0, np.sqrt(masses), out=np.zeros_like(masses), where=masses > 0)
    membership[np.arange(gram.n), labels] = w * share[labels]
    return gram, labels, w, membership
