"""Eigenvectors that show clusters of sparse graphs as long as anything fast can: those of the Bethe Hessian."""

import math

import numpy as np

from .._random import Streams
from .._threads import limited_libraries

# Directions are enough: moves of nodes follow. So many restarts of Lanczos give them, or nothing clear is there.
_TOLERANCE, _MAX_RESTARTS = 1e-2, 100


def bethe_hessian_embedding(A, n_vectors, *, random_state=None):
    """Eigenvectors of the smallest eigenvalues of ``(r^2 - 1) I - r A + D``, rows scaled to norm 1: (n, n_vectors).

    A is a symmetric csr_array, whose values are divided by their mean, D holds its row sums d, and ``r^2 + 1`` is
    ``sum d^2 / sum d``, so that r is about what a walk that never turns back grows by at every step, as a square root.
    Eigenvectors of A or of a Laplacian follow hubs and loose ends in sparse graphs; these follow clusters down to the
    threshold below which none can be found. None where Lanczos iterations find no ends of their own.

    Saade, Krzakala, Zdeborová, "Spectral clustering of graphs with the Bethe Hessian", NeurIPS 2014. Rows are scaled
    because degrees say nothing about clusters: Qin, Rohe, "Regularized spectral clustering under the degree-corrected
    stochastic blockmodel", NeurIPS 2013.
    """
    from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

    scale = 1.0 / A.data.mean()
    degrees = A.sum(axis=1) * scale
    square = max(1.0, float(np.square(degrees).sum() / degrees.sum()) - 1.0)
    diagonal, factor = degrees + square - 1.0, math.sqrt(square) * scale
    # With the sign changed, so that the largest are looked for.
    matrix = LinearOperator(A.shape, matvec=lambda x: factor * (A @ x) - diagonal * x, dtype=float)
    start = Streams(random_state).generator("Bethe Hessian").standard_normal(A.shape[0])
    try:
        with limited_libraries():
            vectors = eigsh(matrix, k=n_vectors, which="LA", tol=_TOLERANCE, maxiter=_MAX_RESTARTS, v0=start)[1]
    except ArpackNoConvergence:
        return None
    norms = np.sqrt(np.square(vectors).sum(axis=1))
    return vectors / np.where(norms > 0.0, norms, 1.0)[:, None]
