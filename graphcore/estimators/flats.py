"""The scikit-learn class for k-flats."""

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ..flats._checks import as_weights
from ..flats.k_flats import k_flats
from ._checks import refuse_graph

__all__ = ["KFlats"]


class KFlats(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """k-flats clustering: k-means with lines, planes or other affine flats as centres.

    Parameters
    ----------
    n_clusters : int, default 8
    n_dims : int, default 1
        Dimension of the flats. 0 is k-means; ``n_clusters=1`` is PCA.
    init : {"k-means++", "farthest", "random", "k-means", "global"} or ndarray, default "k-means++"
        What the first labels are: the cells of k-means++ or farthest-first seeds, random ones, those of a finished
        k-means, or (for `n_dims` 0) global k-means. An integer array of shape (n_samples,) is taken as labels, one of
        shape (n_clusters, n_features) as means whose cells are the start. Where flats cross, "random" is best.
    n_init : int, default 10
        Starts, of which the best is kept.
    max_iter : int, default 300
    on_empty : {"farthest", "restart", "drop", "error"}, default "farthest"
        What becomes of a cell that runs empty, see :func:`graphcore.flats.k_flats.k_flats`.
    short : {"reduce", "pad", "restart"}, default "reduce"
        What becomes of a cell with too few points for its flat.
    max_restarts : int, default 10
        New starts allowed in the place of each of the `n_init`, under a "restart" policy.
    random_state : int, numpy Generator, RandomState or None, default None
    n_jobs : int or None, default None
        Threads: None is one, -1 is all. The result does not depend on it.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        The flat of every row. Rows equally near to two flats stay where they were; :meth:`predict` takes the first.
    flats_ : FlatSet
        ``means``, ``bases`` and ``dims`` of the flats.
    cluster_centers_ : ndarray of shape (n_clusters, n_features), float64
        The means.
    components_ : ndarray of shape (n_clusters, n_dims, n_features), float64
        Orthonormal rows that span each flat; rows of zeros beyond its dimension.
    reconstruction_error_ : float
        Mean squared distance of a row to its flat (weighted, if weights are given).
    inertia_ : float
        Sum of the same.
    history_ : ndarray of shape (n_iter,), float64
        The inertia after each pass of the best start.
    n_iter_ : int
    converged_ : bool
    n_features_in_ : int

    References
    ----------
    Bradley, Mangasarian, "k-plane clustering", 2000; Canas, Poggio, Rosasco, "Learning manifolds with k-means and
    k-flats", 2012.

    Examples
    --------
    >>> import graphcore
    >>> points, truth = graphcore.datasets.crossing_lines(200, random_state=0)
    >>> model = graphcore.KFlats(2, 1, init="random", random_state=0).fit(points)
    >>> model.labels_.shape, model.components_.shape
    ((200,), (2, 1, 2))
    >>> bool(graphcore.metrics.agreement(truth, model.labels_)["ari"] > 0.9)
    True
    """

    def __init__(
        self,
        n_clusters=8,
        n_dims=1,
        *,
        init="k-means++",
        n_init=10,
        max_iter=300,
        on_empty="farthest",
        short="reduce",
        max_restarts=10,
        random_state=None,
        n_jobs=None,
    ):
        self.n_clusters = n_clusters
        self.n_dims = n_dims
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.on_empty = on_empty
        self.short = short
        self.max_restarts = max_restarts
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X, y=None, sample_weight=None):
        """Fit flats to vectors.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), optional
            Positive weights.

        Returns
        -------
        KFlats
            This object.

        Raises
        ------
        ValueError
            :class:`graphcore.InputError` or :class:`graphcore.ParameterError`, naming what is wrong and what to do.
        """
        refuse_graph(self, X)
        X = validate_data(self, X, dtype=np.float64)
        result = k_flats(
            X,
            self.n_clusters,
            self.n_dims,
            init=self.init,
            n_init=self.n_init,
            max_iter=self.max_iter,
            on_empty=self.on_empty,
            short=self.short,
            max_restarts=self.max_restarts,
            sample_weight=sample_weight,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        )
        self.flats_ = result.flats
        self.labels_ = result.labels
        self.cluster_centers_ = result.flats.means
        self.components_ = result.flats.bases
        self.reconstruction_error_ = result.error
        self.inertia_ = result.inertia
        self.history_ = result.history
        self.n_iter_ = result.n_iter
        self.converged_ = result.converged
        self._n_features_out = result.flats.n_clusters
        return self

    def predict(self, X):
        """The nearest flat of every row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,), int32
        """
        X = self._checked(X)
        return self.flats_.nearest(X, n_jobs=self.n_jobs)[0]

    def transform(self, X):
        """Distances of every row to every flat.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_clusters), float64
        """
        X = self._checked(X)
        return np.sqrt(self.flats_.squared_distances(X))

    def encode(self, X):
        """The nearest flat of every row and the coordinates of its projection there.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        Codes
            ``labels`` and ``coordinates``, see :class:`graphcore.flats.flat_set.Codes`.
        """
        X = self._checked(X)
        return self.flats_.encode(X)

    def inverse_transform(self, codes):
        """Vectors from the codes of :meth:`encode`: the projections on the nearest flats.

        Parameters
        ----------
        codes : Codes or pair of arrays
            Labels and coordinates.

        Returns
        -------
        ndarray of shape (n_samples, n_features), float64
        """
        check_is_fitted(self)
        return self.flats_.decode(*codes)

    def reconstruct(self, X):
        """Projection of every row on its nearest flat.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features), float64
        """
        return self.inverse_transform(self.encode(X))

    def reconstruction_error(self, X, sample_weight=None):
        """Mean squared distance of rows to their nearest flats, for the data of the fit or any other.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        float
        """
        X = self._checked(X)
        distances = self.flats_.nearest(X, n_jobs=self.n_jobs)[1]
        return float(np.average(distances, weights=as_weights(sample_weight, len(X))))

    def score(self, X, y=None, sample_weight=None):
        """Minus the reconstruction error, so that larger is better.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        float
        """
        return -self.reconstruction_error(X, sample_weight)

    def _checked(self, X):
        check_is_fitted(self)
        return validate_data(self, X, dtype=np.float64, reset=False)
