"""Clusters of nodes that come after the clustering, from their edges to nodes that were in it."""

import numpy as np

from . import _objective_loops
from .objectives import objective_code

_PIECE = 1 << 14  # rows at a time
# Less of a probability than this is left out.
_NOTHING = 1e-4


def cluster_shares(rows, labels, n_clusters):
    """Weight of each row's edges to every cluster, csr_array (n_rows, n_clusters); nodes of label -1 are left out."""
    import scipy.sparse as sp

    placed = np.flatnonzero(labels >= 0)
    ones = np.ones(len(placed))
    members = sp.csr_array((ones, (placed, labels[placed])), shape=(len(labels), n_clusters))
    sums = sp.csr_array(rows.astype(np.float64) @ members)
    sums.eliminate_zeros()
    return sums


def predict_labels(sums, inner, volumes, objective):
    """The cluster, of those around it, that gains most from each row of :func:`cluster_shares`; -1 for none.

    This is the move of refinement to first order: adding a node of degree d with weight l to cluster c raises the
    objective by about ``2 l dF/dL_c + d dF/dv_c``, with the clusters' inner weights L (both directions) and volumes v.
    For "ncut" that is the nearest centroid of kernel k-means.
    """
    counts, gains = np.diff(sums.indptr), _gains(sums, *_slopes(inner, volumes, objective))
    out = np.full(sums.shape[0], -1, dtype=np.int32)
    filled = np.flatnonzero(counts)
    if len(filled):
        best = np.maximum.reduceat(gains, sums.indptr[filled])
        # Of equal gains the first: ties do not depend on the order in which scipy summed.
        is_best = gains == np.repeat(best, counts[filled])
        clusters = np.where(is_best, sums.indices, sums.shape[1])
        out[filled] = np.minimum.reduceat(clusters, sums.indptr[filled])
    return out


def _slopes(inner, volumes, objective):
    by_inner, by_volume = np.empty(len(inner)), np.empty(len(inner))
    _objective_loops.slopes(objective_code(objective), inner, volumes, by_inner, by_volume)
    return by_inner, by_volume


def _gains(sums, by_inner, by_volume):
    """What every row would gain by each cluster around it, to first order."""
    degrees = np.repeat(sums.sum(axis=1), np.diff(sums.indptr))
    return 2 * sums.data * by_inner[sums.indices] + degrees * by_volume[sums.indices]


def memberships(sums, inner, volumes, evidence, objective="information"):
    """Probabilities of the clusters around each row of :func:`cluster_shares`, a csr_array; rows add up to 1, or to 0.

    The logarithm of each is, up to a constant, the gain in log-likelihood of the planted model by the row's joining the
    cluster, to first order: that of "information" in :func:`predict_labels`, times `evidence` for each unit of weight
    (:func:`graphcore.partition.evidence.edge_evidence` for each mean weight). For others it is the gain in those, with
    edges that are worth as much in the mean over the volume, so that the largest is always that of the cluster joined.
    """
    import scipy.sparse as sp

    by_inner, by_volume = _slopes(inner, volumes, objective)
    mean = by_inner @ volumes  # 0 where a single cluster holds everything
    worth = _slopes(inner, volumes, "information")[0] @ volumes / mean if mean else 1.0
    sums = sums.sorted_indices()  # its own: what follows is written into its arrays
    counts = np.diff(sums.indptr)
    filled = np.flatnonzero(counts)
    starts, lengths = sums.indptr[filled], counts[filled]
    gains = 0.5 * evidence * max(worth, 0.0) * _gains(sums, by_inner, by_volume)
    if len(filled):
        gains = np.exp(gains - np.repeat(np.maximum.reduceat(gains, starts), lengths))
        gains[gains < _NOTHING * np.repeat(np.add.reduceat(gains, starts), lengths)] = 0.0
        gains /= np.repeat(np.add.reduceat(gains, starts), lengths)
    found = sp.csr_array((gains, sums.indices, sums.indptr), shape=sums.shape)
    found.eliminate_zeros()
    return found


def node_memberships(rows, labels, inner, volumes, evidence, objective, *, exponent=0, node_weights=None):
    """:func:`memberships` of all nodes of a graph, by their edges to the others, a csr_array (n, n_clusters).

    Sums and evidence are in units of 2 to the `exponent`; with `node_weights` (n,) the weights of edges have them in.
    """
    import scipy.sparse as sp

    n, parts = len(rows.degrees), []
    for start in range(0, n, _PIECE):
        indptr = rows.indptr[start : start + _PIECE + 1]
        span = slice(indptr[0], indptr[-1])
        edges = rows.weights[span].astype(np.float64) if len(rows.weights) else np.ones(span.stop - span.start)
        edges = np.ldexp(edges, -exponent)
        if node_weights is not None:  # an edge of a copy, not of all copies together
            own = np.repeat(node_weights[start : start + _PIECE], np.diff(indptr))
            edges = np.divide(edges, own, out=edges, where=own > 0)
        piece = sp.csr_array((edges, rows.indices[span], indptr - indptr[0]), shape=(len(indptr) - 1, n))
        parts.append(memberships(cluster_shares(piece, labels, len(inner)), inner, volumes, evidence, objective))
    return sp.vstack(parts, format="csr")
