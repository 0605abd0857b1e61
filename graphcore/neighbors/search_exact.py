"""Exact nearest neighbours by scikit-learn, and by inner products for the Jaccard distance."""

import numpy as np

from ..base.threads import away_with_one, limited_libraries, map_blocks
from .neighbor_lists import empty_neighbors
from .vectors import in_unit, is_sparse, squared_norms

# Rows that one call of scikit-learn answers: fixed, so that ties fall the same way for any number of threads. Above
# 1,024 rows it shares out queries and not candidates.
_QUERY_ROWS = 2048
# That number where few rows are asked for.
_FEW_ROWS = 64
# Squared distances below this share of the squared norms are recomputed: |x|^2 + |y|^2 - 2xy has lost their digits.
_CANCELLED = 1e-8
_JACCARD_ENTRIES = 1 << 22


def exact_plan(X, metric):
    """Return the quicker exact method and the seconds expected of it in one thread."""
    n, d = X.shape
    if metric in ("canberra", "braycurtis"):  # no tree knows these
        return "brute", n * n * (2 + 0.8 * d) * 1e-9
    if metric == "jaccard":
        metric = "euclidean"  # as many products
    if is_sparse(X):
        if metric == "manhattan":
            return "brute", n * X.nnz * 8e-9
        products = np.square(np.unique(X.indices, return_counts=True)[1], dtype=np.float64).sum()
        return "brute", (n * n * 10 + products * 0.6) * 1e-9
    brute = n * n * (1.8 + 0.032 * d if metric == "euclidean" else 2 + 0.8 * d) * 1e-9
    tree = n * 20e-6 * 1.5 ** min(max(d - 5, 0), 50)
    # A tree cannot prune among equal rows: each of them is compared with all the others.
    tree += 2e-9 * (n * repeated_share(X)) ** 2 if d <= 15 else np.inf
    # The tree takes differences, which are exact: where it costs next to nothing it is used for that alone.
    return ("kd_tree", tree) if tree < brute or (d <= 5 and tree < 1) else ("brute", brute)


def repeated_share(X):
    """Estimate the share of the rows in the largest group of equal rows, by 1,000 rows; 0 if none repeats."""
    sample = X[:: max(1, X.shape[0] // 1000)]
    largest = np.unique(sample, axis=0, return_counts=True)[1].max()
    return largest / len(sample) if largest > 1 else 0.0


def exact_neighbors(X, n_neighbors, metric, n_jobs):
    """Search exactly by fixed blocks of rows, each in one thread, so that ties do not depend on `n_jobs`.

    By the metrics of `in_unit`, X holds vectors between which they are Euclidean distances in another unit.
    """
    n, space = X.shape[0], "euclidean" if metric in ("cosine", "correlation", "hamming") else metric
    method = "brute" if space == "jaccard" else exact_plan(X, space)[0]
    expanded = method == "brute" and space == "euclidean"
    if expanded and X.dtype == np.float64 and not is_sparse(X):
        X = X - X.mean(axis=0)  # a common shift would take digits from |x|^2 + |y|^2 - 2xy
    searcher = exact_searcher(X, n_neighbors + 1, space, method)
    norms = squared_norms(X) if expanded else None
    out = empty_neighbors(n, n_neighbors)

    def search(start, stop):
        distances, indices = away_with_one(searcher.kneighbors, X[start:stop])
        if norms is not None:
            _mend_cancelled(X, norms, start, indices, distances)
        # A row itself may stand anywhere in its list, or not.
        distances = np.where(indices == np.arange(start, stop)[:, None], np.inf, distances)
        order = np.argsort(distances, axis=1, kind="stable")[:, :n_neighbors]
        out.indices[start:stop] = np.take_along_axis(indices, order, axis=1)
        out.distances[start:stop] = np.take_along_axis(distances, order, axis=1)

    borders = np.append(np.arange(0, n, _QUERY_ROWS), n)
    with limited_libraries():
        map_blocks(search, borders, n_jobs)
    in_unit(out.distances, metric, X.shape[1])
    return out


def exact_distances(X, rows, n_neighbors, metric, n_jobs=None):
    """Compute distances of some rows to their nearest others, by fixed blocks of them."""
    searcher = exact_searcher(X, n_neighbors + 1, metric, "brute")
    borders = np.append(np.arange(0, len(rows), _FEW_ROWS), len(rows))
    with limited_libraries():
        parts = map_blocks(lambda a, b: away_with_one(searcher.kneighbors, X[rows[a:b]])[0], borders, n_jobs)
    return np.concatenate(parts)[:, 1:]  # the first is the row itself, or as near


def exact_searcher(X, n_neighbors, metric, method="auto"):
    """Return a searcher: `kneighbors(rows)` gives distances and numbers of the nearest rows of X, nearest first."""
    from sklearn.neighbors import NearestNeighbors

    if metric == "jaccard":
        return _ByJaccard(X, n_neighbors)
    return NearestNeighbors(n_neighbors=n_neighbors, algorithm=method, metric=metric).fit(X)


class _ByJaccard:
    """1 - |x and y| / |x or y| between vectors of 0 and 1, dense or sparse; 0 between empty ones."""

    def __init__(self, X, n_neighbors):
        self._X, self._n_neighbors, self._ones = X, n_neighbors, X.sum(axis=1)

    def kneighbors(self, rows):
        step = max(1, _JACCARD_ENTRIES // len(self._ones))
        pieces = [self._nearest(rows[start : start + step]) for start in range(0, rows.shape[0], step)]
        return tuple(np.concatenate(part) for part in zip(*pieces, strict=True))

    def _nearest(self, rows):
        both = rows @ self._X.T
        both = both.toarray() if is_sparse(both) else both
        either = rows.sum(axis=1)[:, None] + self._ones - both
        distances = np.where(either > 0, 1 - both / np.maximum(either, 1), 0)
        last = min(self._n_neighbors, distances.shape[1]) - 1
        indices = np.argpartition(distances, last, axis=1)[:, : last + 1]
        distances = np.take_along_axis(distances, indices, axis=1)
        order = np.argsort(distances, axis=1, kind="stable")
        return np.take_along_axis(distances, order, axis=1), np.take_along_axis(indices, order, axis=1)


def _mend_cancelled(X, norms, start, indices, distances):
    """Recompute, from the difference, distances so small that the expanded formula has no digit of them."""
    rows, columns = np.nonzero(distances**2 < _CANCELLED * norms[start : start + len(indices), None])
    for piece in range(0, len(rows), 4096):
        at = rows[piece : piece + 4096], columns[piece : piece + 4096]
        difference = X[start + at[0]] - X[indices[at]]
        distances[at] = np.sqrt(squared_norms(difference))
