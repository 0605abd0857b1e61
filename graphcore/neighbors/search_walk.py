"""The nearest of fitted vectors to new ones: by walks over their neighbour graph, or exact where that is quick.

A walk needs 70 us a row among 10,000 rows of 16 columns, 150 among 40,000 of 64 and 210 among 200,000 of 256. Where
`search` makes the exact search of all n rows in up to a second it needs 1 s / n for one, which is about as much as a
walk needs where that ends: the same rule serves both.
"""

import numpy as np

from ..base.loops import away, away_with_one, limited_libraries, map_blocks
from ..base.streams import Streams
from ..base.validation import read_only
from ._loops import CODES, EUCLIDEAN, walk
from .search import exact_pays, exact_searcher, is_left_to_pynndescent
from .search_pynndescent import IndexSearcher, build_index
from .vectors import in_unit, is_sparse

# Places of a walk's list at least, and for each neighbour wanted: 64 found .94 of the neighbours among 256 columns, 96
# .97 and 128 .99, in 1.9, 2.1 and 2.4 seconds. Drawn rows that each new one is compared with, which find small clusters
# that no edge leads to, and the number of drawn rows that a walk starts from.
_LISTED, _LISTED_EACH = 96, 2
_DRAWN, _STARTS = 2000, 16
_BLOCK_ROWS = 512
_LISTED_BY_INDEX = 30  # neighbours of each row by which pynndescent makes its index unless it is told another number


def new_row_searcher(X, graph, n_neighbors, metric, n_jobs, kept=None):
    """Return a searcher with the methods of `exact_searcher`; `graph` is the Graph that joins rows of X.

    Of X, rows `kept` (ascending numbers; all if None) are listed, which are those with an edge. The walk is taken where
    the search of the fit was approximate, so that answers for a row do not depend on how many are asked for. Without a
    graph, for sparse vectors and metrics that it does not know the search is exact.
    """
    space = metric if metric in CODES else "euclidean"
    if is_left_to_pynndescent(X, metric):
        n = X.shape[0] if kept is None else len(kept)
        index = build_index(X if kept is None else X[kept], min(n, _LISTED_BY_INDEX), metric, 0, n_jobs)
        return IndexSearcher(index, min(n, n_neighbors), kept)
    if graph is None or metric == "correlation" or is_sparse(X) or exact_pays(X, space):
        return _Exact(X, n_neighbors, metric, n_jobs, kept)
    return WalkSearcher(X, graph, n_neighbors, metric, n_jobs)


class _Exact:
    """The exact search among some of the rows (all if None), block by block, in `n_jobs` threads."""

    def __init__(self, X, n_neighbors, metric, n_jobs, kept):
        self._kept, self._n_jobs, self._metric = kept, n_jobs, metric
        X = X if kept is None else X[kept]
        # Hamming and Euclidean distances order vectors of 0 and 1 alike; scikit-learn takes sparse ones by the latter.
        self._searcher = exact_searcher(X, min(n_neighbors, X.shape[0]), "euclidean" if metric == "hamming" else metric)

    def kneighbors(self, rows):
        """Return distances and numbers of the nearest, nearest first."""
        borders = np.append(np.arange(0, rows.shape[0], _BLOCK_ROWS), rows.shape[0])
        with limited_libraries():
            found = map_blocks(
                lambda start, stop: away_with_one(self._searcher.kneighbors, rows[start:stop]), borders, self._n_jobs
            )
        distances, numbers = map(np.concatenate, zip(*found, strict=True))
        if self._metric == "hamming":
            in_unit(distances, "hamming", rows.shape[1])
        return distances, numbers if self._kept is None else self._kept[numbers]


class WalkSearcher:
    """Best-first walks over a neighbour graph, from the nearest of a sample that every component has a part in."""

    def __init__(self, X, graph, n_neighbors, metric, n_jobs):
        self._metric, self._n_neighbors, self._n_jobs = metric, n_neighbors, n_jobs
        self._X = read_only(self._in_space(X))
        self._rows = read_only(graph.indptr, np.int64), read_only(graph.indices, np.int32)
        self._drawn = _sample(graph)
        entries = self._X[self._drawn]
        self._centre = entries.mean(axis=0)
        self._entries = entries - self._centre
        self._norms = np.einsum("ij,ij->i", self._entries, self._entries)

    def _in_space(self, X):
        from sklearn.preprocessing import normalize

        return normalize(X) if self._metric == "cosine" else X

    def kneighbors(self, rows):
        """Return distances and numbers of the nearest, nearest first; infinite and -1 where a walk met fewer."""
        rows = read_only(self._in_space(rows), self._X.dtype)
        n, n_listed = len(rows), min(len(self._X), max(_LISTED, _LISTED_EACH * self._n_neighbors))
        near, far = np.full((n, n_listed), -1, dtype=np.int32), np.full((n, n_listed), np.inf, dtype=self._X.dtype)
        borders = np.append(np.arange(0, n, _BLOCK_ROWS), n)
        with limited_libraries():
            starts = map_blocks(lambda start, stop: away(self._starts, rows[start:stop]), borders, self._n_jobs)
        starts = np.concatenate(starts)
        # One after the other where they begin side by side, so that walks find in the cache the rows that others read.
        order = np.argsort(starts[:, 0], kind="stable")
        code, starts = CODES.get(self._metric, EUCLIDEAN), self._drawn[starts]
        given = (code, self._X, *self._rows, rows, *map(read_only, (starts, order)))
        map_blocks(lambda start, stop: walk(*given, near, far, start, stop), borders, self._n_jobs)
        distances = far[:, : self._n_neighbors]
        if code == EUCLIDEAN:
            distances = in_unit(np.sqrt(distances), self._metric, rows.shape[1])
        return distances, near[:, : self._n_neighbors]

    def _starts(self, rows):
        """Find the drawn rows that are nearest to each row by Euclidean distance, the nearest of them first."""
        distances = self._norms - 2 * ((rows - self._centre) @ self._entries.T)
        count = min(_STARTS, len(self._drawn))
        return np.argpartition(distances, (0, count - 1), axis=1)[:, :count]


def _sample(graph):
    """Draw some rows, and one of every component, in order of components; rows without neighbours are left out."""
    components, has_any = graph.connected_components(), np.diff(graph.indptr) > 0
    # Numbers of components are in the order of their first rows.
    first = np.diff(np.maximum.accumulate(components), prepend=-1) > 0
    joined = np.flatnonzero(has_any)
    drawn = Streams(0).generator("starts of walks").choice(joined, min(_DRAWN, len(joined)), replace=False)
    drawn = np.union1d(np.flatnonzero(first & has_any), drawn)
    return drawn[np.argsort(components[drawn], kind="stable")].astype(np.int32)
