"""Lists of neighbours: what every search gives, and what sparse matrices of distances hold."""

from typing import NamedTuple

import numpy as np

from ..exceptions import InputError


class Neighbors(NamedTuple):
    """The neighbours found for every row, nearest first, the row itself never among them."""

    indices: np.ndarray  # (n_rows, n_neighbors) int32; -1 where the search found none (always at a row's end)
    distances: np.ndarray  # (n_rows, n_neighbors) float32, by the metric; infinite where none was found


def empty_neighbors(n_rows, n_neighbors):
    """Return lists to be filled by :func:`fill_block`."""
    shape = (n_rows, n_neighbors)
    return Neighbors(np.empty(shape, dtype=np.int32), np.empty(shape, dtype=np.float32))


def fill_block(out, start, indices, distances):
    """Write the nearest others of the rows from `start` on; a row itself may stand anywhere in its list, or not."""
    rows = np.arange(start, start + len(indices))
    unusable = (indices == rows[:, None]) | (indices < 0)
    distances = np.where(unusable, np.inf, distances)
    order = np.argsort(distances, axis=1, kind="stable")[:, : out.indices.shape[1]]
    block = slice(start, start + len(indices))
    out.indices[block] = np.take_along_axis(np.where(unusable, -1, indices), order, axis=1)
    out.distances[block] = np.take_along_axis(distances, order, axis=1)


def listed_neighbors(X, n_neighbors, *, without_self):
    """The nearest neighbours that each row of a sparse matrix of distances lists, -1 where it has fewer than asked for.

    A stored 0 is a neighbour. Equals stay in the matrix's own order. `without_self`: X is square, a row's own number is
    passed over, and every row must list `n_neighbors` others. scikit-learn's KNeighborsTransformer makes such matrices.
    """
    import scipy.sparse as sp

    X = sp.csr_array(X)  # stored zeros stay
    if len(X.data) and not (X.data.min() >= 0 and np.isfinite(X.data.max())):
        raise InputError("distances to neighbours must be finite and not negative")
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    columns, distances = X.indices, X.data
    if without_self:
        others = columns != rows
        rows, columns, distances = rows[others], columns[others], distances[others]
    counts = np.bincount(rows, minlength=X.shape[0])
    if without_self and counts.min() < n_neighbors:
        raise InputError(
            f"n_neighbors={n_neighbors} asks for more neighbours than row {int(np.argmin(counts))} lists, which has "
            f"{counts.min()} beside itself; lower n_neighbors, or give KNeighborsTransformer as many with "
            "mode='distance', which adds the row itself"
        )
    order = np.lexsort((distances, rows))
    rank = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    near = rank < n_neighbors
    out = Neighbors(np.full((X.shape[0], n_neighbors), -1, dtype=np.int32), np.full((X.shape[0], n_neighbors), np.inf))
    taken = order[near]
    out.indices[rows[taken], rank[near]] = columns[taken]
    out.distances[rows[taken], rank[near]] = distances[taken]
    return out
