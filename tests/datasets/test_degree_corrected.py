"""The degree-corrected planted partition: probabilities of pairs, degrees, mixing, power law."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from graphcore import Graph, ParameterError
from graphcore.datasets import degree_corrected_partition
from graphcore.datasets.planted import _node_at, _power_law

# A standard normal variable exceeds this in absolute value with probability 2e-9.
SIX_SIGMA = 6.0


@pytest.mark.slow
def test_every_pair_has_its_probability_and_pairs_are_independent():
    """Over 4,000 graphs of 6 nodes: 15 frequencies and 105 covariances, beyond six sigma with probability 3e-7."""
    n_graphs, mixing = 4000, 0.3
    d = np.array([0.5, 1.0, 3.0, 2.0, 1.0, 0.7])
    labels = np.array([0, 0, 0, 0, 1, 1])
    same = labels[:, None] == labels
    within = np.array([d[labels == cluster].sum() for cluster in labels])
    mean = np.outer(d, d) * ((1 - mixing) * same / within[:, None] + mixing / d.sum())
    upper = np.triu_indices(6, 1)
    p = -np.expm1(-mean[upper])
    drawn = np.empty((n_graphs, len(p)))
    for seed in range(n_graphs):
        graph, found = degree_corrected_partition(2, [4, 2], mixing=mixing, expected_degrees=d, random_state=seed)
        drawn[seed] = graph.to_scipy().toarray()[upper]
    np.testing.assert_array_equal(found, labels)
    variance = p * (1 - p)
    assert (np.abs(drawn.mean(axis=0) - p) <= SIX_SIGMA * np.sqrt(variance / n_graphs)).all()
    covariance = (drawn - p).T @ (drawn - p) / n_graphs
    bound = SIX_SIGMA * np.sqrt(np.outer(variance, variance) / n_graphs)
    assert (np.abs(covariance) <= bound)[~np.eye(len(p), dtype=bool)].all()


@given(
    sizes=st.lists(st.integers(1, 30), min_size=1, max_size=6),
    mean_degree=st.floats(1e-3, 30),
    mixing=st.sampled_from([0.0, 0.4, 1.0]),
    ratio=st.sampled_from([1.0, 10.0, 1e4]),
    seed=st.integers(0, 2**32 - 1),
)
def test_structure(sizes, mean_degree, mixing, ratio, seed):
    graph, labels = degree_corrected_partition(
        len(sizes), sizes, mean_degree=mean_degree, mixing=mixing, degree_ratio=ratio, random_state=seed
    )
    Graph(graph.indptr, graph.indices)  # checks order, range and symmetry
    assert graph.n_nodes == sum(sizes)
    assert graph.n_self_loops == 0
    assert not graph.is_weighted
    np.testing.assert_array_equal(labels, np.repeat(np.arange(len(sizes)), sizes))
    if mixing == 0:
        assert (np.repeat(labels, np.diff(graph.indptr)) == labels[graph.indices]).all()


def test_degrees_and_mixing_are_as_expected():
    """Degrees are nearly Poisson; three variables, one beyond six sigma with probability 6e-9."""
    k, size, mixing = 10, 2000, 0.25
    d = np.where(np.arange(k * size) % 2, 5.0, 15.0)
    graph, labels = degree_corrected_partition(k, size, mixing=mixing, expected_degrees=d, random_state=0)
    # Self-loops and merged edges take about one edge in size / d from inside the clusters.
    lost = 30 * k
    for value in (5.0, 15.0):
        found, want = graph.degrees[d == value].sum(), d[d == value].sum()
        assert abs(found - want) <= SIX_SIGMA * np.sqrt(2 * want) + lost
    inside = np.count_nonzero(np.repeat(labels, np.diff(graph.indptr)) == labels[graph.indices]) / graph.n_entries
    want = 1 - mixing + mixing / k
    assert abs(inside - want) <= SIX_SIGMA * np.sqrt(want * (1 - want) / graph.n_edges) + lost / graph.n_edges


@pytest.mark.parametrize("exponent", [1.5, 2.0, 2.5, 4.0])
@pytest.mark.parametrize("ratio", [2.0, 100.0])
def test_power_law(exponent, ratio):
    """Kolmogorov-Smirnov against the distribution function; fails by chance with probability 1e-9."""
    drawn = _power_law(exponent, ratio, 20_000, np.random.default_rng(0))
    assert drawn.min() >= 1
    assert drawn.max() <= ratio * (1 + 1e-12)

    def distribution(x):
        return (1 - x ** (1 - exponent)) / (1 - ratio ** (1 - exponent))

    assert stats.kstest(drawn, distribution).pvalue > 1e-9


def test_equal_degrees():
    np.testing.assert_array_equal(_power_law(2.5, 1.0, 10, np.random.default_rng(0)), np.ones(10))


def test_stretches_of_nodes():
    before = np.array([0.0, 2.0, 2.0, 5.0])  # the second node has no stretch
    np.testing.assert_array_equal(_node_at(before, np.array([0.0, 1.9, 2.0, 4.9, 5.0]), 0, 3), [0, 0, 2, 2, 2])
    np.testing.assert_array_equal(_node_at(before, np.array([2.0]), 0, 1), [0])


def test_nodes_of_degree_zero_stay_isolated():
    d = np.tile([0.0, 8.0], 100)
    graph, _ = degree_corrected_partition(2, 100, expected_degrees=d, random_state=0)
    assert (graph.degrees[d == 0] == 0).all()
    graph, _ = degree_corrected_partition(1, 5, expected_degrees=np.zeros(5), random_state=0)
    assert graph.n_edges == 0


def test_several_blocks_of_edges(monkeypatch):
    from graphcore.datasets import planted

    monkeypatch.setattr(planted, "_BLOCK_EDGES", 1000)
    graph, labels = degree_corrected_partition(5, 400, mean_degree=12, mixing=0.1, degree_ratio=3, random_state=0)
    assert abs(graph.n_edges - 12_000) < SIX_SIGMA * np.sqrt(12_000) + 600
    inside = np.count_nonzero(np.repeat(labels, np.diff(graph.indptr)) == labels[graph.indices]) / graph.n_entries
    assert inside == pytest.approx(0.92, abs=0.02)


def test_seeds():
    one, same, other = (degree_corrected_partition(3, 50, random_state=seed).graph for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.indices, same.indices)
    assert not np.array_equal(one.indices, other.indices)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mean_degree": 0}, "mean_degree=0"),
        ({"mixing": 1.1}, "mixing=1.1"),
        ({"exponent": 1}, "exponent=1"),
        ({"degree_ratio": 0.5}, "degree_ratio=0.5"),
        ({"expected_degrees": [1.0, 2.0]}, r"expected_degrees must be 10 numbers, got float64 of shape \(2,\)"),
        ({"expected_degrees": ["a"] * 10}, "expected_degrees must be 10 numbers"),
        ({"expected_degrees": [-1.0] * 10}, "expected_degrees must be finite and not negative"),
        ({"expected_degrees": [np.inf] * 10}, "expected_degrees must be finite and not negative"),
    ],
)
def test_unusable_parameters(options, message):
    with pytest.raises(ParameterError, match=message):
        degree_corrected_partition(2, 5, random_state=0, **options)
