"""Descriptions of clusters: central nodes, and a line of figures."""

from typing import Any

import numpy as np

from ..base.types import AnyGraph, ArrayLike, Integers
from ..base.validation import check_integer
from ..cluster.refine.problem import label_sizes, split_sums
from ..graphs.rows import connected_parts
from .quality import placed_labels, quotient_graph


def central_nodes(
    graph: AnyGraph, labels: ArrayLike, n_clusters: int | None = None, *, count: int = 5, n_jobs: int | None = None,
) -> list[Integers]:  # fmt: skip
    """Find the nodes of every cluster with the most weight of edges to their own cluster.

    Parameters
    ----------
    graph, labels, n_clusters, n_jobs
        See :func:`cut_and_volume`.
    count : int, default 5
        Nodes of each cluster, fewer where it has fewer.

    Returns
    -------
    list of ndarray, int64
        Numbers of nodes, the most central first; ``graph.names_of`` has their names. Of two with the same weight
        inside, the one with less weight outside comes first, then the one of the smaller number.

    Examples
    --------
    >>> import graphcore
    >>> graph = graphcore.Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> [nodes.tolist() for nodes in graphcore.metrics.central_nodes(graph, [0, 0, 0, 1, 1, 1], count=2)]
    [[0, 1], [4, 5]]
    """
    count = check_integer("count", count, low=1)
    graph, labels, n_clusters = placed_labels(graph, labels, n_clusters)
    _, inside, outside = split_sums(graph, labels, n_clusters, n_jobs)
    return most_central(labels, inside, outside, n_clusters, count)


def most_central(labels, inside, outside, n_clusters, count):
    """Find the first nodes of every cluster by weight inside, then least weight outside, then number."""
    order = np.lexsort((outside, -inside, labels))
    starts = np.searchsorted(labels[order], np.arange(n_clusters + 1))
    return [order[starts[c] : min(starts[c] + count, starts[c + 1])] for c in range(n_clusters)]


def cluster_summary(
    graph: AnyGraph, labels: ArrayLike, n_clusters: int | None = None, *, n_central: int = 3, n_jobs: int | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Sum up every cluster: size, volume, conductance, connected parts, nearest cluster and central nodes.

    Parameters
    ----------
    graph, labels, n_clusters, n_jobs
        See :func:`cut_and_volume`.
    n_central : int, default 3
        Number of central nodes of each cluster, see :func:`central_nodes`.

    Returns
    -------
    dict
        Columns "cluster", "size", "volume", "conductance" (arrays; see :class:`ClusterSums`), "parts" (how many
        connected ones the cluster has), "nearest" (the other cluster that most of the cluster's edge weight leads to,
        of two the smaller number; -1 where none does) and "central" (a list of node names or numbers for each).

    Examples
    --------
    >>> import graphcore
    >>> graph = graphcore.Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> summary = graphcore.metrics.cluster_summary(graph, [0, 0, 0, 1, 1, 1], n_central=1)
    >>> summary["size"], summary["nearest"], summary["central"]
    (array([3, 3]), array([1, 0]), [[0], [4]])
    """
    n_central = check_integer("n_central", n_central, low=1)
    graph, labels, k = placed_labels(graph, labels, n_clusters)
    sums, inside, outside = split_sums(graph, labels, k, n_jobs)
    firsts = np.unique(connected_parts(graph, labels)[0], return_index=True)[1]
    central = most_central(labels, inside, outside, k, n_central)
    return {
        "cluster": np.arange(k),
        "size": sums.size,
        "volume": sums.volume,
        "conductance": sums.conductance,
        "parts": label_sizes(labels[firsts], k),
        "nearest": nearest_clusters(quotient_graph(graph, labels, k or None, n_jobs=n_jobs)),
        "central": [graph.names_of(nodes).tolist() for nodes in central],
    }


def nearest_clusters(between):
    """Find the column off the diagonal with the largest entry of every row; -1 for a row without any."""
    rows = np.repeat(np.arange(between.shape[0]), np.diff(between.indptr))
    apart = (rows != between.indices) & (between.data > 0)
    rows, columns, weights = rows[apart], between.indices[apart], between.data[apart]
    order = np.lexsort((columns, -weights, rows))
    first = order[np.unique(rows[order], return_index=True)[1]]
    out = np.full(between.shape[0], -1)
    out[rows[first]] = columns[first]
    return out
