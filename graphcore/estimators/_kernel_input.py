"""Base of the kernel classes: the kernel of the points of a fit, and of new points."""

from dataclasses import KW_ONLY
from numbers import Integral

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import _check_n_features, check_is_fitted, validate_data

from ..base.estimator import Estimator, parameters, refuse_negative
from ..base.threads import effective_jobs
from ..base.types import Bandwidth, KernelLike
from ..base.validation import check_choice, check_integer, check_sample_weight, check_size, refused
from ..distributed.chunks import as_chunks, is_chunked, map_chunks
from ..exceptions import InputError, ParameterError
from ..graphs.as_graph import as_graph, is_graph, is_graph_object, refuse_as_vectors, warn_of_either
from ..graphs.columns import in_row_order
from ..graphs.derived import weigh_nodes
from ..graphs.structure import check_sparse
from ..graphs.weights import edges_in_range, in_range
from ..kernels.as_kernel import as_kernel
from ..kernels.checks import check_magnitude, check_scale
from ..kernels.functions import VECTOR_KERNELS, KernelFunction, kernel_function
from ..kernels.vectors import check_chunks, kernel_over
from ._equal_rows import EqualRows, merge_equal_rows
from ._refusals import refuse_graph

_OVER_VECTORS = (*VECTOR_KERNELS, "rbf", "poly")


@parameters
class KernelInput(Estimator):
    """Base of the kernel classes: resolves the parameters of kernels, and checks what comes in.

    After a fit there are `kernel_`, the function over vectors with its bandwidth (None for matrices and graphs), and
    `_kind`, which is "vectors", "precomputed" or "graph".
    """

    _: KW_ONLY
    kernel: KernelLike = "auto"
    bandwidth: Bandwidth = None
    gamma: float | None = None
    degree: float = 3
    coef0: float = 1.0
    # Whether there is kernel="normalized_cut", for graphs, which kernel="auto" is for them.
    _takes_graphs = False
    # As how many the nodes of a graph count, once it is fitted; None for ones.
    _node_weights = None
    # Whether vectors may be a dask.array, which is never fetched.
    _takes_chunks = False

    def _weighted_kernel_of(self, X, sample_weight, streams):
        """Return the view of the kernel of what is clustered: equal vectors count as one, where all starts are drawn.

        Returns the kernel, the EqualRows (its weights None if there are none), and the checked number of clusters.
        """
        X = self._checked(X)
        is_graph = self._kind == "graph"
        self._node_weights = sample_weight if is_graph else None
        kernel = None if self._kind == "vectors" else self._view(X, streams)
        weighted = sample_weight is not None and not is_graph
        rows = EqualRows(X, self._weights_of(X, sample_weight) if weighted else None)
        if kernel is None and not weighted:
            n_points = X.shape[0]
        else:
            n_points = int(np.count_nonzero(rows.weights if weighted else kernel.point_weights))
        if is_graph and not n_points:
            raise InputError("no node has an edge: there is nothing to cluster")
        why = "the points that have weight; ask for fewer clusters"
        k = check_integer("n_clusters", self.n_clusters, low=1, high=n_points, why_high=why)
        if kernel is None:
            drawn = all(isinstance(getattr(self, name, ""), str) for name in ("init", "sampling"))
            if drawn and not is_chunked(X):
                rows = merge_equal_rows(X, rows.weights, least=max(k, 2))
            kernel = self._view(rows.X, streams)
        return kernel, rows._replace(X=None, n_given=n_points if is_graph else X.shape[0]), k

    def _weights_of(self, X, sample_weight):
        """Return checked weights of vectors or of rows of a matrix, None if there are none."""
        if sample_weight is None:
            return None
        if is_chunked(X):
            raise ParameterError("sample_weight is not for a dask.array; leave it out, or give X as an array in memory")
        return check_sample_weight(sample_weight, X.shape[0])

    def _checked(self, X):
        """Return the validated input and its kind."""
        effective_jobs(self.n_jobs)  # refuses what is no number of jobs before work begins
        self._kind = self._kind_of(X)
        self.kernel_: KernelFunction | None = None
        if is_chunked(X):
            return self._chunks(X, reset=True)
        if self._kind == "graph":
            return X
        X = in_row_order(X) if self._kind == "precomputed" else X
        refuse_as_vectors(X)
        if isinstance(self.kernel, str) and self.kernel == "auto":
            refuse_graph(self, X, otherwise="a kernel matrix with kernel='precomputed', vectors with 'gaussian'")
            warn_of_either(X, "kernel='gaussian'")  # scikit-learn's contract has two columns of integers clustered
        return self._real(X, ensure_min_samples=2)

    def _view(self, X, streams):
        if self._kind == "graph":
            return self._graph_kernel(X)
        if self._kind == "precomputed":
            return as_kernel(X)
        if not is_chunked(X):  # those have been checked
            check_scale(X)
        self.kernel_ = self._function_over(X, streams)
        kernel = self._vector_kernel(X)
        self._precision = kernel.precision
        if self.kernel_.name in ("polynomial", "linear"):
            largest = float(max(map_chunks(np.max, kernel.diagonal)))
            check_magnitude(f"kernel={self.kernel_.name!r}", largest, kernel.precision)
        return kernel

    def _kind_of(self, X):
        kernel, kind = self.kernel, "vectors"
        if not callable(kernel):
            names = ("auto", "precomputed", *(["normalized_cut"] if self._takes_graphs else []))
            check_choice("kernel", kernel, (*names, *_OVER_VECTORS))
            if kernel == "normalized_cut" or (kernel == "auto" and self._takes_graphs and is_graph(X)):
                kind = "graph"
            elif kernel == "precomputed":
                kind = kernel
            given = [name for name in ("bandwidth", "gamma") if getattr(self, name) is not None]
            if given and kernel in ("precomputed", "normalized_cut"):  # which are no functions of vectors
                name, meant = given[0], f"has no meaning for kernel={kernel!r}; leave it out"
                raise refused(name, getattr(self, name), meant)
        if kind != "graph" and is_graph_object(X):
            if not self._takes_graphs:
                refuse_graph(self, X)
            raise ParameterError(
                f"kernel={self.kernel!r} takes vectors or a matrix, and this is a {type(X).__name__}; use "
                "kernel='auto' or 'normalized_cut'"
            )
        return kind

    def _function_over(self, X, streams):
        """Return the kernel function over these vectors, its bandwidth chosen if none is given."""
        kernel = "gaussian" if isinstance(self.kernel, str) and self.kernel == "auto" else self.kernel
        bandwidth, gamma, rng = self.bandwidth, self.gamma, streams.child("bandwidth")
        if bandwidth is None and gamma is None and isinstance(kernel, str) and kernel in ("gaussian", "rbf"):
            gamma = self._gamma_rule(X, rng)
        return kernel_function(
            kernel, bandwidth=bandwidth, gamma=gamma, degree=self.degree, coef0=self.coef0, random_state=rng, X=X
        )

    def _gamma_rule(self, X, rng):
        """Gamma of the Gaussian kernel where nothing is given; without one, it is left to `kernel_function`."""

    def _graph_of(self, X):
        """The graph that was given, as it is or as an adjacency matrix, its nodes weighed, with weights in range."""
        if not is_graph(X):
            X = self._real(X)
            refuse_negative(self, X)
        graph = as_graph(X, symmetrize=self.symmetrize)
        if self._node_weights is not None:
            self._node_weights = check_sample_weight(self._node_weights, graph.n_nodes)
            graph = weigh_nodes(graph, self._node_weights)
        if graph.n_isolated:  # edges of new nodes to those do not count
            own = 1.0 if self._node_weights is None else self._node_weights
            self._node_weights = np.where(graph.degrees > 0, own, 0.0)
        graph = in_range(graph)
        self.n_features_in_ = graph.n_nodes
        self._exponent = graph.exponent
        return graph

    def _vector_kernel(self, X):
        return kernel_over(X, self.kernel_)

    def _size(self, name, kernel, n_given=None, words=("auto",)):
        """A parameter that is a number of points or their share; more than the different points are all of these."""
        value, n_points = getattr(self, name), kernel.n_points
        total = n_given if n_given and isinstance(value, Integral) else n_points
        size = check_size(name, value, total, "the points", words=words)
        return size if isinstance(size, str) else min(size, n_points)

    def _real(self, X, **options):
        """Real numbers of any type as they are, also if they are memory-mapped."""
        check_sparse(X)
        X = validate_data(self, X, accept_sparse="csr", dtype="numeric", order="C", **options)
        if X.dtype.kind not in "biuf":
            raise InputError(f"X must hold real numbers, got type {X.dtype}")
        return X

    def _chunks(self, X, *, reset):
        """Return a dask.array, checked in a pass over its blocks."""
        name = type(self).__name__
        if not self._takes_chunks:
            raise InputError(f"{name} takes no dask.array; X.compute() brings it into memory, if it fits")
        if self._kind != "vectors":
            raise ParameterError(f"kernel={self.kernel!r} takes no dask.array; give vectors, or a matrix in memory")
        X = as_chunks(X)
        _check_n_features(self, X, reset=reset)
        narrow = np.float32 if getattr(self, "dtype", None) == "float32" else None
        check_chunks(X, narrow if reset else self._precision)
        return X

    def _new_points(self, X):
        """New points, checked against those fitted."""
        check_is_fitted(self)
        if is_chunked(X):
            return self._chunks(X, reset=False)
        if self._kind == "graph" and is_graph_object(X):
            raise InputError(
                "new nodes are given by their edges to the fitted ones, as a matrix of shape (n_new, n_fitted); "
                "labels_ has the labels of the fitted nodes, whose cost is metrics.kernel_kmeans_cost"
            )
        refuse_graph(self, X)
        X = self._real(X, reset=False)
        if self._kind != "graph":
            if self._kind == "vectors":
                check_scale(X, self._precision)
            return X
        refuse_negative(self, X)
        if self._node_weights is not None:
            X = X @ sp.diags_array(self._node_weights)
        return edges_in_range(X, self._exponent)

    def _given_squares(self, squares):
        """Return squared distances, which go by one over the weights of a graph, in the unit of the weights given."""
        if self._kind != "graph":
            return squares
        with np.errstate(over="ignore"):  # infinite beside the smallest weights that there are
            return np.ldexp(squares, -self._exponent)

    def _keep_diagonal(self, kernel, weights):
        """Keep ``K(x, x)`` of the fit, and its mean: rows of a kernel matrix do not hold it."""
        if self._kind == "precomputed":
            self._diagonal = kernel.diagonal
            self._mean_diagonal = float(np.average(self._diagonal, weights=weights))

    def _is_fitted_matrix(self, X):
        """Whether rows of a kernel are taken for those of the fit: they have the diagonal that its points have."""
        return X.shape == (len(self._diagonal),) * 2 and np.array_equal(X.diagonal(), self._diagonal)

    def _own_values(self, X):
        """``K(x, x)`` of new points; of rows of a kernel matrix other than that of the fit, its mean over the fit."""
        if self._kind == "vectors":
            return kernel_over(X, self.kernel_).diagonal
        return self._diagonal if self._is_fitted_matrix(X) else np.full(X.shape[0], self._mean_diagonal)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        named = isinstance(self.kernel, str)
        tags.input_tags.pairwise = named and self.kernel in ("precomputed", "normalized_cut")
        tags.input_tags.positive_only = named and self.kernel == "normalized_cut"
        return tags
