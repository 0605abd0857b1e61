"""Lists of neighbours: what every search gives, and what arrays and sparse matrices of distances hold."""

from typing import NamedTuple

import numpy as np

from ..exceptions import InputError, warn_user
from ..graphs.from_matrix import DISTANT, leaning


class Neighbors(NamedTuple):
    """The neighbours found for every row, nearest first, the row itself never among them."""

    indices: np.ndarray  # (n_rows, n_neighbors) int32; -1 where the search found none (always at a row's end)
    distances: np.ndarray  # (n_rows, n_neighbors) float32, by the metric; infinite or the largest where none was found
    recall: float = 1.0  # the share of the true neighbours that is listed, as sampled; an exact search has them all
    kinds: np.ndarray | None = None  # (n,) int64: which of these rows each one given is equal to, if some are equal
    n_asked: int = 0  # neighbours that were asked for, where some are equal


def empty_neighbors(n_rows, n_neighbors):
    """Return lists to be filled."""
    shape = (n_rows, n_neighbors)
    return Neighbors(np.empty(shape, dtype=np.int32), np.empty(shape, dtype=np.float32))


def listed_neighbors(X, n_neighbors, *, without_self, warns=False):
    """List the nearest neighbours in each row of a sparse matrix of distances, -1 where there are fewer.

    A stored 0 is a neighbour, and what is infinitely far is none. Equals stay in the matrix's own order. With
    `without_self` X is square, and a row's own number is passed over; `warns` where rows list fewer.
    scikit-learn's KNeighborsTransformer makes such matrices.
    """
    import scipy.sparse as sp

    X = sp.csr_array(X)  # stored zeros stay
    if not X.data.min(initial=0) >= 0:
        raise InputError("distances to neighbours must be numbers, and not negative")
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    others = np.isfinite(X.data)
    if without_self:
        others &= X.indices != rows
    rows, columns, distances = rows[others], X.indices[others], X.data[others]
    counts = np.bincount(rows, minlength=X.shape[0])
    if warns and counts.min() < n_neighbors:
        row = int(np.argmin(counts))
        warn_user(
            f"n_neighbors={n_neighbors} is more than row {row} lists, which has {counts[row]} beside itself: of such "
            "rows all are taken"
        )
    places = places_in_rows(rows, distances)
    near = places < n_neighbors
    out = Neighbors(np.full((X.shape[0], n_neighbors), -1, dtype=np.int32), np.full((X.shape[0], n_neighbors), np.inf))
    out.indices[rows[near], places[near]] = columns[near]
    out.distances[rows[near], places[near]] = distances[near]
    return out


def nearest_listed(D, n_neighbors):
    """Make the sparse matrix of the nearest distances of rows, from an array of the distances to all that may be."""
    if 2 * np.count_nonzero(D) < D.size:
        raise InputError(
            "most distances are 0; a matrix of neighbours, in which 0 is none, is given as a sparse matrix"
        )
    if np.isnan(D).any():
        raise InputError("distances must be numbers, and some are NaN; infinity is for rows without a way between them")
    numbers = np.argsort(D, axis=1, kind="stable")[:, :n_neighbors]
    return distance_matrix((numbers, np.take_along_axis(D, numbers, axis=1)), D.shape[1])


def neighbors_of(X, n_neighbors=None, *, warns=False):
    """Return the Neighbors that arrays or a square matrix of distances list, at most so many of each row.

    A sparse matrix and two arrays hold distances to neighbours alone, and an array those between all rows.
    """
    if is_neighbor_pair(X):
        matrix = distance_matrix(X)
    elif getattr(X, "ndim", None) != 2 or X.shape[0] != X.shape[1]:
        raise InputError(
            "neighbours are a tuple of two arrays (numbers of rows, distances), each of shape (n_samples, "
            "n_neighbors), or a square matrix of distances, for example from KNeighborsTransformer(mode='distance'); "
            f"got {type(X).__name__}{f' of shape {X.shape}' if hasattr(X, 'shape') else ''}"
        )
    elif hasattr(X, "tocsr"):
        matrix = X.tocsr()
        near = matrix if matrix.has_sorted_indices else matrix.sorted_indices()
        if leaning(near.indptr, near.indices, near.data) < -DISTANT:
            warn_user(
                "the distances look like similarities, more where rows have more common neighbours; give similarities "
                "with affinity='precomputed', or distances such as -log(A.data)"
            )
    elif np.diagonal(X).any():
        raise InputError(
            "distances of rows to themselves must be 0, and the diagonal holds others; this may be a kernel or a "
            "matrix of similarities P, of which 1 - P are distances where no P is above 1"
        )
    elif n_neighbors is None:
        raise InputError("a dense matrix does not say which rows are neighbours: give the distances of those, sparse")
    else:
        others = np.array(X, dtype=np.result_type(X, np.float32))
        np.fill_diagonal(others, np.inf)
        matrix = nearest_listed(others, min(n_neighbors, len(X) - 1))
    if n_neighbors is None:
        n_neighbors = int(np.diff(matrix.indptr).max(initial=1))
    return listed_neighbors(matrix, n_neighbors, without_self=True, warns=warns)


def places_in_rows(rows, distances):
    """Compute the place of each pair, from 0, among those of its row: the nearest first, equals as they stand."""
    order = np.lexsort((distances, rows))
    starts = np.flatnonzero(np.diff(rows[order], prepend=-1))
    places = np.empty(len(rows), dtype=np.int64)
    places[order] = np.arange(len(rows)) - np.repeat(starts, np.diff(starts, append=len(rows)))
    return places


def is_neighbor_pair(X):
    """Tell whether this is a tuple of two arrays of two dimensions, as other searches give neighbours."""
    return isinstance(X, tuple) and len(X) == 2 and all(getattr(each, "ndim", None) == 2 for each in X)


def distance_matrix(pair, n_columns=None):
    """Make the sparse matrix of distances of two arrays, numbers of rows and distances to them, in either order.

    Numbers below 0 and infinite distances stand for none. By default rows are those that are numbered, and a row's own
    number is left out; with `n_columns` they are new, and may list any of so many. Distances of 0 up to rounding are 0.
    """
    import scipy.sparse as sp

    indices, distances = map(np.asarray, pair)
    if distances.dtype.kind in "iu" and indices.dtype.kind == "f":
        indices, distances = distances, indices
    if indices.shape != distances.shape or indices.dtype.kind not in "iu" or distances.dtype.kind != "f":
        raise InputError(
            "neighbours are two arrays of one shape, integers and floats, numbers of rows and distances; got "
            f"{indices.dtype} of shape {indices.shape} and {distances.dtype} of shape {distances.shape}"
        )
    rows = np.arange(len(indices))[:, None]
    indices = indices.astype(np.int64)
    listed = (indices >= 0) & (distances != np.inf)
    if n_columns is None:
        n_columns, listed = len(indices), listed & (indices != rows)
    if (largest := indices[listed].max(initial=-1)) >= n_columns:
        raise InputError(f"neighbours go by the numbers of {n_columns} rows, from 0; got {largest}")
    found = distances[listed]
    if not np.isfinite(found).all():
        raise InputError("distances to neighbours must be numbers, and infinite or beside -1 where there is none")
    if len(found) and (found.min() < -1e-3 * np.abs(found).max() or _fall(listed, distances)):
        raise InputError(
            "distances to neighbours must not be negative, nor fall along a row, as similarities do; of inner products "
            "P of rows of norm 1 give 1 - P"
        )
    indptr = np.concatenate([[0], np.cumsum(listed.sum(axis=1))])
    found = np.maximum(found, 0, dtype=np.float64)  # scipy has no float16
    return sp.csr_array((found, indices[listed], indptr), shape=(len(indices), n_columns))


def _fall(listed, distances):
    """Tell whether the last neighbour is nearer than the first, in most rows where the two differ."""
    some = listed.any(axis=1)
    first = distances[some, listed[some].argmax(axis=1)]
    last = distances[some, listed.shape[1] - 1 - listed[some, ::-1].argmax(axis=1)]
    return np.count_nonzero(last < first) > np.count_nonzero(last > first)
