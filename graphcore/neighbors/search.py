"""The nearest neighbours of every row of a matrix: exact where that is quick, else approximate.

The rule rests on measurements by bench/neighbors.py on two cores of a small server, in one thread:

- The approximate search needs 13 us a row for 10 neighbours among rows of 16 columns, 20 among rows of 128, 59 among
  rows of 784. Sparse rows of 50 entries it finds as quickly as the exact search does among 10,000 of them. From 20
  neighbours on its time grows with the square of their number: of 8,000 rows of 100 columns it is that of the exact
  search at 30 neighbours, five times that at 80 and 18 times at 160.
- scikit-learn's brute force needs 1.8 + 0.032 d nanoseconds for each pair of rows of d columns, and its k-d tree 20 us
  a row up to d = 5, half as much again for every further column. Pairs of sparse rows take 10, and 0.6 for each column
  that both have entries in; by Manhattan distance 8 for each entry.
"""

from ..base.progress import note
from ..base.threads import effective_jobs
from ..base.validation import check_choice, check_integer
from ..exceptions import InputError, ParameterError, warn_user
from . import search_pynndescent as pynndescent
from .equal_rows import first_of, kinds_of
from .neighbor_lists import ONE_ROW, few_of
from .search_approximate import approximations
from .search_exact import exact_neighbors, exact_plan, repeated_share
from .vectors import in_space, is_sparse

# The last three have no own approximate search, and the last four none of sparse rows.
_EXACT_ONLY = ("chebyshev", "canberra", "braycurtis")
DENSE_ONLY = ("correlation", *_EXACT_ONLY)
OWN_METRICS = ("euclidean", "cosine", "manhattan", "hamming", "jaccard", *DENSE_ONLY)
METRICS = (*OWN_METRICS, *(name for name in pynndescent.METRICS if name not in OWN_METRICS))
_INNER_PRODUCTS = ("inner_product", "inner product", "dot", "dot_product", "dotproduct", "ip")
ALGORITHMS = ("auto", "exact", "approximate", "pynndescent")

# An exact search expected to take longer than this in one thread is not made. The number of threads plays no part in
# it, so that the graph does not depend on them.
_EXACT_SECONDS = 1.0
# Neighbours from which on the time of the approximate search grows with the square of their number.
_SQUARE_FROM = 20
# An approximate search whose recall is below this goes on with lists twice as long, for so many attempts in all, or the
# exact one is made where it is likely to take no longer than the next attempt, which compares some four times as many
# pairs as were compared so far, in five times as long for each.
_RECALL, _ATTEMPTS, _EXACT_PAIRS = 0.95, 3, 20


def nearest_different(X, n_neighbors, **options):
    """Find the Neighbors of the different rows of vectors of :func:`as_vectors`; by cosines multiples are equal, too.

    Where rows are equal, at most half of the different ones are listed: of few, all would be neighbours of all.
    """
    search = _Search(X, **options)
    kinds = kinds_of(search.X, None if search.by_pynndescent else search.metric)
    if kinds is None:
        return search(n_neighbors)
    search.X = search.X[first_of(kinds)]
    few = few_of(n_neighbors, search.X.shape[0])
    found = ONE_ROW if search.X.shape[0] == 1 else search(few)
    return found._replace(kinds=kinds, n_asked=n_neighbors)


def nearest_neighbors(X, n_neighbors, **options):
    """Find the nearest others of every row of vectors, equal ones like all others; see :func:`graphcore.knn_graph`."""
    return _Search(X, **options)(n_neighbors)


class _Search:
    """Vectors in the space that they are compared in, and how their neighbours are searched for."""

    def __init__(self, X, *, metric="euclidean", algorithm="auto", random_state=None, n_jobs=None):
        metric, algorithm = check_metric(metric, algorithm), check_choice("algorithm", algorithm, ALGORITHMS)
        effective_jobs(n_jobs)
        self.by_pynndescent = algorithm == "pynndescent" or is_left_to_pynndescent(X, metric, algorithm)
        if self.by_pynndescent:
            if is_sparse(X) and metric not in pynndescent.SPARSE:
                raise InputError(f"metric={metric!r} is for dense vectors; pass X.toarray(), or use another metric")
            if algorithm == "exact":
                raise ParameterError(
                    f"algorithm='exact' has no metric={metric!r} of {'sparse' if is_sparse(X) else 'dense'} vectors, "
                    "which pynndescent searches approximately; leave algorithm out, or give a matrix of distances to "
                    "affinity='precomputed_nearest_neighbors'"
                )
        self.X = X if self.by_pynndescent else in_space(X, metric)
        self.metric, self.algorithm, self.random_state, self.n_jobs = metric, algorithm, random_state, n_jobs

    def __call__(self, n_neighbors):
        X, metric, algorithm = self.X, self.metric, self.algorithm
        n_neighbors = check_integer("n_neighbors", n_neighbors, low=1, high=X.shape[0] - 1, why_high="rows less one")
        if self.by_pynndescent:
            return pynndescent.neighbors_by_pynndescent(X, n_neighbors, metric, self.random_state, self.n_jobs)
        space = "euclidean" if metric in ("cosine", "correlation", "hamming") else metric
        if algorithm == "exact" or (algorithm == "auto" and exact_pays(X, space, n_neighbors)):
            return exact_neighbors(X, n_neighbors, metric, self.n_jobs)
        searches = approximations(X, n_neighbors, metric, self.random_state, self.n_jobs)
        for attempt, (found, n_compared) in enumerate(searches, 1):
            note(f"{found.recall:.1%} of the neighbours of some rows were found")
            if found.recall >= _RECALL:
                break
            if algorithm == "auto" and X.shape[0] ** 2 <= _EXACT_PAIRS * n_compared:
                return exact_neighbors(X, n_neighbors, metric, self.n_jobs)
            if attempt == _ATTEMPTS:
                warn_user(
                    f"the approximate search found {found.recall:.0%} of the nearest neighbours of some rows: they "
                    "have hardly any structure; fewer columns may have more, and algorithm='exact' takes its time"
                )
                break
        return found


def check_metric(metric, algorithm="auto"):
    """Return the name of a metric, or refuse one that is none."""
    if metric in pynndescent.WITH_PARAMETERS:
        raise ParameterError(
            f"metric={metric!r} needs weights or costs; build an NNDescent of pynndescent with them, and give "
            "it in place of X"
        )
    if metric in _INNER_PRODUCTS and algorithm != "pynndescent":
        raise ParameterError(
            f"metric={metric!r} is no distance: by inner products a row is seldom its own nearest, and the longest "
            "rows are everybody's; use metric='cosine', the inner product of rows of norm 1"
        )
    if isinstance(metric, str) and metric == "precomputed":
        raise ParameterError(
            "metric='precomputed' is for distances, which are taken as neighbours: with KNeighborsTransformer("
            "metric='precomputed').fit_transform(distances) and affinity='precomputed_nearest_neighbors'"
        )
    metric = pynndescent.ALIASES.get(metric, metric) if isinstance(metric, str) else metric
    return check_choice("metric", metric, METRICS)


def is_left_to_pynndescent(X, metric, algorithm="auto"):
    """Tell whether pynndescent searches vectors by this metric: there is no own search, or it would take long."""
    if metric not in OWN_METRICS or (metric in DENSE_ONLY and is_sparse(X)):
        return True
    if metric not in _EXACT_ONLY or algorithm == "exact":
        return False
    return algorithm == "approximate" or not exact_pays(X, metric)


def exact_pays(X, metric, n_neighbors=_SQUARE_FROM):
    """Tell whether the exact search takes so little time that the approximate one is not worth its misses."""
    method, seconds = exact_plan(X, metric)
    each = 100e-6 if is_sparse(X) else (12 + 0.06 * X.shape[1]) * 1e-6
    approximate = X.shape[0] * each * max(1.0, n_neighbors / _SQUARE_FROM) ** 2
    if seconds <= max(_EXACT_SECONDS, approximate):
        return True
    # The tree's time grows like the approximate search's, so in few dimensions it is the better one at any size.
    return method == "kd_tree" and X.shape[1] <= 5 and repeated_share(X) < 0.01
