"""Rows of half a random walk: the factor of the walk kernel."""

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True, eq=False)
class HalfWalkRows:
    """Cut rows of the half walk ``P^(t/2)`` for some points, rescaled to sum 1; no rows of the kernel ``K^(t)``.

    For the loops that read rows of any kernel, the probability at row r and entry e, from ``starts[r]`` to
    ``stops[r]``, is ``scale[r] * values[e]``; here `scale` is 1, and no `self_loop` is added.
    """

    points: np.ndarray  # (n_rows,) int64
    indices: np.ndarray = field(repr=False)  # (n_rows * row_budget,): columns, in no order
    # (n_rows * row_budget,) float32: every row sums to 1; those of isolated nodes are empty
    values: np.ndarray = field(repr=False)
    lengths: np.ndarray = field(repr=False)  # (n_rows,) int64
    # (n_rows,) float32: share of the row's mass that was left after cutting, before rescaling
    kept: np.ndarray = field(repr=False)
    degrees: np.ndarray = field(repr=False)  # (n_points,) float64
    self_loop = 0.0

    @property
    def starts(self):
        """Where each row begins: all have the same room."""
        return np.arange(len(self.points)) * (len(self.indices) // max(1, len(self.points)))

    @property
    def stops(self):
        """Where each row ends."""
        return self.starts + self.lengths

    @property
    def scale(self):
        """Ones."""
        return np.ones(len(self.points))

    @property
    def nbytes(self):
        """Bytes held: 8 for every entry of the budget (12 from 2**31 nodes on), 12 for every row."""
        return self.indices.nbytes + self.values.nbytes + self.lengths.nbytes + self.kept.nbytes

    def to_scipy(self):
        """The rows as a csr_array of shape (n_rows, n_points) with ascending columns."""
        import scipy.sparse as sp

        filled = (np.arange(len(self.indices) // max(1, len(self.points))) < self.lengths[:, None]).ravel()
        indptr = np.concatenate([[0], np.cumsum(self.lengths)])
        shape = len(self.points), len(self.degrees)
        out = sp.csr_array((self.values[filled].astype(np.float64), self.indices[filled], indptr), shape=shape)
        out.sort_indices()
        return out

    def features(self):
        """The points in feature space, ``phi(x) = (row x) D^-1/2``, as a csr_array of shape (n_rows, n_points)."""
        out = self.to_scipy()
        out.data /= np.sqrt(self.degrees)[out.indices]
        return out
