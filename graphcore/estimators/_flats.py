"""What KFlats and KernelKFlats share."""

from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin

from .._typing import AnyData, ArrayLike
from ._checks import passed_on

__all__ = ["FlatsClusterer"]


class FlatsClusterer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """Base of KFlats and KernelKFlats; see them for the parameters."""

    def _rules(self):
        return passed_on(self, "n_init max_iter on_empty on_degenerate max_restarts n_jobs verbose")

    def _keep(self, result):
        """Store what a fit found, but for the labels."""
        self.flats_ = result.flats
        self.reconstruction_error_ = result.error
        self.inertia_ = result.inertia
        self.history_ = result.history
        self.n_iter_ = result.n_iter
        self.converged_ = result.converged
        self._n_features_out = result.flats.n_clusters

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
