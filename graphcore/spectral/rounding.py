"""From an embedding to labels: k-means, always on one thread so that labels repeat."""

import warnings

import numpy as np

from .._random import Streams
from .._threads import single_threaded_libraries

__all__ = ["kmeans_labels"]


def kmeans_labels(X, n_clusters, *, n_init=10, sample_weight=None, random_state=None):
    """Cluster rows by scikit-learn's k-means.

    Parameters
    ----------
    X : ndarray of shape (n, n_features)
    n_clusters : int
    n_init : int, default 10
        Restarts.
    sample_weight : ndarray of shape (n,), optional
    random_state : int, Generator, RandomState or None

    Returns
    -------
    ndarray of shape (n,), int32
        Labels; fewer than `n_clusters` different ones if there are fewer distinct rows.
    """
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    model = KMeans(n_clusters, n_init=n_init, random_state=Streams(random_state).integer("k-means"))
    # Sums taken by several threads depend on how many there are. Warning filters belong to the whole process too, so
    # only one thread at a time may change them.
    with single_threaded_libraries(), warnings.catch_warnings():
        # Fewer distinct rows than clusters is counted by the caller, who knows what it means.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit_predict(X, sample_weight=sample_weight).astype(np.int32)
