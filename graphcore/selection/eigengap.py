"""The eigengap heuristic, on the graph between a coreset's micro-clusters."""

import numpy as np

from ..spectral.exact import spectral_embedding

__all__ = ["laplacian_eigenvalues"]


def laplacian_eigenvalues(rows, n_values, *, random_state=None):
    """Return the smallest eigenvalues of the normalised Laplacian of a quotient graph.

    Parameters
    ----------
    rows : GraphRows
        Graph between micro-clusters, self-loops included.
    n_values : int
    random_state : int, Generator, RandomState, Streams or None
        Seeds the eigensolver's start.

    Returns
    -------
    ndarray of shape (min(n_values, n),), float64
        Ascending, from 0.

    Notes
    -----
    They are the Rayleigh-Ritz values of the whole graph's Laplacian on functions that are constant on micro-clusters,
    so none is below the whole graph's eigenvalue of the same rank.

    Examples
    --------
    >>> import graphcore
    >>> from graphcore.partition.quotient import graph_rows, quotient
    >>> import numpy as np
    >>> graph = graphcore.Graph.from_edges([0, 2], [1, 3])
    >>> rows = quotient(graph_rows(graph), np.array([0, 0, 1, 1], dtype=np.int32), 2)
    >>> laplacian_eigenvalues(rows, 2).round(6).tolist()
    [0.0, 0.0]
    """
    import scipy.sparse as sp

    n = len(rows.degrees)
    A = sp.csr_array((rows.weights, rows.indices, rows.indptr), shape=(n, n))
    _, values = spectral_embedding(A, n_values, random_state=random_state)
    return np.maximum(1.0 - values, 0.0)
