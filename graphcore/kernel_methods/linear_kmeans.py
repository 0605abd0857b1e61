"""k-means on explicit features of a kernel, by scikit-learn, and what the classes of features share."""

import warnings
from dataclasses import KW_ONLY, dataclass
from typing import Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from ..base.estimator import parameters, passed_on, stages_of, whole
from ..base.lazy import import_whole
from ..base.loops import limited_libraries
from ..base.streams import Streams
from ..base.types import AnyData, Floats
from ..base.validation import check_integer, check_real, check_sample_weight
from ..exceptions import warn_user
from ..kernels.base import membership_matrix
from .base import DistanceTransformer, KernelEstimator

# k-means takes a copy of its data where that is no burden.
_COPY_BYTES = 1 << 29


@dataclass(frozen=True, eq=False)
class LinearKMeans:
    """Clusters of the rows of a matrix."""

    labels: np.ndarray  # (n,) int32, from 0 to the number of clusters less one; every cluster holds a row
    # (k, s) float64: centres of the last iteration, of which every row has the label of the nearest. They are the
    # weighted means of the clusters up to the tolerance.
    centers: np.ndarray
    cost: float  # weighted mean of the squared distances to the weighted means of the clusters
    n_iter: int


def linear_kmeans(B, n_clusters, *, sample_weight=None, n_init=10, max_iter=300, tol=1e-4, random_state=None):
    """Cluster rows by k-means, a LinearKMeans: k-means++ initialisations and Lloyd's iterations, on one thread.

    B (n, s) is float32 or float64. The other parameters are as for :class:`graphcore.NystromKernelKMeans`. A
    GraphWarning says that there are fewer clusters than asked for, because so few rows are different.

    >>> import numpy as np
    >>> from graphcore.kernel_methods.linear_kmeans import linear_kmeans
    >>> linear_kmeans(np.array([[0.0], [0.0], [1.0], [1.2]]), 2, random_state=0).cost.__round__(6)
    0.005
    """
    KMeans = import_whole("sklearn.cluster").KMeans
    from scipy.spatial import cKDTree
    from sklearn.exceptions import ConvergenceWarning

    k = check_integer("n_clusters", n_clusters, low=1, high=len(B), why_high="the number of points")
    n_init = check_integer("n_init", n_init, low=1)
    max_iter, tol = check_integer("max_iter", max_iter, low=1), check_real("tol", tol, low=0.0)
    seed = Streams(random_state).integer("k-means")
    # Without a copy rows are moved by their mean and back, which changes last digits.
    copied = B.nbytes <= _COPY_BYTES
    model = KMeans(k, n_init=n_init, max_iter=max_iter, tol=tol, random_state=seed, copy_x=copied)
    with limited_libraries(), warnings.catch_warnings():
        # Fewer distinct rows than clusters is said below, in terms of the caller.
        warnings.simplefilter("ignore", ConvergenceWarning)
        labels = model.fit(B, sample_weight=sample_weight).labels_
        found, labels = np.unique(labels, return_inverse=True)
        centers = np.asarray(model.cluster_centers_[found], dtype=np.float64)
        # Clusters whose centres differ by rounding alone are of equal points.
        rounding = 100 * np.finfo(B.dtype).eps * max(B.max(), -B.min())
        first = np.arange(len(found))
        for one, other in sorted(cKDTree(centers).query_pairs(rounding)):
            first[other] = min(first[other], first[one])
        found, labels = np.unique(first[labels], return_inverse=True)
        labels = labels.astype(np.int32)
        if len(found) < k:
            warn_user(
                f"there are {len(found)} clusters instead of n_clusters={k}: the points have so few different "
                "features; ask for fewer clusters, or take more landmarks or a narrower bandwidth"
            )
        cost = centers_and_cost(B, labels, sample_weight)[1]
    return LinearKMeans(labels, centers[found], cost, int(model.n_iter_))


def nearest_center(B, centers):
    """Find the nearest centre of every row: its index and the squared distance, in float64 and by blocks."""
    pairwise_distances_argmin_min = import_whole("sklearn.metrics").pairwise_distances_argmin_min
    labels, distances = np.empty(len(B), dtype=np.int32), np.empty(len(B))
    step = max(1, (1 << 22) // max(1, B.shape[1] + len(centers)))
    with limited_libraries():
        for start in range(0, len(B), step):
            rows = np.asarray(B[start : start + step], dtype=np.float64)
            found = pairwise_distances_argmin_min(rows, centers, metric="sqeuclidean")
            labels[start : start + step], distances[start : start + step] = found
    return labels, distances


def centers_and_cost(B, labels, sample_weight=None):
    """Compute weighted means of the clusters, and the weighted mean of squared distances to them, by blocks."""
    k = int(labels.max()) + 1
    w = np.ones(len(B)) if sample_weight is None else sample_weight
    step = max(1, (1 << 22) // max(1, B.shape[1]))
    spans = [slice(start, start + step) for start in range(0, len(B), step)]
    sums, masses, total = np.zeros((k, B.shape[1])), np.bincount(labels, weights=w, minlength=k), 0.0
    for span in spans:
        sums += membership_matrix(labels[span], w[span], k) @ np.asarray(B[span], dtype=np.float64)
    centers = np.divide(sums, masses[:, None], out=np.zeros_like(sums), where=masses[:, None] > 0)
    for span in spans:
        difference = np.asarray(B[span], dtype=np.float64) - centers[labels[span]]
        total += float(np.einsum("ij,ij->i", difference, difference) @ w[span])
    return centers, total / float(masses.sum())


class FeatureTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelEstimator):
    """Base of transformers whose features of the points fitted come with the fit.

    A class gives `_learn`, features of a kernel, and `_features_of` checked new points.
    """

    _mark_of_fit = "n_components_"

    @whole
    def fit(self, X: AnyData, y: object = None) -> Self:
        """Learn the map.

        Parameters
        ----------
        X : array-like, memmap or sparse matrix of shape (n_samples, n_features), or (n_samples, n_samples)
            Vectors, or a kernel matrix.
        y : ignored

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
        >>> graphcore.NystromFeatures(5, random_state=0).fit(X).n_components_
        5
        """
        self.fit_transform(X)
        return self

    @whole
    def fit_transform(self, X: AnyData, y: object = None) -> Floats:
        """Learn the map and return the features of all points: the same as :meth:`fit` and :meth:`transform`.

        Parameters
        ----------
        X : array-like, memmap or sparse matrix, as for :meth:`fit`
        y : ignored

        Returns
        -------
        ndarray of shape (n_samples, n_components), float32 or float64

        Examples
        --------
        >>> import graphcore
        >>> digits = graphcore.datasets.load_digits()
        >>> graphcore.NystromFeatures(5, random_state=0).fit_transform(digits.data).shape
        (1797, 5)
        """
        streams = Streams(self.random_state)
        with stages_of(self) as stages:
            with stages("kernel"):
                kernel = self._view(self._checked(X), streams)
            with stages("features"):
                return self._learn(kernel, streams)

    def transform(self, X: AnyData) -> Floats:
        """Return features of any points, by the map that was learnt in :meth:`fit`.

        Parameters
        ----------
        X : array-like, memmap or sparse matrix of shape (n, n_features), or (n, n_samples) for kernel rows

        Returns
        -------
        ndarray of shape (n, n_components), float32 or float64

        Examples
        --------
        >>> import graphcore
        >>> digits = graphcore.datasets.load_digits()
        >>> graphcore.NystromFeatures(5, random_state=0).fit(digits.data[:900]).transform(digits.data[900:]).shape
        (897, 5)
        """
        return self._features_of(self._new_points(X))

    @property
    def _n_features_out(self):
        return self.n_components_


@parameters
class FeatureClusterer(KernelEstimator, DistanceTransformer):
    """Base of k-means on the features of points, with the nearest centre of new ones.

    A class gives `_learn_for` (features, and what they came with), `_kmeans_streams`, `_features_of` checked new
    points, and `_judge`, which says what the clusters cost.
    """

    _: KW_ONLY
    n_init: int = 10
    max_iter: int = 300
    tol: float = 1e-4

    def _fit(self, X, sample_weight, streams):
        with stages_of(self) as stages:
            with stages("kernel"):
                kernel, rows, k = self._weighted_kernel_of(X, sample_weight, streams)
            with stages("features"):
                features, found = self._learn_for(kernel, k, streams, rows.n_given)
            with stages("k-means"):
                options = passed_on(self, "n_init max_iter tol") | {"random_state": self._kmeans_streams(streams)}
                clusters = linear_kmeans(features, k, sample_weight=rows.weights, **options)
        self.cluster_centers_: Floats = clusters.centers
        self._n_features_out = len(clusters.centers)
        self.n_iter_: int = clusters.n_iter
        self.converged_: bool = clusters.n_iter < self.max_iter
        self._judge(found, clusters, kernel, rows)
        return clusters.labels, rows

    def _distances(self, X):
        return import_whole("sklearn.metrics").euclidean_distances(self._features_of(X), self.cluster_centers_)

    def _nearest(self, X):
        return nearest_center(self._features_of(X), self.cluster_centers_)

    def _cost(self, X, sample_weight):
        B = self._features_of(X)
        squares = nearest_center(B, self.cluster_centers_)[1] + self._residuals(X, B)
        return float(np.average(squares, weights=check_sample_weight(sample_weight, X.shape[0])))

    def _residuals(self, X, B):
        """Squared distances of points from what the features span, where these count."""
        return np.zeros(len(B))
