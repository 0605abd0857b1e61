"""Clusters in the plane that only a kernel can tell apart."""

import numpy as np

from .._random import Streams
from .._validation import check_integer
from .results import LabeledVectors

__all__ = ["cluster_in_cluster", "crescent_moon"]


def cluster_in_cluster(n_samples, *, random_state=None):
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


def crescent_moon(n_samples, *, random_state=None):
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
