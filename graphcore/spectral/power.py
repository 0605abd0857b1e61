"""The power method: a few random vectors, smoothed on the graph, separate the clusters."""

import math

import numpy as np

from .._random import Streams
from .._threads import map_blocks, row_blocks
from . import _power_loops as _loops

__all__ = ["normalized_adjacency", "power_embedding"]

# From this many entries on, products are made by compiled loops, in single precision and by several threads.
_MANY_ENTRIES = 1 << 21


def normalized_adjacency(A):
    """``D^-1/2 A D^-1/2`` of a symmetric sparse matrix, and ``D^1/2`` as a vector.

    Rows of degree 0 stay 0.

    Parameters
    ----------
    A : csr_array of shape (n, n)

    Returns
    -------
    S : csr_array of shape (n, n)
    root : ndarray of shape (n,)
        Square roots of the degrees.
    """
    import scipy.sparse as sp

    root = np.sqrt(np.asarray(A.sum(axis=1)).ravel())
    inverse = np.divide(1.0, root, out=np.zeros_like(root), where=root > 0)
    rows = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
    data = A.data * (inverse[rows] * inverse[A.indices])
    return sp.csr_array((data, A.indices, A.indptr), shape=A.shape), root


def power_embedding(A, n_clusters, *, n_vectors=None, n_products=None, random_state=None, n_jobs=None):
    """Embed the nodes of a graph by the power method on ``I - N/2``, N the normalised Laplacian.

    Parameters
    ----------
    A : csr_array of shape (n, n)
        Symmetric, non-negative.
    n_clusters : int
    n_vectors : int, optional
        Random vectors; default ``ceil(log2(n_clusters))``, at least 1 and at most `n_clusters`.
    n_products : int, optional
        Matrix products; default ``10 ceil(log2(n / n_clusters))``, at least 10.
    random_state : int, Generator, RandomState or None
    n_jobs : int, optional
        Threads for graphs of two million entries and more; the result does not depend on it.

    Returns
    -------
    ndarray of shape (n, n_vectors), float64
        Rows of degree 0 are 0. Scaled to Frobenius norm 1; all 0 if there is only one node, or no edge.

    Notes
    -----
    The first eigenvector, ``D^1/2 1``, is projected out at every step: it tells nothing apart. Products stop early
    where they would leave nothing but rounding errors (two nodes and one edge).

    References
    ----------
    Macgregor, "Fast and simple spectral clustering in theory and practice", NeurIPS 2023, Algorithm 2.

    Examples
    --------
    >>> import graphcore
    >>> from graphcore.spectral.power import power_embedding
    >>> graph = graphcore.Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> x = power_embedding(graph.to_scipy(), 2, random_state=0)[:, 0]
    >>> (x > 0).tolist() in ([True] * 3 + [False] * 3, [False] * 3 + [True] * 3)
    True
    """
    n = A.shape[0]
    if n_vectors is None:
        n_vectors = max(1, min(n_clusters, math.ceil(math.log2(max(n_clusters, 2)))))
    if n_products is None:
        n_products = 10 * max(1, math.ceil(math.log2(max(n / n_clusters, 1))))
    X = Streams(random_state).generator("power").standard_normal((n, n_vectors))
    return (_smooth if A.nnz < _MANY_ENTRIES else _smooth_large)(A, X, n_products, n_jobs)


def _smooth(A, X, n_products, n_jobs=None):
    """The power method in double precision, by scipy's products."""
    S, root = normalized_adjacency(A)
    top = root / math.sqrt(np.square(root).sum()) if root.any() else root
    X[root == 0] = 0.0
    # A norm below this, when it was 1 before a projection, is rounding: nothing is left beside the first eigenvector.
    rounding = math.sqrt(len(X)) * np.finfo(float).eps
    before = _norm(X)
    X -= top[:, None] * _dot(top, X)
    norm = _norm(X)
    if norm <= rounding * before:
        return np.zeros_like(X)
    X /= norm
    for _ in range(n_products):
        product = 0.5 * (X + S @ X)
        product -= top[:, None] * _dot(top, product)
        norm = _norm(product)
        if norm <= rounding:
            break
        X = product / norm
    return X


def _smooth_large(A, X, n_products, n_jobs=None):
    """The power method in single precision, by compiled loops over blocks of rows.

    What single precision loses is of the order 1e-7 of the strongest vector left; k-means on the rows does not see it.
    """
    n, n_vectors = X.shape
    root = np.sqrt(np.asarray(A.sum(axis=1)).ravel())
    inverse = np.divide(1.0, root, out=np.zeros_like(root), where=root > 0).astype(np.float32)
    top = root / math.sqrt(np.square(root).sum())
    values = A.data.astype(np.float32)
    n_groups = -(-n_vectors // _loops.LANES)
    current, scaled, product = (np.zeros((n_groups, n * _loops.LANES), dtype=np.float32) for _ in range(3))
    X[root == 0] = 0.0
    for g in range(n_groups):
        part = X[:, g * _loops.LANES : (g + 1) * _loops.LANES]
        product[g].reshape(n, _loops.LANES)[:, : part.shape[1]] = part
    before = _norm(X)
    dots = np.zeros((n_groups, _loops.LANES))
    dots.ravel()[:n_vectors] = _dot(top, X)
    norm = math.sqrt(max(before**2 - np.square(dots).sum(), 0.0))
    # As in double precision: a smaller norm is rounding.
    rounding = math.sqrt(n) * float(np.finfo(np.float32).eps)
    if norm <= rounding * before:
        return np.zeros_like(X)
    borders = row_blocks(A.indptr)

    def smooth(first, last):
        sums = np.zeros((n_groups, 2, _loops.LANES))
        for g in range(n_groups):
            _loops.smooth_rows(
                A.indptr, A.indices, values, inverse, top, scaled[g], current[g], first, last, product[g], sums[g]
            )
        return sums

    def project(first, last):
        for g in range(n_groups):
            _loops.project_rows(product[g], inverse, top, dots[g], 1.0 / norm, first, last, current[g], scaled[g])

    map_blocks(project, borders, n_jobs)
    for _ in range(n_products):
        # Block by block in order, so that sums do not depend on the number of threads.
        sums = sum(map_blocks(smooth, borders, n_jobs))
        dots = sums[:, 0]
        norm = math.sqrt(max(sums[:, 1].sum() - np.square(dots).sum(), 0.0))
        if norm <= rounding:
            break
        map_blocks(project, borders, n_jobs)
    out = current.reshape(n_groups, n, _loops.LANES).transpose(1, 0, 2).reshape(n, -1)[:, :n_vectors]
    return out.astype(np.float64)


# BLAS would cut these sums by its number of threads, which changes the last bits, and on vectors this short its threads
# mostly wait: 15 ms became 400 to 800 ms on two busy cores (2,500 nodes, 8 vectors, 40 products).
def _dot(x, Y):
    return np.einsum("i,ij->j", x, Y)


def _norm(X):
    return math.sqrt(np.einsum("ij,ij->", X, X))
