"""Planted partitions of graphs, plain and degree-corrected."""

from typing import NamedTuple

import numpy as np

from ..base.loops import compiled
from ..base.streams import Streams
from ..base.types import ArrayLike, RandomState, Sequence
from ..base.validation import check_integer, check_real
from ..exceptions import ParameterError
from ..graphs.graph import Graph
from ..graphs.rows import NO_WEIGHTS, rows_from_pairs

# Edges drawn from one stream; bounds the memory of the draws.
_BLOCK_EDGES = 1 << 20


class LabeledGraph(NamedTuple):
    """A graph whose clusters are known.

    Attributes
    ----------
    graph : Graph
    labels : ndarray of shape (n_nodes,), int32
        Cluster of every node, from 0.
    """

    graph: Graph
    labels: np.ndarray


class LabeledVectors(NamedTuple):
    """Vectors whose clusters are known.

    Attributes
    ----------
    data : ndarray of shape (n_samples, n_features), float
    labels : ndarray of shape (n_samples,), int32
        Cluster of every row, from 0.
    """

    data: np.ndarray
    labels: np.ndarray


def planted_partition(
    n_clusters: int, cluster_size: int | Sequence[int], p_in: float, p_out: float, *, random_state: RandomState = None,
) -> LabeledGraph:  # fmt: skip
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
    probabilities = check_real("p_in", p_in, low=0, high=1), check_real("p_out", p_out, low=0, high=1)
    rates = [-np.log1p(-p) if p < 1 else np.inf for p in probabilities]
    stream = Streams(random_state).child("planted partition")
    n_nodes = int(borders[-1])
    indptr = np.zeros(n_nodes + 1, dtype=np.int64)
    planted_pairs(stream.generator("edges"), borders, *rates, indptr[1:], np.empty(0, dtype=np.int32))
    np.cumsum(indptr, out=indptr)
    indices = np.empty(indptr[-1], dtype=np.int32)
    if len(indices):
        planted_pairs(stream.generator("edges"), borders, *rates, indptr[:-1].copy(), indices)
    return LabeledGraph(Graph(indptr, indices, check=False), labels_of(borders))


@compiled
def planted_pairs(generator, borders, rate_in, rate_out, cursor, out_indices):
    """Draw every pair of nodes, rows ascending; an edge is written into the rows of both its ends.

    A rate is -log(1 - p), so that the integer part of an exponential variable over the rate is the number of pairs left
    out before the next edge. cursor[i] is where node i's next neighbour goes. With out_indices of length 0 nothing is
    written, and cursor[i] is raised by the degree of i: the same generator state then gives the same edges.
    """
    n = borders[-1]
    writes = len(out_indices) > 0
    for cluster in range(len(borders) - 1):
        border = borders[cluster + 1]
        for i in range(borders[cluster], border):
            # Pairs of the own cluster come first, then those of later ones: neighbours ascend. Lower neighbours of i
            # have been written while their rows were drawn.
            for within in range(2):
                j, stop, rate = (i + 1, border, rate_in) if within == 0 else (border, n, rate_out)
                while rate > 0:
                    left_out = generator.standard_exponential() / rate
                    if left_out >= stop - j:
                        break
                    j += int(left_out)
                    if writes:
                        out_indices[cursor[i]] = j
                        out_indices[cursor[j]] = i
                    cursor[i] += 1
                    cursor[j] += 1
                    j += 1


def degree_corrected_partition(
    n_clusters: int, cluster_size: int | Sequence[int], *, mean_degree: float = 20.0, mixing: float = 0.2,
    exponent: float = 2.5, degree_ratio: float = 100.0, expected_degrees: ArrayLike | None = None,
    random_state: RandomState = None,
) -> LabeledGraph:  # fmt: skip
    """Draw a graph with planted clusters and uneven degrees (Karrer and Newman's degree-corrected block model).

    The number of edges between nodes i and j of expected degrees d_i, d_j is a Poisson variable with mean
    (1 - mixing) d_i d_j / D_c + mixing d_i d_j / D, the first term only if both are in the same cluster c, where
    D_c and D are the sums of d over the cluster and over all nodes. Repeated edges are merged: i and j are joined
    with probability 1 - exp(-mean), independently of all other pairs.

    Parameters
    ----------
    n_clusters : int
        At least 1.
    cluster_size : int or sequence of n_clusters ints
        Nodes of every cluster; one number for all, or one for each.
    mean_degree : float, default 20.0
        Mean of the expected degrees.
    mixing : float, default 0.2
        Share of the edges that are placed without regard to clusters, 0 to 1.
    exponent : float, default 2.5
        The expected degrees follow a power law with density proportional to d ** -exponent; more than 1.
    degree_ratio : float, default 100.0
        Largest over smallest possible expected degree; 1 makes them all equal.
    expected_degrees : array-like of shape (n_nodes,), optional
        The expected degrees themselves; `mean_degree`, `exponent` and `degree_ratio` are then not used.
    random_state : int, numpy Generator, RandomState or None, default None

    Returns
    -------
    LabeledGraph
        The graph, unweighted and without self-loops, and the cluster of every node (int32). Nodes are numbered cluster
        by cluster. Degrees are somewhat smaller than expected where edges were merged, and nodes may be isolated.

    Raises
    ------
    ParameterError
        If a parameter is out of its range.

    References
    ----------
    Karrer, Newman, "Stochastic blockmodels and community structure in networks", Physical Review E 83 (2011),
    equations 26 to 28.

    Examples
    --------
    >>> import graphcore
    >>> graph, labels = graphcore.datasets.degree_corrected_partition(4, 250, random_state=0)
    >>> graph.n_nodes, bool(graph.degrees.max() > 5 * graph.degrees.mean())
    (1000, True)
    """
    borders = cluster_borders(n_clusters, cluster_size)
    n_nodes = int(borders[-1])
    mixing = check_real("mixing", mixing, low=0, high=1)
    streams = Streams(random_state).child("degree-corrected partition")
    if expected_degrees is None:
        mean_degree = check_real("mean_degree", mean_degree, low=0, open_low=True)
        theta = _power_law(exponent, degree_ratio, n_nodes, streams.generator("degrees"))
        expected = theta * (mean_degree / theta.mean())
    else:
        expected = np.asarray(expected_degrees)
        if expected.shape != (n_nodes,) or expected.dtype.kind not in "biuf":
            raise ParameterError(
                f"expected_degrees must be {n_nodes} numbers, got {expected.dtype} of shape {expected.shape}"
            )
        expected = expected.astype(np.float64)
        if not (np.isfinite(expected) & (expected >= 0)).all():
            raise ParameterError("expected_degrees must be finite and not negative")
    # Node i owns the stretch from before[i] to before[i + 1]; a uniform point falls on i with probability d_i / D.
    before = np.concatenate([[0.0], np.cumsum(expected)])
    counts = streams.generator("counts")
    n_inside, n_anywhere = counts.poisson((1 - mixing) * before[-1] / 2), counts.poisson(mixing * before[-1] / 2)
    ends = np.empty((n_inside + n_anywhere, 2), dtype=np.int32)
    for block, start in enumerate(range(0, len(ends), _BLOCK_EDGES)):
        stop = min(start + _BLOCK_EDGES, len(ends))
        generator = streams.generator("edges", block)
        points = generator.random((stop - start, 2))
        first = _node_at(before, points[:, 0] * before[-1], 0, n_nodes)
        low, high = np.zeros_like(first), np.full_like(first, n_nodes)
        inside = max(0, n_inside - start)  # edges of this block whose second end is in the cluster of the first
        cluster = np.searchsorted(borders, first[:inside], side="right") - 1
        low[:inside], high[:inside] = borders[cluster], borders[cluster + 1]
        where = before[low] + points[:, 1] * (before[high] - before[low])
        ends[start:stop, 0], ends[start:stop, 1] = first, _node_at(before, where, low, high)
    return LabeledGraph(graph_of_pairs(ends, n_nodes), labels_of(borders))


def _power_law(exponent, ratio, n, generator):
    """Draw n numbers between 1 and `ratio` with density proportional to x ** -exponent, by inversion."""
    exponent = check_real("exponent", exponent, low=1, open_low=True)
    ratio = check_real("degree_ratio", ratio, low=1)
    tail = ratio ** (1 - exponent)
    return (1 - generator.random(n) * (1 - tail)) ** (1 / (1 - exponent))


def _node_at(before, points, low, high):
    """Return the node whose stretch holds each point; rounding never leads out of [low, high)."""
    return np.clip(np.searchsorted(before, points, side="right") - 1, low, np.asarray(high) - 1)


def graph_of_pairs(ends, n_nodes):
    """Make the graph of edges (n_edges, 2) int32 between different nodes; repeats are one edge, loops none."""
    rows, *_ = rows_from_pairs(ends[ends[:, 0] != ends[:, 1]], NO_WEIGHTS, n_nodes, "max")
    return Graph(rows.indptr, rows.indices, check=False)


def cluster_borders(n_clusters, cluster_size):
    """Return the first node of every cluster, then the number of nodes (int64); `cluster_size` for all or each."""
    n_clusters = check_integer("n_clusters", n_clusters, low=1)
    if np.ndim(cluster_size) == 0:
        sizes = [check_integer("cluster_size", cluster_size, low=1)] * n_clusters
    else:
        sizes = [check_integer("cluster_size", size, low=1) for size in cluster_size]
        if len(sizes) != n_clusters:
            raise ParameterError(
                f"cluster_size has {len(sizes)} sizes for n_clusters={n_clusters}; give one for every cluster, or one "
                "number for all"
            )
    n_nodes = sum(sizes)
    if n_nodes >= 2**31:
        raise ParameterError(f"cluster_size: the clusters have {n_nodes} nodes in all; fewer than 2**31 are possible")
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


def labels_of(borders):
    """Return the cluster of every node, int32."""
    return np.repeat(np.arange(len(borders) - 1, dtype=np.int32), np.diff(borders))
