"""The planted partition model."""

import numpy as np

from .._random import Streams
from .._validation import check_real
from ..graphs.graph import Graph
from . import _loops
from ._sizes import cluster_borders, labels_of
from .results import LabeledGraph

__all__ = ["planted_partition"]


def planted_partition(n_clusters, cluster_size, p_in, p_out, *, random_state=None):
    """Draw a graph from the planted partition model (a stochastic block model with two probabilities).

    Every pair of nodes is an edge independently of all others, with probability `p_in` inside a cluster and `p_out`
    between clusters.

    Parameters
    ----------
    n_clusters : int
        At least 1.
    cluster_size : int or sequence of n_clusters ints
        Nodes of every cluster; one number for all, or one for each.
    p_in, p_out : float
        Probabilities of an edge, 0 to 1.
    random_state : int, numpy Generator, RandomState or None, default None

    Returns
    -------
    LabeledGraph
        The graph, unweighted and without self-loops, and the cluster of every node (int32). Nodes are numbered cluster
        by cluster. Nodes may be isolated.

    Raises
    ------
    ParameterError
        If a parameter is out of its range.

    Notes
    -----
    O(n_nodes + n_edges) time, by jumps over the pairs that are no edges; no memory beyond the graph but one number a
    node. The edges are drawn twice from the same stream: to count the degrees, and to write them into place.

    References
    ----------
    Condon, Karp, "Algorithms for graph partitioning on the planted partition model", Random Structures and Algorithms
    18 (2001).
    Batagelj, Brandes, "Efficient generation of large random networks", Physical Review E 71 (2005), for the jumps.

    Examples
    --------
    >>> import graphcore
    >>> graph, labels = graphcore.datasets.planted_partition(2, [3, 2], 1.0, 0.0, random_state=0)
    >>> graph.n_edges, labels.tolist()
    (4, [0, 0, 0, 1, 1])
    """
    borders = cluster_borders(n_clusters, cluster_size)
    rates = [-np.log1p(-p) if p < 1 else np.inf for p in _probabilities(p_in, p_out)]
    stream = Streams(random_state).child("planted partition")
    n_nodes = int(borders[-1])
    indptr = np.zeros(n_nodes + 1, dtype=np.int64)
    _loops.planted_pairs(stream.generator("edges"), borders, *rates, indptr[1:], np.empty(0, dtype=np.int32))
    np.cumsum(indptr, out=indptr)
    indices = np.empty(indptr[-1], dtype=np.int32)
    if len(indices):
        _loops.planted_pairs(stream.generator("edges"), borders, *rates, indptr[:-1].copy(), indices)
    return LabeledGraph(Graph(indptr, indices, check=False), labels_of(borders))


def _probabilities(p_in, p_out):
    return check_real("p_in", p_in, low=0, high=1), check_real("p_out", p_out, low=0, high=1)
