"""Compiled loops that number rows by what they hold, of float64 seen as uint64."""

import numpy as np

from ..base.compiling import compiled

_MIX = np.uint64(0x9E3779B97F4A7C15)


@compiled
def _mixed(x):
    """Spread bits over the whole word: those of small integers, for one, end in zeros. 0 stays, and so does -0."""
    if x << np.uint64(1) == 0:
        return np.uint64(0)
    x ^= x >> np.uint64(29)
    x *= _MIX
    return x ^ (x >> np.uint64(32))


@compiled
def hash_dense(bits, factors, out):
    for i in range(len(bits)):
        total = np.uint64(0)
        for j in range(bits.shape[1]):
            total += _mixed(bits[i, j]) * factors[j]
        out[i] = total


@compiled
def hash_sparse(indptr, indices, bits, factors, out):
    for i in range(len(out)):
        total = np.uint64(0)
        for e in range(indptr[i], indptr[i + 1]):
            total += _mixed(bits[e]) * factors[indices[e]]
        out[i] = total
