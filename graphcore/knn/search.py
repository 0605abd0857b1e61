"""The nearest neighbours of every row of a matrix: exact where that is quick, else approximate.

What the rule rests on was measured by bench/neighbors.py on two cores of a small server:

- pynndescent 0.7 compiles its loops anew in every process (20 s; 35 s with an empty cache), then needs 30 to 120 us a
  row for 10 neighbours in one thread, whatever the number of columns; sparse rows of 70 entries take 0.5 ms each.
- scikit-learn's brute force needs 1.8 + 0.032 d nanoseconds for each pair of rows of d columns in one thread (sparse
  rows 25), and its k-d tree 20 us a row up to d = 5, half as much again for every further column.
"""

import numpy as np

from .._threads import effective_jobs
from .._validation import check_choice, check_integer
from .search_approximate import approximate_neighbors
from .search_exact import exact_neighbors, exact_plan, repeated_share
from .vectors import is_sparse, normalised

__all__ = ["ALGORITHMS", "METRICS", "nearest_neighbors"]

METRICS = ("euclidean", "cosine", "manhattan")
ALGORITHMS = ("auto", "exact", "approximate")

# An exact search expected to take longer than this in one thread is left to pynndescent. The number of threads plays no
# part in it, so that the graph does not depend on them.
_EXACT_SECONDS, _EXACT_SECONDS_SPARSE = 30.0, 60.0


def nearest_neighbors(X, n_neighbors, *, metric="euclidean", algorithm="auto", random_state=None, n_jobs=None):
    """Find the nearest others of every row of what :func:`as_vectors` gave; see :func:`graphcore.knn_graph`."""
    check_choice("metric", metric, METRICS)
    check_choice("algorithm", algorithm, ALGORITHMS)
    n_neighbors = check_integer("n_neighbors", n_neighbors, low=1, high=X.shape[0] - 1, why_high="rows less one")
    effective_jobs(n_jobs)
    if metric == "cosine":
        X = normalised(X)
    space = "euclidean" if metric == "cosine" else metric
    if algorithm == "auto":
        algorithm = "exact" if _exact_pays(X, space) else "approximate"
    if algorithm == "exact":
        found = exact_neighbors(X, n_neighbors, space, n_jobs)
    else:
        found = approximate_neighbors(X, n_neighbors, space, random_state, n_jobs)
    if metric == "cosine":  # |x - y|^2 = 2 (1 - cos) between rows of norm 1
        np.multiply(found.distances, 0.5 * found.distances, out=found.distances)
    return found


def _exact_pays(X, metric):
    """Whether the exact search is expected to be done before pynndescent has compiled and searched."""
    method, seconds = exact_plan(X, metric)
    if seconds <= (_EXACT_SECONDS_SPARSE if is_sparse(X) else _EXACT_SECONDS):
        return True
    # The tree's time grows like the approximate search's, so in few dimensions it is the better one at any size.
    return method == "kd_tree" and X.shape[1] <= 5 and repeated_share(X) < 0.01
