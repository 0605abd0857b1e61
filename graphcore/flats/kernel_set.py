"""Flats in feature space, held as combinations of points; distances need rows of the kernel only."""

from dataclasses import dataclass, field

import numpy as np

from .._arrays import read_only
from .._locks import cached_property
from ._loops import nearest_rows
from .flat_set import Codes, members_by_cluster

# Up to this many means and directions, one dense product with all of them is faster than a sparse one.
_FEW_COLUMNS = 32


@dataclass(frozen=True, eq=False)
class KernelFlatSet:
    """Affine flats of k clusters in the feature space of a kernel, as combinations of the n points of the fit.

    The flat of a cluster is its mean ``sum_i shares_i phi(x_i)`` and directions ``sum_i coefficients_il phi(x_i)``,
    both over the points of the cluster.
    """

    labels: np.ndarray = field(repr=False)  # (n,) int32: the cluster of every point
    shares: np.ndarray = field(repr=False)  # (n,)
    coefficients: np.ndarray = field(repr=False)  # (n, n_dims): 0 beyond the dimension of a flat
    mean_norms: np.ndarray = field(repr=False)  # (k,): squared norms of the means
    shifts: np.ndarray = field(repr=False)  # (k, n_dims): inner products of means with directions
    dims: np.ndarray  # (k,) int32

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
        """Inner products (n_rows, k, 1 + n_dims) of points with means (first) and directions, by kernel rows."""
        factor, K = self._factor, np.asarray(K)
        few = factor.shape[0] <= _FEW_COLUMNS
        products = K @ factor.toarray().T if few else (factor @ K.T).T
        return products.reshape(len(K), self.n_clusters, -1)

    def squared_distances(self, K, diagonal):
        """Squared distances (n_rows, k) of points to every flat, from their kernel rows (n_rows, n) and K(x, x).

        A diagonal of 0 is enough where only differences between flats matter.
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
        """Codes of points on the flats that they belong to, from their kernel rows."""
        out = np.empty((len(K), self.coefficients.shape[1]))
        for j, rows in members_by_cluster(labels, self.n_clusters):
            members = np.flatnonzero(self.labels == j)
            out[rows] = K[np.ix_(rows, members)] @ self.coefficients[members] - self.shifts[j]
        return Codes(labels, out)

    def nearest(self, K, labels=None, slack=0.0):
        """The nearest flat of points, from their kernel rows; sparse ones in time proportional to their entries.

        Given where the points are now (`labels`), they move only if that is nearer by more than `slack`. Returns labels
        (int32) and squared distances less the kernel values of the points with themselves.
        """
        n_rows = K.shape[0]
        if not hasattr(K, "tocsr"):
            D, places = self.squared_distances(K, np.zeros(n_rows)), np.arange(n_rows)
            best = D.argmin(axis=1).astype(np.int32)
            if labels is not None:
                best = np.where(D[places, best] < D[places, labels] - slack, best, labels)
            return best, D[places, best]
        if labels is None:
            labels = np.full(n_rows, -1, dtype=np.int32)
        out, values = np.empty(n_rows, dtype=np.int32), np.empty(n_rows)
        base = self.mean_norms - np.square(self.shifts).sum(axis=1)
        factors = np.column_stack([self.shares, self.coefficients])
        nearest_rows(
            read_only(K.indptr, np.int64), read_only(K.indices, np.int32), read_only(K.data, np.float64),
            read_only(self.labels), read_only(factors), read_only(self.mean_norms), read_only(self.shifts),
            read_only(base), read_only(np.argsort(base, kind="stable")), read_only(labels), slack, out, values,
        )  # fmt: skip
        return out, values


def gather(labels, n_clusters, n_dims, fit):
    """Fit every cluster (none is empty) and put the flats together.

    `fit` gives the ClusterFlat of a cluster from its points, which ascend. Returns the KernelFlatSet, and the squared
    distance of every point to its own flat.
    """
    n = len(labels)
    shares, own = np.empty(n), np.empty(n)
    coefficients = np.zeros((n, n_dims))
    mean_norms, shifts = np.empty(n_clusters), np.zeros((n_clusters, n_dims))
    dims = np.zeros(n_clusters, dtype=np.int32)
    for j, members in members_by_cluster(labels, n_clusters):
        cluster = fit(members)
        m = dims[j] = len(cluster.shifts)
        shares[members], own[members], mean_norms[j] = cluster.shares, cluster.own, cluster.mean_norm
        coefficients[members, :m] = cluster.coefficients
        shifts[j, :m] = cluster.shifts
    return KernelFlatSet(labels.copy(), shares, coefficients, mean_norms, shifts, dims), own
