"""Equal rows as one, so that a weight of 2 is a point given twice, whatever the order of the rows."""

from typing import Any, NamedTuple

import numpy as np

from ..neighbors.equal_rows import row_hashes

# Merging goes through all numbers once and copies them: more are left as they are.
_MAX_VALUES = 1 << 24


class EqualRows(NamedTuple):
    """The different rows of what was given; equal ones count as one."""

    X: Any  # (n_distinct, n_features): in an order by what the rows hold, not by where they stood
    weights: np.ndarray | None  # (n_distinct,): sums of the weights
    first: np.ndarray | None = None  # (n_distinct,) int64: where each was given first; None for rows as given
    kind: np.ndarray | None = None  # (n_given,) int64: row of X that each is equal to; -1 without weight
    left_out: Any = None  # the given rows without weight
    n_given: int = 0  # rows that were given

    def given(self, places):
        """Where rows of X stood in what was given."""
        return places if self.first is None else self.first[places]

    def for_all(self, values, of_rows):
        """Return values of the rows of X, for all that was given; `of_rows` finds those of rows without weight."""
        if self.first is None:
            return values
        values = values[self.kind]
        if self.left_out.shape[0]:
            values[self.kind < 0] = of_rows(self.left_out)
        return values


def merge_equal_rows(X, weights=None, *, least=1):
    """Merge equal rows and leave out those without weight.

    Nothing is done where there is nothing to do (no weights, and all rows different), or where it is not worth a copy:
    for large vectors, and where fewer than `least` rows are different.
    """
    if (X.nnz if hasattr(X, "tocsr") else X.size) > _MAX_VALUES:
        return EqualRows(X, weights)
    rows = np.arange(X.shape[0]) if weights is None else np.flatnonzero(weights)
    _, first, kind = np.unique(row_hashes(X)[rows], return_index=True, return_inverse=True)
    if len(first) < least or (weights is None and len(first) == X.shape[0]):
        return EqualRows(X, weights)
    kinds = np.full(X.shape[0], -1)
    kinds[rows] = kind
    sums = np.bincount(kind, weights=None if weights is None else weights[rows]).astype(np.float64)
    first = rows[first]
    return EqualRows(X[first], sums, first, kinds, X[kinds < 0])
