"""What KFlats and KernelKFlats share."""

from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin

from .._typing import AnyData, ArrayLike, Floats, Labels
from ..flats.euclidean import Codes
from ._checks import passed_on


class FlatsClusterer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """Base of KFlats and KernelKFlats; see them for the parameters."""

    labels_: Labels
    reconstruction_error_: float
    inertia_: float
    history_: Floats
    n_iter_: int
    converged_: bool
    n_features_in_: int

    def _rules(self):
        return passed_on(self, "n_init max_iter on_empty on_degenerate max_restarts n_jobs verbose")

    def _keep(self, result):
        """Store what a fit found, but for the labels."""
        self.reconstruction_error_ = result.error
        self.inertia_ = result.inertia
        self.history_ = result.history
        self.n_iter_ = result.n_iter
        self.converged_ = result.converged
        self._n_features_out = result.flats.n_clusters

    def predict(self, X: AnyData) -> Labels:
        """The nearest flat of any points.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features) or (n_samples, n_fitted)
            Vectors; for :class:`KernelKFlats` what :meth:`KernelKMeans.predict` takes.

        Returns
        -------
        ndarray of shape (n_samples,), int32
            -1 for new nodes without an edge to the nodes of the fit.

        Examples
        --------
        >>> import graphcore
        >>> X, y = graphcore.datasets.crossing_lines(100, random_state=0)
        >>> model = graphcore.KFlats(2, 1, init="random", random_state=0).fit(X)
        >>> graphcore.metrics.agreement(model.predict(X), y)["ari"] > 0.9
        True
        """
        return self._nearest(X)

    def encode(self, X: AnyData) -> Codes:
        """The nearest flat of any points and the coordinates of their projections there.

        Parameters
        ----------
        X : array-like or sparse matrix, as for :meth:`predict`

        Returns
        -------
        Codes
            ``labels`` and ``coordinates``, see :class:`graphcore.flats.euclidean.Codes`. Vectors have a way back,
            :meth:`KFlats.inverse_transform`; from feature space there is none.

        Examples
        --------
        >>> import graphcore
        >>> X, y = graphcore.datasets.crossing_lines(100, random_state=0)
        >>> model = graphcore.KFlats(2, 1, init="random", random_state=0).fit(X)
        >>> codes = model.encode(X[:5])
        >>> codes.labels.shape, codes.coordinates.shape
        ((5,), (5, 1))
        """
        return self._codes(X)

    def score(self, X: AnyData, y: object = None, sample_weight: ArrayLike | None = None) -> float:
        """Minus the reconstruction error, so that larger is better; for one and the same kernel.

        Parameters
        ----------
        X : array-like or sparse matrix, as for `predict`
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        float

        Examples
        --------
        >>> import graphcore
        >>> X, y = graphcore.datasets.crossing_lines(100, random_state=0)
        >>> model = graphcore.KFlats(2, 1, init="random", random_state=0).fit(X)
        >>> model.score(X) == -model.reconstruction_error(X)
        True
        """
        return -self.reconstruction_error(X, sample_weight=sample_weight)
