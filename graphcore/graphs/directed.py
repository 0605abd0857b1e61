"""Directed graphs become undirected ones that keep what the directions say."""

import numpy as np

from ..base.arrays import read_only
from ..base.threads import away, map_blocks, row_blocks
from ._row_loops import similar_rows
from .ids import id_dtype, narrow_ids
from .rows import (
    DIRECTED,
    SYMMETRY_TOLERANCE,
    Rows,
    as_csr_array,
    drop_zeros,
    is_symmetric,
    symmetrize_rows,
    transpose_rows,
    warn_directed,
)

# Share of the steps of a random walk that lead to any node, each with the same chance.
TELEPORT = 0.15
# The walk's distribution is known when a step changes no more than this; 0.85^120 is below 1e-8.
_CHANGE, _MAX_STEPS = 1e-8, 120
# Weight of the loops, in mean weights: links count, and for less than what is shared.
_LOOP = 0.25
# Entries kept of a row of similarities, if nodes have no more edges on average.
_KEPT = 40
# A node that more nodes share than this is shared by those of them that have the fewest links.
_MOST_SHARING = 1000


def undirected_rows(rows, symmetrize, what):
    """Undirected rows of a directed graph, by a policy of SYMMETRIZE; rows that are symmetric stay as they are.

    Where the directions are only combined, a warning names the graph `what`, if that is not empty.
    """
    if symmetrize in DIRECTED:
        if is_symmetric(rows, SYMMETRY_TOLERANCE):
            return rows
        return (degree_discounted if symmetrize == "degree-discounted" else random_walk)(rows)
    rows, both, single = symmetrize_rows(rows, symmetrize)
    if what:
        warn_directed(what, both, single, symmetrize)
    return rows


def degree_discounted(rows):
    """Similarity of what nodes link to and of what links to them, shared nodes counted by the inverse of their degree.

    With in- and out-degrees, ``Do^-1/2 A Di^-1/2 A' Do^-1/2 + Di^-1/2 A' Do^-1/2 A Di^-1/2`` without its diagonal,
    where A has got a loop on every node, of a quarter of an edge's mean weight: so nodes stay linked that share nothing
    else. Every row keeps its largest entries, as many as the mean out-degree and at least 40, and an entry stays if
    either end keeps it: the result has at most twice as many entries as `rows`, or 80 for each node. A node linked to
    or from more than 1,000 others makes only those alike that have the fewest links.

    References
    ----------
    Satuluri, Parthasarathy, "Symmetrizations for clustering directed graphs", EDBT 2011, section 3.4. The loops are
    those of section 3.3, for the bibliometric similarity.
    """
    import scipy.sparse as sp

    n = len(rows.indptr) - 1
    # A power of 4 has a root without rounding: the unit of the weights changes no digit.
    weights = rows.weights.astype(np.float64) if len(rows.weights) else np.ones(len(rows.indices))
    A = as_csr_array(rows.indptr, rows.indices, np.ldexp(weights, -2 * (int(np.frexp(weights.max())[1]) // 2)))
    A = (A + sp.diags_array(np.full(n, _LOOP * A.data.mean()))).tocsr()
    by_out, by_in = np.asarray(A.sum(axis=1)), np.asarray(A.sum(axis=0))
    out_links = sp.diags_array(by_out**-0.5) @ A @ sp.diags_array(by_in**-0.25)
    in_links = sp.diags_array(by_in**-0.5) @ A.T @ sp.diags_array(by_out**-0.25)
    shared = sp.hstack([out_links, in_links], format="csr").T.tocsr()  # a row for what is shared
    _cut_hubs(shared)
    shared.eliminate_zeros()
    cap = max(_KEPT, -(-len(rows.indices) // n))
    return symmetrize_rows(_most_similar(shared.T.tocsr(), shared, min(cap, n)), "max")[0]


def _cut_hubs(shared):
    """Of long rows only the largest entries stay, in place; the others become 0."""
    for i in np.flatnonzero(np.diff(shared.indptr) > _MOST_SHARING):
        row = shared.data[shared.indptr[i] : shared.indptr[i + 1]]
        row[np.argsort(-row, kind="stable")[_MOST_SHARING:]] = 0.0


def _most_similar(links, shared, cap):
    """Rows of the product of two csr matrices, each without its diagonal and cut to its `cap` largest entries."""
    n = links.shape[0]
    factors = []
    for matrix in (links, shared):
        columns = narrow_ids(matrix.indices, max(matrix.shape))
        factors += [read_only(matrix.indptr, np.int64), read_only(columns), read_only(matrix.data)]
    reads = np.diff(shared.indptr)[links.indices]  # by each entry of `links`
    work = np.concatenate([[0], np.cumsum(reads)])[links.indptr]

    def block(first, last):
        indices = np.empty((last - first) * cap, dtype=id_dtype(n))
        values, lengths = np.empty(len(indices), dtype=np.float32), np.empty(last - first, dtype=np.int64)
        length = similar_rows(*factors, n, cap, first, last, indices, values, lengths)
        return indices[:length].copy(), values[:length].copy(), lengths

    indices, values, lengths = map(np.concatenate, zip(*map_blocks(block, row_blocks(work), -1), strict=True))
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    # A weight too small for float32 is no edge; transposing twice sorts the columns.
    return transpose_rows(transpose_rows(drop_zeros(Rows(indptr, indices, values))))


def random_walk(rows):
    """Flow of a random walk along each edge, in both directions on average: Chung's Laplacian of a directed graph.

    ``(Pi P + P' Pi) / 2`` times the sum of all weights, where P are the chances of the walk's steps along edges and Pi
    holds its stationary distribution (:func:`stationary`). Of a graph with all edges both ways this would be the graph
    itself, but for the teleports. Teleports are no edges.

    References
    ----------
    Chung, "Laplacians and the Cheeger inequality for directed graphs", Annals of Combinatorics 9 (2005), equation for
    L in section 3. Teleports as in PageRank, left out of the edges: Satuluri, Parthasarathy (2011), section 3.2.
    """
    P, total = _steps(rows)
    flow = P.data * np.repeat(stationary(P), np.diff(rows.indptr)) * total
    return symmetrize_rows(drop_zeros(Rows(rows.indptr, rows.indices, flow)), "average")[0]


def _steps(rows):
    """Chances of the steps along edges (csr_array, float64; rows of nodes without a link are empty), sum of weights."""
    weights = rows.weights.astype(np.float64) if len(rows.weights) else np.ones(len(rows.indices))
    has_links = np.flatnonzero(np.diff(rows.indptr))
    lengths, starts = np.diff(rows.indptr)[has_links], rows.indptr[has_links]
    with np.errstate(over="ignore"):
        total = weights.sum()
    weights /= np.repeat(np.maximum.reduceat(weights, starts), lengths)  # their sum might overflow
    weights /= np.repeat(np.add.reduceat(weights, starts), lengths)
    return as_csr_array(rows.indptr, rows.indices, weights), total


def stationary(P):
    """Where a random walk is in the long run, (n,) float64, by the power method.

    In each step the walk goes to any node with probability 0.15, and from nodes without a link always; otherwise along
    a link, `P` (csr_array) says which.
    """
    n = P.shape[0]
    backwards, is_end = P.T.tocsr(), np.diff(P.indptr) == 0
    here = np.full(n, 1.0 / n)
    for _ in range(_MAX_STEPS):
        jumps = TELEPORT + (1.0 - TELEPORT) * here[is_end].sum()
        there = (1.0 - TELEPORT) * away(backwards.__matmul__, here) + jumps / n
        change, here = np.abs(there - here).sum(), there
        if change <= _CHANGE:
            break
    return here
