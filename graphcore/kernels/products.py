"""Inner products of points with centroids: held for all clusters, or made row by row where rows are sparse."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..base.threads import map_blocks, row_blocks
from . import _loops

_BLOCK_ENTRIES = 1 << 18


def memberships(labels, weights, n_clusters):
    """Weighted membership matrix, clusters by points, as a csr_array; points of label -1 are in no cluster."""
    import scipy.sparse as sp

    points = np.flatnonzero(labels >= 0)
    shape = (n_clusters, len(labels))
    return sp.coo_array((np.asarray(weights, dtype=np.float64)[points], (labels[points], points)), shape=shape).tocsr()


@dataclass(frozen=True, eq=False)
class DenseProducts:
    """``S_xj = sum_{y in j} w_y K_xy`` for all points and clusters."""

    kernel: Any
    labels: np.ndarray
    weights: np.ndarray
    sums: np.ndarray = field(repr=False)
    n_jobs: int | None = None

    @property
    def own(self):
        """``S_xj`` for the cluster j that holds x, 0 for points in none."""
        placed = np.flatnonzero(self.labels >= 0)
        out = np.zeros(len(self.labels))
        out[placed] = self.sums[placed, self.labels[placed]]
        return out

    def nearest(self, norms, masses, own_bonus):
        """``argmin_j norms_j - 2 S_xj / masses_j``, less the bonus of the cluster that holds x's weight.

        Returns labels (n_points,), int32, of equals the lowest, and these values.
        """
        values = norms - 2.0 * self.sums / masses
        held = np.flatnonzero((self.labels >= 0) & (self.weights > 0))
        values[held, self.labels[held]] -= own_bonus[self.labels[held]]
        nearest = values.argmin(axis=1).astype(np.int32)
        return nearest, values[np.arange(len(nearest)), nearest]

    def updated(self, labels):
        """The products of other labels."""
        sums = self.kernel.updated_sums(self.sums, self.labels, labels, self.weights, self.n_jobs)
        return DenseProducts(self.kernel, labels, self.weights, sums, self.n_jobs)


@dataclass(frozen=True, eq=False)
class SparseProducts:
    """The same for a kernel in compressed rows, which are read once for each question; nothing is held."""

    kernel: Any
    labels: np.ndarray
    weights: np.ndarray
    n_jobs: int | None = None

    @property
    def own(self):
        """See :attr:`DenseProducts.own`."""
        out = np.empty(self.kernel.n_points)
        self._each_row(lambda a, b: _loops.own_sums(*self._read, self.labels, a, b, out))
        return out

    def nearest(self, norms, masses, own_bonus):
        """See :meth:`DenseProducts.nearest`."""
        n, by_norm = self.kernel.n_points, np.argsort(norms, kind="stable")
        out = np.empty(n, dtype=np.int32), np.empty(n)
        points, clusters = (self.labels, self.weights), (norms, masses, own_bonus, by_norm)
        self._each_row(lambda a, b: _loops.nearest_centroids(*self._read, points, clusters, a, b, out))
        return out

    @property
    def _read(self):
        """The kernel's rows and, with the weights, the vector that they are multiplied by, as loops read them."""
        kernel = self.kernel
        rows = kernel.indptr, kernel.indices, kernel.values, kernel.self_loop, kernel.outer
        return rows, self.weights * kernel.outer

    def _each_row(self, function):
        map_blocks(function, row_blocks(self.kernel.indptr, _BLOCK_ENTRIES), self.n_jobs)

    def updated(self, labels):
        """The products of other labels."""
        return SparseProducts(self.kernel, labels, self.weights, self.n_jobs)
