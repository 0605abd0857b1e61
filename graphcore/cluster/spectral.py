"""Spectral partition of a coreset graph, and k-means on the rows of an embedding, with any number of threads alike."""

import math
import warnings
from functools import partial
from itertools import pairwise

import numpy as np

from ..base.lazy import import_whole
from ..base.loops import away, limited_libraries, map_blocks, row_blocks
from ..base.streams import Streams
from ..exceptions import InputError
from ..graphs._loops import row_sums
from ..kernels.graph import MANY_ENTRIES

# Initialisations of k-means, as long as an iteration takes no more distances than this.
_INITIALISATIONS, _DISTANCES = 10, 1 << 24
# Distances from rows to parts are held for so many pairs at a time.
_HELD_DISTANCES = 1 << 20
# Added to squared distances of rows of length 1, so that there are enough rows to draw where many are equal.
_LEAST_CHANCE = 1e-12


def spectral_partition(A, n_clusters, *, eigen_solver="power", degrees=None, random_state=None, n_jobs=None):
    """Cluster the nodes of a symmetric, non-negative (coreset) graph by spectral clustering: labels (n,) int32.

    "power" smooths random vectors; "exact" takes k eigenvectors, of the matrix whose rows and columns are divided by
    the roots of `degrees` (n,) float64, by default its row sums. k-means has ten initialisations, less where n times
    `n_clusters` is above 2^24, one from 10 x 2^24 on.

    Ng, Jordan, Weiss, "On spectral clustering: analysis and an algorithm", NIPS 2001.
    """
    streams = Streams(random_state)
    if n_clusters == 1:
        return np.zeros(A.shape[0], dtype=np.int32)
    if eigen_solver == "power":
        embedding = power_embedding(A, n_clusters, random_state=streams, n_jobs=n_jobs)
    else:
        embedding, _ = spectral_embedding(A, n_clusters, degrees=degrees, random_state=streams)
    rows = directions(A, embedding)
    n_init = min(_INITIALISATIONS, max(1, _INITIALISATIONS * _DISTANCES // (len(rows) * n_clusters)))
    return kmeans_labels(rows, n_clusters, n_init=n_init, random_state=streams)


def directions(A, embedding):
    """Return the rows of an embedding of a graph with length 1, by which its nodes are compared.

    As they come, those of nodes with few neighbours are long, and clusters are spent on them: with 250 planted clusters
    and a coreset of 1 % the normalised cut of all nodes was 0.098, and 0.034 with rows of length 1; on graphs of 10
    neighbours 0.460 and 0.412 (Letter), 0.630 and 0.623 (MNIST).
    """
    if embedding.shape[1] == 1:
        # Rows of length 1 would leave the sign alone. The first eigenvector goes beside it, as among exact ones: the
        # normalised cut of karate is .14 and not .56; political blogs keep an ARI of .77 (0 with the column as it is).
        root = np.sqrt(_degrees(A))
        embedding = np.column_stack([root / (np.linalg.norm(root) or 1.0), embedding])
    return unit_rows(embedding)


def part_labels(X, n_parts, rng, n_jobs=None):
    """Cut rows into parts: each joins the nearest of `n_parts` rows that are drawn; returns labels (n,) int32.

    A quarter of these is drawn evenly, the others by the squared distance to that quarter, all at once: rows far from
    all others, as those of a small cluster, have a part of their own (of six clusters of 2,000 to 20 vectors all are
    found in 40 fits of 40, by even draws in 34). This is k-means before its first iteration. Moves of nodes follow, and
    1, 2 and 100 iterations led to the same J, to .05 % on 20 real graphs, and mean ARI, to .005 on 33 uneven sets.

    Bahmani, Moseley, Vattani, Kumar, Vassilvitskii, "Scalable k-means++", VLDB 2012, with one round.
    """
    n, X = len(X), X.astype(np.float32)
    squares, borders = np.square(X).sum(axis=1), np.append(np.arange(0, n, max(1, _HELD_DISTANCES // n_parts)), n)
    # One column more makes the product x c - c c / 2, the largest of the nearest.
    rows = np.column_stack([X, np.full(n, -0.5, dtype=np.float32)])

    def nearest(drawn):
        centers = np.column_stack([X[drawn], squares[drawn]]).T

        def of_block(first, last):
            products = rows[first:last] @ centers
            places = products.argmax(axis=1)
            return places, products[np.arange(last - first), places]

        return map(np.concatenate, zip(*map_blocks(of_block, borders, n_jobs), strict=True))

    with limited_libraries():
        drawn = rng.choice(n, max(1, n_parts // 4), replace=False)
        labels, products = nearest(drawn)
        chances = np.square(X - X[drawn[labels]]).sum(axis=1, dtype=np.float64) + _LEAST_CHANCE
        chances[drawn] = 0.0
        others, larger = nearest(rng.choice(n, n_parts - len(drawn), replace=False, p=chances / chances.sum()))
        return np.where(larger > products, len(drawn) + others, labels).astype(np.int32)


def kmeans_labels(X, n_clusters, *, n_init=10, random_state=None):
    """Cluster rows by scikit-learn's k-means, the best of `n_init` initialisations; returns labels (n,) int32.

    There are fewer than `n_clusters` different labels if there are fewer distinct rows. One thread works: several would
    add up in another order, and labels are to be the same for any number of them.
    """
    KMeans = import_whole("sklearn.cluster").KMeans
    from sklearn.exceptions import ConvergenceWarning

    X = np.ascontiguousarray(X, dtype=np.float64)
    seeds = Streams(random_state).generator("k-means").integers(2**31 - 1, size=n_init)
    # Warning filters belong to the whole process, as thread pools do: only one thread at a time may change them.
    with limited_libraries(), warnings.catch_warnings():
        # Fewer distinct rows than clusters is counted by the caller, who knows what it means.
        warnings.simplefilter("ignore", ConvergenceWarning)
        models = [KMeans(n_clusters, n_init=1, random_state=seed).fit(X) for seed in seeds.tolist()]
    return min(models, key=lambda model: model.inertia_).labels_.astype(np.int32)


# From MANY_ENTRIES on, products are made in single precision and by several threads. There, after so many products the
# rest is an expansion that leaves out coefficients of this sum. The largest eigenvalue is taken to be the last norm
# times the slack. Larger exponents are taken in parts, as an eigenvalue far above that bound grows beyond the others.
_PLAIN_PRODUCTS, _LEFT_OUT, _SLACK, _LARGEST_EXPONENT = 8, 1e-6, 1.02, 128
# Vectors for each doubling of the number of clusters (docs/tables/ablation.md): with one, the normalised cut by induced
# coreset graphs is higher by .03 on email and by .08 on an LFR graph.
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


def power_embedding(A, n_clusters, *, n_parts=None, random_state=None, n_jobs=None):
    """Embed the nodes of a graph by the power method on ``I - N/2``, N the normalised Laplacian: (n, n_vectors).

    Columns are orthonormal and span the smoothed random vectors; those that rounding leaves nothing of are 0, as are
    rows of degree 0. There are ``4 ceil(log2(n_clusters))`` vectors, at most ``n_clusters - 1``: one more
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
    n, most = A.shape[0], n_clusters if n_parts else max(1, n_clusters - 1)
    n_vectors = min(most, _VECTORS * math.ceil(math.log2(max(n_clusters, 2))))
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
        exponent = min(n_products, _LARGEST_EXPONENT)
        weights = _expansion(exponent) if single and n_plain >= _PLAIN_PRODUCTS else None
        if weights is not None and len(weights) <= exponent:
            # Eigenvalues are in [0, bound], but for the first; what lies above grows faster than by the power.
            product, n_plain = _chebyshev(smoothed, X, weights, min(1.0, _SLACK * norm)), 0
        else:
            product, exponent, n_plain = smoothed(X), 1, n_plain + 1
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
    data, borders = A.data.astype(np.float32, copy=False), row_blocks(A.indptr)
    parts = {first: _rows_of(A, data, first, last) for first, last in pairwise(borders.tolist())}

    def times(X):
        scaled, out = (inverse[:, None] * X).astype(np.float32, copy=False), np.empty_like(X)

        def multiply(first, last):
            np.multiply(inverse[first:last, None], parts[first] @ scaled, out=out[first:last])

        map_blocks(multiply, borders, n_jobs)
        return out

    return times


def _rows_of(A, data, first, last):
    """Return some rows of a csr_array with other values; nothing is copied but where rows begin."""
    import scipy.sparse as sp

    starts = A.indptr[first : last + 1]
    within = slice(starts[0], starts[-1])
    return sp.csr_array((data[within], A.indices[within], starts - starts[0]), shape=(last - first, A.shape[1]))


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


# Below this many nodes, or when many eigenvectors are asked for, a dense decomposition is safer and about as fast.
# It is what remains where ARPACK does not converge, up to the second number.
_DENSE_NODES, _MAX_DENSE_NODES = 400, 5000


def spectral_embedding(A, n_vectors, *, degrees=None, random_state=None):
    """The eigenvectors of ``D^-1/2 A D^-1/2`` with the largest eigenvalues: (vectors (n, m) float64, values (m,)).

    D holds the row sums, or other `degrees` (n,). Columns, min(n_vectors, n) of them, have norm 1 and are at right
    angles, largest eigenvalue first; rows of degree 0 are 0, and so are columns beyond the number of nodes that have an
    edge.

    By row sums, a graph of c components has the eigenvalue 1 c times, with the roots of the degrees on each of them as
    eigenvectors; of more than `n_vectors` components, those of the largest volume are taken. Entries of other vectors
    that are rounding are 0: on components that a vector has no part in, they would give rows a direction. A Lanczos run
    may miss copies of a multiple eigenvalue: what was found is taken out and the rest is searched again, until nothing
    larger than the smallest found is left. Where ARPACK does not converge, small graphs are solved densely; more than
    5,000 nodes are an InputError.
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
    basis = _of_components(S, root, n_vectors) if by_row_sums else np.empty((n, 0))
    if basis.shape[1] == n_vectors:
        return np.ones(n_vectors), basis
    if n <= _DENSE_NODES or n_vectors >= n // 2:
        values, vectors = _dense(S, basis, n_vectors)
    else:
        try:
            values, vectors = _by_lanczos(S, basis, n_vectors, Streams(random_state).generator("eigenvectors"))
        except ArpackError as error:
            if n > _MAX_DENSE_NODES:
                raise InputError(
                    f"the eigenvectors of a graph of {n:,} nodes did not converge ({error}): too many eigenvalues are "
                    "nearly the same; use eigen_solver='power', which needs none"
                ) from None
            values, vectors = _dense(S, basis, n_vectors)
    found = vectors[:, basis.shape[1] :]
    found[np.abs(found) <= 10.0 * _rounding(n, False)] = 0.0
    return values, vectors


def _dense(S, basis, n_vectors):
    """Eigenpairs with those of `basis`, whose eigenvalue is 1, first: they are made the last of the others, at -2."""
    values, vectors = away(np.linalg.eigh, S.toarray() - 3.0 * basis @ basis.T)
    n_others = n_vectors - basis.shape[1]
    values, vectors = values[::-1][:n_others], vectors[:, ::-1][:, :n_others]
    return np.append(np.ones(basis.shape[1]), values), np.hstack([basis, vectors])


def _of_components(S, root, n_vectors):
    """Return eigenvectors of the eigenvalue 1, one for each connected component, those of the largest volume first."""
    from scipy.sparse.csgraph import connected_components

    _, labels = connected_components(S, directed=False)
    volumes = np.bincount(labels, weights=root**2)
    largest = np.argsort(-volumes, kind="stable")[:n_vectors]
    return np.where(labels[:, None] == largest, (root / np.sqrt(volumes[labels]))[:, None], 0.0)


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


def unit_rows(X):
    """Return the rows scaled to length 1, as float64; rows of 0 stay."""
    X = np.asarray(X, dtype=np.float64)
    # By powers of two first, which change no digit, as squares of what is tiny vanish.
    X = np.ldexp(X, -np.frexp(np.abs(X).max(axis=1, keepdims=True))[1])
    norms = np.sqrt(np.square(X).sum(axis=1, keepdims=True))
    return X / np.where(norms > 0.0, norms, 1.0)
