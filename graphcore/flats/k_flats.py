"""k-flats in the space of the data; with flats of dimension 0 it is k-means, with one flat it is PCA."""

import numpy as np

from .._random import Streams
from .._threads import limited_libraries
from .._validation import check_sample_weight
from ..exceptions import InputError
from ._checks import as_points, check_rules, given_labels
from .alternation import best_of
from .euclidean import EuclideanFlats
from .flat_set import SparseRows
from .global_k_means import global_runs
from .initialisations import label_draws
from .results import KFlatsResult


def k_flats(
    X,
    n_clusters,
    n_dims=1,
    *,
    init="k-means++",
    n_init=10,
    max_iter=300,
    on_empty="farthest",
    on_degenerate="reduce",
    max_restarts=10,
    sample_weight=None,
    random_state=None,
    n_jobs=None,
    verbose=0,
):
    """Cover vectors by affine flats of a given dimension, so that the mean squared distance to the nearest is small.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Finite numbers; worked on as float64. Sparse vectors are made dense one cluster at a time, and refused where
        that takes more than 2 GiB.
    n_clusters, n_dims, init, n_init, max_iter, on_empty, on_degenerate, max_restarts, random_state, n_jobs, verbose
        As for :class:`graphcore.KFlats`.
    sample_weight : array-like of shape (n_samples,), optional
        Not negative. Points of weight 0 take no part, and get the label of their nearest flat.

    Returns
    -------
    KFlatsResult

    Raises
    ------
    InputError
        If X holds no finite numbers, has fewer different rows than `n_clusters` (where seeds are drawn by distance), or
        every initialisation ends in an empty or too small cluster under a "restart" policy.
    ParameterError
        If a parameter has a value that cannot be used.

    Notes
    -----
    The problem is NP-hard and the alternation finds local minima only. A cluster of ``n_dims + 1`` points or fewer lies
    on its flat and stays; where ``n_clusters * (n_dims + 1)`` is near the number of points, the result is the
    initialisation.

    References
    ----------
    Bradley, Mangasarian, "k-plane clustering", Journal of Global Optimization 16, 2000. Canas, Poggio, Rosasco,
    "Learning manifolds with k-means and k-flats", NIPS 2012.

    Examples
    --------
    >>> import numpy as np
    >>> from graphcore.flats.k_flats import k_flats
    >>> t = np.linspace(-1, 1, 50)
    >>> cross = np.concatenate([np.stack([t, t], 1), np.stack([t, -t], 1)])
    >>> result = k_flats(cross, 2, 1, init="random", random_state=0)
    >>> round(result.error, 12), result.flats.dims.tolist()
    (0.0, [1, 1])
    """
    X = as_points(X, sparse=True)
    weights = check_sample_weight(sample_weight, X.shape[0])
    rules = check_rules(
        weights,
        n_clusters,
        n_dims,
        (X.shape[1], "the number of features"),
        n_init=n_init,
        max_iter=max_iter,
        on_empty=on_empty,
        on_degenerate=on_degenerate,
        max_restarts=max_restarts,
    )
    import sklearn.cluster  # noqa: F401  loaded before its threads are limited

    with limited_libraries():
        problem = EuclideanFlats.of(X, weights, rules.n_dims, pad=on_degenerate == "pad", n_jobs=n_jobs)
        draw, repeatable = _draws(problem, init, rules, weights, Streams(random_state))
        run = best_of(problem, draw, rules, repeatable=repeatable, verbose=verbose)
        return KFlatsResult.from_run(run, X, weights, n_jobs)


def _draws(problem, init, rules, weights, streams):
    """A function that gives the labels of initialisation number i, and whether all are the same."""
    n_clusters = rules.n_clusters
    if isinstance(init, str) and init == "global":
        if problem.n_dims:
            raise InputError("init='global' is global k-means; it is there for n_dims=0 only")
        labels = global_runs(problem, n_clusters)[-1].labels
    elif isinstance(init, str):
        return label_draws(
            problem, init, n_clusters, streams, lambda labels, rng: _k_means_from(problem, labels, n_clusters, rng)
        )
    elif np.ndim(init) == 2:
        means, shape = as_points(init, "init"), (n_clusters, problem.Y.shape[1])
        if means.shape != shape:
            raise InputError(f"the means given as init have shape {means.shape}; {shape} is needed")
        labels = problem.nearest_means(means)
    else:
        labels = given_labels(init, weights, n_clusters, rules.on_empty)
    return lambda _: labels, True


def _k_means_from(problem, labels, n_clusters, rng):
    """Labels of scikit-learn's k-means begun at the means of the given clusters."""
    from sklearn.cluster import KMeans

    flats = problem.with_dims(0).fit(labels, n_clusters)[0]
    Y, means = (problem.Y.X, flats.means) if isinstance(problem.Y, SparseRows) else (problem.Y, flats.centres)
    model = KMeans(n_clusters, init=means, n_init=1, tol=0.0, random_state=int(rng.integers(2**31 - 1)))
    return model.fit_predict(Y, sample_weight=problem.weights).astype(np.int32)
