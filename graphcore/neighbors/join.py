"""Rows that come later: which edges they bring to a neighbour graph, and which are no longer those of neighbours."""

from typing import NamedTuple

import numpy as np

from ..graphs.rows import entries_of
from .neighbor_lists import places_in_rows
from .search import nearest_neighbors
from .search_walk import new_row_searcher
from .vectors import centred, in_space, is_sparse, normalised, squared_norms

# Fitted rows that each new one is compared with, for each neighbour wanted: those beyond its neighbours may list it.
# Among digits 2 miss .10 of the new rows' edges, 3 .06 and 5 .02; among 60,000 rows of 128 columns a hundredth of new
# rows costs .054, .061 and .070 of a fit.
_LOOKED_AT = 3
# A distance is the same from both ends, but for rounding.
_ROUNDING = 1e-6
_PIECE_VALUES = 1 << 20


class Joined(NamedTuple):
    """Changes of a neighbour graph by new rows, which are numbered after the old ones."""

    vectors: np.ndarray  # all rows, dense or csr
    added: tuple  # two arrays, the ends of new edges
    removed: tuple  # and of edges between rows that do not list each other any more
    last_distances: np.ndarray  # (n_new,) from each new row to its last neighbour


def join_rows(X, new, graph, n_neighbors, metric, *, kept=None, radius=np.inf, random_state=None, n_jobs=None):
    """Find the Joined of `new` rows and the rows X of a Graph in which each row is joined to those it lists.

    New rows list their `n_neighbors` nearest among all, and are listed in place of rows that are farther: in so far as
    the searches find everything, the changed graph is that of all rows. It is enough to measure edges, because the
    nearest of those that a row is joined to are those that it lists. Of X only rows `kept` (all if None) are listed,
    and new ones whose last neighbour is beyond `radius` list nothing and are not listed.
    """
    import scipy.sparse as sp

    n_old, n_new = X.shape[0], new.shape[0]
    in_space(new, metric)  # refuses rows without a distance
    n_wanted = min(_LOOKED_AT * n_neighbors, n_old if kept is None else len(kept))
    near = [new_row_searcher(X, graph, n_wanted, metric, n_jobs, kept).kneighbors(new)[1]]
    if n_new > 1:
        among = nearest_neighbors(
            new, min(n_neighbors, n_new - 1), metric=metric, random_state=random_state, n_jobs=n_jobs
        ).indices
        near.append(np.where(among < 0, -1, among + n_old))
    X = sp.vstack([X, new], format="csr") if is_sparse(X) else np.concatenate([X, new])
    near = np.hstack(near)
    rows, columns = np.repeat(np.arange(n_old, n_old + n_new), near.shape[1]), near.ravel().astype(np.int64)
    rows, columns = rows[columns >= 0], columns[columns >= 0]
    distances = pair_distances(X, rows, columns, metric)
    last = np.full(n_old + n_new, np.inf)  # from each row to the last that it lists
    _set_last(last, rows, distances, n_neighbors)
    last_of_new = last[n_old:].copy()
    is_near = (np.arange(len(last)) < n_old) | (last <= radius)
    there = is_near[rows] & is_near[columns]
    rows, columns, distances = rows[there], columns[there], distances[there]
    # Rows that were there, and might list new ones.
    met = columns < n_old
    old, old_columns = _row_pairs(graph, np.unique(columns[met]))
    old_distances = pair_distances(X, old, old_columns, metric)
    listed_before = places_in_rows(old, old_distances) < n_neighbors
    # Old rows come first, so that they stay where distances are equal.
    all_rows = np.concatenate([old, columns[met], rows])
    all_columns = np.concatenate([old_columns, rows[met], columns])
    all_distances = np.concatenate([old_distances, distances[met], distances])
    listed = places_in_rows(all_rows, all_distances) < n_neighbors
    _set_last(last, all_rows, all_distances, n_neighbors)
    is_new = np.maximum(all_rows, all_columns) >= n_old
    added = all_rows[listed & is_new], all_columns[listed & is_new]
    # A pair that one row no longer lists stays an edge if the other row lists it.
    gone = listed_before & ~listed[: len(old)]
    old, old_columns, old_distances = old[gone], old_columns[gone], old_distances[gone]
    others = np.setdiff1d(old_columns, columns)
    there, there_columns = _row_pairs(graph, others)
    _set_last(last, there, pair_distances(X, there, there_columns, metric), n_neighbors)
    gone = old_distances > last[old_columns] * (1 + _ROUNDING)
    return Joined(X, added, (old[gone], old_columns[gone]), last_of_new)


def _row_pairs(graph, rows):
    """Pair each of these rows with all that it is joined to: two arrays."""
    entries, borders = entries_of(graph.indptr, rows)
    return np.repeat(rows, np.diff(borders)), graph.indices[entries].astype(np.int64)


def _set_last(last, rows, distances, n_neighbors):
    """Write the distance to the n-th nearest into the rows of these pairs that have so many."""
    is_last = places_in_rows(rows, distances) == n_neighbors - 1
    last[rows[is_last]] = distances[is_last]


# -- distances between pairs of rows, by every metric that neighbours are found by ------------------------------------


def pair_distances(X, rows, columns, metric):
    """Compute distances between rows `rows[i]` and `columns[i]` of X, (n_pairs,) float64."""
    import scipy.sparse as sp

    X = sp.csr_array(X) if is_sparse(X) else X
    out = np.empty(len(rows))
    step = 1 << 14 if is_sparse(X) else max(1, _PIECE_VALUES // X.shape[1])
    for start in range(0, len(rows), step):
        piece = slice(start, start + step)
        with np.errstate(invalid="ignore"):  # 0 / 0 is 0 here
            out[piece] = _DISTANCES[metric](X[rows[piece]], X[columns[piece]])
    return out


def _cosine(a, b):
    return squared_norms(normalised(a, "cosine") - normalised(b, "cosine")) / 2


def _jaccard(a, b):
    both = _sums(a * b)
    return 1 - np.nan_to_num(both / (_sums(a) + _sums(b) - both), nan=1.0)


def _sums(rows):
    return np.asarray(rows.sum(axis=1, dtype=np.float64)).ravel()


_DISTANCES = {
    "euclidean": lambda a, b: np.sqrt(squared_norms(a - b)),
    "cosine": _cosine,
    "correlation": lambda a, b: _cosine(centred(a), centred(b)),
    "manhattan": lambda a, b: _sums(abs(a - b)),
    "hamming": lambda a, b: squared_norms(a - b) / a.shape[1],
    "jaccard": _jaccard,
    "chebyshev": lambda a, b: abs(a - b).max(axis=1),
    "canberra": lambda a, b: _sums(np.nan_to_num(abs(a - b) / (abs(a) + abs(b)))),
    "braycurtis": lambda a, b: np.nan_to_num(_sums(abs(a - b)) / _sums(abs(a + b))),
}
