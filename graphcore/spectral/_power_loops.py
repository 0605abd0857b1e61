"""Compiled loops of the power method on large graphs: eight vectors at a time, in single precision."""

import numpy as np
from numba import njit

__all__ = ["LANES", "project_rows", "smooth_rows"]

LANES = 8


@njit(cache=True, nogil=True, fastmath={"contract"})
def smooth_rows(indptr, indices, values, inverse, top, scaled, X, first, last, out, sums):
    """Rows first to last of ``out = (X + D^-1/2 A scaled) / 2``, where ``scaled = D^-1/2 X``.

    X, scaled and out are of shape (n * LANES,): the vectors of a row lie side by side, so that one look at an entry
    serves them all. sums, of shape (2, LANES), gets the rows' part of the products with `top` and of the squared norms.
    """
    lanes = np.uint64(LANES)
    half = np.float32(0.5)
    for i in range(first, last):
        s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = np.float32(0.0)
        for e in range(indptr[i], indptr[i + 1]):
            # Unsigned: a signed index is checked for being counted from the end. Eight names: an array of sums would
            # be written to memory at every entry.
            j = np.uint64(indices[e]) * lanes
            value = values[e]
            s0 += value * scaled[j]
            s1 += value * scaled[j + np.uint64(1)]
            s2 += value * scaled[j + np.uint64(2)]
            s3 += value * scaled[j + np.uint64(3)]
            s4 += value * scaled[j + np.uint64(4)]
            s5 += value * scaled[j + np.uint64(5)]
            s6 += value * scaled[j + np.uint64(6)]
            s7 += value * scaled[j + np.uint64(7)]
        at = i * LANES
        scale = inverse[i]
        out[at] = half * (X[at] + scale * s0)
        out[at + 1] = half * (X[at + 1] + scale * s1)
        out[at + 2] = half * (X[at + 2] + scale * s2)
        out[at + 3] = half * (X[at + 3] + scale * s3)
        out[at + 4] = half * (X[at + 4] + scale * s4)
        out[at + 5] = half * (X[at + 5] + scale * s5)
        out[at + 6] = half * (X[at + 6] + scale * s6)
        out[at + 7] = half * (X[at + 7] + scale * s7)
        for v in range(LANES):
            value = np.float64(out[at + v])
            sums[0, v] += top[i] * value
            sums[1, v] += value * value


@njit(cache=True, nogil=True)
def project_rows(product, inverse, top, dots, factor, first, last, X, scaled):
    """``X = factor (product - top dots)`` and ``scaled = D^-1/2 X`` for rows first to last."""
    for i in range(first, last):
        for v in range(LANES):
            value = np.float32(factor * (product[i * LANES + v] - top[i] * dots[v]))
            X[i * LANES + v] = value
            scaled[i * LANES + v] = inverse[i] * value
