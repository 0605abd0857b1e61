"""What every measure of a labelling does first."""

import numpy as np

from .._arrays import read_only
from .._validation import check_integer, check_labels
from ..graphs.as_graph import as_graph
from ..partition.cluster_sums import cluster_sums
from ..partition.quotient import graph_rows, lent


def placed_labels(graph, labels, n_clusters):
    """Return (Graph, labels with -1 for nodes of degree 0, number of clusters).

    The number of clusters is the largest label + 1 or `n_clusters`, whichever is more.
    """
    graph = as_graph(graph)
    if n_clusters is not None:
        n_clusters = check_integer("n_clusters", n_clusters, low=1)
    labels = check_labels("labels", labels, graph.n_nodes, n_clusters=n_clusters)
    if graph.n_isolated:
        labels = read_only(np.where(graph.degrees > 0, labels, np.int32(-1)))
    return graph, labels, max(n_clusters or 0, int(labels.max()) + 1)


def split_sums(graph, labels, n_clusters, n_jobs):
    """ClusterSums, and the weight of every node's edges to its own cluster and to others, in one pass."""
    inside, outside = np.empty(graph.n_nodes), np.empty(graph.n_nodes)
    with lent(graph):
        sums = cluster_sums(graph_rows(graph), labels, n_clusters, n_jobs, splits=(inside, outside))
    return sums, inside, outside
