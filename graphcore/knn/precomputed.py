"""Sparse matrices of distances to neighbours, as scikit-learn's KNeighborsTransformer makes them."""

import numpy as np

from ..exceptions import InputError
from .neighbor_lists import Neighbors

__all__ = ["listed_neighbors"]


def listed_neighbors(X, n_neighbors, *, without_self):
    """The nearest neighbours that each row of a sparse matrix of distances lists, -1 where it has fewer than asked for.

    A stored 0 is a neighbour. Equals stay in the matrix's own order. `without_self`: X is square, a row's own number is
    passed over, and every row must list `n_neighbors` others.
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
