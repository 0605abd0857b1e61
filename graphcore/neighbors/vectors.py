"""Vectors as the neighbour searches take them: checked, floating, sparse ones in CSR; equal rows are one point."""

import numpy as np

from ..base.lazy import import_whole
from ..base.validation import check_magnitude, read_only
from ..exceptions import InputError
from ..graphs.as_graph import refuse_as_vectors
from . import _loops as loops

# Larger numbers overflow when float32 distances are squared, smaller ones vanish.
_LIMITS = {}, 1e15
_BLOCK_VALUES = 1 << 17


def is_sparse(X):
    """Tell whether vectors are compressed rows and not an array."""
    return hasattr(X, "indptr")


def as_vectors(X, least=2):
    """Check vectors and make them float32 (if they are, or are integers that fit) or float64, in CSR or C order.

    There have to be `least` of them.
    """
    import scipy.sparse as sp

    check_array = import_whole("sklearn.utils").check_array
    refuse_as_vectors(X)
    try:
        X = check_array(
            X, accept_sparse="csr", dtype="numeric", order="C", ensure_all_finite=False, ensure_min_samples=least
        )
    except (ValueError, TypeError) as error:
        said = str(error).partition("\n")[0]
        raise InputError(f"the vectors cannot be used: {said}") from None
    if X.dtype.kind not in "biuf":
        raise InputError(f"the vectors cannot be used: they hold {X.dtype}, and must be real numbers")
    check_magnitude("X", check_finite(X), np.float32, _LIMITS)
    X = as_floats(X)
    return sp.csr_array(ordered(X)) if is_sparse(X) else X


def as_floats(X):
    """Return an array or sparse matrix as it is, if it is float32 or float64; others as float32 if they fit."""
    if X.dtype in (np.float32, np.float64):
        return X
    narrow = X.dtype == np.float16 or (X.dtype.kind in "iub" and check_finite(X) <= 2**24)
    return X.astype(np.float32 if narrow else np.float64)


def ordered(X):
    """Sort sparse rows, without repeats, in 32-bit indices: scikit-learn changes or refuses others."""
    if max(X.nnz, X.shape[1]) >= 2**31:
        raise InputError(
            f"sparse vectors of {X.nnz} entries and {X.shape[1]} columns: distances take fewer than 2**31 of each"
        )
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    if X.indices.dtype == X.indptr.dtype == np.int32:
        return X
    return type(X)((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), X.shape)


def check_finite(X, what="the vectors"):
    """Return the largest absolute value; NaN and infinity are refused with their place."""
    values = X.data if is_sparse(X) else X
    if values.size == 0:
        return 0.0
    largest = max(float(values.max()), -float(values.min()))
    if values.dtype.kind in "iub" or np.isfinite(largest):
        return largest
    bad = np.argwhere(~np.isfinite(values))
    if len(bad) == 0:
        return largest  # infinite where only a wider type holds it
    first = bad[0]
    if is_sparse(X):
        row, column = int(np.searchsorted(X.indptr, first[0], side="right")) - 1, int(X.indices[first[0]])
    else:
        row, column = (int(place) for place in first)
    value = values[tuple(first)]
    raise InputError(
        f"{what} must be finite: row {row}, column {column} is {'NaN' if np.isnan(value) else value} "
        f"({len(bad)} such values); fill the values in or drop the rows"
    )


def centred(X):
    """Subtract their means from rows (a copy); rows of one number everywhere become exactly 0."""
    out = X - X.mean(axis=1, dtype=np.float64, keepdims=True)
    out[X.max(axis=1) == X.min(axis=1)] = 0.0
    return out.astype(X.dtype, copy=False)


def normalised(X, metric):
    """Divide rows by their Euclidean norms (a copy)."""
    norms = np.sqrt(squared_norms(X))
    if not norms.all():
        empty, what = np.flatnonzero(norms == 0), "all zero" if metric == "cosine" else "one number everywhere"
        raise InputError(
            f"metric={metric!r} needs rows that are not {what}; row {empty[0]} is ({len(empty)} such rows): drop them "
            "or choose another metric"
        )
    if is_sparse(X):
        scaled = X.copy()
        scaled.data /= np.repeat(norms, np.diff(X.indptr)).astype(X.dtype)
        return scaled
    return np.divide(X, norms[:, None], out=np.empty_like(X), casting="same_kind")


def in_space(X, metric):
    """Return rows between which the metric is taken; rows that have no distance by it are refused."""
    if metric in ("cosine", "correlation"):  # the latter is the cosine of centred rows
        return normalised(X if metric == "cosine" else centred(X), metric)
    if metric in ("hamming", "jaccard"):
        check_binary(X, metric)
    return X


def check_binary(X, metric):
    """Refuse vectors that hold anything but 0 and 1."""
    values = X.data if is_sparse(X) else X
    for start in range(0, len(values), 1 << 16):
        piece = values[start : start + (1 << 16)]
        others = piece[(piece != 0) & (piece != 1)]
        if len(others):
            raise InputError(
                f"metric={metric!r} compares vectors of 0 and 1, and these hold {others[0]:g}; use metric='euclidean', "
                "'cosine' or 'manhattan', or give bools, as X > 0"
            )


def in_unit(distances, metric, n_columns):
    """Turn Euclidean distances into those of a metric that orders rows as they do; those of others stay. In place."""
    # |x - y|^2 is 2 (1 - cos) between rows of norm 1, and between rows of 0 and 1 the number of columns that differ
    unit = {"cosine": 2, "correlation": 2, "hamming": n_columns}.get(metric)
    if unit is not None:
        np.divide(np.square(distances, out=distances), unit, out=distances)
    return distances


def squared_norms(X):
    """Compute squared Euclidean norms of the rows, float64."""
    if is_sparse(X):
        rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        return np.bincount(rows, weights=np.square(X.data, dtype=np.float64), minlength=X.shape[0])
    return np.einsum("ij,ij->i", X, X, dtype=np.float64)


# -- equal rows --------------------------------------------------------------------------------------------------------


def row_hashes(X, step_of=None):
    """Compute a number of 64 bits for what each row holds, the same for dense and sparse rows; a zero adds nothing.

    With `step_of` numbers are rounded to multiples of it.
    """
    factors = np.random.default_rng(0).integers(1, 1 << 64, X.shape[1], dtype=np.uint64) | np.uint64(1)
    out = np.empty(X.shape[0], dtype=np.uint64)
    if hasattr(X, "tocsr"):
        X = ordered(X.tocsr())
        loops.hash_sparse(*map(read_only, (X.indptr, X.indices, _bits(X.data, step_of), factors)), out)
        return out
    step = max(1, _BLOCK_VALUES // X.shape[1])
    for start in range(0, X.shape[0], step):
        loops.hash_dense(
            read_only(_bits(X[start : start + step], step_of)), read_only(factors), out[start : start + step]
        )
    return out


def _bits(values, step_of):
    values = np.ascontiguousarray(values, dtype=np.float64)
    return (values if step_of is None else np.rint(values / step_of)).view(np.uint64)


def kinds_of(X, metric="euclidean"):
    """Number what rows hold, in the order in which it first comes: (n_rows,) int64, or None if all are different.

    Rows are those between which the metric is taken (`in_space`). Where these have norm 1, multiples are equal but for
    rounding.
    """
    step_of = None
    if metric in ("cosine", "correlation"):
        step_of = 2.0 ** (-40 if X.dtype == np.float64 else -20)
    kinds = in_order(row_hashes(X, step_of))
    return None if kinds.max() == len(kinds) - 1 else kinds


def in_order(values):
    """Number different values in the order in which they first come."""
    _, first, kinds = np.unique(values, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[kinds]


def first_of(kinds):
    """Find the first row of each kind, ascending."""
    return np.flatnonzero(np.diff(np.maximum.accumulate(kinds), prepend=-1) > 0)
