"""Vectors in the one type that kernels compute with."""

import numpy as np

from ..exceptions import InputError

# Larger numbers overflow when they are squared twice, smaller ones vanish.
_LARGEST = {"f": 1e9}
_MANY = 1e75


def check_vectors(X):
    """Refuse what is no matrix of real numbers."""
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise InputError(f"vectors must be a matrix of real numbers, got shape {X.shape} and type {X.dtype}")


def check_scale(X, dtype=None):
    """Refuse vectors so long or short that products of them overflow or vanish; NaN and infinity are not looked for.

    Products are computed in `dtype`, by default that of the vectors.
    """
    values = X.data if hasattr(X, "tocsr") else X
    if not values.size or values.dtype.kind == "b":
        return
    dtype = np.dtype(dtype or values.dtype)
    largest = max(float(values.max()), -float(values.min()))
    limit = _LARGEST.get(dtype.char, _MANY)
    if largest > limit or 0 < largest < 1 / limit:
        raise InputError(
            f"the largest absolute value of the vectors is {largest:.3g}; products of {dtype} need it between "
            f"{1 / limit:.0e} and {limit:.0e}: rescale the columns"
        )


def as_floats(X, dtype=None):
    """Vectors as an array or CSR of float32 or float64; no copy where they are that already."""
    if dtype is None:
        dtype = np.float32 if getattr(X, "dtype", None) == np.float32 else np.float64
    if hasattr(X, "tocsr"):
        return X.tocsr().astype(dtype, copy=False)
    X = np.asarray(X)
    check_vectors(X)
    return X.astype(dtype, copy=False)
