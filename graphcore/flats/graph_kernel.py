"""The normalised-cut kernel of a graph as a sparse matrix, for kernel k-flats."""

import numpy as np

from ..exceptions import InputError

__all__ = ["cut_kernel_matrix", "cut_kernel_rows"]


def cut_kernel_matrix(graph, shift=1.0):
    """The normalised-cut kernel of a graph with a shift, ``shift D^-1 + D^-1 A D^-1``, on the nodes that have edges.

    Parameters
    ----------
    graph : Graph
    shift : float, default 1
        From 1 the kernel is positive semi-definite. It changes the objective of all partitions into clusters of more
        than `n_dims` points by the same number.

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


def cut_kernel_rows(edges, weights, shift=1.0):
    """Rows of the normalised-cut kernel for new nodes, from the edges that lead to nodes of the fit.

    Parameters
    ----------
    edges : array-like or sparse matrix of shape (n_new, n_nodes)
        Weights of the edges, not negative.
    weights : ndarray of shape (n_nodes,), float64
        Degrees of the nodes of the fit.
    shift : float, default 1

    Returns
    -------
    K : csr_array of shape (n_new, n_nodes), float64
    diagonal : ndarray of shape (n_new,), float64
        Kernel values of the new nodes with themselves, as of nodes without a loop; infinite without an edge.
    """
    import scipy.sparse as sp

    edges = sp.csr_array(edges, dtype=np.float64)
    degrees = np.asarray(edges.sum(axis=1)).ravel()
    inverse = np.divide(1.0, degrees, out=np.full(len(degrees), np.inf), where=degrees > 0)
    K = sp.diags_array(np.where(degrees > 0, inverse, 0.0)) @ edges @ sp.diags_array(1.0 / weights)
    return sp.csr_array(K), shift * inverse
