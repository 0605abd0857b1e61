"""Peers written in bench/: mini-batch kernel k-means and subspace clustering, beside slow and plain versions."""

import numpy as np
import pytest
from sklearn.linear_model import ElasticNet, orthogonal_mp

import graphcore
from bench import harness, subspaces
from bench.cases import minibatch as minibatch_case
from bench.cases import subspaces as subspaces_case
from bench.minibatch import gaussian, minibatch_kernel_kmeans, plus_plus
from bench.subspaces import elastic_net_affinity, omp_affinity, spectral
from graphcore.kernel_methods.kmeans.exact import partition_cost

GAMMA = 0.3


def in_feature_space(X, k, rng, batch, window, n_steps):
    """Mini-batch kernel k-means on explicit features: centres are lists of (mean, weight, how many points)."""
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
def test_both_cases_write_a_table(tmp_path, limits):
    options = harness.Options(
        data=tmp_path, peers=tmp_path, seeds=2, threads=1, timeout=9.0, memory_bytes=0, quick=True
    )
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
