"""What k-flats and kernel k-flats give back."""

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from .._arrays import read_only
from ..exceptions import InputError
from .flat_set import Codes, FlatSet
from .kernel_problems import nearest_sparse
from .kernel_set import KernelFlatSet
from .kernel_view import KernelView, as_csr

__all__ = ["KFlatsResult", "KernelKFlatsResult"]


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
        The inertia after each pass of the best start; it never rises.
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
    def from_run(cls, run, weights):
        """The result of one run of the alternation."""
        inertia = float(run.history[-1])
        error = inertia / float(weights.sum())
        labels = read_only(run.labels)
        return cls(run.flats, labels, run.own, error, inertia, run.history, run.converged)


@dataclass(frozen=True, eq=False)
class KernelKFlatsResult:
    """Flats fitted in the feature space of a kernel.

    Attributes
    ----------
    flats : KernelFlatSet
        The flats, as combinations of points.
    labels : ndarray of shape (n_samples,), int32
        The flat of every point; between flats that are equally near, a point stays where it was.
    squared_distances : ndarray of shape (n_samples,), float64
        Squared distance of every point to its own flat, in feature space.
    error : float
        Reconstruction error: the (weighted) mean of the squared distances. It depends on the kernel: errors for
        different kernels or bandwidths cannot be compared.
    inertia : float
        The (weighted) sum of the squared distances.
    history : ndarray of shape (n_iter,), float64
        The inertia after each pass of the best start.
    converged : bool
        Whether no point moved in the last pass.
    view : KernelView
        How kernel rows of new points are got.
    """

    flats: KernelFlatSet
    labels: np.ndarray = field(repr=False)
    squared_distances: np.ndarray = field(repr=False)
    error: float
    inertia: float
    history: np.ndarray = field(repr=False)
    converged: bool
    view: KernelView = field(repr=False)

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
        for a, b, K, part in self._blocks(X, diagonal):
            out[a:b] = self.flats.squared_distances(K, part)
        return out

    def nearest(self, X, diagonal=None, n_jobs=None):
        """The nearest flat of points; for sparse rows of a sparse kernel in time proportional to their entries.

        Parameters
        ----------
        X, diagonal
            As for :meth:`distances_to`.
        n_jobs : int or None

        Returns
        -------
        labels : ndarray of shape (n_rows,), int32
        squared_distances : ndarray of shape (n_rows,), float64
            Less the diagonal, if that is not given.
        """
        if hasattr(X, "tocsr") and self.view.row_means is None and self.view.kernel is None:
            diagonal = self._checked_rows(X, diagonal)
            nowhere = np.full(X.shape[0], -1, dtype=np.int32)
            labels, values = nearest_sparse(as_csr(X), self.flats, nowhere, 0.0, n_jobs)
            return labels, values if diagonal is None else values + diagonal
        labels, values = np.empty(X.shape[0], dtype=np.int32), np.empty(X.shape[0])
        for a, b, K, part in self._blocks(X, diagonal):
            D = self.flats.squared_distances(K, part)
            labels[a:b] = D.argmin(axis=1)
            values[a:b] = D[np.arange(b - a), labels[a:b]]
        return labels, values

    def codes_of(self, X, n_jobs=None):
        """The nearest flat of points, and their coordinates on it.

        Parameters
        ----------
        X : ndarray or sparse array
            Vectors, or rows of the kernel of shape (n_rows, n_samples).
        n_jobs : int or None

        Returns
        -------
        Codes
        """
        labels, _ = self.nearest(X, n_jobs=n_jobs)
        coordinates = np.empty((X.shape[0], self.flats.coefficients.shape[1]))
        for a, b, K, _ in self._blocks(X, None):
            coordinates[a:b] = self.flats.coordinates(K, labels[a:b]).coordinates
        return Codes(labels, coordinates)

    def _checked_rows(self, X, diagonal):
        """The diagonal as an array; rows and diagonal fit what was fitted."""
        if self.view.kernel is None and X.shape[1] != self.view.n_points:
            raise InputError(
                f"rows of the kernel have one entry for each of the {self.view.n_points} points of the fit; these have "
                f"{X.shape[1]}"
            )
        if diagonal is None:
            return None
        diagonal = np.asarray(diagonal, dtype=np.float64)
        if diagonal.shape != (X.shape[0],) or not np.isfinite(diagonal).all():
            raise InputError(f"diagonal must be {X.shape[0]} finite numbers, one for each row; got {diagonal.shape}")
        return diagonal

    def _blocks(self, X, diagonal):
        diagonal = self._checked_rows(X, diagonal)
        borders = self.flats.row_borders(X.shape[0])
        for a, b in pairwise(borders.tolist()):
            yield a, b, *self.view.rows(X[a:b], None if diagonal is None else diagonal[a:b])

    @classmethod
    def from_run(cls, run, weights, view, allow_indefinite=False):
        """The result of one run of the alternation."""
        own = run.own if allow_indefinite else np.maximum(run.own, 0.0)
        inertia = float(run.history[-1]) if allow_indefinite else max(float(run.history[-1]), 0.0)
        error = inertia / float(weights.sum())
        return cls(run.flats, read_only(run.labels), own, error, inertia, run.history, run.converged, view)
