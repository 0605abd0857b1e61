"""The nodes that stand for a cluster."""

import numpy as np

from ..metrics._labels import placed_labels
from ..partition.cluster_sums import cluster_sums
from ..partition.quotient import graph_rows

__all__ = ["central_nodes"]


def central_nodes(graph, labels, n_clusters=None, *, count=5, n_jobs=None):
    """Nodes of every cluster with the most weight of edges to their own cluster.

    Parameters
    ----------
    graph : Graph, sparse matrix, square array or networkx graph
    labels : array-like of shape (n_nodes,), integer
        Cluster of every node, from 0; -1 for no cluster.
    n_clusters : int, optional
        Number of clusters, if the last ones may be empty.
    count : int, default 5
    n_jobs : int, optional
        Threads; the result does not depend on it.

    Returns
    -------
    list of ndarray, int64
        For each cluster its nodes, the most central first, at most `count`. Of two with the same weight inside, the one
        with less weight outside comes first, then the one of the smaller number.

    Examples
    --------
    >>> import graphcore
    >>> from graphcore.report.central import central_nodes
    >>> graph = graphcore.Graph.from_edges([0, 0, 0, 1, 4], [1, 2, 3, 2, 5])
    >>> [nodes.tolist() for nodes in central_nodes(graph, [0, 0, 0, 0, 1, 1], count=2)]
    [[0, 1], [4, 5]]
    """
    graph, labels, n_clusters = placed_labels(graph, labels, n_clusters)
    inside, outside = np.empty(graph.n_nodes), np.empty(graph.n_nodes)
    cluster_sums(graph_rows(graph), labels, n_clusters, n_jobs, splits=(inside, outside))
    order = np.lexsort((outside, -inside, labels))
    starts = np.searchsorted(labels[order], np.arange(n_clusters + 1))
    return [order[starts[c] : min(starts[c] + count, starts[c + 1])] for c in range(n_clusters)]
