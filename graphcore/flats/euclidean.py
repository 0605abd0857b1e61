"""The flat step of k-flats in the space of the data: the mean and the leading directions of every cluster."""

import numpy as np

from ..exceptions import InputError
from .flat_set import FlatSet, SparseRows, centred, members_by_cluster, residuals, squared_norms

_EPS = np.finfo(np.float64).eps
# Sparse vectors are made dense one cluster at a time, up to this size.
_CLUSTER_BYTES = 1 << 31


class EuclideanFlats:
    """The data of one k-flats problem, centred once, with the two steps that the alternation takes.

    X is float64, dense or csr; all weights are positive. With `pad`, flats of clusters with too few points are
    completed to `n_dims` with arbitrary directions.
    """

    def __init__(self, X, weights, n_dims, *, pad=False, n_jobs=None):
        self.weights = weights
        self.n_dims = n_dims
        self._pad = pad
        self._n_jobs = n_jobs
        self.origin = weights @ X / weights.sum()
        self.Y = centred(X, self.origin)
        # What the subtraction can have left of the rounding of X: directions thinner than that are noise.
        self._grain = _EPS * float(abs(X).max())
        self.squared_norms = squared_norms(self.Y)

    @classmethod
    def of(cls, X, weights, n_dims, **options):
        """The problem of the points that have weight."""
        taking_part = weights > 0
        if not taking_part.all():
            X, weights = X[taking_part], weights[taking_part]
        return cls(X, weights, n_dims, **options)

    @property
    def n_points(self):
        """Number of points."""
        return len(self.Y)

    def with_dims(self, n_dims):
        """The same data with flats of another dimension."""
        other = object.__new__(EuclideanFlats)
        other.__dict__.update(self.__dict__, n_dims=n_dims)
        return other

    def fit(self, labels, n_clusters):
        """The best flat of every cluster (none empty), and the squared distance of every point to its own."""
        sparse = isinstance(self.Y, SparseRows)
        if self.n_dims == 0 and not sparse:
            return self._fit_means(labels, n_clusters)
        d = self.Y.shape[1]
        centres = np.empty((n_clusters, d))
        bases = np.zeros((n_clusters, self.n_dims, d))
        dims = np.zeros(n_clusters, dtype=np.int32)
        own = np.empty(self.n_points)
        for j, members in members_by_cluster(labels, n_clusters):
            if sparse and 8 * len(members) * d > _CLUSTER_BYTES:
                raise InputError(
                    f"a cluster of {len(members)} sparse rows with {d} features is too large to be made dense; take "
                    "more clusters, KernelKFlats(kernel='linear') or features of sklearn.decomposition.TruncatedSVD"
                )
            Y, w = self.Y[members], self.weights[members]
            centres[j] = w @ Y / w.sum()
            Y -= centres[j]
            # Once more: what rounding left in the mean of a cluster far from the origin.
            correction = w @ Y / w.sum()
            centres[j] += correction
            Y -= correction
            basis = self._directions(Y, w) if self.n_dims else Y[:0]
            dims[j] = len(basis)
            bases[j, : len(basis)] = basis
            own[members] = residuals(Y, basis)
        return FlatSet(self.origin, centres, bases, dims), own

    def reassign(self, flats, labels):
        """Labels after every point moved to its nearest flat, ties staying where they are."""
        labels = labels.copy()
        flats.reassign(self.Y, self.squared_norms, labels, n_jobs=self._n_jobs)
        return labels

    def distances_to_point(self, i):
        """Squared distances of all points to one of them; exactly 0 for copies of it."""
        if isinstance(self.Y, SparseRows):
            y, norms = self.Y[[i]][0], self.squared_norms + self.squared_norms[i]
            distances = norms - 2 * (self.Y.X @ y - self.origin @ y)
            distances[distances < 1e-12 * norms] = 0.0
            return distances
        Y = self.Y - self.Y[i]
        return np.einsum("ij,ij->i", Y, Y)

    def nearest_means(self, means):
        """Labels of the nearest of the given means."""
        k, d = means.shape
        flats = FlatSet(self.origin, means - self.origin, np.zeros((k, 0, d)), np.zeros(k, dtype=np.int32))
        labels = np.zeros(self.n_points, dtype=np.int32)
        flats.reassign(self.Y, self.squared_norms, labels, keep=False, n_jobs=self._n_jobs)
        return labels

    def _fit_means(self, labels, n_clusters):
        """The means alone, all clusters at once."""
        order = np.argsort(labels, kind="stable")
        starts = np.searchsorted(labels[order], np.arange(n_clusters))
        totals = np.add.reduceat(self.weights[order], starts)[:, None]
        w = self.weights[order, None]
        centres = np.add.reduceat(self.Y[order] * w, starts) / totals
        rest = self.Y - centres[labels]
        correction = np.add.reduceat(rest[order] * w, starts) / totals
        centres += correction
        rest -= correction[labels]
        no_bases = np.zeros((n_clusters, 0, self.Y.shape[1]))
        flats = FlatSet(self.origin, centres, no_bases, np.zeros(n_clusters, dtype=np.int32))
        return flats, np.einsum("ij,ij->i", rest, rest)

    def _directions(self, Y, w):
        """Orthonormal rows: the leading principal directions of a centred, weighted cluster."""
        from scipy.linalg import eigh, svd

        n, d = Y.shape
        m = min(self.n_dims, d)
        Z = Y * np.sqrt(w / w.max())[:, None]
        noise = self._grain * np.sqrt(n)
        if n <= 2 * d:
            # Thin: values and directions to full precision.
            _, s, V = svd(Z, full_matrices=self._pad and n <= m, check_finite=False)
            genuine = int((s[: min(m, n - 1)] > max(_EPS * max(n, d) * s[0], noise)).sum())
            return V[:m] if self._pad else V[:genuine]
        values, vectors = eigh(Z.T @ Z, subset_by_index=(d - m, d - 1), check_finite=False)
        values, V = values[::-1], vectors[:, ::-1].T
        genuine = int((values > max(_EPS * n * max(values[0], 0.0), noise**2)).sum())
        return V if self._pad else V[: min(genuine, n - 1)]
