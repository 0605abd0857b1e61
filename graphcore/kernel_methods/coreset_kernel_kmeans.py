"""Kernel k-means on a coreset: the coreset is clustered, and all points go to the nearest centroid."""

from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from numbers import Integral, Real
from typing import Self

import numpy as np
from sklearn.utils.metaestimators import available_if

from ..base.estimator import parameters, passed_on, stages_of
from ..base.streams import Streams
from ..base.types import AnyData, ArrayLike, Floats, Integers, Labels
from ..base.validation import check_choice, check_integer, check_sample_weight, refused
from ..cluster.coreset import SAMPLING, Coreset, refuse_few, sample_coreset
from ..cluster.coreset_graph import label_all
from ..cluster.merge_coresets import CoresetTree, reduce_coreset
from ..exceptions import InputError, ParameterError, warn_user
from ..graphs.graph import Graph
from ..graphs.rows import given_unit
from ..kernels.base import vector_columns
from ..kernels.checks import check_diagonal
from ..kernels.graph import GraphKernel
from .base import kernel_and_weights
from .kernel_kmeans import CentroidClusterer, KernelKMeansResult, kernel_kmeans, nearest_centroid

# Share of the nodes of a graph that may have no edge to the coreset without a warning.
_MOST_UNREACHED = 0.1


@dataclass(frozen=True, eq=False)
class CoresetKernelKMeansResult:
    """A partition of all points by the centroids of a clustered coreset."""

    # (n_points,) int32: nearest centroid, the coreset's own included; -1 for isolated nodes. In a stream those of the
    # last chunk.
    labels: np.ndarray
    coreset: Coreset
    on_coreset: KernelKMeansResult  # weighted kernel k-means on the coreset; its `cost` estimates that of all points
    # Nodes of a graph that no coreset node is joined to: their label is that of the centroid of least norm, evidence
    # for no cluster. 0 for other kernels.
    n_unreached: int = 0


def coreset_kernel_kmeans(
    K,
    n_clusters,
    *,
    size,
    self_loop=1.0,
    weights=None,
    random_state=None,
    n_jobs=None,
    sampling="importance",
    n_seeds="auto",
    **options,
):
    """Run kernel k-means on a coreset, and label all points: a CoresetKernelKMeansResult.

    K and `weights` are as for `kernel_kmeans`; `self_loop` is the weight of a loop on every node, where K is a Graph,
    as a multiple of its mean weight. `size` counts draws ("importance"; repeats are merged) or different points
    ("uniform", "degree"): as many as there are points with weight are these points themselves, with their weights and
    without draws; nodes of a graph are drawn always, as published. `sampling` and `n_seeds` are as for
    :class:`graphcore.CoresetKernelKMeans`, and `options` are those of `kernel_kmeans` on the coreset: `n_init`,
    `max_iter` and `tol`.

    >>> import numpy as np
    >>> from graphcore.kernel_methods.coreset_kernel_kmeans import coreset_kernel_kmeans
    >>> x = np.repeat([0.0, 10.0], 50) + np.linspace(0, 1, 100)
    >>> result = coreset_kernel_kmeans(np.outer(x, x), 2, size=20, random_state=0)
    >>> len(set(result.labels[:50])), len(set(result.labels[50:])), len(set(result.labels))
    (1, 1, 2)
    """
    kernel, weights = kernel_and_weights(GraphKernel(K, self_loop) if isinstance(K, Graph) else K, weights, "weights")
    check_diagonal(kernel)
    check_choice("sampling", sampling, SAMPLING)
    streams = Streams(random_state)
    drawn = {"size": size, "sampling": sampling, "n_seeds": n_seeds}
    coreset = sample_coreset(kernel, n_clusters, weights=weights, random_state=streams, **drawn)
    if len(coreset) < n_clusters:
        raise InputError(
            f"only {len(coreset)} different points were drawn for n_clusters={n_clusters}, in {coreset.n_draws} draws; "
            "take a larger coreset, or sampling='uniform', which repeats none"
        )
    few, stream = kernel.submatrix(coreset.indices, coreset.weights), streams.child("few")
    on_coreset = kernel_kmeans(few, n_clusters, random_state=stream, n_jobs=n_jobs, **options)
    n_unreached = 0
    if kernel.leaves_out_isolated:
        found = label_all(kernel, coreset.indices, coreset.weights, on_coreset.labels, n_clusters, n_jobs=n_jobs)
        labels, n_unreached = found.labels, int(np.count_nonzero(found.unreached))
        if n_unreached > _MOST_UNREACHED * np.count_nonzero(weights > 0):
            warn_user(
                f"{n_unreached} nodes have no edge to the {len(coreset)} nodes of the coreset, and labels without "
                "evidence: the graph is too sparse for it; take a larger coreset_size, or CoresetSpectralClustering"
            )
    else:
        labels, _ = nearest_centroid(kernel.columns(coreset.indices), on_coreset.centroids, n_jobs)
    on_few = np.unique(on_coreset.labels[on_coreset.labels >= 0])
    lost = np.setdiff1d(on_few, labels)
    if len(lost):
        warn_user(
            f"only {len(on_few) - len(lost)} of n_clusters={n_clusters} clusters hold points: {len(lost)} hold some of "
            "the coreset, but all of these are as near to another centroid; ask for fewer clusters or a larger coreset"
        )
    return CoresetKernelKMeansResult(labels, coreset, on_coreset, n_unreached)


def stream_kernel_kmeans(tree: CoresetTree, X, n_clusters, *, n_jobs=None, **options):
    """Run kernel k-means on the coreset of a stream, and label the rows of X: a CoresetKernelKMeansResult.

    `tree` holds the chunks so far, of which X is the last. `options` are as for :func:`coreset_kernel_kmeans`.
    """
    coreset = tree.whole()
    if len(coreset) < n_clusters:
        raise ParameterError(
            f"n_clusters={n_clusters} is above the {len(coreset)} points that have weight so far; give more in the "
            "first chunk, or ask for fewer clusters"
        )
    among = coreset.kernel.submatrix(np.arange(len(coreset)), coreset.weights)
    stream = tree.streams.child("few", tree.n_chunks)
    on_coreset = kernel_kmeans(among, n_clusters, random_state=stream, n_jobs=n_jobs, **options)
    columns = vector_columns(tree.function, X, coreset.kernel.vectors(), tree.precision)
    return CoresetKernelKMeansResult(nearest_centroid(columns, on_coreset.centroids, n_jobs)[0], coreset, on_coreset)


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
    n_seeds : int or "auto", default "auto"
        D2 seeds of importance sampling; "auto" is twice `n_clusters`.
    kernel, bandwidth, gamma, random_state, n_jobs, verbose
        As for :class:`KernelKMeans`.
    n_init, max_iter, tol
        As for :class:`KernelKMeans`, on the coreset, with starts by k-means++.
    self_loop : float or "auto", default "auto"
        Weight of a loop on every node of a graph, in the kernel only, as a multiple of the graph's mean weight. "auto"
        is 1, as published for graphs without weights: D2 seeding needs a diagonal.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Nearest centroid, for the coreset's points too; -1 for isolated nodes of a graph. After :meth:`partial_fit`
        those of the last chunk.
    coreset_indices_ : ndarray of shape (n_coreset,), int64
    coreset_weights_ : ndarray of shape (n_coreset,), float64
    coreset_labels_ : ndarray of shape (n_coreset,), int32
        Clusters that kernel k-means put the coreset's points into.
    coreset_cost_ : float
        Mean squared distance on the coreset with its weights, to centroids that were fitted to it: less than the cost
        of all points, ``-score(X)`` (of a graph :func:`graphcore.metrics.kernel_kmeans_cost`, by its loops).
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
    Time and memory beside the input: the seeds read ``n_seeds`` columns of the kernel (rows of the seeds alone, where
    it is sparse), the coreset holds ``coreset_size^2`` values (a sparse part of the graph, for graphs), labelling
    evaluates ``n coreset_size`` values in blocks.

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

    n_clusters: int = 8
    _: KW_ONLY
    coreset_size: float | str = "auto"
    sampling: str = "importance"
    n_seeds: int | str = "auto"

    @available_if(lambda model: callable(model.kernel) or model.kernel not in ("precomputed", "normalized_cut"))
    def partial_fit(self, X: AnyData, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Add a chunk of vectors to those before, and cluster the coreset of all; not for a kernel matrix.

        Memory is that of the chunk and of a coreset for each doubling of the number of chunks. Every call runs kernel
        k-means on the coreset and labels the chunk, so chunks of many times `coreset_size` rows are quickest.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The next rows. A rule for the bandwidth is applied to the first chunk only; give a number if that may be
            unlike the rest.
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
                weights = check_sample_weight(sample_weight, X.shape[0])
                if begun:
                    tree = self._tree
                else:
                    size, streams = self._stream_draws(k), Streams(self.random_state)
                    tree = self._tree_over(self._view(X, streams, weights), k, size, streams)
            with stages("coreset and labels"):
                tree = tree.with_chunk(X, weights)
                result = stream_kernel_kmeans(tree, X, k, **passed_on(self, "n_init max_iter tol n_jobs"))
                self._tree = tree
                self._store(result, result.coreset.indices, result.coreset.kernel)
                self.labels_: Labels = result.labels
        return self

    def _fit(self, X, sample_weight, streams):
        with stages_of(self) as stages:
            with stages("kernel"):
                kernel, rows, k = self._weighted_kernel_of(X, sample_weight, streams)
            with stages("coreset and labels"):
                size = self._n_draws(kernel, k, rows)
                options = passed_on(self, "sampling n_seeds n_init max_iter tol n_jobs") | {"random_state": streams}
                result = coreset_kernel_kmeans(kernel, k, size=size, weights=rows.weights, **options)
        coreset, given = result.coreset, rows.given(result.coreset.indices)
        if self._kind != "vectors":
            self._store(result, given, kernel, coreset.indices, rows.weights)
        else:
            coreset = replace(coreset.over(kernel), indices=given, n_points=rows.n_given)
            self._tree = self._tree_over(kernel, k, self._stream_draws(k, size), streams).with_coreset(coreset)
            self._store(result, given, coreset.kernel)
        return result.labels, rows

    def _tree_over(self, kernel, n_clusters, size, streams):
        """The tree of coresets, still empty, of vectors under a kernel."""
        reduced = partial(reduce_coreset, n_clusters=n_clusters, size=size, **passed_on(self, "sampling n_seeds"))
        return CoresetTree(reduced, kernel.function, kernel.precision, streams)

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
        n_points = int(np.count_nonzero(kernel.point_weights if rows.weights is None else rows.weights))
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
