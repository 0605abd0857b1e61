"""Peers and references written in bench/, beside slow and plain versions."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import ElasticNet, orthogonal_mp

import graphcore
from bench import subspaces
from bench.belief_propagation import marginals
from bench.cases import detectability, losses
from bench.cases import minibatch as minibatch_case
from bench.cases import subspaces as subspaces_case
from bench.minibatch import gaussian, minibatch_kernel_kmeans, plus_plus
from bench.scoring import information
from bench.subspaces import elastic_net_affinity, omp_affinity, spectral
from graphcore import datasets
from graphcore.kernel_methods.kmeans.exact import partition_cost

GAMMA = 0.3


def in_feature_space(X, k, rng, batch, window, n_steps):
    """Run mini-batch kernel k-means on explicit features; centres are lists of (mean, weight, number of points)."""
    values, vectors = np.linalg.eigh(gaussian(X, X, GAMMA))
    features = vectors * np.sqrt(values.clip(0.0))
    parts = [[(features[i], 1.0, 1)] for i in plus_plus(X, k, GAMMA, rng)]

    def nearest(rows):
        centres = np.array([sum(weight * mean for mean, weight, _ in each) for each in parts])
        return np.square(rows[:, None] - centres).sum(axis=2).argmin(axis=1)

    for _ in range(n_steps):
        drawn = features[rng.integers(len(X), size=batch)]
        labels = nearest(drawn)
        for j in np.unique(labels):
            rate = np.sqrt((labels == j).sum() / batch)
            kept = [(mean, (1 - rate) * weight, count) for mean, weight, count in parts[j]]
            kept.append((drawn[labels == j].mean(axis=0), rate, (labels == j).sum()))
            while sum(count for *_, count in kept[1:]) >= window:
                kept.pop(0)
            total = sum(weight for _, weight, _ in kept)
            parts[j] = [(mean, weight / total, count) for mean, weight, count in kept]
    return nearest(features)


@pytest.mark.parametrize("window", [1, 12, 10**6])
@pytest.mark.parametrize("seed", range(3))
def test_centres_of_batches_are_those_of_explicit_features(seed, window):
    X = np.random.default_rng(seed).normal(size=(80, 3))
    found, steps = minibatch_kernel_kmeans(
        X, 4, GAMMA, np.random.default_rng(seed), batch=20, window=window, max_steps=9
    )
    assert steps == 9
    np.testing.assert_array_equal(found, in_feature_space(X, 4, np.random.default_rng(seed), 20, window, 9))


def test_steps_end_when_the_cost_no_longer_falls():
    X = np.random.default_rng(0).normal(size=(300, 3))
    steps = [minibatch_kernel_kmeans(X, 4, GAMMA, np.random.default_rng(0), batch=100, tol=tol)[1] for tol in (1, 0.01)]
    assert steps[0] == 1 < steps[1] < 200


def test_costs_are_those_of_the_library():
    rng = np.random.default_rng(0)
    X, labellings = rng.normal(size=(90, 4)), [rng.integers(0, k, 90) for k in (1, 3, 7)]
    expected = [partition_cost(gaussian(X, X, GAMMA), labels) for labels in labellings]
    np.testing.assert_allclose(minibatch_case.costs(X, GAMMA, labellings, block=40), expected, rtol=1e-6)
    some = minibatch_case.costs(X, GAMMA, labellings, n_rows=60)
    assert 0 < abs(some[1] - expected[1]) < 0.1  # others, but like them


@pytest.fixture
def points():
    X = np.random.default_rng(0).normal(size=(40, 6))
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def affinity_of(rows):
    C = np.abs(np.array(rows))
    return C + C.T


def test_affinities_are_the_coefficients_of_all_other_points(points, limits):
    limits(subspaces, FIRST=5)
    n = len(points)
    greedy, net = np.zeros((n, n)), np.zeros((n, n))
    for i, x in enumerate(points):
        others = np.delete(points, i, axis=0)
        greedy[i, np.arange(n) != i] = orthogonal_mp(others.T, x, n_nonzero_coefs=3)
        gamma = 5 * 0.95 / np.abs(others @ x).max()
        model = ElasticNet(1 / (gamma * len(x)), l1_ratio=0.95, fit_intercept=False, max_iter=100_000, tol=1e-8)
        net[i, np.arange(n) != i] = model.fit(others.T, x).coef_
    np.testing.assert_allclose(omp_affinity(points, 3).toarray(), affinity_of(greedy), atol=1e-10)
    # Omitted coefficients may be up to a hundredth.
    np.testing.assert_allclose(elastic_net_affinity(points, alpha=5.0, tol=1e-8).toarray(), affinity_of(net), atol=0.01)


@pytest.mark.parametrize("affinity", [omp_affinity, elastic_net_affinity])
def test_subspaces_apart_are_found(affinity):
    rng = np.random.default_rng(0)
    truth = np.arange(90) % 3
    X = np.zeros((90, 9))
    for i, label in enumerate(truth):
        X[i, 3 * label : 3 * label + 3] = rng.normal(size=3)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    A = affinity(X)
    assert not A.toarray()[truth[:, None] != truth].any()
    # The points of a subspace need not be connected: a known weakness of matching pursuit.
    assert graphcore.metrics.agreement(truth, spectral(A, 3, 0))["ari"] > (0.8 if affinity is omp_affinity else 0.999)


@pytest.mark.slow
def test_both_cases_write_a_table(options, limits):
    options.quick = True
    absent = {"not here": lambda _: None}
    limits(minibatch_case, LOADERS={"toy": lambda _: minibatch_case.planted(3, 3000, 5)} | absent)
    limits(subspaces_case, LOADERS={"toy": lambda _: subspaces_case.planted(150, 3, 2, 6)} | absent)
    for case in (minibatch_case, subspaces_case):
        report = case.run(options)
        assert "Not in the data folder" in report.sections[-1] and "not here" not in report.page
        assert len(report.page.splitlines()) == len(report.outcomes) + 4
        assert report.json()
    by_title = {outcome.method.title: outcome for outcome in report.outcomes}
    assert by_title["planes, random start"].median("ari") == by_title["EnSC"].median("ari") == 1
    assert by_title["k-means"].median("ari") < 0.5


# -- the search: belief propagation, and the best union of micro-clusters ----------------------------------------------


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
