"""k-flats in the space of the data, function and class; flats of dimension 0 are k-means, one flat is PCA."""

from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..base.estimator import parameters, passed_on
from ..base.lazy import import_whole
from ..base.loops import away, limited_libraries, map_blocks
from ..base.streams import Streams
from ..base.types import AnyData, ArrayLike, Floats
from ..base.validation import check_integer, check_labels, check_sample_weight, read_only
from ..exceptions import InputError
from ..graphs.as_graph import is_graph_object, refuse_as_vectors
from ..kernels.base import membership_matrix
from ..kernels.checks import check_scale
from .alternation import FlatsProblem, Rules, alternate, best_of, label_draws
from .base import DistanceTransformer, EqualRows, merge_equal_rows, real_points, weights_or_none

_EPS = np.finfo(np.float64).eps
# Vectors are read in blocks of rows that stay in a processor's cache.
_CACHED_NUMBERS = 1 << 18
# Eigenvectors of fewer rows take so little time that a signal may wait; in five dimensions a thread takes ten times it.
_SMALL = 200


class Codes(NamedTuple):
    """Points written as the nearest flat and a place on it."""

    labels: np.ndarray  # (n_samples,) int32: the flat of every point
    coordinates: np.ndarray  # (n_samples, n_dims): along its basis, from its mean; 0 beyond the dimension of the flat


@dataclass(frozen=True, eq=False)
class FlatSet:
    """Affine flats ``mean + span(basis)`` of k clusters in d dimensions; of dimension 0 they are points.

    Coordinates are taken from `origin`, so that a large offset of the data costs no digits.
    """

    origin: np.ndarray = field(repr=False)  # (d,): mean of the data
    centres: np.ndarray = field(repr=False)  # (k, d): means of the clusters less `origin`
    bases: np.ndarray = field(repr=False)  # (k, n_dims, d): orthonormal rows; 0 beyond the dimension of a flat
    dims: np.ndarray  # (k,) int32: dimension of every flat

    @classmethod
    def of_points(cls, origin, centres):
        """Make flats of dimension 0."""
        k, d = centres.shape
        return cls(origin, centres, np.zeros((k, 0, d)), np.zeros(k, dtype=np.int32))

    @property
    def n_clusters(self):
        """Number of flats."""
        return len(self.centres)

    @property
    def means(self):
        """Means of the clusters, an array of shape (n_clusters, n_features)."""
        return self.origin + self.centres

    def squared_distances(self, X):
        """Compute squared distances of points to every flat, (n_samples, n_clusters)."""
        Y = self._local(X)
        pairs = zip(self.centres, self.bases, strict=True)
        return np.column_stack([residuals(Y - centre, basis) for centre, basis in pairs])

    def nearest(self, X, n_jobs=None):
        """Find the nearest flat of every point, of equals the first: labels (int32), and squared distances."""
        Y = self._local(X)
        labels = self.moved(Y, n_jobs=n_jobs)
        return labels, self._from_means(Y, labels, residuals, np.empty(len(Y)))

    def encode(self, X):
        """Write points as Codes: the nearest flat and the coordinates of the projection on it."""
        Y = self._local(X)
        labels, out = self.moved(Y), np.empty((len(Y), self.bases.shape[1]))
        return Codes(labels, self._from_means(Y, labels, lambda rest, basis: rest @ basis.T, out))

    def _from_means(self, Y, labels, function, out):
        """Fill `out` by a function of the points of a flat, less its mean, and its basis."""
        for j, members in members_by_cluster(labels, self.n_clusters):
            out[members] = function(Y[members] - self.centres[j], self.bases[j])
        return out

    def decode(self, labels, coordinates):
        """Make points of codes: piecewise constant for flats of dimension 0, else piecewise affine."""
        labels = check_labels("labels", labels, len(labels))
        if len(labels) and (labels.min() < 0 or labels.max() >= self.n_clusters):
            raise InputError(f"labels must be 0 to {self.n_clusters - 1}; found {labels.min()} to {labels.max()}")
        coordinates = np.asarray(coordinates, dtype=np.float64)
        if coordinates.shape != (len(labels), self.bases.shape[1]):
            raise InputError(
                f"coordinates have shape {coordinates.shape}; {(len(labels), self.bases.shape[1])} is needed"
            )
        out = self.means[labels]
        for j, members in members_by_cluster(labels, self.n_clusters):
            out[members] += coordinates[members] @ self.bases[j]
        return out

    def moved(self, Y, here=None, n_jobs=None):
        """Label (int32) centred points by their nearest flats.

        Given where the points are (`here`: labels and squared lengths), they move only if that is nearer beyond
        rounding.
        """
        k, m, d = self.bases.shape
        directions = self.bases.reshape(k * m, d)
        shifts = np.einsum("kmd,kd->km", self.bases, self.centres)
        centre_norms = np.einsum("kd,kd->k", self.centres, self.centres)
        out = np.empty(len(Y), dtype=np.int32)

        def work(start, stop):
            rows = Y[start:stop]
            # |x|^2 is the same for all flats, and left out.
            D = rows @ self.centres.T
            D *= -2
            D += centre_norms
            if m:
                along = (rows @ directions.T).reshape(-1, k, m)
                along -= shifts
                D -= np.einsum("nkm,nkm->nk", along, along)
            best = D.argmin(axis=1)
            if here is not None:
                places, labels = np.arange(len(rows)), here[0][start:stop]
                slack = 1e-13 * (here[1][start:stop] + centre_norms.max())
                best = np.where(D[places, best] < D[places, labels] - slack, best, labels)
            out[start:stop] = best

        map_rows(Y, work, n_jobs, k * (m + 1))
        return out

    def _local(self, X):
        X = as_points(X)
        if X.shape[1] != len(self.origin):
            raise InputError(f"X has {X.shape[1]} features, but the flats lie in a space of {len(self.origin)}")
        return X - self.origin


@dataclass(frozen=True, eq=False)
class KFlatsResult:
    """Flats fitted to n points; mean and sum are weighted, if there are weights."""

    flats: FlatSet  # gives distances, nearest flats and codes for any points
    labels: np.ndarray = field(repr=False)  # (n,) int32: between equally near flats, a point stays where it was
    squared_distances: np.ndarray = field(repr=False)  # (n,): of every point to its own flat
    error: float  # reconstruction error: the mean of the squared distances
    inertia: float  # their sum
    history: np.ndarray = field(repr=False)  # (n_iter,): the inertia after each pass of the best initialisation
    converged: bool  # whether no point moved in the last pass

    @property
    def n_iter(self):
        """Passes that the best start took."""
        return len(self.history)


def k_flats(X, n_clusters, n_dims=1, *, init="k-means++", sample_weight=None, random_state=None, **rules):
    """Cover vectors by affine flats of a given dimension, so that the mean squared distance to the nearest is small.

    X (n_samples, n_features) holds finite numbers, worked on as float64. Points of weight 0 take no part, and get the
    label of their nearest flat. The other parameters, those in `rules` too (`n_init`, `max_iter`, `n_jobs`, `verbose`),
    are those of :class:`graphcore.KFlats`; the result is a KFlatsResult. An InputError says so if X holds fewer
    different rows than `n_clusters` (where seeds are drawn by distance).

    The problem is NP-hard and the alternation finds local minima only. An empty cluster gets the point that is farthest
    from its flat. The flat of a cluster of at most `n_dims` points has fewer dimensions. A cluster of ``n_dims + 1``
    points or fewer lies on its flat and stays; where ``n_clusters * (n_dims + 1)`` is near the number of points, the
    result is the initialisation.

    >>> import numpy as np
    >>> from graphcore.kernel_methods.k_flats import k_flats
    >>> t = np.linspace(-1, 1, 50)
    >>> cross = np.concatenate([np.stack([t, t], 1), np.stack([t, -t], 1)])
    >>> result = k_flats(cross, 2, 1, init="random", random_state=0)
    >>> round(result.error, 12), result.flats.dims.tolist()
    (0.0, [1, 1])
    """
    X = as_points(X)
    weights = check_sample_weight(sample_weight, X.shape[0])
    rules = Rules(n_clusters, n_dims, **rules).checked(weights, X.shape[1], "the number of features")
    import_whole("sklearn.cluster")  # before its threads are limited
    with limited_libraries():
        problem = EuclideanFlats(X, weights, rules.n_dims, n_jobs=rules.n_jobs)
        run = best_of(problem, rules, _draws(problem, init, rules, weights, Streams(random_state)))
        return result_of(run, weights, lambda flats, rest: flats.nearest(X[rest], n_jobs=rules.n_jobs))


def _draws(problem, init, rules, weights, streams):
    """See :func:`label_draws`; there are means, and global k-means, too."""
    n_clusters = rules.n_clusters
    if isinstance(init, str) and init == "global":
        if problem.n_dims:
            raise InputError("init='global' is global k-means; it is there for n_dims=0 only")
        labels = _global_k_means(problem, n_clusters).labels
    elif not isinstance(init, str) and np.ndim(init) == 2:
        means, shape = as_points(init, "init"), (n_clusters, problem.Y.shape[1])
        if means.shape != shape:
            raise InputError(f"the means given as init have shape {means.shape}; {shape} is needed")
        labels = FlatSet.of_points(problem.origin, means - problem.origin).moved(problem.Y)
    else:
        return label_draws(problem, init, rules, weights, streams)
    return iter([labels])


def result_of(run, weights, nearest_of, make=KFlatsResult, least=-np.inf, **more):
    """Make the result of a run on the points that have weight; `nearest_of(flats, points)` is for the others.

    Squared distances below `least` are rounding.
    """
    flats, labels, own, rest = run.look.fitted, run.labels, run.look.own, np.flatnonzero(weights == 0)
    if len(rest):
        taking_part, (others, values) = np.flatnonzero(weights), nearest_of(flats, rest)
        order = np.argsort(np.concatenate([taking_part, rest]))
        labels, own = np.concatenate([labels, others])[order], np.concatenate([own, values])[order]
    inertia, own = max(run.objective, least), np.maximum(own, least)
    error = inertia / float(weights.sum())
    return make(flats, read_only(labels), own, error, inertia, run.history, run.converged, **more)


def _global_k_means(problem, n_clusters):
    """Find the best k-means run from the means of the solution for one cluster less and one more point.

    Likas, Vlassis, Verbeek, "The global k-means clustering algorithm", Pattern Recognition 36, 2003.
    """
    best = alternate(problem, np.zeros(len(problem.weights), dtype=np.int32), 1)
    for k in range(2, n_clusters + 1):
        last, own = best.labels, best.look.own
        candidates = np.flatnonzero(own > 0)
        if len(candidates) == 0:
            raise InputError(
                f"there are only {k - 1} different points, fewer than n_clusters={n_clusters}; take n_clusters={k - 1} "
                "or less"
            )
        starts = (np.where(problem.distances_to_point(i) < own, k - 1, last) for i in candidates)
        best = min((alternate(problem, labels, k) for labels in starts), key=lambda run: run.objective)
    return best


class EuclideanFlats(FlatsProblem):
    """The data of one k-flats problem, centred once, with the two steps that the alternation takes.

    Points of weight 0 are left out.
    """

    def __init__(self, X, weights, n_dims, *, n_jobs=None):
        taking_part = weights > 0
        if not taking_part.all():
            X, weights = X[taking_part], weights[taking_part]
        self.weights = weights
        self.n_dims = n_dims
        self._n_jobs = n_jobs
        self.origin = weights @ X / weights.sum()
        self.Y = X - self.origin
        # The rounding error of X after the subtraction: directions thinner than that are noise.
        self._grain = _EPS * float(max(X.max(), -X.min()))
        self.squared_norms = residuals(self.Y, ())
        self.energy = float(weights @ self.squared_norms)

    def k_means(self, labels, n_clusters, max_iter):
        """Run scikit-learn's k-means from the means of these clusters; return its labels."""
        KMeans = import_whole("sklearn.cluster").KMeans

        means = _weighted_means(self.Y, labels, self.weights, n_clusters)
        model = KMeans(n_clusters, init=means, n_init=1, max_iter=max_iter, tol=0.0)
        return model.fit_predict(self.Y, sample_weight=self.weights).astype(np.int32)

    def fit(self, labels, n_clusters):
        """Fit the best flat to every cluster (none empty); return them and squared distances of points to their own."""
        if self.n_dims == 0:
            return self._fit_points(labels, n_clusters)
        d = self.Y.shape[1]
        centres = np.empty((n_clusters, d))
        bases = np.zeros((n_clusters, self.n_dims, d))
        dims = np.zeros(n_clusters, dtype=np.int32)
        own = np.empty(len(self.Y))
        for j, members in members_by_cluster(labels, n_clusters):
            Y, w = self.Y[members], self.weights[members]
            centres[j] = w @ Y / w.sum()
            Y -= centres[j]
            # Once more, for the rounding error in the mean of a cluster far from the origin.
            correction = w @ Y / w.sum()
            centres[j] += correction
            Y -= correction
            basis = self._directions(Y, w)
            dims[j] = len(basis)
            bases[j, : len(basis)] = basis
            own[members] = residuals(Y, basis)
        return FlatSet(self.origin, centres, bases, dims), own

    def _fit_points(self, labels, n_clusters):
        """Fit means alone, of all clusters at once."""
        centres, own = _weighted_means(self.Y, labels, self.weights, n_clusters), np.empty(len(self.Y))

        def squares(start, stop):
            rest = self.Y[start:stop] - centres[labels[start:stop]]
            own[start:stop] = residuals(rest, ())
            return membership_matrix(labels[start:stop], self.weights[start:stop], n_clusters) @ rest

        # Once more, as above, which changes no digit of the squared distances.
        masses = np.bincount(labels, self.weights, n_clusters)
        centres += sum(map_rows(self.Y, squares, self._n_jobs)) / masses[:, None]
        return FlatSet.of_points(self.origin, centres), own

    def reassign(self, flats, labels):
        """Move every point to its nearest flat, ties staying where they are; return labels."""
        return flats.moved(self.Y, (labels, self.squared_norms), self._n_jobs)

    def distances_to_point(self, i):
        """Compute squared distances of all points to one of them; exactly 0 for copies of it."""
        y = self.Y[i]
        squares = map_rows(self.Y, lambda start, stop: residuals(self.Y[start:stop] - y, ()), self._n_jobs)
        return np.concatenate(squares)

    def _directions(self, Y, w):
        """Compute the leading principal directions of a centred, weighted cluster: orthonormal rows."""
        from scipy.linalg import svd

        n, d = Y.shape
        m = min(self.n_dims, d)
        Z = Y * np.sqrt(w / w.max())[:, None]
        noise = self._grain * np.sqrt(n)
        if n <= 2 * d:
            # Thin: values and directions to full precision.
            _, s, V = svd(Z, full_matrices=False, check_finite=False)
            genuine = int((s[: min(m, n - 1)] > max(_EPS * max(n, d) * s[0], noise)).sum())
            return V[:genuine]
        values, vectors = leading_eigenvectors(Z.T @ Z, m)
        values, V = values[::-1], vectors[:, ::-1].T
        genuine = int((values > max(_EPS * n * max(values[0], 0.0), noise**2)).sum())
        return V[: min(genuine, n - 1)]


def as_points(X, name="X"):
    """Return vectors as float64 rows; nothing is changed."""
    refuse_as_vectors(X)
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2 or X.shape[0] == 0 or X.shape[1] == 0:
        raise InputError(f"{name} has shape {X.shape}; rows and columns are needed: (n_samples, n_features)")
    check_scale(X, name=name)
    return X


def leading_eigenvectors(M, count):
    """Compute the largest eigenvalues of a symmetric matrix and their vectors, in ascending order.

    Where more of them are equal than are asked for, LAPACK may find none of these by their numbers: then it finds all.
    """
    from scipy.linalg import eigh

    n = len(M)
    solve = eigh if n < _SMALL else partial(away, eigh)
    values, vectors = solve(M, subset_by_index=(n - count, n - 1), check_finite=False)
    if len(values) < count:
        values, vectors = solve(M, check_finite=False)
    return values[-count:], vectors[:, -count:]


def _weighted_means(Y, labels, weights, n_clusters):
    """Compute weighted means of the rows of clusters (none empty)."""
    return membership_matrix(labels, weights, n_clusters) @ Y / np.bincount(labels, weights, n_clusters)[:, None]


def map_rows(Y, function, n_jobs=None, width=0):
    """Call ``function(start, stop)`` for blocks of rows, each of which gives `width` numbers; list the results."""
    step = max(1, _CACHED_NUMBERS // max(Y.shape[1], width))
    return map_blocks(function, np.append(np.arange(0, len(Y), step), len(Y)), n_jobs)


def residuals(Y, basis):
    """Compute squared lengths of the rows less their projections on the basis."""
    if len(basis):
        Y = Y - (Y @ basis.T) @ basis
    return np.einsum("ij,ij->i", Y, Y)


def members_by_cluster(labels, n_clusters):
    """List pairs of a label and the ascending places where it stands, for the labels that occur."""
    ends = np.cumsum(np.bincount(labels, minlength=n_clusters))
    members = np.split(np.argsort(labels, kind="stable"), ends[:-1])
    return [(j, places) for j, places in enumerate(members) if len(places)]


@parameters
class FlatsClusterer(DistanceTransformer):
    """Base of KFlats and KernelKFlats, which give `_codes` of checked points."""

    _: KW_ONLY
    init: str | ArrayLike = "k-means++"
    n_init: int = 10
    max_iter: int = 300

    _chosen_by = "sklearn.model_selection.GridSearchCV compares the errors of several numbers of flats on new points"

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
        return self._codes(self._new_points(X))


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
        Mean squared distance of a row to its flat (weighted, if weights are given); :meth:`score` is minus that of any
        rows.
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

    def _fit(self, X, sample_weight, streams):
        if is_graph_object(X):
            raise InputError(
                f"KFlats takes vectors, and this {type(X).__name__} is a graph; CoresetSpectralClustering and "
                "KernelKMeans cluster graphs"
            )
        X = real_points(self, X, dtype=np.float64, accept_sparse=False)
        rows = EqualRows(X, weights_or_none(sample_weight, X.shape[0]))
        if isinstance(self.init, str):
            fewest = check_integer("n_clusters", self.n_clusters, low=1)
            rows = merge_equal_rows(X, rows.weights, least=max(fewest, 2))
        options = passed_on(self, "n_clusters n_dims init n_init max_iter n_jobs verbose")
        result = k_flats(rows.X, sample_weight=rows.weights, random_state=streams, **options)
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

    def _nearest(self, X):
        return self.flats_.nearest(X, n_jobs=self.n_jobs)

    def _distances(self, X):
        return np.sqrt(self.flats_.squared_distances(X))

    def _codes(self, X):
        return self.flats_.encode(X)

    def _new_points(self, X):
        check_is_fitted(self)
        return real_points(self, X, dtype=np.float64, accept_sparse=False, reset=False)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags
