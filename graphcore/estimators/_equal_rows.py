"""Equal rows as one, so that a weight of 2 is a point given twice, whatever the order of the rows."""

from typing import Any, NamedTuple

import numpy as np

__all__ = ["EqualRows", "merge_equal_rows"]

# Merging goes through all numbers once and copies them: more are left as they are.
_MAX_VALUES = 1 << 24
_BLOCK_VALUES = 1 << 20
_MIX = np.uint64(0x9E3779B97F4A7C15)


class EqualRows(NamedTuple):
    """Rows of which equal ones count as one.

    Attributes
    ----------
    X : ndarray or csr matrix of shape (n_distinct, n_features)
        The rows, in an order that depends on what they hold and not on where they stood.
    weights : ndarray of shape (n_distinct,), float64, or None
        Sums of the weights.
    first : ndarray of shape (n_distinct,), int64, or None
        Where each was given, at its first place; None if all rows are as they were given.
    kind : ndarray of shape (n_given,), int64, or None
        Place in X of the row that each given one is equal to; -1 for those without weight.
    left_out : ndarray or csr matrix, or None
        The given rows without weight.
    n_given : int
        Rows that were given.
    """

    X: Any
    weights: np.ndarray | None
    first: np.ndarray | None = None
    kind: np.ndarray | None = None
    left_out: Any = None
    n_given: int = 0

    def given(self, places):
        """Where rows of X stood in what was given."""
        return places if self.first is None else self.first[places]

    def for_all(self, values, of_rows):
        """Values of the rows of X, for all that was given; `of_rows` finds those of rows without weight."""
        if self.first is None:
            return values
        values = values[self.kind]
        if self.left_out.shape[0]:
            values[self.kind < 0] = of_rows(self.left_out)
        return values


def merge_equal_rows(X, weights=None, *, least=1):
    """Merge equal rows and leave out those without weight.

    Nothing is done where there is nothing to do (no weights, and all rows different), or where it is not worth a copy:
    for large vectors, and where fewer rows than needed are different.

    Parameters
    ----------
    X : ndarray or csr matrix of shape (n_rows, n_features)
    weights : ndarray of shape (n_rows,), float64, optional
    least : int
        So many different rows are needed.

    Returns
    -------
    EqualRows

    Examples
    --------
    >>> import numpy as np
    >>> from graphcore.estimators._equal_rows import merge_equal_rows
    >>> merged = merge_equal_rows(np.array([[1.0], [2.0], [1.0]]))
    >>> sorted(merged.first.tolist()), sorted(merged.weights.tolist())
    ([0, 1], [1.0, 2.0])
    """
    if (X.nnz if hasattr(X, "tocsr") else X.size) > _MAX_VALUES:
        return EqualRows(X, weights)
    rows = np.arange(X.shape[0]) if weights is None else np.flatnonzero(weights)
    _, first, kind = np.unique(_hashes(X)[rows], return_index=True, return_inverse=True)
    if len(first) < least or (weights is None and len(first) == X.shape[0]):
        return EqualRows(X, weights)
    kinds = np.full(X.shape[0], -1)
    kinds[rows] = kind
    sums = np.bincount(kind, weights=None if weights is None else weights[rows]).astype(np.float64)
    first = rows[first]
    return EqualRows(X[first], sums, first, kinds, X[kinds < 0])


def _hashes(X):
    """A number of 64 bits for what each row holds, the same for dense and sparse rows; a zero adds nothing."""
    factors = np.random.default_rng(0).integers(1, 1 << 64, X.shape[1], dtype=np.uint64) | np.uint64(1)
    if hasattr(X, "tocsr"):
        X = X.tocsr().copy()
        X.sum_duplicates()
        terms = _mixed(X.data) * factors[X.indices]
        ends = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(terms, dtype=np.uint64)])
        return ends[X.indptr[1:]] - ends[X.indptr[:-1]]
    step = max(1, _BLOCK_VALUES // X.shape[1])
    blocks = (X[start : start + step] for start in range(0, X.shape[0], step))
    return np.concatenate([(_mixed(block) * factors).sum(axis=1, dtype=np.uint64) for block in blocks])


def _mixed(values):
    """Bits of values, spread over the whole word: those of small integers, for one, end in zeros."""
    bits = (values.astype(np.float64) + 0.0).view(np.uint64)  # there is one zero, not two
    bits ^= bits >> np.uint64(29)
    bits *= _MIX
    bits ^= bits >> np.uint64(32)
    return bits
