"""What the kernel k-means classes share that cluster explicit features by plain k-means."""

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin

from .._typing import AnyData, ArrayLike, Floats, Labels
from .._validation import check_sample_weight
from ..kmeans.linear import linear_kmeans
from ..kmeans.nearest import nearest_center
from ._checks import passed_on


class FeatureClusterer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin):
    """Mixin: k-means on the features of points, and the nearest centre of new ones."""

    cluster_centers_: Floats
    n_iter_: int
    converged_: bool

    def _cluster(self, features, n_clusters, sample_weight, random_state, **options):
        found = linear_kmeans(
            features,
            n_clusters,
            sample_weight=sample_weight,
            random_state=random_state,
            **passed_on(self, "n_init max_iter tol"),
            **options,
        )
        self.cluster_centers_ = found.centers
        self.n_iter_ = found.n_iter
        self.converged_ = found.n_iter < self.max_iter
        return found

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
