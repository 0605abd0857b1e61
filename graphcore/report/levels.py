"""Other numbers of clusters: what the top of a merge tree is made of."""

from dataclasses import dataclass, field

import numpy as np

from ..metrics import quotient_graph
from ..metrics.clusters import most_central
from ..partition.cluster_sums import ClusterSums, cluster_sums
from ..partition.merge import MergeTree
from ..partition.quotient import apply_labels, graph_rows

_MOST = 200
_N_CENTRAL = 3


@dataclass(frozen=True, eq=False)
class Levels:
    """The last unions of a merge tree, and every cluster that they are made of.

    Attributes
    ----------
    tree : MergeTree
        Of these unions: its clusters have the same numbers as in the whole tree.
    sums : ClusterSums
        Of all ``2 n_leaves - 1`` clusters.
    central : list of list of str
        Names of the most central nodes of each: of the leaves by weight inside, of a union those of its parts.
    """

    tree: MergeTree = field(repr=False)
    sums: ClusterSums = field(repr=False)
    central: list = field(repr=False)


def gather_levels(graph, labels, facts, clustering, n_jobs=None):
    """Levels of the fit's merge tree, or else of the one over the clusters themselves; None without a tree."""
    tree = None if clustering is None else clustering.merge_tree
    if tree is not None and tree.n_leaves > 2:
        wanted, groups = max(20, 2 * len(facts.filled)), clustering.groups
    elif facts.tree is not None and facts.tree.n_leaves > 2:
        wanted, tree = _MOST, facts.tree
        table = np.full(facts.n_clusters, -1, dtype=np.int32)
        table[facts.filled] = np.arange(len(facts.filled))
        groups = apply_labels(table, labels)
    else:
        return None
    n = min(tree.n_leaves, wanted, _MOST)
    tree, table = tree.top(n)
    leaves = apply_labels(table, groups)
    inside, outside = np.empty(graph.n_nodes), np.empty(graph.n_nodes)
    sums = cluster_sums(graph_rows(graph), leaves, n, n_jobs, splits=(inside, outside))
    between = quotient_graph(graph, leaves, n, n_jobs=n_jobs)
    central = most_central(leaves, inside, outside, n, _N_CENTRAL)
    return Levels(tree, _united(sums, between, tree.children), _names(graph, central, inside, tree.children))


def _united(sums, between, children):
    """Sums of all clusters of a tree whose leaves have these sums, and these weights between them."""
    n = len(children) + 1
    weight = np.zeros((2 * n - 1, 2 * n - 1))
    weight[:n, :n] = between.toarray()
    internal, volume, size = (
        np.concatenate([each, np.zeros(n - 1, each.dtype)]) for each in (sums.internal, sums.volume, sums.size)
    )
    for i, (a, b) in enumerate(children, start=n):
        internal[i] = internal[a] + internal[b] + 2 * weight[a, b]
        volume[i], size[i] = volume[a] + volume[b], size[a] + size[b]
        weight[i] = weight[a] + weight[b]
        weight[:, i] = weight[i]
    return ClusterSums(internal, volume, np.maximum(volume - internal, 0.0), size)


def _names(graph, central, inside, children):
    """Names of central nodes, those of a union being the first of its parts."""
    central = list(central)
    for a, b in children:
        both = np.concatenate([central[a], central[b]])
        central.append(both[np.argsort(-inside[both], kind="stable")[:_N_CENTRAL]])
    return [[str(name) for name in graph.names_of(nodes).tolist()] for nodes in central]
