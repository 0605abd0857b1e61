"""References of the bench for the search: belief propagation, and the best union of micro-clusters."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp

from bench.belief_propagation import marginals
from bench.cases import detectability, losses
from bench.scoring import information
from graphcore import datasets


def test_belief_propagation_is_exact_on_a_tree():
    ends = np.array([[0, 1], [1, 2], [1, 3], [3, 4], [3, 5]])
    tree = sp.csr_array((np.ones(5), ends.T), shape=(6, 6))
    tree = (tree + tree.T).tocsr()
    k, mixing = 3, 0.4
    prior = np.random.default_rng(0).normal(size=(6, k))
    weights = np.zeros((6, k))
    for labels in map(np.array, product(range(k), repeat=6)):
        same = labels[ends[:, 0]] == labels[ends[:, 1]]
        weight = np.exp(prior[range(6), labels].sum()) * np.prod(mixing + (1 - mixing) * k * same)
        weights[range(6), labels] += weight
    # Expected degrees of nearly nothing: pairs that are no edges then say nothing.
    beliefs, _ = marginals(
        tree.indptr, tree.indices, np.full(6, 1e-12), k, mixing, prior=prior, rng=1, n_rounds=60, tolerance=1e-12
    )
    np.testing.assert_allclose(beliefs, weights / weights.sum(axis=1, keepdims=True), atol=1e-6)


@pytest.mark.parametrize(("ratio", "low", "high"), [(0.3, -0.05, 0.05), (5, 0.6, 1.0)])
def test_belief_propagation_finds_clusters_above_the_threshold_only(monkeypatch, ratio, low, high):
    monkeypatch.setitem(detectability.SIZES, 2, 400)
    assert low <= detectability._score(detectability.found("random", 2, "uneven", 8, ratio, 0, 1))["ari"] <= high


def test_uneven_degrees_lower_the_threshold():
    equal, uneven = (detectability.expected_degrees(2, kind, 8, 0) for kind in ("equal", "uneven"))
    assert detectability.excess_degree(equal) == pytest.approx(8)
    assert uneven.mean() == pytest.approx(8) and detectability.excess_degree(uneven) > 10


def test_micro_clusters_reach_what_their_unions_have():
    graph, truth = datasets.planted_partition(3, 40, 0.3, 0.02, random_state=0)
    halves = (2 * truth + np.arange(120) % 2).astype(np.int32)
    best = losses.value(graph, truth, 3)
    assert best == pytest.approx(information(graph.indptr, graph.indices, truth, 3))
    assert losses.reached(graph, halves, truth, 3) == pytest.approx(best)
    # Groups that lie across the clusters cannot be put together to them.
    across = (np.arange(120) % 40).astype(np.int32)
    assert losses.reached(graph, across, truth, 3) < 0.5 * best
    assert losses.value(graph, losses.moved(graph, truth, 3), 3) >= best
