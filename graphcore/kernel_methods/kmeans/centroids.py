"""Centroids of kernel k-means, combinations of points: the step of the alternation, and the nearest for new points."""

from typing import NamedTuple

import numpy as np

from ...kernels.base import membership_matrix
from ...kernels.columns import map_rows
from ..flats.alternation import Look

# Bytes of the kernel rows of a block of points, or of their sums with all clusters.
_BLOCK_BYTES = 1 << 26


class Centroids(NamedTuple):
    """Centroids in kernel space: the points that they are means of, and sums of every cluster."""

    labels: np.ndarray  # (n_points,) int32: the cluster of every point
    weights: np.ndarray  # (n_points,) float64
    masses: np.ndarray  # (n_clusters,) float64: weights of the clusters; 0 for empty ones
    norms: np.ndarray  # (n_clusters,) float64: squared norms of their centroids; inf for empty clusters


class Step(NamedTuple):
    """Distances of all points to the centroids of a partition, and its cost."""

    masses: np.ndarray  # (n_clusters,), as of Centroids
    norms: np.ndarray  # (n_clusters,), with the shift
    distances: np.ndarray  # (n_points,): squared, to the nearest; those of an indefinite kernel may be negative


class KernelCentroids:
    """One kernel k-means problem, ``K + shift W^-1``, for the alternation; points of label -1 take no part.

    With ``W_j`` the weight of cluster j and ``S_xj = sum_{y in j} w_y K_xy``,
    ``|phi(x) - c_j|^2 = K_xx - 2 S_xj / W_j + sum_{x in j} w_x S_xj / W_j^2``; a shift adds
    ``shift / w_x + shift / W_j``, and takes ``2 shift / W_j`` off where x is in j.
    """

    keeps_empty = True

    def __init__(self, kernel, weights, shift=0.0, n_jobs=None):
        self.kernel, self.weights, self.shift, self._n_jobs = kernel, weights, shift, n_jobs
        self.noise = kernel.noise
        self.energy = float(np.abs(weights * kernel.diagonal).sum()) + abs(shift) * kernel.n_points

    def look(self, labels, n_clusters, state=None):
        """Compute distances to the centroids of a partition and find every nearest centroid, of equals the lowest.

        `state` are the products of the partition before, from which those of this one are made.
        """
        kernel, weights, shift = self.kernel, self.weights, self.shift
        products = kernel.cluster_products(labels, weights, n_clusters, self._n_jobs, state)
        placed = np.flatnonzero(labels >= 0)
        j = labels[placed]
        masses = np.bincount(j, weights=weights[placed], minlength=n_clusters)
        filled = masses > 0
        divisors = np.where(filled, masses, np.inf)
        diagonal = kernel.diagonal
        if shift:
            diagonal = diagonal + np.divide(shift, weights, out=np.zeros(len(weights)), where=weights > 0)
        # A point without weight has no part in its cluster's centroid, so the shift does not bind it there.
        bonus = 2.0 * shift / divisors
        inner = products.own
        within = np.bincount(j, weights=(weights * inner)[placed], minlength=n_clusters)
        norms = np.where(filled, within / divisors**2 + shift / divisors, np.inf)
        own = np.zeros(len(labels))
        # A point without weight may sit in a cluster without mass.
        own[placed] = np.where(
            filled[j],
            diagonal[placed] + norms[j] - 2.0 * inner[placed] / divisors[j] - bonus[j] * (weights[placed] > 0),
            0.0,
        )
        nearest, distances = products.nearest(norms, divisors, bonus)
        distances += diagonal
        if kernel.leaves_out_isolated:
            isolated = weights == 0
            nearest[isolated], distances[isolated] = -1, 0.0
        # Points that do not differ from their centroid fill no cluster.
        floor = kernel.noise * float(np.abs(kernel.diagonal[weights > 0]).max())
        paid = np.where((weights > 0) & (distances > floor), weights * distances, -np.inf)
        return Look(nearest, own, paid, Step(masses, norms, distances), products.before)


def nearest_centroid(columns, centroids, n_jobs=None):
    """Find the nearest centroids of points, from their kernel (n_samples, n_points) with those of the fit.

    Returns labels (n_samples,), int32, and squared distances less ``K(x, x)``; of points in a dask.array both are
    dask.arrays, not computed yet.
    """
    if hasattr(columns, "lazily"):
        found = columns.lazily(_nearest, 2, np.float64, centroids)
    elif not columns.shape[0]:
        return np.empty(0, dtype=np.int32), np.empty(0)
    else:
        found = _nearest(columns, centroids, n_jobs)
    return found[:, 0].astype(np.int32), found[:, 1]


def _nearest(columns, centroids, n_jobs=None):
    """Return labels and distances as two columns."""
    labels, weights, masses, norms = centroids
    Z = membership_matrix(labels, weights, len(norms)).T
    # Sparse rows are those of large graphs, whose clusters may be too many for dense memberships.
    Z = Z.tocsr() if columns.is_sparse else Z.toarray()
    divisors = np.where(masses > 0, masses, np.inf)

    def nearest(rows):
        S = (rows @ Z).toarray() if columns.is_sparse else np.asarray(rows @ Z, dtype=np.float64)
        values = norms - 2.0 * S / divisors
        found = values.argmin(axis=1)
        return np.column_stack([found, values[np.arange(len(found)), found]])

    block_rows = max(1, min(_BLOCK_BYTES // max(8 * len(norms), columns.row_bytes), 1 << 14))
    return map_rows(columns, nearest, n_jobs=n_jobs, block_rows=block_rows)
