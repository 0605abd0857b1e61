"""The protocol that every kernel over graph nodes follows."""

from typing import Any, NamedTuple, Protocol

import numpy as np

__all__ = ["Kernel", "KernelRows"]


class KernelRows(NamedTuple):
    """Rows of the plain graph kernel for some points, in the form that all loops read; nothing is copied.

    The value at row `i`, entry `e` (column ``x = indices[e]``) is ``scale[i] * values[e] / degrees[x]``, and a
    `self_loop` adds ``scale[i] * self_loop / degrees[x]`` at the row's own point.

    Attributes
    ----------
    points : ndarray of shape (n_rows,)
        The point that each row belongs to.
    starts, stops : ndarray of shape (n_rows,), int64
        Where each row lies in `indices` and `values`.
    indices : ndarray, int32 or int64
        Columns, ascending in every row.
    values : ndarray, float32 or float64
        Values before scaling; length 0 stands for ones.
    scale : ndarray of shape (n_rows,), float64
        0 for isolated points, whose rows are empty (they get no self-loop either).
    degrees : ndarray of shape (n_points,), float64
    self_loop : float
    """

    points: np.ndarray
    starts: np.ndarray
    stops: np.ndarray
    indices: np.ndarray
    values: np.ndarray
    scale: np.ndarray
    degrees: np.ndarray
    self_loop: float


class Kernel(Protocol):
    """What the stages after the graph need to know of a kernel.

    `degrees` normalise the kernel, `point_weights` are the weights of kernel k-means; for a graph both are the node
    degrees, and a weight of 0 marks a point that takes no part (an isolated node).
    """

    degrees: np.ndarray
    point_weights: np.ndarray

    @property
    def n_points(self) -> int:
        """Number of points."""
        ...

    def reach(self, points: np.ndarray) -> Any:
        """How some points reach all others: made once, and given to whatever asks for it.

        :class:`KernelRows` of the plain kernel, :class:`graphcore.kernels.walk.HalfWalkRows` of the walk kernel. Within
        a column larger values are nearer; they are those of the kernel itself for the plain kernel only.
        """
        ...

    def weighted_submatrix(self, points: np.ndarray, weights: np.ndarray, n_jobs=None, reach=None):
        """``W K(points, points) W`` as a csr_array: the coreset graph."""
        ...

    def nearest_centroids(self, reach: Any, weights, labels, norms, masses, n_jobs=None):
        """Find for every point x the centroid ``c_j`` of least ``norms_j - 2 <phi(x), c_j>`` among those that reach it.

        The centroids are ``c_j = sum of weights_y phi(y) / masses_j`` over the points y of `reach` that have label j.
        Returns (labels, values), both for all points; where no centroid has a product, the number of clusters and inf.
        """
        ...
