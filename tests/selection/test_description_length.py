"""Description length, against counting and against the likelihood edge by edge."""

from math import comb, factorial, log

import numpy as np
import pytest
from graphcore.selection.description_length import description_gain, partition_length
from hypothesis import given
from hypothesis import strategies as st

from graphcore import Graph
from graphcore.selection.sweep import micro_cluster_trees

from ..oracles import planted, quick, random_adjacency


def likelihood_gain(A, labels):
    """Log-likelihood of the edges under the fitted planted partition over that under one block, edge by edge."""
    degrees = A.sum(axis=1)
    total = degrees.sum()
    k = labels.max() + 1
    volumes = np.array([degrees[labels == c].sum() for c in range(k)])
    inner = np.array([A[np.ix_(labels == c, labels == c)].sum() for c in range(k)])
    cut = total - inner.sum()
    inside = inner / volumes**2
    between = cut / (total**2 - (volumes**2).sum()) if cut else 0.0
    gain = 0.0
    for i, j in zip(*np.nonzero(np.triu(A)), strict=True):
        rate = inside[labels[i]] if labels[i] == labels[j] else between
        gain += log(rate / (1 / total))
    return gain


@quick
@given(st.integers(4, 20), st.sampled_from([0.2, 0.5]), st.integers(0, 2**32 - 1))
def test_gain_is_likelihood_less_labels_and_rates(n, density, seed):
    A = random_adjacency(n, density, np.random.default_rng(seed))
    for i in range(n):  # a ring, so that no node is isolated
        A[i, (i + 1) % n] = A[(i + 1) % n, i] = 1.0
    graph = Graph.from_scipy(A)
    (tree,) = micro_cluster_trees(graph, min(4, n), random_state=seed)
    lengths = partition_length(tree.tree)
    gains = description_gain(tree, graph)
    n_edges = A.sum() / 2
    assert gains[0] == 0
    for k in range(1, tree.n_micro_clusters + 1):
        labels = tree.labels_at(k)
        ways = factorial(n)
        for size in np.bincount(labels):
            ways //= factorial(int(size))
        length = log(n) + log(comb(n - 1, k - 1)) + log(ways)
        assert lengths[k - 1] == pytest.approx(length, abs=1e-8)
        if k > 1:
            expected = likelihood_gain(A, labels) - (length - log(n)) - 0.5 * k * log(n_edges)
            assert gains[k - 1] == pytest.approx(expected, abs=1e-7)


def test_planted_blocks_have_the_shortest_description():
    graph, _ = planted(7, 100, 0.2, 0.01, 3)
    (tree,) = micro_cluster_trees(graph, 40, random_state=0)
    gains = description_gain(tree, graph)
    assert int(np.argmax(gains)) + 1 == 7
    assert gains[6] > 1000
