"""Single nodes on the page: the cluster of each, its certainty, and the clusters next to it."""

import base64
import gzip
import json
from dataclasses import dataclass, field

import numpy as np

from ..cluster.evidence import cluster_shares
from ..metrics.clusters import most_central
from ..metrics.cut import sparse_rows
from ..neighbors.neighbor_lists import places_in_rows

MOST_LISTED = 100_000
_N_NEAR = 3
_N_BORDER = 30
# The number of nodes among which border nodes are sought: of low stability, and with much weight on both sides.
_CANDIDATES = 5_000
_PIECE = 1 << 14
# Smaller shares are left out of the data of the page's script.
_LEAST_SHARE = 0.05
# In letters, and the length of a row in the table of clusters: a page of 5,000 clusters is shorter than two million.
_MOST_PACKED, _PER_CLUSTER = 1_200_000, 130


@dataclass(frozen=True, eq=False)
class NodeFacts:
    """Nodes that the page can look up, and those at the borders of clusters, the most doubtful first."""

    listed: np.ndarray = field(repr=False)  # (n_listed,): all nodes, or the most central of each cluster; ascending
    is_whole: bool  # whether all nodes are listed
    labels: np.ndarray = field(repr=False)  # of those listed
    near: np.ndarray = field(repr=False)  # (n_listed, 3): clusters with the largest shares of each node, or -1
    shares: np.ndarray = field(repr=False)  # (n_listed, 3): these shares
    is_soft: bool  # whether shares are memberships of the model, and not of the node's edge weight
    border: np.ndarray = field(repr=False)  # (n_border,): nodes between two clusters
    border_labels: np.ndarray = field(repr=False)  # their cluster
    second: np.ndarray = field(repr=False)  # the other one
    border_shares: np.ndarray = field(repr=False)  # (n_border, 2): their shares of the two


def gather_nodes(graph, labels, n_clusters, splits, stability, membership):
    """Choose the nodes to be listed and the border nodes (NodeFacts).

    `splits` is (weight inside the cluster, weight outside) of every node, `stability` that of every node or None,
    `membership` a sparse matrix of nodes by clusters or None.
    """

    def shares_of(nodes):
        pieces = [nodes[start : start + _PIECE] for start in range(0, max(1, len(nodes)), _PIECE)]
        parts = [_shares(graph, labels, n_clusters, piece, membership) for piece in pieces]
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


def _shares(graph, labels, n_clusters, nodes, membership):
    """Return (clusters, shares) of some nodes, each of shape (n, 3), the largest first."""
    if membership is None:
        sums = cluster_shares(sparse_rows(graph, nodes), labels, n_clusters)
        totals = np.repeat(graph.degrees[nodes], np.diff(sums.indptr))
    else:
        sums, totals = membership[nodes], 1.0
    sums.sort_indices()  # of equal shares the first cluster comes first
    values = sums.data / totals
    row = np.repeat(np.arange(len(nodes)), np.diff(sums.indptr))
    rank = places_in_rows(row, -values)
    first = rank < _N_NEAR
    near, shares = np.full((len(nodes), _N_NEAR), -1), np.zeros((len(nodes), _N_NEAR))
    near[row[first], rank[first]] = sums.indices[first]
    shares[row[first], rank[first]] = values[first]
    return near, shares


def _doubtful(labels, inside, outside, stability):
    """Return nodes that may lie between clusters: of low stability, then with much weight on both sides."""
    placed = np.flatnonzero((labels >= 0) & (outside > 0))
    keys = (placed, -np.minimum(inside, outside)[placed])
    if stability is not None:
        keys += (stability[placed],)
    return placed[np.lexsort(keys)[:_CANDIDATES]]


def _border(nodes, own, degrees, stability, near, shares):
    """Return nodes with at least half as much in a second cluster as in their own, both clusters, shares of both."""
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


# -- data of the page's script -----------------------------------------------------------------------------------------


def pack(facts):
    """Return (data, whether shares are among them): base64 of compressed JSON, text that HTML leaves alone.

    Node names come in alphabetical order, which packs best; without names and with all nodes listed there are none.
    Shares are left out where they would make a large page.
    """

    def percent(shares):
        """In whole numbers; -1 where nothing is known."""
        return np.rint(100 * np.nan_to_num(shares[nodes.listed[order]], nan=-0.01)).astype(int).tolist()

    nodes = facts.nodes
    names, order = None, np.arange(len(nodes.listed))
    if not nodes.is_whole or facts.graph.node_names is not None:
        names = [shortened(str(name)) for name in facts.graph.names_of(nodes.listed).tolist()]
        order = np.array(sorted(range(len(names)), key=names.__getitem__))
        names = [names[i] for i in order]
    told = (nodes.shares[order] >= _LEAST_SHARE).T
    shares = np.where(told, np.rint(100 * nodes.shares[order].T), 0).astype(int)
    found = {
        "names": names, "labels": nodes.labels[order].tolist(),
        "near": np.where(told, nodes.near[order].T, -1).tolist(), "shares": shares.tolist(),
        "stability": None if facts.node_stability is None else percent(facts.node_stability),
    }  # fmt: skip
    if facts.robustness is not None:
        found["robustness"] = percent(facts.robustness.nodes)
    packed = _packed(found)
    n_rows = facts.n_clusters + sum(len(level.inside) for level in facts.levels)
    if len(packed) <= _MOST_PACKED - _PER_CLUSTER * n_rows:
        return packed, True
    return _packed(found | {"near": [], "shares": []}), False


def _packed(found):
    text = json.dumps(found, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode("ascii"), mtime=0)).decode("ascii")


def shortened(name, longest=80):
    """Cut a name that is longer than `longest` letters."""
    return name if len(name) <= longest else f"{name[: longest - 1]}…"
