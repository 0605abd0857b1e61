"""Weighted kernel k-means on all points, the reference for every approximation: the function and the class."""

from dataclasses import KW_ONLY, dataclass, field
from itertools import count
from typing import NamedTuple

import numpy as np

from ..base.estimator import parameters, passed_on, stages_of
from ..base.loops import effective_jobs, limited_libraries
from ..base.streams import Streams
from ..base.types import ArrayLike, Floats
from ..base.validation import check_choice, check_labels, check_real, check_sample_weight, warn_of_isolated
from ..cluster.coreset import check_seeding, draw_seeds
from ..exceptions import InputError, ParameterError, warn_user
from ..graphs.rows import given_unit
from ..kernels.base import map_rows, matrix_columns, membership_matrix
from ..kernels.checks import check_diagonal, report_indefinite, smallest_sampled_eigenvalue, spectrum_ends
from ..kernels.graph import GraphKernel
from .alternation import Look, Rules, Run, runs_from
from .base import KernelEstimator, PointClusterer, kernel_and_weights, rows_of_nodes

# The nearest of D2 draws in feature space, or of random points.
INITIALISATIONS = ("k-means++", "random")
# Bytes of the kernel rows of a block of points, or of their sums with all clusters.
_BLOCK_BYTES = 1 << 26


class Centroids(NamedTuple):
    """Centroids in kernel space: the points that they are means of, and sums of every cluster."""

    labels: np.ndarray  # (n_points,) int32: the cluster of every point
    weights: np.ndarray  # (n_points,) float64
    masses: np.ndarray  # (n_clusters,) float64: weights of the clusters; 0 for empty ones
    norms: np.ndarray  # (n_clusters,) float64: squared norms of their centroids; inf for empty clusters


class Step(NamedTuple):
    """Distances of all points to the centroids of a partition, and its cost."""

    masses: np.ndarray  # (n_clusters,), as of Centroids
    norms: np.ndarray  # (n_clusters,), with the shift
    distances: np.ndarray  # (n_points,): squared, to the nearest; those of an indefinite kernel may be negative


@dataclass(frozen=True, eq=False)
class KernelKMeansResult:
    """A partition found by kernel k-means, with the run of the best initialisation."""

    cost: float  # ``sum_x w_x |phi(x) - c(x)|^2 / sum_x w_x``: the mean over points that the papers report
    inertia: float  # the sum itself
    # A point x is nearest to the cluster of least ``norms_j - 2 sum_{y in j} w_y K_xy / masses_j``, without the shift.
    centroids: Centroids = field(repr=False)
    shift: float  # the iterations worked with ``K + shift W^-1``; `cost` and `inertia` are those of K itself
    run: Run = field(repr=False)  # its history (sums with the shift), how it stopped, and how often the sum went up
    costs_of_initialisations: np.ndarray = field(repr=False)  # (n_init,) float64, as `cost`

    @property
    def labels(self):
        """Cluster of every point, (n_points,) int32; -1 for isolated nodes of a graph."""
        return self.centroids.labels


def kernel_kmeans(
    K,
    n_clusters,
    *,
    weights=None,
    init="k-means++",
    n_init=10,
    max_iter=300,
    tol=0.0,
    shift=0.0,
    random_state=None,
    n_jobs=None,
):
    """Run weighted kernel k-means, Lloyd's iterations in feature space: a KernelKMeansResult.

    K is a Kernel, a Graph, which stands for its normalised-cut kernel ``D^-1 A D^-1``, or a precomputed square array or
    sparse matrix. `weights` (n_points,) are not negative: ones by default, node degrees for a graph, which takes no
    others. An array given as `init` is a first partition, tried once. Where K has zeros on its diagonal that no inner
    product has (an adjacency kernel), centres are drawn by the distances of a shifted kernel. All other parameters,
    errors and warnings are as for :class:`graphcore.KernelKMeans`.

    With a `shift` the work is done with ``K + shift W^-1`` (which is ``K + shift I`` for equal weights). The cost of
    every partition into k clusters grows by the same ``shift (n - k)``, but every point is bound more tightly to the
    cluster it is in, and Lloyd's iterations stop earlier. "psd" takes the least shift that makes the kernel positive
    semi-definite, so that the cost never rises.

    >>> import numpy as np
    >>> from graphcore.kernel_methods.kernel_kmeans import kernel_kmeans
    >>> x = np.array([0.0, 1.0, 10.0, 11.0])
    >>> result = kernel_kmeans(np.outer(x, x), 2, random_state=0)
    >>> result.cost, bool(result.labels[0] == result.labels[1] != result.labels[2])
    (0.25, True)
    """
    kernel, weights = kernel_and_weights(K, weights, "weights")
    check_diagonal(kernel)
    rules = Rules(n_clusters, 0, n_init=n_init, max_iter=max_iter, tol=tol).checked(weights, 0, "")
    effective_jobs(n_jobs)  # refuses a wrong number of jobs, also where there is no work for two
    if isinstance(init, str) or init is None:
        check_choice("init", init, INITIALISATIONS)
    else:
        init = _check_init(kernel, init, rules.n_clusters)
    streams = Streams(random_state)
    with limited_libraries():
        shift = _check_shift(kernel, weights, shift, streams, n_jobs)
        problem = KernelCentroids(kernel, weights, shift, n_jobs)
        first = _first_partitions(problem, rules.n_clusters, init, streams)
        runs = list(runs_from(problem, rules._replace(max_iter=rules.max_iter + 1), first))
    return _result(problem, runs, rules.n_clusters)


class KernelCentroids:
    """One kernel k-means problem, ``K + shift W^-1``, for the alternation; points of label -1 take no part.

    With ``W_j`` the weight of cluster j and ``S_xj = sum_{y in j} w_y K_xy``,
    ``|phi(x) - c_j|^2 = K_xx - 2 S_xj / W_j + sum_{x in j} w_x S_xj / W_j^2``; a shift adds
    ``shift / w_x + shift / W_j``, and takes ``2 shift / W_j`` off where x is in j.
    """

    may_begin_empty = True

    def __init__(self, kernel, weights, shift=0.0, n_jobs=None):
        self.kernel, self.weights, self.shift, self._n_jobs = kernel, weights, shift, n_jobs
        self.noise = kernel.noise
        self.energy = float(np.abs(weights * kernel.diagonal).sum()) + abs(shift) * kernel.n_points

    def look(self, labels, n_clusters):
        """Compute distances to the centroids of a partition and find every nearest centroid, of equals the lowest."""
        kernel, weights, shift = self.kernel, self.weights, self.shift
        products = kernel.cluster_products(labels, weights, n_clusters, self._n_jobs)
        placed = np.flatnonzero(labels >= 0)
        j = labels[placed]
        masses = np.bincount(j, weights=weights[placed], minlength=n_clusters)
        filled = masses > 0
        divisors = np.where(filled, masses, np.inf)
        diagonal = kernel.diagonal
        if shift:
            diagonal = diagonal + np.divide(shift, weights, out=np.zeros(len(weights)), where=weights > 0)
        # A point without weight has no part in its cluster's centroid, so the shift does not bind it there.
        bonus = 2.0 * shift / divisors
        inner = products.own
        within = np.bincount(j, weights=(weights * inner)[placed], minlength=n_clusters)
        norms = np.where(filled, within / divisors**2 + shift / divisors, np.inf)
        own = np.zeros(len(labels))
        # A point without weight may sit in a cluster without mass.
        own[placed] = np.where(
            filled[j],
            diagonal[placed] + norms[j] - 2.0 * inner[placed] / divisors[j] - bonus[j] * (weights[placed] > 0),
            0.0,
        )
        nearest, distances = products.nearest(norms, divisors, bonus)
        distances += diagonal
        if kernel.leaves_out_isolated:
            isolated = weights == 0
            nearest[isolated], distances[isolated] = -1, 0.0
        # Points that do not differ from their centroid fill no cluster.
        floor = kernel.noise * float(np.abs(kernel.diagonal[weights > 0]).max())
        paid = np.where((weights > 0) & (distances > floor), weights * distances, -np.inf)
        return Look(nearest, own, paid, Step(masses, norms, distances))


def nearest_centroid(columns, centroids, n_jobs=None):
    """Find the nearest centroids of points, from their kernel (n_samples, n_points) with those of the fit.

    Returns labels (n_samples,), int32, and squared distances less ``K(x, x)``.
    """
    if not columns.shape[0]:
        return np.empty(0, dtype=np.int32), np.empty(0)
    labels, weights, masses, norms = centroids
    Z = membership_matrix(labels, weights, len(norms)).T
    # Sparse rows are those of large graphs, whose clusters may be too many for dense memberships.
    Z = Z.tocsr() if columns.is_sparse else Z.toarray()
    divisors = np.where(masses > 0, masses, np.inf)

    def nearest(rows):
        S = (rows @ Z).toarray() if columns.is_sparse else np.asarray(rows @ Z, dtype=np.float64)
        values = norms - 2.0 * S / divisors
        found = values.argmin(axis=1)
        return np.column_stack([found, values[np.arange(len(found)), found]])

    block_rows = max(1, min(_BLOCK_BYTES // max(8 * len(norms), columns.row_bytes), 1 << 14))
    found = map_rows(columns, nearest, n_jobs=n_jobs, block_rows=block_rows)
    return found[:, 0].astype(np.int32), found[:, 1]


def _check_init(kernel, labels, n_clusters):
    """Check labels of a first partition, and set those of isolated nodes to -1."""
    labels = np.array(check_labels("init", labels, kernel.n_points))
    isolated = kernel.point_weights == 0
    if labels.max() >= n_clusters or (labels[~isolated] < 0).any():
        raise ParameterError(
            f"init holds labels from {labels.min()} to {labels.max()}; with n_clusters={n_clusters} they run from 0 to "
            f"{n_clusters - 1}"
        )
    labels[isolated] = -1
    return labels


def initial_shift(kernel, weights, shift):
    """Choose the shift that distances of the first partition are taken with.

    It is `shift`, but for kernels with ``K_xx = 0`` where K_xy is not: no inner product has that. Distances then are
    those of a shifted kernel that is positive semi-definite, only for the start, as the shift would hinder the
    iterations.
    """
    bare = (weights > 0) & (kernel.diagonal == 0)
    if kernel.is_psd or not bare.any():
        return shift
    if kernel.leaves_out_isolated:
        return max(shift, kernel.definite_shift(weights))
    sums = kernel.absolute_sums(weights)
    return max(shift, float(sums.max())) if sums[bare].any() else shift  # without sums, points at the origin


def _first_partitions(problem, n_clusters, init, streams):
    """Yield first partitions: the one given, or drawn ones; one is enough with a centre at every different point."""
    if not isinstance(init, str):
        yield init
        return
    kernel, weights = problem.kernel, problem.weights
    shift = initial_shift(kernel, weights, problem.shift)
    for number in count():
        rng = streams.generator("start", number)
        seeds = _draw_centres(kernel, weights, n_clusters, init, rng, shift)
        if seeds.exhausted and seeds.n_negative:
            # Points at negative distances are not equal: they differ with a shift.
            shift = max(shift, kernel.definite_shift(weights))
            seeds = _draw_centres(kernel, weights, n_clusters, init, rng, shift)
        # Points without weight: any cluster will do, the first step finds the nearest.
        yield seeds.nearest if kernel.leaves_out_isolated else np.maximum(seeds.nearest, 0)
        if seeds.exhausted:
            return


def _draw_centres(kernel, weights, n_clusters, init, rng, shift):
    initial = ()
    if init == "random":
        taking_part = np.flatnonzero(weights > 0)
        initial = rng.choice(taking_part, min(n_clusters, len(taking_part)), replace=False)
    method = check_seeding(kernel, "auto")  # fast D2 draws for sparse kernels
    return draw_seeds(kernel, weights, n_clusters, rng, method=method, shift=shift, initial=initial)


def _check_shift(kernel, weights, shift, streams, n_jobs):
    """Return the shift as a number; an indefinite kernel without one is warned of."""
    if isinstance(shift, str):
        check_choice("shift", shift, ("psd",))
        return semidefinite_shift(kernel, weights, random_state=streams, n_jobs=n_jobs)
    shift = check_real("shift", shift, low=0.0)
    if not kernel.is_psd and not kernel.leaves_out_isolated:
        smallest = smallest_sampled_eigenvalue(kernel, streams)
        if smallest < 0 and shift == 0.0:
            report_indefinite(
                (smallest, 1.0),
                "warn",
                consequence="the cost may rise on the way, and the best partition met is kept; shift='psd' makes it "
                "fall, another kernel makes it a distance",
            )
    return shift


def semidefinite_shift(kernel, weights, *, random_state=None, n_jobs=None):
    """Compute a shift sigma for which ``K + sigma W^-1`` is positive semi-definite, as ``W^1/2 K W^1/2`` needs it.

    1 for the normalised-cut kernel of a graph; otherwise minus the least eigenvalue, computed densely up to 1,500
    points and by Lanczos beyond.
    """
    if kernel.is_psd:
        return 0.0
    if kernel.leaves_out_isolated and np.array_equal(weights, kernel.degrees):
        return kernel.definite_shift(weights)
    root, n = np.sqrt(weights), kernel.n_points
    from scipy.sparse.linalg import LinearOperator

    def apply(v):
        v = v.reshape(n, -1)
        return root[:, None] * kernel.product(root[:, None] * v, n_jobs)

    smallest, largest = spectrum_ends(LinearOperator((n, n), apply, matmat=apply, dtype=np.float64), random_state)
    # A little more than is needed; nothing where the least eigenvalue is negative by rounding alone.
    rounding = 1e-10 * max(abs(smallest), abs(largest))
    return float(rounding - smallest) if smallest < -rounding else 0.0


def _result(problem, runs, n_clusters):
    best, weights, shift = min(runs, key=lambda run: run.objective), problem.weights, problem.shift
    masses, norms = best.look.fitted.masses, best.look.fitted.norms.copy()
    filled = masses > 0
    n_found = int(filled.sum())
    # A shift adds the same to every partition into as many clusters: the weighted points less the clusters.
    extra = shift * (int(np.count_nonzero((weights > 0) & (best.labels >= 0))) - n_found)
    total = float(weights[best.labels >= 0].sum())
    norms[filled] -= shift / masses[filled]
    if n_found < n_clusters:
        scale = float(problem.kernel.diagonal.max()) + shift / float(weights[weights > 0].min())
        why = "there are no more different points under this kernel; ask for fewer clusters"
        if best.look.fitted.distances.min() < -problem.noise * scale:
            why = (
                "the kernel is not positive semi-definite, squared distances are negative, and no point is far enough "
                "from its centroid to be a cluster of its own; add a multiple of the identity to the kernel "
                "(self_loop=1.0 for a graph), or use KernelKMeans with shift='psd'"
            )
        warn_user(f"only {n_found} of n_clusters={n_clusters} clusters hold points: {why}")
    if all(run.stopped == "max_iter" for run in runs):
        warn_user(f"no initialisation converged in max_iter={len(best.history) - 1} iterations; raise max_iter, or tol")
    return KernelKMeansResult(
        cost=(best.objective - extra) / total,
        inertia=best.objective - extra,
        centroids=Centroids(best.labels, weights, masses, norms),
        shift=shift,
        run=best,
        costs_of_initialisations=np.array([(run.objective - extra) / total for run in runs]),
    )


@parameters
class CentroidClusterer(KernelEstimator, PointClusterer):
    """Base of KernelKMeans and CoresetKernelKMeans: new points go to the nearest centroid."""

    _: KW_ONLY
    n_init: int = 10
    max_iter: int = 300
    tol: float = 0.0
    self_loop: float | str = "auto"

    _takes_graphs = True
    # What self_loop="auto" is.
    _auto_loop = 0.0

    def _graph_kernel(self, graph):
        auto = isinstance(self.self_loop, str) and self.self_loop == "auto"
        self_loop = self._auto_loop if auto else check_real("self_loop", self.self_loop, low=0.0)
        warn_of_isolated(graph)
        kernel = GraphKernel(graph, self_loop)
        _warn_of_loops(kernel)
        return kernel

    def _keep(self, kernel, points, run, centroids, weights):
        """Keep a run's figures and centroids, and what these are made of: points with weights."""
        self.n_iter_: int = len(run.history)
        self.converged_: bool = run.converged
        self._points, self._centroids = points, centroids
        self._keep_diagonal(kernel, weights)
        if self._kind == "vectors":
            self._reference = kernel.X if points is None else kernel.X[points]
        elif self._kind == "graph":
            self._reference = kernel.degrees if points is None else kernel.degrees[points]
            self._loop = kernel.self_loop

    def _cost(self, X, sample_weight):
        weights = check_sample_weight(sample_weight, X.shape[0])
        if self._kind == "graph":
            degrees = self._degrees(X)
            weights = weights * degrees
            if not weights.any():
                raise InputError("no new node has an edge to a fitted one: there is no cost")
            own = np.divide(self._loop, degrees**2, out=np.zeros(len(degrees)), where=degrees > 0)
        else:
            own = self._own_values(X)
        return float(self._given_squares(np.average(own + self._nearest(X)[1], weights=weights)))

    def _nearest(self, X):
        """Nearest centroid of checked points, and their squared distance to it less ``K(x, x)``."""
        if self._kind != "graph":
            columns = self._columns(X, getattr(self, "_reference", None), self._points)
            return nearest_centroid(columns, self._centroids, self.n_jobs)
        degrees = self._degrees(X)
        rows = rows_of_nodes(X if self._points is None else X[:, self._points], degrees, self._reference)
        labels, values = nearest_centroid(matrix_columns(rows, np.dtype(np.float64)), self._centroids)
        labels[degrees == 0] = -1
        return labels, values

    def _degrees(self, X):
        """Degrees of new nodes, with the loop."""
        degrees = np.asarray(X.sum(axis=1), dtype=np.float64).ravel()
        degrees[degrees > 0] += self._loop
        return degrees


def _warn_of_loops(kernel):
    """Say so where the loops weigh more than the edges of most nodes, which then are near to nothing but themselves."""
    if kernel.self_loop:
        linked = kernel.degrees[kernel.degrees > 0]
        n_drowned = int(np.count_nonzero(linked < 2 * kernel.self_loop))
        if 2 * n_drowned > len(linked):
            warn_user(
                f"self_loop={kernel.self_loop / kernel.graph.mean_weight:.4g} times the mean weight is more than all "
                f"edges of {n_drowned} of {len(linked)} nodes weigh together, and drowns them; take a smaller self_loop"
            )


@parameters
class KernelKMeans(CentroidClusterer):
    """Weighted kernel k-means on all points: of vectors, of a precomputed kernel, or of a graph.

    Parameters
    ----------
    n_clusters : int, default 8
    kernel : str or callable, default "auto"
        - "gaussian" ("rbf"), "polynomial" ("poly"), "sigmoid", "linear": kernels over vectors; one of
          `kernel_function`, which takes all of their parameters, or any function ``kernel(X, Y)``, such as those of
          :mod:`sklearn.metrics.pairwise`
        - "precomputed": :meth:`fit` gets the kernel matrix, dense or sparse
        - "normalized_cut": it gets a graph, a networkx graph or an adjacency matrix A, with kernel
          ``D^-1 A D^-1`` and the degrees as weights; kernel k-means then is normalised cut
        - "auto": "normalized_cut" for graphs and square sparse matrices, "gaussian" for everything else. Name the
          kernel where a square sparse matrix holds vectors, and in a search over an adjacency matrix: with "auto"
          scikit-learn cuts out its rows only, which are not square and would be clustered as vectors.
    bandwidth : float, str or (str, number), optional
        Sigma of ``exp(-|x - y|^2 / (2 sigma^2))``, or a rule: ``("rms", beta)``, ``("quantile", q)``,
        ``("neighbours", share)``. Default ``("rms", 1.0)``, the root mean square distance of distinct vectors.
    gamma : float, optional
        In place of the bandwidth; 1 / (2 sigma^2) for the Gaussian kernel.
    init : {"k-means++", "random"} or array-like of shape (n_samples,), default "k-means++"
        D2 sampling in feature space, random points as centres, or labels to start from.
    n_init : int, default 10
        Number of initialisations; the best is kept.
    max_iter : int, default 300
    tol : float, default 0
        Stop when the cost falls by no more than this share of itself. 0 iterates until no point moves.
    shift : float or "psd", default 0
        Multiple of the identity (over the weights) that is added to the kernel while iterating; "psd" makes an
        indefinite kernel positive semi-definite, which is warned of otherwise. See `kernel_kmeans`.
    self_loop : float or "auto", default "auto"
        Weight of a loop on every node of a graph, in the kernel only, as a multiple of the graph's mean weight. "auto"
        is 0: kernel k-means then is normalised cut.
    random_state : int, numpy Generator, RandomState or None, default None
    n_jobs : int or None, default None
        Number of threads: None is one, -1 is all. The result does not depend on it.
    verbose : int, default 0
        1 reports the seconds of every stage, to the logger "graphcore" (INFO) or, if no logging is set up, to stderr.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        -1 for isolated nodes of a graph.
    cost_ : float
        ``sum_x w_x |phi(x) - c(x)|^2 / sum_x w_x``, the mean over points, as the papers report it.
    inertia_ : float
        The sum itself, scikit-learn's inertia. For a graph without loops it is ``kNC - k``, with kNC the sum of the
        clusters' conductances.
    cluster_weights_ : ndarray of shape (n_clusters,), float64
        Weight of every cluster; 0 for empty ones.
    n_iter_ : int
        Number of partitions that the best initialisation visited.
    converged_ : bool
        Whether the best initialisation converged, by `tol` too, and was not ended by `max_iter` or a cycle; see
        ``result_.run.stopped``.
    kernel_ : KernelFunction or None
        The kernel over vectors, with its bandwidth resolved.
    result_ : KernelKMeansResult
        Details of the run, over the distinct points with a weight.
    n_features_in_ : int

    See Also
    --------
    CoresetKernelKMeans : Kernel k-means on a coreset.

    Notes
    -----
    The cost of an iteration is O(n^2) kernel values (vectors, dense matrices) or O(entries) (sparse matrices, graphs).
    A cluster that lost all its points takes the point that is farthest from its centroid. Where "cycle" or "max_iter"
    ended the best start, or with a `shift`, points may be nearer to another centroid than to their own, and
    :meth:`predict` then differs from `labels_` on the fitted points.

    References
    ----------
    Dhillon, Guan, Kulis, "Kernel k-means, spectral clustering and normalized cuts", KDD 2004; Wang, Gittens, Mahoney,
    "Scalable kernel k-means clustering with Nystrom approximation", JMLR 2019, section 1.1.

    Examples
    --------
    >>> import graphcore
    >>> from sklearn.datasets import make_circles
    >>> X, y = make_circles(200, factor=0.2, random_state=0)
    >>> model = graphcore.KernelKMeans(2, bandwidth=0.3, random_state=0).fit(X)
    >>> round(graphcore.metrics.agreement(y, model.labels_)["ari"], 2)
    1.0
    """

    n_clusters: int = 8
    _: KW_ONLY
    init: str | ArrayLike = "k-means++"
    shift: float | str = 0.0

    def _fit(self, X, sample_weight, streams):
        with stages_of(self) as stages:
            with stages("kernel"):
                kernel, rows, k = self._weighted_kernel_of(X, sample_weight, streams)
            with stages("k-means"):
                options = passed_on(self, "init n_init max_iter tol shift n_jobs") | {"random_state": streams}
                result = kernel_kmeans(kernel, k, weights=rows.weights, **options)
        self.cost_: float = float(self._given_squares(result.cost))
        self.inertia_: float = result.inertia
        self.cluster_weights_: Floats = result.centroids.masses
        if self._kind == "graph":
            self.cluster_weights_ = given_unit(self.cluster_weights_, self._exponent)
        self.result_: KernelKMeansResult = result
        self._keep(kernel, None, result.run, result.centroids, result.centroids.weights)
        return result.labels, rows
