"""Sketching matrices P that mix all columns of a kernel matrix: Gaussian, SRHT, CountSketch."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._locks import cached_property
from .._random import Streams
from .._validation import check_choice, check_integer

PROJECTIONS = ("gaussian", "srht", "countsketch")


@dataclass(frozen=True, eq=False)
class Projection:
    """A random n x c matrix P with ``E[P P^T] = I``, applied from the right."""

    name: str  # "gaussian", "srht", "countsketch", or "basis" for a matrix that is given
    n: int
    c: int
    # (n, c) ndarray or csr_array; None for SRHT, which is formed for sparse rows only
    matrix: Any = field(default=None, repr=False)
    signs: np.ndarray | None = field(default=None, repr=False)  # (n,): random signs of SRHT
    # (c,): columns that SRHT keeps of the Walsh-Hadamard matrix, which is padded to a power of two
    sampled: np.ndarray | None = field(default=None, repr=False)

    def __call__(self, M):
        """``M P`` for a block of rows, dense or csr; an ndarray."""
        if self.matrix is not None or hasattr(M, "tocsr"):
            product = M @ (self._formed if self.matrix is None else self.matrix)
            return product.toarray() if hasattr(product, "toarray") else np.asarray(product)
        padded = np.zeros((len(M), _power_of_two(self.n)), dtype=M.dtype)
        np.multiply(M, self.signs.astype(M.dtype), out=padded[:, : self.n])
        _walsh_hadamard(padded)
        # sqrt(N/c) D H S with H orthonormal: the factor 1/sqrt(N) of H cancels against sqrt(N).
        return padded[:, self.sampled] / np.sqrt(self.c).astype(M.dtype)

    @cached_property
    def _formed(self):
        """P of SRHT, for sparse rows: these times it take less than their transform, which is dense."""
        kept = np.zeros((self.c, _power_of_two(self.n)))
        kept[np.arange(self.c), self.sampled] = 1.0
        _walsh_hadamard(kept)
        return np.ascontiguousarray((kept[:, : self.n] * self.signs).T) / np.sqrt(self.c)

    def to_array(self):
        """P as an ndarray of shape (n, c), for small n."""
        return self(np.eye(self.n))


def projection_matrix(name, n, c, *, random_state=None):
    """Draw a sketching matrix (n, c), a Projection.

    "gaussian" has independent normal entries over sqrt(c). "srht" is ``sqrt(N/c) D H S`` with random signs D, the
    orthonormal Walsh-Hadamard matrix H of the next power of two N, and c of its columns drawn without replacement.
    "countsketch" has one entry of +1 or -1 in each row, in a random column; columns can be empty. Wang, Gittens,
    Mahoney, JMLR 2019, section 3.1.
    """
    check_choice("sampling", name, PROJECTIONS)
    n = check_integer("n", n, low=1)
    c = check_integer("n_landmarks", c, low=1, high=n, why_high="the number of points")
    rng = Streams(random_state).generator("projection")
    if name == "gaussian":
        return Projection(name, n, c, rng.standard_normal((n, c)) / np.sqrt(c))
    signs = rng.choice(np.array([-1.0, 1.0]), n)
    if name == "srht":
        return Projection(name, n, c, signs=signs, sampled=rng.choice(_power_of_two(n), c, replace=False))
    import scipy.sparse as sp

    return Projection(name, n, c, sp.csr_array((signs, rng.integers(0, c, n), np.arange(n + 1)), shape=(n, c)))


def _power_of_two(n):
    return 1 << (n - 1).bit_length()


def _walsh_hadamard(M):
    """Walsh-Hadamard transform of every row in place, without scaling; the length is a power of two."""
    rows, length = M.shape
    half = 1
    while half < length:
        pairs = M.reshape(rows, length // (2 * half), 2, half)
        left = pairs[:, :, 0].copy()
        pairs[:, :, 0] += pairs[:, :, 1]
        np.subtract(left, pairs[:, :, 1], out=pairs[:, :, 1])
        half *= 2
