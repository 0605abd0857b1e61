"""Rows of the normalised-cut kernel for nodes that the graph has not."""

import numpy as np

__all__ = ["cut_kernel_rows"]


def cut_kernel_rows(edges, degrees, shift=1.0):
    """Rows of the kernel ``shift D^-1 + D^-1 A D^-1`` for new nodes, from the edges that lead to nodes of the fit.

    `edges` (n_new, n_nodes) are weights, not negative; those to isolated nodes of the fit (`degrees` 0) do not count.
    Returns the rows as a csr_array, the kernel values of the new nodes with themselves (as of nodes without a loop;
    infinite without an edge), and their degrees.
    """
    import scipy.sparse as sp

    edges = sp.csr_array(edges, dtype=np.float64)
    new_degrees = edges @ (degrees > 0).astype(np.float64)
    outer, inner = (np.divide(1.0, d, out=np.zeros(len(d)), where=d > 0) for d in (new_degrees, degrees))
    K = sp.csr_array(sp.diags_array(outer) @ edges @ sp.diags_array(inner))
    return K, np.where(new_degrees > 0, shift * outer, np.inf), new_degrees
