"""Leverage scores, ridge leverage scores and effective dimension of a kernel matrix: exact, and from few columns."""

from typing import NamedTuple

import numpy as np

from ...base.streams import Streams
from ...base.threads import away, limited_libraries, map_blocks
from ...base.validation import check_choice, check_integer, check_real
from ...exceptions import InputError
from ...kernels.as_kernel import as_kernel
from ...kernels.columns import block_borders

_OVERSAMPLING, _POWER_STEPS = 10, 2
_SMALLEST = 50  # dictionary


def top_eigenpairs(K, n_components, *, method="exact", random_state=None, n_jobs=None):
    """Compute the largest eigenvalues of a kernel matrix, descending, none below 0, and eigenvectors (n, s).

    "approximate" takes a random subspace, two power steps and a projection; the matrix is never held whole, but its n^2
    values are computed four times.
    """
    kernel = as_kernel(K)
    n = kernel.n_points
    s = check_integer("n_components", n_components, low=1, high=n, why_high="the number of points")
    check_choice("method", method, ("exact", "approximate"))
    if method == "exact":
        from scipy.linalg import eigh

        if kernel.is_sparse and s < n // 2:
            values, vectors = largest_eigenpairs(lambda v: kernel.product(v, n_jobs), n, s)
        else:
            K = _symmetric(kernel, "an exact eigendecomposition")
            values, vectors = away(eigh, K, subset_by_index=(n - s, n - 1))
            values, vectors = values[::-1], vectors[:, ::-1]
        return np.maximum(values, 0.0), vectors
    Q = Streams(random_state).generator("subspace").standard_normal((n, min(n, s + _OVERSAMPLING)))
    with limited_libraries():
        for _ in range(1 + _POWER_STEPS):
            Q = away(np.linalg.qr, kernel.product(Q, n_jobs))[0]
        small = Q.T @ kernel.product(Q, n_jobs)
    values, vectors = np.linalg.eigh((small + small.T) / 2)
    return np.maximum(values[::-1][:s], 0.0), Q @ vectors[:, ::-1][:, :s]


def largest_eigenpairs(product, n_points, n_values, rng=None):
    """Compute the largest eigenvalues of a symmetric matrix, descending, and eigenvectors, by Lanczos.

    `product` is the matrix times a column (n_points, 1), `rng` for the first vector, which is a fixed one without it.
    """
    from scipy.sparse.linalg import LinearOperator, eigsh

    first = (np.random.default_rng(0) if rng is None else rng).standard_normal(n_points)
    shape = (n_points, n_points)
    operator = LinearOperator(shape, matvec=lambda v: product(v.reshape(-1, 1)).ravel(), dtype=np.float64)
    # Between products ARPACK's vectors are too short for threads, which would wait for each other busily.
    with limited_libraries():
        values, vectors = eigsh(operator, k=n_values, which="LA", v0=first)
    return values[::-1], vectors[:, ::-1]


def leverage_scores(K, n_components, *, method="exact", random_state=None, n_jobs=None):
    """Compute leverage scores (n,): squared row norms of the top eigenvectors of the kernel matrix.

    Eigenvectors of eigenvalue zero count for nothing. Wang, Gittens, Mahoney, JMLR 2019, section 3.1.
    """
    values, vectors = top_eigenpairs(K, n_components, method=method, random_state=random_state, n_jobs=n_jobs)
    signal = values > len(vectors) * np.finfo(np.float64).eps * values[0]
    return np.clip(np.square(vectors[:, signal]).sum(axis=1), 0.0, 1.0)


def effective_dimension(eigenvalues, ridge):
    """Sum ``lambda_j / (lambda_j + ridge)``, the effective dimension; negative eigenvalues count as zero."""
    values = np.maximum(np.asarray(eigenvalues, dtype=np.float64), 0.0)
    return float((values / (values + ridge)).sum())


def ridge_leverage_scores(K, ridge):
    """Compute exact ridge leverage scores (n,), ``(K (K + ridge I)^-1)_ii``; their sum is the effective dimension.

    n^2 memory and n^3 time. Calandriello, Rosasco, NeurIPS 2018, Definition 3.
    """
    from scipy.linalg import cho_factor, cho_solve

    ridge = check_real("ridge", ridge, low=0.0, open_low=True)
    K = _symmetric(as_kernel(K), "ridge leverage scores")
    try:
        factor = cho_factor(K + ridge * np.eye(len(K)), lower=True)
    except np.linalg.LinAlgError:
        raise InputError(
            f"K + {ridge:g} I is not positive definite, so K has eigenvalues below {-ridge:g}: it is not positive "
            "semi-definite; use another kernel or a larger ridge"
        ) from None
    scores = np.einsum("ij,ji->i", cho_solve(factor, np.eye(len(K))), K)
    return np.clip(scores, 0.0, 1.0)


def dictionary_ridge_scores(K, dictionary, weights, ridge, *, points=None, n_jobs=None):
    """Estimate ridge leverage scores (float64) of all points, or those given, by a weighted dictionary J of points.

    ``tau_i = (K_ii - K_iJ (K_JJ + ridge diag(weights)^-1)^-1 K_Ji) / ridge``, where `weights` say how many points each
    of J stands for, at most ``K_ii / (K_ii + ridge)``, which bounds the exact ones. O(n m^2) time, O(m^2) memory beside
    blocks.
    """
    from scipy.linalg import cho_factor, solve_triangular

    kernel = as_kernel(K)
    whole = points is None or len(points) == kernel.n_points
    diagonal = kernel.diagonal if points is None else kernel.diagonal[points]
    core = kernel.block(dictionary, dictionary, np.float64)
    core = (core + core.T) / 2 + np.diag(ridge / weights)
    try:
        root = cho_factor(core, lower=True)[0]
    except np.linalg.LinAlgError:
        raise InputError(
            "the kernel is not positive semi-definite: its values among sampled points have large negative "
            "eigenvalues; use another kernel or a larger ridge"
        ) from None
    columns = kernel.columns(dictionary)
    borders = block_borders(columns) if whole else np.append(np.arange(0, len(points), 1024), len(points))

    def one(start, stop):
        rows = columns.rows(start, stop) if whole else kernel.block(points[start:stop], dictionary)
        rows = rows.toarray() if hasattr(rows, "toarray") else rows
        half = solve_triangular(root, np.asarray(rows, dtype=np.float64).T, lower=True, check_finite=False)
        return np.einsum("ij,ij->j", half, half)

    with limited_libraries():
        explained = np.concatenate(map_blocks(one, borders, n_jobs))
    return np.clip((diagonal - explained) / ridge, 0.0, diagonal / (diagonal + ridge))


class RidgeScores(NamedTuple):
    """Approximate ridge leverage scores."""

    scores: np.ndarray  # (n,) float64
    dictionary: np.ndarray  # (m,) int64: points that they were computed from
    weights: np.ndarray  # (m,) float64: one over the probability with which each was taken


def recursive_ridge_scores(K, ridge, *, random_state=None, n_jobs=None):
    """Approximate RidgeScores by recursion over halves of the points: n x m kernel values, never n x n.

    A small uniform sample gives the scores within a sample twice as large; a dictionary is drawn by these, and gives
    those within a sample twice as large again, until all points are reached: so rare clusters are found, which a
    uniform sample misses. Dictionaries have about ``3 d log(2 d)`` points, with d the effective dimension so far, at
    least 50. Musco, Musco, "Recursive sampling for the Nystrom method", NeurIPS 2017.
    """
    kernel = as_kernel(K)
    ridge = check_real("ridge", ridge, low=0.0, open_low=True)
    n = kernel.n_points
    streams = Streams(random_state)
    order = streams.generator("order").permutation(n)
    size, level = min(n, _SMALLEST), 0
    dictionary, weights = np.sort(order[:size]), np.ones(size)
    while size < n:
        level += 1
        # The dictionary stands for the smaller sample, half of this one: its points count twice.
        larger = min(n, 2 * size)
        points = np.sort(order[:larger])
        scores = dictionary_ridge_scores(
            kernel, dictionary, weights * larger / size, ridge, points=points, n_jobs=n_jobs
        )
        dictionary, weights = _draw(points, scores, streams.generator("dictionary", level))
        size = larger
    scores = dictionary_ridge_scores(kernel, dictionary, weights, ridge, n_jobs=n_jobs)
    return RidgeScores(scores, dictionary, weights)


def _draw(points, scores, rng):
    """Take every point with a probability in proportion to its score; weights are one over it."""
    total = float(scores.sum())
    if total == 0.0:  # a kernel that is zero on these points: any of them will do
        return points[:1], np.ones(1)
    size = max(float(_SMALLEST), 3.0 * total * np.log(2.0 * total + 2.0))
    probabilities = np.minimum(1.0, scores * (size / total))
    taken = rng.random(len(points)) < probabilities
    if not taken.any():
        taken[scores.argmax()] = True
    return points[taken], 1.0 / probabilities[taken]


def _symmetric(kernel, purpose):
    """Return the whole kernel matrix, dense in float64, its halves made equal."""
    K = kernel.dense(purpose, "use an approximate scheme: sampling='approximate-leverage' or 'recursive-ridge'")
    return (K + K.T) / 2
