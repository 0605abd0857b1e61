"""The scikit-learn class for kernel k-means on a coreset."""

from dataclasses import KW_ONLY, replace
from functools import partial
from numbers import Integral, Real
from typing import Self

import numpy as np
from sklearn.utils.metaestimators import available_if

from ..base.estimator import parameters, passed_on, stages_of
from ..base.streams import Streams
from ..base.types import AnyData, ArrayLike, Floats, Integers, Labels
from ..base.validation import check_choice, check_integer, refused
from ..cluster.coreset import refuse_few
from ..cluster.merge_coresets import CoresetTree, reduce_coreset
from ..distributed.chunks import is_chunked
from ..exceptions import ParameterError
from ..graphs.weights import given_unit
from ..kernel_methods.kmeans.coreset import CoresetKernelKMeansResult, coreset_kernel_kmeans, stream_kernel_kmeans
from .kernel_kmeans import CentroidClusterer

# Parameters of drawing coresets, and of kernel k-means on one.
_OF_DRAWS = "sampling seeding n_seeds"
_OF_CORESET = "init n_init max_iter tol on_empty on_indefinite n_jobs"


def _may_be_of_vectors(model):
    """Whether the kernel may be one of vectors; scikit-learn looks for methods by their names."""
    return callable(model.kernel) or model.kernel not in ("precomputed", "normalized_cut")


@parameters
class CoresetKernelKMeans(CentroidClusterer):
    """Kernel k-means on a coreset; all points are then assigned to the nearest centroid.

    Parameters
    ----------
    n_clusters : int, default 8
    coreset_size : int, float or "auto", default "auto"
        Draws (different points, unless ``sampling="importance"``), or their share of the points; as many as there are
        points are all points, without draws (but for graphs, as published, unless there are as many clusters). "auto"
        is 50 for every cluster and at least 1,000, or all points if there are fewer.
    sampling : {"importance", "uniform", "degree"}, default "importance"
        "importance" is the published scheme, for graphs as the authors of the coreset paper draw, nearly by degree;
        "degree" is for graphs.
    seeding : {"auto", "fast", "naive"}, default "auto"
        How the D2 seeds of importance sampling are drawn: "naive" looks at all points for each, "fast" goes through a
        sampling tree and reads the rows of the seeds alone, those of a graph or of a sparse kernel matrix without
        negative entries.
    n_seeds : int or "auto", default "auto"
        D2 seeds; "auto" is twice `n_clusters`.
    kernel, bandwidth, gamma, degree, coef0, held_bytes, symmetrize, random_state, n_jobs, verbose
        As for :class:`KernelKMeans`.
    init : {"k-means++", "random"}, default "k-means++"
        Start on the coreset.
    n_init, max_iter, tol, on_empty, on_indefinite
        As for :class:`KernelKMeans`, on the coreset.
    self_loop : float or "auto", default "auto"
        Weight of a loop on every node of a graph, in the kernel only, as a multiple of the graph's mean weight. "auto"
        is 1, as published for graphs without weights: D2 seeding needs a diagonal.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Nearest centroid, for the coreset's points too; -1 for isolated nodes of a graph. After :meth:`partial_fit`
        those of the last chunk; a dask.array for one.
    coreset_indices_ : ndarray of shape (n_coreset,), int64
    coreset_weights_ : ndarray of shape (n_coreset,), float64
    coreset_labels_ : ndarray of shape (n_coreset,), int32
        Clusters that kernel k-means put the coreset's points into.
    coreset_cost_ : float
        Mean squared distance on the coreset with its weights: an estimate of the cost of all points.
    n_unreached_ : int
        Nodes of a graph that no coreset node is joined to; their label is a default, no evidence.
    n_iter_, converged_, kernel_, n_features_in_
        As for :class:`KernelKMeans`, on the coreset.
    result_ : CoresetKernelKMeansResult
        Details of the run, over the distinct points with a weight.

    See Also
    --------
    CoresetSpectralClustering : For graphs of many clusters, where this one is caught in local optima.

    Notes
    -----
    Time and memory beside the input: the seeds read ``n_seeds`` columns of the kernel, the coreset holds
    ``coreset_size^2`` values (a sparse part of the graph, for graphs), labelling evaluates ``n coreset_size`` values in
    blocks.

    References
    ----------
    Jiang, Krauthgamer, Lou, Zhang, "Coresets for kernel clustering"; Jourdan, Schwartzman, Macgregor, Sun, "Coreset
    Spectral Clustering", where it is the baseline. Streams and chunks: :func:`graphcore.merge_coresets`.

    Examples
    --------
    >>> import graphcore
    >>> from sklearn.datasets import make_blobs
    >>> X, y = make_blobs(3000, centers=3, random_state=1)
    >>> model = graphcore.CoresetKernelKMeans(3, coreset_size=300, random_state=0).fit(X)
    >>> bool(graphcore.metrics.agreement(y, model.labels_)["ari"] > 0.95)
    True
    """

    _auto_loop = 1.0
    _takes_chunks = True

    n_clusters: int = 8
    _: KW_ONLY
    coreset_size: float | str = "auto"
    sampling: str = "importance"
    seeding: str = "auto"
    n_seeds: int | str = "auto"

    @available_if(_may_be_of_vectors)
    def partial_fit(self, X: AnyData, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Add a chunk of vectors to those before, and cluster the coreset of all; not for a kernel matrix.

        Memory is that of the chunk and of a coreset for each doubling of the number of chunks. Every call runs kernel
        k-means on the coreset and labels the chunk, so chunks of many times `coreset_size` rows are quickest.

        Parameters
        ----------
        X : array-like, sparse matrix or dask.array of shape (n_samples, n_features)
            The next rows. A rule for the bandwidth is applied to the first chunk only; give a number if that may be
            unlike the rest. A dask.array is as many chunks as it has.
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional
            As for :meth:`fit`.

        Returns
        -------
        self
            `labels_` are those of this chunk, as in scikit-learn; :meth:`predict` labels others.
            `coreset_indices_` count the rows of all chunks. After :meth:`fit` on vectors the chunk is added to those.

        Raises
        ------
        ValueError
            As for :meth:`fit`; also for graphs, for a `coreset_size` that is a share, and for a
            first chunk of fewer points than clusters. The estimator then is as it was before.

        References
        ----------
        See :func:`graphcore.merge_coresets`.

        Examples
        --------
        >>> import graphcore
        >>> from sklearn.datasets import make_blobs
        >>> X, y = make_blobs(3000, centers=3, random_state=1)
        >>> model = graphcore.CoresetKernelKMeans(3, coreset_size=300, random_state=0)
        >>> for start in range(0, 3000, 500):
        ...     model = model.partial_fit(X[start : start + 500])
        >>> len(model.labels_), bool(graphcore.metrics.agreement(y, model.predict(X))["ari"] > 0.95)
        (500, True)
        """
        k = check_integer("n_clusters", self.n_clusters, low=1)
        with stages_of(self) as stages:
            with stages("kernel"):
                begun = self.__sklearn_is_fitted__()
                X = X if begun else self._checked(X)
                if self._kind != "vectors":
                    raise ParameterError(
                        f"partial_fit takes vectors, and with kernel={self.kernel!r} this is no vectors' kernel; name "
                        "one, such as kernel='gaussian', or give all at once to fit"
                    )
                X = self._new_points(X) if begun else X
                weights = self._weights_of(X, sample_weight)
                if begun:
                    tree = self._tree
                else:
                    size, streams = self._stream_draws(k), Streams(self.random_state)
                    tree = self._tree_over(self._view(X, streams), k, size, streams)
            with stages("coreset and labels"):
                self.labels_: Labels = self._joined_to(tree, X, k, weights)
        return self

    def _fit(self, X, sample_weight, streams):
        with stages_of(self) as stages:
            with stages("kernel"):
                kernel, rows, k = self._weighted_kernel_of(X, sample_weight, streams)
            with stages("coreset and labels"):
                size = self._n_draws(kernel, k, rows)
                of_vectors = self._kind == "vectors"
                tree = self._tree_over(kernel, k, self._stream_draws(k, size), streams) if of_vectors else None
                if is_chunked(X):
                    return self._joined_to(tree, kernel.X, k), rows
                options = passed_on(self, f"{_OF_DRAWS} {_OF_CORESET}")
                result = coreset_kernel_kmeans(
                    kernel, k, size=size, weights=rows.weights, random_state=streams, **options
                )
        coreset, given = result.coreset, rows.given(result.coreset.indices)
        if tree is None:
            self._store(result, given, kernel, coreset.indices, rows.weights)
        else:
            coreset = replace(coreset.over(kernel), indices=given, n_points=rows.n_given)
            self._tree = tree.with_coreset(coreset)
            self._store(result, given, coreset.kernel)
        return result.labels, rows

    def _tree_over(self, kernel, n_clusters, size, streams):
        """The tree of coresets, still empty, of vectors under a kernel."""
        options = {"method": self.sampling, "n_seeds": self.n_seeds, "seeding": self.seeding}
        reduced = partial(reduce_coreset, n_clusters=n_clusters, size=size, **options)
        return CoresetTree(reduced, kernel.function, kernel.precision, streams)

    def _joined_to(self, tree, X, n_clusters, weights=None):
        """Cluster the coreset of the chunks of a tree and those of X; store the clustering, and return labels of X."""
        tree = tree.with_chunks(X, weights)
        result = stream_kernel_kmeans(tree, X, n_clusters, **passed_on(self, _OF_CORESET))
        self._tree = tree
        self._store(result, result.coreset.indices, result.coreset.kernel)
        return result.labels.persist() if is_chunked(X) else result.labels

    def _store(self, result, given, kernel, points=None, weights=None):
        """Keep a result, of a kernel with these points as the coreset (all if None), which were given at `given`."""
        coreset, found = result.coreset, result.on_coreset
        order = np.argsort(given)
        self.coreset_indices_: Integers = given[order]
        self.coreset_weights_: Floats = coreset.weights[order]
        if self._kind == "graph":
            self.coreset_weights_ = given_unit(self.coreset_weights_, self._exponent)
        self.coreset_labels_: Labels = found.labels[order]
        self.coreset_cost_: float = float(self._given_squares(found.cost))
        self.n_unreached_: int = result.n_unreached
        self.result_: CoresetKernelKMeansResult = result
        self._keep(kernel, points, found.run, found.centroids, weights)

    def _n_draws(self, kernel, n_clusters, rows):
        """Number of draws that `coreset_size` asks for."""
        size = self._size("coreset_size", kernel, rows.n_given)
        weights = kernel.point_weights if rows.weights is None and self._kind == "graph" else rows.weights
        n_points = kernel.n_points if weights is None else int(np.count_nonzero(weights))
        if isinstance(size, str):
            return min(n_points, _auto_draws(n_clusters))
        if isinstance(self.coreset_size, Integral):
            refuse_few(size, n_clusters)
        return min(n_points, max(n_clusters, size))

    def _stream_draws(self, n_clusters, share=None):
        """Number of draws in a stream; a share of points comes to `share` of them, None where nobody knows."""
        if isinstance(self.coreset_size, str):
            check_choice("coreset_size", self.coreset_size, ("auto",), "or a number")
            return _auto_draws(n_clusters)
        if isinstance(self.coreset_size, Real) and not isinstance(self.coreset_size, Integral):
            if share is not None:
                return share
            why = "is a share of the points, and partial_fit does not know how many will come; give a number"
            raise refused("coreset_size", self.coreset_size, why)
        size = check_integer("coreset_size", self.coreset_size, low=1)
        refuse_few(size, n_clusters)
        return size


def _auto_draws(n_clusters):
    return max(1000, 50 * n_clusters)
