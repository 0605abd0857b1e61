"""A tree of partial sums: draw in proportion to values that change, in logarithmic time."""

import numpy as np

from .._arrays import read_only
from .._random import Streams
from ..exceptions import InputError
from . import _loops

__all__ = ["SamplingTree", "level_offsets"]


def level_offsets(n_leaves):
    """Where each level of the tree starts, from the leaves up; the last entry is the total length (int64)."""
    fan_out = _loops.FAN_OUT
    offsets = [0]
    size = n_leaves
    while True:
        groups = max(1, -(-size // fan_out))
        offsets.append(offsets[-1] + groups * fan_out)
        size = groups
        if groups == 1:
            break
    # The root stands alone in the last level.
    offsets.append(offsets[-1] + 1)
    return np.array(offsets, dtype=np.int64)


class SamplingTree:
    """Draw indices with probability proportional to non-negative values that may be changed between draws.

    Parameters
    ----------
    values : array-like of shape (n,), float64
        Non-negative and finite, like their sum.

    Attributes
    ----------
    values : ndarray of shape (n,)
        The current values (a read-only view; change them through :meth:`update`).

    Notes
    -----
    Memory is 8/7 of the values' own. Inner sums are recomputed from their children, so no error builds up. A draw and
    an update cost O(log n).

    References
    ----------
    Wong and Easton, "An efficient method for weighted sampling without replacement", SIAM J. Comput. 1980; Algorithms
    6 to 8 of Jourdan, Schwartzman, Macgregor, Sun, "Coreset Spectral Clustering".

    Examples
    --------
    >>> from graphcore.coresets.sampling_tree import SamplingTree
    >>> tree = SamplingTree([0.0, 2.0, 0.0, 1.0])
    >>> tree.total
    3.0
    >>> tree.update([1], [0.0])
    >>> tree.sample(5, random_state=0).tolist()
    [3, 3, 3, 3, 3]
    """

    def __init__(self, values):
        values = np.asarray(values, dtype=np.float64)
        if values.ndim != 1 or len(values) == 0:
            raise InputError(f"values must be one-dimensional and not empty, got shape {values.shape}")
        _check_values(values)
        self._offsets = level_offsets(len(values))
        self._sums = np.zeros(self._offsets[-1])
        self._sums[: len(values)] = values
        self.values = read_only(self._sums[: len(values)])
        _loops.tree_build(self._sums, self._offsets)
        self._check_total()

    @property
    def total(self):
        """Sum of all values."""
        return float(self._sums[-1])

    def update(self, indices, values):
        """Set some values.

        Parameters
        ----------
        indices : array-like of shape (m,), integer
        values : array-like of shape (m,), float64
            Non-negative and finite, like the new sum of all. Where an index is repeated, the last value holds.
        """
        indices = np.asarray(indices, dtype=np.int64)
        values = np.asarray(values, dtype=np.float64)
        _check_values(values)
        before = self.values[indices]
        self._set(indices, values)
        try:
            self._check_total()
        except InputError:
            self._set(indices, before)
            raise

    def sample(self, size, random_state=None):
        """Draw independently, with replacement.

        Parameters
        ----------
        size : int
        random_state : int, Generator, RandomState or None

        Returns
        -------
        ndarray of shape (size,), int64

        Raises
        ------
        InputError
            If all values are 0.
        """
        if self.total <= 0:
            raise InputError("nothing to draw: all values are 0")
        uniforms = Streams(random_state).generator("tree").random(size)
        return np.array([_loops.tree_sample(self._sums, self._offsets, u) for u in uniforms], dtype=np.int64)

    def _set(self, indices, values):
        self._sums[: len(self.values)][indices] = values
        touched = np.unique(indices % len(self.values))
        _loops.tree_update(self._sums, self._offsets, touched, len(touched))

    def _check_total(self):
        if not np.isfinite(self.total):
            raise InputError("the sum of the values is too large for a float64; scale them down")


def _check_values(values):
    bad = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if len(bad):
        raise InputError(f"values must be finite and not negative; number {bad[0]} is {values[bad[0]]}")
