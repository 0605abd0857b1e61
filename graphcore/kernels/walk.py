"""The walk kernel: similarity through several steps of a random walk, for graphs too sparse for one step."""

import numpy as np

from .._arrays import read_at_random
from .._locks import cached_property
from .._threads import map_blocks
from .._validation import check_integer, check_real
from .._work import count
from ..exceptions import ParameterError
from ..graphs.magnitude import in_range
from ._walk_loops import walk_rows
from .base import Kernel, KernelRows
from .columns import Columns
from .sparse import SparseKernel

# Rows handed to a thread at once; fixed, so that results do not depend on the number of threads.
_ROWS_PER_BLOCK = 64
# A node sends mass on while its average edge gets more than this share of 1 / row_budget.
_MIN_SHARE = 1 / 20
# Where the rows of all nodes are gone through, so many entries are held at a time, or as many as there are nodes.
_ENTRIES_AT_A_TIME = 1 << 20


class HalfWalkRows(KernelRows):
    """Cut rows of the half walk ``P^(t/2)`` for some points, rescaled to sum 1; no rows of the kernel ``K^(t)``.

    They are read as those of any kernel, `scale` being 1 and `self_loop` 0. Columns are in no order, values float32;
    rows of isolated nodes are empty. All have the same room.
    """

    @property
    def nbytes(self):
        """Bytes held for entries: 8 for each of the budget (12 from 2**31 nodes on)."""
        return self.indices.nbytes + self.values.nbytes

    def to_scipy(self):
        """The rows as a csr_array of shape (n_rows, n_points) with ascending columns."""
        import scipy.sparse as sp

        lengths = self.stops - self.starts
        filled = (np.arange(len(self.indices) // max(1, len(lengths))) < lengths[:, None]).ravel()
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        shape = len(lengths), len(self.degrees)
        out = sp.csr_array((self.values[filled].astype(np.float64), self.indices[filled], indptr), shape=shape)
        out.sort_indices()
        return out

    def features(self):
        """The points in feature space, ``phi(x) = (row x) D^-1/2``, as a csr_array of shape (n_rows, n_points)."""
        out = self.to_scipy()
        out.data /= np.sqrt(self.degrees)[out.indices]
        return out


class WalkKernel(Kernel):
    """``K^(t) = P^t D^-1`` with the lazy walk P, in factorised form: ``phi(x) = (row x of P^(t/2)) D^-1/2``.

    Rows are cut to their largest entries and rescaled. Cutting the factor, not the product, keeps the kernel positive
    semi-definite. ``D K^(t) D = D P^t`` is the graph of t-step walks with the same degrees, so with weights ``w = D``
    kernel k-means on it is normalised cut of that graph.

    Everything is of ``K^(t)``, with rows cut alike, but :meth:`half_walk_rows`, which is the factor.

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
        Threads that walk, for methods that are not given a number.

    Attributes
    ----------
    degrees, point_weights : ndarray of shape (n_points,), float64
        The graph's degrees, with weights in range (:func:`graphcore.graphs.magnitude.in_range`).

    Notes
    -----
    A node that would send less than 1 / (20 row_budget) along an average edge keeps its mass: a row costs at most
    20 row_budget entries of the graph per step, and more only for a point's own neighbours. Rows of some points take 8
    bytes for every entry of the budget. What needs the rows of all points (:attr:`diagonal`, :meth:`product`,
    :meth:`nearest_centroids`) makes them block by block and keeps none: O(n_points) memory, and n_points half walks.

    Examples
    --------
    >>> import numpy as np
    >>> import graphcore
    >>> from graphcore.kernels.walk import WalkKernel
    >>> kernel = WalkKernel(graphcore.Graph.from_edges([0, 1, 2], [1, 2, 3]), walk_steps=2)
    >>> kernel.half_walk_rows(np.array([0])).to_scipy().toarray()
    array([[0.5, 0.5, 0. , 0. ]])
    >>> kernel.block([0], [0, 1, 2, 3])
    array([[0.375 , 0.25  , 0.0625, 0.    ]])
    """

    is_psd = True
    leaves_out_isolated = True

    def __init__(self, graph, walk_steps=4, *, laziness=0.5, row_budget=150, n_jobs=None):
        graph = in_range(graph)
        self.indptr, self.indices, self.weights = graph.indptr, graph.indices, graph._weights
        self.degrees = self.point_weights = graph.degrees
        self.n_points = graph.n_nodes
        self.walk_steps = check_integer("walk_steps", walk_steps, low=2)
        if self.walk_steps % 2:
            raise ParameterError(f"walk_steps={walk_steps} must be even: two half walks")
        self.laziness = check_real("laziness", laziness, low=0.0, high=1.0)
        self.row_budget = check_integer("row_budget", row_budget, low=1)
        self.n_jobs = n_jobs

    def half_walk_rows(self, points, n_jobs=None):
        """HalfWalkRows, the factor of the kernel, for some points."""
        points = np.array(points, dtype=np.int64)
        n_rows = len(points)
        budget = min(self.row_budget, self.n_points)
        indices = np.empty((n_rows, budget), dtype=self.indices.dtype)
        values = np.empty((n_rows, budget), dtype=np.float32)
        lengths, kept = np.empty(n_rows, dtype=np.int64), np.empty(n_rows, dtype=np.float32)
        graph, out = (self.indptr, self.indices, self.weights, self.degrees), (indices, values, lengths, kept)
        numbers = self.walk_steps // 2, self.laziness, budget, _MIN_SHARE / self.row_budget

        def walk(first, last):
            walk_rows(graph, points, first, last, numbers, out)

        # Every call of the loop needs scratch of O(n), so blocks grow with the number of rows.
        borders = np.append(np.arange(0, n_rows, max(_ROWS_PER_BLOCK, -(-n_rows // 16))), n_rows)
        # Rows of one step are read in the order of the points, those of more all over the graph.
        with read_at_random(*(graph[:3] if self.walk_steps > 2 else ())):
            map_blocks(walk, borders, self.n_jobs if n_jobs is None else n_jobs)
        count("walk entries", lengths.sum())
        starts, scale = np.arange(n_rows) * budget, np.ones(n_rows)
        return HalfWalkRows(points, starts, starts + lengths, indices.ravel(), values.ravel(), scale, self.degrees, 0.0)

    def reach(self, points):
        """See :meth:`graphcore.kernels.graph.GraphKernel.reach`: :meth:`half_walk_rows`."""
        return self.half_walk_rows(points)

    def _feature_blocks(self, n_jobs=None):
        """(slice of the points, their features) for all points, a block at a time."""
        n = self.n_points
        step = max(_ENTRIES_AT_A_TIME, n) // min(self.row_budget, n)
        for start in range(0, n, step):
            span = slice(start, min(start + step, n))
            yield span, self.half_walk_rows(np.arange(span.start, span.stop), n_jobs).features()

    @cached_property
    def diagonal(self):
        """``K^(t)_xx`` for every point, 0 for isolated ones; one half walk from every node."""
        return np.concatenate([part.power(2).sum(axis=1) for _, part in self._feature_blocks()])

    def block(self, rows, columns, dtype=None):
        """See :meth:`Kernel.block`; the rows of all points asked for are held."""
        left, right = (self.half_walk_rows(np.arange(self.n_points)[part]).features() for part in (rows, columns))
        return (left @ right.T).toarray().astype(dtype or self.precision, copy=False)

    def columns(self, points=None):
        """See :meth:`Kernel.columns`; rows are csr_arrays. Half-walk rows are held for `points` only."""
        n, points = self.n_points, np.arange(self.n_points) if points is None else points
        features = self.half_walk_rows(points).features()

        def rows(start, stop):
            return self.half_walk_rows(np.arange(start, stop)).features() @ features.T

        row_bytes = 40 * min(self.row_budget, n) + 12 * len(points)
        return Columns((n, len(points)), self.precision, row_bytes, rows, is_sparse=True)

    def column(self, point):
        """See :meth:`Kernel.column`; one half walk from every node."""
        feature = self.half_walk_rows([point]).features().T
        return np.concatenate([(part @ feature).toarray()[:, 0] for _, part in self._feature_blocks()])

    def submatrix(self, points, point_weights=None):
        """See :meth:`Kernel.submatrix`; sparse."""
        part = SparseKernel(self.weighted_submatrix(points, np.ones(len(points))), check=False)
        return part._part_of(self, points, point_weights)

    def product(self, M, n_jobs=None):
        """See :meth:`Kernel.product`; two half walks from every node, of which none is kept."""
        M = np.asarray(M, dtype=np.float64)
        inner = np.zeros(M.shape)
        for span, part in self._feature_blocks(n_jobs):
            inner += part.T @ M[span]
        return np.concatenate([part @ inner for _, part in self._feature_blocks(n_jobs)])

    def weighted_submatrix(self, points, weights, n_jobs=None, reach=None):
        """``W K^(t)(points, points) W`` for ascending points, a csr_array: positive semi-definite and symmetric.

        `reach` are ``half_walk_rows(points)``, if they are at hand. Threads (`n_jobs`) walk; one takes the product.
        """
        features = (self.half_walk_rows(points, n_jobs) if reach is None else reach).features()
        features.data *= weights[np.repeat(np.arange(len(points)), np.diff(features.indptr))]
        product = (features @ features.T).tocsr()
        product.sort_indices()
        return product

    def nearest_centroids(self, reach, weights, labels, norms, masses, n_jobs=None):
        """See :meth:`graphcore.kernels.graph.GraphKernel.nearest_centroids`.

        Both sides take their half walk, the centroids' points (`reach`) and every node. Centroids are held sparse, with
        as many entries at most as `reach` has, whatever their number; every node costs one half walk and, for each
        entry of its row, the centroids with mass there.
        """
        import scipy.sparse as sp

        on = np.flatnonzero(weights > 0)
        shares = (weights[on] / masses[labels[on]], (on, labels[on]))
        centroids = (reach.features().T @ sp.csr_array(shares, shape=(len(weights), len(norms)))).tocsr()
        out = np.full(self.n_points, len(norms), dtype=np.int32)
        best = np.full(self.n_points, np.inf)
        step = max(1, max(_ENTRIES_AT_A_TIME, self.n_points) // len(norms))
        for span, part in self._feature_blocks(n_jobs):
            for start in range(0, part.shape[0], step):
                reached, found, values = _nearest(part[start : start + step] @ centroids, norms)
                reached += span.start + start
                out[reached], best[reached] = found, values
        return out, best


def _nearest(products, norms):
    """(rows that hold a product, column of smallest ``norms - 2 products`` in each, its value); of equals the first."""
    products.sort_indices()
    values = norms[products.indices] - 2.0 * products.data
    lengths = np.diff(products.indptr)
    reached = np.flatnonzero(lengths)
    if len(reached) == 0:
        return reached, reached, values
    starts = products.indptr[reached]
    smallest = np.minimum.reduceat(values, starts)
    # Columns ascend, so the first entry of the smallest value is that of the lowest label.
    among = np.flatnonzero(values == np.repeat(smallest, lengths[reached]))
    return reached, products.indices[among[np.searchsorted(among, starts)]], smallest
