"""Weights of edges: checked, as floats, and none where all are 1."""

import numpy as np

from ..base.arrays import read_only
from ..exceptions import InputError

# An empty array stands for ones in compiled loops: float64, like the weights of quotient graphs, so that loops serve
# both with one compiled version.
NO_WEIGHTS = read_only(np.empty(0))


def as_float_weights(weights):
    """Weights as float32 (if they are) or float64."""
    if weights.dtype in (np.float32, np.float64):
        return weights
    if weights.dtype.kind not in "biufO":
        raise InputError(f"weights must be real numbers, got {weights.dtype}")
    try:
        return weights.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"weights must be real numbers: {error}") from None


def edge_weights(weights, n_edges):
    """Weights of edges as floats, checked; an array of length 0 for none."""
    if weights is None:
        return NO_WEIGHTS
    weights = np.asarray(weights)
    if weights.shape != (n_edges,):
        raise InputError(f"weights have shape {weights.shape}; {n_edges} edges need shape ({n_edges},)")
    weights = as_float_weights(weights)
    bad = first_bad_weight(weights)
    if bad >= 0:
        raise InputError(f"weights must be finite and not negative; edge {bad} has {weights[bad]}")
    return weights


def entry_weights(data):
    """Weights of a matrix's entries; an array of length 0 for ones, seen before a conversion could copy them."""
    return NO_WEIGHTS if _all_ones(data) else as_float_weights(data)


def without_ones(weights):
    """None for an array of length 0 or of ones: an unweighted graph stores no weights."""
    return None if _all_ones(weights) else weights


def first_bad_weight(weights):
    """Position of the first weight that is negative, infinite or NaN; -1 if there is none."""
    start = 0
    for piece in _pieces(weights):
        good = np.isfinite(piece) & (piece >= 0)
        if not good.all():
            return start + int(np.argmin(good))
        start += len(piece)
    return -1


def _all_ones(weights):
    return all((piece == 1).all() for piece in _pieces(weights))


def _pieces(array):
    # By pieces, so that a difference at the start is seen at once and no mask of full length is made.
    size = 1 << 20
    return (array[start : start + size] for start in range(0, len(array), size))
