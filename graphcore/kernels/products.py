"""Inner products of points with centroids: held for all clusters, or made row by row where rows are sparse."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._threads import map_blocks, row_blocks
from . import _centroid_loops

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
        kernel, inner = self.kernel, self.weights * self.kernel.outer
        out = np.empty(kernel.n_points)
        map_blocks(
            lambda a, b: _centroid_loops.own_sums(
                kernel.indptr, kernel.indices, kernel.values, kernel.self_loop, inner, kernel.outer, self.labels,
                a, b, out,
            ),
            row_blocks(kernel.indptr, _BLOCK_ENTRIES),
            self.n_jobs,
        )  # fmt: skip
        return out

    def nearest(self, norms, masses, own_bonus):
        """See :meth:`DenseProducts.nearest`."""
        kernel, inner = self.kernel, self.weights * self.kernel.outer
        by_norm = np.argsort(norms, kind="stable")
        n_clusters = len(norms)
        nearest, values = np.empty(kernel.n_points, dtype=np.int32), np.empty(kernel.n_points)

        def work(start, stop):
            _centroid_loops.nearest_centroids(
                kernel.indptr, kernel.indices, kernel.values, kernel.self_loop, inner, kernel.outer, self.labels,
                self.weights, norms, masses, own_bonus, by_norm, start, stop,
                np.empty(n_clusters), np.full(n_clusters, -1, dtype=np.int64), np.empty(n_clusters, dtype=np.int64),
                nearest, values,
            )  # fmt: skip

        map_blocks(work, row_blocks(kernel.indptr, _BLOCK_ENTRIES), self.n_jobs)
        return nearest, values

    def updated(self, labels):
        """The products of other labels."""
        return SparseProducts(self.kernel, labels, self.weights, self.n_jobs)
