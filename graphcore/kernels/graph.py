"""The normalised-cut kernel D^-1 A D^-1 of a graph, read from the graph and never stored; what stands for a kernel."""

import numpy as np

from ..base.loops import cached_property, effective_jobs, map_blocks, row_blocks
from ..base.validation import read_only
from ..exceptions import InputError
from ..graphs.as_graph import is_graph_object
from ..graphs.graph import Graph
from ..graphs.rows import in_range
from . import _loops
from .base import Kernel, KernelRows
from .matrices import DenseKernel, RowsKernel, SparseKernel

# Coreset graphs of so many entries are kept in single precision, in which the power method works there: they are most
# of the memory of a run.
MANY_ENTRIES = 1 << 21
# Entries of rows for each point and thread, where nearest centroids are looked for.
_MIN_ENTRIES = 4
_BLOCK_ENTRIES = 1 << 18


class GraphKernel(RowsKernel):
    """``K = D^-1 A D^-1`` with weights ``w = D``, for which weighted kernel k-means is normalised cut.

    A loop of weight `self_loop`, a multiple of the graph's mean weight (the published algorithm uses 1, on graphs
    without weights), is added to every node that has an edge, in the kernel only: the graph is not copied. It makes the
    diagonal positive. Isolated nodes get none: they take no part, and have weight 0. A `shift` adds ``shift D^-1`` to
    the kernel, which is a loop of weight ``shift d_x`` that no degree counts.

    After that `graph` is the graph with weights in range (see `in_range`), None for the kernel among some of the nodes;
    `self_loop` the loop in the unit of its weights; `degrees` (n_points,) those with the loop. Dhillon, Guan, Kulis,
    "Kernel k-means, spectral clustering and normalized cuts", KDD 2004.

    >>> import graphcore
    >>> from graphcore.kernels.graph import GraphKernel
    >>> kernel = GraphKernel(graphcore.Graph.from_edges([0, 1], [1, 2]), self_loop=1.0)
    >>> kernel.whole("this page").toarray().round(3)
    array([[0.25 , 0.167, 0.   ],
           [0.167, 0.111, 0.167],
           [0.   , 0.167, 0.25 ]])
    """

    leaves_out_isolated = True

    def __init__(self, graph, self_loop=0.0, shift=0.0):
        graph, self.multiple = in_range(graph), self_loop
        degrees = graph.degrees
        self_loop = self_loop * graph.mean_weight
        if self_loop:
            degrees = np.where(degrees > 0, degrees + self_loop, 0.0)
        self._set(*graph.rows[:3], degrees, degrees, self_loop)
        self.graph, self.shift = graph, shift

    def _set(self, indptr, indices, values, degrees, point_weights, self_loop):
        self.indptr, self.indices, self.values = indptr, indices, values
        self.degrees, self.point_weights = read_only(degrees), read_only(point_weights)
        self.self_loop = np.float64(self_loop)
        # Only asked whether it has loops. None: not known, as among some nodes, whose loops are stored.
        self.graph = None

    @property
    def n_points(self):
        """Number of points (nodes)."""
        return len(self.indptr) - 1

    @cached_property
    def outer(self):
        """``1 / degree``, 0 for isolated nodes."""
        return np.divide(1.0, self.degrees, out=np.zeros(self.n_points), where=self.degrees > 0)

    @cached_property
    def diagonal(self):
        """``K_xx`` for every point, 0 for isolated ones."""
        out = np.zeros(self.n_points)
        if self.graph is None or self.graph.n_self_loops:
            _loops.diagonal_entries(self.indptr, self.indices, self.values, out)
        out += self.loops(slice(None))
        with np.errstate(divide="ignore", invalid="ignore"):
            out /= self.degrees
            out /= self.degrees
        out[self.degrees == 0] = 0.0
        return read_only(out)

    def rows(self, points):
        """Return rows of the kernel for the given points, as KernelRows: views of the graph.

        They say how some points reach all others: within a column larger values are nearer.
        """
        degrees = self.degrees[points]
        scale = np.divide(1.0, degrees, out=np.zeros(len(degrees)), where=degrees > 0)
        starts, stops = self.indptr[points], self.indptr[1:][points]
        return KernelRows(points, starts, stops, self.indices, self.values, scale, self.degrees, self.loops(points))

    def nearest_centroids(self, kernel_rows, weights, labels, norms, masses, n_jobs=None):
        """Find the nearest of the centroids that reach a point, for every point; O(n_points + entries of the rows).

        The centroids are ``c_j = sum of weights_y phi(y) / masses_j`` over the points y of `kernel_rows` (KernelRows)
        that have label j. Returns the j of smallest ``norms_j - 2 <phi(x), c_j>``, int32, of equals the lowest,
        n_clusters where all products are 0; and that value, inf where they are.
        """
        n, n_clusters = len(kernel_rows.degrees), len(norms)
        order = np.argsort(labels, kind="stable")
        borders = np.searchsorted(labels[order], np.arange(n_clusters + 1))

        def offers(first, last):
            best, out = np.full(n, np.inf), np.full(n, n_clusters, dtype=np.int32)
            _loops.label_by_centroids(kernel_rows, (weights, order, borders), (norms, masses), first, last, best, out)
            return out, best

        # A point's best offer is a minimum over clusters, so groups of clusters change nothing. Each group takes
        # arrays for all points, which only pays where its rows are several times as long.
        lengths = np.cumsum(np.bincount(labels, weights=kernel_rows.stops - kernel_rows.starts, minlength=n_clusters))
        n_groups = int(max(1, min(effective_jobs(n_jobs), n_clusters, lengths[-1] / (_MIN_ENTRIES * n))))
        inner_borders = np.searchsorted(lengths, np.linspace(0, lengths[-1], n_groups + 1)[1:-1])
        groups = np.unique(np.concatenate([[0], inner_borders, [n_clusters]]).astype(np.int64))
        (out, best), *others = map_blocks(offers, groups, n_jobs)
        for other_out, other_best in others:  # of equals the lowest label, which the groups before have
            better = other_best < best
            best[better], out[better] = other_best[better], other_out[better]
        return out, best

    def weighted_submatrix(self, points, weights, n_jobs=None, kernel_rows=None, *, exact=False):
        """Compute ``W K(points, points) W`` for ascending points, the graph on a coreset, as a csr_array.

        float32 from two million entries on, unless it is to be `exact`. Symmetric to the last bit (as far as the
        graph's own weights are), columns ascending. `kernel_rows` are ``rows(points)``, if they are at hand.
        """
        import scipy.sparse as sp

        rows = self.rows(points) if kernel_rows is None else kernel_rows
        n = len(points)
        factors = np.divide(weights, self.degrees[points], out=np.zeros(n), where=rows.scale > 0)
        position = np.full(self.n_points, -1, dtype=np.int32)
        position[points] = np.arange(n, dtype=np.int32)
        borders = row_blocks(np.append(0, np.cumsum(rows.stops - rows.starts)), _BLOCK_ENTRIES)
        counts = np.zeros(n + 1, dtype=np.int64)
        map_blocks(lambda a, b: _loops.submatrix_count(rows, position, a, b, counts[1:]), borders, n_jobs)
        indptr = np.cumsum(counts, out=counts)
        out_indices = np.empty(indptr[-1], dtype=np.int32)
        out_values = np.empty(indptr[-1], dtype=np.float64 if exact or indptr[-1] < MANY_ENTRIES else np.float32)
        out = indptr, out_indices, out_values
        map_blocks(lambda a, b: _loops.submatrix_fill(rows, factors, position, a, b, *out), borders, n_jobs)
        if indptr[-1] < 2**31:
            indptr = indptr.astype(np.int32)
        return sp.csr_array((out_values, out_indices, indptr), shape=(n, n))

    def submatrix(self, points, point_weights=None):
        """See :meth:`Kernel.submatrix`; a GraphKernel, whose degrees stay those of the whole graph."""
        degrees = self.degrees[points]
        # With weights equal to degrees, W K W gives back the entries of A; loops are already inside.
        matrix = self.weighted_submatrix(points, degrees, exact=True)
        part = GraphKernel.__new__(GraphKernel)
        weights = degrees if point_weights is None else np.asarray(point_weights, dtype=np.float64)
        indptr, indices = read_only(matrix.indptr, np.int64), read_only(matrix.indices)
        part._set(indptr, indices, read_only(matrix.data), degrees, weights, 0.0)
        return part

    def definite_shift(self, weights):
        """Return 1: ``D^-1/2 A D^-1/2`` has no eigenvalue below -1."""
        return 1.0


def as_kernel(K):
    """Return a Kernel: itself, the normalised-cut kernel of a graph, or a precomputed matrix, checked.

    K is a Kernel, a Graph, or a square array or sparse matrix (n_points, n_points). A graph stands for its kernel
    ``D^-1 A D^-1``, which is positive semi-definite only with loops that are heavy enough:
    ``GraphKernel(graph, self_loop)``. An InputError refuses anything else, and matrices that are not square, real,
    finite and symmetric, or that have a negative diagonal.
    """
    if isinstance(K, Kernel):
        return K
    if isinstance(K, Graph):
        return GraphKernel(K)
    if is_graph_object(K) or (not hasattr(K, "tocsr") and np.ndim(K) == 0):
        raise InputError(
            f"K is a {type(K).__module__}.{type(K).__name__}; it must be a square array or sparse matrix of kernel "
            "values, a graphcore.Graph, or for vectors graphcore.kernels.vectors.VectorKernel(X, function)"
        )
    return SparseKernel(K) if hasattr(K, "tocsr") else DenseKernel(K)
