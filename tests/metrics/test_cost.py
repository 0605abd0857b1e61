"""The kernel k-means cost against the feature space, and the identity with normalised cut."""

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphcore import Graph, InputError, ParameterError
from graphcore.metrics import kernel_kmeans_cost, normalized_cut
from tests.metrics import oracles
from tests.metrics.test_cut import labelled

LOOPS = st.sampled_from([0.0, 1.0, 0.3])
SHIFTS = st.sampled_from([0.0, 1.0, 2.5])


@given(labelled(), LOOPS, SHIFTS)
def test_cost_by_definition(pair, self_loop, shift):
    A, labels = pair
    cost = kernel_kmeans_cost(A, labels, self_loop=self_loop, shift=shift)
    looped = oracles.with_loops(A, self_loop)
    scale = 1 + len(A) * (1 + shift)
    assert cost == pytest.approx(oracles.feature_cost(looped, labels, shift), abs=1e-12 * scale)


@given(labelled(), LOOPS, SHIFTS)
def test_identity_with_normalized_cut(pair, self_loop, shift):
    A, labels = pair
    A = oracles.with_loops(A, self_loop)
    inner = oracles.placed(A, labels)
    on = inner >= 0
    filled = np.unique(inner[on])
    n, k = on.sum(), len(filled)
    trace = (A.diagonal()[on] / A.sum(axis=1)[on]).sum()
    # Clusters numbered anew, so that none is missing: then k times the average is the sum.
    if k:
        compact = np.where(on, np.searchsorted(filled, inner), -1)
        knc = k * normalized_cut(A, compact)
    else:
        knc = 0.0
    expected = trace - k + knc + shift * (n - k)
    assert kernel_kmeans_cost(A, labels, shift=shift) == pytest.approx(expected, abs=1e-12 * (1 + n * (1 + shift)))


@given(labelled(), st.floats(1.0, 3.0))
def test_with_a_shift_of_one_the_cost_is_a_sum_of_squares(pair, shift):
    A, labels = pair
    K = oracles.kernel(A, shift)
    assert np.linalg.eigvalsh(K)[0] > -1e-9 * max(1.0, np.abs(K).max())
    assert kernel_kmeans_cost(A, labels, shift=shift) > -1e-9


def test_the_plain_kernel_can_cost_less_than_nothing():
    assert kernel_kmeans_cost(nx.path_graph(2), [0, 0]) == pytest.approx(-1.0)
    assert kernel_kmeans_cost(nx.path_graph(2), [0, 0], shift=1.0) == pytest.approx(0.0)


def test_more_clusters_never_cost_more():
    # Splitting a cluster lowers a sum of squares; one node per cluster costs nothing.
    graph = Graph.from_networkx(nx.karate_club_graph())
    labels = np.arange(34)
    costs = [kernel_kmeans_cost(graph, labels // step, shift=1.0) for step in (64, 32, 16, 8, 4, 2, 1)]
    assert all(coarse >= fine for coarse, fine in pairwise(costs))
    assert costs[-1] == pytest.approx(0.0, abs=1e-12)


def test_isolated_nodes_and_nodes_of_no_cluster_cost_nothing():
    alone = Graph.from_edges([0, 1], [1, 2], n_nodes=5)
    assert kernel_kmeans_cost(alone, [0, 0, 1, 0, 7], self_loop=1.0, shift=1.0) == pytest.approx(
        kernel_kmeans_cost(nx.path_graph(3), [0, 0, 1], self_loop=1.0, shift=1.0)
    )
    assert kernel_kmeans_cost(alone, [-1] * 5, self_loop=1.0, shift=1.0) == 0.0


@pytest.mark.parametrize("name", ["self_loop", "shift"])
@pytest.mark.parametrize("value", [-1.0, np.nan, "1"])
def test_bad_parameters(name, value):
    with pytest.raises(ParameterError, match=f"{name}="):
        kernel_kmeans_cost(nx.path_graph(3), [0, 0, 1], **{name: value})


def test_bad_labels():
    with pytest.raises(InputError, match="one label for each"):
        kernel_kmeans_cost(nx.path_graph(3), [0, 0])
