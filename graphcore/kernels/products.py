"""Inner products of points with the centroids of a partition: own ones, and the nearest centroid."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


def memberships(labels, weights, n_clusters):
    """Weighted membership matrix, clusters by points, as a csr_array; points of label -1 are in no cluster."""
    import scipy.sparse as sp

    points = np.flatnonzero(labels >= 0)
    shape = (n_clusters, len(labels))
    return sp.coo_array((np.asarray(weights, dtype=np.float64)[points], (labels[points], points)), shape=shape).tocsr()


class Products(NamedTuple):
    """What is asked of ``S_xj = sum_{y in j} w_y K_xy`` for all points and clusters of a partition."""

    own: np.ndarray  # (n_points,) float64: ``S_xj`` for the cluster j that holds x, 0 for points in none
    # ``nearest(norms, masses, own_bonus)`` is ``argmin_j norms_j - 2 S_xj / masses_j``, less the bonus of the cluster
    # that holds x's weight: labels (n_points,), int32, of equals the lowest, and these values.
    nearest: Callable
    before: Any = None  # what those of the next partition are made from


def products_of(labels, weights, sums):
    """Products from the sums for all points and clusters."""
    placed = np.flatnonzero(labels >= 0)
    own = np.zeros(len(labels))
    own[placed] = sums[placed, labels[placed]]

    def nearest(norms, masses, own_bonus):
        values = norms - 2.0 * sums / masses
        held = placed[weights[placed] > 0]
        values[held, labels[held]] -= own_bonus[labels[held]]
        found = values.argmin(axis=1).astype(np.int32)
        return found, values[np.arange(len(found)), found]

    return Products(own, nearest, (sums, labels))
