"""Vectors with known clusters, through scikit-learn."""

import numpy as np

from .._random import Streams
from .._validation import check_integer, check_real
from .results import LabeledVectors

__all__ = ["blobs", "moons", "rings"]


def blobs(n_samples, n_clusters, *, n_features=2, spread=1.0, random_state=None):
    """Draw Gaussian clusters of equal size around centres that are uniform in [-10, 10] ** n_features.

    Parameters
    ----------
    n_samples, n_clusters : int
    n_features : int, default 2
    spread : float, default 1.0
        Standard deviation of a cluster.
    random_state : int, numpy Generator, RandomState or None, default None

    Returns
    -------
    LabeledVectors
        Rows in random order, float64, and the cluster of each.

    Examples
    --------
    >>> import graphcore
    >>> graphcore.datasets.blobs(60, 3, random_state=0).data.shape
    (60, 2)
    """
    from sklearn.datasets import make_blobs

    data, labels = make_blobs(
        check_integer("n_samples", n_samples, low=1), check_integer("n_features", n_features, low=1),
        centers=check_integer("n_clusters", n_clusters, low=1), cluster_std=check_real("spread", spread, low=0),
        random_state=Streams(random_state).integer("blobs"),
    )  # fmt: skip
    return LabeledVectors(data, labels.astype(np.int32))


def rings(n_samples, *, factor=0.5, noise=0.05, random_state=None):
    """Draw two concentric circles, which no k-means on the vectors themselves can tell apart.

    Parameters
    ----------
    n_samples : int
    factor : float, default 0.5
        Radius of the inner circle (cluster 1); the outer one (cluster 0) has radius 1.
    noise : float, default 0.05
        Standard deviation of the Gaussian noise on both coordinates.
    random_state : int, numpy Generator, RandomState or None, default None

    Returns
    -------
    LabeledVectors
        Rows in random order, float64 of two columns, and the circle of each.

    Examples
    --------
    >>> import graphcore
    >>> graphcore.datasets.rings(60, random_state=0).labels.sum()
    np.int64(30)
    """
    from sklearn.datasets import make_circles

    data, labels = make_circles(
        check_integer("n_samples", n_samples, low=2), factor=check_real("factor", factor, low=0, high=1 - 1e-12),
        noise=check_real("noise", noise, low=0), random_state=Streams(random_state).integer("rings"),
    )  # fmt: skip
    return LabeledVectors(data, labels.astype(np.int32))


def moons(n_samples, *, noise=0.05, random_state=None):
    """Draw two interleaved half circles.

    Parameters
    ----------
    n_samples : int
    noise : float, default 0.05
        Standard deviation of the Gaussian noise on both coordinates.
    random_state : int, numpy Generator, RandomState or None, default None

    Returns
    -------
    LabeledVectors
        Rows in random order, float64 of two columns, and the half circle of each.

    Examples
    --------
    >>> import graphcore
    >>> graphcore.datasets.moons(60, random_state=0).data.shape
    (60, 2)
    """
    from sklearn.datasets import make_moons

    data, labels = make_moons(
        check_integer("n_samples", n_samples, low=2),
        noise=check_real("noise", noise, low=0),
        random_state=Streams(random_state).integer("moons"),
    )
    return LabeledVectors(data, labels.astype(np.int32))
