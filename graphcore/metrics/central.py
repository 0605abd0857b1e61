"""The nodes that stand for a cluster."""

import numpy as np

from .._typing import AnyGraph, ArrayLike, Integers
from .._validation import check_integer
from ._labels import placed_labels, split_sums


def central_nodes(
    graph: AnyGraph, labels: ArrayLike, n_clusters: int | None = None, *, count: int = 5, n_jobs: int | None = None,
) -> list[Integers]:  # fmt: skip
    """Nodes of every cluster with the most weight of edges to their own cluster.

    Parameters
    ----------
    graph, labels, n_clusters, n_jobs
        See :func:`cut_and_volume`.
    count : int, default 5
        Nodes of each cluster, fewer where it has fewer.

    Returns
    -------
    list of ndarray, int64
        Numbers of nodes, the most central first. Of two with the same weight inside, the one with less weight outside
        comes first, then the one of the smaller number.

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
    """The first nodes of every cluster by weight inside, then least weight outside, then number."""
    order = np.lexsort((outside, -inside, labels))
    starts = np.searchsorted(labels[order], np.arange(n_clusters + 1))
    return [order[starts[c] : min(starts[c] + count, starts[c + 1])] for c in range(n_clusters)]
