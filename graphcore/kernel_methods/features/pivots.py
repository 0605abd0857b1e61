"""Randomly pivoted Cholesky: every landmark is drawn by what those before it leave out."""

from typing import NamedTuple

import numpy as np

from ...base.streams import Streams
from ...base.threads import limited_libraries
from ...distributed.chunks import is_chunked, map_chunks
from ...exceptions import InputError
from ...kernels.as_kernel import as_kernel
from ...kernels.columns import Columns, map_rows

# Points proposed at a time: as many as landmarks are wanted, for fewer passes over the points, within these bounds. Few
# would often all be refused where most residuals are rounding; many cost more than the pass that they save.
_FEWEST, _MOST = 32, 512
# Columns of landmarks that fit in this many bytes are computed once; others again in every pass.
_HELD_BYTES = 1 << 28


class Pivots(NamedTuple):
    """Points drawn by :func:`random_pivots`."""

    indices: np.ndarray  # (c,) int64: distinct, in the order in which they were drawn
    # (n,) float64, or a dask.array: diagonal of the kernel less that of its Nystrom approximation by these landmarks
    residuals: np.ndarray
    columns: np.ndarray | None  # (n, c) float32 or float64: of the kernel, where they were held


def random_pivots(K, n_pivots, *, random_state=None, n_jobs=None):
    """Draw landmarks by randomly pivoted Cholesky, Pivots.

    Each is drawn with a probability in proportion to its residual, ``K_xx`` less the part that earlier landmarks
    explain. Fewer than `n_pivots` are drawn where all residuals are rounding (``kernel.noise`` of ``K_xx``). A kernel
    of zeros is an InputError; points at which an indefinite kernel has no positive residual are not drawn.

    A block of points is proposed at once, and each of them accepted with the probability that the accepted ones before
    it leave it: the same distribution as one by one, in a few passes over the points. n c kernel values are computed
    and held up to 256 MiB; beyond, and for sparse matrices and a dask.array, those of all landmarks so far are computed
    in every pass. O(n c^2) time.

    Chen, Epperly, Tropp, Webber, "Randomly pivoted Cholesky", CPAM 78 (2025), Algorithm 1. Epperly, Tropp, Webber,
    "Embrace rejection: kernel matrix approximation by accelerated randomly pivoted Cholesky", arXiv 2410.03969,
    Algorithm 2.
    """
    kernel = as_kernel(K)
    n = kernel.n_points
    rng = Streams(random_state).generator("pivots")
    held, n_proposals = None, min(max(n_pivots, _FEWEST), _MOST)
    chunked = is_chunked(kernel.diagonal)
    if not (chunked or kernel.is_sparse) and n * n_pivots * kernel.precision.itemsize <= _HELD_BYTES:
        held = np.empty((n, n_pivots), dtype=kernel.precision)
    floor = kernel.noise * kernel.diagonal
    pivots, root, left = np.empty(0, dtype=np.int64), np.empty((0, 0)), _above(kernel.diagonal, floor)
    while len(pivots) < n_pivots:
        points, bounds = _proposals(left, n_proposals, rng)
        if not len(points):
            break
        block = kernel.block(points, np.append(pivots, points), np.float64)
        accepted, new_root = _eliminated(block, root, bounds, n_pivots - len(pivots), kernel.noise, rng)
        if not len(accepted):
            break
        pivots = np.append(pivots, points[accepted])
        root = np.hstack([np.pad(root, ((0, len(accepted)), (0, 0))), new_root])
        columns = _columns(kernel, pivots, len(accepted), held)
        if chunked:
            left = _above(left - columns.lazily(_explained, None, np.float64, new_root), floor).persist()
        else:
            left = _above(left - _explained(columns, new_root, n_jobs), floor)
    if not len(pivots):
        raise InputError(
            "the diagonal of the kernel matrix is zero, so there is nothing to draw from; check the kernel"
        )
    return Pivots(pivots, left, None if held is None else held[:, : len(pivots)])


def _above(left, floor):
    """Set residuals that are rounding to 0."""
    return np.where(left > floor, left, 0.0)


def _proposals(left, n, rng):
    """Draw points, with replacement, in proportion to their residuals, and return both; none if all are 0.

    Only sums and drawn points leave the place of a block.
    """
    sums = np.array(map_chunks(np.sum, left))
    if not sums.any():
        return np.empty(0, dtype=np.int64), np.empty(0)
    at = rng.random(n) * sums.sum()
    blocks = _places(sums, at)
    at -= (np.cumsum(sums) - sums)[blocks]
    inside = [at[blocks == i] for i in range(len(sums))]
    found = map_chunks(_drawn, left, each=inside if is_chunked(left) else inside[0])
    points, bounds, first = np.empty(n, dtype=np.int64), np.empty(n), 0
    for i, (places, residuals, length) in enumerate(found):
        points[blocks == i], bounds[blocks == i] = first + places, residuals
        first += length
    return points, bounds


def _drawn(left, at):
    places = _places(left, at)
    return places, left[places], len(left)


def _places(lengths, at):
    """Find the place that each number falls on if places of these lengths lie in a row; none of length 0."""
    if not len(at):
        return np.empty(0, dtype=np.int64)
    found = np.searchsorted(np.cumsum(lengths), at, side="right")
    some = np.flatnonzero(lengths)
    return np.clip(found, some[0], some[-1])  # rounding


def _eliminated(block, root, bounds, n_wanted, noise, rng):
    """Accept or reject proposals; return the accepted ones and the new columns of the root, ``Z Z^T = W^-1``.

    `block` are kernel values of the proposals with the landmarks so far and each other. `bounds` are what they were
    proposed by: their residuals then, up to the rounding of `left`. Their true ones are computed here, in float64.
    """
    n_before = len(root)
    with limited_libraries():
        known = block[:, :n_before] @ root
        block = block[:, n_before:]
        floor = noise * block.diagonal()
        rest = block - known @ known.T
        residuals = rest.diagonal().copy()
        lower, accepted = np.zeros((len(rest), min(len(rest), n_wanted))), []
        for j, least in enumerate(np.maximum(floor, rng.random(len(rest)) * bounds)):
            i = len(accepted)
            if i < n_wanted and residuals[j] > least:
                lower[:, i] = (rest[:, j] - lower[:, :i] @ lower[j, :i]) / np.sqrt(residuals[j])
                residuals -= np.square(lower[:, i])
                accepted.append(j)
        inverse = np.linalg.inv(lower[accepted, : len(accepted)])
        return accepted, np.vstack([-root @ known[accepted].T @ inverse.T, inverse.T])


def _columns(kernel, pivots, n_new, held):
    """Return the columns of all pivots; the new ones are put beside those that are held."""
    if held is None:
        return kernel.columns(pivots)
    new, c = kernel.columns(pivots[-n_new:]), len(pivots)

    def rows(start, stop):
        held[start:stop, c - n_new : c] = new.rows(start, stop)
        return held[start:stop, :c]

    return Columns((kernel.n_points, c), held.dtype, new.row_bytes + c * held.itemsize, rows)


def _explained(columns, root, n_jobs=1):
    """Compute the part of every point that some columns of the root explain: squared lengths of the rows of ``C Z``."""
    root = root.astype(columns.dtype)

    def squares(rows):
        return np.square(rows @ root, dtype=np.float64).sum(axis=1)[:, None]

    return map_rows(columns, squares, n_jobs=n_jobs)[:, 0]
