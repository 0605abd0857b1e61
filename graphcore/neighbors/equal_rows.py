"""Rows that are equal are one point of a search, and one node of the graph that is clustered."""

import numpy as np

from ..base.validation import read_only
from ..exceptions import warn_user
from ..graphs.graph import Graph
from . import _loops as loops
from .neighbor_lists import Neighbors

# Of a single row, of which all given are copies.
ONE_ROW = Neighbors(np.full((1, 1), -1, dtype=np.int32), np.zeros((1, 1), dtype=np.float32))
_BLOCK_VALUES = 1 << 17


def row_hashes(X, step_of=None):
    """Compute a number of 64 bits for what each row holds, the same for dense and sparse rows; a zero adds nothing.

    With `step_of` numbers are rounded to multiples of it.
    """
    factors = np.random.default_rng(0).integers(1, 1 << 64, X.shape[1], dtype=np.uint64) | np.uint64(1)
    out = np.empty(X.shape[0], dtype=np.uint64)
    if hasattr(X, "tocsr"):
        X = X.tocsr()
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        loops.hash_sparse(*map(read_only, (X.indptr, X.indices, _bits(X.data, step_of), factors)), out)
        return out
    step = max(1, _BLOCK_VALUES // X.shape[1])
    for start in range(0, X.shape[0], step):
        loops.hash_dense(
            read_only(_bits(X[start : start + step], step_of)), read_only(factors), out[start : start + step]
        )
    return out


def _bits(values, step_of):
    values = np.ascontiguousarray(values, dtype=np.float64)
    return (values if step_of is None else np.rint(values / step_of)).view(np.uint64)


def kinds_of(X, metric="euclidean"):
    """Number what rows hold, in the order in which it first comes: (n_rows,) int64, or None if all are different.

    Rows are those between which the metric is taken (`in_space`). Where these have norm 1, multiples are equal but for
    rounding.
    """
    step_of = None
    if metric in ("cosine", "correlation"):
        step_of = 2.0 ** (-40 if X.dtype == np.float64 else -20)
    kinds = in_order(row_hashes(X, step_of))
    return None if kinds.max() == len(kinds) - 1 else kinds


def in_order(values):
    """Number different values in the order in which they first come."""
    _, first, kinds = np.unique(values, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[kinds]


def first_of(kinds):
    """Find the first row of each kind, ascending."""
    return np.flatnonzero(np.diff(np.maximum.accumulate(kinds), prepend=-1) > 0)


def few_of(n_neighbors, n_different):
    """Return how many neighbours each of few different rows lists: at most half, as all would be those of all."""
    most = max(1, (n_different - 1) // 2)
    if n_neighbors > most:
        warn_user(f"n_neighbors={n_neighbors} was reduced to {most}: the number of different rows is {n_different}")
    return min(n_neighbors, most)


# -- graphs of all rows, and of the different ones ---------------------------------------------------------------------


def graph_of_copies(graph, kinds, n_neighbors, is_apart):
    """Make the Graph of all rows from that of the different ones; row i is a copy of node `kinds[i]`.

    An edge joins copies of its ends in turn, so that no row has a high degree because others are equal. Copies of a
    node that is not apart are a ring, each joined to `n_neighbors` of them.
    """
    import scipy.sparse as sp

    n, m = len(kinds), graph.n_nodes
    counts, copies = np.bincount(kinds, minlength=m), np.argsort(kinds, kind="stable").astype(np.int32)
    starts = np.cumsum(counts) - counts
    # Between nodes.
    a = np.repeat(np.arange(m, dtype=np.int32), np.diff(graph.indptr))
    upper = graph.indices > a
    a, b = a[upper], graph.indices[upper]
    most, least = np.maximum(counts[a], counts[b]), np.minimum(counts[a], counts[b])
    # A row with copies would list them first: of few copies each has all edges of the row, many share one for each.
    ratio = -(-most // least)
    n_each = np.minimum(most, least * np.maximum(1, np.minimum(ratio, n_neighbors + 1 - ratio)))
    edge, turn = _numbered(n_each)
    sources = copies[starts[a][edge] + turn % counts[a][edge]]
    targets = copies[starts[b][edge] + turn % counts[b][edge]]
    weights = np.ones(len(edge)) if graph.weights is None else graph.weights[upper][edge]
    # Between copies: to half as many that follow.
    n_next = np.where(is_apart, 0, np.minimum((n_neighbors + 1) // 2, counts // 2))
    own, place = _numbered(counts)
    entry, step = _numbered(n_next[own])
    node, place, step = own[entry], place[entry], step + 1
    once = (2 * step < counts[node]) | (place < step)  # from one end only where two are opposite each other
    node, place, step = node[once], place[once], step[once]
    sources = np.concatenate([sources, copies[starts[node] + place]])
    targets = np.concatenate([targets, copies[starts[node] + (place + step) % counts[node]]])
    weights = np.concatenate([weights, np.ones(len(node), dtype=weights.dtype)])  # that of a distance of 0
    rows = sp.coo_array((weights, (sources, targets)), shape=(n, n)).tocsr()
    return Graph.from_scipy(rows + rows.T)


def graph_of_kinds(graph, kinds):
    """Draw the copies of each row together: weights of their edges are summed, those inside a kind to a loop."""
    import scipy.sparse as sp

    P = sp.csr_array((np.ones(len(kinds)), kinds, np.arange(len(kinds) + 1)))
    return Graph.from_scipy(P.T @ (graph.to_scipy() @ P))


def highest_of(labels, kinds):
    """Return the highest label among equal rows, (n_kinds,) int32: that of those which have one, if -1 is none."""
    out = np.full(kinds.max() + 1, -1, dtype=np.int32)
    np.maximum.at(out, kinds, labels)
    return out


def _numbered(counts):
    """Repeat each number so many times, and number the repeats."""
    each = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    return each, np.arange(len(each)) - np.repeat(np.cumsum(counts) - counts, counts)
