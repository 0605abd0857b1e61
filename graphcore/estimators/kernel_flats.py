"""The scikit-learn class for kernel k-flats."""

import numpy as np

from .._random import Streams
from .._warn import warn_user
from ..exceptions import InputError, ParameterError
from ..flats.graph_kernel import cut_kernel_rows
from ..flats.kernel_k_flats import kernel_k_flats
from ..kernels.graph import GraphKernel
from ..pipeline.cluster import cluster_graph
from ..pipeline.settings import resolve_settings
from ._flats import FlatsClusterer
from ._kernel_input import KernelInput

__all__ = ["KernelKFlats"]


class KernelKFlats(KernelInput, FlatsClusterer):
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

    _takes_graphs = True

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
        streams = Streams(self.random_state)
        X = self._checked(X)
        graph = self._graph_of(X) if self._kind == "graph" else None
        kernel = self._view(X if graph is None else graph, streams)
        if sample_weight is not None:
            sample_weight = self._checked_weights(sample_weight, kernel.n_points)
        result = kernel_k_flats(
            kernel,
            self.n_clusters,
            self.n_dims,
            shift=0.0 if graph is None else self.shift,
            init=self._first_labels(graph, streams),
            sample_weight=sample_weight,
            on_indefinite=self.on_indefinite,
            random_state=streams,
            **self._rules(),
        )
        self._result = result
        self._degrees = None if graph is None else kernel.point_weights
        self._diagonal = kernel.diagonal if self._kind == "precomputed" else None
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
        if self._kind_of(X) == "graph":
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
        if diagonal is None and self._diagonal is not None:
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
        weights = degrees
        if degrees is None or sample_weight is not None:
            weights = self._checked_weights(sample_weight, rows.shape[0])
        alone = diagonal is None and self._diagonal is not None
        distances = self._result.nearest(rows, diagonal)[1]
        if alone:
            return float(np.average(distances, weights=weights)) + float(self._diagonal.mean())
        return float(np.average(np.maximum(distances, 0.0), weights=weights))

    def _graph_kernel(self, X):
        return GraphKernel(X)

    def _real(self, X, **options):
        X = super()._real(X, **options)
        return X.astype(np.float64, copy=False) if self._kind == "vectors" else X

    def _first_labels(self, graph, streams):
        """What `init` asks of the alternation: "auto" is resolved, and spectral clustering done."""
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

    def _rows(self, X, diagonal=None):
        """New points as the result takes them, their kernel values with themselves (None: not known), their degrees."""
        X = self._new_points(X)
        if diagonal is not None and self._diagonal is None:
            raise ParameterError("diagonal is for rows of a precomputed kernel; here it is known")
        if self._kind == "graph":
            return cut_kernel_rows(X, self._degrees, self.shift)
        known = self._diagonal is not None and diagonal is None and self._is_of_fit(X)
        return X, self._diagonal if known else diagonal, None

    def _is_of_fit(self, K):
        """Whether rows of the kernel are those of the fit: they have the diagonal that its points have."""
        n = len(self._diagonal)
        return K.shape == (n, n) and np.array_equal(K.diagonal(), self._diagonal)

    def _connected(self, degrees):
        """Refuse new nodes of a graph that have no distance from any flat."""
        if degrees is not None and not degrees.all():
            i = int(np.argmin(degrees))
            raise InputError(f"row {i} has no edge to a node of the fit: it is at no distance from any flat; drop it")
