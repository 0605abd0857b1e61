"""The two steps of kernel k-flats over any kernel."""

import numpy as np

from .._threads import map_blocks
from ..kernels.columns import block_borders
from .kernel_clusters import fit_cluster, fit_large_cluster
from .kernel_set import gather

# Clusters up to this size get dense eigenvectors, which are faster than Lanczos there.
SMALL_SPARSE = 200
SMALL_DENSE = 1000


class KernelFlats:
    """One kernel k-flats problem, with the two steps that the alternation takes.

    A pass is O(n^2 n_dims) for a dense kernel and O(entries n_dims) for a sparse one.
    """

    def __init__(self, fit_kernel, n_dims, n_jobs=None):
        self.kernel = fit_kernel
        self.weights = fit_kernel.weights
        self.diagonal = fit_kernel.diagonal
        self.n_dims = n_dims
        self._n_jobs = n_jobs
        self.scale = float(np.abs(self.diagonal).max())

    @property
    def n_points(self):
        """Number of points."""
        return len(self.diagonal)

    def with_dims(self, n_dims):
        """The same kernel with flats of another dimension."""
        return KernelFlats(self.kernel, n_dims, self._n_jobs)

    def fit(self, labels, n_clusters):
        """The best flat of every cluster (none empty), and the squared distance of every point to its own."""
        sparse, m = self.kernel.kernel.is_sparse, self.n_dims
        small = max(SMALL_SPARSE, 4 * m) if sparse else max(SMALL_DENSE, 20 * m)

        def fit_one(members):
            part, weights = self.kernel.among(members), self.weights[members]
            if len(members) > small:
                return fit_large_cluster(part, weights, m)
            return fit_cluster(part.toarray() if sparse else part, weights, m)

        return gather(labels, n_clusters, m, fit_one)

    def distances_to_point(self, i):
        """Squared distances of all points to one of them in feature space."""
        distances = self.diagonal + self.diagonal[i] - 2 * self.kernel.kernel.column(i)
        # Copies of the point are at distance 0, which rounding must not turn into something that can be drawn.
        distances[distances < 1e-12 * self.scale] = 0.0
        distances[i] = 0.0
        return distances

    def reassign(self, flats, labels):
        """Labels after every point moved to its nearest flat, ties staying where they are."""
        out = np.empty_like(labels)

        def work(start, stop):
            rows = self.kernel.rows(start, stop)
            out[start:stop] = flats.nearest(rows, labels[start:stop], 1e-12 * self.scale)[0]

        map_blocks(work, block_borders(self.kernel.kernel.columns()), self._n_jobs)
        return out
