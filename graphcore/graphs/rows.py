"""Edges or sparse rows of any shape become canonical symmetric rows."""

import secrets
from typing import NamedTuple

import numpy as np

from ..base.arrays import read_only
from ..base.threads import away, map_blocks, row_blocks
from ..base.validation import check_choice
from ..exceptions import InputError, warn_user
from . import _loops, _row_loops
from .ids import narrow_ids
from .weights import NO_WEIGHTS, as_float_weights, without_ones

# Weights that differ by less than this relative amount count as symmetric (rounding in files and products).
SYMMETRY_TOLERANCE = 1e-6
# Policies for directed edges: the weights of a pair are combined, or similarities are computed from the whole graph.
BY_PAIR = ("max", "average", "sum", "min", "error")
DIRECTED = ("degree-discounted", "random-walk")
SYMMETRIZE = BY_PAIR + DIRECTED
_POLICIES = {"max": _loops.MAX, "average": _loops.AVERAGE, "sum": _loops.SUM, "min": _loops.MIN}


def policy_code(policy):
    """Return the number by which compiled loops know a policy; "error" goes by "max", after the check."""
    return _POLICIES.get(policy, _loops.MAX)


class Rows(NamedTuple):
    """Compressed sparse rows; `weights` of length 0 stands for ones."""

    indptr: np.ndarray
    indices: np.ndarray
    weights: np.ndarray


class GraphRows(NamedTuple):
    """A graph as compiled loops take it; `weights` of length 0 stands for ones. A self-loop counts once."""

    indptr: np.ndarray
    indices: np.ndarray
    weights: np.ndarray
    degrees: np.ndarray


def checked_arrays(indptr, indices, weights):
    """Arrays of rows (weights or None) read-only and of the types that a Graph keeps; wrong shapes are refused."""
    indptr, indices = np.asarray(indptr), np.asarray(indices)
    for name, array in (("indptr", indptr), ("indices", indices)):
        if array.ndim != 1:
            raise InputError(f"{name} must be one-dimensional, got shape {array.shape}")
        if array.dtype.kind not in "iu" and len(array):
            raise InputError(f"{name} must be integers, got {array.dtype}")
    if len(indptr) < 2:
        raise InputError("the graph is empty: it needs at least one node")
    if weights is not None:
        weights = read_only(as_float_weights(np.asarray(weights)))
        if weights.ndim != 1:
            raise InputError(f"weights must be one-dimensional, got shape {weights.shape}")
    narrow = read_only(narrow_ids(indices, len(indptr) - 1))
    if indptr[-1] != len(indices) or (weights is not None and len(weights) != len(indices)):
        count = "" if weights is None else f" and {len(weights)} weights"
        raise InputError(f"indptr ends at {indptr[-1]} but there are {len(indices)} indices{count}")
    return read_only(indptr, np.int64), narrow, weights


def as_csr_array(indptr, indices, data):
    """Return rows as a ``scipy.sparse.csr_array`` that shares `indices` and `data`."""
    import scipy.sparse as sp

    # scipy wants one width for both index arrays: narrowing the short one keeps the long one shared.
    indptr = indptr.astype(indices.dtype) if len(indices) < 2**31 else indptr
    return sp.csr_array((data, indices, indptr), shape=(len(indptr) - 1,) * 2, copy=False)


def entries_of(indptr, rows):
    """Places of the entries of some rows, row after row, and where each row begins and ends among them."""
    starts = indptr[rows]
    lengths = indptr[rows + 1] - starts
    borders = np.concatenate([[0], np.cumsum(lengths)])
    return np.repeat(starts - borders[:-1], lengths) + np.arange(borders[-1]), borders


def find_defect(rows):
    """Return (what keeps rows from being those of a graph, or None; the number of self-loops)."""
    rows = Rows(*map(read_only, rows))
    code, row, entry, n_self_loops = _row_loops.check_rows(*rows, len(rows.indptr) - 1)
    if code:
        return describe_defect(code, row, entry, rows), int(n_self_loops)
    row, entry = _first_asymmetry(rows, SYMMETRY_TOLERANCE)
    if row < 0:
        return None, int(n_self_loops)
    column = rows.indices[entry]
    defect = f"the matrix is not symmetric: entry ({row}, {column}) has no equal at ({column}, {row})"
    return f"{defect}; Graph.from_scipy(A, symmetrize=...) makes it so", int(n_self_loops)


def describe_defect(code, row, entry, rows):
    """Return the message for a code of the loop `check_rows` about an entry."""
    if code == 1:
        return f"indptr must start at 0 and never fall (row {row})"
    column = rows.indices[entry]
    value = rows.weights[entry] if len(rows.weights) else 1
    return {
        2: f"row {row} names column {column}, outside 0 to {len(rows.indptr) - 2}",
        3: f"the columns of row {row} are not in ascending order without repeats; Graph.from_scipy mends this",
        4: f"the weight of edge ({row}, {column}) is {value}; weights must be finite",
        5: f"the weight of edge ({row}, {column}) is {value}; weights must not be negative: give abs(A) or A * (A > 0)",
        6: f"row {row} stores a zero at column {column}; Graph.from_scipy drops explicit zeros",
    }[code]


def rows_from_edges(ends, weights, n_nodes):
    """Sort directed edges (n_edges x 2) into rows, repeats merged (weights added), zeros dropped; columns ascend."""
    import scipy.sparse as sp

    ends, weights = _without_zeros(ends, weights)
    data = weights if len(weights) else np.ones(len(ends), dtype=bool)
    return _rows_of(away(sp.coo_array((data, tuple(ends.T)), shape=(n_nodes, n_nodes)).tocsr))


def canonical_rows(rows):
    """Sort the columns of every row, drop zeros, merge repeats (weights added); `rows` itself is not changed."""
    A = _matrix_of(drop_zeros(rows)).copy()
    A.has_canonical_format = False
    away(A.sum_duplicates)
    return _rows_of(A)


def rows_from_pairs(ends, weights, n_nodes, policy, tolerance=0.0):
    """Symmetric Rows of edges between less than 2**31 nodes, and pairs in both directions, in one, in both unevenly.

    The result is that of :func:`rows_from_edges` and :func:`symmetrize_rows`, in less time and memory: every edge
    becomes one integer, in place of `ends` (n_edges x 2, int32, contiguous), and numpy sorts them (with vector
    instructions where the processor has them). Weights that repeat are added in no fixed order; `tolerance` is
    relative.
    """
    ends, weights = _without_zeros(ends, weights)
    keys = ends.view(np.int64).ravel()
    _loops.pack_pairs(ends, keys)
    if len(weights):
        order = away(np.argsort, keys)
        keys, weights = keys[order], weights[order]
        del order
    else:
        away(keys.sort)
        if policy in ("average", "sum"):  # edges without weights count once in each direction
            keys = keys[np.diff(keys, prepend=-1) != 0]
        weights = np.ones(len(keys) if policy in ("average", "sum") else 0, dtype=weights.dtype)
    counts = np.zeros(n_nodes + 1, dtype=np.int64)
    n_pairs, *found = _loops.unique_pairs(keys, weights, _POLICIES[policy], tolerance, counts[1:])
    indptr = np.cumsum(counts, out=counts)
    indices = np.empty(indptr[-1], dtype=np.int32)
    out_weights = np.empty(indptr[-1] if len(weights) else 0, dtype=weights.dtype)
    _loops.fill_pairs(keys[:n_pairs], weights[:n_pairs], indptr[:-1].copy(), indices, out_weights)
    return Rows(indptr, indices, out_weights), *found


def transpose_rows(rows):
    """Transpose; the result's rows are sorted, whatever the order of the columns was."""
    return _rows_of(away(_matrix_of(rows).T.tocsr))


def _matrix_of(rows, kind=bool):
    """Return rows as a csr_array that shares their arrays, with ones of some kind where there are no weights."""
    data = rows.weights if len(rows.weights) else np.ones(len(rows.indices), dtype=kind)
    return as_csr_array(rows.indptr, rows.indices, data)


def _rows_of(A):
    """Return rows of a csr_array; trues are no weights."""
    # scipy's sums are views of arrays that have room for the entries of both matrices.
    has_room = A.data.base is not None and len(A.data.base) > 1.1 * A.nnz
    indices, data = (each.copy() if has_room else each for each in (A.indices, A.data))
    return Rows(A.indptr.astype(np.int64), narrow_ids(indices, A.shape[0]), NO_WEIGHTS if A.dtype == bool else data)


def _without_zeros(ends, weights):
    """Return edges without those of weight 0."""
    kept = weights != 0
    return (ends, weights) if kept.all() else (ends[kept], weights[kept])


def drop_zeros(rows):
    """Leave out entries of weight 0; `rows` itself is not changed."""
    kept = rows.weights != 0
    if kept.all():
        return rows
    before = np.zeros(len(kept) + 1, dtype=np.int64)
    np.cumsum(kept, out=before[1:])
    return Rows(before[rows.indptr], rows.indices[kept], rows.weights[kept])


def is_symmetric(rows, tolerance):
    """Return whether sorted rows without repeats are symmetric, weights compared with a relative tolerance."""
    rows = Rows(*map(read_only, rows))
    return _first_asymmetry(rows, tolerance)[0] < 0


def _first_asymmetry(rows, tolerance):
    """(Row, entry) of the first entry of checked rows that has no mirror image, (-1, -1) if there is none."""
    # Sums of hashes are found reading straight on; looking every mirror image up takes ten times as long.
    bits = rows.weights.view(f"u{rows.weights.itemsize}")
    key = np.uint64(secrets.randbits(64))
    borders = row_blocks(rows.indptr)
    sums = map_blocks(
        lambda a, b: int(_row_loops.mirror_sum(rows.indptr, rows.indices, bits, key, a, b)), borders,
        2 if len(borders) > 2 else 1,
    )  # fmt: skip
    if sum(sums) % 2**64 == 0:
        return -1, -1
    return _row_loops.check_symmetric(*rows, tolerance, rows.indptr[:-1].copy())


def symmetrize_rows(rows, policy):
    """Combine the two directions of sorted rows by a policy of BY_PAIR, 0 where one is missing.

    Returns (rows, pairs in both directions, in one only); "error" refuses an asymmetric matrix.
    """
    check_choice("symmetrize", policy, BY_PAIR)
    A = _matrix_of(rows, rows.weights.dtype if policy in ("average", "sum") else bool)
    mirror = away(A.T.tocsr)
    made = away({"average": A.__add__, "sum": A.__add__, "min": A.minimum}.get(policy, A.maximum), mirror)
    n_loops = np.count_nonzero(A.diagonal())
    n_shared = made.nnz if policy == "min" else 2 * A.nnz - made.nnz
    both, single = (n_shared - n_loops) // 2, A.nnz - n_shared
    if policy == "error" and (single or not np.array_equal(A.data, mirror.data)):
        how = f"{single} pairs in one direction only" if single else "pairs with two different weights"
        raise InputError(
            f"the graph is not symmetric ({how}) and symmetrize='error'; "
            "choose symmetrize='max', 'average', 'sum' or 'min', or give a symmetric matrix"
        )
    if policy == "average":
        made.data *= 0.5
    elif policy == "sum" and n_loops:  # a self-loop has one direction
        made.data[made.indices == np.repeat(np.arange(len(rows.indptr) - 1), np.diff(made.indptr))] *= 0.5
    del A, mirror
    return _rows_of(made), both, single


def made_of(cls, rows, node_names):
    """Return a Graph of canonical symmetric rows, which are not checked; without weights where all are 1."""
    return cls(rows.indptr, rows.indices, without_ones(rows.weights), node_names=node_names, check=False)


def check_directions(both, single, uneven, symmetrize, warn):
    """Refuse edges that look directed if `symmetrize` says so, or warn about them.

    Edges listed once each, in any direction, are an undirected list; so are edges listed both ways alike.
    """
    if symmetrize == "sum" and both and not uneven and not single and warn:
        warn_user(
            "all edges stand in both directions alike, as an undirected graph is often written, and symmetrize='sum' "
            "doubles their weights; symmetrize='max' leaves them as they are"
        )
    if uneven and both > 0:
        if symmetrize == "error":
            how = f"{single} in one" if single else "some with two different weights"
            raise InputError(
                f"the edges look directed: {both} pairs stand in both directions, {how}; choose symmetrize='max', "
                "'average', 'sum' or 'min'"
            )
        if warn:
            warn_directed("the input", both, single, symmetrize)


def warn_directed(what, both, single, symmetrize):
    """Warn that the directions of `what` were combined."""
    warn_user(
        f"{what} is directed ({both} pairs in both directions, {single} in one) and was made undirected with "
        f"symmetrize={symmetrize!r}"
    )
