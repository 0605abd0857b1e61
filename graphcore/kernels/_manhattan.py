"""Sums of absolute differences, by scikit-learn, for sparse vectors of any kind of indices."""

from itertools import pairwise

import numpy as np

from ..knn.vectors import ordered

_MAX_INDEX = 2**31 - 1


def manhattan(X, Y, max_entries=_MAX_INDEX):
    """Distances between the rows of two matrices, shape (n_rows, n_columns), float64.

    scikit-learn's loop for sparse matrices knows 32-bit indices only, and puts the rows of what it is given in order in
    place: it gets copies of rows that are not in order, and long matrices in pieces.
    """
    from sklearn.metrics.pairwise import manhattan_distances

    if not (hasattr(X, "tocsr") or hasattr(Y, "tocsr")):
        return manhattan_distances(X, Y)
    left, right = _pieces(X, max_entries), _pieces(Y, max_entries)
    if len(left) == len(right) == 1:
        return manhattan_distances(left[0], right[0])
    return np.vstack([np.hstack([manhattan_distances(part, other) for other in right]) for part in left])


def _pieces(X, max_entries):
    """Rows in order and without repeats, with 32-bit indices, by pieces of at most so many entries."""
    if not hasattr(X, "tocsr") or X.shape[0] == 0:
        return [X]
    borders = [0]
    while borders[-1] < X.shape[0]:
        # A row has fewer entries than columns, so that each piece holds one at least.
        stop = int(np.searchsorted(X.indptr, int(X.indptr[borders[-1]]) + max_entries, side="right")) - 1
        borders.append(max(stop, borders[-1] + 1))
    return [ordered(X if len(borders) == 2 else X[a:b]) for a, b in pairwise(borders)]
