"""Which points stand for all, and how many: uniform draws, leverage scores, randomly pivoted Cholesky, points given."""

import math
from dataclasses import dataclass

import numpy as np

from ..base.loops import away, limited_libraries, map_blocks
from ..base.streams import Streams
from ..base.validation import check_choice, check_integer, check_real
from ..exceptions import InputError, ParameterError
from ..kernels.base import block_borders
from ..kernels.graph import as_kernel

LANDMARK_SAMPLINGS = ("uniform", "leverage", "rpcholesky")
# Points that randomly pivoted Cholesky proposes at a time: as many as landmarks are wanted, within these bounds. Few
# would often all be refused where most residuals are rounding; many cost more than the passes that they save.
_FEWEST, _MOST = 32, 512


@dataclass(frozen=True, eq=False)
class Landmarks:
    """Distinct landmarks and the weights of their columns."""

    indices: np.ndarray  # (c,) int64: distinct points, ascending; a point drawn several times stands here once
    scale: np.ndarray  # (c,) float64: square root of the number of draws over ``n_drawn p_i``, so that E[P P^T] = I
    n_drawn: int  # repeats included


def draw_landmarks(n, n_landmarks, *, probabilities=None, replace=False, random_state=None):
    """Draw c Landmarks of n points, with equal probabilities or those given, not negative and in any scale.

    Ridge leverage scores go in as `probabilities`. More draws than points (of positive probability) without replacement
    are a ParameterError, as are probabilities of zeros.
    """
    c, p, possible = n_landmarks, None, n
    if probabilities is not None:
        total = probabilities.sum()
        if total <= 0:
            raise ParameterError(
                "all sampling probabilities are zero; use sampling='uniform' or check that the kernel is not zero"
            )
        p, possible = probabilities / total, int((probabilities > 0).sum())
    if not replace and c > possible:
        raise ParameterError(
            f"n_landmarks={c} must be at most {possible}, the points that can be drawn without replacement; take "
            "fewer, or replace=True"
        )
    drawn = Streams(random_state).generator("landmarks").choice(n, c, replace=bool(replace), p=p)
    indices, counts = np.unique(drawn, return_counts=True)
    expected = c / n if p is None else c * p[indices]
    return Landmarks(indices.astype(np.int64), np.sqrt(counts / expected), c)


def sample_landmarks(K, n_landmarks, *, sampling="uniform", n_components=None, random_state=None, n_jobs=None):
    """Choose Landmarks of a kernel matrix (n, n), or Kernel.

    `sampling` is an array of the landmarks themselves, or one of

    - "uniform": all points alike; what large data and wide kernels need
    - "leverage": by the row norms of the top `n_components` eigenvectors (default half of `n_landmarks`), exact (n x n
      in memory, unless the kernel is sparse)
    - "rpcholesky": one after the other, by what the ones before leave out of each point (`random_pivots`), n x c kernel
      values; fewer than `n_landmarks` where these leave out nothing, and no point twice

    "leverage" may draw a landmark twice, as in the theory. Wang, Gittens, Mahoney, JMLR 2019, section 3.1;
    Calandriello, Rosasco, NeurIPS 2018, Lemma 1; Chen, Epperly, Tropp, Webber, CPAM 78, 2025.
    """
    kernel = as_kernel(K)
    streams = Streams(random_state)
    if not isinstance(sampling, str):
        indices, n = np.asarray(sampling), kernel.n_points
        if indices.ndim != 1 or len(indices) == 0 or indices.dtype.kind not in "iu":
            raise ParameterError(
                "sampling must be the name of a scheme or a one-dimensional array of integers, the landmarks "
                f"themselves; got shape {indices.shape} of {indices.dtype}"
            )
        if indices.min() < 0 or indices.max() >= n:
            raise InputError(f"landmarks must be from 0 to {n - 1}; found {indices.min()} to {indices.max()}")
        distinct, counts = np.unique(indices, return_counts=True)
        return Landmarks(distinct.astype(np.int64), np.sqrt(counts.astype(np.float64)), len(indices))
    check_choice("sampling", sampling, LANDMARK_SAMPLINGS)
    n_landmarks = check_integer("n_landmarks", n_landmarks, low=1)
    if sampling == "rpcholesky":
        drawn = np.sort(random_pivots(kernel, n_landmarks, random_state=streams, n_jobs=n_jobs)[0])
        return Landmarks(drawn, np.ones(len(drawn)), len(drawn))
    if sampling == "uniform":
        return draw_landmarks(kernel.n_points, n_landmarks, random_state=streams)
    s = min(kernel.n_points, max(1, n_landmarks // 2) if n_components is None else n_components)
    scores = leverage_scores(kernel, s, n_jobs=n_jobs)
    return draw_landmarks(kernel.n_points, n_landmarks, probabilities=scores, replace=True, random_state=streams)


# -- leverage scores ---------------------------------------------------------------------------------------------------


def top_eigenpairs(K, n_components, *, n_jobs=None):
    """Compute the largest eigenvalues of a kernel matrix, descending, none below 0, and eigenvectors (n, s)."""
    from scipy.linalg import eigh

    kernel = as_kernel(K)
    n = kernel.n_points
    s = check_integer("n_components", n_components, low=1, high=n, why_high="the number of points")
    if kernel.is_sparse and s < n // 2:
        values, vectors = largest_eigenpairs(lambda v: kernel.product(v, n_jobs), n, s)
    else:
        K = _symmetric(kernel, "an exact eigendecomposition")
        values, vectors = away(eigh, K, subset_by_index=(n - s, n - 1))
        values, vectors = values[::-1], vectors[:, ::-1]
    return np.maximum(values, 0.0), vectors


def largest_eigenpairs(product, n_points, n_values):
    """Compute the largest eigenvalues of a symmetric matrix, descending, and eigenvectors, by Lanczos.

    `product` is the matrix times a column (n_points, 1). The first vector is always the same.
    """
    from scipy.sparse.linalg import LinearOperator, eigsh

    first = np.random.default_rng(0).standard_normal(n_points)
    shape = (n_points, n_points)
    operator = LinearOperator(shape, matvec=lambda v: product(v.reshape(-1, 1)).ravel(), dtype=np.float64)
    # Between products ARPACK's vectors are too short for threads, which would wait for each other busily.
    with limited_libraries():
        values, vectors = eigsh(operator, k=n_values, which="LA", v0=first)
    return values[::-1], vectors[:, ::-1]


def leverage_scores(K, n_components, *, n_jobs=None):
    """Compute leverage scores (n,): squared row norms of the top eigenvectors of the kernel matrix.

    Eigenvectors of eigenvalue zero count for nothing. Wang, Gittens, Mahoney, JMLR 2019, section 3.1.
    """
    values, vectors = top_eigenpairs(K, n_components, n_jobs=n_jobs)
    signal = values > len(vectors) * np.finfo(np.float64).eps * values[0]
    return np.clip(np.square(vectors[:, signal]).sum(axis=1), 0.0, 1.0)


def effective_dimension(eigenvalues, ridge):
    """Sum ``lambda_j / (lambda_j + ridge)``, the effective dimension; negative eigenvalues count as zero."""
    values = np.maximum(np.asarray(eigenvalues, dtype=np.float64), 0.0)
    return float((values / (values + ridge)).sum())


def ridge_leverage_scores(K, ridge):
    """Compute ridge leverage scores (n,), ``(K (K + ridge I)^-1)_ii``; their sum is the effective dimension.

    n^2 memory and n^3 time. Calandriello, Rosasco, NeurIPS 2018, Definition 3; :func:`draw_landmarks` draws by them.
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


def _symmetric(kernel, purpose):
    """Return the whole kernel matrix, dense in float64, its halves made equal."""
    K = kernel.dense(purpose, "use sampling='uniform' or 'rpcholesky'")
    return (K + K.T) / 2


# -- randomly pivoted Cholesky -----------------------------------------------------------------------------------------


def random_pivots(K, n_pivots, *, random_state=None, n_jobs=None):
    """Draw landmarks by randomly pivoted Cholesky: their indices in the order drawn, and the residuals of all points.

    Each is drawn with a probability in proportion to its residual, ``K_xx`` less the part that earlier landmarks
    explain. Fewer than `n_pivots` are drawn where all residuals are rounding (``kernel.noise`` of ``K_xx``). A kernel
    of zeros is an InputError; points at which an indefinite kernel has no positive residual are not drawn.

    A block of points is proposed at once, and each of them accepted with the probability that the accepted ones before
    it leave it: the same distribution as one by one, in a few passes over the points. n c kernel values, O(n c^2) time
    and O(n c) memory.

    Chen, Epperly, Tropp, Webber, "Randomly pivoted Cholesky", CPAM 78 (2025), Algorithm 1. Epperly, Tropp, Webber,
    "Embrace rejection: kernel matrix approximation by accelerated randomly pivoted Cholesky", arXiv 2410.03969,
    Algorithm 2.
    """
    kernel = as_kernel(K)
    rng = Streams(random_state).generator("pivots")
    floor = kernel.noise * kernel.diagonal
    left = np.where(kernel.diagonal > floor, kernel.diagonal, 0.0)
    F = np.empty((kernel.n_points, n_pivots), dtype=kernel.precision)  # K is about F F^T, with a column for each pivot
    pivots = np.empty(0, dtype=np.int64)
    while len(pivots) < n_pivots and left.any():
        c = len(pivots)
        points = _drawn(left, rng.random(min(max(n_pivots, _FEWEST), _MOST)))
        known = F[points, :c].astype(np.float64)
        with limited_libraries():
            rest = kernel.block(points, points, np.float64) - known @ known.T
        accepted, lower = _accepted(rest, left[points], floor[points], n_pivots - c, rng)
        if not len(accepted):
            break
        pivots = np.append(pivots, points[accepted])
        left = np.where(_eliminate(kernel, pivots, lower, F, left, n_jobs) > floor, left, 0.0)
    if not len(pivots):
        raise InputError(
            "the diagonal of the kernel matrix is zero, so there is nothing to draw from; check the kernel"
        )
    return pivots, left


def _drawn(left, luck):
    """Draw points, with replacement, in proportion to what is left of them."""
    ends = np.cumsum(left)
    found, some = np.searchsorted(ends, luck * ends[-1], side="right"), np.flatnonzero(left)
    return np.clip(found, some[0], some[-1])  # rounding


def _accepted(rest, bounds, floor, n_wanted, rng):
    """Accept or reject proposals in their order; return places of the accepted, and their Cholesky factor.

    `rest` (b, b) is what is left of the kernel among the proposals, `bounds` (b,) what they were proposed by.
    """
    residuals = rest.diagonal().copy()
    lower, accepted = np.zeros((len(rest), min(len(rest), n_wanted))), []
    for j, least in enumerate(np.maximum(floor, rng.random(len(rest)) * bounds)):
        i = len(accepted)
        if i < n_wanted and residuals[j] > least:
            lower[:, i] = (rest[:, j] - lower[:, :i] @ lower[j, :i]) / np.sqrt(residuals[j])
            residuals -= np.square(lower[:, i])
            accepted.append(j)
    return accepted, lower[accepted, : len(accepted)]


def _eliminate(kernel, pivots, lower, F, left, n_jobs):
    """Write the columns of F for the last pivots, and take their squares off `left`, which is returned."""
    new = pivots[-len(lower) :]
    first, last = len(pivots) - len(new), len(pivots)
    with limited_libraries():
        columns, among, inverse = kernel.columns(new), F[new, :first].astype(np.float64), np.linalg.inv(lower).T

        def one(start, stop):
            rows = columns.rows(start, stop)
            rows = np.asarray(rows.toarray() if columns.is_sparse else rows, dtype=np.float64)
            added = (rows - F[start:stop, :first].astype(np.float64) @ among.T) @ inverse
            F[start:stop, first:last] = added
            left[start:stop] -= np.square(added).sum(axis=1)

        map_blocks(one, block_borders(columns), n_jobs)
    return left


# -- how many ----------------------------------------------------------------------------------------------------------


def suggest_rank(n_clusters, n_landmarks, *, highest=None):
    """Balance the two errors by the number of features, ``ceil(sqrt(k c))``, from k to c or `highest`.

    Wang, Gittens, Mahoney, JMLR 2019, Remark 3, for a coherence of 1.
    """
    best = math.ceil(math.sqrt(n_clusters * n_landmarks))
    return max(1, min(max(best, n_clusters), n_landmarks if highest is None else highest))


def suggest_landmarks(n, n_clusters, rule, *, n_components=None):
    """Choose the number of landmarks c for n points, at least k (and s) where n allows it, at most n.

    - "sqrt": ``ceil(sqrt(n))``, where measured costs level off
    - "auto": ``2 ceil(sqrt(n))``, and at least 10 for each cluster (or feature, where `n_components` is given): within
      5 % of the plateau of the cost in the subspace too

    Calandriello, Rosasco, NeurIPS 2018, Theorem 1 and section 6.
    """
    smallest = max(n_clusters, n_components or 1)
    root = math.ceil(math.sqrt(n))
    c = {"sqrt": root, "auto": max(2 * root, 10 * smallest)}[rule]
    return min(n, max(c, smallest))
