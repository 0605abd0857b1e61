"""Blocks of inner products and distances, with the digits that kernel values need."""

import numpy as np

from ..exceptions import InputError
from ..neighbors.vectors import ordered

# Share of the mean squared norm that is the mean's own, beyond which vectors are centred before distances are taken.
_FAR = 0.9
# Rounding of squared distances in float32, times gamma, beyond which they are taken in float64. The error of kernel
# values is up to some ten times as large.
_COARSE = 1e-4
_WIDE_BYTES = 1 << 24
# A gamma that float32 cannot hold with products of it, and gamma times squared norms from where all of it is rounding.
_LARGE, _HUGE = 1e30, 1e200


def squared_norms(X):
    """Squared Euclidean norms of rows."""
    if hasattr(X, "tocsr"):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", X, X)


def inner_products(X, Y):
    """``X Y^T`` as a new array."""
    if hasattr(Y, "tocsr") and not hasattr(X, "tocsr"):
        return np.ascontiguousarray((Y @ X.T).T)
    products = X @ Y.T
    return products.toarray() if hasattr(products, "tocsr") else products


def gaussian_block(X, Y, gamma):
    """``exp(-gamma |x - y|^2)`` by way of one product."""
    norms, given = squared_norms(Y), (X, Y)
    if not hasattr(X, "tocsr") and not hasattr(Y, "tocsr") and len(norms):
        centre = Y.mean(axis=0)
        # Distances do not change when all points move. Far from the origin too much of them would cancel; elsewhere
        # the copies are saved.
        if centre @ centre > _FAR * norms.mean():
            same = X is Y
            X = X - centre
            Y = X if same else Y - centre
            norms = squared_norms(Y)
    own_norms = squared_norms(X)
    largest = max(float(own_norms.max(initial=0.0)), float(norms.max(initial=0.0)))
    if X.dtype == np.float32 and (gamma * largest * float(np.finfo(np.float32).eps) > _COARSE or gamma > _LARGE):
        return _gaussian_of_far_points(*given, gamma)
    # Points that differ at all are then as good as orthogonal, and nothing overflows.
    gamma = min(gamma, _HUGE / largest) if largest > 0 else 1.0
    block = inner_products(X, Y)
    block *= 2.0 * gamma
    block -= (gamma * own_norms)[:, None]
    block -= gamma * norms
    np.minimum(block, 0.0, out=block)
    return np.exp(block, out=block)


def _gaussian_of_far_points(X, Y, gamma):
    """The same with distances in float64, for float32 vectors that are many bandwidths from their mean.

    Their distances would be differences of numbers so large that nothing is left of them.
    """
    Y = Y.astype(np.float64)
    step = max(1, _WIDE_BYTES // (8 * max(1, Y.shape[0])))
    block = np.empty((X.shape[0], Y.shape[0]), dtype=np.float32)
    for start in range(0, X.shape[0], step):
        rows = slice(start, start + step)
        block[rows] = gaussian_block(X[rows].astype(np.float64), Y, gamma)
    return block


def refuse_zero_rows(norms):
    """Refuse rows of zeros, which have no direction."""
    empty = np.flatnonzero(norms == 0)
    if len(empty):
        raise InputError(
            f"kernel='cosine' needs rows that are not all zero; {len(empty)} rows are, the first is number {empty[0]} "
            "of its block: drop them or choose another kernel"
        )


def manhattan(X, Y):
    """Distances between the rows of two matrices, shape (n_rows, n_columns), float64.

    scikit-learn's loop for sparse matrices knows 32-bit indices only, and puts rows in order in place.
    """
    from sklearn.metrics.pairwise import manhattan_distances

    return manhattan_distances(*(ordered(part) if hasattr(part, "tocsr") else part for part in (X, Y)))
