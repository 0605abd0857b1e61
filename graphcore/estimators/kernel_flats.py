"""The scikit-learn class for kernel k-flats."""

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from .._random import Streams
from .._validation import check_choice, check_real
from .._warn import warn_user
from ..exceptions import InputError, ParameterError
from ..flats._checks import as_weights
from ..flats.graph_kernel import cut_kernel_matrix, cut_kernel_rows
from ..flats.kernel_k_flats import kernel_k_flats
from ..graphs.as_graph import as_graph, is_graph, is_graph_object
from ..graphs.graph import Graph
from ..kernels.functions import VECTOR_KERNELS, kernel_function
from ..pipeline.cluster import cluster_graph
from ..pipeline.settings import resolve_settings

__all__ = ["KernelKFlats"]


class KernelKFlats(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
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
        by the same number (as long as no cell is short), but the larger it is the less does a node move on its own.
    init : str or ndarray of shape (n_samples,), default "auto"
        Labels to start from. "auto" is "spectral" for graphs, else "k-means++". "spectral" is
        :class:`CoresetSpectralClustering`; "k-means++", "farthest", "random" and "k-means" are those of
        :func:`graphcore.flats.kernel_k_flats.kernel_k_flats`.
    n_init : int, default 10
        Starts, of which the best is kept; one for "spectral" and for labels given.
    max_iter : int, default 300
    on_empty : {"farthest", "restart", "drop", "error"}, default "farthest"
    short : {"reduce", "restart"}, default "reduce"
        What becomes of cells that run empty, or are too small for their flat.
    max_restarts : int, default 10
    allow_indefinite : bool, default False
        Whether kernels that are not positive semi-definite are worked on.
    symmetrize : {"max", "average", "sum", "min", "error"}, default "max"
        What becomes of an asymmetric adjacency matrix, see :meth:`graphcore.Graph.from_edges`.
    random_state : int, numpy Generator, RandomState or None, default None
    n_jobs : int or None, default None
        Threads: None is one, -1 is all. The result does not depend on it.

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
        The inertia after each pass of the best start.
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
        short="reduce",
        max_restarts=10,
        allow_indefinite=False,
        symmetrize="max",
        random_state=None,
        n_jobs=None,
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
        self.short = short
        self.max_restarts = max_restarts
        self.allow_indefinite = allow_indefinite
        self.symmetrize = symmetrize
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X, y=None, sample_weight=None):
        """Fit flats in feature space.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), kernel matrix of shape (n_samples, n_samples), or graph
            See `kernel`.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), optional
            Positive weights; a graph has its own, the degrees.

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
        nodes, init = None, "k-means++" if isinstance(self.init, str) and self.init == "auto" else self.init
        self.kernel_ = None
        self._nodes = None
        if kind == "normalized_cut":
            if sample_weight is not None:
                raise ParameterError("sample_weight has no meaning for a graph: its degrees are the weights")
            if not is_graph(X):
                X = validate_data(self, X, accept_sparse="csr", ensure_non_negative=True)
            graph = X if isinstance(X, Graph) else as_graph(X, symmetrize=self.symmetrize)
            self.n_features_in_ = graph.n_nodes
            X, nodes, sample_weight = cut_kernel_matrix(graph, check_real("shift", self.shift, low=0.0))
            spectral = isinstance(self.init, str) and self.init in ("auto", "spectral")
            init = self._spectral_labels(graph, streams)[nodes] if spectral else self._given(graph, nodes)
            # Spectral clustering has told of them already.
            if len(nodes) < graph.n_nodes and not spectral:
                warn_user(f"{graph.n_nodes - len(nodes)} nodes without an edge belong to no cluster: their label is -1")
        else:
            if isinstance(init, str) and init == "spectral":
                raise ParameterError("init='spectral' is for graphs; for other kernels take 'k-means++' or 'k-means'")
            X = validate_data(
                self,
                X,
                accept_sparse="csr" if kind == "precomputed" else False,
                dtype=(np.float64, np.float32) if kind == "precomputed" else np.float64,
                ensure_min_samples=2,
            )
            if kind != "precomputed":
                self.kernel_ = self._vector_kernel(kind, X, streams)
        result = kernel_k_flats(
            X,
            self.n_clusters,
            self.n_dims,
            kernel="precomputed" if self.kernel_ is None else self.kernel_,
            init=init,
            n_init=self.n_init,
            max_iter=self.max_iter,
            on_empty=self.on_empty,
            short=self.short,
            max_restarts=self.max_restarts,
            sample_weight=sample_weight,
            allow_indefinite=self.allow_indefinite,
            random_state=streams,
            n_jobs=self.n_jobs,
        )
        self._result = result
        self._own_values = X.diagonal() if self.kernel_ is None else None
        self.flats_ = result.flats
        self.labels_ = result.labels
        if nodes is not None:
            self._nodes, self._degrees = nodes, sample_weight
            self.labels_ = np.full(self.n_features_in_, -1, dtype=np.int32)
            self.labels_[nodes] = result.labels
        self.reconstruction_error_ = result.error
        self.inertia_ = result.inertia
        self.history_ = result.history
        self.n_iter_ = result.n_iter
        self.converged_ = result.converged
        self._n_features_out = result.flats.n_clusters
        return self

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
        rows, diagonal = self._rows(X)
        labels, _ = self._result.nearest(rows, n_jobs=self.n_jobs)
        if self._nodes is not None:
            labels[np.isinf(diagonal)] = -1
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
        rows, diagonal = self._rows(X, diagonal, known=True)
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
        rows, diagonal = self._rows(X)
        self._refuse_alone(diagonal)
        return self._result.codes_of(rows, n_jobs=self.n_jobs)

    def reconstruction_error(self, X, diagonal=None, sample_weight=None):
        """Mean squared distance of points to their nearest flats in feature space, for any points.

        Parameters
        ----------
        X : array-like
            As for :meth:`predict`.
        diagonal : array-like of shape (n_samples_new,), optional
            As for :meth:`transform`.
        sample_weight : array-like of shape (n_samples_new,), optional

        Returns
        -------
        float
        """
        rows, diagonal = self._rows(X, diagonal, known=True)
        distances = self._result.nearest(rows, diagonal, n_jobs=self.n_jobs)[1]
        return float(np.average(np.maximum(distances, 0.0), weights=as_weights(sample_weight, rows.shape[0])))

    def score(self, X, y=None, sample_weight=None):
        """Minus the reconstruction error, so that larger is better; for one and the same kernel.

        Parameters
        ----------
        X : array-like
            As for :meth:`predict`.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples_new,), optional

        Returns
        -------
        float
        """
        return -self.reconstruction_error(X, sample_weight=sample_weight)

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

    def _vector_kernel(self, kind, X, streams):
        return kernel_function(
            kind,
            bandwidth=self.bandwidth,
            gamma=self.gamma,
            degree=self.degree,
            coef0=self.coef0,
            random_state=streams.child("bandwidth"),
            X=X,
        )

    def _given(self, graph, nodes):
        """The start as the caller gave it, on the nodes that have edges."""
        if isinstance(self.init, str):
            return self.init
        init = np.asarray(self.init)
        if init.shape != (graph.n_nodes,):
            raise InputError(f"init has shape {init.shape}; one label for each of {graph.n_nodes} nodes is needed")
        return init[nodes]

    def _spectral_labels(self, graph, streams):
        settings = resolve_settings(graph, self.n_clusters)
        return cluster_graph(graph, settings, random_state=streams.child("spectral"), n_jobs=self.n_jobs).labels

    def _rows(self, X, diagonal=None, known=False):
        """New points as the result takes them, and their kernel values with themselves (needed if `known`)."""
        check_is_fitted(self)
        if self.kernel_ is not None or self._nodes is not None:
            if diagonal is not None:
                raise ParameterError("diagonal is for rows of a precomputed kernel; here it is known")
            if self.kernel_ is not None:
                return validate_data(self, X, dtype=np.float64, reset=False), None
            if is_graph_object(X):
                raise InputError(
                    "new nodes are given by their edges to the nodes of the fit, as a matrix of shape (n_new, "
                    "n_fitted); labels_ has the labels of the fitted nodes"
                )
            X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False, ensure_non_negative=True)
            rows, diagonal = cut_kernel_rows(X[:, self._nodes], self._degrees, self.shift)
            if known:
                self._refuse_alone(diagonal)
            return rows, diagonal
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        if diagonal is not None or not known:
            return X, diagonal
        # Points whose kernel values with the points of the fit are those points' own values with themselves are they.
        if X.shape[0] == X.shape[1] == len(self._own_values) and np.array_equal(X.diagonal(), self._own_values):
            return X, self._own_values
        raise InputError(
            "rows of a kernel alone do not give distances: give diagonal=, the kernel values of the points with "
            "themselves"
        )

    def _refuse_alone(self, diagonal):
        if self._nodes is not None and np.isinf(diagonal).any():
            i = int(np.argmax(np.isinf(diagonal)))
            raise InputError(f"row {i} has no edge to a node of the fit: it is at no distance from any flat; drop it")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        given = isinstance(self.kernel, str)
        tags.input_tags.sparse = given and self.kernel in ("precomputed", "normalized_cut")
        tags.input_tags.pairwise = tags.input_tags.sparse
        tags.input_tags.positive_only = given and self.kernel == "normalized_cut"
        return tags
