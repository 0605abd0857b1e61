"""Compiled loop of the weights that neighbours in common give."""

import numpy as np

from .._compile import compiled


@compiled
def shared_neighbors(indptr, indices, weights):
    """Share of each listed pair's neighbours that both list, each node counting as listed by itself."""
    n = len(indptr) - 1
    mark = np.full(n, -1, dtype=np.int32)
    for i in range(n):
        mark[i] = i
        for e in range(indptr[i], indptr[i + 1]):
            mark[indices[e]] = i
        for e in range(indptr[i], indptr[i + 1]):
            j = indices[e]
            common = 1 if mark[j] == i else 0
            for f in range(indptr[j], indptr[j + 1]):
                if mark[indices[f]] == i:
                    common += 1
            either = indptr[i + 1] - indptr[i] + indptr[j + 1] - indptr[j] + 2 - common
            weights[e] = common / either
