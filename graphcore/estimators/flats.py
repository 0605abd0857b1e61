"""The scikit-learn class for k-flats, and what it shares with the one for kernel k-flats."""

from dataclasses import KW_ONLY

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from ..base.estimator import parameters, passed_on
from ..base.types import AnyData, ArrayLike, Floats
from ..base.validation import check_integer, check_sample_weight
from ..exceptions import InputError
from ..graphs.as_graph import refuse_as_vectors
from ..graphs.structure import check_sparse
from ..kernel_methods.flats.euclidean import Codes, FlatSet
from ..kernel_methods.flats.k_flats import k_flats
from ._equal_rows import EqualRows, merge_equal_rows
from ._points import DistanceTransformer, PointClusterer
from ._refusals import refuse_graph


@parameters
class FlatsClusterer(DistanceTransformer, PointClusterer):
    """Base of KFlats and KernelKFlats; see them for the parameters."""

    _: KW_ONLY
    on_empty: str = "farthest"
    on_degenerate: str = "reduce"
    max_restarts: int = 10
    _chosen_by = "sklearn.model_selection.GridSearchCV compares the errors of several numbers of flats on new points"

    def _rules(self):
        return passed_on(self, "n_init max_iter on_empty on_degenerate max_restarts n_jobs verbose")

    def _keep(self, result):
        """Store what a fit found, but for the labels."""
        self.reconstruction_error_: float = result.error
        self.inertia_: float = result.inertia
        self.history_: Floats = result.history
        self.n_iter_: int = result.n_iter
        self.converged_: bool = result.converged
        self._n_features_out = result.flats.n_clusters

    def encode(self, X: AnyData) -> Codes:
        """Return the nearest flat of any points and the coordinates of their projections there.

        Parameters
        ----------
        X : array-like or sparse matrix, as for :meth:`predict`

        Returns
        -------
        Codes
            ``labels`` and ``coordinates``, see `Codes`. Vectors have a way back,
            :meth:`KFlats.inverse_transform`; from feature space there is none.

        Examples
        --------
        >>> import graphcore
        >>> X, y = graphcore.datasets.crossing_lines(100, random_state=0)
        >>> codes = graphcore.KFlats(2, 1, init="random", random_state=0).fit(X).encode(X[:5])
        >>> codes.labels.shape, codes.coordinates.shape
        ((5,), (5, 1))
        """
        return self._codes(X)

    def _cost(self, X, sample_weight):
        return self.reconstruction_error(X, sample_weight=sample_weight)


@parameters
class KFlats(FlatsClusterer):
    """k-flats clustering: k-means with lines, planes or other affine flats as centres.

    Parameters
    ----------
    n_clusters : int, default 8
    n_dims : int, default 1
        Dimension of the flats: 0 for points (k-means), 1 for lines, 2 for planes. ``n_clusters=1`` is PCA.
    init : {"k-means++", "farthest", "random", "k-means", "global"} or ndarray, default "k-means++"
        Initial labels: the clusters of k-means++ or farthest-first seeds, random ones, those of a finished
        k-means, or (for `n_dims` 0) global k-means. An integer array of shape (n_samples,) is taken as labels, one of
        shape (n_clusters, n_features) as means whose clusters are the first. Where flats cross, "random" is best.
    n_init : int, default 10
        Initialisations, of which the best is kept; one, if all would be the same.
    max_iter : int, default 300
    on_empty : {"farthest", "restart", "drop", "error"}, default "farthest"
        Treatment of an empty cluster: it gets the point farthest from its flat; a new initialisation is
        drawn, at most `max_restarts` times, as the source has it; it is dropped, and there are fewer clusters; an error
        is raised.
    on_degenerate : {"reduce", "pad", "restart"}, default "reduce"
        Treatment of a cluster too small for its flat (at most `n_dims` points): the flat has fewer dimensions; it
        is completed with arbitrary directions, as the source has it; a new initialisation is drawn.
    max_restarts : int, default 10
        New ones allowed in the place of each of the `n_init`, under a "restart" policy.
    random_state, n_jobs, verbose
        As for :class:`KernelKMeans`; the stages are initialisations.

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
        The inertia after each pass of the best initialisation.
    converged_ : bool
    n_iter_, n_features_in_ : int

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

    n_clusters: int = 8
    n_dims: int = 1
    _: KW_ONLY
    init: str | ArrayLike = "k-means++"

    def _fit(self, X, sample_weight, streams):
        refuse_graph(self, X, "vectors", otherwise="vectors are X.toarray()")
        refuse_as_vectors(X)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64)
        rows = EqualRows(X, None if sample_weight is None else check_sample_weight(sample_weight, X.shape[0]))
        if isinstance(self.init, str):
            fewest = check_integer("n_clusters", self.n_clusters, low=1)
            rows = merge_equal_rows(X, rows.weights, least=max(fewest, 2))
        result = k_flats(
            rows.X, self.n_clusters, self.n_dims, init=self.init, sample_weight=rows.weights, random_state=streams,
            **self._rules(),
        )  # fmt: skip
        self.flats_: FlatSet = result.flats
        self.cluster_centers_: Floats = result.flats.means
        self.components_: Floats = result.flats.bases
        self._keep(result)
        return result.labels, rows

    def inverse_transform(self, codes: ArrayLike) -> Floats:
        """Return vectors from the codes of :meth:`encode`: the projections on the nearest flats.

        Parameters
        ----------
        codes : Codes or pair of arrays
            Labels and coordinates.

        Returns
        -------
        ndarray of shape (n_samples, n_features), float64

        Examples
        --------
        >>> import graphcore
        >>> X, y = graphcore.datasets.crossing_lines(100, random_state=0)
        >>> model = graphcore.KFlats(2, 1, init="random", random_state=0).fit(X)
        >>> model.inverse_transform(model.encode(X[:5])).shape
        (5, 2)
        """
        check_is_fitted(self)
        if not isinstance(codes, (tuple, list)) or len(codes) != 2:
            raise InputError("codes are the pair that encode() returns; distances of transform() have no way back")
        return self.flats_.decode(*codes)

    def reconstruct(self, X: AnyData) -> Floats:
        """Projection of every row on its nearest flat.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features), float64

        Examples
        --------
        >>> import graphcore
        >>> X, y = graphcore.datasets.crossing_lines(100, random_state=0)
        >>> graphcore.KFlats(2, 1, init="random", random_state=0).fit(X).reconstruct(X[:5]).shape
        (5, 2)
        """
        return self.inverse_transform(self.encode(X))

    def reconstruction_error(self, X: AnyData, sample_weight: ArrayLike | None = None) -> float:
        """Mean squared distance of rows to their nearest flats, for the data of the fit or any other.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        float

        Examples
        --------
        >>> import graphcore
        >>> X, y = graphcore.datasets.crossing_lines(100, random_state=0)
        >>> graphcore.KFlats(2, 1, init="random", random_state=0).fit(X).reconstruction_error(X) < 0.001
        True
        """
        X = self._checked(X)
        distances = self.flats_.nearest(X, n_jobs=self.n_jobs)[1]
        return float(np.average(distances, weights=check_sample_weight(sample_weight, X.shape[0])))

    def _nearest(self, X):
        X = self._checked(X)
        return self.flats_.nearest(X, n_jobs=self.n_jobs)[0]

    def _distances(self, X):
        X = self._checked(X)
        return np.sqrt(self.flats_.squared_distances(X))

    def _codes(self, X):
        X = self._checked(X)
        return self.flats_.encode(X)

    def _checked(self, X):
        check_is_fitted(self)
        check_sparse(X)
        return validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
