"""What the kernel k-means classes share whose centroids are combinations of points in feature space."""

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin

from .._typing import AnyData, ArrayLike, Labels
from .._validation import check_integer, check_real, check_sample_weight
from .._warn import warn_of_isolated
from ..exceptions import InputError
from ..kernels.columns import VectorColumns
from ..kernels.graph import GraphKernel, warn_of_loops
from ..kernels.vectors import VectorKernel
from ..kmeans.assign import assign_columns, assign_graph_rows, assign_rows
from ._kernel_input import KernelInput


class CentroidClusterer(KernelInput, ClusterMixin, BaseEstimator):
    """Base of KernelKMeans and CoresetKernelKMeans; see them for the parameters."""

    _takes_graphs = True
    # What self_loop="auto" is.
    _auto_loop = 0.0

    def _graph_kernel(self, X):
        auto = isinstance(self.self_loop, str) and self.self_loop == "auto"
        self_loop = self._auto_loop if auto else check_real("self_loop", self.self_loop, low=0.0)
        graph = self._graph_of(X)
        warn_of_isolated(graph)
        kernel = GraphKernel(graph, self_loop)
        warn_of_loops(kernel)
        return kernel

    def _vector_kernel(self, X):
        return VectorKernel(X, self.kernel_, held_bytes=check_integer("held_bytes", self.held_bytes, low=0))

    def _store(self, kernel, points, labels, weights, masses, norms):
        """Keep what the centroids are made of: these points, their labels and weights."""
        self._points = points
        self._centroids = labels, weights, masses, norms
        if self._kind == "vectors":
            self._reference = kernel.X if points is None else kernel.X[points]
            self._precision = kernel.precision
        elif self._kind == "graph":
            self._reference = kernel.degrees if points is None else kernel.degrees[points]
            self._loop = kernel.self_loop

    def predict(self, X: AnyData) -> Labels:
        """Nearest centroid of new points.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features) or (n_samples, n_fitted)
            Vectors. With ``kernel="precomputed"`` the kernel of the new points against the fitted ones; for a graph the
            weights of the edges from new nodes to the fitted ones.

        Returns
        -------
        ndarray of shape (n_samples,), int32
            -1 for new nodes without an edge.

        Examples
        --------
        >>> import graphcore
        >>> from sklearn.datasets import make_blobs
        >>> X, y = make_blobs(200, centers=3, cluster_std=0.5, random_state=0)
        >>> model = graphcore.KernelKMeans(3, random_state=0).fit(X[:150])
        >>> graphcore.metrics.agreement(model.predict(X[150:]), y[150:])["ari"]
        1.0
        """
        return self._nearest(self._new_points(X))[0]

    def score(self, X: AnyData, y: object = None, sample_weight: ArrayLike | None = None) -> float:
        """Minus the mean cost of new points: their squared distance to the nearest centroid. Larger is better.

        Parameters
        ----------
        X : array-like or sparse matrix
            As for :meth:`predict`. Rows of a kernel matrix do not hold ``K(x, x)``: its mean over the fitted points
            stands for it, which is exact where the diagonal is constant, and the same for all models of a search.
            Nodes of a graph count by their degrees, and their own loops are the model's `self_loop`.
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional
            Not negative; degrees of new nodes are multiplied by it.

        Returns
        -------
        float
            For the points of the fit, minus ``cost_``.

        Examples
        --------
        >>> import graphcore
        >>> from sklearn.datasets import make_blobs
        >>> X, y = make_blobs(200, centers=3, cluster_std=0.5, random_state=0)
        >>> model = graphcore.KernelKMeans(3, random_state=0).fit(X[:150])
        >>> abs(model.score(X[:150]) + model.cost_) < 1e-6
        True
        """
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
        return -float(np.average(own + self._nearest(X)[1], weights=weights))

    def _nearest(self, X):
        """Nearest centroid of checked points, and their squared distance to it less ``K(x, x)``."""
        if self._kind == "vectors":
            columns = VectorColumns(self.kernel_, X, self._reference, self._precision)
            return assign_columns(columns, *self._centroids, self.n_jobs)
        columns = X if self._points is None else X[:, self._points]
        if self._kind == "precomputed":
            return assign_rows(columns, *self._centroids)
        return assign_graph_rows(columns, self._degrees(X), self._reference, *self._centroids)

    def _degrees(self, X):
        """Degrees of new nodes, with the loop."""
        degrees = np.asarray(X.sum(axis=1), dtype=np.float64).ravel()
        degrees[degrees > 0] += self._loop
        return degrees
