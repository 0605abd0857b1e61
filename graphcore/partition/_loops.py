"""Compiled loop over the graph on a coreset."""

from numba import njit

__all__ = ["within_weights"]


@njit(cache=True, nogil=True)
def within_weights(indptr, indices, values, labels, out):
    """out[j] += entries of a sparse matrix between points that both have label j."""
    for i in range(len(indptr) - 1):
        total = 0.0
        for e in range(indptr[i], indptr[i + 1]):
            if labels[indices[e]] == labels[i]:
                total += values[e]
        out[labels[i]] += total
