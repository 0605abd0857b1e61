"""Planted partitions, plain and degree-corrected: a slow twin, and statistically an independent draw of every pair."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from graphcore import Graph
from graphcore.base.streams import Streams
from graphcore.datasets import degree_corrected_partition, planted, planted_partition

# A standard normal variable exceeds this in absolute value with probability 2e-9.
SIX_SIGMA = 6.0


def slow_twin(borders, p_in, p_out, seed):
    """Draw the model pair by pair into a dense matrix, with equal draws."""
    draws = Streams(seed).child("planted partition").generator("edges")
    n = borders[-1]
    A = np.zeros((n, n), dtype=int)
    for start, border in pairwise(borders):
        for i in range(start, border):
            for first, stop, p in ((i + 1, border, p_in), (border, n, p_out)):
                if p == 0:
                    continue
                rate = np.inf if p == 1 else -np.log1p(-p)
                j = first
                while (left_out := float(draws.standard_exponential()) / float(rate)) < stop - j:
                    j += int(left_out)
                    A[i, j] = A[j, i] = 1
                    j += 1
    return A


@given(
    sizes=st.lists(st.integers(1, 8), min_size=1, max_size=5),
    p_in=st.sampled_from([0.0, 1e-300, 0.01, 0.3, 0.5, 0.97, 1.0]),
    p_out=st.sampled_from([0.0, 5e-324, 0.1, 0.6, 1.0]),
    seed=st.integers(0, 2**32 - 1),
)
def test_same_graph_as_the_slow_twin(sizes, p_in, p_out, seed):
    graph, labels = planted_partition(len(sizes), sizes, p_in, p_out, random_state=seed)
    borders = np.concatenate([[0], np.cumsum(sizes)]).tolist()
    np.testing.assert_array_equal(graph.to_scipy().toarray(), slow_twin(borders, p_in, p_out, seed))
    Graph(graph.indptr, graph.indices)  # checks order, range and symmetry
    assert (graph.indices.dtype, graph.indptr.dtype, graph.is_weighted) == (np.int32, np.int64, False)
    np.testing.assert_array_equal(labels, np.repeat(np.arange(len(sizes)), sizes))
    assert labels.dtype == np.int32


def plain(seed):
    """Pairs of 6 nodes in clusters of 4 and 2: graph, and probability of every pair."""
    graph, labels = planted_partition(2, [4, 2], 0.6, 0.25, random_state=seed)
    return graph, np.where(labels[:, None] == labels, 0.6, 0.25)


def degree_corrected(seed):
    d, mixing = np.array([0.5, 1.0, 3.0, 2.0, 1.0, 0.7]), 0.3
    graph, labels = degree_corrected_partition(2, [4, 2], mixing=mixing, expected_degrees=d, random_state=seed)
    within = np.bincount(labels, weights=d)[labels]
    same = labels[:, None] == labels
    return graph, -np.expm1(-np.outer(d, d) * ((1 - mixing) * same / within[:, None] + mixing / d.sum()))


@pytest.mark.slow
@pytest.mark.parametrize("draw", [plain, degree_corrected])
def test_every_pair_has_its_probability_and_pairs_are_independent(draw):
    """Over 2,000 graphs: 15 frequencies and 105 covariances, beyond six sigma with probability 3e-7."""
    n_graphs, upper = 2000, np.triu_indices(6, 1)
    drawn = np.array([draw(seed)[0].to_scipy().toarray()[upper] for seed in range(n_graphs)])
    p = draw(0)[1][upper]
    variance = p * (1 - p)
    assert (np.abs(drawn.mean(axis=0) - p) <= SIX_SIGMA * np.sqrt(variance / n_graphs)).all()
    covariance = (drawn - p).T @ (drawn - p) / n_graphs
    bound = SIX_SIGMA * np.sqrt(np.outer(variance, variance) / n_graphs)
    assert (np.abs(covariance) <= bound)[~np.eye(len(p), dtype=bool)].all()


@pytest.mark.parametrize("make", [planted_partition, degree_corrected_partition])
def test_seeds(make):
    given = {"p_in": 0.3, "p_out": 0.1} if make is planted_partition else {}
    again = [make(3, 40, **given, random_state=seed).graph.indices.tolist() for seed in (1, 1, 2)]
    assert again[0] == again[1] != again[2]


# -- uneven degrees ----------------------------------------------------------------------------------------------------


@given(
    sizes=st.lists(st.integers(1, 30), min_size=1, max_size=6),
    mean_degree=st.floats(1e-3, 30),
    mixing=st.sampled_from([0.0, 0.4, 1.0]),
    ratio=st.sampled_from([1.0, 10.0, 1e4]),
    seed=st.integers(0, 2**32 - 1),
)
def test_structure_of_uneven_degrees(sizes, mean_degree, mixing, ratio, seed):
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


@pytest.mark.parametrize("block_edges", [1000, 1 << 20])
def test_degrees_and_mixing_are_as_expected(block_edges, limits):
    """Degrees are nearly Poisson; three variables, one beyond six sigma with probability 6e-9."""
    limits(planted, _BLOCK_EDGES=block_edges)
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


@pytest.mark.parametrize(("exponent", "ratio"), [(1.5, 2.0), (2.0, 100.0), (4.0, 100.0)])
def test_power_law(exponent, ratio):
    """Kolmogorov-Smirnov against the distribution function; fails by chance with probability 1e-9."""
    drawn = planted._power_law(exponent, ratio, 20_000, np.random.default_rng(0))
    assert drawn.min() >= 1
    assert drawn.max() <= ratio * (1 + 1e-12)

    def distribution(x):
        return (1 - x ** (1 - exponent)) / (1 - ratio ** (1 - exponent))

    assert stats.kstest(drawn, distribution).pvalue > 1e-9


def test_no_degree_is_no_edge_and_tiny_probabilities_jump_over_everything():
    d = np.tile([0.0, 8.0], 100)
    graph, _ = degree_corrected_partition(2, 100, expected_degrees=d, random_state=0)
    assert (graph.degrees[d == 0] == 0).all()
    graph, _ = degree_corrected_partition(1, 5, expected_degrees=np.zeros(5), random_state=0)
    assert graph.n_edges == 0
    # Poisson with mean 20: at least one edge, and fewer than 80, with failure below 1e-8.
    graph, _ = planted_partition(2, 100_000, 1e-9, 1e-9, random_state=0)
    assert 1 <= graph.n_edges < 80
