"""The nodes that stand for a cluster."""

import numpy as np

from ..metrics._labels import placed_labels
from ..partition.cluster_sums import cluster_sums
from ..partition.quotient import graph_rows

__all__ = ["central_nodes"]


def central_nodes(graph, labels, n_clusters=None, *, count=5, n_jobs=None):
    """Nodes of every cluster with the most weight of edges to their own cluster, at most `count`, int64.

    Of two with the same weight inside, the one with less weight outside comes first, then the one of the smaller
    number.
    """
    graph, labels, n_clusters = placed_labels(graph, labels, n_clusters)
    inside, outside = np.empty(graph.n_nodes), np.empty(graph.n_nodes)
    cluster_sums(graph_rows(graph), labels, n_clusters, n_jobs, splits=(inside, outside))
    order = np.lexsort((outside, -inside, labels))
    starts = np.searchsorted(labels[order], np.arange(n_clusters + 1))
    return [order[starts[c] : min(starts[c] + count, starts[c + 1])] for c in range(n_clusters)]
