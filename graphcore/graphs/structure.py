"""Structure of sparse rows and matrices, checked in one place before compiled code, scipy's included, reads them."""

import sys
from itertools import chain

import numpy as np

from ..exceptions import InputError

# Rows and columns that a matrix may state without entries, and beyond that for every entry.
_STATED, _STATED_PER_ENTRY = 1 << 24, 1000


def check_sparse(X):
    """Raise an InputError unless the arrays of a scipy sparse matrix go together; whatever else X is, it passes.

    scipy's own constructors look at lengths alone, and its conversions and products read and write wherever the arrays
    point to. Matrices that come from outside are therefore checked here before anything is done with them.
    """
    sparse = sys.modules.get("scipy.sparse")
    if sparse is None or not sparse.issparse(X):
        return
    if len(X.shape) != 2:
        raise InputError(f"a matrix of two dimensions is needed, got {len(X.shape)}")
    _CHECKS[X.format](X)
    if max(stated_lengths(X.shape, X.format), default=0) > max(_STATED, _STATED_PER_ENTRY * X.nnz):
        raise InputError(
            f"the matrix has shape {X.shape} and {X.nnz} entries; rows and columns without any take memory: leave them "
            "out"
        )
    # Other types are refused when a matrix is made, and stand in it only if its data were exchanged.
    if X.dtype.kind not in "biufc" or not X.dtype.isnative or X.dtype == np.float16:
        raise InputError(f"the values of a sparse matrix must be real numbers, got {X.dtype}")


def stated_lengths(shape, format):
    """Return the numbers of rows and columns that a matrix only states, because no array of it is as long.

    The arrays of compressed rows have a number for every row, and those of compressed columns for every column.
    """
    if shape[0] == shape[1] and format in ("csr", "csc"):
        return ()
    return {"csr": shape[1:], "csc": shape[:1]}.get(format, shape)


def check_compressed(indptr, indices, n_rows, n_columns):
    """Raise an InputError unless these are compressed rows: borders that never fall, columns in range."""
    _check_integers("indptr", indptr)
    _check_integers("indices", indices)
    if len(indptr) != n_rows + 1:
        raise InputError(f"indptr has {len(indptr)} entries; {n_rows} rows need {n_rows + 1}")
    falls = indptr[1:] < indptr[:-1]
    if indptr[0] != 0 or falls.any():
        raise InputError(f"indptr must start at 0 and never fall (row {0 if indptr[0] else int(np.argmax(falls))})")
    if indptr[-1] > len(indices):
        raise InputError(f"indptr ends at {indptr[-1]} but there are {len(indices)} indices")
    _check_range(indices[: indptr[-1]], n_columns, lambda e: int(np.searchsorted(indptr, e, side="right")) - 1)


def _check_rows(X):
    """CSR, CSC (rows are columns, then) and BSR (rows and columns of blocks)."""
    n_rows, n_columns = X.shape[::-1] if X.format == "csc" else X.shape
    data = _array("data", X.data, 3 if X.format == "bsr" else 1)
    if X.format == "bsr":
        height, width = data.shape[1:]
        if not (height and width) or n_rows % height or n_columns % width:
            raise InputError(f"blocks of shape {(height, width)} do not fill a matrix of shape {X.shape}")
        n_rows, n_columns = n_rows // height, n_columns // width
    check_compressed(_as_scipy_has("indptr", X.indptr), _as_scipy_has("indices", X.indices), n_rows, n_columns)
    if len(data) != len(X.indices):
        raise InputError(f"there are {len(X.indices)} indices, but data of {len(data)} entries")


def _check_coordinates(X):
    data = _array("data", X.data, 1)
    for name, ids, n in (("row", X.row, X.shape[0]), ("col", X.col, X.shape[1])):
        _check_integers(name, ids)
        if len(ids) != len(data):
            raise InputError(f"{name} has {len(ids)} entries, but data {len(data)}")
        _check_range(ids, n, lambda e: e, "entry")


def _check_diagonals(X):
    data = _array("data", X.data, 2)
    _check_integers("offsets", _as_scipy_has("offsets", X.offsets))
    n_rows, n_columns = X.shape
    offsets = X.offsets.tolist()
    if len(offsets) != len(data) or len(set(offsets)) < len(offsets):
        raise InputError(f"there are {len(set(offsets))} different offsets for {len(data)} diagonals")
    if offsets and not (-n_rows < min(offsets) and max(offsets) < n_columns):
        raise InputError(
            f"a diagonal lies outside the matrix of shape {X.shape}: offsets {min(offsets)} to {max(offsets)}"
        )


def _check_lists(X):
    rows, data = X.rows, X.data
    for name, lists in (("rows", rows), ("data", data)):
        if not isinstance(lists, np.ndarray) or lists.shape != X.shape[:1]:
            raise InputError(f"{name} must be {X.shape[0]} lists")
        if not all(isinstance(one, list) for one in lists):
            raise InputError(f"{name} must hold lists alone")
    if any(len(a) != len(b) for a, b in zip(rows, data, strict=True)):
        raise InputError("a row has more columns than data, or fewer")
    lengths = np.cumsum(np.fromiter(map(len, rows), dtype=np.int64, count=len(rows)))
    ids = _from_python(chain.from_iterable(rows))
    _check_range(ids, X.shape[1], lambda e: int(np.searchsorted(lengths, e, side="right")))


def _check_keys(X):
    for axis, n in enumerate(X.shape):
        _check_range(_from_python(key[axis] for key in X.keys()), n, lambda e: e, "entry")  # noqa: SIM118 - its own


def _array(name, array, n_dims):
    if not isinstance(array, np.ndarray) or array.ndim != n_dims:
        got = f"shape {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
        raise InputError(f"{name} must be an array of {n_dims} dimensions, got {got}")
    return array


def _check_integers(name, array):
    if _array(name, array, 1).dtype.kind not in "iu":
        raise InputError(f"{name} must be integers, got {array.dtype}")


def _as_scipy_has(name, array):
    """Index arrays are of the two types that scipy makes them of, and its compiled code knows no others."""
    if _array(name, array, 1).dtype not in (np.int32, np.int64):
        raise InputError(f"{name} must be int32 or int64, got {array.dtype}")
    return array


def _from_python(ids):
    try:
        return np.fromiter(ids, dtype=np.int64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"columns must be integers: {error}") from None


def _check_range(ids, n, row_of, what="row"):
    if len(ids) == 0:
        return
    low, high = int(ids.min()), int(ids.max())
    if low < 0 or high >= n:
        bad = low if low < 0 else high
        where = row_of(int(np.argmax(ids == bad)))
        raise InputError(f"{what} {where} names column {bad}, outside 0 to {n - 1}")


_CHECKS = {
    "csr": _check_rows, "csc": _check_rows, "bsr": _check_rows, "coo": _check_coordinates, "dia": _check_diagonals,
    "lil": _check_lists, "dok": _check_keys,
}  # fmt: skip
