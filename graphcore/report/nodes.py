"""What the page knows of single nodes: where each one is, how sure that is, and between which clusters it lies."""

from dataclasses import dataclass, field

import numpy as np

from ..metrics.central import most_central
from ..partition.evidence import cluster_shares

MOST_LISTED = 100_000
_N_NEAR = 3
_N_BORDER = 30
# Border nodes are looked for among so many, those of low stability and much weight on both sides first.
_CANDIDATES = 5_000
_PIECE = 1 << 14


@dataclass(frozen=True, eq=False)
class NodeFacts:
    """Nodes that the page can look up, and those at the borders of clusters.

    Attributes
    ----------
    listed : ndarray of shape (n_listed,), int64
        All nodes, or the most central ones of each cluster; ascending.
    is_whole : bool
        Whether all nodes are listed.
    labels : ndarray of shape (n_listed,), int32
    near, shares : ndarray of shape (n_listed, 3)
        Clusters with the largest shares of each node, -1 where there are fewer, and these shares (int64, float64).
    is_soft : bool
        Whether shares are the memberships of the model; otherwise they are shares of a node's edge weight.
    border : ndarray of shape (n_border,), int64
        Nodes between two clusters, the most doubtful first.
    border_labels, second : ndarray of shape (n_border,)
        Their cluster, and the other one.
    border_shares : ndarray of shape (n_border, 2), float64
        Their shares of the two.
    """

    listed: np.ndarray = field(repr=False)
    is_whole: bool
    labels: np.ndarray = field(repr=False)
    near: np.ndarray = field(repr=False)
    shares: np.ndarray = field(repr=False)
    is_soft: bool
    border: np.ndarray = field(repr=False)
    border_labels: np.ndarray = field(repr=False)
    second: np.ndarray = field(repr=False)
    border_shares: np.ndarray = field(repr=False)


def gather_nodes(graph, labels, n_clusters, splits, stability=None, membership=None):
    """Choose the nodes to be listed and the border nodes (NodeFacts).

    `splits` is (weight inside the cluster, weight outside) of every node, `stability` that of every node or None,
    `membership` a sparse matrix of nodes by clusters or None.
    """

    def shares_of(nodes):
        parts = [_shares(graph, labels, n_clusters, piece, membership) for piece in _pieces(nodes)]
        near, shares = (np.concatenate(each) for each in zip(*parts, strict=True))
        return near, shares

    is_whole = graph.n_nodes <= MOST_LISTED
    if is_whole:
        listed = np.arange(graph.n_nodes)
    else:
        each = max(1, MOST_LISTED // np.count_nonzero(np.bincount(labels[labels >= 0])))
        listed = np.sort(np.concatenate(most_central(labels, *splits, n_clusters, each)))[:MOST_LISTED]
    near, shares = shares_of(listed)
    border = _doubtful(labels, *splits, stability)
    return NodeFacts(
        listed, is_whole, labels[listed], near, shares, membership is not None,
        *_border(border, labels[border], graph.degrees[border], stability, *shares_of(border)),
    )  # fmt: skip


def _pieces(nodes):
    return [nodes[start : start + _PIECE] for start in range(0, max(1, len(nodes)), _PIECE)]


def _shares(graph, labels, n_clusters, nodes, membership):
    """(clusters, shares) of some nodes, each of shape (n, 3), the largest first."""
    if membership is None:
        sums = cluster_shares(_rows(graph, nodes), labels, n_clusters)
        totals = np.repeat(graph.degrees[nodes], np.diff(sums.indptr))
    else:
        sums, totals = membership[nodes], 1.0
    values = sums.data / totals
    row = np.repeat(np.arange(len(nodes)), np.diff(sums.indptr))
    order = np.lexsort((sums.indices, -values, row))
    rank = np.arange(len(row)) - sums.indptr[row]
    first = rank < _N_NEAR
    near, shares = np.full((len(nodes), _N_NEAR), -1), np.zeros((len(nodes), _N_NEAR))
    near[row[first], rank[first]] = sums.indices[order][first]
    shares[row[first], rank[first]] = values[order][first]
    return near, shares


def _rows(graph, nodes):
    """Rows of the graph as a csr_array."""
    import scipy.sparse as sp

    starts = graph.indptr[nodes]
    lengths = graph.indptr[nodes + 1] - starts
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    entries = np.repeat(starts - indptr[:-1], lengths) + np.arange(indptr[-1])
    values = np.ones(len(entries)) if graph.weights is None else graph.weights[entries].astype(np.float64)
    return sp.csr_array((values, graph.indices[entries], indptr), shape=(len(nodes), graph.n_nodes))


def _doubtful(labels, inside, outside, stability):
    """Nodes that may lie between clusters: of low stability, then with much weight on both sides."""
    placed = np.flatnonzero((labels >= 0) & (outside > 0))
    keys = (placed, -np.minimum(inside, outside)[placed])
    if stability is not None:
        keys += (stability[placed],)
    return placed[np.lexsort(keys)[:_CANDIDATES]]


def _border(nodes, own, degrees, stability, near, shares):
    """Nodes whose second cluster has at least half of what their own has, with both and their shares of both."""
    is_own = near == own[:, None]
    first = np.where(is_own, shares, 0.0).sum(axis=1)
    # The largest share of another cluster stands in the first or second place.
    place = is_own[:, 0].astype(int)
    each = np.arange(len(nodes))
    second, other = near[each, place], shares[each, place]
    both = np.minimum(first, other) * degrees
    keys = (nodes, -both) if stability is None else (nodes, -both, stability[nodes])
    order = np.lexsort(keys)
    kept = order[((second >= 0) & (other >= first / 2) & (both > 0))[order]][:_N_BORDER]
    return nodes[kept], own[kept], second[kept], np.column_stack([first, other])[kept]
