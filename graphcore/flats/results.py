"""What k-flats gives back."""

from dataclasses import dataclass, field

import numpy as np

from .flat_set import FlatSet

__all__ = ["KFlatsResult"]


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
        run.labels.flags.writeable = False
        inertia = float(run.history[-1])
        return cls(run.flats, run.labels, run.own, inertia / float(weights.sum()), inertia, run.history, run.converged)
