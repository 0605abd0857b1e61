"""The power method: random vectors, smoothed on the graph and orthogonalised, separate the clusters."""

import math

import numpy as np

from ...base.streams import Streams
from ...base.threads import limited_libraries, map_blocks, row_blocks
from ...graphs._row_loops import row_sums
from ...kernels.graph import MANY_ENTRIES
from . import _power_loops as _loops

# From MANY_ENTRIES on, products are made in single precision and by several threads. There, after so many products the
# rest is an expansion that leaves out coefficients of this sum. The largest eigenvalue is taken to be the last norm
# times the slack. Larger exponents are taken in parts, as an eigenvalue far above that bound grows beyond the others.
_PLAIN_PRODUCTS, _LEFT_OUT, _SLACK, _LARGEST_EXPONENT = 8, 1e-6, 1.02, 128
# Vectors for each doubling of the number of clusters, see docs/tables/pipeline.md: without QR and with one of them the
# normalised cut on coreset graphs of 10 % is 1.25 times that of eigenvectors on letter-nn300, 1.6 on pendigits-nn250.
_VECTORS = 4
# Products for each doubling of the nodes per cluster, Macgregor's number; half where parts are merged and moved.
_PRODUCTS = 10


def normalized_adjacency(A, degrees=None):
    """``D^-1/2 A D^-1/2`` of a symmetric csr_array, where rows of degree 0 stay 0, and ``D^1/2`` as a vector.

    D holds the row sums, or other `degrees`.
    """
    import scipy.sparse as sp

    root = np.sqrt(_degrees(A) if degrees is None else degrees)
    inverse = np.divide(1.0, root, out=np.zeros_like(root), where=root > 0)
    rows = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
    data = A.data * (inverse[rows] * inverse[A.indices])
    return sp.csr_array((data, A.indices, A.indptr), shape=A.shape), root


def power_embedding(A, n_clusters, *, n_parts=None, n_vectors=None, n_products=None, random_state=None, n_jobs=None):
    """Embed the nodes of a graph by the power method on ``I - N/2``, N the normalised Laplacian: (n, n_vectors).

    Columns are orthonormal and span the smoothed random vectors; those that rounding leaves nothing of are 0, as are
    rows of degree 0. By default there are ``4 ceil(log2(n_clusters))`` vectors, at most ``n_clusters - 1``: one more
    would be noise, on which the rows of small degrees lie, and k-means spends clusters on these (at most `n_clusters`
    with `n_parts`, as small parts are merged). The power is ``10 ceil(log2(n / n_clusters))``, or with `n_parts`
    ``5 ceil(log2(n / n_parts))``: more parts need more of the eigenvectors, and less smoothing. The first eigenvector,
    ``D^1/2 1``, is projected out at every step: it tells nothing apart. Products stop early where they would leave
    nothing but rounding errors (two nodes and one edge). On graphs of two million entries and more `n_jobs` threads
    work, with the same result, and a power of 100 takes about 45 products, by its Chebyshev expansion, which leaves the
    same up to 1e-4.

    Macgregor, "Fast and simple spectral clustering in theory and practice", NeurIPS 2023, Algorithm 2, with the QR
    decomposition of Wang, Gittens, Mahoney, "Scalable kernel k-means clustering with Nystrom approximation", JMLR 2019,
    Algorithm 1, at the end: without it all vectors lean towards the leading eigenvectors. Sachdeva, Vishnoi, "Faster
    algorithms via approximation theory", 2014, section 3, for the expansion.
    """
    n = A.shape[0]
    if n_vectors is None:
        most = n_clusters if n_parts else max(1, n_clusters - 1)
        n_vectors = min(most, _VECTORS * math.ceil(math.log2(max(n_clusters, 2))))
    if n_products is None:
        doublings = max(1, math.ceil(math.log2(max(n / (n_parts or n_clusters), 1))))
        n_products = doublings * (_PRODUCTS if n_parts is None else _PRODUCTS // 2)
    X = Streams(random_state).generator("power").standard_normal((n, n_vectors))
    root = np.sqrt(_degrees(A))
    return _orthonormal(_smooth(A, X, n_products, n_jobs), root, A.nnz >= MANY_ENTRIES)


def _orthonormal(X, root, single):
    """Return an orthonormal basis of the columns, at right angles to `root` (n,); rows of 0 stay.

    Columns within rounding of those before them are 0.
    """
    with limited_libraries():
        Q, R = np.linalg.qr(np.column_stack([root, X]))
    Q, size = Q[:, 1:], np.abs(R.diagonal())[1:]
    # Rounding is that of the longest column, of which a short one before it may leave nothing.
    longest = np.linalg.norm(R[:, 1:], axis=0).max(initial=0.0)
    Q[:, size <= 10.0 * _rounding(len(X), single) * longest] = 0.0
    Q[~X.any(axis=1)] = 0.0
    return np.pad(Q, ((0, 0), (0, X.shape[1] - Q.shape[1])))  # there are fewer nodes than vectors


def _rounding(n, single):
    """Norm of what rounding leaves of n entries that had norm 1."""
    return math.sqrt(n) * np.finfo(np.float32 if single else np.float64).eps


def _smooth(A, X, n_products, n_jobs=None):
    """The power method; large graphs, after a few products that tell how large the eigenvalues are, by expansions."""
    root = np.sqrt(_degrees(A))
    top = root / math.sqrt(np.square(root).sum()) if root.any() else root
    times, single = _multiplier(A, root, n_jobs), A.nnz >= MANY_ENTRIES
    X[root == 0] = 0.0
    # A norm below this, when it was 1 before a projection, is rounding: nothing is left beside the first eigenvector.
    rounding = _rounding(len(X), single)
    before = _norm(X)
    X -= top[:, None] * _dot(top, X)
    norm = _norm(X)
    if norm <= rounding * before:
        return np.zeros_like(X)
    X /= norm

    def smoothed(X):
        product = 0.5 * (X + times(X))
        product -= top[:, None] * _dot(top, product)
        return product

    n_plain = 0
    while n_products:
        exponent = 1
        if single and n_plain == _PLAIN_PRODUCTS:
            weights = _expansion(min(n_products, _LARGEST_EXPONENT))
            if len(weights) <= min(n_products, _LARGEST_EXPONENT):
                exponent = min(n_products, _LARGEST_EXPONENT)
        if exponent > 1:
            # Eigenvalues are in [0, bound], but for the first; what lies above grows faster than by the power.
            product, n_plain = _chebyshev(smoothed, X, weights, min(1.0, _SLACK * norm)), 0
        else:
            product, n_plain = smoothed(X), min(n_plain + 1, _PLAIN_PRODUCTS)
        n_products -= exponent
        norm = _norm(product)
        if norm <= rounding:
            break
        X = product / norm
    return X


def _multiplier(A, root, n_jobs):
    """The function that multiplies by ``D^-1/2 A D^-1/2``: of a large graph in single precision, by blocks of rows."""
    if A.nnz < MANY_ENTRIES:
        S, _ = normalized_adjacency(A)
        return lambda X: S @ X
    inverse = np.divide(1.0, root, out=np.zeros_like(root), where=root > 0).astype(np.float32)
    structure, borders = (A.indptr, A.indices, A.data.astype(np.float32, copy=False)), row_blocks(A.indptr)

    def times(X):
        out, shape = np.empty_like(X), (len(X), _loops.LANES)
        scaled, product = np.zeros(shape, dtype=np.float32), np.empty(shape, dtype=np.float32)

        def multiply(first, last):
            _loops.multiply_rows(structure, inverse, scaled.ravel(), first, last, product.ravel())

        for start in range(0, X.shape[1], _loops.LANES):
            some = X[:, start : start + _loops.LANES]
            np.multiply(inverse[:, None], some, out=scaled[:, : some.shape[1]])
            map_blocks(multiply, borders, n_jobs)
            out[:, start : start + _loops.LANES] = product[:, : some.shape[1]]
        return out

    return times


def _chebyshev(smoothed, X, weights, bound):
    """Return a polynomial of a product applied to vectors, by its coefficients for eigenvalues from 0 to the bound."""
    before, now = X, 2 / bound * smoothed(X) - X
    total = weights[0] * before + weights[1] * now
    for weight in weights[2:]:
        before, now = now, 4 / bound * smoothed(now) - 2 * now - before
        total += weight * now
    return total


def _expansion(power):
    """Coefficients of the Chebyshev polynomials of y that make up ``((1 + y) / 2)^power`` on [-1, 1].

    With ``y = cos t`` this is ``cos(t/2)^(2 power)``, whose coefficients are binomial; they fall like a Gaussian of
    variance power / 2. Omitted coefficients add up to less than 1e-6.
    """
    ratios = np.arange(power, 0, -1) / np.arange(power + 1, 2 * power + 1)
    first = math.exp(math.lgamma(2 * power + 1) - 2 * math.lgamma(power + 1) - 2 * power * math.log(2))
    weights = first * np.cumprod(np.concatenate([[1.0], ratios]))
    weights[1:] *= 2
    rest = np.cumsum(weights[::-1])[::-1]
    return weights[: np.count_nonzero(rest > _LEFT_OUT)]


def _degrees(A):
    """Row sums in double precision, whatever the values are in."""
    out = np.empty(A.shape[0])
    row_sums(A.indptr, A.data, 0, len(out), out)
    return out


# BLAS would cut these sums by its number of threads, which changes the last bits, and on vectors this short its threads
# mostly wait: 15 ms became 400 to 800 ms on two busy cores (2,500 nodes, 8 vectors, 40 products).
def _dot(x, Y):
    return np.einsum("i,ij->j", x, Y)


def _norm(X):
    return math.sqrt(np.einsum("ij,ij->", X, X))
