"""Vectors in the one type that kernels compute with."""

import numpy as np

from ..exceptions import InputError

__all__ = ["as_floats", "check_vectors"]


def check_vectors(X):
    """Refuse what is no matrix of real numbers."""
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise InputError(f"vectors must be a matrix of real numbers, got shape {X.shape} and type {X.dtype}")


def as_floats(X, dtype=None):
    """Vectors as an array or CSR of float32 or float64; no copy where they are that already."""
    if dtype is None:
        dtype = np.float32 if getattr(X, "dtype", None) == np.float32 else np.float64
    if hasattr(X, "tocsr"):
        return X.tocsr().astype(dtype, copy=False)
    X = np.asarray(X)
    check_vectors(X)
    return X.astype(dtype, copy=False)
