"""Compressed sparse rows: canonical and symmetric ones made of edges and matrices, their weights, passes over them.

A pass is a function ``(rows, first, last, labels, *small)`` of a block of rows: it reads the graph and the labels, and
returns something small. Blocks depend on the graph alone and results come in their order, so that it does not matter
where they were made: in threads of this process, or by the executor of a distributed context.
"""

import secrets
from contextvars import ContextVar
from typing import NamedTuple

import numpy as np

from ..base.loops import away, map_items, row_spans
from ..base.progress import record
from ..base.validation import read_only, refused, unmasked
from ..exceptions import InputError, warn_user
from . import _loops

# An empty array stands for ones in compiled loops: float64, like the weights of quotient graphs, so that loops serve
# both with one compiled version.
NO_WEIGHTS = read_only(np.empty(0))
# Weights that differ by less than this relative amount count as symmetric (rounding in files and products).
SYMMETRY_TOLERANCE = 1e-6
SYMMETRIZE = ("max", "average", "sum", "min", "error")
_POLICIES = {"max": _loops.MAX, "average": _loops.AVERAGE, "sum": _loops.SUM, "min": _loops.MIN}
# Degrees from 2^-164 to 2^64 may be squared, their squares multiplied, and all of it added up. Scaled weights are
# normal numbers in single precision too.
_LARGEST, _SMALLEST = 64, -100
# New edges may be so much larger or smaller than those before.
_FARTHEST = 164
_ENTRIES_PER_BLOCK = 1 << 20
# Sums of a block are as long as the clusters are many, so that there are fewer blocks than for other passes.
_FEW_BLOCKS = 64
# The executor of passes over one graph, with `rows` and `map(function, spans, labels, small)`; None for threads.
executor: ContextVar = ContextVar("graphcore_executor", default=None)


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


# -- ids and structure -------------------------------------------------------------------------------------------------


def narrow_ids(ids, n_nodes):
    """Return ids of nodes, which are in range, as int32."""
    if n_nodes >= 2**31:
        raise InputError(f"there are {n_nodes} nodes, and ids of 32 bits name fewer than 2**31")
    return ids.astype(np.int32, copy=False)


def check_compressed(indptr, indices, n_rows, n_columns):
    """Raise an InputError unless these are compressed rows: borders that never fall, columns in range.

    scipy's constructors look at lengths alone, and its conversions and products read and write wherever these point to.
    """
    for name, array in (("indptr", indptr), ("indices", indices)):
        if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype.kind not in "iu":
            got = f"{array.dtype} of shape {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
            raise InputError(f"{name} must be an array of integers of one dimension, got {got}")
    if len(indptr) != n_rows + 1:
        raise InputError(f"indptr has {len(indptr)} entries; {n_rows} rows need {n_rows + 1}")
    falls = indptr[1:] < indptr[:-1]
    if indptr[0] != 0 or falls.any():
        raise InputError(f"indptr must start at 0 and never fall (row {0 if indptr[0] else int(np.argmax(falls))})")
    if indptr[-1] > len(indices):
        raise InputError(f"indptr ends at {indptr[-1]} but there are {len(indices)} indices")
    used = indices[: indptr[-1]]
    if len(used) and (used.min() < 0 or used.max() >= n_columns):
        column = used.min() if used.min() < 0 else used.max()
        row = int(np.searchsorted(indptr, np.argmax(used == column), side="right")) - 1
        raise InputError(f"row {row} names column {column}, outside 0 to {n_columns - 1}")


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


def csr_rows(rows, nodes):
    """Return some of square Rows as a csr_array of float64, with ones where there are no weights."""
    import scipy.sparse as sp

    entries, indptr = entries_of(rows.indptr, nodes)
    values = rows.weights[entries].astype(np.float64, copy=False) if len(rows.weights) else np.ones(len(entries))
    return sp.csr_array((values, rows.indices[entries], indptr), shape=(len(nodes), len(rows.indptr) - 1))


def connected_parts(rows, labels):
    """Number the connected parts of clusters by first nodes, (n,) int32; returns also how many there are.

    Columns of `rows` ascend, which those of a quotient do not.
    """
    parts = np.empty_like(labels)
    return parts, int(_loops.union_components(rows.indptr, rows.indices, labels, parts))


# -- weights -----------------------------------------------------------------------------------------------------------


def as_float_weights(weights):
    """Return weights as float32 (if they are) or float64."""
    if weights.dtype in (np.float32, np.float64):
        return weights
    if weights.dtype.kind not in "biufO":
        raise InputError(f"weights must be real numbers, got {weights.dtype}")
    try:
        return weights.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"weights must be real numbers: {error}") from None


def are_ones(weights):
    """Return whether all weights are 1, without memory for a mask; so are those of an array of length 0."""
    return len(weights) == 0 or (weights[0] == 1 and weights.min() == 1 and weights.max() == 1)


def first_bad_weight(weights):
    """Position of the first weight that is negative, infinite or NaN; -1 if there is none."""
    if len(weights) == 0 or (weights.min() >= 0 and weights.max() < np.inf):
        return -1
    return int(np.argmin(np.isfinite(weights) & (weights >= 0)))


def check_volume(degrees):
    """Refuse weights whose sum, that of all degrees, no number holds."""
    with np.errstate(over="ignore"):
        if not np.isfinite(degrees.sum()):
            raise InputError("the weights are so large that their sum overflows; divide them by a common factor")


def edge_weights(weights, n_edges):
    """Return weights of edges as floats, checked; an array of length 0 for none."""
    if weights is None:
        return NO_WEIGHTS
    weights = unmasked("weights", weights)
    if weights.shape != (n_edges,):
        raise InputError(f"weights have shape {weights.shape}; {n_edges} edges need shape ({n_edges},)")
    weights = as_float_weights(weights)
    bad = first_bad_weight(weights)
    if bad >= 0:
        raise InputError(f"weights must be finite and not negative; edge {bad} has {weights[bad]}")
    return weights


def counted(weights, n_edges, count_repeats):
    """Return weights, an array of length 0 where there are none, or ones where edges are to be counted."""
    if count_repeats and len(weights):
        why = "is for lines without weights, and these have some; weight_column=None leaves weights out"
        raise refused("count_repeats", True, why)
    return np.ones(n_edges) if count_repeats else weights


def in_range(graph):
    """The graph itself, or one with scaled weights where these are so large or small that products would overflow.

    The scale is a power of two, which changes no digit, and is chosen by the largest degree alone: it is 2 to the minus
    `exponent` of the result. Where a degree is less than 2^-100 of the largest, a warning says so, and weights below
    that count as much: they are lost in every sum that they are part of, but stay edges. Both take a copy of the
    weights; all other graphs, those without weights first, are returned as they are.
    """
    largest, smallest = graph._extreme_degrees
    if graph.weights is None or smallest == np.inf:
        return graph
    exponent = int(np.frexp(largest)[1])
    too_wide = smallest < np.ldexp(largest, _SMALLEST)
    if not too_wide and abs(exponent) <= _LARGEST:
        return graph
    weights = np.ldexp(graph.weights, -exponent)
    # Also in rows whose sum is not too small, where such a weight is lost in rounding, no edge becomes a zero.
    least = weights.dtype.type(2.0**_SMALLEST) if too_wide else np.finfo(weights.dtype).tiny
    n_lost = np.count_nonzero(weights < least) if too_wide else 0
    np.maximum(weights, least, out=weights)
    if n_lost:
        warn_user(
            f"weights differ by more than a factor of 2^{-_SMALLEST}: {n_lost} of {len(weights)} matrix entries are "
            f"below {np.ldexp(1.0, exponent + _SMALLEST):.3g} and count as that"
        )
    return graph._mapped(graph.indptr, graph.indices, weights, graph.node_names, known={"exponent": exponent})


def given_unit(values, exponent):
    """Values from the unit of scaled weights to that of the weights given; what overflows is the largest number."""
    with np.errstate(over="ignore"):
        return np.minimum(np.ldexp(values, exponent), np.finfo(values.dtype).max)


def edges_in_range(X, exponent):
    """Return edges of new nodes to those of a graph, as a matrix, over 2 to the `exponent` of the graph's weights.

    Weights that then are less than 2^-164 count as that, which is nothing beside those of the graph; what is above
    2^164 is refused. X itself is returned where nothing has to be done.
    """
    data = X.data if hasattr(X, "tocsr") else X
    data = data if data.dtype in (np.float32, np.float64) else data.astype(np.float64)
    positive = data > 0
    largest, smallest = data.max(initial=0), data.min(where=positive, initial=np.inf)
    if largest and np.frexp(largest)[1] - exponent > _FARTHEST:
        raise InputError(
            f"edges of new nodes weigh up to {largest:.3g}, and those of the nodes fitted about "
            f"{np.ldexp(1.0, exponent):.3g}: give them in the same unit"
        )
    if exponent == 0 and smallest >= 2.0**-_FARTHEST:
        return X
    scaled = np.ldexp(data.astype(np.float64), -exponent)
    np.maximum(scaled, 2.0**-_FARTHEST, out=scaled, where=positive)
    if not hasattr(X, "tocsr"):
        return scaled
    X = X.astype(np.float64)
    X.data = scaled
    return X


# -- canonical rows ----------------------------------------------------------------------------------------------------


def rows_from_pairs(ends, weights, n_nodes, policy, tolerance=0.0):
    """Symmetric Rows of edges, and pairs in both directions, in one, in both unevenly.

    Every edge becomes one integer, in place of `ends` (n_edges x 2, int32, contiguous), and numpy sorts them (with
    vector instructions where the processor has them). Weights that repeat are added in no fixed order, edges of weight
    0 are dropped; `tolerance` is relative.
    """
    if not weights.all():
        ends, weights = ends[weights != 0], weights[weights != 0]
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
    n_pairs, *found = _loops.unique_pairs(keys, weights, policy_code(policy), tolerance, counts[1:])
    indptr = np.cumsum(counts, out=counts)
    indices = np.empty(indptr[-1], dtype=np.int32)
    out_weights = np.empty(indptr[-1] if len(weights) else 0, dtype=weights.dtype)
    _loops.fill_pairs(keys[:n_pairs], weights[:n_pairs], indptr[:-1].copy(), indices, out_weights)
    return Rows(indptr, indices, out_weights), *found


def policy_code(policy):
    """Return the number by which compiled loops know a policy; "error" goes by "max", after the check."""
    return _POLICIES.get(policy, _loops.MAX)


def canonical_rows(rows):
    """Sort the columns of every row, drop zeros, merge repeats (weights added); `rows` itself is not changed."""
    A = _matrix_of(drop_zeros(rows)).copy()
    A.has_canonical_format = False
    away(A.sum_duplicates)
    return _rows_of(A)


def transpose_rows(rows):
    """Transpose; the result's rows are sorted, whatever the order of the columns was."""
    return _rows_of(away(_matrix_of(rows).T.tocsr))


def drop_zeros(rows):
    """Leave out entries of weight 0; `rows` itself is not changed."""
    kept = rows.weights != 0
    if kept.all():
        return rows
    before = np.zeros(len(kept) + 1, dtype=np.int64)
    np.cumsum(kept, out=before[1:])
    return Rows(before[rows.indptr], rows.indices[kept], rows.weights[kept])


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


def made_of(cls, rows, node_names):
    """Return a Graph of canonical symmetric rows, which are not checked; without weights where all are 1."""
    weights = None if are_ones(rows.weights) else rows.weights
    return cls(rows.indptr, rows.indices, weights, node_names=node_names, check=False)


# -- symmetry ----------------------------------------------------------------------------------------------------------


def first_asymmetry(rows, tolerance=SYMMETRY_TOLERANCE):
    """(Row, entry) of the first entry of canonical rows that has no mirror image, (-1, -1) if there is none.

    Weights are compared with a relative tolerance.
    """
    rows = Rows(*map(read_only, rows))
    # Sums of hashes are found reading straight on; looking every mirror image up takes ten times as long.
    bits = rows.weights.view(f"u{rows.weights.itemsize}")
    key = np.uint64(secrets.randbits(64))
    if _loops.mirror_sum(rows.indptr, rows.indices, bits, key, 0, len(rows.indptr) - 1) == 0:
        return -1, -1
    return _loops.check_symmetric(*rows, tolerance, rows.indptr[:-1].copy())


def check_canonical(rows):
    """Return the number of self-loops of canonical symmetric rows; others are refused."""
    rows = Rows(*map(read_only, rows))
    code, row, entry, n_self_loops = _loops.check_rows(*rows, len(rows.indptr) - 1)
    if code:
        raise InputError(describe_defect(code, row, entry, rows))
    row, entry = first_asymmetry(rows)
    if row >= 0:
        column = rows.indices[entry]
        raise InputError(
            f"the matrix is not symmetric: entry ({row}, {column}) has no equal at ({column}, {row}); "
            "Graph.from_scipy(A, symmetrize=...) makes it so"
        )
    return int(n_self_loops)


def symmetrize_rows(rows, policy):
    """Combine the two directions of sorted rows by a policy, 0 where one is missing; "error" refuses asymmetric rows.

    Returns (rows, pairs in both directions, in one only).
    """
    A = _matrix_of(rows, rows.weights.dtype if policy in ("average", "sum") else bool)
    mirror = away(A.T.tocsr)
    made = away({"average": A.__add__, "sum": A.__add__, "min": A.minimum}.get(policy, A.maximum), mirror)
    n_loops = np.count_nonzero(A.diagonal())
    n_shared = made.nnz if policy == "min" else 2 * A.nnz - made.nnz
    both, single = (n_shared - n_loops) // 2, A.nnz - n_shared
    if policy == "error" and (single or not np.allclose(A.data, mirror.data, SYMMETRY_TOLERANCE, 0)):
        raise InputError(_DIRECTED.format(both, single))
    if policy == "average":
        made.data *= 0.5
    elif policy == "sum" and n_loops:  # a self-loop has one direction
        made.data[made.indices == np.repeat(np.arange(len(rows.indptr) - 1), np.diff(made.indptr))] *= 0.5
    del A, mirror
    return _rows_of(made), both, single


def check_directions(both, single, uneven, symmetrize, warn, n_repeats=0, add_up=False):
    """Refuse edges that look directed if `symmetrize` says so, or tell of them, in one line with repeats of lines.

    Edges listed once each, in any direction, are an undirected list; so are edges listed both ways alike. Repeats whose
    weights `add_up` are not lost: their number is recorded, without a warning.
    """
    if symmetrize == "sum" and both and not uneven and not single and warn:
        warn_user(
            "all edges stand in both directions alike, as an undirected graph is often written, and symmetrize='sum' "
            "doubles their weights; symmetrize='max' leaves them as they are"
        )
    if uneven and both and symmetrize == "error":
        raise InputError(_DIRECTED.format(both, single))
    told = [f"{both:,} of {both + single:,} edges stand in both directions (symmetrize={symmetrize!r} joins them)"]
    told = told if uneven and both else []
    if n_repeats and add_up:
        record("repeats", n_repeats)
    elif n_repeats:
        told.append(f"repeated lines are left out ({n_repeats:,}; with count_repeats=True they are weights)")
    if told and warn:
        warn_user(", and ".join(told))


_DIRECTED = (
    "the graph is not symmetric ({} pairs in both directions, some with two weights, {} in one), and "
    "symmetrize='error'; choose symmetrize='max', 'average', 'sum' or 'min', or give a symmetric matrix"
)


# -- passes ------------------------------------------------------------------------------------------------------------


def pass_spans(indptr, few=False):
    """Cut the nodes of a graph into blocks for :func:`map_passes`; with `few`, neighbouring ones are put together."""
    spans = row_spans(indptr, _ENTRIES_PER_BLOCK)
    step = -(-len(spans) // _FEW_BLOCKS) if few else 1
    return [(spans[i][0], spans[min(i + step, len(spans)) - 1][1]) for i in range(0, len(spans), step)]


def map_passes(function, rows, spans, labels, *small, n_jobs=None):
    """Call `function(rows, first, last, labels, *small)` for every block of nodes in `spans`; results in their order.

    `labels` (n,) are not changed meanwhile, and small arrays not before the pass after this one.
    """
    other = executor.get()
    if other is not None and other.rows.indices is rows.indices and other.rows.degrees is rows.degrees:
        return other.map(function, spans, labels, small)
    return map_items(lambda span: function(rows, *span, labels, *small), spans, n_jobs)
