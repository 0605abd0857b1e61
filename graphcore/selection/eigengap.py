"""The eigengap heuristic, on the graph between a coreset's micro-clusters."""

import numpy as np

from ..spectral.exact import spectral_embedding

__all__ = ["laplacian_eigenvalues"]


def laplacian_eigenvalues(rows, n_values, *, random_state=None):
    """The smallest eigenvalues of the normalised Laplacian of a quotient graph with its self-loops, ascending from 0.

    They are the Rayleigh-Ritz values of the whole graph's Laplacian on functions that are constant on micro-clusters,
    so none is below the whole graph's eigenvalue of the same rank.
    """
    import scipy.sparse as sp

    n = len(rows.degrees)
    A = sp.csr_array((rows.weights, rows.indices, rows.indptr), shape=(n, n))
    _, values = spectral_embedding(A, n_values, random_state=random_state)
    return np.maximum(1.0 - values, 0.0)
