"""Rows of the normalised-cut kernel for nodes that the graph has not."""

import numpy as np

__all__ = ["cut_kernel_rows"]


def cut_kernel_rows(edges, degrees, shift=1.0):
    """Rows of the kernel ``shift D^-1 + D^-1 A D^-1`` for new nodes, from the edges that lead to nodes of the fit.

    Parameters
    ----------
    edges : array-like or sparse matrix of shape (n_new, n_nodes)
        Weights of the edges, not negative. Those to isolated nodes of the fit do not count.
    degrees : ndarray of shape (n_nodes,), float64
        Degrees of the nodes of the fit, 0 for isolated ones.
    shift : float, default 1

    Returns
    -------
    K : csr_array of shape (n_new, n_nodes), float64
    diagonal : ndarray of shape (n_new,), float64
        Kernel values of the new nodes with themselves, as of nodes without a loop; infinite without an edge.
    new_degrees : ndarray of shape (n_new,), float64
        Degrees of the new nodes, their weights.
    """
    import scipy.sparse as sp

    edges = sp.csr_array(edges, dtype=np.float64)
    new_degrees = edges @ (degrees > 0).astype(np.float64)
    outer, inner = (np.divide(1.0, d, out=np.zeros(len(d)), where=d > 0) for d in (new_degrees, degrees))
    K = sp.csr_array(sp.diags_array(outer) @ edges @ sp.diags_array(inner))
    return K, np.where(new_degrees > 0, shift * outer, np.inf), new_degrees
