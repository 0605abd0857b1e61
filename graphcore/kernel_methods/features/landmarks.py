"""Which points stand for all, and how many: uniform draws, draws by (ridge) leverage, pivots, or points given."""

import math
from dataclasses import dataclass, field

import numpy as np

from ...base.streams import Streams
from ...base.validation import check_choice, check_integer, check_real, refused
from ...exceptions import InputError, ParameterError
from ...kernels.as_kernel import as_kernel
from .leverage import leverage_scores, recursive_ridge_scores, ridge_leverage_scores
from .pivots import random_pivots

LANDMARK_SAMPLINGS = ("uniform", "leverage", "approximate-leverage", "ridge", "recursive-ridge", "rpcholesky")
_ROWS = 1 << 12  # of columns that are put in order at a time


@dataclass(frozen=True, eq=False)
class Landmarks:
    """Distinct landmarks and the weights of their columns."""

    indices: np.ndarray  # (c,) int64: distinct points, ascending; a point drawn several times stands here once
    scale: np.ndarray  # (c,) float64: square root of the number of draws over ``n_drawn p_i``, so that E[P P^T] = I
    n_drawn: int  # repeats included
    sampling: str
    # (n,) float64: probabilities up to a factor; None for equal ones
    scores: np.ndarray | None = field(default=None, repr=False)
    columns: np.ndarray | None = field(default=None, repr=False)  # (n, c): of the kernel, where drawing has made them


def draw_landmarks(n, n_landmarks, *, probabilities=None, replace=False, random_state=None, sampling="uniform"):
    """Draw c Landmarks of n points, with equal probabilities or those given, not negative and in any scale.

    More draws than points (of positive probability) without replacement are a ParameterError, as are probabilities of
    zeros. `sampling` is a name that is noted in the result.
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
    return Landmarks(indices.astype(np.int64), np.sqrt(counts / expected), c, sampling, probabilities)


def sample_landmarks(
    K, n_landmarks, *, sampling="uniform", replace=None, n_components=None, ridge=None, random_state=None, n_jobs=None
):
    """Choose Landmarks of a kernel matrix (n, n), or Kernel.

    `sampling` is an array of the landmarks themselves, or one of

    - "uniform": all points alike; what large data and wide kernels need
    - "leverage": by the row norms of the top `n_components` eigenvectors (default half of `n_landmarks`), exact (n x n
      in memory)
    - "approximate-leverage": the same from a random subspace, n^2 kernel values in blocks
    - "ridge": by exact ridge leverage scores (n x n in memory), `ridge` by default ``sqrt(n)`` times the mean of the
      diagonal
    - "recursive-ridge": by approximate ridge leverage scores, n x m kernel values
    - "rpcholesky": one after the other, by what the ones before leave out of each point (`random_pivots`), n x c kernel
      values; fewer than `n_landmarks` where these leave out nothing, and no point twice

    `replace` is by default False for "uniform" and True for the others, as in the theory. Wang, Gittens, Mahoney, JMLR
    2019, section 3.1; Calandriello, Rosasco, NeurIPS 2018, Lemmas 1 and 3; Chen, Epperly, Tropp, Webber, CPAM 78, 2025.
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
        return Landmarks(distinct.astype(np.int64), np.sqrt(counts.astype(np.float64)), len(indices), "given")
    check_choice("sampling", sampling, LANDMARK_SAMPLINGS)
    n_landmarks = check_integer("n_landmarks", n_landmarks, low=1)
    if sampling == "rpcholesky":
        if replace:
            raise refused(
                "replace", replace, "is not for sampling='rpcholesky', which draws no point twice; leave it out"
            )
        drawn, _, columns = random_pivots(kernel, n_landmarks, random_state=streams, n_jobs=n_jobs)
        order = np.argsort(drawn)
        for start in range(0, 0 if columns is None else len(columns), _ROWS):  # in place
            columns[start : start + _ROWS] = columns[start : start + _ROWS, order]
        return Landmarks(drawn[order], np.ones(len(drawn)), len(drawn), sampling, columns=columns)
    scores = None
    if sampling in ("leverage", "approximate-leverage"):
        s = min(kernel.n_points, max(1, n_landmarks // 2) if n_components is None else n_components)
        method = "exact" if sampling == "leverage" else "approximate"
        scores = leverage_scores(kernel, s, method=method, random_state=streams.child("leverage"), n_jobs=n_jobs)
    elif sampling != "uniform":
        if ridge is None:  # the accuracy that costs kernel k-means nothing in risk
            ridge = float(np.sqrt(kernel.n_points) * max(kernel.diagonal.mean(), np.finfo(np.float64).tiny))
        if sampling == "ridge":
            scores = ridge_leverage_scores(kernel, ridge)
        else:
            scores = recursive_ridge_scores(kernel, ridge, random_state=streams.child("ridge"), n_jobs=n_jobs).scores
    if replace is None:
        replace = scores is not None
    return draw_landmarks(
        kernel.n_points, n_landmarks, probabilities=scores, replace=replace, random_state=streams, sampling=sampling
    )


def suggest_rank(n_clusters, n_landmarks, *, coherence=1.0, highest=None):
    """Balance the two errors by the number of features, ``ceil(sqrt(k c / mu))``, from k to c or `highest`.

    mu is the coherence, at least 1. Wang, Gittens, Mahoney, JMLR 2019, Remark 3.
    """
    best = math.ceil(math.sqrt(n_clusters * n_landmarks / coherence))
    return max(1, min(max(best, n_clusters), n_landmarks if highest is None else highest))


def suggest_landmarks(n, n_clusters, rule, *, n_components=None, kappa_squared=1.0):
    """Choose the number of landmarks c for n points, at least k (and s) where n allows it, at most n.

    - "sqrt": ``ceil(sqrt(n))``, where measured costs level off
    - "auto": ``2 ceil(sqrt(n))``, and at least 10 for each cluster (or feature, where `n_components` is given): within
      5 % of the plateau of the cost in the subspace too
    - "sqrt_nk": ``ceil(sqrt(n k))``
    - "theory": :func:`theory_landmarks` for ``gamma = sqrt(n)``; `kappa_squared` is for it

    Calandriello, Rosasco, NeurIPS 2018, Theorem 1 and section 6.
    """
    smallest = max(n_clusters, n_components or 1)
    if rule == "theory":
        return max(theory_landmarks(n, math.sqrt(n), kappa_squared=kappa_squared), min(n, smallest))
    root = math.ceil(math.sqrt(n))
    c = {"sqrt": root, "auto": max(2 * root, 10 * smallest), "sqrt_nk": math.ceil(math.sqrt(n * n_clusters))}[rule]
    return min(n, max(c, smallest))


def theory_landmarks(n, gamma, *, kappa_squared=1.0, eps=0.5, delta=0.1, effective_dimension=None):
    """Count the landmarks, at most n, for which the theory promises a gamma-preserving dictionary.

    ``12 kappa^2 (n / gamma) log(n / delta) / eps^2`` for uniform sampling, with the effective dimension in place of ``n
    / gamma`` for ridge leverage scores; kappa^2 is the largest value on the kernel's diagonal. The constant is far from
    what is needed in practice: measure instead. Calandriello, Rosasco, NeurIPS 2018, Lemmas 1 and 3.
    """
    kappa_squared = check_real("kappa_squared", kappa_squared, low=0.0, open_low=True)
    size = n / gamma if effective_dimension is None else effective_dimension
    return max(1, min(n, math.ceil(12 * kappa_squared * size * math.log(n / delta) / eps**2)))
