"""The planted partition: exact against a slow twin, and statistically an independent draw of every pair."""

import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphcore import Graph, ParameterError
from graphcore._random import Streams
from graphcore.datasets import planted_partition

# A standard normal variable exceeds this in absolute value with probability 2e-9.
SIX_SIGMA = 6.0


def slow_twin(borders, p_in, p_out, seed):
    """The same model by the same draws, pair by pair into a dense matrix."""
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
    np.testing.assert_array_equal(labels, np.repeat(np.arange(len(sizes)), sizes))
    assert labels.dtype == np.int32


def test_rows_are_canonical():
    graph, _ = planted_partition(7, [200, 1, 30, 1, 1, 500, 90], 0.4, 0.05, random_state=0)
    Graph(graph.indptr, graph.indices)  # checks order, range and symmetry
    assert (graph.indices.dtype, graph.indptr.dtype) == (np.int32, np.int64)
    assert not graph.is_weighted
    assert graph.n_self_loops == 0


@pytest.mark.parametrize(("p_in", "p_out"), [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)])
def test_certain_pairs(p_in, p_out):
    graph, labels = planted_partition(3, [4, 1, 3], p_in, p_out, random_state=0)
    same = labels[:, None] == labels
    want = np.where(same, p_in, p_out)
    np.fill_diagonal(want, 0)
    np.testing.assert_array_equal(graph.to_scipy().toarray(), want)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("k", "size", "p_in", "p_out"), [(20, 300, 0.5, 0.001), (100, 100, 0.03, 0.002), (3, 1000, 0.01, 0.4)]
)
def test_numbers_of_edges(k, size, p_in, p_out, seed):
    """Both are binomial: 18 variables, one beyond six sigma with probability below 4e-8."""
    graph, labels = planted_partition(k, size, p_in, p_out, random_state=seed)
    rows = np.repeat(labels, np.diff(graph.indptr))
    inside = np.count_nonzero(rows == labels[graph.indices]) / 2
    outside = graph.n_edges - inside
    pairs_in = k * size * (size - 1) / 2
    pairs_out = k * (k - 1) / 2 * size**2
    for found, pairs, p in ((inside, pairs_in, p_in), (outside, pairs_out, p_out)):
        assert abs(found - pairs * p) <= SIX_SIGMA * np.sqrt(pairs * p * (1 - p)) + 1


@pytest.mark.slow
def test_every_pair_has_its_probability_and_pairs_are_independent():
    """Over 4,000 graphs of 6 nodes: 15 frequencies and 105 covariances, beyond six sigma with probability 3e-7."""
    n_graphs, p_in, p_out = 4000, 0.6, 0.25
    upper = np.triu_indices(6, 1)
    drawn = np.empty((n_graphs, len(upper[0])))
    for seed in range(n_graphs):
        graph, labels = planted_partition(2, [4, 2], p_in, p_out, random_state=seed)
        drawn[seed] = graph.to_scipy().toarray()[upper]
    p = np.where(labels[upper[0]] == labels[upper[1]], p_in, p_out)
    variance = p * (1 - p)
    assert (np.abs(drawn.mean(axis=0) - p) <= SIX_SIGMA * np.sqrt(variance / n_graphs)).all()
    centred = drawn - p
    covariance = centred.T @ centred / n_graphs
    bound = SIX_SIGMA * np.sqrt(np.outer(variance, variance) / n_graphs)
    off = ~np.eye(len(p), dtype=bool)
    assert (np.abs(covariance) <= bound)[off].all()


def test_degrees_are_spread_as_binomial_variables():
    """The mean of 4,000 squared deviations, hardly dependent: its sigma is about sqrt(2 / 4000), failure 2e-9."""
    graph, _ = planted_partition(4, 1000, 0.3, 0.05, random_state=1)
    mean = 999 * 0.3 + 3000 * 0.05
    variance = 999 * 0.3 * 0.7 + 3000 * 0.05 * 0.95
    scaled = ((graph.degrees - mean) ** 2 / variance).mean()
    assert abs(scaled - 1) <= SIX_SIGMA * np.sqrt(2 / 4000)


def test_tiny_probabilities_jump_over_everything():
    """Poisson with mean 20: at least one edge, and fewer than 80, with failure below 1e-8."""
    graph, _ = planted_partition(2, 100_000, 1e-9, 1e-9, random_state=0)
    assert 1 <= graph.n_edges < 80


def test_seeds():
    def draw(random_state):
        return planted_partition(3, 40, 0.3, 0.1, random_state=random_state).graph

    np.testing.assert_array_equal(draw(7).indices, draw(7).indices)
    assert not np.array_equal(draw(7).indices, draw(8).indices)
    assert not np.array_equal(draw(None).indices, draw(None).indices)
    generator = np.random.default_rng(0)
    assert not np.array_equal(draw(generator).indices, draw(generator).indices)
    np.testing.assert_array_equal(draw(np.random.RandomState(3)).indices, draw(np.random.RandomState(3)).indices)


def test_memory_is_that_of_the_graph():
    planted_partition(2, 10, 0.5, 0.1, random_state=0)  # what is loaded and compiled once
    tracemalloc.start()
    graph = planted_partition(20, 1000, 0.5, 1e-5, random_state=0).graph
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert graph.n_entries > 9_500_000
    assert peak < 1.05 * graph.nbytes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 10, 0.5, 0.1), "n_clusters=0"),
        ((2.0, 10, 0.5, 0.1), "n_clusters=2.0"),
        ((2, 0, 0.5, 0.1), "cluster_size=0"),
        ((2, 1.5, 0.5, 0.1), "cluster_size=1.5"),
        ((2, [3, -1], 0.5, 0.1), "cluster_size=-1"),
        ((2, [3, 4, 5], 0.5, 0.1), "cluster_size has 3 sizes for n_clusters=2"),
        ((3000, 1_000_000, 0.5, 0.1), "cluster_size: .* 3000000000 nodes"),
        ((2, 10, 1.5, 0.1), "p_in=1.5"),
        ((2, 10, -0.1, 0.1), "p_in=-0.1"),
        ((2, 10, 0.5, np.nan), "p_out=nan"),
        ((2, 10, 0.5, "0.1"), "p_out='0.1'"),
    ],
)
def test_unusable_parameters(arguments, message):
    with pytest.raises(ParameterError, match=message):
        planted_partition(*arguments, random_state=0)
