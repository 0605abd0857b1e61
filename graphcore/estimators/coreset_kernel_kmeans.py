"""The scikit-learn class for kernel k-means on a coreset."""

from dataclasses import KW_ONLY
from numbers import Integral

import numpy as np

from ..base.types import Floats, Integers, Labels
from ..exceptions import ParameterError
from ..graphs.weights import given_unit
from ..kernel_methods.kmeans.coreset import CoresetKernelKMeansResult, coreset_kernel_kmeans
from ._checks import parameters, passed_on, stages_of
from .kernel_kmeans import CentroidClusterer


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
        Nearest centroid, for the coreset's points too; -1 for isolated nodes of a graph.
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
        All that is known of the run, over the different points that have weight.

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
    Spectral Clustering", where it is the baseline.

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
    seeding: str = "auto"
    n_seeds: int | str = "auto"

    def _fit(self, X, sample_weight, streams):
        with stages_of(self) as stages:
            with stages("kernel"):
                kernel, rows, k = self._weighted_kernel_of(X, sample_weight, streams)
            with stages("coreset and labels"):
                options = passed_on(
                    self, "sampling seeding n_seeds init n_init max_iter tol on_empty on_indefinite n_jobs"
                )
                size = self._n_draws(kernel, k, rows)
                result = coreset_kernel_kmeans(
                    kernel, k, size=size, weights=rows.weights, random_state=streams, **options
                )
        coreset, found = result.coreset, result.on_coreset
        given = rows.given(coreset.indices)
        order = np.argsort(given)
        self.coreset_indices_: Integers = given[order]
        self.coreset_weights_: Floats = coreset.weights[order]
        if self._kind == "graph":
            self.coreset_weights_ = given_unit(self.coreset_weights_, self._exponent)
        self.coreset_labels_: Labels = found.labels[order]
        self.coreset_cost_: float = float(self._given_squares(found.cost))
        self.n_unreached_: int = result.n_unreached
        self.result_: CoresetKernelKMeansResult = result
        self._keep(kernel, coreset.indices, found.run, found.centroids, rows.weights)
        return result.labels, rows

    def _n_draws(self, kernel, n_clusters, rows):
        """Number of draws that `coreset_size` asks for."""
        size = self._size("coreset_size", kernel, rows.n_given)
        n_points = int(np.count_nonzero(kernel.point_weights if rows.weights is None else rows.weights))
        if isinstance(size, str):
            return min(n_points, max(1000, 50 * n_clusters))
        if isinstance(self.coreset_size, Integral) and size < n_clusters:
            raise ParameterError(
                f"coreset_size={size} is less than n_clusters={n_clusters}; each cluster needs a point"
            )
        return min(n_points, max(n_clusters, size))
