"""Kernel k-flats, function and class: affine flats in the feature space of a kernel; of dimension 0 kernel k-means."""

from dataclasses import KW_ONLY, dataclass, field
from itertools import pairwise

import numpy as np

from ..base.estimator import parameters, passed_on
from ..base.loops import cached_property, limited_libraries, map_blocks
from ..base.streams import Streams
from ..base.validation import check_choice
from ..exceptions import InputError
from ..kernels.base import block_borders, matrix_columns, vector_columns
from ..kernels.checks import clearly_negative, eigenvalue_noise, report_indefinite, smallest_sampled_eigenvalue
from ..kernels.matrices import DenseKernel
from ..kernels.vectors import VectorKernel
from .alternation import FlatsProblem, Rules, alternate, best_of, label_draws
from .base import KernelEstimator, kernel_and_weights
from .k_flats import Codes, FlatsClusterer, KFlatsResult, as_points, leading_eigenvectors, members_by_cluster, result_of

# Up to this many means and directions, one dense product with all of them is faster than a sparse one.
_FEW_COLUMNS = 32
# Clusters up to this size get dense eigenvectors. Of 300 points Lanczos takes a third of their time, of 1,000 a tenth.
_SMALL = 200
# Directions with a smaller share of a cluster's energy are rounding: coefficients would be divided by next to zero.
_RANK_TOLERANCE = 1e-10
# Distances and moves below this share of the largest kernel value are rounding.
_ROUNDING = 1e-12
_FLOAT = np.dtype(np.float64)


@dataclass(frozen=True, eq=False)
class KernelFlatSet:
    """Affine flats of k clusters in the feature space of a kernel, as combinations of the n points of the fit.

    The flat of a cluster is its mean ``sum_i shares_i phi(x_i)`` and directions ``sum_i coefficients_il phi(x_i)``,
    both over the points of the cluster.
    """

    labels: np.ndarray = field(repr=False)  # (n,) int32: the cluster of every point
    shares: np.ndarray = field(repr=False)  # (n,)
    coefficients: np.ndarray = field(repr=False)  # (n, n_dims): 0 beyond the dimension of a flat
    mean_norms: np.ndarray = field(repr=False)  # (k,): squared norms of the means
    shifts: np.ndarray = field(repr=False)  # (k, n_dims): inner products of means with directions
    dims: np.ndarray  # (k,) int32

    @property
    def n_clusters(self):
        """Number of flats."""
        return len(self.mean_norms)

    @cached_property
    def _factor(self):
        """Means (first) and directions as rows of points, one flat after the other, as a csr_array."""
        import scipy.sparse as sp

        n, width = len(self.labels), 1 + self.coefficients.shape[1]
        rows = self.labels[:, None].astype(np.int64) * width + np.arange(width)
        values = np.column_stack([self.shares, self.coefficients])
        points = np.repeat(np.arange(n), width)
        return sp.coo_array((values.ravel(), (rows.ravel(), points)), shape=(self.n_clusters * width, n)).tocsr()

    def squared_distances(self, K, diagonal=0.0):
        """Compute squared distances (n_rows, k) of points to every flat, from kernel rows (n_rows, n) and K(x, x).

        Without the latter all distances of a point lack one and the same number.
        """
        factor, K = self._factor, _dense(K)
        products = K @ factor.toarray().T if factor.shape[0] <= _FEW_COLUMNS else (factor @ K.T).T
        products = products.reshape(len(K), self.n_clusters, -1)
        out = products[:, :, 0]
        out *= -2
        out += self.mean_norms
        along = products[:, :, 1:] - self.shifts
        out -= np.einsum("nkm,nkm->nk", along, along)
        out += np.reshape(diagonal, (-1, 1))
        return out

    def codes(self, K):
        """Write points as the labels and coordinates of their nearest flats, from their kernel rows."""
        labels, K = self.nearest(K)[0], _dense(K)
        out = np.empty((len(K), self.coefficients.shape[1]))
        for j, rows in members_by_cluster(labels, self.n_clusters):
            members = np.flatnonzero(self.labels == j)
            out[rows] = K[np.ix_(rows, members)] @ self.coefficients[members] - self.shifts[j]
        return labels, out

    def nearest(self, K, labels=None, slack=0.0):
        """Find the nearest flat of points from their kernel rows.

        Given where the points are now (`labels`), they move only if that is nearer by more than `slack`. Returns labels
        (int32) and squared distances less the kernel values of the points with themselves.
        """
        D, places = self.squared_distances(K), np.arange(K.shape[0])
        best = D.argmin(axis=1).astype(np.int32)
        if labels is not None:
            best = np.where(D[places, best] < D[places, labels] - slack, best, labels)
        return best, D[places, best]


@dataclass(frozen=True, eq=False)
class KernelKFlatsResult(KFlatsResult):
    """Flats (a KernelFlatSet) fitted in feature space; errors for different kernels cannot be compared."""

    fit: "FitKernel" = field(repr=False)  # how kernel rows of new points are got

    def distances_to(self, X, diagonal=None):
        """Compute squared distances (n_rows, n_clusters) of points to every flat.

        X holds vectors, or rows of the kernel (n_rows, n_points). `diagonal` (n_rows,) are kernel values of the points
        with themselves, where X is rows of the kernel; without it, all distances of a point lack one and the same
        number.
        """
        return self.fit.map(lambda K, own: [self.flats.squared_distances(K, own)], X, diagonal)[0]

    def nearest(self, X, diagonal=None):
        """Find the nearest flat of points: labels (int32) and squared distances, less a diagonal that is not given."""
        return _nearest(self.flats, self.fit, X, diagonal)

    def codes_of(self, X):
        """Write points (vectors, or rows of the kernel) as Codes: the nearest flat, and coordinates on it."""
        return Codes(*self.fit.map(lambda K, _: self.flats.codes(K), X))


def kernel_k_flats(
    K, n_clusters, n_dims=1, *, init="k-means++", sample_weight=None, on_indefinite="error", random_state=None, **rules
):
    """Cover points by affine flats in the feature space of a kernel, a KernelKFlatsResult.

    K is a Kernel (for vectors a `VectorKernel`), or a precomputed square array or sparse matrix, which is made dense.
    The other parameters, those in `rules` too (`n_init`, `max_iter`, `n_jobs`, `verbose`), are as for
    :class:`graphcore.KernelKFlats`, and so are errors: a kernel is looked at for negative eigenvalues among 500 points,
    and for negative squared distances. With `on_indefinite` "warn" the objective may rise on the way, a run ends where
    a partition comes back, and the best one met is kept.

    The matrix is held and centred, since distances are differences of large sums. A pass takes O(n^2 n_dims).

    >>> import graphcore
    >>> from graphcore.kernel_methods.kernel_k_flats import kernel_k_flats
    >>> from graphcore.kernels.functions import kernel_function
    >>> from graphcore.kernels.vectors import VectorKernel
    >>> from sklearn.datasets import make_circles
    >>> points, truth = make_circles(200, factor=0.1, random_state=0)
    >>> kernel = VectorKernel(points, kernel_function("gaussian", bandwidth=0.3))
    >>> result = kernel_k_flats(kernel, 2, 0, random_state=0)
    >>> graphcore.metrics.agreement(truth, result.labels)["ari"]
    1.0
    """
    given, weights = kernel_and_weights(K, sample_weight)
    check_choice("on_indefinite", on_indefinite, ("error", "warn"))
    fit = FitKernel(given, weights)
    rules = Rules(n_clusters, n_dims, **rules).checked(weights, len(fit.weights) - 1, "the number of points less one")
    smallest = 0.0 if given.is_psd else smallest_sampled_eigenvalue(fit.kernel)
    if clearly_negative(np.array([smallest, 1.0]), given.precision, fit.kernel.n_points):
        report_indefinite(
            (smallest, 1.0),
            on_indefinite,
            remedy="add a multiple of the identity, or take on_indefinite='warn' to go on",
            consequence="the alternation need not settle",
        )
    import scipy.linalg  # noqa: F401  loaded before its threads are limited

    with limited_libraries():
        problem = KernelFlats(fit.kernel, fit.weights, rules.n_dims, rules.n_jobs)
        run = best_of(problem, rules, label_draws(problem, init, rules, weights, Streams(random_state)))
        lowest, rounding = float(run.look.own.min()), eigenvalue_noise(fit.kernel.n_points, given.precision)
        if lowest < -rounding * problem.scale and on_indefinite == "error":
            raise InputError(
                f"the kernel is not positive semi-definite: a squared distance came out as {lowest:.3g}; add a "
                "multiple of the identity, or give on_indefinite='warn'"
            )

        def nearest_of(flats, points):
            if fit.function is not None:
                return _nearest(flats, fit, given.X[points])
            return _nearest(flats, fit, given.block(points, slice(None), np.float64), given.diagonal[points])

        least = 0.0 if on_indefinite == "error" else -np.inf
        return result_of(run, weights, nearest_of, KernelKFlatsResult, least, fit=fit)


def _nearest(flats, fit, X, diagonal=None):
    """See :meth:`KernelKFlatsResult.nearest`."""
    labels, values, own = fit.map(lambda K, own: [*flats.nearest(K), own], X, diagonal)
    return labels, values + own


class FitKernel:
    """The kernel of one fit among the points that have weight, centred, and its rows for new points.

    The linear kernel is centred by its vectors too.
    """

    def __init__(self, given, weights):
        points = np.flatnonzero(weights > 0)
        every = len(points) == len(weights)
        self.given, self.weights = given, weights[points]
        self.function = given.function if isinstance(given, VectorKernel) else None
        self.points, self.origin = None if every else points, None
        if self.function is not None:
            X = given.X[slice(None) if every else points]
            X = X.astype(np.float64, copy=False) if hasattr(X, "tocsr") else as_points(X)
            if self.function.name == "linear" and not hasattr(X, "tocsr"):
                self.origin = X.mean(axis=0)
                X = X - self.origin
            self.vectors = X
            K = VectorKernel(X, self.function, _FLOAT).dense("kernel k-flats")
        else:
            K = given.dense("kernel k-flats") if every else given.block(points, points, np.float64)
            K = (K + K.T) / 2
        self.row_means = K.mean(axis=1)
        K -= self.row_means
        K -= self.row_means[:, None]
        K += self.row_means.mean()
        self.kernel = DenseKernel(K, check=False)

    def map(self, function, X, diagonal=None):
        """Map a function of kernel rows (m, n_fitted) and their diagonal (m,) over points X, in blocks, to arrays.

        Both are centred like those of the fit. X and `diagonal` are as for :meth:`KernelKFlatsResult.distances_to`.
        """
        if self.function is not None:
            X = X if self.origin is None else X - self.origin
            columns = vector_columns(self.function, X, self.vectors, _FLOAT)
            diagonal = np.asarray(self.function.diagonal(X), dtype=np.float64)
        else:
            n = self.given.n_points
            if X.shape[1] != n:
                raise InputError(f"rows of the kernel have one entry for each of {n} points; these have {X.shape[1]}")
            columns = matrix_columns(X, _FLOAT, self.points)
            diagonal = np.zeros(X.shape[0]) if diagonal is None else np.asarray(diagonal, dtype=np.float64)
        borders = pairwise(block_borders(columns).tolist())
        found = [function(*self._centred(columns.rows(a, b), diagonal[a:b])) for a, b in borders]
        return [np.concatenate(arrays) for arrays in zip(*found, strict=True)]

    def _centred(self, K, diagonal):
        K = _dense(K)
        means, total = K.mean(axis=1), self.row_means.mean()
        return K - means[:, None] - self.row_means + total, diagonal - 2 * means + total


def _dense(K):
    return K.toarray() if hasattr(K, "tocsr") else np.asarray(K)


def fit_cluster(K, weights, n_dims, lanczos=False):
    """Fit the best flat to a cluster of n points; of fewer dimensions where the cluster has no more.

    By dense eigenvectors of its kernel, or by Lanczos (for few directions of many points), which forms no centred
    matrix. Returns its mean (n,) and orthonormal directions (n, n_dims) as combinations of the points, the squared norm
    of the mean and its products with the directions (n_dims,), and the squared distances of the points to it (n,).
    """
    n, p = len(weights), weights / weights.sum()
    r = K @ p
    t = float(p @ r)
    own = K.diagonal() - r - r + t
    m = min(n_dims, n - 1)
    if m <= 0:
        return p, np.zeros((n, 0)), t, np.zeros(0), own
    root = np.sqrt(weights)
    if lanczos:
        values, vectors = _leading_by_lanczos(K, root, m)
        energy = float(weights @ own)
    else:
        centred = K - r
        centred -= r[:, None]
        centred += t
        centred *= root
        centred *= root[:, None]
        centred += centred.T.copy()
        centred *= 0.5
        values, vectors = leading_eigenvectors(centred, m)
        energy = float(np.trace(centred))
    genuine = values > max(_RANK_TOLERANCE * energy, 0.0)
    values, vectors = values[genuine][::-1], vectors[:, genuine][:, ::-1]
    # Kc a = sqrt(value) vector / root: coordinates of the cluster's own points.
    own = own - (np.square(vectors) @ values) / np.square(root)
    A = root[:, None] * vectors / np.sqrt(values)
    # A multiple of the shares adds nothing to a direction; this one makes the sums exactly 0.
    A -= p[:, None] * A.sum(axis=0)
    return p, A, t, r @ A, own


def _leading_by_lanczos(K, root, count):
    """Compute the largest eigenvalues of the weighted, centred kernel of a cluster and their vectors, ascending."""
    from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

    n, u = len(root), root / np.linalg.norm(root)

    def multiply(x):
        x = x.ravel()
        x = x - u * (u @ x)
        x = root * (K @ (root * x))
        return x - u * (u @ x)

    # The first vector is fixed, so that the result is.
    first = np.random.default_rng(n).normal(size=n)
    try:
        return eigsh(LinearOperator((n, n), multiply, dtype=np.float64), count, which="LA", v0=first, maxiter=50 * n)
    except ArpackError:
        raise InputError(
            f"the leading eigenvectors of a cluster of {n} points were not found; take a smaller n_dims={count}"
        ) from None


class KernelFlats(FlatsProblem):
    """One kernel k-flats problem, with the two steps that the alternation takes."""

    def __init__(self, kernel, weights, n_dims, n_jobs=None):
        self.kernel, self.weights, self.diagonal = kernel, weights, kernel.diagonal
        self.n_dims = n_dims
        self._n_jobs = n_jobs
        self.scale = float(np.abs(self.diagonal).max())
        self.energy = float(self.weights @ np.abs(self.diagonal))

    def k_means(self, labels, n_clusters, max_iter):
        """Run kernel k-means from these labels; return its labels."""
        points = KernelFlats(self.kernel, self.weights, 0, self._n_jobs)
        return alternate(points, labels, n_clusters, max_iter=max_iter).labels

    def fit(self, labels, n_clusters):
        """Fit the best flat to every cluster (none empty); return them and squared distances of points to their own."""
        n, m = len(labels), self.n_dims
        shares, own, coefficients = np.empty(n), np.empty(n), np.zeros((n, m))
        mean_norms, shifts = np.empty(n_clusters), np.zeros((n_clusters, m))
        dims = np.zeros(n_clusters, dtype=np.int32)
        for j, members in members_by_cluster(labels, n_clusters):
            part, large = self.kernel.block(members, members, _FLOAT), len(members) > max(_SMALL, 20 * m)
            found = fit_cluster(part, self.weights[members], m, large)
            shares[members], directions, mean_norms[j], products, own[members] = found
            d = dims[j] = len(products)
            coefficients[members, :d], shifts[j, :d] = directions, products
        return KernelFlatSet(labels.copy(), shares, coefficients, mean_norms, shifts, dims), own

    def distances_to_point(self, i):
        """Compute squared distances of all points to one of them in feature space."""
        distances = self.diagonal + self.diagonal[i] - 2 * self.kernel.column(i)
        # Copies of the point are at distance 0, which rounding must not turn into something that can be drawn.
        distances[distances < _ROUNDING * self.scale] = 0.0
        distances[i] = 0.0
        return distances

    def reassign(self, flats, labels):
        """Move every point to its nearest flat, ties staying where they are; return labels."""
        columns = self.kernel.columns()

        def work(start, stop):
            return flats.nearest(columns.rows(start, stop), labels[start:stop], _ROUNDING * self.scale)[0]

        return np.concatenate(map_blocks(work, block_borders(columns), self._n_jobs))


@parameters
class KernelKFlats(KernelEstimator, FlatsClusterer):
    """Kernel k-flats clustering of vectors and kernel matrices: flats in the feature space of a kernel.

    Parameters
    ----------
    n_clusters : int, default 8
    n_dims : int, default 1
        Dimension of the flats. 0 is kernel k-means; ``n_clusters=1`` is kernel PCA.
    kernel, bandwidth, gamma
        As for :class:`NystromFeatures`. The report's rule for the bandwidth is ``("neighbours", 0.1)``.
    init : {"k-means++", "farthest", "random", "k-means"} or ndarray of shape (n_samples,), default "k-means++"
        The first labels, as for :class:`KFlats`.
    n_init : int, default 10
        Initialisations, of which the best is kept; one for labels given.
    on_indefinite : {"error", "warn"}, default "error"
        Treatment of kernels that are not positive semi-definite.
    max_iter, random_state, n_jobs, verbose
        As for :class:`KFlats`.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        The flat of every point.
    flats_ : KernelFlatSet
        The flats, as combinations of points; ``dims`` holds their dimensions.
    kernel_ : KernelFunction or None
        The kernel over vectors with its bandwidth; None for matrices.
    reconstruction_error_, inertia_, history_, n_iter_, converged_
        As for :class:`KFlats`, in feature space: errors for different kernels or bandwidths cannot be compared.
    n_features_in_ : int
        Columns of the vectors or the matrix.

    Notes
    -----
    The kernel matrix is held: at most 20,000 points. Distances of new points need K(x, x): for rows of a kernel matrix
    its mean over the fit stands for it.

    References
    ----------
    El Ghazzal, "Learning data representation and piece-wise estimation", 2012, algorithm 5.

    Examples
    --------
    >>> import graphcore
    >>> from sklearn.datasets import make_circles
    >>> points, truth = make_circles(200, factor=0.1, random_state=0)
    >>> model = graphcore.KernelKFlats(2, 0, bandwidth=0.3, random_state=0).fit(points)
    >>> graphcore.metrics.agreement(truth, model.labels_)["ari"]
    1.0
    """

    n_clusters: int = 8
    n_dims: int = 1
    _: KW_ONLY
    on_indefinite: str = "error"

    def _fit(self, X, sample_weight, streams):
        kernel, rows, k = self._weighted_kernel_of(X, sample_weight, streams)
        options = passed_on(self, "n_dims init n_init max_iter on_indefinite n_jobs verbose")
        result = kernel_k_flats(kernel, k, sample_weight=rows.weights, random_state=streams, **options)
        self._result = result
        self.flats_: KernelFlatSet = result.flats
        self._keep_diagonal(kernel, rows.weights)
        self._keep(result)
        return result.labels, rows

    def _rows(self, X):
        """Checked points as the result takes them, and kernel values with themselves where X is rows of the kernel."""
        if self._kind == "vectors":
            return X.astype(np.float64, copy=False), None
        return X, self._own_values(X)

    def _nearest(self, X):
        return self._result.nearest(*self._rows(X))

    def _distances(self, X):
        return np.sqrt(np.maximum(self._result.distances_to(*self._rows(X)), 0.0))

    def _codes(self, X):
        return self._result.codes_of(self._rows(X)[0])
