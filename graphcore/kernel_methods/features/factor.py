"""The rank-restricted Nystrom factor: from columns of a kernel matrix to a few features for every point."""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ...base.threads import away, limited_libraries, map_blocks
from ...base.validation import check_choice, check_real
from ...exceptions import InputError
from ...kernels.checks import clearly_negative
from ...kernels.columns import block_borders, matrix_columns
from ...kernels.definiteness import report_indefinite

# The remedy for an indefinite kernel, beside another kernel.
CLIP = "add a multiple of the identity, or on_indefinite='clip' to drop the negative part"
# Columns of C that fit in this many bytes are computed once; others are computed again for the second pass.
_KEEP_BYTES = 1 << 28
# Gram matrices of one group of blocks each are summed in a fixed order; together they hold about so many numbers.
_GROUP_ENTRIES, _MAX_GROUPS, _MIN_GROUPS = 1 << 25, 64, 8


@dataclass(frozen=True, eq=False)
class InverseRoot:
    """Z with ``Z Z^T = W^+``, or the pseudo-inverse of W truncated to a lower rank."""

    root: np.ndarray  # (c, rank) float64: Z
    eigenvalues: np.ndarray  # (c,) float64: of W, descending, before anything was cut off
    rank: int
    indefinite: bool  # whether eigenvalues were dropped that are negative beyond rounding


@dataclass(frozen=True, eq=False)
class NystromFactor:
    """B with ``B B^T = (C W^+ C^T)_s``."""

    features: np.ndarray  # (n, s): B; fewer columns than were asked for rather than columns of noise
    projection: np.ndarray  # (c, s) float64: T with ``B = C T``, from kernel values with landmarks to features
    singular_values: np.ndarray  # (rank,) float64: all of ``C Z``, descending; the first s are those of B
    landmark_root: InverseRoot
    n_zero_rows: int  # points whose kernel values with all landmarks, and so whose features, are zero


def inverse_root(W, *, truncation=None, rtol=None, on_indefinite="error", precision=np.float64):
    """Compute an InverseRoot of a positive semi-definite matrix W (c, c), which is symmetrised.

    Eigenvalues up to `rtol` times the largest are taken for zero, by default c times the machine epsilon of
    `precision`, which kernel values were computed in; `truncation` is the largest rank kept. A W with NaN or infinity,
    of zeros, or with clearly negative eigenvalues is an InputError, unless "clip" drops the latter.
    """
    check_choice("on_indefinite", on_indefinite, ("error", "clip"))
    c = len(W)
    rtol = c * float(np.finfo(precision).eps) if rtol is None else check_real("rtol", rtol, low=0.0, high=1.0)
    if not np.isfinite(W).all():
        raise InputError("kernel values among the landmarks hold NaN or infinity; check the data and the kernel")
    values, vectors = away(np.linalg.eigh, (W + W.T) / 2)
    values, vectors = values[::-1], vectors[:, ::-1]
    if not values.any():
        raise InputError(
            "kernel values among the landmarks are all zero, so nothing can be learnt from them; choose other "
            "landmarks (sampling='leverage', more of them) or check the kernel"
        )
    negative = clearly_negative(values, precision, c)
    if negative:
        report_indefinite((values[-1], values[0]), on_indefinite, where="among the landmarks", remedy=CLIP)
    rank = int((values > rtol * max(float(values[0]), 0.0)).sum())
    if rank == 0:
        raise InputError("kernel values among the landmarks have no positive eigenvalue; use another kernel")
    rank = rank if truncation is None else min(rank, truncation)
    return InverseRoot(vectors[:, :rank] / np.sqrt(values[:rank]), values, rank, negative)


def nystrom_factor(
    C, W, n_components=None, *, scale=None, truncation=None, block_bytes=None, n_jobs=None, **of_the_root
):
    """Factorise ``(C W^+ C^T)_s`` for columns ``C = K P`` and ``W = P^T K P``: a rank-restricted NystromFactor.

    The restriction is to the best rank s, `n_components`, of the whole approximation; ``C (W_s)^+ C^T``, which
    ``truncation=s`` computes, has no relative-error bound. C is an array or sparse matrix of floats, or Columns, W an
    array of float64. Both are multiplied by `scale` first, as weighted sampling has it, which changes something with a
    `truncation` only: the rank that W is cut to before it is inverted (l in the paper), or s if that is more.
    `block_bytes` are kernel values worked on at a time, `of_the_root` are `rtol` and `on_indefinite` of
    :func:`inverse_root`.

    C is gone through twice, in blocks of rows, and never held whole if it is large: the first pass sums
    ``(C Z)^T (C Z)`` in float64, whose eigenvectors V give ``T = Z V``; the second writes ``B = C T``. Time
    O(n c (r + s)) and the making of C twice, memory O(n s + c^2). Wang, Gittens, Mahoney, "Scalable kernel k-means
    clustering with Nystrom approximation", JMLR 20 (2019), Algorithms 2 and 3.
    """
    chunked = hasattr(C, "lazily")
    columns = C if chunked or hasattr(C, "rows") else matrix_columns(C.tocsr() if hasattr(C, "tocsr") else C, C.dtype)
    if truncation is not None:
        truncation = max(truncation, n_components or 1)
    if scale is not None:
        W = W * scale * scale[:, None]
    with limited_libraries():
        root = inverse_root(W, truncation=truncation, precision=columns.dtype, **of_the_root)
    Z = root.root if scale is None else root.root * scale[:, None]
    if chunked:  # sums come from where the rows lie, and features stay there
        gram, n_zero_rows = _summed(columns.map(_gram_of_chunk, Z, block_bytes))
    else:
        borders = block_borders(columns, block_bytes=block_bytes)
        kept = {} if math.prod(columns.shape) * columns.dtype.itemsize <= _KEEP_BYTES else None
        with limited_libraries():
            gram, n_zero_rows = _gram_of_features(columns, Z, borders, kept, n_jobs)
    with limited_libraries():
        V, singular_values = _right_vectors(gram, n_components)
        T = Z @ V
        B = None if chunked else _features(columns, T, borders, kept, n_jobs)
    B = project(columns, T, block_bytes=block_bytes).persist() if chunked else B
    return NystromFactor(B, T, singular_values, root, n_zero_rows)


def _gram_of_features(columns, Z, borders, kept, n_jobs):
    """Compute ``(C Z)^T (C Z)`` in float64, and count the rows of C Z that are zero."""
    r = Z.shape[1]
    Z = Z.astype(columns.dtype, copy=False)
    n_blocks = len(borders) - 1
    n_groups = min(n_blocks, max(_MIN_GROUPS, min(_MAX_GROUPS, _GROUP_ENTRIES // max(1, r * r))))
    groups = np.unique(np.linspace(0, n_blocks, n_groups + 1).astype(np.int64))

    def one(first, last):
        gram, zeros = np.zeros((r, r)), 0
        for start, stop in pairwise(borders[first : last + 1]):
            rows = columns.rows(start, stop)
            if kept is not None:
                kept[int(start)] = rows
            R = np.asarray(rows @ Z, dtype=np.float64)
            gram += R.T @ R
            zeros += int((~R.any(axis=1)).sum())
        return gram, zeros

    return _summed(map_blocks(one, groups, n_jobs))


def _gram_of_chunk(columns, Z, block_bytes):
    with limited_libraries():
        return _gram_of_features(columns, Z, block_borders(columns, block_bytes=block_bytes), None, 1)


def _summed(parts):
    """Sum over the parts in their order, whichever thread or worker was first."""
    gram = parts[0][0].copy()  # arrays of a worker may be read-only
    for part, _ in parts[1:]:
        gram += part
    if not np.isfinite(gram).all():
        raise InputError(
            "the features hold NaN or infinity: kernel values of some points are not finite, or too large to square; "
            "check the data and the kernel, or rescale"
        )
    return gram, sum(zeros for _, zeros in parts)


def _right_vectors(gram, n_components):
    """Compute the right singular vectors of C Z that carry signal, with signs fixed, and all singular values."""
    values, vectors = away(np.linalg.eigh, gram)
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    # Singular values whose squares are below this are rounding error.
    signal = int((values > len(values) * np.finfo(np.float64).eps * values[0]).sum())
    if signal == 0:
        raise InputError("the kernel values of all points with the landmarks are zero; choose other landmarks")
    V = vectors[:, : signal if n_components is None else min(signal, n_components)]
    top = np.abs(V).argmax(axis=0)
    return V * np.where(V[top, np.arange(V.shape[1])] < 0, -1.0, 1.0), np.sqrt(values)


def _features(columns, projection, borders, kept, n_jobs):
    """Compute ``C T`` in the type that C is computed in."""
    out = np.empty((columns.shape[0], projection.shape[1]), dtype=columns.dtype)
    T = projection.astype(columns.dtype, copy=False)

    def one(start, stop):
        rows = columns.rows(start, stop) if kept is None else kept.pop(start)
        out[start:stop] = rows @ T

    map_blocks(one, borders, n_jobs)
    return out


def project(columns, projection, *, block_bytes=None, n_jobs=None):
    """Compute features ``C T`` (n, s) of any points, in blocks of rows, by the T of a NystromFactor.

    Of points in a dask.array they are one too, not computed yet.
    """
    if hasattr(columns, "lazily"):
        return columns.lazily(_project_chunk, projection.shape[1], columns.dtype, projection, block_bytes)
    with limited_libraries():
        return _features(columns, projection, block_borders(columns, block_bytes=block_bytes), None, n_jobs)


def _project_chunk(columns, projection, block_bytes):
    return project(columns, projection, block_bytes=block_bytes, n_jobs=1)
