"""k-flats in the space of the data; with flats of dimension 0 it is k-means, with one flat it is PCA."""

from dataclasses import dataclass, field

import numpy as np

from ...base.arrays import read_only
from ...base.streams import Streams
from ...base.threads import limited_libraries
from ...base.validation import check_sample_weight
from ...exceptions import InputError
from ._checks import Rules, as_points
from .alternation import alternate, best_of, label_draws
from .euclidean import EuclideanFlats, FlatSet


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

    X (n_samples, n_features) holds finite numbers, worked on as float64. Sparse vectors are made dense one cluster at a
    time, and refused where that takes more than 2 GiB. Points of weight 0 take no part, and get the label of their
    nearest flat. Parameters, those in `rules` too (`n_init`, `max_iter`, `on_empty`, `on_degenerate`, `max_restarts`,
    `n_jobs`, `verbose`), are those of :class:`graphcore.KFlats`; the result is a KFlatsResult. An InputError says so if
    X holds fewer different rows than `n_clusters` (where seeds are drawn by distance), or if every initialisation ends
    in an empty or too small cluster under a "restart" policy.

    The problem is NP-hard and the alternation finds local minima only. A cluster of ``n_dims + 1`` points or fewer lies
    on its flat and stays; where ``n_clusters * (n_dims + 1)`` is near the number of points, the result is the
    initialisation.

    >>> import numpy as np
    >>> from graphcore.kernel_methods.flats.k_flats import k_flats
    >>> t = np.linspace(-1, 1, 50)
    >>> cross = np.concatenate([np.stack([t, t], 1), np.stack([t, -t], 1)])
    >>> result = k_flats(cross, 2, 1, init="random", random_state=0)
    >>> round(result.error, 12), result.flats.dims.tolist()
    (0.0, [1, 1])
    """
    X = as_points(X, sparse=True)
    weights = check_sample_weight(sample_weight, X.shape[0])
    rules = Rules(n_clusters, n_dims, **rules).checked(weights, X.shape[1], "the number of features")
    import sklearn.cluster  # noqa: F401  loaded before its threads are limited

    with limited_libraries():
        problem = EuclideanFlats(X, weights, rules.n_dims, pad=rules.on_degenerate == "pad", n_jobs=rules.n_jobs)
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
