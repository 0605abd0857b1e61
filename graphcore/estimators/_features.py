"""Base classes of kernel features: their report, features of new points, k-means on features."""

from dataclasses import KW_ONLY
from typing import Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..base.estimator import parameters, passed_on, stages_of, whole
from ..base.streams import Streams
from ..base.types import AnyData, Floats
from ..base.validation import check_sample_weight
from ..kernel_methods.features.diagnostics import as_text
from ..kernel_methods.kmeans.linear import linear_kmeans, nearest_center
from ._kernel_input import KernelInput
from ._points import DistanceTransformer, PointClusterer


@parameters
class FeatureEstimator(KernelInput):
    """Base of the four classes; `_features_of` gives features of new points, `_report` findings as pairs of text."""

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
        check_is_fitted(self)
        return as_text(self._report())

    def _report(self):
        if self.kernel_ is None:
            return [("kernel", "precomputed")]
        gamma = self.kernel_.gamma
        return [("kernel", self.kernel_.name + ("" if gamma is None else f", gamma {gamma:.4g}"))]


class FeatureTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """Mixin of transformers whose features of the points fitted come with the fit."""

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
            scikit-learn's plain ones for arrays of one or three dimensions, empty ones, and NaN.

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
class FeatureClusterer(DistanceTransformer, PointClusterer):
    """Mixin: k-means on the features of points, and the nearest centre of new ones.

    A class gives `_learn_for` (features, and what they came with), `_kmeans_options` and `_judge`, which says what the
    clusters cost.
    """

    _: KW_ONLY
    tol: float = 1e-4

    def _fit(self, X, sample_weight, streams):
        with stages_of(self) as stages:
            with stages("kernel"):
                kernel, rows, k = self._weighted_kernel_of(X, sample_weight, streams)
            with stages("features"):
                features, found = self._learn_for(kernel, k, streams, rows.n_given)
            with stages("k-means"):
                options = passed_on(self, "n_init max_iter tol") | self._kmeans_options(streams)
                clusters = linear_kmeans(features, k, sample_weight=rows.weights, **options)
            self.cluster_centers_: Floats = clusters.centers
            self.n_iter_: int = clusters.n_iter
            self.converged_: bool = clusters.n_iter < self.max_iter
            self._judge(found, clusters, kernel, rows, stages)
        return clusters.labels, rows

    def _nearest(self, X):
        return nearest_center(self._features_of(self._new_points(X)), self.cluster_centers_)[0]

    def _distances(self, X):
        X = self._new_points(X)
        B = self._features_of(X).astype(np.float64, copy=False)
        norms = np.einsum("ij,ij->i", self.cluster_centers_, self.cluster_centers_)
        squares = (norms - 2.0 * (B @ self.cluster_centers_.T)) + np.einsum("ij,ij->i", B, B)[:, None]
        return np.sqrt(np.maximum(squares, 0.0) + self._residuals(X, B, each=True)[:, None])

    def _cost(self, X, sample_weight):
        X = self._new_points(X)
        weights = None if sample_weight is None else check_sample_weight(sample_weight, X.shape[0])
        B = self._features_of(X)
        squares = nearest_center(B, self.cluster_centers_)[1] + self._residuals(X, B)
        return float(np.average(squares, weights=weights))

    def _residuals(self, X, B, *, each=False):
        """Squared distances of points from what the features span, where these count: right in the mean, or `each`."""
        return np.zeros(len(B))

    @property
    def _n_features_out(self):
        return len(self.cluster_centers_)
