"""Distances between pairs of rows, by every metric that neighbours are found by."""

import numpy as np

from .vectors import centred, is_sparse, normalised, squared_norms

_PIECE_VALUES = 1 << 20


def pair_distances(X, rows, columns, metric):
    """Distance between rows `rows[i]` and `columns[i]` of X, (n_pairs,) float64, as `nearest_neighbors` gives it."""
    import scipy.sparse as sp

    X = sp.csr_array(X) if is_sparse(X) else X
    out = np.empty(len(rows))
    step = 1 << 14 if is_sparse(X) else max(1, _PIECE_VALUES // X.shape[1])
    for start in range(0, len(rows), step):
        piece = slice(start, start + step)
        with np.errstate(invalid="ignore"):  # 0 / 0 is 0 here
            out[piece] = _DISTANCES[metric](X[rows[piece]], X[columns[piece]])
    return out


def _cosine(a, b):
    return squared_norms(normalised(a, "cosine") - normalised(b, "cosine")) / 2


def _jaccard(a, b):
    both = _sums(a * b)
    return 1 - np.nan_to_num(both / (_sums(a) + _sums(b) - both), nan=1.0)


def _sums(rows):
    return np.asarray(rows.sum(axis=1, dtype=np.float64)).ravel()


_DISTANCES = {
    "euclidean": lambda a, b: np.sqrt(squared_norms(a - b)),
    "cosine": _cosine,
    "correlation": lambda a, b: _cosine(centred(a), centred(b)),
    "manhattan": lambda a, b: _sums(abs(a - b)),
    "hamming": lambda a, b: squared_norms(a - b) / a.shape[1],
    "jaccard": _jaccard,
    "chebyshev": lambda a, b: abs(a - b).max(axis=1),
    "canberra": lambda a, b: _sums(np.nan_to_num(abs(a - b) / (abs(a) + abs(b)))),
    "braycurtis": lambda a, b: np.nan_to_num(_sums(abs(a - b)) / _sums(abs(a + b))),
}
