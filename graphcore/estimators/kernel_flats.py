"""The scikit-learn class for kernel k-flats."""

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from .._random import Streams
from .._validation import check_choice, check_sample_weight
from .._warn import warn_user
from ..exceptions import InputError, ParameterError
from ..flats.graph_kernel import cut_kernel_rows
from ..flats.kernel_k_flats import kernel_k_flats
from ..graphs.as_graph import as_graph, is_graph, is_graph_object
from ..graphs.graph import Graph
from ..kernels.functions import VECTOR_KERNELS, kernel_function
from ..kernels.graph import GraphKernel
from ..kernels.vectors import VectorKernel
from ..pipeline.cluster import cluster_graph
from ..pipeline.settings import resolve_settings
from ._flats import FlatsClusterer

__all__ = ["KernelKFlats"]


class KernelKFlats(FlatsClusterer):
    """Kernel k-flats clustering of vectors, kernel matrices and graphs: flats in the feature space of a kernel.

    Parameters
    ----------
    n_clusters : int, default 8
    n_dims : int, default 1
        Dimension of the flats. 0 is kernel k-means; ``n_clusters=1`` is kernel PCA.
    kernel : str or callable, default "auto"
        "auto": "normalized_cut" for graph objects and square sparse matrices, "gaussian" for everything else.
        "normalized_cut": what is given is a graph or an adjacency matrix A, with kernel ``shift D^-1 + D^-1 A D^-1``
        and the degrees as weights. "precomputed": the kernel matrix, dense or sparse. Otherwise a kernel over vectors,
        see :func:`graphcore.kernels.functions.kernel_function`.
    bandwidth : float, str or (str, number), optional
        Sigma of the Gaussian and the Laplacian kernel, or a rule for it, as in `kernel_function`; the default is the
        root mean square distance. The report's rule is ``("neighbours", 0.1)``: the median over the points of the
        radius of the ball around each that holds a tenth of the others.
    gamma : float, optional
    degree : int, default 3
    coef0 : float, default 1
        Parameters of the kernel over vectors.
    shift : float, default 1
        Of the kernel "normalized_cut"; from 1 it is positive semi-definite. It changes the objective of all partitions
        by the same number (as long as no cluster is too small for its flat), but the larger it is the less does a node
        move on its own.
    init : str or ndarray of shape (n_samples,), default "auto"
        The first labels. "auto" is "spectral" for graphs, else "k-means++". "spectral" is
        :class:`CoresetSpectralClustering`; "k-means++", "farthest", "random" and "k-means" are those of
        :func:`graphcore.flats.kernel_k_flats.kernel_k_flats`.
    n_init : int, default 10
        Initialisations, of which the best is kept; one for "spectral" and for labels given.
    max_iter : int, default 300
    on_empty : {"farthest", "restart", "drop", "error"}, default "farthest"
    on_degenerate : {"reduce", "restart"}, default "reduce"
        What becomes of clusters that run empty, or are too small for their flat.
    max_restarts : int, default 10
    on_indefinite : {"error", "warn"}, default "error"
        What becomes of kernels that are not positive semi-definite.
    symmetrize : {"max", "average", "sum", "min", "error"}, default "max"
        What becomes of an asymmetric adjacency matrix, see :meth:`graphcore.Graph.from_edges`.
    random_state : int, numpy Generator, RandomState or None, default None
    n_jobs : int or None, default None
        Threads: None is one, -1 is all. The result does not depend on it.
    verbose : int, default 0
        At 1, every initialisation is logged (INFO, logger "graphcore") with the time that it took.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        The flat of every point; -1 for nodes of a graph without an edge.
    flats_ : KernelFlatSet
        The flats, as combinations of points; ``dims`` holds their dimensions.
    kernel_ : KernelFunction or None
        The kernel over vectors with its bandwidth; None for matrices and graphs.
    reconstruction_error_ : float
        Mean squared distance of a point to its flat in feature space (weighted, if there are weights). Errors for
        different kernels or bandwidths cannot be compared.
    inertia_ : float
        Sum of the same.
    history_ : ndarray of shape (n_iter,), float64
        The inertia after each pass of the best initialisation.
    n_iter_ : int
    converged_ : bool
    n_features_in_ : int
        Columns of the vectors or the matrix; nodes of a graph.

    Notes
    -----
    On a graph, flats of one dimension and more credit a cluster for its strongest inner modes beside its volume: they
    find a block low-rank approximation of the normalised adjacency, in which a cut *between sub-groups of a cluster*
    costs nothing. They are not a better normalised cut.

    References
    ----------
    El Ghazzal, "Learning data representation and piece-wise estimation", 2012, algorithm 5.

    Examples
    --------
    >>> import graphcore
    >>> points, truth = graphcore.datasets.circles(200, (1, 10), random_state=0)
    >>> model = graphcore.KernelKFlats(2, 0, bandwidth=3.0, random_state=0).fit(points)
    >>> graphcore.metrics.agreement(truth, model.labels_)["ari"]
    1.0
    """

    def __init__(
        self,
        n_clusters=8,
        n_dims=1,
        *,
        kernel="auto",
        bandwidth=None,
        gamma=None,
        degree=3,
        coef0=1.0,
        shift=1.0,
        init="auto",
        n_init=10,
        max_iter=300,
        on_empty="farthest",
        on_degenerate="reduce",
        max_restarts=10,
        on_indefinite="error",
        symmetrize="max",
        random_state=None,
        n_jobs=None,
        verbose=0,
    ):
        self.n_clusters = n_clusters
        self.n_dims = n_dims
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.shift = shift
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.on_empty = on_empty
        self.on_degenerate = on_degenerate
        self.max_restarts = max_restarts
        self.on_indefinite = on_indefinite
        self.symmetrize = symmetrize
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X, y=None, sample_weight=None):
        """Fit flats in feature space.

        Parameters
        ----------
        X : array-like, sparse matrix or graph
            Vectors of shape (n_samples, n_features), a kernel matrix of shape (n_samples, n_samples), or a graph.
            See `kernel`.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), optional
            Not negative; points of weight 0 take no part, and get the label of their nearest flat. A graph has its own
            weights, the degrees.

        Returns
        -------
        KernelKFlats
            This object.

        Raises
        ------
        ValueError
            :class:`graphcore.InputError` or :class:`graphcore.ParameterError`, naming what is wrong and what to do.
        """
        kind = self._kind(X)
        streams = Streams(self.random_state)
        automatic, init, shift = isinstance(self.init, str) and self.init == "auto", self.init, 0.0
        if kind == "normalized_cut":
            if sample_weight is not None:
                raise ParameterError("sample_weight has no meaning for a graph: its degrees are the weights")
            graph = self._graph(X)
            K, shift = GraphKernel(graph), self.shift
            if automatic or (isinstance(init, str) and init == "spectral"):
                init = self._spectral_labels(graph, streams)
            elif 0 < (n := np.count_nonzero(K.point_weights == 0)) < K.n_points:
                warn_user(f"{n} nodes without an edge belong to no cluster: their label is -1")
        else:
            if isinstance(init, str) and init == "spectral":
                raise ParameterError("init='spectral' is for graphs; for other kernels take 'k-means++' or 'k-means'")
            init = "k-means++" if automatic else init
            K = self._points(X, kind, ensure_min_samples=2)
            if kind != "precomputed":
                K = VectorKernel(K, self._function(kind, K, streams))
        result = kernel_k_flats(
            K,
            self.n_clusters,
            self.n_dims,
            shift=shift,
            init=init,
            sample_weight=sample_weight,
            on_indefinite=self.on_indefinite,
            random_state=streams,
            **self._rules(),
        )
        self._result = result
        self._degrees = K.point_weights if kind == "normalized_cut" else None
        self._own_values = K.diagonal() if kind == "precomputed" else None
        self.kernel_ = result.new.function
        return self._keep(result)

    def fit_transform(self, X, y=None, sample_weight=None):
        """Fit, and the distances of the same points to every flat.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or kernel matrix of shape (n_samples, n_samples)
            No graph: its nodes have no rows of the kernel at hand.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        ndarray of shape (n_samples, n_clusters), float64
        """
        if self._kind(X) == "normalized_cut":
            raise InputError("fit_transform takes vectors or a kernel matrix; fit a graph and read labels_ and flats_")
        return self.fit(X, sample_weight=sample_weight).transform(X)

    def predict(self, X):
        """The nearest flat of new points.

        Parameters
        ----------
        X : array-like or sparse matrix
            Vectors of shape (n_samples_new, n_features). With ``kernel="precomputed"`` the kernel of the new points
            against those of the fit, of shape (n_samples_new, n_samples). For a graph the weights of the edges from new
            nodes to those of the fit, of the same shape.

        Returns
        -------
        ndarray of shape (n_samples_new,), int32
            -1 for new nodes without an edge to the nodes of the fit.
        """
        rows, _, degrees = self._rows(X)
        labels = self._result.nearest(rows)[0]
        if degrees is not None:
            labels[degrees == 0] = -1
        return labels

    def transform(self, X, diagonal=None):
        """Distances of points to every flat, in feature space.

        Parameters
        ----------
        X : array-like
            As for :meth:`predict`.
        diagonal : array-like of shape (n_samples_new,), optional
            Kernel values of the points with themselves; needed where X is rows of the kernel, unless these are the
            matrix of the fit again.

        Returns
        -------
        ndarray of shape (n_samples_new, n_clusters), float64
        """
        rows, diagonal, degrees = self._rows(X, diagonal)
        self._connected(degrees)
        if diagonal is None and self._own_values is not None:
            raise InputError(
                "rows of a kernel alone do not give distances: give diagonal=, the kernel values of the points with "
                "themselves"
            )
        return np.sqrt(np.maximum(self._result.distances_to(rows, diagonal), 0.0))

    def encode(self, X):
        """The nearest flat of points and the coordinates of their projection there.

        Feature space has no way back to vectors: there is no `inverse_transform`.

        Parameters
        ----------
        X : array-like
            As for :meth:`predict`.

        Returns
        -------
        Codes
            ``labels`` and ``coordinates``, see :class:`graphcore.flats.flat_set.Codes`.
        """
        rows, _, degrees = self._rows(X)
        self._connected(degrees)
        return self._result.codes_of(rows)

    def reconstruction_error(self, X, diagonal=None, sample_weight=None):
        """Mean squared distance of points to their nearest flats in feature space, for any points.

        Nodes of a graph count by their degrees, as in `reconstruction_error_`.

        Parameters
        ----------
        X : array-like
            As for :meth:`predict`.
        diagonal : array-like of shape (n_samples_new,), optional
            Kernel values of the points with themselves, where X is rows of the kernel. Without it their mean over the
            points of the fit stands for them, which is exact where the diagonal is constant, and otherwise the same for
            all models of a search.
        sample_weight : array-like of shape (n_samples_new,), optional
            Not negative; nodes of a graph take none.

        Returns
        -------
        float
        """
        rows, diagonal, degrees = self._rows(X, diagonal)
        self._connected(degrees)
        if degrees is not None and sample_weight is not None:
            raise ParameterError("sample_weight has no meaning for a graph: its degrees are the weights")
        weights = check_sample_weight(sample_weight, rows.shape[0]) if degrees is None else degrees
        alone = diagonal is None and self._own_values is not None
        distances = self._result.nearest(rows, diagonal)[1]
        if alone:
            return float(np.average(distances, weights=weights)) + float(self._own_values.mean())
        return float(np.average(np.maximum(distances, 0.0), weights=weights))

    def _kind(self, X):
        """What the kernel is: "normalized_cut", "precomputed", or one over vectors."""
        if callable(self.kernel):
            kind = self.kernel
        else:
            names = ("auto", "normalized_cut", "precomputed", *VECTOR_KERNELS, "rbf", "poly")
            kind = check_choice("kernel", self.kernel, names)
        if isinstance(kind, str) and kind == "auto":
            kind = "normalized_cut" if is_graph(X) else "gaussian"
        if kind != "normalized_cut" and is_graph_object(X):
            raise ParameterError(f"kernel={self.kernel!r} does not take a graph; use kernel='normalized_cut' or 'auto'")
        return kind

    def _function(self, kind, X, streams):
        return kernel_function(
            kind,
            bandwidth=self.bandwidth,
            gamma=self.gamma,
            degree=self.degree,
            coef0=self.coef0,
            random_state=streams.child("bandwidth"),
            X=X,
        )

    def _graph(self, X):
        if not is_graph(X):
            X = validate_data(self, X, accept_sparse="csr", ensure_non_negative=True)
        graph = X if isinstance(X, Graph) else as_graph(X, symmetrize=self.symmetrize)
        self.n_features_in_ = graph.n_nodes
        return graph

    def _spectral_labels(self, graph, streams):
        settings = resolve_settings(graph, self.n_clusters)
        return cluster_graph(graph, settings, random_state=streams.child("spectral"), n_jobs=self.n_jobs).labels

    def _points(self, X, kind, **options):
        """Vectors in float64, or a kernel matrix in the precision that it has."""
        dtype = (np.float64, np.float32) if kind == "precomputed" else np.float64
        return validate_data(self, X, accept_sparse="csr", dtype=dtype, **options)

    def _rows(self, X, diagonal=None):
        """New points as the result takes them, their kernel values with themselves (None: not known), their degrees."""
        check_is_fitted(self)
        if diagonal is not None and self._own_values is None:
            raise ParameterError("diagonal is for rows of a precomputed kernel; here it is known")
        if self._degrees is None:
            X = self._points(X, "vectors", reset=False)
            known = self._own_values is not None and diagonal is None and self._is_of_fit(X)
            return X, self._own_values if known else diagonal, None
        if is_graph_object(X):
            raise InputError(
                "new nodes are given by their edges to the nodes of the fit, as a matrix of shape (n_new, n_fitted); "
                "labels_ has the labels of the fitted nodes"
            )
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False, ensure_non_negative=True)
        return cut_kernel_rows(X, self._degrees, self.shift)

    def _is_of_fit(self, K):
        """Whether rows of the kernel are those of the fit: they have the diagonal that its points have."""
        n = len(self._own_values)
        return K.shape == (n, n) and np.array_equal(K.diagonal(), self._own_values)

    def _connected(self, degrees):
        """Refuse new nodes of a graph that have no distance from any flat."""
        if degrees is not None and not degrees.all():
            i = int(np.argmin(degrees))
            raise InputError(f"row {i} has no edge to a node of the fit: it is at no distance from any flat; drop it")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        given = isinstance(self.kernel, str)
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = given and self.kernel in ("precomputed", "normalized_cut")
        tags.input_tags.positive_only = given and self.kernel == "normalized_cut"
        return tags
