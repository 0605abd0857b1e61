"""Exact eigenvectors of a graph, by ARPACK or by LAPACK where the graph is small."""

import numpy as np

from .._random import Streams
from .power import normalized_adjacency

__all__ = ["spectral_embedding"]

# Below this many nodes, or when many eigenvectors are asked for, a dense decomposition is safer and about as fast.
_DENSE_NODES = 400


def spectral_embedding(A, n_vectors, *, random_state=None):
    """Return the eigenvectors of ``D^-1/2 A D^-1/2`` with the largest eigenvalues.

    Parameters
    ----------
    A : csr_array of shape (n, n)
        Symmetric, non-negative.
    n_vectors : int
    random_state : int, Generator, RandomState or None
        Seeds ARPACK's start vector.

    Returns
    -------
    vectors : ndarray of shape (n, min(n_vectors, n)), float64
        Orthonormal columns, largest eigenvalue first; rows of degree 0 are 0.
    values : ndarray of shape (min(n_vectors, n),), float64

    Notes
    -----
    The eigenvectors of the largest eigenvalues are those of the smallest of the normalised Laplacian. The matrix is
    shifted by the identity so that ARPACK's largest-magnitude mode, its most reliable, finds them.

    Examples
    --------
    >>> import graphcore
    >>> from graphcore.spectral.exact import spectral_embedding
    >>> vectors, values = spectral_embedding(graphcore.Graph.from_edges([0, 1], [1, 2]).to_scipy(), 2)
    >>> values.round(6).tolist()
    [1.0, 0.0]
    """
    import scipy.sparse as sp
    from scipy.sparse.linalg import eigsh

    n = A.shape[0]
    S, root = normalized_adjacency(A)
    n_vectors = min(n_vectors, n)
    if n <= _DENSE_NODES or n_vectors >= n // 2:
        values, vectors = np.linalg.eigh(S.toarray())
        values, vectors = values[::-1][:n_vectors], vectors[:, ::-1][:, :n_vectors]
    else:
        start = Streams(random_state).generator("eigenvectors").standard_normal(n)
        shifted = S + sp.eye_array(n, format="csr")
        values, vectors = eigsh(shifted, k=n_vectors, which="LM", v0=start)
        order = np.argsort(values)[::-1]
        values, vectors = values[order] - 1.0, vectors[:, order]
    vectors = np.array(vectors)
    vectors[root == 0] = 0.0
    return vectors, values
