"""k-means on explicit features, by scikit-learn, on one thread so that labels repeat."""

import warnings
from dataclasses import dataclass

import numpy as np

from .._random import Streams
from .._threads import limited_libraries
from .._validation import check_choice, check_integer, check_real
from .._warn import warn_user
from ..kernels.products import memberships

__all__ = ["LinearKMeans", "linear_kmeans"]

# k-means takes a copy of its data where that is no burden.
_COPY_BYTES = 1 << 29


@dataclass(frozen=True, eq=False)
class LinearKMeans:
    """Clusters of the rows of a matrix.

    Attributes
    ----------
    labels : ndarray of shape (n,), int32
        From 0 to the number of clusters less one; every cluster holds a row.
    centers : ndarray of shape (k, s), float64
        Centres of the last iteration: every row has the label of the nearest. They are the weighted means of the
        clusters up to the tolerance.
    cost : float
        Weighted mean of the squared distances to the weighted means of the clusters.
    n_iter : int
    """

    labels: np.ndarray
    centers: np.ndarray
    cost: float
    n_iter: int


def linear_kmeans(
    B,
    n_clusters,
    *,
    sample_weight=None,
    solver="lloyd",
    n_init=10,
    max_iter=300,
    tol=1e-4,
    batch_size=1024,
    random_state=None,
):
    """Cluster rows by k-means: k-means++ initialisations and Lloyd's iterations, or mini-batches.

    Parameters
    ----------
    B : ndarray of shape (n, s), float32 or float64
    n_clusters : int
    sample_weight : ndarray of shape (n,), optional
    solver : {"lloyd", "minibatch"}, default "lloyd"
    n_init : int, default 10
        Initialisations; the cheapest result is kept.
    max_iter : int, default 300
    tol : float, default 1e-4
        See :class:`sklearn.cluster.KMeans`.
    batch_size : int, default 1024
        For "minibatch".
    random_state : int, Generator, RandomState or None

    Returns
    -------
    LinearKMeans

    Warns
    -----
    GraphWarning
        If there are fewer clusters than asked for, because so few rows are different.

    Examples
    --------
    >>> import numpy as np
    >>> from graphcore.kmeans.linear import linear_kmeans
    >>> linear_kmeans(np.array([[0.0], [0.0], [1.0], [1.2]]), 2, random_state=0).cost.__round__(6)
    0.005
    """
    from sklearn.cluster import KMeans, MiniBatchKMeans
    from sklearn.exceptions import ConvergenceWarning

    k = check_integer("n_clusters", n_clusters, low=1, high=len(B), why_high="the number of points")
    check_choice("solver", solver, ("lloyd", "minibatch"))
    common = {
        "n_init": check_integer("n_init", n_init, low=1),
        "max_iter": check_integer("max_iter", max_iter, low=1),
        "tol": check_real("tol", tol, low=0.0),
        "random_state": Streams(random_state).integer("k-means"),
    }
    if solver == "lloyd":
        # Without a copy rows are moved by their mean and back, which changes last digits.
        model = KMeans(k, copy_x=B.nbytes <= _COPY_BYTES, **common)
    else:
        model = MiniBatchKMeans(k, batch_size=check_integer("batch_size", batch_size, low=1), **common)
    with limited_libraries(), warnings.catch_warnings():
        # Fewer distinct rows than clusters is said below, in terms of the caller.
        warnings.simplefilter("ignore", ConvergenceWarning)
        labels = model.fit(B, sample_weight=sample_weight).labels_
        found, labels = np.unique(labels, return_inverse=True)
        labels = labels.astype(np.int32)
        if len(found) < k:
            warn_user(
                f"there are {len(found)} clusters instead of n_clusters={k}: the points have so few different "
                "features; ask for fewer clusters, or take more landmarks or a narrower bandwidth"
            )
        cost = centers_and_cost(B, labels, sample_weight)[1]
    centers = np.asarray(model.cluster_centers_[found], dtype=np.float64)
    return LinearKMeans(labels, centers, cost, int(model.n_iter_))


def centers_and_cost(B, labels, sample_weight=None):
    """Weighted means of the clusters, and the weighted mean of squared distances to them; in float64, by blocks."""
    k = int(labels.max()) + 1
    n, s = B.shape
    w = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    masses = np.bincount(labels, weights=w, minlength=k)
    sums = np.zeros((k, s))
    step = max(1, (1 << 22) // max(1, s))
    for start in range(0, n, step):
        span = slice(start, start + step)
        rows = np.asarray(B[span], dtype=np.float64)
        sums += memberships(labels[span], w[span], k) @ rows
    centers = np.divide(sums, masses[:, None], out=np.zeros_like(sums), where=masses[:, None] > 0)
    total = 0.0
    for start in range(0, n, step):
        span = slice(start, start + step)
        difference = np.asarray(B[span], dtype=np.float64) - centers[labels[span]]
        total += float(np.einsum("ij,ij->i", difference, difference) @ w[span])
    return centers, total / float(w.sum())


def nearest_center(B, centers):
    """Index of the nearest centre of every row and the squared distance to it, in float64 and by blocks."""
    from sklearn.metrics import pairwise_distances_argmin_min

    labels, distances = np.empty(len(B), dtype=np.int32), np.empty(len(B))
    step = max(1, (1 << 22) // max(1, B.shape[1] + len(centers)))
    with limited_libraries():
        for start in range(0, len(B), step):
            rows = np.asarray(B[start : start + step], dtype=np.float64)
            found = pairwise_distances_argmin_min(rows, centers, metric="sqeuclidean")
            labels[start : start + step], distances[start : start + step] = found
    return labels, distances
