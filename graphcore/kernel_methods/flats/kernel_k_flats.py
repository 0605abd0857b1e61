"""Kernel k-flats, function and class: affine flats in the feature space of a kernel; of dimension 0 kernel k-means."""

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from ...base.loops import cached_property, limited_libraries, map_blocks
from ...base.streams import Streams
from ...base.types import ArrayLike, Bandwidth, KernelLike, RandomState
from ...base.validation import check_choice, check_real, check_sample_weight, read_only
from ...cluster.pipeline import cluster_graph
from ...cluster.settings import resolve_settings
from ...exceptions import InputError, ParameterError, warn_user
from ...kernels.base import block_borders, matrix_columns, vector_columns
from ...kernels.checks import (
    check_magnitude,
    clearly_negative,
    eigenvalue_noise,
    report_indefinite,
    smallest_sampled_eigenvalue,
)
from ...kernels.graph import GraphKernel
from ...kernels.matrices import DenseKernel
from ...kernels.vectors import VectorKernel
from ..alternation import FlatsProblem, Rules, alternate, best_of, label_draws
from ..base import KernelEstimator, kernel_and_weights, rows_of_nodes
from ._loops import nearest_rows
from .k_flats import (
    Codes,
    FlatsClusterer,
    KFlatsResult,
    as_points,
    leading_eigenvectors,
    members_by_cluster,
    result_of,
)

# Up to this many points the kernel matrix of vectors is held (512 MiB); beyond, it is computed anew in every pass.
_HELD_POINTS = 8192
# Up to this many means and directions, one dense product with all of them is faster than a sparse one.
_FEW_COLUMNS = 32
# Clusters up to this size get dense eigenvectors, which are faster than Lanczos there.
_SMALL_SPARSE, _SMALL_DENSE = 200, 1000
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
        """Find the nearest flat of points from their kernel rows; of sparse rows in time proportional to their entries.

        Given where the points are now (`labels`), they move only if that is nearer by more than `slack`. Returns labels
        (int32) and squared distances less the kernel values of the points with themselves.
        """
        n_rows = K.shape[0]
        if not hasattr(K, "tocsr"):
            D, places = self.squared_distances(K), np.arange(n_rows)
            best = D.argmin(axis=1).astype(np.int32)
            if labels is not None:
                best = np.where(D[places, best] < D[places, labels] - slack, best, labels)
            return best, D[places, best]
        out, values = np.empty(n_rows, dtype=np.int32), np.empty(n_rows)
        here = np.full(n_rows, -1, dtype=np.int32) if labels is None else labels
        base = self.mean_norms - np.square(self.shifts).sum(axis=1)
        flats = self.mean_norms, self.shifts, base, np.argsort(base, kind="stable")
        points = self.labels, np.column_stack([self.shares, self.coefficients])
        rows = read_only(K.indptr, np.int64), read_only(K.indices, np.int32), read_only(K.data, np.float64)
        nearest_rows(
            rows, tuple(map(read_only, points)), tuple(map(read_only, flats)), read_only(here), slack, out, values
        )
        return out, values


@dataclass(frozen=True, eq=False)
class KernelKFlatsResult(KFlatsResult):
    """Flats (a KernelFlatSet) fitted in feature space; errors for different kernels or bandwidths cannot be compared.

    Isolated nodes of a graph have label -1 and distance 0.
    """

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
    K,
    n_clusters,
    n_dims=1,
    *,
    shift=0.0,
    init="k-means++",
    sample_weight=None,
    on_indefinite="error",
    random_state=None,
    **rules,
):
    """Cover points by affine flats in the feature space of a kernel, a KernelKFlatsResult.

    K is a Kernel, a Graph, which stands for its normalised-cut kernel ``D^-1 A D^-1``, or a precomputed square array or
    sparse matrix; for vectors it is a `VectorKernel`. A graph has its own weights, the degrees, and its isolated nodes
    are in no cluster. Work is done with ``K + shift W^-1``, as in `kernel_kmeans`. The other parameters, those in
    `rules` too (`n_init`, `max_iter`, `on_empty`, `on_degenerate`, `n_jobs`, `verbose`), are as for
    :class:`graphcore.KernelKFlats`, `max_restarts` as for `k_flats`, and so are errors: a kernel is looked at for
    negative eigenvalues among 500 points, and for negative squared distances. With `on_indefinite` "warn" the objective
    may rise on the way, a run ends where a partition comes back, and the best one met is kept.

    A pass takes O(n^2 n_dims) if the kernel is dense and O(nnz n_dims) if it is sparse. A dense kernel is centred once,
    since distances are differences of large sums; a sparse one, or that of a graph, is never made dense. Vectors beyond
    8,192 are never made into one matrix: the kernel is computed by blocks in every pass, and for each cluster in a
    square block.

    >>> import graphcore
    >>> from graphcore.kernel_methods.flats.kernel_k_flats import kernel_k_flats
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
    fit = FitKernel(given, weights, shift)
    rules = Rules(n_clusters, n_dims, **rules)
    if rules.on_degenerate == "pad":
        raise ParameterError(
            "on_degenerate='pad' is for vectors only: feature space has no other directions to pad with"
        )
    rules = rules.checked(weights, len(fit.weights) - 1, "the number of points less one")
    _check_definite(fit, on_indefinite)
    import scipy.linalg  # noqa: F401  loaded before its threads are limited

    with limited_libraries():
        problem = KernelFlats(fit, rules.n_dims, rules.n_jobs)
        run = best_of(problem, rules, label_draws(problem, init, rules, weights, Streams(random_state)))
        lowest, rounding = float(run.look.own.min()), eigenvalue_noise(fit.kernel.n_points, given.precision)
        if lowest < -rounding * problem.scale and on_indefinite == "error":
            raise InputError(
                f"the kernel is not positive semi-definite: a squared distance came out as {lowest:.3g}; raise "
                "shift=, which adds to its diagonal, or give on_indefinite='warn'"
            )

        def nearest_of(flats, points):
            if given.leaves_out_isolated:
                return np.full(len(points), -1, dtype=np.int32), np.zeros(len(points))
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
    """The kernel of one fit, ``K + shift W^-1`` among the points that have weight, and its rows for new points.

    A dense kernel is centred, since distances are differences of large sums; the linear kernel by its vectors.
    """

    def __init__(self, given, weights, shift=0.0):
        shift = check_real("shift", shift, low=0.0)
        points = np.flatnonzero(weights > 0)
        every = len(points) == len(weights)
        self.given, self.is_psd, self.weights = given, given.is_psd, weights[points]
        self.function = given.function if isinstance(given, VectorKernel) else None
        self.points = None if every else points
        self.origin = self.row_means = None
        with np.errstate(over="ignore"):
            self.added = shift / self.weights  # to the diagonal of `kernel`
        check_magnitude(
            f"the diagonal of the kernel with shift={shift:g}", max(float(self.added.max()), 1.0), np.float64
        )
        part = slice(None) if every else points
        if self.function is not None:
            if shift:
                raise ParameterError(f"shift={shift} is for graphs and kernel matrices; kernels over vectors need none")
            self._over_vectors(given.X[part])
        elif given.is_sparse:
            self.kernel = given if every else given.submatrix(points)
            if given.leaves_out_isolated and shift >= given.definite_shift(weights):
                self.is_psd = True
        else:
            values = np.array(given.block(part, part), dtype=np.float64)
            values += values.T.copy()
            values *= 0.5
            values[np.diag_indices_from(values)] += self.added
            self.added = np.zeros(len(points))
            self._centre(values)

    def _over_vectors(self, X):
        """Make the kernel of vectors, held and centred up to `_HELD_POINTS`, by blocks beyond."""
        X = X.astype(np.float64, copy=False) if hasattr(X, "tocsr") else as_points(X)
        if self.function.name == "linear" and not hasattr(X, "tocsr"):
            self.origin = X.mean(axis=0)
            X = X - self.origin
        self.vectors, self.kernel = X, VectorKernel(X, self.function, _FLOAT, held_bytes=0)
        if X.shape[0] <= _HELD_POINTS:
            values = self.kernel.block(slice(None), slice(None))
            if self.function.name in ("polynomial", "callable") or (
                self.function.name == "linear" and self.origin is None
            ):
                self._centre(values)
            else:
                self.kernel = DenseKernel(values, check=False)

    def _centre(self, K):
        """Centre a matrix in place, and hold it."""
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
        if self.row_means is None:
            return K, diagonal
        K = _dense(K)
        means, total = K.mean(axis=1), self.row_means.mean()
        return K - means[:, None] - self.row_means + total, diagonal - 2 * means + total

    @property
    def diagonal(self):
        """Kernel values of the points of the fit with themselves."""
        return self.kernel.diagonal + self.added

    def among(self, points):
        """Return the matrix among some points of the fit (ascending): a csr_array if it is sparse, else an ndarray."""
        if not self.kernel.is_sparse:
            return self.kernel.block(points, points, _FLOAT)
        return _plus_diagonal(self.kernel.submatrix(points).whole("a cluster"), 0, self.added[points])

    def rows(self, start, stop):
        """Return the rows from `start` to `stop`, a csr_array if the kernel is sparse, else an ndarray."""
        rows = self.kernel.columns().rows(start, stop)
        return _plus_diagonal(rows, start, self.added[start:stop]) if self.kernel.is_sparse else rows


def _plus_diagonal(rows, first, values):
    """Add values to sparse rows at their own points; the first row is that of point `first`."""
    import scipy.sparse as sp

    return rows + sp.diags_array(values, offsets=first, shape=rows.shape)


def _dense(K):
    return K.toarray() if hasattr(K, "tocsr") else np.asarray(K)


def _check_definite(fit, on_indefinite):
    """Refuse kernels that are not positive semi-definite, or warn of them."""
    told = {
        "remedy": "raise shift=, which adds to its diagonal, or take on_indefinite='warn' to go on",
        "consequence": "the alternation need not settle; shift= adds to its diagonal",
    }
    if fit.is_psd:
        return
    ends = np.array([-1.0, 1.0])  # of a function that is known to be indefinite
    if fit.is_psd is None:
        shifted = _Shifted(fit) if fit.added.any() else fit.kernel
        ends[0] = smallest_sampled_eigenvalue(shifted)
    if clearly_negative(ends, fit.given.precision, fit.kernel.n_points):
        report_indefinite(ends, on_indefinite, where="in shares of the largest", **told)


class _Shifted:
    """A sparse kernel with its shift, for a look at some of its points."""

    def __init__(self, fit):
        self._fit, self.n_points, self.precision = fit, fit.kernel.n_points, fit.given.precision

    def block(self, points, _):
        return _dense(self._fit.among(points))


def fit_cluster(K, weights, n_dims, lanczos=False):
    """Fit the best flat to a cluster of n points; of fewer dimensions where the cluster has no more.

    By dense eigenvectors of its kernel, or by Lanczos (for a sparse K, or few directions of many points), which forms
    no centred matrix. Returns its mean (n,) and orthonormal directions (n, n_dims) as combinations of the points, the
    squared norm of the mean and its products with the directions (n_dims,), and the squared distances of the points to
    it (n,).
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
    """One kernel k-flats problem, with the two steps that the alternation takes.

    A pass is O(n^2 n_dims) for a dense kernel and O(entries n_dims) for a sparse one.
    """

    def __init__(self, fit_kernel, n_dims, n_jobs=None):
        self.kernel = fit_kernel
        self.weights = fit_kernel.weights
        self.diagonal = fit_kernel.diagonal
        self.n_dims = n_dims
        self._n_jobs = n_jobs
        self.scale = float(np.abs(self.diagonal).max())
        self.energy = float(self.weights @ np.abs(self.diagonal))

    def k_means(self, labels, n_clusters, max_iter):
        """Run kernel k-means from these labels; return its labels."""
        return alternate(KernelFlats(self.kernel, 0, self._n_jobs), labels, n_clusters, max_iter=max_iter).labels

    def fit(self, labels, n_clusters):
        """Fit the best flat to every cluster (none empty); return them and squared distances of points to their own."""
        sparse, m = self.kernel.kernel.is_sparse, self.n_dims
        small = max(_SMALL_SPARSE, 4 * m) if sparse else max(_SMALL_DENSE, 20 * m)
        n = len(labels)
        shares, own, coefficients = np.empty(n), np.empty(n), np.zeros((n, m))
        mean_norms, shifts = np.empty(n_clusters), np.zeros((n_clusters, m))
        dims = np.zeros(n_clusters, dtype=np.int32)
        for j, members in members_by_cluster(labels, n_clusters):
            part, large = self.kernel.among(members), len(members) > small
            part = part if large else _dense(part)
            found = fit_cluster(part, self.weights[members], m, large)
            shares[members], directions, mean_norms[j], products, own[members] = found
            d = dims[j] = len(products)
            coefficients[members, :d], shifts[j, :d] = directions, products
        return KernelFlatSet(labels.copy(), shares, coefficients, mean_norms, shifts, dims), own

    def distances_to_point(self, i):
        """Compute squared distances of all points to one of them in feature space."""
        distances = self.diagonal + self.diagonal[i] - 2 * self.kernel.kernel.column(i)
        # Copies of the point are at distance 0, which rounding must not turn into something that can be drawn.
        distances[distances < _ROUNDING * self.scale] = 0.0
        distances[i] = 0.0
        return distances

    def reassign(self, flats, labels):
        """Move every point to its nearest flat, ties staying where they are; return labels."""

        def work(start, stop):
            return flats.nearest(self.kernel.rows(start, stop), labels[start:stop], _ROUNDING * self.scale)[0]

        return np.concatenate(map_blocks(work, block_borders(self.kernel.kernel.columns()), self._n_jobs))


class KernelKFlats(KernelEstimator, FlatsClusterer):
    """Kernel k-flats clustering of vectors, kernel matrices and graphs: flats in the feature space of a kernel.

    Parameters
    ----------
    n_clusters : int, default 8
    n_dims : int, default 1
        Dimension of the flats. 0 is kernel k-means; ``n_clusters=1`` is kernel PCA.
    kernel, bandwidth, gamma
        As for :class:`KernelKMeans`; of "normalized_cut" the kernel is ``shift D^-1 + D^-1 A D^-1``. The report's rule
        for the bandwidth is ``("neighbours", 0.1)``.
    shift : float, default 1
        Of the kernel "normalized_cut"; from 1 it is positive semi-definite. It changes the objective of all partitions
        by the same number (as long as no cluster is too small for its flat), but the larger it is the less does a node
        move on its own.
    init : str or ndarray of shape (n_samples,), default "auto"
        The first labels. "auto" is "spectral" for graphs, else "k-means++". "spectral" is
        :class:`CoresetSpectralClustering`; "k-means++", "farthest", "random" and "k-means" are those of
        `kernel_k_flats`.
    n_init : int, default 10
        Initialisations, of which the best is kept; one for "spectral" and for labels given.
    on_degenerate : {"reduce", "restart"}, default "reduce"
        Treatment of a cluster of at most `n_dims` points: a flat of fewer dimensions, or a new initialisation.
    on_indefinite : {"error", "warn"}, default "error"
        Treatment of kernels that are not positive semi-definite.
    max_iter, on_empty, random_state, n_jobs, verbose
        As for :class:`KFlats`.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        The flat of every point; -1 for nodes of a graph without an edge.
    flats_ : KernelFlatSet
        The flats, as combinations of points; ``dims`` holds their dimensions.
    kernel_ : KernelFunction or None
        The kernel over vectors with its bandwidth; None for matrices and graphs.
    reconstruction_error_, inertia_, history_, n_iter_, converged_
        As for :class:`KFlats`, in feature space: errors for different kernels or bandwidths cannot be compared.
    n_features_in_ : int
        Columns of the vectors or the matrix; nodes of a graph.

    Notes
    -----
    On a graph, flats of one dimension and more credit a cluster for its strongest inner modes beside its volume: they
    find a block low-rank approximation of the normalised adjacency, in which a cut *between sub-groups of a cluster*
    costs nothing. They are not a better normalised cut.

    Distances of new points need K(x, x): for rows of a kernel matrix its mean over the fit stands for it, and a new
    node of a graph is taken to have no loop.

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

    _takes_graphs = True

    def __init__(
        self,
        n_clusters: int = 8,
        n_dims: int = 1,
        *,
        kernel: KernelLike = "auto",
        bandwidth: Bandwidth = None,
        gamma: float | None = None,
        shift: float = 1.0,
        init: str | ArrayLike = "auto",
        n_init: int = 10,
        max_iter: int = 300,
        on_empty: str = "farthest",
        on_degenerate: str = "reduce",
        on_indefinite: str = "error",
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters, self.n_dims, self.init, self.n_init, self.max_iter = n_clusters, n_dims, init, n_init, max_iter
        self.kernel, self.bandwidth, self.gamma, self.shift = kernel, bandwidth, gamma, shift
        self.on_empty, self.on_degenerate, self.on_indefinite = on_empty, on_degenerate, on_indefinite
        self.random_state, self.n_jobs, self.verbose = random_state, n_jobs, verbose

    def _fit(self, X, sample_weight, streams):
        kernel, rows, k = self._weighted_kernel_of(X, sample_weight, streams)
        graph = kernel.graph if self._kind == "graph" else None
        result = kernel_k_flats(
            kernel, k, self.n_dims, shift=0.0 if graph is None else self.shift, init=self._first_labels(graph, streams),
            sample_weight=rows.weights, on_indefinite=self.on_indefinite, random_state=streams, **self._rules(),
        )  # fmt: skip
        self._result = result
        self.flats_: KernelFlatSet = result.flats
        self._degrees = None if graph is None else kernel.point_weights
        self._keep_diagonal(kernel, rows.weights)
        self._keep(result)
        self.reconstruction_error_ = float(self._given_squares(result.error))
        return result.labels, rows

    def _graph_kernel(self, graph):
        return GraphKernel(graph)

    def _first_labels(self, graph, streams):
        """Return the initial labels, or the method that draws them: `init` with "auto" resolved."""
        init = self.init
        if isinstance(init, str) and init == "auto":
            init = "k-means++" if graph is None else "spectral"
        if isinstance(init, str) and init == "spectral":
            if graph is None:
                raise ParameterError("init='spectral' is for graphs; for other kernels take 'k-means++' or 'k-means'")
            settings = resolve_settings(graph, self.n_clusters)
            return cluster_graph(graph, settings, random_state=streams.child("spectral"), n_jobs=self.n_jobs).labels
        if graph is not None and 0 < graph.n_isolated < graph.n_nodes:
            warn_user(f"{graph.n_isolated} nodes without an edge belong to no cluster: their label is -1")
        return init

    def _rows(self, X):
        """New points as the result takes them, their kernel values with themselves, and their degrees in a graph."""
        X = self._new_points(X)
        if self._kind == "vectors":
            return X.astype(np.float64, copy=False), None, None
        if self._kind == "precomputed":
            return X, np.full(X.shape[0], self._mean_diagonal), None
        degrees = np.asarray(X.sum(axis=1), dtype=np.float64).ravel()
        # As of nodes without a loop; infinitely far without an edge.
        own = np.divide(self.shift, degrees, out=np.full(len(degrees), np.inf), where=degrees > 0)
        return rows_of_nodes(X, degrees, self._degrees), own, degrees

    def _nearest(self, X):
        rows, _, degrees = self._rows(X)
        labels = self._result.nearest(rows)[0]
        if degrees is not None:
            labels[degrees == 0] = -1
        return labels

    def _cost(self, X, sample_weight):
        rows, own, degrees = self._rows(X)
        weights = check_sample_weight(sample_weight, rows.shape[0])
        if degrees is not None:
            own, weights = np.where(degrees > 0, own, 0.0), weights * degrees
            if not weights.any():
                raise InputError("no new node has an edge to a fitted one: there is no cost")
        distances = self._given_squares(self._result.nearest(rows, own)[1])
        return float(np.average(distances, weights=weights))

    def _distances(self, X):
        rows, own, _ = self._rows(X)
        return np.sqrt(np.maximum(self._given_squares(self._result.distances_to(rows, own)), 0.0))

    def _codes(self, X):
        rows = self._rows(X)[0]  # refuses before a fit
        return self._result.codes_of(rows)
