"""Vectors with known clusters: through scikit-learn, and shapes in the plane that only a kernel can tell apart."""

import numpy as np

from .._random import Streams
from .._typing import RandomState
from .._validation import check_integer, check_real
from .results import LabeledVectors


def blobs(
    n_samples: int, n_clusters: int, *, n_features: int = 2, spread: float = 1.0, random_state: RandomState = None,
) -> LabeledVectors:  # fmt: skip
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


def rings(
    n_samples: int, *, factor: float = 0.5, noise: float = 0.05, random_state: RandomState = None,
) -> LabeledVectors:  # fmt: skip
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


def moons(n_samples: int, *, noise: float = 0.05, random_state: RandomState = None) -> LabeledVectors:
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


def cluster_in_cluster(n_samples: int, *, random_state: RandomState = None) -> LabeledVectors:
    """Draw a small cluster (1) inside a ring (0): three circles of radius 1 to 1.53, and a band of radius 4.17 to 5.83.

    Parameters
    ----------
    n_samples : int
        Half of them, rounded down, in the inner cluster.
    random_state : int, numpy Generator, RandomState or None, default None

    Returns
    -------
    LabeledVectors
        Rows in random order, float64 of two columns, and the cluster of each.

    Examples
    --------
    >>> import graphcore
    >>> graphcore.datasets.cluster_in_cluster(60, random_state=0).labels.sum()
    np.int64(30)
    """
    n = check_integer("n_samples", n_samples, low=2)
    rng = Streams(random_state).generator("cluster in cluster")
    labels = (np.arange(n) < n // 2).astype(np.int32)
    inner = rng.choice([1.0, 1.267, 1.533], n)
    outer = rng.uniform(4.17, 5.83, n)
    return _shuffled(np.where(labels == 1, inner, outer), rng.uniform(0, 2 * np.pi, n), labels, rng)


def crescent_moon(n_samples: int, *, random_state: RandomState = None) -> LabeledVectors:
    """Draw a full moon (1), a disc of radius 5, inside a crescent (0), the lower half of a band of radius 10 to 15.

    Parameters
    ----------
    n_samples : int
        A quarter of them, rounded down, in the moon.
    random_state : int, numpy Generator, RandomState or None, default None

    Returns
    -------
    LabeledVectors
        Rows in random order, float64 of two columns, and the cluster of each.

    Examples
    --------
    >>> import graphcore
    >>> graphcore.datasets.crescent_moon(60, random_state=0).labels.sum()
    np.int64(15)
    """
    n = check_integer("n_samples", n_samples, low=4)
    rng = Streams(random_state).generator("crescent moon")
    labels = (np.arange(n) < n // 4).astype(np.int32)
    disc = 5 * np.sqrt(rng.random(n))
    band = np.sqrt(rng.uniform(10**2, 15**2, n))
    angles = np.where(labels == 1, rng.uniform(0, 2 * np.pi, n), rng.uniform(np.pi, 2 * np.pi, n))
    return _shuffled(np.where(labels == 1, disc, band), angles, labels, rng)


def _shuffled(radii, angles, labels, rng):
    """Points in polar coordinates, in random order."""
    order = rng.permutation(len(labels))
    data = radii[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
    return LabeledVectors(data[order], labels[order])
