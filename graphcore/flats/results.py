"""What k-flats and kernel k-flats give back."""

from dataclasses import dataclass, field, replace

import numpy as np

from .._arrays import read_only
from ._checks import as_points
from .fit_kernel import NewRows
from .flat_set import Codes, FlatSet
from .kernel_set import KernelFlatSet

# Entries of a block of rows of the kernel.
_PART = 1 << 20


@dataclass(frozen=True, eq=False)
class _Flats:
    """What is known of the flats fitted to n points; mean and sum are weighted, if there are weights."""

    flats: FlatSet | KernelFlatSet  # gives distances, nearest flats and codes for any points
    labels: np.ndarray = field(repr=False)  # (n,) int32: between equally near flats, a point stays where it was
    squared_distances: np.ndarray = field(repr=False)  # (n,): of every point to its own flat
    error: float  # reconstruction error: the mean of the squared distances
    inertia: float  # their sum
    history: np.ndarray = field(repr=False)  # (n_iter,): the inertia after each pass of the best initialisation
    converged: bool  # whether no point moved in the last pass

    @property
    def n_iter(self):
        """Passes that the best start took."""
        return len(self.history)


class KFlatsResult(_Flats):
    """Flats fitted to vectors; the history never rises."""

    @classmethod
    def from_run(cls, run, X, weights, n_jobs=None):
        """The result of one run on the points that have weight; the others get their nearest flat."""
        labels, own, rest = run.labels, run.own, np.flatnonzero(weights == 0)
        if len(rest):
            labels, own = merged(weights > 0, (labels, own), run.flats.nearest(X[rest], n_jobs=n_jobs))
        inertia, labels = float(run.history[-1]), read_only(labels)
        return cls(run.flats, labels, own, inertia / float(weights.sum()), inertia, run.history, run.converged)


def merged(where, inside, outside):
    """Arrays over all points, from those for the points inside and outside a mask."""
    for one, other in zip(inside, outside, strict=True):
        out = np.empty(len(where), dtype=one.dtype)
        out[where], out[~where] = one, other
        yield out


@dataclass(frozen=True, eq=False)
class KernelKFlatsResult(_Flats):
    """Flats fitted in the feature space of a kernel; errors for different kernels or bandwidths cannot be compared.

    Isolated nodes of a graph have label -1 and distance 0.
    """

    new: NewRows = field(repr=False)  # how kernel rows of new points are got

    def distances_to(self, X, diagonal=None):
        """Squared distances (n_rows, n_clusters) of points to every flat.

        X holds vectors, or rows of the kernel (n_rows, n). `diagonal` (n_rows,): kernel values of the points with
        themselves, where X is rows of the kernel; without it, all distances of a point lack one and the same number.
        """
        out = np.empty((X.shape[0], self.flats.n_clusters))
        for start, stop, K, own in self.new.blocks(X, diagonal):
            out[start:stop] = self.flats.squared_distances(_dense(K), own)
        return out

    def nearest(self, X, diagonal=None):
        """Labels (int32) of the nearest flat of points, and squared distances, less the diagonal if that is not given.

        For sparse rows of a sparse kernel in time proportional to their entries.
        """
        labels, values = np.empty(X.shape[0], dtype=np.int32), np.empty(X.shape[0])
        for start, stop, K, own in self.new.blocks(X, diagonal):
            labels[start:stop], values[start:stop] = self.flats.nearest(K)
            values[start:stop] += own
        return labels, values

    def codes_of(self, X):
        """Codes of points (vectors, or rows of the kernel): the nearest flat, and their coordinates on it."""
        labels = np.empty(X.shape[0], dtype=np.int32)
        coordinates = np.empty((X.shape[0], self.flats.coefficients.shape[1]))
        for start, stop, K, _ in self.new.blocks(X):
            labels[start:stop] = self.flats.nearest(K)[0]
            coordinates[start:stop] = self.flats.coordinates(_dense(K), labels[start:stop]).coordinates
        return Codes(labels, coordinates)

    @classmethod
    def from_run(cls, run, fit, given, definite):
        """The result of one run on the points that have weight; the others get their nearest flat, or none in a graph.

        `given` is the kernel of all points. `definite`: squared distances below 0 are rounding.
        """
        labels, own, weights = run.labels, run.own, fit.all_weights
        inertia = float(run.history[-1])
        if definite:
            inertia = max(inertia, 0.0)
        result = cls(
            run.flats, labels, own, inertia / float(weights.sum()), inertia, run.history, run.converged, fit.new
        )
        rest = np.flatnonzero(weights == 0)
        if len(rest):
            others = np.full(len(rest), -1, dtype=np.int32), np.zeros(len(rest))
            if not given.leaves_out_isolated:
                others = result._nearest_of(given, rest)
            labels, own = merged(weights > 0, (labels, own), others)
        return replace(result, labels=read_only(labels), squared_distances=np.maximum(own, 0.0) if definite else own)

    def _nearest_of(self, given, points):
        """The nearest flat of some of the points of the kernel."""
        if self.new.function is not None:
            return self.nearest(as_points(given.X, sparse=True)[points])
        parts = np.array_split(points, 1 + len(points) * given.n_points // _PART)
        found = [self.nearest(given.block(part, slice(None), np.float64), given.diagonal[part]) for part in parts]
        return [np.concatenate(arrays) for arrays in zip(*found, strict=True)]


def _dense(K):
    return K.toarray() if hasattr(K, "tocsr") else K
