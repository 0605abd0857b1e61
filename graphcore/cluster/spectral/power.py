"""The power method: a few random vectors, smoothed on the graph, separate the clusters."""

import math

import numpy as np

from ...base.streams import Streams
from ...base.threads import map_blocks, row_blocks
from ...graphs._row_loops import row_sums
from ...kernels.graph import MANY_ENTRIES
from . import _power_loops as _loops

# From MANY_ENTRIES on, products are made by compiled loops, in single precision and by several threads. There, after so
# many products the rest is an expansion that leaves out coefficients of this sum. The largest eigenvalue is taken to be
# the last norm times the slack. Larger exponents are taken in parts: an eigenvalue far above that bound would grow
# beyond single precision.
_PLAIN_PRODUCTS, _LEFT_OUT, _SLACK, _LARGEST_EXPONENT = 8, 1e-6, 1.02, 128


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


def power_embedding(A, n_clusters, *, n_vectors=None, n_products=None, random_state=None, n_jobs=None):
    """Embed the nodes of a graph by the power method on ``I - N/2``, N the normalised Laplacian: (n, n_vectors).

    float64, or float32 for a graph of two million entries and more (where `n_jobs` threads work, with the same result).
    Rows of degree 0 are 0. Scaled to Frobenius norm 1; all 0 if there is only one node, or no edge. By default there
    are ``ceil(log2(n_clusters))`` random vectors, and the power is ``10 ceil(log2(n / n_clusters))``. The first
    eigenvector, ``D^1/2 1``, is projected out at every step: it tells nothing apart. Products stop early where they
    would leave nothing but rounding errors (two nodes and one edge). On graphs of two million entries and more a power
    of 100 takes about 45 products, by its Chebyshev expansion, which leaves the same up to 1e-4.

    Macgregor, "Fast and simple spectral clustering in theory and practice", NeurIPS 2023, Algorithm 2;
    Sachdeva, Vishnoi, "Faster algorithms via approximation theory", 2014, section 3, for the expansion.
    """
    n = A.shape[0]
    if n_vectors is None:
        n_vectors = max(1, min(n_clusters, math.ceil(math.log2(max(n_clusters, 2)))))
    if n_products is None:
        n_products = 10 * max(1, math.ceil(math.log2(max(n / n_clusters, 1))))
    X = Streams(random_state).generator("power").standard_normal((n, n_vectors))
    return (_smooth if A.nnz < MANY_ENTRIES else _smooth_large)(A, X, n_products, n_jobs)


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

    After a few products, which tell how large the eigenvalues are, the power that is left is expanded in Chebyshev
    polynomials, where this takes fewer products. What single precision loses is of the order 1e-7 of the strongest
    vector left, what the expansion leaves out 1e-4; k-means on the rows does not see either.
    """
    vectors = _Vectors(A, X, n_jobs)
    left, n_plain = n_products, 0
    while left and vectors.norm > 0.0:
        exponent = min(left, _LARGEST_EXPONENT) if n_plain == _PLAIN_PRODUCTS else 1
        weights = _expansion(exponent)
        if len(weights) <= exponent:
            vectors.raise_to(weights)
            left, n_plain = left - exponent, 0
        else:
            vectors.smooth()
            left, n_plain = left - 1, min(n_plain + 1, _PLAIN_PRODUCTS)
    return vectors.rows(X.shape[1])


class _Vectors:
    """Vectors side by side in single precision, of Frobenius norm 1 and without the first eigenvector."""

    def __init__(self, A, X, n_jobs):
        n, n_vectors = X.shape
        lanes = _loops.LANES
        root = np.sqrt(_degrees(A))
        self._structure = A.indptr, A.indices, A.data.astype(np.float32, copy=False)
        inverse = np.divide(1.0, root, out=np.zeros_like(root), where=root > 0).astype(np.float32)
        self._scale = inverse, root / math.sqrt(np.square(root).sum())
        self._n_groups, self._n_jobs = -(-n_vectors // lanes), n_jobs
        self._borders = row_blocks(A.indptr)
        self._current, self._scaled, self._product = (self._zeros(n * lanes) for _ in range(3))
        X[root == 0] = 0.0
        for g in range(self._n_groups):
            part = X[:, g * lanes : (g + 1) * lanes]
            self._product[g].reshape(n, lanes)[:, : part.shape[1]] = part
        before = _norm(X)
        self._dots = np.zeros((self._n_groups, lanes))
        self._dots.ravel()[:n_vectors] = _dot(self._scale[1], X)
        # As in double precision: a smaller norm, when it was 1 before, is rounding.
        self._rounding = math.sqrt(n) * float(np.finfo(np.float32).eps)
        norm = math.sqrt(max(before**2 - np.square(self._dots).sum(), 0.0))
        self._project(norm if norm > self._rounding * before else 0.0)

    def _zeros(self, size):
        return np.zeros((self._n_groups, size), dtype=np.float32)

    def smooth(self):
        """One product with ``I - N/2``; where nothing but rounding is left the vectors stay, and the norm is 0."""
        norm = self._multiply()
        if norm <= self._rounding:
            self.norm = 0.0
        else:
            self._project(norm)

    def raise_to(self, weights):
        """Apply a polynomial that stands for a power of ``I - N/2``, by its Chebyshev coefficients."""
        # Eigenvalues are in [0, bound], but for the first; what lies above the bound grows faster than by the power.
        bound = min(1.0, _SLACK * self.norm)
        previous, total = np.zeros_like(self._current), np.float32(weights[0]) * self._current
        factors = 2 / bound, 1.0, 0.0
        for weight in weights[1:]:
            self._multiply()
            self._each(
                lambda g, a, b, factors=factors, weight=weight: _loops.combine_rows(
                    self._product[g], self._scale, self._dots[g], factors, weight, a, b,
                    (previous[g], self._current[g], self._scaled[g], total[g]),
                )
            )  # fmt: skip
            factors = 4 / bound, 2.0, 1.0
        self._product, self._dots = total, np.zeros_like(self._dots)
        self._project(_norm(total.astype(np.float64)))

    def rows(self, n_vectors):
        """The vectors as columns."""
        out = self._current.reshape(self._n_groups, -1, _loops.LANES).transpose(1, 0, 2)
        return np.ascontiguousarray(out.reshape(out.shape[0], -1)[:, :n_vectors])

    def _multiply(self):
        """Take the product; returns the norm it has without the first eigenvector, which is still in it."""

        def multiply(first, last):
            sums = np.zeros((self._n_groups, 2, _loops.LANES))
            for g in range(self._n_groups):
                vectors = self._current[g], self._scaled[g]
                _loops.smooth_rows(self._structure, self._scale, *vectors, first, last, self._product[g], sums[g])
            return sums

        # Block by block in order, so that sums do not depend on the number of threads.
        sums = sum(map_blocks(multiply, self._borders, self._n_jobs))
        self._dots = sums[:, 0]
        return math.sqrt(max(sums[:, 1].sum() - np.square(self._dots).sum(), 0.0))

    def _project(self, norm):
        """Take the first eigenvector out of the product and make its norm, which is given, 1; 0 leaves zeros."""
        self.norm = norm
        factor = 1.0 / norm if norm else 0.0
        self._each(
            lambda g, a, b: _loops.project_rows(
                self._product[g], self._scale, self._dots[g], factor, a, b, self._current[g], self._scaled[g]
            )
        )

    def _each(self, function):
        """Call `function(group, start, stop)` for all groups of vectors and blocks of rows."""
        map_blocks(lambda a, b: [function(g, a, b) for g in range(self._n_groups)], self._borders, self._n_jobs)


def _expansion(power):
    """Coefficients of the Chebyshev polynomials of y that make up ``((1 + y) / 2)^power`` on [-1, 1].

    With ``y = cos t`` this is ``cos(t/2)^(2 power)``, whose coefficients are binomial; they fall like a Gaussian of
    variance power / 2. Those left out add up to less than 1e-6.
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
