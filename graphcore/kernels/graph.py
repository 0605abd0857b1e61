"""The normalised-cut kernel D^-1 A D^-1 of a graph, read from the graph and never stored; what stands for a kernel."""

import numpy as np

from ..base.loops import cached_property, map_blocks, row_blocks
from ..base.validation import read_only
from ..exceptions import InputError
from ..graphs.as_graph import is_graph_object
from ..graphs.graph import Graph
from ..graphs.rows import entries_of, in_range
from . import _loops
from .base import Kernel
from .matrices import DenseKernel, RowsKernel, SparseKernel

# Coreset graphs of so many entries are kept in single precision, in which the power method works there: they are most
# of the memory of a run.
MANY_ENTRIES = 1 << 21
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
        self.self_loop, self.n_points = np.float64(self_loop), len(indptr) - 1
        # Only asked whether it has loops. None: not known, as among some nodes, whose loops are stored.
        self.graph = None

    @cached_property
    def outer(self):
        """``1 / degree``, 0 for isolated nodes."""
        return read_only(np.divide(1.0, self.degrees, out=np.zeros(self.n_points), where=self.degrees > 0))

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

    def weighted_submatrix(self, points, weights, n_jobs=None, *, exact=False):
        """Compute ``W K(points, points) W`` for ascending points, the graph on a coreset, as a csr_array.

        float32 from two million entries on, unless it is to be `exact`. Symmetric to the last bit (as far as the
        graph's own weights are), columns ascending. Isolated points have no entry.
        """
        import scipy.sparse as sp

        n, degrees = len(points), self.degrees[points]
        factors = np.divide(weights, degrees, out=np.zeros(n), where=degrees > 0)
        loops = np.where(degrees > 0, self.loops(points), 0.0)
        position = np.full(self.n_points, -1, dtype=np.int32)
        position[points] = np.arange(n, dtype=np.int32)

        def rows_among(start, stop):
            entries, indptr = entries_of(self.indptr, points[start:stop])
            columns = position[self.indices[entries]]
            among = columns >= 0
            data = self.values[entries[among]] if len(self.values) else np.ones(np.count_nonzero(among))
            indptr = np.append(0, np.cumsum(among))[indptr]
            rows = sp.csr_array((data.astype(np.float64, copy=False), columns[among], indptr), shape=(stop - start, n))
            if loops.any():
                own = loops[start:stop], np.arange(start, stop, dtype=np.int32), np.arange(stop - start + 1)
                rows = rows + sp.csr_array(own, shape=rows.shape)
            # One product, the same for (i, j) and (j, i).
            rows.data *= np.repeat(factors[start:stop], np.diff(rows.indptr)) * factors[rows.indices]
            return rows

        lengths = self.indptr[points + 1] - self.indptr[points]
        borders = row_blocks(np.append(0, np.cumsum(lengths)), _BLOCK_ENTRIES)
        matrix = sp.vstack(map_blocks(rows_among, borders, n_jobs), format="csr")
        return matrix if exact or matrix.nnz < MANY_ENTRIES else matrix.astype(np.float32)

    def submatrix(self, points, point_weights=None):
        """See :meth:`Kernel.submatrix`; a GraphKernel, whose degrees stay those of the whole graph."""
        degrees = self.degrees[points]
        # With weights equal to degrees, W K W gives back the entries of A; loops are already inside.
        matrix = self.weighted_submatrix(points, degrees, exact=True)
        part = GraphKernel.__new__(GraphKernel)
        weights = degrees if point_weights is None else np.asarray(point_weights, dtype=np.float64)
        indptr, indices = read_only(matrix.indptr, np.int64), read_only(matrix.indices, np.int32)
        part._set(indptr, indices, read_only(matrix.data), degrees, weights, 0.0)
        return part

    def definite_shift(self, weights):
        """Return the largest weight over its degree, as ``D^-1/2 A D^-1/2`` has no eigenvalue below -1."""
        linked = self.degrees > 0
        return float((weights[linked] / self.degrees[linked]).max(initial=0.0))


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
