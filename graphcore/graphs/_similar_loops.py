"""Compiled loop that multiplies sparse rows with each other and keeps the largest entries."""

import numpy as np

from .._compile import compiled
from .._select import nth_largest
from .._touched import add


@compiled
def similar_rows(
    indptr, indices, values, other_indptr, other_indices, other_values, n, cap, first, last, out_indices, out_values,
    lengths,
):  # fmt: skip
    """Rows first to last of a product of two matrices, without the diagonal, each cut to its `cap` largest entries.

    The product has n columns. Of equals at the cut, the first met stay. Rows follow each other in `out_indices` and
    `out_values`, with room for `cap` entries each, and are `lengths` long; returns the sum of these.
    """
    sums, is_listed = np.zeros(n), np.zeros(n, dtype=np.bool_)
    touched, scratch = np.empty(n + 1, dtype=out_indices.dtype), np.empty(n)
    length = 0
    for x in range(first, last):
        n_touched = 0
        for e in range(indptr[x], indptr[x + 1]):
            shared, value = indices[e], values[e]
            for f in range(other_indptr[shared], other_indptr[shared + 1]):
                y = other_indices[f]
                if y != x:
                    n_touched = add(sums, is_listed, touched, n_touched, y, value * other_values[f])
        cut = 0.0
        if n_touched > cap:
            for t in range(n_touched):
                scratch[t] = sums[touched[t]]
            cut = nth_largest(scratch, n_touched, cap)
        start = length
        for above in (True, False):
            for t in range(n_touched):
                y = touched[t]
                if (sums[y] > cut if above else sums[y] == cut) and length - start < cap:
                    out_indices[length] = y
                    out_values[length] = sums[y]
                    length += 1
        for t in range(n_touched):
            sums[touched[t]] = 0.0
            is_listed[touched[t]] = False
        lengths[x - first] = length - start
    return length
