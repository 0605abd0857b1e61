"""The walk kernel: similarity through several steps of a random walk, for graphs too sparse for one step."""

import numpy as np

from .._threads import map_blocks
from .._validation import check_integer, check_real
from .._work import count
from ..exceptions import ParameterError
from ..graphs.mapped import read_at_random
from ._walk_loops import walk_rows
from .base import KernelRows

__all__ = ["WalkKernel", "WalkRows"]

# Rows handed to a thread at once; fixed, so that results do not depend on the number of threads.
_ROWS_PER_BLOCK = 64
# A node sends mass on while its average edge gets more than this share of 1 / row_budget.
_LEAST_SHARE = 1 / 20


class WalkRows:
    """Cut rows of the half walk for some points, rescaled to sum 1.

    Attributes
    ----------
    points : ndarray of shape (n_rows,), int64
    columns : ndarray of shape (n_rows, row_budget), int32
        Row r reaches ``columns[r, :lengths[r]]``, in no particular order.
    values : ndarray of shape (n_rows, row_budget), float32
        Probabilities; every row sums to 1.
    lengths : ndarray of shape (n_rows,), int64
    kept : ndarray of shape (n_rows,), float32
        Share of the row's mass that was left after cutting, before rescaling.
    """

    def __init__(self, points, columns, values, lengths, kept):
        self.points, self.columns, self.values, self.lengths, self.kept = points, columns, values, lengths, kept

    @property
    def nbytes(self):
        """Bytes held: 8 for every entry of the budget, 12 for every row."""
        return self.columns.nbytes + self.values.nbytes + self.lengths.nbytes + self.kept.nbytes

    def to_scipy(self, n_points):
        """The rows as a csr_array of shape (n_rows, n_points) with ascending columns."""
        import scipy.sparse as sp

        filled = np.arange(self.columns.shape[1]) < self.lengths[:, None]
        indptr = np.concatenate([[0], np.cumsum(self.lengths)])
        out = sp.csr_array(
            (self.values[filled].astype(np.float64), self.columns[filled], indptr), shape=(len(self.points), n_points)
        )
        out.sort_indices()
        return out


class WalkKernel:
    """``K^(t) = P^t D^-1`` with the lazy walk P, in factorised form: ``phi(x) = (row x of P^(t/2)) D^-1/2``.

    Rows are cut to their largest entries and rescaled. Cutting the factor, not the product, keeps the kernel positive
    semi-definite. ``D K^(t) D = D P^t`` is the graph of t-step walks with the same degrees, so with weights ``w = D``
    kernel k-means on it is normalised cut of that graph.

    Parameters
    ----------
    graph : Graph
    walk_steps : int, default 4
        t, even: the rows are those of a half walk of t/2 steps.
    laziness : float, default 0.5
        Probability to stay, per step, 0 to 1.
    row_budget : int, default 150
        Entries kept per row, after every step.
    n_jobs : int, optional

    Attributes
    ----------
    degrees, point_weights : ndarray of shape (n_points,), float64
        The graph's degrees.

    Notes
    -----
    Memory is 8 bytes for every entry of the budget; only the rows asked for are built. A node that would send less than
    1 / (20 row_budget) along an average edge keeps its mass, which bounds the work per row.

    Examples
    --------
    >>> import numpy as np
    >>> import graphcore
    >>> from graphcore.kernels.walk import WalkKernel
    >>> kernel = WalkKernel(graphcore.Graph.from_edges([0, 1, 2], [1, 2, 3]), walk_steps=2)
    >>> kernel.walk_rows(np.array([0])).to_scipy(4).toarray()
    array([[0.5, 0.5, 0. , 0. ]])
    """

    def __init__(self, graph, walk_steps=4, *, laziness=0.5, row_budget=150, n_jobs=None):
        self.indptr, self.indices, self.weights = graph.indptr, graph.indices, graph._weights
        self.degrees = self.point_weights = graph.degrees
        self.walk_steps = check_integer("walk_steps", walk_steps, low=2)
        if self.walk_steps % 2:
            raise ParameterError(f"walk_steps={walk_steps} must be even: two half walks")
        self.laziness = check_real("laziness", laziness, low=0.0, high=1.0)
        self.row_budget = check_integer("row_budget", row_budget, low=1)
        self.n_jobs = n_jobs
        self._last = None

    @property
    def n_points(self):
        """Number of points (nodes)."""
        return len(self.indptr) - 1

    def walk_rows(self, points):
        """Half-walk rows for the given points (the last ones made are kept for the next call).

        Parameters
        ----------
        points : ndarray of shape (n_rows,), integer
            Nodes that have an edge.

        Returns
        -------
        WalkRows
        """
        if self._last is not None and np.array_equal(self._last.points, points):
            return self._last
        points = np.array(points, dtype=np.int64)
        n_rows = len(points)
        budget = min(self.row_budget, self.n_points)
        rows = WalkRows(
            points,
            np.empty((n_rows, budget), dtype=self.indices.dtype),
            np.empty((n_rows, budget), dtype=np.float32),
            np.empty(n_rows, dtype=np.int64),
            np.empty(n_rows, dtype=np.float32),
        )
        # Every call of the loop needs scratch of O(n), so blocks grow with the number of rows.
        borders = np.append(np.arange(0, n_rows, max(_ROWS_PER_BLOCK, -(-n_rows // 16))), n_rows)
        # Rows of one step are read in the order of the points, those of more all over the graph.
        arrays = (self.indptr, self.indices, self.weights) if self.walk_steps > 2 else ()
        with read_at_random(*arrays):
            map_blocks(
                lambda a, b: walk_rows(
                    self.indptr,
                    self.indices,
                    self.weights,
                    self.degrees,
                    points,
                    a,
                    b,
                    self.walk_steps // 2,
                    self.laziness,
                    budget,
                    _LEAST_SHARE / self.row_budget,
                    rows.columns,
                    rows.values,
                    rows.lengths,
                    rows.kept,
                ),
                borders,
                self.n_jobs,
            )
        count("walk entries", rows.lengths.sum())
        self._last = rows
        return rows

    def rows(self, points):
        """One-sided rows: the half walk alone, ``K^(t/2)``, for labelling all points.

        Parameters
        ----------
        points : ndarray of shape (n_rows,), integer

        Returns
        -------
        KernelRows
        """
        rows = self.walk_rows(points)
        starts = np.arange(len(points), dtype=np.int64) * rows.columns.shape[1]
        return KernelRows(
            rows.points,
            starts,
            starts + rows.lengths,
            rows.columns.ravel(),
            rows.values.ravel(),
            np.ones(len(points)),
            self.degrees,
            0.0,
        )

    def weighted_submatrix(self, points, weights, n_jobs=None):
        """``W K(points, points) W`` with the factorised kernel: positive semi-definite and symmetric.

        Parameters
        ----------
        points : ndarray of shape (n_rows,), integer, ascending
        weights : ndarray of shape (n_rows,), float64
        n_jobs : int, optional
            Not used; the product is taken by one thread.

        Returns
        -------
        csr_array of shape (n_rows, n_rows)
        """
        features = self.walk_rows(points).to_scipy(self.n_points)
        features.data *= weights[np.repeat(np.arange(len(points)), np.diff(features.indptr))]
        features.data /= np.sqrt(self.degrees)[features.indices]
        product = (features @ features.T).tocsr()
        product.sort_indices()
        return product
