"""Eigenvectors of a graph, by ARPACK or by LAPACK where the graph is small: of its Laplacian or its Bethe Hessian."""

import math
from functools import partial

import numpy as np

from ...base.streams import Streams
from ...base.threads import away, limited_libraries
from ...exceptions import InputError
from .power import normalized_adjacency

# Below this many nodes, or when many eigenvectors are asked for, a dense decomposition is safer and about as fast.
# It is what remains where ARPACK does not converge, up to the second number.
_DENSE_NODES, _MAX_DENSE_NODES = 400, 5000
# Rough eigenvectors of the Bethe Hessian are enough, because moves of nodes follow. This number of restarts of Lanczos
# finds them, unless the spectrum has no gap.
_TOLERANCE, _MAX_RESTARTS = 1e-2, 100


def spectral_embedding(A, n_vectors, *, degrees=None, random_state=None):
    """The eigenvectors of ``D^-1/2 A D^-1/2`` with the largest eigenvalues: (vectors (n, m) float64, values (m,)).

    D holds the row sums, or other `degrees` (n,). Columns, min(n_vectors, n) of them, have norm 1 and are at right
    angles, largest eigenvalue first; rows of degree 0 are 0, and so are columns beyond the number of nodes that have an
    edge.

    By row sums, a graph of c components has the eigenvalue 1 c times, with the roots of the degrees on each of them as
    eigenvectors; of more than `n_vectors` components, those of the largest volume are taken. A Lanczos run may miss
    copies of a multiple eigenvalue: what was found is taken out and the rest is searched again, until nothing larger
    than the smallest found is left. Where ARPACK does not converge, small graphs are solved densely; more than 5,000
    nodes are an InputError.
    """
    n = A.shape[0]
    S, root = normalized_adjacency(A, degrees)
    n_vectors = min(n_vectors, n)
    vectors, values = np.zeros((n, n_vectors)), np.zeros(n_vectors)
    linked = np.flatnonzero(root > 0)
    n_found = min(n_vectors, len(linked))
    if n_found:
        if len(linked) < n:
            S = S[linked][:, linked]
        import scipy.sparse.linalg  # noqa: F401 (before its BLAS is limited to one thread)

        with limited_libraries():
            values[:n_found], vectors[linked, :n_found] = _largest(
                S, root[linked], n_found, random_state, by_row_sums=degrees is None
            )
    return vectors, values


def _largest(S, root, n_vectors, random_state, by_row_sums):
    from scipy.sparse.linalg import ArpackError

    n = S.shape[0]
    if n <= _DENSE_NODES or n_vectors >= n // 2:
        return _dense(S, n_vectors)
    basis = _of_components(S, root, n_vectors) if by_row_sums else np.empty((n, 0))
    if basis.shape[1] == n_vectors:
        return np.ones(n_vectors), basis
    try:
        return _by_lanczos(S, basis, n_vectors, Streams(random_state).generator("eigenvectors"))
    except ArpackError as error:
        if n <= _MAX_DENSE_NODES:
            return _dense(S, n_vectors)
        raise InputError(
            f"the eigenvectors of a graph of {n:,} nodes did not converge ({error}): too many eigenvalues are nearly "
            "the same; use eigen_solver='power', which needs none"
        ) from None


def _dense(S, n_vectors):
    values, vectors = away(np.linalg.eigh, S.toarray())
    return values[::-1][:n_vectors], vectors[:, ::-1][:, :n_vectors]


def _of_components(S, root, n_vectors):
    """Return eigenvectors of the eigenvalue 1, one for each connected component, those of the largest volume first."""
    from scipy.sparse.csgraph import connected_components

    n_components, labels = connected_components(S, directed=False)
    volumes = np.bincount(labels, weights=root**2)
    largest = np.argsort(-volumes, kind="stable")[:n_vectors]
    column = np.full(n_components, -1)
    column[largest] = np.arange(len(largest))
    basis = np.zeros((len(root), len(largest)))
    rows = np.flatnonzero(column[labels] >= 0)
    basis[rows, column[labels[rows]]] = root[rows] / np.sqrt(volumes[labels[rows]])
    return basis


def _by_lanczos(S, basis, n_vectors, rng):
    """Eigenpairs beside the eigenvectors in `basis`, whose eigenvalue is 1."""
    import scipy.sparse as sp
    from scipy.sparse.linalg import LinearOperator, eigsh

    n = S.shape[0]
    shifted = S + sp.eye_array(n, format="csr")  # for ARPACK's largest-magnitude mode, its most reliable
    rest = LinearOperator((n, n), matvec=partial(_deflated, shifted, basis), dtype=float)
    values, vectors = eigsh(rest, k=n_vectors - basis.shape[1], which="LM", v0=rng.standard_normal(n))
    values, vectors = np.append(np.full(basis.shape[1], 2.0), values), np.hstack([basis, vectors])
    while True:
        rest = LinearOperator((n, n), matvec=partial(_deflated, shifted, vectors), dtype=float)
        start = rng.standard_normal(n)
        # A rough look is enough to tell whether anything is left; only what is left is then computed to the end.
        missed, vector = eigsh(rest, k=1, which="LM", v0=start, tol=1e-3)
        if missed[0] <= values.min() * (1 + 1e-9):
            break
        missed, vector = eigsh(rest, k=1, which="LM", v0=vector[:, 0])
        values, vectors = np.append(values, missed), np.hstack([vectors, vector])
        kept = np.argsort(values)[:0:-1]
        values, vectors = values[kept], vectors[:, kept]
    order = np.argsort(values)[::-1]
    return values[order] - 1.0, vectors[:, order]


def _deflated(A, basis, x):
    """Product with A, cut down to what is at right angles to orthonormal columns."""
    x = x - basis @ (basis.T @ x)
    y = A @ x
    return y - basis @ (basis.T @ y)


def bethe_hessian_embedding(A, n_vectors, *, random_state=None):
    """Eigenvectors of the smallest eigenvalues of ``(r^2 - 1) I - r A + D``, rows scaled to norm 1: (n, n_vectors).

    A is a symmetric csr_array, whose values are divided by their mean, D holds its row sums d, and ``r^2 + 1`` is
    ``sum d^2 / sum d``. Eigenvectors of A or of a Laplacian follow hubs and loose ends in sparse graphs; these follow
    clusters down to the threshold below which none can be found. None where Lanczos iterations find no ends.

    Saade, Krzakala, Zdeborová, "Spectral clustering of graphs with the Bethe Hessian", NeurIPS 2014. Rows are scaled
    because degrees say nothing about clusters: Qin, Rohe, "Regularized spectral clustering under the degree-corrected
    stochastic blockmodel", NeurIPS 2013.
    """
    from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

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
    except ArpackError:  # also of graphs of loops alone, whose matrix is zero
        return None
    return unit_rows(vectors)


def unit_rows(X):
    """Return the rows scaled to length 1, as float64; rows of 0 stay."""
    X = np.asarray(X, dtype=np.float64)
    # By powers of two first, which change no digit, as squares of what is tiny vanish.
    X = np.ldexp(X, -np.frexp(np.abs(X).max(axis=1, keepdims=True))[1])
    norms = np.sqrt(np.square(X).sum(axis=1, keepdims=True))
    return X / np.where(norms > 0.0, norms, 1.0)
