"""The scikit-learn class for exact kernel k-means, and what it shares with the one for coresets."""

from dataclasses import KW_ONLY

import numpy as np

from ..base.estimator import parameters, passed_on, stages_of
from ..base.types import ArrayLike, Floats
from ..base.validation import check_integer, check_real, check_sample_weight, warn_of_isolated
from ..distributed.chunks import is_chunked
from ..exceptions import InputError
from ..graphs.weights import given_unit
from ..kernel_methods.flats.fit_kernel import rows_of_nodes
from ..kernel_methods.kmeans.centroids import nearest_centroid
from ..kernel_methods.kmeans.exact import KernelKMeansResult, kernel_kmeans
from ..kernels.columns import matrix_columns
from ..kernels.graph import GraphKernel, warn_of_loops
from ..kernels.vectors import VectorKernel, columns_of, kernel_over
from ._kernel_input import KernelInput
from ._points import PointClusterer


@parameters
class CentroidClusterer(KernelInput, PointClusterer):
    """Base of KernelKMeans and CoresetKernelKMeans; see them for the parameters."""

    _takes_graphs = True
    # What self_loop="auto" is.
    _auto_loop = 0.0

    _: KW_ONLY
    init: str | ArrayLike = "k-means++"
    tol: float = 0.0
    self_loop: float | str = "auto"
    on_empty: str = "farthest"
    on_indefinite: str = "warn"
    held_bytes: int = 1 << 28
    symmetrize: str = "max"

    def _graph_kernel(self, X):
        auto = isinstance(self.self_loop, str) and self.self_loop == "auto"
        self_loop = self._auto_loop if auto else check_real("self_loop", self.self_loop, low=0.0)
        graph = self._graph_of(X)
        warn_of_isolated(graph)
        kernel = GraphKernel(graph, self_loop)
        warn_of_loops(kernel)
        return kernel

    def _vector_kernel(self, X):
        held_bytes = check_integer("held_bytes", self.held_bytes, low=0)
        return kernel_over(X, self.kernel_) if is_chunked(X) else VectorKernel(X, self.kernel_, held_bytes=held_bytes)

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

    def _nearest(self, X):
        return self._joined(self._new_points(X))[0]

    def _cost(self, X, sample_weight):
        X = self._new_points(X)
        weights = None if sample_weight is None else check_sample_weight(sample_weight, X.shape[0])
        if self._kind == "graph":
            degrees = self._degrees(X)
            weights = degrees if weights is None else weights * degrees
            if not weights.any():
                raise InputError("no new node has an edge to a fitted one: there is no cost")
            own = np.divide(self._loop, degrees**2, out=np.zeros(len(degrees)), where=degrees > 0)
        else:
            own = self._own_values(X)
        return float(self._given_squares(np.average(own + self._joined(X)[1], weights=weights)))

    def _joined(self, X):
        """Nearest centroid of checked points, and their squared distance to it less ``K(x, x)``."""
        if self._kind == "vectors":
            columns = columns_of(self.kernel_, X, self._reference, self._precision)
            return nearest_centroid(columns, self._centroids, self.n_jobs)
        rows = X if self._points is None else X[:, self._points]
        if self._kind == "graph":
            degrees = self._degrees(X)
            rows = rows_of_nodes(rows, degrees, self._reference)
        labels, values = nearest_centroid(matrix_columns(rows, np.dtype(np.float64)), self._centroids)
        if self._kind == "graph":
            labels[degrees == 0] = -1
        return labels, values

    def _degrees(self, X):
        """Degrees of new nodes, with the loop."""
        degrees = np.asarray(X.sum(axis=1), dtype=np.float64).ravel()
        degrees[degrees > 0] += self._loop
        return degrees


@parameters
class KernelKMeans(CentroidClusterer):
    """Weighted kernel k-means on all points: of vectors, of a precomputed kernel, or of a graph.

    Parameters
    ----------
    n_clusters : int, default 8
    kernel : str or callable, default "auto"
        - "gaussian" ("rbf"), "laplacian", "polynomial" ("poly"), "sigmoid", "cosine", "linear" or a function
          ``kernel(X, Y)``: kernels over vectors, see `kernel_function`
        - "precomputed": :meth:`fit` gets the kernel matrix, dense or sparse
        - "normalized_cut": it gets a graph, a networkx graph or an adjacency matrix A, with kernel
          ``D^-1 A D^-1`` and the degrees as weights; kernel k-means then is normalised cut
        - "auto": "normalized_cut" for graphs and square sparse matrices, "gaussian" for everything else. Name the
          kernel where a square sparse matrix holds vectors, and in a search over an adjacency matrix: with "auto"
          scikit-learn cuts out its rows only, which are not square and would be clustered as vectors.
    bandwidth : float, str or (str, number), optional
        Sigma of ``exp(-|x - y|^2 / (2 sigma^2))``, or a rule: ``("rms", beta)``, ``("quantile", q)``,
        ``("neighbours", share)``. Default ``("rms", 1.0)``, the root mean square distance.
    gamma : float, optional
        In place of the bandwidth; 1 / (2 sigma^2) for the Gaussian kernel.
    degree : int, default 3
    coef0 : float, default 1
        Constant term of the polynomial and sigmoid kernels.
    init : {"k-means++", "random"} or array-like of shape (n_samples,), default "k-means++"
        D2 sampling in feature space, random points as centres, or labels to start from.
    seeding : {"auto", "fast", "naive"}, default "auto"
        How seeds are drawn. "fast" reads only the rows of seeds, of a graph or a sparse kernel matrix without negative
        entries; "naive" visits all points for every seed. Both make the same draws. "auto" is "fast" where it applies.
    n_init : int, default 10
        Number of initialisations; the best is kept.
    max_iter : int, default 300
    tol : float, default 0
        Stop when the cost falls by no more than this share of itself. 0 iterates until no point moves.
    shift : float or "psd", default 0
        Multiple of the identity (over the weights) that is added to the kernel while iterating; "psd" makes an
        indefinite kernel positive semi-definite. See `kernel_kmeans`.
    self_loop : float or "auto", default "auto"
        Weight of a loop on every node of a graph, in the kernel only, as a multiple of the graph's mean weight. "auto"
        is 0: kernel k-means then is normalised cut.
    on_empty : {"farthest", "drop", "error"}, default "farthest"
        Treatment of a cluster that lost all its points: it takes the point that is farthest from its centroid, stays
        empty, or ends the fit.
    on_indefinite : {"warn", "error"}, default "warn"
        Treatment of a kernel that is not positive semi-definite: it is used with a warning, or rejected.
        Has no effect with ``shift="psd"`` or on the kernel of a graph.
    held_bytes : int, default 256 MiB
        A kernel matrix over vectors up to this size is held; of a larger one blocks are evaluated again each time.
    symmetrize : {"max", "average", "sum", "min", "error"}, default "max"
        How an asymmetric adjacency matrix is made symmetric, see :meth:`graphcore.Graph.from_edges`.
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
    Where "cycle" or "max_iter" ended the best start, or with a `shift`, points may be nearer to another centroid than
    to their own, and :meth:`predict` then differs from `labels_` on the fitted points.

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
    seeding: str = "auto"
    shift: float | str = 0.0

    def _fit(self, X, sample_weight, streams):
        with stages_of(self) as stages:
            with stages("kernel"):
                kernel, rows, k = self._weighted_kernel_of(X, sample_weight, streams)
            with stages("k-means"):
                options = passed_on(self, "init seeding n_init max_iter tol shift on_empty on_indefinite n_jobs")
                result = kernel_kmeans(kernel, k, weights=rows.weights, random_state=streams, **options)
        self.cost_: float = float(self._given_squares(result.cost))
        self.inertia_: float = result.inertia
        self.cluster_weights_: Floats = result.centroids.masses
        if self._kind == "graph":
            self.cluster_weights_ = given_unit(self.cluster_weights_, self._exponent)
        self.result_: KernelKMeansResult = result
        self._keep(kernel, None, result.run, result.centroids, result.centroids.weights)
        return result.labels, rows
