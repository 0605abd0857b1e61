"""Leverage scores, coherence, ridge leverage scores and the effective dimension of a kernel matrix."""

import numpy as np

from .._random import Streams
from .._threads import away, limited_libraries
from .._validation import check_choice, check_integer, check_real
from ..exceptions import InputError
from ..kernels.as_kernel import as_kernel

_OVERSAMPLING, _POWER_STEPS = 10, 2


def top_eigenpairs(K, n_components, *, method="exact", random_state=None, n_jobs=None):
    """Largest eigenvalues of a kernel matrix, descending, none below 0, and orthonormal eigenvectors (n, s).

    "approximate" takes a random subspace, two power steps and a projection; the matrix is never held whole, but its n^2
    values are computed four times.
    """
    kernel = as_kernel(K)
    s = check_integer("n_components", n_components, low=1, high=kernel.n_points, why_high="the number of points")
    check_choice("method", method, ("exact", "approximate"))
    if method == "exact":
        from scipy.linalg import eigh

        if kernel.is_sparse and s < kernel.n_points // 2:
            values, vectors = largest_eigenpairs(lambda v: kernel.product(v, n_jobs), kernel.n_points, s)
        else:
            K = _symmetric(kernel, "an exact eigendecomposition")
            values, vectors = away(eigh, K, subset_by_index=(kernel.n_points - s, kernel.n_points - 1))
            values, vectors = values[::-1], vectors[:, ::-1]
        return np.maximum(values, 0.0), vectors
    width = min(kernel.n_points, s + _OVERSAMPLING)
    Q = Streams(random_state).generator("subspace").standard_normal((kernel.n_points, width))
    with limited_libraries():
        for _ in range(1 + _POWER_STEPS):
            Q = away(np.linalg.qr, kernel.product(Q, n_jobs))[0]
        small = Q.T @ kernel.product(Q, n_jobs)
    values, vectors = np.linalg.eigh((small + small.T) / 2)
    return np.maximum(values[::-1][:s], 0.0), Q @ vectors[:, ::-1][:, :s]


def largest_eigenpairs(product, n_points, n_values, rng=None):
    """Largest eigenvalues of a symmetric matrix, descending, and their eigenvectors, by Lanczos; nothing is formed.

    `product` is the matrix times a column (n_points, 1). There must be fewer values than points. `rng` is for the first
    vector, which is a fixed one without it.
    """
    from scipy.sparse.linalg import LinearOperator, eigsh

    first = (np.random.default_rng(0) if rng is None else rng).standard_normal(n_points)
    shape = (n_points, n_points)
    operator = LinearOperator(shape, matvec=lambda v: product(v.reshape(-1, 1)).ravel(), dtype=np.float64)
    # Between products ARPACK's vectors are too short for threads, which would wait for each other busily.
    with limited_libraries():
        values, vectors = eigsh(operator, k=n_values, which="LA", v0=first)
    return values[::-1], vectors[:, ::-1]


def _symmetric(kernel, purpose):
    """The whole kernel matrix, dense in float64, its halves made equal."""
    K = kernel.dense(purpose, "use an approximate scheme: sampling='approximate-leverage' or 'recursive-ridge'")
    return (K + K.T) / 2


def leverage_scores(K, n_components, *, method="exact", random_state=None, n_jobs=None):
    """Leverage scores (n,) of the points: squared row norms of the top eigenvectors of the kernel matrix.

    Between 0 and 1; they sum to `n_components`, or to the rank if that is less, since eigenvectors of eigenvalue zero
    count for nothing. Wang, Gittens, Mahoney, JMLR 2019, section 3.1.
    """
    values, vectors = top_eigenpairs(K, n_components, method=method, random_state=random_state, n_jobs=n_jobs)
    signal = values > len(vectors) * np.finfo(np.float64).eps * values[0]
    return np.clip(np.square(vectors[:, signal]).sum(axis=1), 0.0, 1.0)


def coherence(V):
    """Row coherence of a matrix with orthonormal columns: ``(n / s) max_i |V_i|^2``, from 1 to n / s.

    Uniform sampling needs a number of landmarks in proportion to it.

    Parameters
    ----------
    V : ndarray of shape (n, s)

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> from graphcore.features.leverage import coherence
    >>> coherence(np.eye(4)[:, :2])
    2.0
    """
    V = np.asarray(V)
    if V.ndim != 2 or 0 in V.shape:
        raise InputError(f"coherence needs a matrix with rows and columns, got shape {V.shape}")
    n, s = V.shape
    return float(n / s * np.einsum("ij,ij->i", V, V, dtype=np.float64).max())


def effective_dimension(eigenvalues, ridge):
    """Effective dimension ``sum_j lambda_j / (lambda_j + ridge)``.

    Parameters
    ----------
    eigenvalues : array-like of shape (m,)
        Of the kernel matrix; small negative ones count as zero.
    ridge : float
        gamma, positive.

    Returns
    -------
    float

    References
    ----------
    Calandriello, Rosasco, "Statistical and computational trade-offs in kernel k-means", NeurIPS 2018, Definition 3.

    Examples
    --------
    >>> from graphcore.features.leverage import effective_dimension
    >>> effective_dimension([3.0, 1.0], 1.0)
    1.25
    """
    ridge = check_real("ridge", ridge, low=0.0, open_low=True)
    values = np.maximum(np.asarray(eigenvalues, dtype=np.float64), 0.0)
    return float((values / (values + ridge)).sum())


def ridge_leverage_scores(K, ridge):
    """Exact ridge leverage scores ``(K (K + ridge I)^-1)_ii``.

    Parameters
    ----------
    K : array-like or sparse matrix of shape (n, n), or Kernel
        n^2 memory and n^3 time: for up to 20,000 points. See
        :func:`graphcore.features.ridge_sampling.recursive_ridge_scores` for more.
    ridge : float
        gamma, positive.

    Returns
    -------
    ndarray of shape (n,), float64
        In [0, 1); their sum is the effective dimension.

    References
    ----------
    Calandriello, Rosasco, NeurIPS 2018, Definition 3.

    Examples
    --------
    >>> import numpy as np
    >>> from graphcore.features.leverage import ridge_leverage_scores
    >>> ridge_leverage_scores(np.diag([3.0, 1.0]), 1.0).round(6).tolist()
    [0.75, 0.5]
    """
    from scipy.linalg import cho_factor, cho_solve

    ridge = check_real("ridge", ridge, low=0.0, open_low=True)
    K = _symmetric(as_kernel(K), "ridge leverage scores")
    shifted = K + ridge * np.eye(len(K))
    try:
        factor = cho_factor(shifted, lower=True)
    except np.linalg.LinAlgError:
        raise InputError(
            f"K + {ridge:g} I is not positive definite, so K has eigenvalues below {-ridge:g}: it is not positive "
            "semi-definite; use another kernel or a larger ridge"
        ) from None
    scores = np.einsum("ij,ji->i", cho_solve(factor, np.eye(len(K))), K)
    return np.clip(scores, 0.0, 1.0)
