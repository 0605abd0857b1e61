"""Code that the kernel classes share: kernels, distinct rows with weights, fit, predict, score."""

from dataclasses import KW_ONLY
from numbers import Integral
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from ..base.estimator import Estimator, parameters, whole
from ..base.loops import effective_jobs
from ..base.streams import Streams
from ..base.types import AnyData, ArrayLike, Bandwidth, Floats, KernelLike, Labels
from ..base.validation import check_choice, check_integer, check_sample_weight, check_size, refuse_negative, refused
from ..exceptions import InputError, ParameterError
from ..graphs.as_graph import as_graph, is_graph, is_graph_object, is_sparse_graph, refuse_as_vectors
from ..graphs.graph import weigh_nodes
from ..graphs.rows import edges_in_range, in_range
from ..kernels.base import matrix_columns, vector_columns
from ..kernels.checks import check_scale, warn_of_offset
from ..kernels.functions import VECTOR_KERNELS, KernelFunction, kernel_function
from ..kernels.graph import as_kernel
from ..kernels.vectors import VectorKernel
from ..neighbors.vectors import check_finite, row_hashes

# Kernel matrices over vectors up to this size are held where all of their values are gone through many times.
_HELD_BYTES = 1 << 29
# Merging equal rows goes through all numbers once and copies them: more are left as they are.
_MAX_VALUES = 1 << 24


class EqualRows(NamedTuple):
    """The different rows of what was given; equal ones count as one, so that a weight of 2 is a point given twice."""

    X: Any  # (n_distinct, n_features): in an order by what the rows hold, not by where they stood
    weights: np.ndarray | None  # (n_distinct,): sums of the weights
    first: np.ndarray | None = None  # (n_distinct,) int64: where each was given first; None for rows as given
    kind: np.ndarray | None = None  # (n_given,) int64: row of X that each is equal to; -1 without weight
    left_out: Any = None  # the given rows without weight
    n_given: int = 0  # rows that were given

    def given(self, places):
        """Where rows of X stood in what was given."""
        return places if self.first is None else self.first[places]

    def for_all(self, values, of_rows):
        """Return values of the rows of X, for all that was given; `of_rows` finds those of rows without weight."""
        if self.first is None:
            return values
        values = values[self.kind]
        if self.left_out.shape[0]:
            values[self.kind < 0] = of_rows(self.left_out)
        return values


def merge_equal_rows(X, weights=None, *, least=1):
    """Merge equal rows and leave out those without weight.

    Nothing is done where there is nothing to do (no weights, and all rows different), or where it is not worth a copy:
    for large vectors, and where fewer than `least` rows are different.
    """
    if (X.nnz if hasattr(X, "tocsr") else X.size) > _MAX_VALUES:
        return EqualRows(X, weights)
    rows = np.arange(X.shape[0]) if weights is None else np.flatnonzero(weights)
    _, first, kind = np.unique(row_hashes(X)[rows], return_index=True, return_inverse=True)
    if len(first) < least or (weights is None and len(first) == X.shape[0]):
        return EqualRows(X, weights)
    kinds = np.full(X.shape[0], -1)
    kinds[rows] = kind
    sums = np.bincount(kind, weights=None if weights is None else weights[rows]).astype(np.float64)
    first = rows[first]
    return EqualRows(X[first], sums, first, kinds, X[kinds < 0])


def weights_or_none(sample_weight, n_points):
    """Check weights of points; those that are all 1 are none."""
    weights = check_sample_weight(sample_weight, n_points)
    return None if (weights == 1).all() else weights


def kernel_and_weights(K, weights=None, name="sample_weight"):
    """Return a kernel, of any form that `as_kernel` takes, and the weights of its points.

    These are node degrees for a graph, otherwise ones or those given, float64.
    """
    kernel = as_kernel(K)
    if weights is None:
        if not kernel.point_weights.any():
            raise InputError("no node has an edge: there is nothing to cluster")
        return kernel, kernel.point_weights
    if kernel.leaves_out_isolated:
        raise ParameterError(
            f"a graph's nodes are weighted by their degrees; leave {name} out, or weigh the edges: w_x A_xy w_y"
        )
    return kernel, check_sample_weight(weights, kernel.n_points, name)


def rows_of_nodes(edges, own_degrees, degrees):
    """Make rows of the kernel ``D^-1 A D^-1`` for new nodes, a csr_array; empty for nodes without degree.

    `edges` (n_new, n_nodes) are the weights of their edges to the nodes of the fit, `own_degrees` their degrees, and
    `degrees` those of the nodes of the fit.
    """
    outer, inner = (np.divide(1.0, d, out=np.zeros(len(d)), where=d > 0) for d in (own_degrees, degrees))
    return sp.csr_array(sp.diags_array(outer) @ sp.csr_array(edges, dtype=np.float64) @ sp.diags_array(inner))


def real_points(estimator, X, *, dtype="numeric", accept_sparse="csr", reset=True, **options):
    """Return finite real numbers as they are, also if they are memory-mapped, or of a `dtype`; others are refused."""
    refuse_as_vectors(X)
    options |= {"dtype": dtype, "accept_sparse": accept_sparse, "order": "C", "ensure_all_finite": False}
    points = check_array(X, estimator=estimator, input_name="X", **options)
    if points.dtype.kind not in "biuf":
        raise InputError(f"X must hold real numbers, got type {points.dtype}")
    check_finite(points, "X")
    validate_data(estimator, X, reset=reset, skip_check_array=True)  # names and number of the columns
    return points


@parameters
class KernelEstimator(Estimator):
    """Base of the kernel classes: checks what comes in, and makes the kernel of it.

    After a fit there are `kernel_`, the function over vectors with its bandwidth (None for matrices and graphs), and
    `_kind`, which is "vectors", "precomputed" or "graph".
    """

    _: KW_ONLY
    kernel: KernelLike = "auto"
    bandwidth: Bandwidth = None
    gamma: float | None = None

    # Whether there is kernel="normalized_cut", for graphs, which kernel="auto" is for them.
    _takes_graphs = False

    def _weighted_kernel_of(self, X, sample_weight, streams):
        """Return the kernel of what is clustered: equal vectors count as one, where all starts are drawn.

        Returns the kernel, the EqualRows (its weights None if there are none), and the checked number of clusters.
        """
        X = self._checked(X)
        is_graph = self._kind == "graph"
        kernel = None if self._kind == "vectors" else self._view(X, streams, sample_weight)
        rows = EqualRows(X, None if is_graph else weights_or_none(sample_weight, X.shape[0]))
        weights = kernel.point_weights if is_graph else rows.weights
        n_points = X.shape[0] if weights is None else int(np.count_nonzero(weights))
        if is_graph and not n_points:
            raise InputError("no node has an edge: there is nothing to cluster")
        why = "the points that have weight; ask for fewer clusters"
        k = check_integer("n_clusters", self.n_clusters, low=1, high=n_points, why_high=why)
        if kernel is None:
            if all(isinstance(getattr(self, name, ""), str) for name in ("init", "sampling")):
                rows = merge_equal_rows(X, rows.weights, least=max(k, 2))
            kernel = self._view(rows.X, streams, rows.weights)
        return kernel, rows._replace(X=None, n_given=n_points if is_graph else X.shape[0]), k

    def _checked(self, X):
        """Return the validated input, and set its kind."""
        effective_jobs(self.n_jobs)  # refuses what is no number of jobs before work begins
        self._kind = self._kind_of(X)
        self.kernel_: KernelFunction | None = None
        return X if self._kind == "graph" else real_points(self, X, ensure_min_samples=2)

    def _kind_of(self, X):
        kernel, kind = self.kernel, "vectors"
        auto = isinstance(kernel, str) and kernel == "auto"
        if not callable(kernel):
            names = ("auto", "precomputed", *(["normalized_cut"] if self._takes_graphs else []))
            check_choice("kernel", kernel, (*names, *VECTOR_KERNELS, "rbf", "poly"))
            if kernel == "normalized_cut" or (auto and self._takes_graphs and is_graph(X)):
                kind = "graph"
            elif kernel == "precomputed":
                kind = kernel
            for name in ("bandwidth", "gamma"):
                value = getattr(self, name)
                if value is not None and kernel in ("precomputed", "normalized_cut"):  # no functions of vectors
                    raise refused(name, value, f"has no meaning for kernel={kernel!r}; leave it out")
        if kind != "graph" and (is_graph_object(X) or (auto and is_sparse_graph(X))):
            raise InputError(
                f"{type(self).__name__} with kernel={kernel!r} takes vectors, or a kernel matrix with "
                f"kernel='precomputed', and this {type(X).__name__} is a graph; CoresetSpectralClustering, and "
                "KernelKMeans with kernel='auto', cluster graphs"
            )
        return kind

    def _view(self, X, streams, weights=None):
        """Return the kernel of checked input; vectors without weight do not count in rules for the bandwidth."""
        if self._kind == "graph":
            return self._graph_kernel(self._graph_of(X, weights))
        if self._kind == "precomputed":
            return as_kernel(X)
        check_scale(X)  # before a rule squares its distances
        counted = X if weights is None or weights.all() else X[weights > 0]
        self.kernel_ = self._function_over(counted, streams.child("bandwidth"))
        # Numbers of one or two bytes are exact in float32, as scikit-learn keeps what is float32 already.
        narrow = X.dtype == np.float32 or (X.dtype.itemsize <= 2 and X.dtype.kind in "iufb")
        kernel = VectorKernel(X, self.kernel_, np.float32 if narrow else np.float64, held_bytes=_HELD_BYTES)
        self._precision = kernel.precision
        if self.kernel_.name == "linear":
            warn_of_offset(X, kernel.precision)
        return kernel

    def _function_over(self, X, streams):
        """Return the kernel function over these vectors, its bandwidth chosen if none is given."""
        kernel = "gaussian" if isinstance(self.kernel, str) and self.kernel == "auto" else self.kernel
        return kernel_function(kernel, bandwidth=self.bandwidth, gamma=self.gamma, random_state=streams, X=X)

    def _graph_of(self, X, node_weights):
        """Return the graph that was given, as it is or as an adjacency matrix, its nodes weighed, weights in range."""
        if not is_graph(X):
            X = real_points(self, X)
            refuse_negative(self, X)
        graph = as_graph(X)
        weights = check_sample_weight(node_weights, graph.n_nodes)
        if node_weights is not None:
            graph = weigh_nodes(graph, weights)
        self._node_weights = np.where(graph.degrees > 0, weights, 0.0)  # edges of new nodes to others do not count
        graph = in_range(graph)
        self.n_features_in_ = graph.n_nodes
        self._exponent = graph.exponent
        return graph

    def _size(self, name, kernel, n_given=None, words=("auto",)):
        """A parameter that is a number of points or their share; more than the different points are all of these."""
        value, n_points = getattr(self, name), kernel.n_points
        total = n_given if n_given and isinstance(value, Integral) else n_points
        size = check_size(name, value, total, "the points", words=words)
        return size if isinstance(size, str) else min(size, n_points)

    def _new_points(self, X):
        """New points, checked against those fitted."""
        check_is_fitted(self)
        if is_graph_object(X):
            raise InputError(
                "new nodes of a graph are given by their edges to the fitted ones, as a matrix of shape (n_new, "
                "n_fitted); labels_ has the labels of the fitted nodes"
            )
        X = real_points(self, X, reset=False)
        if self._kind == "graph":
            refuse_negative(self, X)
            X = edges_in_range(X @ sp.diags_array(self._node_weights), self._exponent)
        return X

    def _columns(self, X, reference, points=None):
        """Return Columns of checked new points, the kernel with the vectors in `reference`, or with some `points`."""
        if self._kind == "vectors":
            return vector_columns(self.kernel_, VectorKernel(X, self.kernel_, self._precision).X, reference,
                                  self._precision)  # fmt: skip
        return matrix_columns(X if points is None else X[:, points], np.dtype(np.float64))

    def _keep_diagonal(self, kernel, weights):
        """Keep the mean of ``K(x, x)`` over the fit, which rows of a kernel matrix do not hold."""
        if self._kind == "precomputed":
            self._mean_diagonal = float(np.average(kernel.diagonal, weights=weights))

    def _own_values(self, X):
        """``K(x, x)`` of new points; of rows of a kernel matrix the mean over the fit."""
        if self._kind == "vectors":
            return VectorKernel(X, self.kernel_).diagonal
        return np.full(X.shape[0], self._mean_diagonal)

    def _given_squares(self, squares):
        """Return squared distances, which go by one over the weights of a graph, in the unit of the weights given."""
        if self._kind != "graph":
            return squares
        with np.errstate(over="ignore"):  # infinite beside the smallest weights that there are
            return np.ldexp(squares, -self._exponent)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        named = isinstance(self.kernel, str)
        tags.input_tags.pairwise = named and self.kernel in ("precomputed", "normalized_cut")
        tags.input_tags.positive_only = named and self.kernel == "normalized_cut"
        return tags


class PointClusterer(ClusterMixin, Estimator):
    """Base of the classes, which give `_fit` (labels, and the EqualRows that these are of) and `_nearest`.

    The latter finds labels of the nearest centres or flats, and squared distances to them, of points that `_new_points`
    has checked.
    """

    # The remedy in messages about the number of clusters.
    _chosen_by = "graphcore.select_n_clusters(X) chooses one for vectors and for graphs"

    @whole
    def fit(self, X: AnyData, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Cluster points: vectors, and where the class takes them a kernel matrix or a graph.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features) or (n_samples, n_samples), or a graph
            Its kind follows from the class and its `kernel`, see :class:`KernelKMeans`.
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional
            Not negative: a weight of 2 is a point given twice. Points of weight 0 take no part, and get the label of
            what is nearest to them, nodes of a graph -1. A node that counts twice is two nodes, each with its edges:
            the graph of ``w_x A_xy w_y`` is clustered, its nodes weighted by their degrees. Bandwidth rules use the
            distinct vectors with a weight, each once; landmarks and subsamples are drawn without regard to weights.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            :class:`graphcore.InputError` or :class:`graphcore.ParameterError`, naming what is wrong and what to do;
            scikit-learn's plain ones for arrays of one dimension, and empty ones.

        Examples
        --------
        >>> import graphcore
        >>> from sklearn.datasets import make_blobs
        >>> X, y = make_blobs(200, centers=3, cluster_std=0.5, random_state=0)
        >>> model = graphcore.CoresetKernelKMeans(3, coreset_size=50, random_state=0).fit(X)
        >>> graphcore.metrics.agreement(model.labels_, y)["ari"]
        1.0
        """
        if self.n_clusters is None or isinstance(self.n_clusters, str):
            raise refused("n_clusters", self.n_clusters, f"must be an integer here; {self._chosen_by}")
        labels, rows = self._fit(X, sample_weight, Streams(self.random_state))
        self.labels_: Labels = rows.for_all(labels, lambda left_out: self._nearest(left_out)[0])
        return self

    def predict(self, X: AnyData) -> Labels:
        """Cluster of new points: that of the nearest centre or flat.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features) or (n, n_samples)
            Vectors. With ``kernel="precomputed"`` the kernel of the new points against the fitted ones; after a graph
            the weights of the edges from new nodes to the fitted ones.

        Returns
        -------
        ndarray of shape (n,), int32
            -1 for new nodes without an edge to the fitted ones.

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
        """Minus the mean cost of points: their squared distance to the nearest centre or flat. Larger is better.

        It is at most 0 where the kernel is positive semi-definite. That of a graph has zeros on its diagonal, so that
        squared distances may be negative, and the score above 0.

        Parameters
        ----------
        X : array-like or sparse matrix, as for :meth:`predict`
            Rows of a kernel matrix do not hold ``K(x, x)``: its mean over the fitted points stands for it, which is
            exact where the diagonal is constant, and the same for all models of a search. Nodes of a graph count by
            their degrees, and their own loops are the model's.
        y : ignored
        sample_weight : array-like of shape (n,), optional
            Not negative; degrees of new nodes are multiplied by it.

        Returns
        -------
        float
            For the points of a converged fit minus `cost_` or `reconstruction_error_`, where the class has one; not for
            graphs with loops, `self_loop` or `shift`, a part of the kernel that rows of new nodes do not hold.

        Examples
        --------
        >>> import graphcore
        >>> from sklearn.datasets import make_blobs
        >>> X, y = make_blobs(200, centers=3, cluster_std=0.5, random_state=0)
        >>> model = graphcore.KernelKMeans(3, random_state=0).fit(X)
        >>> abs(model.score(X) + model.cost_) < 1e-6
        True
        """
        return -self._cost(self._new_points(X), sample_weight)

    def _cost(self, X, sample_weight):
        return float(np.average(self._nearest(X)[1], weights=check_sample_weight(sample_weight, X.shape[0])))


class DistanceTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, PointClusterer):
    """Base of the classes that give `_distances` of checked points to centres or flats, too."""

    def transform(self, X: AnyData) -> Floats:
        """Distance of points to every centre or flat.

        Parameters
        ----------
        X : array-like or sparse matrix, as for :meth:`predict`

        Returns
        -------
        ndarray of shape (n, n_clusters), float64
            In the space that the cost is measured in, see :meth:`score`; for the classes of features, theirs.

        Examples
        --------
        >>> import graphcore
        >>> digits = graphcore.datasets.load_digits()
        >>> graphcore.NystromKernelKMeans(10, random_state=0).fit(digits.data).transform(digits.data[:5]).shape
        (5, 10)
        """
        return self._distances(self._new_points(X))
