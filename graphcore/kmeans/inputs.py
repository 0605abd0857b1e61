"""What kernel k-means is given: a kernel in any form, weights, a first partition."""

import numpy as np

from .._validation import check_labels, check_sample_weight
from ..exceptions import InputError, ParameterError
from ..kernels.as_kernel import as_kernel
from ..kernels.checks import check_diagonal

__all__ = ["check_init", "kernel_and_weights"]


def kernel_and_weights(K, weights=None):
    """A kernel in any form that :func:`graphcore.kernels.as_kernel.as_kernel` takes, and the weights of its points.

    These are node degrees for a graph, otherwise ones or those given, float64. What kernel k-means cannot use is
    refused.
    """
    kernel = as_kernel(K)
    check_diagonal(kernel.diagonal)
    if weights is None:
        if not kernel.point_weights.any():
            raise InputError("no node has an edge: there is nothing to cluster")
        return kernel, kernel.point_weights
    if kernel.leaves_out_isolated:
        raise ParameterError(
            "a graph's nodes are weighted by their degrees; leave weights out, or weigh the edges: w_x A_xy w_y"
        )
    return kernel, check_sample_weight(weights, kernel.n_points, "weights")


def check_init(kernel, labels, n_clusters):
    """Labels of a first partition, -1 for isolated nodes only."""
    labels = np.array(check_labels("init", labels, kernel.n_points))
    isolated = kernel.point_weights == 0
    if labels.max() >= n_clusters or (labels[~isolated] < 0).any():
        raise ParameterError(
            f"init holds labels from {labels.min()} to {labels.max()}; with n_clusters={n_clusters} they run from 0 to "
            f"{n_clusters - 1}"
        )
    labels[isolated] = -1
    return labels
