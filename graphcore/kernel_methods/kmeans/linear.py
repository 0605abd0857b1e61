"""k-means on explicit features, by scikit-learn, on one thread so that labels repeat."""

import warnings
from dataclasses import dataclass

import numpy as np

from ...base.streams import Streams
from ...base.threads import limited_libraries
from ...base.validation import check_choice, check_integer, check_real
from ...base.warn import warn_user
from ...distributed.chunks import is_chunked
from ...exceptions import ParameterError
from .chunked import centers_and_cost, lloyd_runs, nearest_center, scalable_starts

# k-means takes a copy of its data where that is no burden.
_COPY_BYTES = 1 << 29


@dataclass(frozen=True, eq=False)
class LinearKMeans:
    """Clusters of the rows of a matrix."""

    labels: np.ndarray  # (n,) int32, from 0 to the number of clusters less one; every cluster holds a row
    # (k, s) float64: centres of the last iteration, of which every row has the label of the nearest. They are the
    # weighted means of the clusters up to the tolerance.
    centers: np.ndarray
    cost: float  # weighted mean of the squared distances to the weighted means of the clusters
    n_iter: int


def linear_kmeans(
    B,
    n_clusters,
    *,
    sample_weight=None,
    solver="lloyd",
    init=None,
    n_init=10,
    max_iter=300,
    tol=1e-4,
    batch_size=1024,
    random_state=None,
):
    """Cluster rows by k-means, a LinearKMeans: k-means++ initialisations and Lloyd's iterations, or mini-batches.

    B (n, s) is float32 or float64, or a dask.array: of that labels are one too, and it starts from k-means|| (Bahmani
    and others, VLDB 2012), whose passes over the rows all starts share, and so do the passes of Lloyd's iterations.
    `init` (n_clusters, s) are centres to start from, once. The other parameters are as for
    :class:`graphcore.NystromKernelKMeans`. A GraphWarning says that there are fewer clusters than asked for, because so
    few rows are different.

    >>> import numpy as np
    >>> from graphcore.kernel_methods.kmeans.linear import linear_kmeans
    >>> linear_kmeans(np.array([[0.0], [0.0], [1.0], [1.2]]), 2, random_state=0).cost.__round__(6)
    0.005
    """
    from sklearn.cluster import KMeans, MiniBatchKMeans
    from sklearn.exceptions import ConvergenceWarning

    k = check_integer("n_clusters", n_clusters, low=1, high=len(B), why_high="the number of points")
    check_choice("solver", solver, ("lloyd", "minibatch"))
    n_init = check_integer("n_init", n_init, low=1)
    if is_chunked(B):
        return _chunked(B, k, sample_weight, solver, init, n_init, max_iter, tol, Streams(random_state))
    common = {
        "init": "k-means++" if init is None else init,
        "n_init": n_init if init is None else 1,
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
        _warn_of_few(len(found), k)
        cost = centers_and_cost(B, labels, sample_weight)[1]
    centers = np.asarray(model.cluster_centers_[found], dtype=np.float64)
    return LinearKMeans(labels, centers, cost, int(model.n_iter_))


def _chunked(B, k, sample_weight, solver, init, n_init, max_iter, tol, streams):
    """k-means on a dask.array."""
    if sample_weight is not None or solver != "lloyd":
        given = "sample_weight" if sample_weight is not None else f"solver={solver!r}"
        raise ParameterError(f"{given} is not for a dask.array; leave it out, or give the rows as an array in memory")
    max_iter, tol = check_integer("max_iter", max_iter, low=1), check_real("tol", tol, low=0.0)
    starts = scalable_starts(B, k, n_init, streams.child("k-means")) if init is None else np.asarray(init)[None]
    centers, n_iter = lloyd_runs(B, starts, max_iter=max_iter, tol=tol)
    _warn_of_few(len(centers), k)
    labels = nearest_center(B, centers)[0].persist()
    return LinearKMeans(labels, centers, centers_and_cost(B, labels)[1], n_iter)


def _warn_of_few(found, k):
    if found < k:
        warn_user(
            f"there are {found} clusters instead of n_clusters={k}: the points have so few different "
            "features; ask for fewer clusters, or take more landmarks or a narrower bandwidth"
        )
