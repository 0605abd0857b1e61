"""Compiled loops that take the distance of a pair of vectors, dense or sparse. Euclidean distances are squares."""

import numpy as np

from ..base.compiling import compiled

EUCLIDEAN, MANHATTAN, JACCARD = 0, 1, 2
CODES = {"manhattan": MANHATTAN, "jaccard": JACCARD}  # all others are Euclidean distances in another unit

_PIECE = 128


@compiled(sums_in_any_order=True)
def _squares(x, y):
    total = np.float32(0)
    for j in range(len(x)):
        difference = x[j] - y[j]
        total += difference * difference
    return total


@compiled(sums_in_any_order=True)
def _moduli(x, y):
    total = np.float32(0)
    for j in range(len(x)):
        total += abs(x[j] - y[j])
    return total


@compiled(sums_in_any_order=True)
def _jaccard(x, y):
    """Compute 1 - |x and y| / |x or y| of vectors of 0 and 1; 0 between empty ones."""
    both, ones = np.float32(0), np.float32(0)
    for j in range(len(x)):
        both += x[j] * y[j]
        ones += x[j] + y[j]
    return np.float32(1) - both / (ones - both) if ones > 0 else np.float32(0)


@compiled
def dense_distance(metric, x, y, bound):
    """Compute the distance of two rows; from `bound` on, any number from there on."""
    if metric == JACCARD:
        return _jaccard(x, y)
    total = np.float32(0)
    for start in range(0, len(x), _PIECE):
        piece, other = x[start : start + _PIECE], y[start : start + _PIECE]
        total += _squares(piece, other) if metric == EUCLIDEAN else _moduli(piece, other)
        if total >= bound:
            break
    return total


@compiled
def sparse_distance(metric, spread, own, indices, data):
    """Compute the distance of a row in `spread`, zeros elsewhere, whose share alone is `own`, to a sparse one.

    The own share is |x|^2, |x|_1 or the number of ones. In float64 sums that cancel leave float32 all its digits.
    """
    total, ones = own, own
    for entry in range(len(indices)):
        x, y = np.float64(spread[indices[entry]]), np.float64(data[entry])
        if metric == EUCLIDEAN:
            total += y * y - 2 * x * y
        elif metric == MANHATTAN:
            total += abs(y - x) - abs(x)
        else:
            total -= x * y
            ones += y - x * y
    if metric == JACCARD:
        # The rest of `own` is in x alone; together with those of y, `ones` are in either.
        total = (total + ones - own) / ones if ones > 0 else 0.0
    return np.float32(max(total, 0.0))


@compiled
def spread_row(metric, spread, indices, data):
    """Write a sparse row into the zeros of `spread`; returns its own share."""
    own = 0.0
    for entry in range(len(indices)):
        value = np.float64(data[entry])
        spread[indices[entry]] = data[entry]
        own += value * value if metric == EUCLIDEAN else abs(value)
    return own


@compiled(sums_in_any_order=True)
def _distances_behind(metric, rows, i, n, out):
    """Write distances of row i to the rows behind it, up to row n, which lie close together in memory, to their places.

    By places: a slice of an array costs more here than the distance of two rows of 128 columns, 4 nanoseconds.
    """
    for k in range(i + 1, n):
        total, ones = np.float32(0), np.float32(0)
        if metric == EUCLIDEAN:
            for j in range(rows.shape[1]):
                difference = rows[i, j] - rows[k, j]
                total += difference * difference
        elif metric == MANHATTAN:
            for j in range(rows.shape[1]):
                total += abs(rows[i, j] - rows[k, j])
        else:
            for j in range(rows.shape[1]):
                total += rows[i, j] * rows[k, j]
                ones += rows[i, j] + rows[k, j]
            total = np.float32(1) - total / (ones - total) if ones > 0 else np.float32(0)
        out[k] = total
