"""The scikit-learn class for kernel k-flats."""

from dataclasses import KW_ONLY

import numpy as np

from ..base.estimator import parameters
from ..base.types import AnyData, ArrayLike, Floats
from ..base.validation import check_sample_weight
from ..cluster.pipeline import cluster_graph
from ..cluster.settings import resolve_settings
from ..exceptions import InputError, ParameterError, warn_user
from ..kernel_methods.flats.fit_kernel import rows_of_nodes
from ..kernel_methods.flats.kernel_flats import KernelFlatSet
from ..kernel_methods.flats.kernel_k_flats import kernel_k_flats
from ..kernels.graph import GraphKernel
from ._kernel_input import KernelInput
from .flats import FlatsClusterer


@parameters
class KernelKFlats(KernelInput, FlatsClusterer):
    """Kernel k-flats clustering of vectors, kernel matrices and graphs: flats in the feature space of a kernel.

    Parameters
    ----------
    n_clusters : int, default 8
    n_dims : int, default 1
        Dimension of the flats. 0 is kernel k-means; ``n_clusters=1`` is kernel PCA.
    kernel, bandwidth, gamma, degree, coef0, symmetrize
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
    max_iter, on_empty, max_restarts, random_state, n_jobs, verbose
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

    n_clusters: int = 8
    n_dims: int = 1
    _: KW_ONLY
    shift: float = 1.0
    init: str | ArrayLike = "auto"
    on_indefinite: str = "error"
    symmetrize: str = "max"

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
        self._diagonal = kernel.diagonal if self._kind == "precomputed" else None
        self._keep(result)
        self.reconstruction_error_ = float(self._given_squares(result.error))
        return result.labels, rows

    def fit_transform(self, X: AnyData, y: object = None, sample_weight: ArrayLike | None = None) -> Floats:
        """Fit, and the distances of the same points to every flat.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or kernel matrix of shape (n_samples, n_samples)
            No graph: its nodes have no rows of the kernel at hand.
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        ndarray of shape (n_samples, n_clusters), float64

        Examples
        --------
        >>> import graphcore
        >>> from sklearn.datasets import make_circles
        >>> X, y = make_circles(100, factor=0.1, random_state=0)
        >>> graphcore.KernelKFlats(2, 0, bandwidth=0.3, random_state=0).fit_transform(X).shape
        (100, 2)
        """
        if self._kind_of(X) == "graph":
            raise InputError("fit_transform takes vectors or a kernel matrix; fit a graph and read labels_ and flats_")
        return self.fit(X, sample_weight=sample_weight).transform(X)

    def transform(self, X: AnyData, diagonal: ArrayLike | None = None) -> Floats:
        """Distances of points to every flat, in feature space.

        Parameters
        ----------
        X : array-like, as for :meth:`predict`
        diagonal : array-like of shape (n_samples,), optional
            Kernel values of the points with themselves: needed for rows of a kernel other than the matrix of the fit.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters), float64

        Examples
        --------
        >>> import graphcore
        >>> from sklearn.datasets import make_circles
        >>> X, y = make_circles(100, factor=0.1, random_state=0)
        >>> graphcore.KernelKFlats(2, 0, bandwidth=0.3, random_state=0).fit(X).transform(X[:5]).shape
        (5, 2)
        """
        rows, diagonal, _ = self._rows(X, diagonal)
        if diagonal is None and self._diagonal is not None:
            raise InputError("rows of a kernel alone do not give distances: give diagonal=, K(x, x) of every point")
        return np.sqrt(np.maximum(self._given_squares(self._result.distances_to(rows, diagonal)), 0.0))

    def reconstruction_error(
        self, X: AnyData, diagonal: ArrayLike | None = None, sample_weight: ArrayLike | None = None,
    ) -> float:  # fmt: skip
        """Mean squared distance of points to their nearest flats in feature space, for any points.

        Nodes of a graph count by their degrees, as in `reconstruction_error_`.

        Parameters
        ----------
        X : array-like, as for :meth:`predict`
        diagonal : array-like of shape (n_samples,), optional
            As for :meth:`transform`. Without it the mean over the points of the fit stands for these values.
        sample_weight : array-like of shape (n_samples,), optional
            Not negative; degrees of new nodes are multiplied by it.

        Returns
        -------
        float

        Examples
        --------
        >>> import graphcore
        >>> from sklearn.datasets import make_circles
        >>> X, y = make_circles(100, factor=0.1, random_state=0)
        >>> 0 < graphcore.KernelKFlats(2, 0, bandwidth=0.3, random_state=0).fit(X).reconstruction_error(X) < 1
        True
        """
        rows, diagonal, degrees = self._rows(X, diagonal)
        distances = self._given_squares(self._result.nearest(rows, diagonal)[1])
        weights = check_sample_weight(sample_weight, len(distances))
        weights = weights if degrees is None else weights * degrees
        if diagonal is None and self._diagonal is not None:
            return float(np.average(distances, weights=weights)) + float(self._diagonal.mean())
        return float(np.average(np.maximum(distances, 0.0), weights=weights))

    def _nearest(self, X):
        rows, _, degrees = self._rows(X, connected=False)
        labels = self._result.nearest(rows)[0]
        if degrees is not None:
            labels[degrees == 0] = -1
        return labels

    def _codes(self, X):
        rows = self._rows(X)[0]  # refuses before a fit
        return self._result.codes_of(rows)

    def _graph_kernel(self, X):
        return GraphKernel(self._graph_of(X))

    def _real(self, X, **options):
        X = super()._real(X, **options)
        return X.astype(np.float64, copy=False) if self._kind == "vectors" else X

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

    def _rows(self, X, diagonal=None, *, connected=True):
        """New points as the result takes them, their kernel values with themselves (None: not known), their degrees."""
        X = self._new_points(X)
        known = self._diagonal
        if diagonal is not None and known is None:
            raise ParameterError("diagonal is for rows of a precomputed kernel; here it is known")
        if self._kind == "graph":
            degrees = np.asarray(X.sum(axis=1), dtype=np.float64).ravel()
            rows = rows_of_nodes(X, degrees, self._degrees)
            # As of nodes without a loop; infinitely far without an edge.
            own = np.divide(self.shift, degrees, out=np.full(len(degrees), np.inf), where=degrees > 0)
            if connected and not degrees.all():
                i = int(np.argmin(degrees))
                raise InputError(f"row {i} has no edge to a node of the fit, so no distance from any flat; drop it")
            return rows, own, degrees
        if diagonal is None and known is not None and self._is_fitted_matrix(X):
            diagonal = known
        return X, diagonal, None
