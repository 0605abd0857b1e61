"""Description length: how many clusters shorten the description of the graph most."""

import numpy as np

from .information import effective_edges


def partition_length(tree):
    """Nats that it takes to write down each of a tree's partitions of the nodes, for k = 1, 2, ..., n_leaves.

    They are for the number of clusters, ``log n``; their sizes, ``log C(n - 1, k - 1)``; and which node is where,
    ``log(n! / prod n_r!)``.
    """
    from scipy.special import gammaln

    n = int(tree.leaf_sizes.sum())
    sizes = np.concatenate([tree.leaf_sizes, np.zeros(len(tree.children), dtype=np.int64)])
    for step, (a, b) in enumerate(tree.children):
        sizes[tree.n_leaves + step] = sizes[a] + sizes[b]
    logs = gammaln(sizes + 1.0)
    merged = logs[tree.n_leaves :] - logs[tree.children].sum(axis=1)
    # From one cluster up: each split takes back what its union added.
    inside = gammaln(n + 1.0) - np.concatenate([[0.0], np.cumsum(merged[::-1])])
    k = np.arange(1, tree.n_leaves + 1)
    choose = gammaln(n) - gammaln(k) - gammaln(n - k + 1.0)
    return np.log(n) + choose + gammaln(n + 1.0) - inside


def description_gain(micro_tree, graph):
    """Nats by which k = 1, 2, ... clusters shorten the description of a graph, against one cluster; the first is 0.

    Edges times information is the gain in log-likelihood of a degree-corrected planted partition model over its form
    with one cluster. What is paid are the labels, see :func:`partition_length`, and half of log(edges) for each fitted
    rate, of which there are k inside the clusters and one between them. For a fully Bayesian relative see Zhang,
    Peixoto, "Statistical inference of assortative community structures", Physical Review Research 2 (2020).
    """
    n_edges = effective_edges(graph)
    length = partition_length(micro_tree.tree)
    k = np.arange(1, micro_tree.n_micro_clusters + 1)
    rates = np.where(k == 1, 0.0, 0.5 * k * np.log(n_edges))
    return n_edges * micro_tree.information - (length - length[0]) - rates
