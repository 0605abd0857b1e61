"""The weighted kernel k-means cost of a partition of a graph."""

from typing import NamedTuple

import numpy as np

from .._typing import AnyGraph, ArrayLike
from .._validation import check_real
from ..kernels.graph import GraphKernel
from ..partition.cluster_sums import cluster_sums
from ..partition.quotient import graph_rows
from ._labels import placed_labels


class Centres(NamedTuple):
    """Centroids of a partition in the feature space of ``K + shift D^-1``; empty clusters have mass 0."""

    kernel: GraphKernel
    labels: np.ndarray
    shift: float
    masses: np.ndarray  # volumes, self-loops included
    norms: np.ndarray  # squared norms
    cost: float  # weighted cost of the partition
    cut: float  # sum of the conductances of the clusters that are there


def kernel_kmeans_cost(
    graph: AnyGraph, labels: ArrayLike, *, self_loop: float = 0.0, shift: float = 0.0, n_jobs: int | None = None,
) -> float:  # fmt: skip
    """Weighted kernel k-means cost of a partition, with ``K = D^-1 A D^-1 + shift D^-1`` and weights ``w = d``.

    The cost is ``sum_x w_x |phi(x) - c(x)|^2``, where c(x) is the weighted mean of the cluster that holds x. It equals

    ``tr(D^-1 A) - k + kNC + shift (n - k)``

    with k the number of clusters that hold a node, n the number of nodes in them, and kNC the sum of the conductances
    (all of the graph with its self-loops): over partitions into k clusters, kernel k-means is normalised cut.

    Parameters
    ----------
    graph : Graph, sparse matrix, square array or networkx graph
    labels : array-like of shape (n_nodes,), integer
        Cluster of every node, from 0. Nodes of label -1 and nodes of degree 0 have no part in the cost (edges to nodes
        of label -1 count in degrees).
    self_loop : float, default 0
        Weight of a loop added to every node that has an edge, in A and in D, as a multiple of the graph's mean weight.
        It is implicit: nothing is copied.
    shift : float, default 0
        Multiple of ``D^-1`` added to the kernel. From 1 on the kernel is positive semi-definite; with less, squared
        distances and the cost can be negative.
    n_jobs : int, optional
        Threads; the result does not depend on it.

    Returns
    -------
    float

    Raises
    ------
    InputError
        If labels, self_loop or shift cannot be used.

    Notes
    -----
    With ``W_j = vol(P_j)``, ``sum_x w_x K_xx - sum_j W_j |c_j|^2`` and
    ``|c_j|^2 = (sum of the entries of A in P_j) / W_j^2 + shift / W_j``: one pass over the entries, O(n_nodes) memory.

    References
    ----------
    Dhillon, Guan, Kulis, "Kernel k-means, spectral clustering and normalized cuts", KDD 2004, section 3.

    Examples
    --------
    >>> import graphcore
    >>> graph = graphcore.Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> labels = [0, 0, 0, 1, 1, 1]
    >>> round(graphcore.metrics.kernel_kmeans_cost(graph, labels, shift=1.0), 4)
    2.2857
    >>> round(0 - 2 + 2 * graphcore.metrics.normalized_cut(graph, labels) + 1.0 * (6 - 2), 4)
    2.2857
    """
    return centres_of(graph, labels, self_loop=self_loop, shift=shift, n_jobs=n_jobs).cost


def centres_of(graph, labels, *, self_loop, shift, n_jobs, n_clusters=None):
    """Masses, norms and cost of the centroids of a partition."""
    self_loop = check_real("self_loop", self_loop, low=0.0)
    shift = check_real("shift", shift, low=0.0)
    graph, labels, n_clusters = placed_labels(graph, labels, n_clusters)
    kernel = GraphKernel(graph, self_loop)
    sums = cluster_sums(graph_rows(kernel.graph), labels, n_clusters, n_jobs)
    masses = sums.volume + kernel.self_loop * sums.size
    filled = sums.size > 0
    inside = np.divide(sums.internal + kernel.self_loop * sums.size, masses, out=np.zeros(n_clusters), where=filled)
    norms = np.divide(inside + shift, masses, out=np.full(n_clusters, np.inf), where=filled)
    placed = labels >= 0
    trace = float((kernel.diagonal * kernel.degrees)[placed].sum()) + shift * int(sums.size.sum())
    cost = trace - float(inside.sum()) - shift * int(filled.sum())
    cut = float(np.divide(sums.cut, masses, out=np.zeros(n_clusters), where=filled).sum())
    return Centres(kernel, labels, shift, masses, norms, cost, cut)
