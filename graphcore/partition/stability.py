"""How far several labellings of the same nodes agree."""

import numpy as np

from .._threads import map_items
from .quotient import apply_labels, contingency, label_sizes


def stability(labels, labellings, n_clusters, n_jobs=None):
    """How far several labellings agree with a final one (n,) int32, -1 for nodes outside.

    The clusters of each labelling are matched one to one to the final clusters, so that as many nodes as possible
    agree. Returns, for nodes (n,) float32, the share of the labellings that agree with the final label (0 for nodes
    outside), and for clusters (n_clusters,) float64 the mean Jaccard index of the final cluster with those matched to
    it.
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
