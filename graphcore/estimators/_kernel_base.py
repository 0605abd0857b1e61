"""What the kernel k-means classes share: which kernel is meant, and nearest centroids for new points."""

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from .._threads import effective_jobs
from .._validation import check_choice, check_integer, check_real
from .._warn import warn_user
from ..exceptions import InputError, ParameterError
from ..graphs.as_graph import as_graph, is_graph, is_graph_object
from ..graphs.graph import Graph
from ..kernels.columns import VectorColumns
from ..kernels.dense import DenseKernel
from ..kernels.functions import VECTOR_KERNELS, KernelFunction, kernel_function
from ..kernels.graph import GraphKernel
from ..kernels.sparse import SparseKernel
from ..kernels.vectors import VectorKernel
from ..kmeans.assign import assign_columns, assign_graph_rows, assign_rows

__all__ = ["KernelClusterer"]

MATRIX_KERNELS = ("auto", "precomputed", "normalized_cut")
_FLOATS = (np.float64, np.float32)


def _is(kernel, *names):
    """Whether a kernel, which may be anything, is one of these names."""
    return isinstance(kernel, str) and kernel in names


def _takes_vectors(estimator):
    if _is(estimator.kernel, "precomputed", "normalized_cut"):
        return False
    return getattr(estimator, "_kind", "vectors") == "vectors"


class KernelClusterer(ClusterMixin, BaseEstimator):
    """Base of the kernel k-means classes; see them for the parameters."""

    def _resolve(self, X, streams):
        """The kernel matrix of what :meth:`fit` was given; says in `_kind` and `kernel_` what it is."""
        effective_jobs(self.n_jobs)  # refuses what is no number of jobs before work begins
        kernel = self.kernel
        if not (callable(kernel) or isinstance(kernel, KernelFunction)):
            check_choice("kernel", kernel, (*MATRIX_KERNELS, *VECTOR_KERNELS, "rbf", "poly"))
        self.kernel_ = None
        if _is(kernel, "auto"):
            kernel = "normalized_cut" if is_graph(X) else "gaussian"
        if _is(kernel, "normalized_cut"):
            self._kind = "graph"
            return self._graph_matrix(X)
        if is_graph_object(X):
            raise ParameterError(
                f"kernel={kernel!r} takes vectors or a matrix, and this is a {type(X).__name__}; use kernel='auto' or "
                "'normalized_cut'"
            )
        if _is(kernel, "precomputed"):
            self._kind = "precomputed"
            X = validate_data(self, X, accept_sparse="csr", dtype=_FLOATS)
            return SparseKernel(X) if hasattr(X, "tocsr") else DenseKernel(X)
        self._kind = "vectors"
        X = validate_data(self, X, accept_sparse="csr", dtype=_FLOATS, order="C")
        block_bytes = check_integer("block_bytes", self.block_bytes, low=1)
        self.kernel_ = kernel_function(
            kernel,
            bandwidth=self.bandwidth,
            gamma=self.gamma,
            degree=self.degree,
            coef0=self.coef0,
            random_state=streams.child("kernel"),
            X=X,
        )
        return VectorKernel(X, self.kernel_, held_bytes=block_bytes)

    def _graph_matrix(self, X):
        self_loop = check_real("self_loop", self.self_loop, low=0.0)
        if not is_graph(X):
            X = validate_data(self, X, accept_sparse="csr", dtype=_FLOATS, ensure_non_negative=True)
        graph = X if isinstance(X, Graph) else as_graph(X, symmetrize=self.symmetrize)
        self.n_features_in_ = graph.n_nodes
        if graph.n_isolated:
            warn_user(
                f"{graph.n_isolated} of {graph.n_nodes} nodes are isolated; they belong to no cluster and get label -1"
            )
        return GraphKernel(graph, self_loop)

    def _weights(self, matrix, sample_weight):
        if sample_weight is None:
            return None
        if self._kind == "graph":
            raise ParameterError("a graph's nodes are weighted by their degrees; leave sample_weight out")
        like = np.empty((matrix.n_points, 1))
        return _check_sample_weight(sample_weight, like, dtype=np.float64, ensure_non_negative=True)

    def _store(self, matrix, points, labels, weights, masses, norms):
        """Keep what the centroids are made of: these points, their labels and weights."""
        self._points = points
        self._centroids = labels, weights, masses, norms
        if self._kind == "vectors":
            self._reference = matrix.X if points is None else matrix.X[points]
        elif self._kind == "graph":
            self._reference = matrix.degrees if points is None else matrix.degrees[points]
            self._loop = matrix.self_loop

    def predict(self, X):
        """Nearest centroid of new points.

        Parameters
        ----------
        X : array-like or sparse matrix
            Vectors of shape (n_samples, n_features). With ``kernel="precomputed"`` the kernel of the new points
            against the fitted ones, of shape (n_samples, n_fitted). For a graph the weights of the edges from new nodes
            to the fitted ones, of the same shape.

        Returns
        -------
        ndarray of shape (n_samples,), int32
            -1 for new nodes without an edge.
        """
        check_is_fitted(self)
        X = self._new_points(X)
        if self._kind == "vectors":
            return assign_columns(self._columns(X), *self._centroids, self.n_jobs)[0]
        columns = X if self._points is None else X[:, self._points]
        if self._kind == "precomputed":
            return assign_rows(columns, *self._centroids)[0]
        degrees = np.asarray(X.sum(axis=1), dtype=np.float64).ravel()
        degrees[degrees > 0] += self._loop
        return assign_graph_rows(columns, degrees, self._reference, *self._centroids)

    @available_if(_takes_vectors)
    def score(self, X, y=None, sample_weight=None):
        """Minus the cost of new points: the mean squared distance to the nearest centroid. Larger is better.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Vectors; of other inputs the distances are not known.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), optional
            Not negative.

        Returns
        -------
        float
        """
        check_is_fitted(self)
        X = self._new_points(X)
        _, values = assign_columns(self._columns(X), *self._centroids, self.n_jobs)
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        return -float(np.average(self.kernel_.diagonal(X) + values, weights=weights))

    def _columns(self, X):
        """Kernel of new vectors with those that the centroids are made of."""
        return VectorColumns(self.kernel_, X, self._reference, self._reference.dtype)

    def _new_points(self, X):
        if is_graph_object(X):
            raise InputError(
                "predict takes the edges from new nodes to the fitted ones, as a matrix of shape (n_new, n_fitted); "
                "labels_ has the labels of the fitted nodes"
            )
        positive = self._kind == "graph"
        return validate_data(
            self, X, accept_sparse="csr", dtype=_FLOATS, order="C", reset=False, ensure_non_negative=positive
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = _is(self.kernel, "precomputed", "normalized_cut")
        tags.input_tags.positive_only = _is(self.kernel, "normalized_cut")
        return tags
