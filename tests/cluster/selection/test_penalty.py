"""The penalised error of the report: its numbers, its switch points, and what it costs a graph."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from graphcore import Graph, ParameterError, select_n_clusters
from graphcore.cluster.n_clusters import sweep_coresets
from graphcore.cluster.penalty import (
    kmeans_cost_of_graph,
    kmeans_errors,
    penalised_curve,
    penalty,
    radius_of,
    statistical_bound,
)

from ...oracles import cost_of_partition, dense_kernel, partitions, quick, random_adjacency


def tight_clusters(g, n, rng):
    """Points around g places at 0.97 on the axes (for two: at both ends of one axis)."""
    places = 0.97 * (np.array([[1.0, 0], [-1.0, 0]]) if g == 2 else np.eye(g))
    return places[np.arange(n) % g] + 0.01 * rng.standard_normal((n, places.shape[1]))


def chosen(X, radius=1.0):
    candidates = np.arange(1, len(X) + 1)
    _, penalised = penalised_curve(kmeans_errors(X, 0, n_init=3), candidates, len(X), radius)
    return int(np.nanargmin(penalised)) + 1


def test_values_of_the_report():
    np.testing.assert_allclose(penalty([1, 2, 3, 5, 10], 1000), [0.238, 0.581, 0.846, 1.350, 2.570], atol=6e-4)
    np.testing.assert_allclose(penalty([1, 2, 3, 5, 10], 10_000), [0.0752, 0.184, 0.268, 0.427, 0.813], atol=6e-4)
    assert penalty(1, 1) == pytest.approx(7.519885, abs=1e-6)
    assert penalty(3, 500, radius=2.0) == pytest.approx(4 * penalty(3, 500))


@given(st.integers(1, 117))
def test_up_to_117_points_one_is_best_whatever_the_data(n):
    # The error of one mean is at most R^2, and no error is negative.
    k = np.arange(2, n + 1)
    assert (penalty(k, n) >= 1 + penalty(1, n)).all()
    assert penalty(2, 118) < 1 + penalty(1, 118)


@given(st.integers(118, 10**7))
def test_no_more_than_the_bound_can_be_chosen(n):
    most = int(1 + np.sqrt(n) / np.sqrt(18 * np.pi))
    assert penalty(most + 1, n) > 1 + penalty(1, n)


@pytest.mark.parametrize(
    ("g", "n", "expected"), [(2, 100, 1), (2, 200, 2), (3, 500, 1), (3, 1000, 3), (5, 2000, 1), (5, 5000, 5)]
)
def test_switch_points(g, n, expected):
    assert chosen(tight_clusters(g, n, np.random.default_rng(g))) == expected


def test_the_whole_way_from_vectors():
    X = 30 * tight_clusters(2, 1000, np.random.default_rng(0)) + 7  # anywhere, in any unit
    found = select_n_clusters(X, method="penalty", random_state=0)
    assert found.best == 2
    assert found.clear is None
    penalised, errors = found.curves["penalised error"], found.curves["error"]
    k = found.candidates[np.isfinite(errors)]
    radius = np.linalg.norm(X - X.mean(axis=0), axis=1).max()
    np.testing.assert_allclose(penalised[: len(k)] - errors[: len(k)], penalty(k, 1000, radius), rtol=1e-9)
    assert np.isnan(penalised[len(k) :]).all()
    assert select_n_clusters(sp.csr_array(X), method="penalty", random_state=0).best == 2


@pytest.mark.slow
def test_errors_do_not_rise_and_are_near_the_least_of_all_partitions():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((9, 2))
    error_of = kmeans_errors(X, 0)
    before = np.inf
    for k in range(1, 10):
        error = error_of(k)
        rows = partitions(9, k)
        least = min(sum(((X[r == c] - X[r == c].mean(axis=0)) ** 2).sum() for c in range(k)) for r in rows) / 9
        assert least - 1e-12 <= error <= min(before, 1.02 * least + 1e-12)
        before = error
    assert error == pytest.approx(0, abs=1e-12)


def test_stopping_early_changes_nothing():
    errors = np.array([1.0, 0.45, 0.2, 0.15, 0.0, 0.0, 0.0, 0.0])
    candidates = np.array([1, 2, 3, 5, 8, 13, 21, 34])
    for n in (50, 200, 1000, 5000, 10**5):
        asked = []

        def error_of(k, asked=asked):
            asked.append(k)
            return errors[np.searchsorted(candidates, k)]

        _, penalised = penalised_curve(error_of, candidates, n, 1.0)
        everything = errors + penalty(candidates, n)
        assert np.nanargmin(penalised) == np.argmin(everything)
        assert np.isfinite(penalised).sum() == len(asked)
    assert len(asked) > 3


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_radius(kind):
    X = np.random.default_rng(0).random((50, 4))
    assert radius_of(kind(X)) == pytest.approx(np.linalg.norm(X - X.mean(axis=0), axis=1).max())


@quick
@given(st.integers(4, 20), st.integers(0, 2**32 - 1))
def test_cost_of_a_graph_is_that_of_weighted_kernel_kmeans(n, seed):
    A = random_adjacency(n, 0.4, np.random.default_rng(seed), weighted=True, loops=0.3)
    A[0, 1] = A[1, 0] = 1.0
    graph = Graph.from_scipy(A, warn=False)
    linked = A.sum(axis=1) > 0
    tree = sweep_coresets(graph, min(3, int(linked.sum())), random_state=seed)[0].trees[0]
    error_of, radius = kmeans_cost_of_graph(graph, tree)
    B = A[np.ix_(linked, linked)]
    K, weights = dense_kernel(B, shift=1.0)
    assert radius**2 == pytest.approx(K.diagonal().max())
    for k in range(1, tree.n_micro_clusters + 1):
        labels = tree.labels_at(k)[linked]
        assert error_of(k) == pytest.approx(cost_of_partition(K, weights, labels, k) / weights.sum(), abs=1e-10)


def test_statistical_bound():
    assert statistical_bound(3, 400, 0.1) == pytest.approx(3 * 7.519885 / 20 + np.sqrt(8 * np.log(10) / 400), abs=1e-6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: penalty(1, 0), "n=0 must be at least 1"),
        (lambda: penalty(0, 10), "must be integers of at least 1"),
        (lambda: penalty(1.5, 10), "must be integers of at least 1"),
        (lambda: penalty(1, 10, radius=-1.0), "radius=-1"),
        (lambda: penalty(1, 10, radius=float("nan")), "radius=nan"),
        (lambda: statistical_bound(1, 10, 0.0), "delta=0.0 must be more than 0"),
        (lambda: statistical_bound(1, 10, 1.1), "delta=1.1 must be at most 1"),
        (lambda: statistical_bound(0, 10, 0.5), "k=0 must be at least 1"),
    ],
)
def test_bad_values(call, message):
    with pytest.raises(ParameterError, match=message):
        call()
