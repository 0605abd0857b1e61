"""What the classes share that learn features of a kernel."""

from typing import Self

from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .._random import Streams
from .._typing import AnyData, Floats
from ..features.diagnostics import as_text
from ._checks import stages_of


class FeatureReport:
    """Mixin of estimators that learn features: their findings, which `_report` gives as pairs of text, as a report."""

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
