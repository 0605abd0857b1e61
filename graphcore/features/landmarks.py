"""Which points stand for all: uniform sampling, leverage scores, ridge leverage scores, or points that are given."""

from dataclasses import dataclass, field

import numpy as np

from .._random import Streams
from .._validation import check_choice, check_integer
from ..exceptions import InputError, ParameterError
from ..kernels.as_kernel import as_kernel
from .leverage import leverage_scores, ridge_leverage_scores
from .ridge_sampling import recursive_ridge_scores

LANDMARK_SAMPLINGS = ("uniform", "leverage", "approximate-leverage", "ridge", "recursive-ridge")


@dataclass(frozen=True, eq=False)
class Landmarks:
    """Distinct landmarks and the weights of their columns.

    Attributes
    ----------
    indices : ndarray of shape (c,), int64
        Distinct points, ascending. A point drawn several times stands here once.
    scale : ndarray of shape (c,), float64
        Square root of the number of draws over ``n_drawn p_i``: with it ``E[P P^T] = I``.
    n_drawn : int
        Draws, repeats included.
    sampling : str
    scores : ndarray of shape (n,), float64, or None
        What the probabilities were proportional to; None for equal ones.
    """

    indices: np.ndarray
    scale: np.ndarray
    n_drawn: int
    sampling: str
    scores: np.ndarray | None = field(default=None, repr=False)


def default_ridge(kernel):
    """``sqrt(n)`` times the mean of the diagonal: the accuracy that costs kernel k-means nothing in risk."""
    return float(np.sqrt(kernel.n_points) * max(kernel.diagonal.mean(), np.finfo(np.float64).tiny))


def draw_landmarks(n, n_landmarks, *, probabilities=None, replace=False, random_state=None, sampling="uniform"):
    """Draw c Landmarks of n points, with equal probabilities or those given, not negative and in any scale.

    The theory draws with replacement. More draws than points (of positive probability) without it are a ParameterError,
    as are probabilities of zeros. `sampling` is a name that is noted in the result.
    """
    n = check_integer("n", n, low=1)
    c = check_integer("n_landmarks", n_landmarks, low=1)
    rng = Streams(random_state).generator("landmarks")
    p = None
    if probabilities is not None:
        p = np.asarray(probabilities, dtype=np.float64)
        if p.shape != (n,) or not np.isfinite(p).all() or (p < 0).any():
            raise ParameterError(f"probabilities must be {n} finite numbers that are not negative")
        if p.sum() <= 0:
            raise ParameterError(
                "all sampling probabilities are zero; use sampling='uniform' or check that the kernel is not zero"
            )
        p = p / p.sum()
    possible = n if p is None else int((p > 0).sum())
    if not replace and c > possible:
        raise ParameterError(
            f"n_landmarks={c} must be at most {possible}, the points that can be drawn without replacement; take "
            "fewer, or replace=True"
        )
    drawn = rng.choice(n, c, replace=bool(replace), p=p)
    indices, counts = np.unique(drawn, return_counts=True)
    expected = c / n if p is None else c * p[indices]
    return Landmarks(indices.astype(np.int64), np.sqrt(counts / expected), c, sampling, probabilities)


def sample_landmarks(
    K, n_landmarks, *, sampling="uniform", replace=None, n_components=None, ridge=None, random_state=None, n_jobs=None
):
    """Choose landmarks of a kernel matrix.

    Parameters
    ----------
    K : array-like or sparse matrix of shape (n, n), or Kernel
    n_landmarks : int
        Draws, c.
    sampling : str or array-like of int, default "uniform"
        - "uniform": all points alike; what large data and wide kernels need
        - "leverage": by the row norms of the top `n_components` eigenvectors, exact (n x n in memory)
        - "approximate-leverage": the same from a random subspace, n^2 kernel values in blocks
        - "ridge": by exact ridge leverage scores (n x n in memory)
        - "recursive-ridge": by approximate ridge leverage scores, n x m kernel values

        or the landmarks themselves.
    replace : bool, optional
        Default: without replacement for "uniform", with replacement for the others, as in the theory.
    n_components : int, optional
        Eigenvectors of leverage scores; default half of `n_landmarks`.
    ridge : float, optional
        Default ``sqrt(n)`` times the mean of the diagonal.
    random_state : int, Generator, RandomState or None
    n_jobs : int, optional

    Returns
    -------
    Landmarks

    References
    ----------
    Wang, Gittens, Mahoney, JMLR 2019, section 3.1; Calandriello, Rosasco, NeurIPS 2018, Lemmas 1 and 3.
    """
    kernel = as_kernel(K)
    streams = Streams(random_state)
    if not isinstance(sampling, str):
        return _given(sampling, kernel.n_points)
    check_choice("sampling", sampling, LANDMARK_SAMPLINGS)
    n_landmarks = check_integer("n_landmarks", n_landmarks, low=1)
    if replace is not None and not isinstance(replace, (bool, np.bool_)):
        raise ParameterError(f"replace={replace!r} must be True, False or None")
    scores = None
    if sampling in ("leverage", "approximate-leverage"):
        s = min(kernel.n_points, max(1, n_landmarks // 2) if n_components is None else n_components)
        method = "exact" if sampling == "leverage" else "approximate"
        scores = leverage_scores(kernel, s, method=method, random_state=streams.child("leverage"), n_jobs=n_jobs)
    elif sampling == "ridge":
        scores = ridge_leverage_scores(kernel, default_ridge(kernel) if ridge is None else ridge)
    elif sampling == "recursive-ridge":
        ridge = default_ridge(kernel) if ridge is None else ridge
        scores = recursive_ridge_scores(kernel, ridge, random_state=streams.child("ridge"), n_jobs=n_jobs).scores
    if replace is None:
        replace = scores is not None
    return draw_landmarks(
        kernel.n_points, n_landmarks, probabilities=scores, replace=replace, random_state=streams, sampling=sampling
    )


def _given(indices, n):
    """Landmarks that the caller chose."""
    indices = np.asarray(indices)
    if indices.ndim != 1 or len(indices) == 0 or indices.dtype.kind not in "iu":
        raise ParameterError(
            "sampling must be the name of a scheme or a one-dimensional array of integers, the landmarks themselves; "
            f"got shape {indices.shape} of {indices.dtype}"
        )
    if indices.min() < 0 or indices.max() >= n:
        raise InputError(f"landmarks must be from 0 to {n - 1}; found {indices.min()} to {indices.max()}")
    distinct, counts = np.unique(indices, return_counts=True)
    return Landmarks(distinct.astype(np.int64), np.sqrt(counts.astype(np.float64)), len(indices), "given")
