"""A set of affine flats: distances to them, projections, and the piecewise affine code that they define."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from .._threads import map_blocks
from .._validation import check_labels
from ..exceptions import InputError
from ._checks import as_points

_BLOCK_NUMBERS = 1 << 21


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

    @property
    def n_clusters(self):
        """Number of flats."""
        return len(self.centres)

    @property
    def means(self):
        """Means of the clusters, an array of shape (n_clusters, n_features)."""
        return self.origin + self.centres

    def squared_distances(self, X):
        """Squared distances of points to every flat, (n_samples, n_clusters)."""
        Y = self._local(X)
        out = np.empty((len(Y), self.n_clusters))
        for part in parts(Y):
            rows = Y[part]
            for j, (centre, basis) in enumerate(zip(self.centres, self.bases, strict=True)):
                out[part, j] = residuals(rows - centre, basis)
        return out

    def nearest(self, X, n_jobs=None):
        """Labels (int32) of the nearest flat of every point, the first of equally near ones, and squared distances."""
        Y = self._local(X)
        labels = np.zeros(len(Y), dtype=np.int32)
        # Every point moves: nothing is nearer than infinitely far.
        self.reassign(Y, None, labels, keep=False, n_jobs=n_jobs)
        return labels, self.own_distances(Y, labels)

    def encode(self, X):
        """Codes of points: the nearest flat and the coordinates of the projection on it."""
        labels, _ = self.nearest(X)
        Y = self._local(X)
        coordinates = np.empty((len(Y), self.bases.shape[1]))
        for j, members in members_by_cluster(labels, self.n_clusters):
            for part in parts(Y, members):
                coordinates[part] = (Y[part] - self.centres[j]) @ self.bases[j].T
        return Codes(labels, coordinates)

    def decode(self, labels, coordinates):
        """Points from codes: piecewise constant for flats of dimension 0, else piecewise affine."""
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

    def own_distances(self, Y, labels):
        """Squared distances of centred points to the flats they belong to, without cancellation."""
        out = np.empty(len(Y))
        for j, members in members_by_cluster(labels, self.n_clusters):
            for part in parts(Y, members):
                out[part] = residuals(Y[part] - self.centres[j], self.bases[j])
        return out

    def reassign(self, Y, squared_norms, labels, *, keep=True, n_jobs=None):
        """Move centred points to their nearest flats, in place; with `keep`, only if that is nearer beyond rounding."""
        k, m, d = self.bases.shape
        directions = self.bases.reshape(k * m, d)
        shifts = np.einsum("kmd,kd->km", self.bases, self.centres)
        centre_norms = np.einsum("kd,kd->k", self.centres, self.centres)

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
            if keep:
                here = np.arange(len(rows)), labels[start:stop]
                slack = 1e-13 * (squared_norms[start:stop] + centre_norms.max())
                best = np.where(D[np.arange(len(rows)), best] < D[here] - slack, best, labels[start:stop])
            labels[start:stop] = best

        width = max(k * (m + 1), d) if isinstance(Y, SparseRows) else k * (m + 1)
        step = max(1, _BLOCK_NUMBERS // width)
        borders = np.append(np.arange(0, len(Y), step), len(Y))
        map_blocks(work, borders, n_jobs)

    def _local(self, X):
        X = as_points(X, sparse=True)
        if X.shape[1] != len(self.origin):
            raise InputError(f"X has {X.shape[1]} features, but the flats lie in a space of {len(self.origin)}")
        return centred(X, self.origin)


class SparseRows:
    """Sparse vectors less an origin, made dense a part at a time when they are read."""

    def __init__(self, X, origin):
        self.X, self._origin = X, origin
        self.shape = X.shape

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, places):
        return self.X[places].toarray() - self._origin


def centred(X, origin):
    """Vectors less an origin: an ndarray, or :class:`SparseRows`."""
    return SparseRows(X, origin) if hasattr(X, "tocsr") else X - origin


def parts(Y, members=None):
    """Places of rows (all, or those given) in parts that are read at once: sparse ones in blocks, else together."""
    if not isinstance(Y, SparseRows):
        return [slice(None) if members is None else members]
    members = np.arange(len(Y)) if members is None else members
    step = max(1, _BLOCK_NUMBERS // Y.shape[1])
    return [members[i : i + step] for i in range(0, len(members), step)]


def squared_norms(Y):
    """Squared lengths of centred rows."""
    out = np.empty(len(Y))
    for part in parts(Y):
        rows = Y[part]
        out[part] = np.einsum("ij,ij->i", rows, rows)
    return out


def residuals(Y, basis):
    """Squared lengths of what is left of the rows after their projection on the basis."""
    if len(basis):
        Y = Y - (Y @ basis.T) @ basis
    return np.einsum("ij,ij->i", Y, Y)


def members_by_cluster(labels, n_clusters):
    """Pairs of a label and the ascending places where it stands, for the labels that occur."""
    order = np.argsort(labels, kind="stable")
    ends = np.cumsum(np.bincount(labels, minlength=n_clusters))
    start = 0
    for j, end in enumerate(ends):
        if end > start:
            yield j, order[start:end]
        start = end
