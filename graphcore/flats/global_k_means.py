"""Global k-means: one mean after the other, each tried at every point; deterministic, for few points."""

import numpy as np

from .._threads import limited_libraries
from .._validation import check_integer, check_sample_weight
from ..exceptions import InputError
from ._checks import as_points, check_n_clusters
from .alternation import alternate
from .euclidean import EuclideanFlats
from .results import KFlatsResult


def global_k_means(X, n_clusters, *, n_candidates=None, max_iter=300, sample_weight=None):
    """Solutions of k-means for 1 to `n_clusters` clusters, each grown from the one before.

    The solution for k is the best of all k-means runs that start from the k - 1 means found before and one more point.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    n_clusters : int
    n_candidates : int, optional
        Points that are tried as the new mean: those that lower the error most before k-means runs. All, if not given:
        then there are n_samples runs of k-means for every number of clusters.
    max_iter : int, default 300
    sample_weight : array-like of shape (n_samples,), optional
        Not negative, as for :func:`graphcore.flats.k_flats.k_flats`.

    Returns
    -------
    list of KFlatsResult
        For 1, 2, ..., `n_clusters`; their errors never rise.

    References
    ----------
    Likas, Vlassis, Verbeek, "The global k-means clustering algorithm", Pattern Recognition 36, 2003; the choice of
    candidates is that of its fast version, with more than one of them.

    Examples
    --------
    >>> import graphcore
    >>> from graphcore.flats.global_k_means import global_k_means
    >>> from sklearn.datasets import make_blobs
    >>> points, _ = make_blobs(60, centers=3, random_state=0)
    >>> [len(result.flats.means) for result in global_k_means(points, 3)]
    [1, 2, 3]
    """
    X = as_points(X)
    weights = check_sample_weight(sample_weight, len(X))
    n_clusters = check_n_clusters(n_clusters, weights)
    max_iter = check_integer("max_iter", max_iter, low=1)
    if n_candidates is not None:
        n_candidates = check_integer("n_candidates", n_candidates, low=1)
    with limited_libraries():
        problem = EuclideanFlats.of(X, weights, 0)
        runs = global_runs(problem, n_clusters, n_candidates=n_candidates, max_iter=max_iter)
    return [KFlatsResult.from_run(run, X, weights) for run in runs]


def global_runs(problem, n_clusters, *, n_candidates=None, max_iter=300):
    """The runs of :func:`global_k_means` on a problem with flats of dimension 0."""
    runs = [alternate(problem, np.zeros(problem.n_points, dtype=np.int32), 1)]
    for k in range(2, n_clusters + 1):
        last = runs[-1]
        candidates = np.flatnonzero(last.own > 0)
        if len(candidates) == 0:
            raise InputError(
                f"there are only {k - 1} different points, fewer than n_clusters={n_clusters}; take n_clusters={k - 1} "
                "or less"
            )
        if n_candidates is not None and n_candidates < len(candidates):
            gains = [problem.weights @ np.maximum(last.own - problem.distances_to_point(i), 0) for i in candidates]
            candidates = candidates[np.sort(np.argsort(gains, kind="stable")[-n_candidates:])]
        best = None
        for i in candidates:
            labels = last.labels.copy()
            labels[problem.distances_to_point(i) < last.own] = k - 1
            run = alternate(problem, labels, k, max_iter=max_iter)
            if best is None or run.history[-1] < best.history[-1]:
                best = run
        runs.append(best)
    return runs
