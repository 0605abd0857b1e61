"""What the classes share that learn features of a kernel: their report, features of new points, k-means on them."""

from dataclasses import KW_ONLY
from typing import Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .._random import Streams
from .._typing import AnyData, ArrayLike, Bandwidth, Floats, KernelLike, Labels, RandomState
from .._validation import check_sample_weight
from ..features.diagnostics import as_text
from ..kmeans.chunked import nearest_center
from ..kmeans.linear import linear_kmeans
from ._checks import parameters, passed_on, stages_of
from ._kernel_input import KernelInput


@parameters
class FeatureEstimator(KernelInput, BaseEstimator):
    """Base of the four classes; `_features_of` gives features of new points, `_report` findings as pairs of text."""

    _: KW_ONLY
    kernel: KernelLike = "gaussian"
    bandwidth: Bandwidth = None
    gamma: float | None = None
    degree: float = 3
    coef0: float = 1.0
    random_state: RandomState = None
    n_jobs: int | None = None
    verbose: int = 0

    _takes_chunks = True

    def report(self) -> str:
        """Summary of the fit as text: settings and diagnostics.

        Returns
        -------
        str

        Examples
        --------
        >>> import graphcore
        >>> from sklearn.datasets import make_blobs
        >>> X, _ = make_blobs(200, centers=3, random_state=0)
        >>> print(graphcore.NystromFeatures(3, random_state=0).fit(X).report())
        kernel  ...
        """
        check_is_fitted(self, "n_components_")
        return as_text(self._report())

    def _report(self):
        return [self._kernel_line()]


class FeatureTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """Mixin of transformers whose features of the points fitted come with the fit."""

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
            :class:`graphcore.InputError` or :class:`graphcore.ParameterError`, naming what is wrong and what to do.

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
        >>> from sklearn.datasets import make_blobs
        >>> X, y = make_blobs(200, centers=3, cluster_std=0.5, random_state=0)
        >>> graphcore.NystromFeatures(5, random_state=0).fit_transform(X).shape
        (200, 5)
        """
        streams = Streams(self.random_state)
        with stages_of(self) as stages:
            with stages("kernel"):
                kernel = self._kernel_of(X, streams)
            with stages("features"):
                return self._learn(kernel, streams)

    def transform(self, X: AnyData) -> Floats:
        """Features of any points, by the map that was learnt in :meth:`fit`.

        Parameters
        ----------
        X : array-like, memmap or sparse matrix of shape (n, n_features), or (n, n_samples) for kernel rows

        Returns
        -------
        ndarray of shape (n, n_components), float32 or float64

        Examples
        --------
        >>> import graphcore
        >>> from sklearn.datasets import make_blobs
        >>> X, y = make_blobs(200, centers=3, cluster_std=0.5, random_state=0)
        >>> graphcore.NystromFeatures(5, random_state=0).fit(X[:150]).transform(X[150:]).shape
        (50, 5)
        """
        return self._features_of(self._new_points(X))

    @property
    def _n_features_out(self):
        return self.n_components_


@parameters
class FeatureClusterer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin):
    """Mixin: k-means on the features of points, and the nearest centre of new ones.

    A class gives `_learn_for` (features, and what they came with), `_kmeans_options` and `_judge`, which says what the
    clusters cost.
    """

    _: KW_ONLY
    n_init: int = 10
    max_iter: int = 300
    tol: float = 1e-4

    def fit(self, X: AnyData, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn features and cluster them.

        Parameters
        ----------
        X : array-like, memmap or sparse matrix of shape (n_samples, n_features), or (n_samples, n_samples)
            Vectors, or a kernel matrix.
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the points in k-means; not negative. Landmarks and subsamples are drawn without regard to them.

        Returns
        -------
        self

        Raises
        ------
        InputError, ParameterError

        Examples
        --------
        >>> import graphcore
        >>> from sklearn.datasets import make_blobs
        >>> X, y = make_blobs(200, centers=3, cluster_std=0.5, random_state=0)
        >>> graphcore.NystromKernelKMeans(3, n_landmarks=40, random_state=0).fit(X).cost_ < 0.2
        True
        """
        streams = Streams(self.random_state)
        with stages_of(self) as stages:
            with stages("kernel"):
                drawn = isinstance(getattr(self, "sampling", "all"), str)
                kernel, rows, k = self._weighted_kernel_of(X, sample_weight, streams, merge=drawn)
            with stages("features"):
                features, found = self._learn_for(kernel, k, streams, rows.n_given)
            with stages("k-means"):
                options = passed_on(self, "n_init max_iter tol") | self._kmeans_options(streams)
                clusters = linear_kmeans(features, k, sample_weight=rows.weights, **options)
            self.cluster_centers_: Floats = clusters.centers
            self.n_iter_: int = clusters.n_iter
            self.converged_: bool = clusters.n_iter < self.max_iter
            self._judge(found, clusters, kernel, rows, stages)
        self.labels_: Labels = rows.for_all(clusters.labels, self.predict)
        return self

    def predict(self, X: AnyData) -> Labels:
        """Cluster of any points: that of the nearest centre.

        Parameters
        ----------
        X : array-like, memmap or sparse matrix of shape (n, n_features), or (n, n_samples) for kernel rows

        Returns
        -------
        ndarray of shape (n,), int32

        Examples
        --------
        >>> import graphcore
        >>> from sklearn.datasets import make_blobs
        >>> X, y = make_blobs(200, centers=3, cluster_std=0.5, random_state=0)
        >>> model = graphcore.NystromKernelKMeans(3, random_state=0).fit(X[:150])
        >>> graphcore.metrics.agreement(model.predict(X[150:]), y[150:])["ari"]
        1.0
        """
        return nearest_center(self._features_of(self._new_points(X)), self.cluster_centers_)[0]

    def transform(self, X: AnyData) -> Floats:
        """Distance of any points to every centre.

        Parameters
        ----------
        X : array-like, memmap or sparse matrix of shape (n, n_features), or (n, n_samples) for kernel rows

        Returns
        -------
        ndarray of shape (n, n_clusters), float64
            In the space that `cost_` is measured in, see :meth:`score`.

        Examples
        --------
        >>> import graphcore
        >>> from sklearn.datasets import make_blobs
        >>> X, y = make_blobs(200, centers=3, cluster_std=0.5, random_state=0)
        >>> model = graphcore.NystromKernelKMeans(3, random_state=0).fit(X[:150])
        >>> model.transform(X[150:]).shape
        (50, 3)
        """
        X = self._new_points(X)
        B = self._features_of(X).astype(np.float64, copy=False)
        norms = np.einsum("ij,ij->i", self.cluster_centers_, self.cluster_centers_)
        squares = (norms - 2.0 * (B @ self.cluster_centers_.T)) + np.einsum("ij,ij->i", B, B)[:, None]
        return np.sqrt(np.maximum(squares, 0.0) + self._residuals(X, B)[:, None])

    def score(self, X: AnyData, y: object = None, sample_weight: ArrayLike | None = None) -> float:
        """Minus the mean cost of new points: their squared distance to the nearest centre. Larger is better.

        Parameters
        ----------
        X : array-like, memmap or sparse matrix of shape (n, n_features), or (n, n_samples) for kernel rows
            Kernel rows do not hold ``K(x, x)``: where the cost needs it, its mean over the fitted points stands for it,
            which is exact where the diagonal is constant, and the same for all models of a search.
        y : ignored
        sample_weight : array-like of shape (n,), optional
            Not negative.

        Returns
        -------
        float
            For the points of the fit, minus ``cost_``.

        Examples
        --------
        >>> import graphcore
        >>> from sklearn.datasets import make_blobs
        >>> X, y = make_blobs(200, centers=3, cluster_std=0.5, random_state=0)
        >>> model = graphcore.NystromKernelKMeans(3, random_state=0).fit(X[:150])
        >>> abs(model.score(X[:150]) + model.cost_) < 1e-6
        True
        """
        X = self._new_points(X)
        weights = None if sample_weight is None else check_sample_weight(sample_weight, X.shape[0])
        B = self._features_of(X)
        squares = nearest_center(B, self.cluster_centers_)[1] + self._residuals(X, B)
        return -float(np.average(squares, weights=weights))

    def _residuals(self, X, B):
        """Squared distances of points from what the features span, where these count."""
        return np.zeros(len(B))

    @property
    def _n_features_out(self):
        return len(self.cluster_centers_)
