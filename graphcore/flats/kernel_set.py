"""Flats in feature space, held as combinations of points; distances need rows of the kernel only."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from .flat_set import Codes, members_by_cluster

__all__ = ["KernelFlatSet", "gather"]

_BLOCK_NUMBERS = 1 << 22
# Up to this many means and directions, one dense product with all of them is faster than a sparse one.
_FEW_COLUMNS = 32


@dataclass(frozen=True, eq=False)
class KernelFlatSet:
    """Affine flats in the feature space of a kernel.

    The flat of a cluster is its mean ``sum_i shares_i phi(x_i)`` and directions ``sum_i coefficients_il phi(x_i)``,
    both over the points of the cluster.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,), int32
        The cluster of every point of the fit.
    shares : ndarray of shape (n_samples,), float64
    coefficients : ndarray of shape (n_samples, n_dims), float64
        0 beyond the dimension of a flat.
    mean_norms : ndarray of shape (n_clusters,), float64
        Squared norms of the means.
    shifts : ndarray of shape (n_clusters, n_dims), float64
        Inner products of means with directions.
    dims : ndarray of shape (n_clusters,), int32
    """

    labels: np.ndarray = field(repr=False)
    shares: np.ndarray = field(repr=False)
    coefficients: np.ndarray = field(repr=False)
    mean_norms: np.ndarray = field(repr=False)
    shifts: np.ndarray = field(repr=False)
    dims: np.ndarray

    @property
    def n_clusters(self):
        """Number of flats."""
        return len(self.mean_norms)

    @cached_property
    def _factor(self):
        """Means (first) and directions as rows of points, one flat after the other, as a csr_array."""
        import scipy.sparse as sp

        n, width = len(self.labels), 1 + self.coefficients.shape[1]
        rows = self.labels[:, None].astype(np.int64) * width + np.arange(width)
        values = np.column_stack([self.shares, self.coefficients])
        points = np.repeat(np.arange(n), width)
        return sp.coo_array((values.ravel(), (rows.ravel(), points)), shape=(self.n_clusters * width, n)).tocsr()

    def products(self, K):
        """Inner products of points with the means (first) and the directions, from their kernel rows.

        Parameters
        ----------
        K : ndarray of shape (n_rows, n_samples)

        Returns
        -------
        ndarray of shape (n_rows, n_clusters, 1 + n_dims), float64
        """
        factor, K = self._factor, np.asarray(K)
        few = factor.shape[0] <= _FEW_COLUMNS
        products = K @ factor.toarray().T if few else (factor @ K.T).T
        return products.reshape(len(K), self.n_clusters, -1)

    def squared_distances(self, K, diagonal):
        """Squared distances of points to every flat, from their kernel rows and values with themselves.

        Parameters
        ----------
        K : ndarray of shape (n_rows, n_samples)
        diagonal : ndarray of shape (n_rows,)
            0 is enough where only differences between flats matter.

        Returns
        -------
        ndarray of shape (n_rows, n_clusters), float64
        """
        products = self.products(K)
        out = products[:, :, 0]
        out *= -2
        out += self.mean_norms
        along = products[:, :, 1:] - self.shifts
        out -= np.einsum("nkm,nkm->nk", along, along)
        out += np.asarray(diagonal)[:, None]
        return out

    def coordinates(self, K, labels):
        """Coordinates of points on the flats they belong to, from their kernel rows.

        Parameters
        ----------
        K : ndarray of shape (n_rows, n_samples)
        labels : ndarray of shape (n_rows,), int

        Returns
        -------
        Codes
        """
        out = np.empty((len(K), self.coefficients.shape[1]))
        for j, rows in members_by_cluster(labels, self.n_clusters):
            members = np.flatnonzero(self.labels == j)
            out[rows] = np.asarray(K)[np.ix_(rows, members)] @ self.coefficients[members] - self.shifts[j]
        return Codes(labels, out)

    def row_borders(self, n_rows):
        """Borders of blocks of kernel rows for which :meth:`products` stays small."""
        width = len(self.labels) + self.n_clusters * (1 + self.coefficients.shape[1])
        step = max(1, _BLOCK_NUMBERS // width)
        return np.append(np.arange(0, n_rows, step), n_rows)


def gather(labels, n_clusters, n_dims, fit):
    """Fit every cluster and put the flats together.

    Parameters
    ----------
    labels : ndarray of shape (n_samples,), int32
        No cluster is empty.
    n_clusters, n_dims : int
    fit : callable
        Gives the ClusterFlat of cluster number j with these members.

    Returns
    -------
    flats : KernelFlatSet
    own : ndarray of shape (n_samples,), float64
        Squared distance of every point to its own flat.
    """
    n = len(labels)
    shares, own = np.empty(n), np.empty(n)
    coefficients = np.zeros((n, n_dims))
    mean_norms, shifts = np.empty(n_clusters), np.zeros((n_clusters, n_dims))
    dims = np.zeros(n_clusters, dtype=np.int32)
    for j, members in members_by_cluster(labels, n_clusters):
        cluster = fit(j, members)
        m = dims[j] = len(cluster.shifts)
        shares[members], own[members], mean_norms[j] = cluster.shares, cluster.own, cluster.mean_norm
        coefficients[members, :m] = cluster.coefficients
        shifts[j, :m] = cluster.shifts
    return KernelFlatSet(labels.copy(), shares, coefficients, mean_norms, shifts, dims), own
