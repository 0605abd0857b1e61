"""Make a Kernel of a matrix, a graph or a function."""

import numpy as np

from ..exceptions import InputError
from ..graphs.as_graph import is_graph_object
from ..graphs.graph import Graph
from .base import Kernel
from .graph import GraphKernel
from .matrices import DenseKernel, SparseKernel


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
