"""Flats in the space of the data: fitted to clusters, distances to them, and the piecewise affine code they define."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ...base.validation import check_labels
from ...exceptions import InputError
from ...kernels.definiteness import leading_eigenvectors
from ._checks import as_points
from .alternation import FlatsProblem
from .rows import (
    SparseRows,
    centred,
    map_rows,
    members_by_cluster,
    parts,
    residuals,
    weighted_means,
    weighted_sums,
)

_EPS = np.finfo(np.float64).eps
# Sparse vectors are made dense one cluster at a time, up to this size.
_CLUSTER_BYTES = 1 << 31


class Codes(NamedTuple):
    """Points written as the nearest flat and a place on it."""

    labels: np.ndarray  # (n_samples,) int32: the flat of every point
    coordinates: np.ndarray  # (n_samples, n_dims): along its basis, from its mean; 0 beyond the dimension of the flat


@dataclass(frozen=True, eq=False)
class FlatSet:
    """Affine flats ``mean + span(basis)`` of k clusters in d dimensions; of dimension 0 they are points.

    Coordinates are taken from `origin`, so that a large offset of the data costs no digits.
    """

    origin: np.ndarray = field(repr=False)  # (d,): mean of the data
    centres: np.ndarray = field(repr=False)  # (k, d): means of the clusters less `origin`
    bases: np.ndarray = field(repr=False)  # (k, n_dims, d): orthonormal rows; 0 beyond the dimension of a flat
    dims: np.ndarray  # (k,) int32: dimension of every flat

    @classmethod
    def of_points(cls, origin, centres):
        """Make flats of dimension 0."""
        k, d = centres.shape
        return cls(origin, centres, np.zeros((k, 0, d)), np.zeros(k, dtype=np.int32))

    @property
    def n_clusters(self):
        """Number of flats."""
        return len(self.centres)

    @property
    def means(self):
        """Means of the clusters, an array of shape (n_clusters, n_features)."""
        return self.origin + self.centres

    def squared_distances(self, X):
        """Compute squared distances of points to every flat, (n_samples, n_clusters)."""
        Y = self._local(X)
        out = np.empty((len(Y), self.n_clusters))
        for part in parts(Y):
            rows = Y[part]
            for j, (centre, basis) in enumerate(zip(self.centres, self.bases, strict=True)):
                out[part, j] = residuals(rows - centre, basis)
        return out

    def nearest(self, X, n_jobs=None):
        """Find the nearest flat of every point, of equals the first: labels (int32), and squared distances."""
        Y = self._local(X)
        labels = self.moved(Y, n_jobs=n_jobs)
        return labels, self._from_means(Y, labels, residuals, np.empty(len(Y)))

    def encode(self, X):
        """Write points as Codes: the nearest flat and the coordinates of the projection on it."""
        Y = self._local(X)
        labels, out = self.moved(Y), np.empty((len(Y), self.bases.shape[1]))
        return Codes(labels, self._from_means(Y, labels, lambda rest, basis: rest @ basis.T, out))

    def _from_means(self, Y, labels, function, out):
        """Fill `out` by a function of the points of a flat, less its mean, and its basis."""
        for j, members in members_by_cluster(labels, self.n_clusters):
            for part in parts(Y, members):
                out[part] = function(Y[part] - self.centres[j], self.bases[j])
        return out

    def decode(self, labels, coordinates):
        """Make points of codes: piecewise constant for flats of dimension 0, else piecewise affine."""
        labels = np.asarray(labels)
        labels = check_labels("labels", labels, len(labels))
        if len(labels) and (labels.min() < 0 or labels.max() >= self.n_clusters):
            raise InputError(f"labels must be 0 to {self.n_clusters - 1}; found {labels.min()} to {labels.max()}")
        coordinates = np.asarray(coordinates, dtype=np.float64)
        if coordinates.shape != (len(labels), self.bases.shape[1]):
            raise InputError(
                f"coordinates have shape {coordinates.shape}; {(len(labels), self.bases.shape[1])} is needed"
            )
        out = self.means[labels]
        for j, members in members_by_cluster(labels, self.n_clusters):
            out[members] += coordinates[members] @ self.bases[j]
        return out

    def moved(self, Y, here=None, n_jobs=None):
        """Label (int32) centred points by their nearest flats.

        Given where the points are (`here`: labels and squared lengths), they move only if that is nearer beyond
        rounding.
        """
        k, m, d = self.bases.shape
        directions = self.bases.reshape(k * m, d)
        shifts = np.einsum("kmd,kd->km", self.bases, self.centres)
        centre_norms = np.einsum("kd,kd->k", self.centres, self.centres)
        out = np.empty(len(Y), dtype=np.int32)

        def work(start, stop):
            rows = Y[start:stop]
            # |x|^2 is the same for all flats, and left out.
            D = rows @ self.centres.T
            D *= -2
            D += centre_norms
            if m:
                along = (rows @ directions.T).reshape(-1, k, m)
                along -= shifts
                D -= np.einsum("nkm,nkm->nk", along, along)
            best = D.argmin(axis=1)
            if here is not None:
                places, labels = np.arange(len(rows)), here[0][start:stop]
                slack = 1e-13 * (here[1][start:stop] + centre_norms.max())
                best = np.where(D[places, best] < D[places, labels] - slack, best, labels)
            out[start:stop] = best

        map_rows(Y, work, n_jobs, k * (m + 1))
        return out

    def _local(self, X):
        X = as_points(X, sparse=True)
        if X.shape[1] != len(self.origin):
            raise InputError(f"X has {X.shape[1]} features, but the flats lie in a space of {len(self.origin)}")
        return centred(X, self.origin)


class EuclideanFlats(FlatsProblem):
    """The data of one k-flats problem, centred once, with the two steps that the alternation takes.

    X is float64, dense or csr; points of weight 0 are left out. With `pad`, flats of clusters with too few points are
    completed to `n_dims` with arbitrary directions.
    """

    def __init__(self, X, weights, n_dims, *, pad=False, n_jobs=None):
        taking_part = weights > 0
        if not taking_part.all():
            X, weights = X[taking_part], weights[taking_part]
        self.weights = weights
        self.n_dims = n_dims
        self._pad = pad
        self._n_jobs = n_jobs
        self.origin = weights @ X / weights.sum()
        self.Y = centred(X, self.origin)
        # The rounding error of X after the subtraction: directions thinner than that are noise.
        self._grain = _EPS * float(max(X.max(), -X.min()))
        self.squared_norms = np.empty(len(self.Y))
        for part in parts(self.Y):
            self.squared_norms[part] = residuals(self.Y[part], ())
        self.energy = float(weights @ self.squared_norms)

    def k_means(self, labels, n_clusters, max_iter):
        """Run scikit-learn's k-means from the means of these clusters; return its labels."""
        from sklearn.cluster import KMeans

        Y = self.Y.X if isinstance(self.Y, SparseRows) else self.Y
        means = weighted_means(Y, labels, self.weights, n_clusters)
        model = KMeans(n_clusters, init=means, n_init=1, max_iter=max_iter, tol=0.0)
        return model.fit_predict(Y, sample_weight=self.weights).astype(np.int32)

    def fit(self, labels, n_clusters):
        """Fit the best flat to every cluster (none empty); return them and squared distances of points to their own."""
        sparse = isinstance(self.Y, SparseRows)
        if self.n_dims == 0 and not sparse:  # means alone, all clusters at once
            centres, own = weighted_means(self.Y, labels, self.weights, n_clusters), np.empty(len(self.Y))

            def squares(start, stop):
                rest = self.Y[start:stop] - centres[labels[start:stop]]
                own[start:stop] = residuals(rest, ())
                return weighted_sums(rest, labels[start:stop], self.weights[start:stop], n_clusters)

            # Once more, as below, which changes no digit of the squared distances.
            centres += (
                sum(map_rows(self.Y, squares, self._n_jobs)) / np.bincount(labels, self.weights, n_clusters)[:, None]
            )
            return FlatSet.of_points(self.origin, centres), own
        d = self.Y.shape[1]
        centres = np.empty((n_clusters, d))
        bases = np.zeros((n_clusters, self.n_dims, d))
        dims = np.zeros(n_clusters, dtype=np.int32)
        own = np.empty(len(self.Y))
        for j, members in members_by_cluster(labels, n_clusters):
            if sparse and 8 * len(members) * d > _CLUSTER_BYTES:
                raise InputError(
                    f"a cluster of {len(members)} sparse rows with {d} features is too large to be made dense; take "
                    "more clusters, KernelKFlats(kernel='linear') or features of sklearn.decomposition.TruncatedSVD"
                )
            Y, w = self.Y[members], self.weights[members]
            centres[j] = w @ Y / w.sum()
            Y -= centres[j]
            # Once more, for the rounding error in the mean of a cluster far from the origin.
            correction = w @ Y / w.sum()
            centres[j] += correction
            Y -= correction
            basis = self._directions(Y, w) if self.n_dims else Y[:0]
            dims[j] = len(basis)
            bases[j, : len(basis)] = basis
            own[members] = residuals(Y, basis)
        return FlatSet(self.origin, centres, bases, dims), own

    def reassign(self, flats, labels):
        """Move every point to its nearest flat, ties staying where they are; return labels."""
        return flats.moved(self.Y, (labels, self.squared_norms), self._n_jobs)

    def distances_to_point(self, i):
        """Compute squared distances of all points to one of them; exactly 0 for copies of it."""
        if isinstance(self.Y, SparseRows):
            y, norms = self.Y[[i]][0], self.squared_norms + self.squared_norms[i]
            distances = norms - 2 * (self.Y.X @ y - self.origin @ y)
            distances[distances < 1e-12 * norms] = 0.0
            return distances
        y = self.Y[i]
        squares = map_rows(self.Y, lambda start, stop: residuals(self.Y[start:stop] - y, ()), self._n_jobs)
        return np.concatenate(squares)

    def _directions(self, Y, w):
        """Compute the leading principal directions of a centred, weighted cluster: orthonormal rows."""
        from scipy.linalg import svd

        n, d = Y.shape
        m = min(self.n_dims, d)
        Z = Y * np.sqrt(w / w.max())[:, None]
        noise = self._grain * np.sqrt(n)
        if n <= 2 * d:
            # Thin: values and directions to full precision.
            _, s, V = svd(Z, full_matrices=self._pad and n <= m, check_finite=False)
            genuine = int((s[: min(m, n - 1)] > max(_EPS * max(n, d) * s[0], noise)).sum())
            return V[:m] if self._pad else V[:genuine]
        values, vectors = leading_eigenvectors(Z.T @ Z, m)
        values, V = values[::-1], vectors[:, ::-1].T
        genuine = int((values > max(_EPS * n * max(values[0], 0.0), noise**2)).sum())
        return V if self._pad else V[: min(genuine, n - 1)]
