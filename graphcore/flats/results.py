"""What k-flats and kernel k-flats give back."""

from dataclasses import dataclass, field, replace

import numpy as np

from .._arrays import read_only
from ._checks import as_points
from .fit_kernel import NewRows
from .flat_set import Codes, FlatSet
from .kernel_set import KernelFlatSet

__all__ = ["KFlatsResult", "KernelKFlatsResult", "merged"]

# Entries of a block of rows of the kernel.
_PART = 1 << 20


@dataclass(frozen=True, eq=False)
class KFlatsResult:
    """Flats fitted to vectors.

    Attributes
    ----------
    flats : FlatSet
        Gives distances, nearest flats and codes for any vectors.
    labels : ndarray of shape (n_samples,), int32
        The flat of every row; between flats that are equally near, a row stays where it was.
    squared_distances : ndarray of shape (n_samples,), float64
        Squared distance of every row to its own flat.
    error : float
        Reconstruction error: the (weighted) mean of the squared distances.
    inertia : float
        The (weighted) sum of the squared distances.
    history : ndarray of shape (n_iter,), float64
        The inertia after each pass of the best initialisation; it never rises.
    converged : bool
        Whether no row moved in the last pass.
    """

    flats: FlatSet
    labels: np.ndarray = field(repr=False)
    squared_distances: np.ndarray = field(repr=False)
    error: float
    inertia: float
    history: np.ndarray = field(repr=False)
    converged: bool

    @property
    def n_iter(self):
        """Passes that the best start took."""
        return len(self.history)

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
class KernelKFlatsResult:
    """Flats fitted in the feature space of a kernel.

    Attributes
    ----------
    flats : KernelFlatSet
        The flats, as combinations of points.
    labels : ndarray of shape (n_samples,), int32
        The flat of every point; between flats that are equally near, a point stays where it was. -1 for isolated nodes
        of a graph.
    squared_distances : ndarray of shape (n_samples,), float64
        Squared distance of every point to its own flat, in feature space; 0 for isolated nodes.
    error : float
        Reconstruction error: the (weighted) mean of the squared distances. It depends on the kernel: errors for
        different kernels or bandwidths cannot be compared.
    inertia : float
        The (weighted) sum of the squared distances.
    history : ndarray of shape (n_iter,), float64
        The inertia after each pass of the best initialisation.
    converged : bool
        Whether no point moved in the last pass.
    new : NewRows
        How kernel rows of new points are got.
    """

    flats: KernelFlatSet
    labels: np.ndarray = field(repr=False)
    squared_distances: np.ndarray = field(repr=False)
    error: float
    inertia: float
    history: np.ndarray = field(repr=False)
    converged: bool
    new: NewRows = field(repr=False)

    @property
    def n_iter(self):
        """Passes that the best start took."""
        return len(self.history)

    def distances_to(self, X, diagonal=None):
        """Squared distances of points to every flat.

        Parameters
        ----------
        X : ndarray or sparse array
            Vectors, or rows of the kernel of shape (n_rows, n_samples).
        diagonal : array-like of shape (n_rows,), optional
            Kernel values of the points with themselves, where X is rows of the kernel. Without it, all distances of a
            point lack one and the same number.

        Returns
        -------
        ndarray of shape (n_rows, n_clusters), float64
        """
        out = np.empty((X.shape[0], self.flats.n_clusters))
        for start, stop, K, own in self.new.blocks(X, diagonal):
            out[start:stop] = self.flats.squared_distances(_dense(K), own)
        return out

    def nearest(self, X, diagonal=None):
        """The nearest flat of points; for sparse rows of a sparse kernel in time proportional to their entries.

        Parameters
        ----------
        X, diagonal
            As for :meth:`distances_to`.

        Returns
        -------
        labels : ndarray of shape (n_rows,), int32
        squared_distances : ndarray of shape (n_rows,), float64
            Less the diagonal, if that is not given.
        """
        labels, values = np.empty(X.shape[0], dtype=np.int32), np.empty(X.shape[0])
        for start, stop, K, own in self.new.blocks(X, diagonal):
            labels[start:stop], values[start:stop] = self.flats.nearest(K)
            values[start:stop] += own
        return labels, values

    def codes_of(self, X):
        """The nearest flat of points, and their coordinates on it.

        Parameters
        ----------
        X : ndarray or sparse array
            Vectors, or rows of the kernel of shape (n_rows, n_samples).

        Returns
        -------
        Codes
        """
        labels = np.empty(X.shape[0], dtype=np.int32)
        coordinates = np.empty((X.shape[0], self.flats.coefficients.shape[1]))
        for start, stop, K, _ in self.new.blocks(X):
            labels[start:stop] = self.flats.nearest(K)[0]
            coordinates[start:stop] = self.flats.coordinates(_dense(K), labels[start:stop]).coordinates
        return Codes(labels, coordinates)

    @classmethod
    def from_run(cls, run, fit, given, definite):
        """The result of one run on the points that have weight; the others get their nearest flat, or none in a graph.

        Parameters
        ----------
        run : Run
        fit : FitKernel
        given : Kernel
            Of all points.
        definite : bool
            Whether squared distances below 0 are rounding.

        Returns
        -------
        KernelKFlatsResult
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
