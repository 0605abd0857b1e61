"""What kernel k-means is given: a kernel in any form, weights, a first partition."""

import numpy as np

from .._validation import check_labels
from ..exceptions import InputError, ParameterError
from ..graphs.as_graph import is_graph_object
from ..graphs.graph import Graph
from ..kernels.dense_matrix import DenseMatrix
from ..kernels.matrix import KernelMatrix
from ..kernels.rows_matrix import GraphMatrix, SparseMatrix

__all__ = ["check_init", "check_sample_weight", "check_weights", "kernel_matrix"]


def kernel_matrix(K):
    """The view of a kernel: itself, the normalised-cut kernel of a graph, or a precomputed matrix, checked.

    Anything else is refused with an InputError that names what is taken.
    """
    if isinstance(K, KernelMatrix):
        return K
    if isinstance(K, Graph):
        return GraphMatrix(K)
    if is_graph_object(K) or (not hasattr(K, "tocsr") and np.ndim(K) == 0):
        raise InputError(
            f"K is a {type(K).__module__}.{type(K).__name__}; it must be a square array or sparse matrix of kernel "
            "values, a graphcore.Graph, or for vectors graphcore.kernels.dense_matrix.VectorMatrix(X, kernel)"
        )
    return SparseMatrix(K) if hasattr(K, "tocsr") else DenseMatrix(K)


def check_weights(matrix, weights):
    """Weights of the points in float64: degrees for a graph, otherwise ones or those given."""
    if weights is None:
        weights = matrix.point_weights
        if not weights.any():
            raise InputError("no node has an edge: there is nothing to cluster")
        return weights
    if matrix.leaves_out_isolated:
        raise ParameterError("a graph's nodes are weighted by their degrees; leave weights (sample_weight) out")
    return check_sample_weight(weights, matrix.n_points, "weights")


def check_sample_weight(weights, n_points, name="sample_weight"):
    """Weights of points in float64, not negative and not all 0."""
    weights = np.asarray(weights)
    if weights.shape != (n_points,) or weights.dtype.kind not in "biuf":
        raise InputError(f"{name} has shape {weights.shape} and type {weights.dtype}; {n_points} numbers are needed")
    weights = weights.astype(np.float64)
    if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise InputError(f"{name} must be finite, not negative and not all zero")
    return weights


def check_init(matrix, labels, n_clusters):
    """Labels of a first partition, -1 for isolated nodes only."""
    labels = np.array(check_labels("init", labels, matrix.n_points))
    isolated = matrix.point_weights == 0
    if labels.max() >= n_clusters or (labels[~isolated] < 0).any():
        raise ParameterError(
            f"init holds labels from {labels.min()} to {labels.max()}; with n_clusters={n_clusters} they run from 0 to "
            f"{n_clusters - 1}"
        )
    labels[isolated] = -1
    return labels
