"""Certainty of labels: agreement of labellings, evidence of an edge for a common cluster, membership of nodes."""

import numpy as np

from ..base.loops import map_items
from .refine import _objective_loops
from .refine.objectives import objective_of
from .refine.problem import apply_labels, contingency, is_huge, label_sizes

# Paths of two edges that are looked at, evenly spaced over all of them; fewer of a graph that may lie on a disk.
_PATHS, _FEW_PATHS = 20_000, 1_000
# Calibrated on generated graphs (docs/results.md): the share of an edge's evidence that counts, and by how much it
# shrinks with every neighbour that is one of another neighbour without the clusters being the reason.
_SHARE, _SHRINKAGE = 0.9, 4.0
_PIECE = 1 << 14  # rows at a time
# As what a weight counts at least, over the largest volume.
_LEAST = 2.0**-164
# Less of a probability than this is left out.
_NOTHING = 1e-4


def stability(labels, labellings, n_clusters, n_jobs=None):
    """Measure the agreement of several labellings with a final one (n,) int32, -1 for nodes outside.

    Clusters are matched one to one, so that as many nodes as possible agree. Returns, for nodes (n,) float32, the share
    of the labellings that agree with the final label (0 outside), and for clusters (n_clusters,) float64 the mean
    Jaccard index of the final cluster with those matched to it.
    """
    sizes = label_sizes(labels, n_clusters)

    def agreement(other):
        common = contingency(labels, other, n_clusters)
        matched = match_clusters(common)
        shared = common[np.arange(n_clusters), matched]
        union = sizes + np.asarray(common.sum(axis=0))[matched] - shared
        jaccard = np.divide(shared, union, out=np.zeros(n_clusters), where=union > 0)
        return apply_labels(matched, labels) == other, jaccard

    nodes = np.zeros(len(labels), dtype=np.float32)
    clusters = np.zeros(n_clusters)
    for agree, jaccard in map_items(agreement, labellings, n_jobs):
        nodes += agree
        clusters += jaccard
    nodes[labels < 0] = 0.0
    nodes /= len(labellings)
    return nodes, clusters / len(labellings)


def matched_clusters(labels, others, n_clusters):
    """Labels with clusters renumbered so that as many nodes as possible have the label of `others` (-1: none)."""
    return apply_labels(match_clusters(contingency(labels, others, n_clusters)), labels)


def match_clusters(common):
    """For every row of a contingency table a column of its own, with as large a sum as possible."""
    import scipy.sparse as sp
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    n = common.shape[0]
    # A row may share nothing with any column that is left: it then takes a stand-in, worth less than any node.
    padded = sp.hstack([common.astype(np.float64), sp.diags_array(np.full(n, 0.5 / n))], format="csr")
    _, columns = min_weight_full_bipartite_matching(padded, maximize=True)
    alone = columns >= n
    matched = np.where(alone, -1, columns).astype(np.int32)
    matched[alone] = np.setdiff1d(np.arange(n), columns)[: np.count_nonzero(alone)]
    return matched


def edge_evidence(rows, labels, sums, agreement=1.0):
    """Return log odds that an edge is worth, in units of those that the planted model gives it: 0 to 0.9.

    Where neighbours of a node are neighbours of each other more often than their clusters and degrees make them, by a
    share e of the pairs (by a sample), an edge counts as ``1 / (1 + 4 e (d - 1))`` of one, with the mean degree d.
    `agreement` of independent clusterings multiplies it. `rows` have ascending columns.
    """
    lengths = np.diff(rows.indptr)
    pairs = np.cumsum(lengths.astype(np.float64) * (lengths - 1))
    if len(pairs) == 0 or pairs[-1] == 0:
        return _SHARE * agreement
    n_paths = _FEW_PATHS if is_huge(len(rows.indices)) else _PATHS
    places = (np.arange(n_paths) + 0.5) / n_paths * pairs[-1]
    middle = np.searchsorted(pairs, places, side="right")
    others = lengths[middle] - 1
    pair = (places - np.where(middle > 0, pairs[middle - 1], 0.0)).astype(np.int64)
    first, second = np.minimum(pair // others, others), pair % others
    second += second >= first
    first, second = (rows.indices[rows.indptr[middle] + step] for step in (first, second))
    inside = (labels[first] >= 0) & (labels[second] >= 0)  # not so for ends that are in no cluster
    first, second = first[inside], second[inside]
    total = sums.volume.sum()
    share, volume = sums.internal / total, sums.volume / total
    across = max(1.0 - share.sum(), 0.0) / max(1.0 - (volume**2).sum(), 1e-15)
    # Where the square of a share vanishes, so does what the rate would be multiplied with.
    within = np.divide(share, volume**2, out=np.zeros(len(volume)), where=volume**2 > np.finfo(float).tiny)
    rate = np.where(labels[first] == labels[second], within[labels[first]], across) * len(rows.indices)
    expected = np.minimum(1.0, rows.degrees[first] / total * (rows.degrees[second] / total) * rate)
    excess = _are_edges(rows, first, second).mean() - expected.mean() if len(first) else 0.0
    mean_degree = len(rows.indices) / np.count_nonzero(lengths)
    return float(_SHARE * agreement / (1.0 + _SHRINKAGE * max(0.0, excess) * (mean_degree - 1.0)))


def _are_edges(rows, sources, targets):
    """Return whether there is an edge between each two nodes, by a binary search in the sources' rows."""
    low, stop = rows.indptr[sources], rows.indptr[sources + 1]
    high = stop.copy()
    while (low < high).any():
        middle = (low + high) // 2
        searching = low < high
        below = searching & (rows.indices[np.where(searching, middle, 0)] < targets)
        low, high = np.where(below, middle + 1, low), np.where(searching & ~below, middle, high)
    there = low < stop
    there[there] = rows.indices[low[there]] == targets[there]
    return there


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
    """Return the cluster, of those around it, that gains most from each row of :func:`cluster_shares`; -1 for none.

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
    return _objective_loops.slopes(objective_of(objective).code, inner, volumes)


def _gains(sums, by_inner, by_volume):
    """Compute each row's gain by each neighbouring cluster, to first order."""
    degrees = np.repeat(sums.sum(axis=1), np.diff(sums.indptr))
    return 2 * sums.data * by_inner[sums.indices] + degrees * by_volume[sums.indices]


def memberships(sums, inner, volumes, evidence, objective="information"):
    """Probabilities of the clusters around each row of :func:`cluster_shares`, a csr_array; rows add up to 1, or to 0.

    The logarithm of each is, up to a constant, the gain in log-likelihood of the planted model by the row's joining the
    cluster, to first order: that of "information" in :func:`predict_labels`, times `evidence` for each unit of weight
    (`edge_evidence` for each mean weight). For others it is the gain in those, with
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
        edges = np.maximum(np.ldexp(edges, -exponent), _LEAST)  # an edge that is lost in sums stays one
        if node_weights is not None:  # an edge of a copy, not of all copies together
            own = np.repeat(node_weights[start : start + _PIECE], np.diff(indptr))
            edges = np.divide(edges, own, out=edges, where=own > 0)
        piece = sp.csr_array((edges, rows.indices[span], indptr - indptr[0]), shape=(len(indptr) - 1, n))
        parts.append(memberships(cluster_shares(piece, labels, len(inner)), inner, volumes, evidence, objective))
    return sp.vstack(parts, format="csr")
