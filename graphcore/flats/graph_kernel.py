"""The normalised-cut kernel of a graph as a sparse matrix, for kernel k-flats."""

import numpy as np

from ..exceptions import InputError

__all__ = ["cut_kernel_matrix"]


def cut_kernel_matrix(graph, shift=1.0):
    """The normalised-cut kernel of a graph with a shift, ``shift D^-1 + D^-1 A D^-1``, on the nodes that have edges.

    Parameters
    ----------
    graph : Graph
    shift : float, default 1
        From 1 the kernel is positive semi-definite. It changes the objective of all partitions into cells of more than
        `n_dims` points by the same number.

    Returns
    -------
    K : csr_array, float64
    nodes : ndarray, int64
        The nodes that have edges; K is the kernel on these.
    weights : ndarray, float64
        Their degrees, the weights for which kernel k-means is normalised cut.
    """
    import scipy.sparse as sp

    nodes = np.flatnonzero(graph.degrees > 0)
    if len(nodes) == 0:
        raise InputError("no node has an edge: there is nothing to cluster")
    A = sp.csr_array(graph.to_scipy(), dtype=np.float64)
    weights = np.asarray(graph.degrees, dtype=np.float64)[nodes]
    if len(nodes) < graph.n_nodes:
        A = A[nodes][:, nodes]
    inverse = sp.diags_array(1.0 / weights)
    K = inverse @ A @ inverse
    if shift:
        K = K + shift * inverse
    return sp.csr_array(K), nodes, weights
