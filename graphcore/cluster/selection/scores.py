"""What other ways to choose k read off a sweep: description length, eigenvalues, agreement."""

from itertools import combinations

import numpy as np

from ..partition.quotient import matrix_of
from ..spectral.exact import spectral_embedding
from .information import effective_edges


def partition_length(tree):
    """Nats that it takes to write down each of a tree's partitions of the nodes, for k = 1, 2, ..., n_leaves.

    They are for the number of clusters, ``log n``; their sizes, ``log C(n - 1, k - 1)``; and which node is where,
    ``log(n! / prod n_r!)``.
    """
    from scipy.special import gammaln

    n = int(tree.leaf_sizes.sum())
    logs = gammaln(tree.summed(tree.leaf_sizes) + 1.0)
    merged = logs[tree.n_leaves :] - logs[tree.children].sum(axis=1)
    # From one cluster up: each split takes back what its union added.
    inside = gammaln(n + 1.0) - np.concatenate([[0.0], np.cumsum(merged[::-1])])
    k = np.arange(1, tree.n_leaves + 1)
    choose = gammaln(n) - gammaln(k) - gammaln(n - k + 1.0)
    return np.log(n) + choose + gammaln(n + 1.0) - inside


def description_gain(micro_tree, graph):
    """Nats by which k = 1, 2, ... clusters shorten the description of a graph, against one cluster; the first is 0.

    Edges times information is the gain in log-likelihood of a degree-corrected planted partition model over its form
    with one cluster. What is paid are the labels, see :func:`partition_length`, and half of log(edges) for each of the
    k + 1 fitted rates. A Bayesian relative: Zhang, Peixoto, "Statistical inference of assortative community
    structures", Physical Review Research 2 (2020).
    """
    n_edges = effective_edges(graph)
    length = partition_length(micro_tree.tree)
    k = np.arange(1, micro_tree.n_micro_clusters + 1)
    rates = np.where(k == 1, 0.0, 0.5 * k * np.log(n_edges))
    return n_edges * micro_tree.information - (length - length[0]) - rates


def laplacian_eigenvalues(rows, n_values, *, random_state=None):
    """The smallest eigenvalues of the normalised Laplacian of a quotient graph with its self-loops, ascending from 0.

    They are the Rayleigh-Ritz values of the whole graph's Laplacian on functions that are constant on micro-clusters,
    so none is below the whole graph's eigenvalue of the same rank.
    """
    _, values = spectral_embedding(matrix_of(rows), n_values, random_state=random_state)
    return np.maximum(1.0 - values, 0.0)


def agreement_at(trees, n_clusters):
    """Mean adjusted Rand index over all pairs of coresets (at least two trees), at one number of clusters."""
    from sklearn.metrics import adjusted_rand_score

    labellings = [tree.labels_at(n_clusters) for tree in trees]
    linked = labellings[0] >= 0  # isolated nodes are in no cluster of any coreset
    pairs = combinations([labels[linked] for labels in labellings], 2)
    return float(np.mean([adjusted_rand_score(a, b) for a, b in pairs]))
