"""networkx's measures of partitions, by its own definitions."""

from itertools import chain

import numpy as np

from .._arrays import read_only

__all__ = ["is_partition", "modularity", "partition_quality"]


def is_partition(G, communities):
    """Whether every node is in one community, and nothing else is."""
    return _labels(G, list(communities)) is not None


def modularity(G, communities, weight="weight", resolution=1):
    """Share of the edges inside communities, less what their degrees alone would give."""
    communities = communities if isinstance(communities, list) else list(communities)
    labels = _labels(G, communities)
    if labels is None:
        from networkx.algorithms.community.quality import NotAPartition

        raise NotAPartition(G, communities)
    k = len(communities)
    loops = G.diagonal(weight)
    inside = _inside(G, labels, k, weight)
    by_row = np.bincount(labels, weights=G.degrees(weight), minlength=k)
    if G.is_directed():
        by_column = G.matrix(weight).sum(axis=0)
        m = float(by_row.sum())
        expected = by_row * np.bincount(labels, weights=by_column, minlength=k) * (1 / m**2)
    else:
        inside = (inside + np.bincount(labels, weights=loops, minlength=k)) / 2
        m = float(by_row.sum()) / 2
        expected = by_row**2 * (1 / (2 * m) ** 2)
    return float((inside / m - resolution * expected).sum())


def partition_quality(G, partition):
    """Coverage (share of the edges inside) and performance (share of the pairs that the partition gets right)."""
    partition = list(partition)
    labels = _labels(G, partition)
    if labels is None:
        import networkx as nx

        raise nx.NetworkXError("`partition` is not a valid partition of the nodes of G")
    n, n_edges = len(G), G.number_of_edges()
    inside = int(_inside(G, labels, len(partition), None).sum())
    if not G.is_directed():
        inside = (inside + int(G.diagonal(None).sum())) // 2
    coverage = inside / n_edges
    if G.is_multigraph():
        return coverage, -1.0
    sizes = [len(community) for community in partition]
    pairs, between = n * (n - 1), n * n - sum(size * size for size in sizes)
    if not G.is_directed():
        pairs, between = pairs // 2, between // 2
    return coverage, (inside + between - (n_edges - inside)) / pairs


def _labels(G, communities):
    """Community of every node, or None if a node is in none or in several, or a community names what is no node."""
    sizes = np.fromiter(map(len, communities), dtype=np.int64, count=len(communities))
    numbers = G.numbers_of(chain.from_iterable(communities))
    if not len(G) == sizes.sum() == len(numbers):
        return None
    labels = np.full(len(G), -1, dtype=np.int32)
    labels[numbers] = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    return labels if len(G) == 0 or labels.min() >= 0 else None


def _inside(G, labels, n_communities, weight):
    """Sum of the entries inside of each community."""
    from ..partition.cluster_sums import cluster_sums
    from ..partition.quotient import GraphRows

    rows = GraphRows(G.indptr, G.indices, G.loop_weights(weight), read_only(np.zeros(len(G))))
    return cluster_sums(rows, labels, n_communities, 1).internal
