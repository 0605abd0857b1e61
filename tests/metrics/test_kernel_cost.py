"""The kernel k-means cost and its estimates from a coreset, against dense distances in the feature space."""

from functools import partial

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphcore import Coreset, Graph, InputError, ParameterError, build_coreset, merge_coresets, reduce_coreset
from graphcore.metrics import coreset_cost, kernel_kmeans_cost, normalized_cut
from tests.kernel_methods.oracles import inertia
from tests.metrics import oracles
from tests.metrics.test_cut import labelled
from tests.oracles import dense_kernel

LOOPS = st.sampled_from([0.0, 1.0, 0.3])
SHIFTS = st.sampled_from([0.0, 1.0, 2.5])


@given(labelled(), LOOPS, SHIFTS)
def test_cost_by_definition_and_by_the_normalised_cut(pair, self_loop, shift):
    A, labels = pair
    cost = kernel_kmeans_cost(A, labels, self_loop=self_loop, shift=shift)
    A = oracles.with_loops(A, self_loop)
    inner, (K, w) = oracles.placed(A, labels), dense_kernel(A, shift=shift)
    assert cost == pytest.approx(inertia(K, inner, w), abs=1e-12 * (1 + len(A) * (1 + shift)))
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


def dense_costs(A, labels, nodes, weights, shift):
    """(cost, estimate) with own and with nearest centres, and kNC with its estimate."""
    inner = oracles.placed(A, labels)
    on = inner >= 0
    if not on.any():
        return {"own": (0.0, 0.0), "nearest": (0.0, 0.0), "cut": (0.0, 0.0)}
    distances = oracles.feature_distances(A, labels, shift)
    K, w = dense_kernel(A, shift=shift)
    Z = oracles.membership(inner)
    own = (distances * Z).sum(axis=1)
    nearest = np.where(on, distances.min(axis=1), 0.0)
    k = Z.shape[1]
    chosen = on[nodes]
    spread = (weights * (own - K.diagonal())[nodes])[chosen].sum()
    knc = oracles.conductances(A, inner, inner.max() + 1)[np.unique(inner[on])].sum()
    return {
        "own": (w @ own, weights @ own[nodes]),
        "nearest": (w @ nearest, weights @ nearest[nodes]),
        "cut": (knc, spread + k * (1 + shift)),
    }


@given(labelled(), LOOPS, SHIFTS, st.sampled_from(["own", "nearest"]), st.integers(0, 2**32 - 1))
def test_estimates_by_definition(pair, self_loop, shift, centres, seed):
    A, labels = pair
    rng = np.random.default_rng(seed)
    linked = np.flatnonzero(A.any(axis=1))
    nodes = rng.choice(linked, rng.integers(0, 2 * len(linked))) if len(linked) else linked
    weights = rng.random(len(nodes)) * A.sum() / max(len(nodes), 1)
    coreset = Coreset(nodes, weights, "own", len(nodes), self_loop=self_loop, shift=shift)
    looped = oracles.with_loops(A, self_loop)
    expected = dense_costs(looped, labels, nodes, weights, shift)
    result = coreset_cost(A, coreset, labels, centres=centres)
    # Terms of the sums are of the size w (K_xx + norms): that is what rounding is relative to.
    d = looped.sum(axis=1)
    least = d[d > 0].min() if (d > 0).any() else 1.0
    close = {"abs": 1e-12 * (1 + shift) * (len(A) + 4 * weights.sum() / least + 1)}
    assert result.cost == pytest.approx(expected[centres][0], **close)
    assert result.cost_estimate == pytest.approx(expected[centres][1], **close)
    assert result.cut == pytest.approx(expected["cut"][0], **close)
    assert result.cut_estimate == pytest.approx(expected["cut"][1], **close)


def test_a_coreset_knows_its_graph_and_the_loops_that_its_estimates_are_unbiased_with():
    graph = Graph.from_networkx(nx.random_regular_graph(4, 400, seed=0))
    assert build_coreset(graph, 8, size=60, random_state=0).self_loop == 1.0
    draw = partial(build_coreset, graph, 2, size=40, sampling="degree", random_state=0)
    parts = [draw(nodes=nodes, self_loop=0.3, shift=0.5) for nodes in (range(100), range(100, 400))]
    merged = merge_coresets(*parts)
    for coreset in (*parts, merged, reduce_coreset(merged, 2, size=20, graph=graph, random_state=0)):
        assert (coreset.self_loop, coreset.shift) == (0.3, 0.5)
    blocks = np.arange(400) // 200
    assert coreset_cost(graph, merged, blocks).cost == kernel_kmeans_cost(graph, blocks, self_loop=0.3, shift=0.5)
    of_part = np.where(np.arange(400) < 100, blocks, -1)
    assert coreset_cost(graph, parts[0], blocks) == coreset_cost(graph, parts[0], of_part)
    with pytest.raises(
        InputError, match=r"different degrees, those with self_loop=0\.3, shift=0\.5, self_loop=1, shift=0"
    ):
        merge_coresets(parts[0], draw(nodes=range(100, 400)))
    coreset = build_coreset(nx.path_graph(4), 1, size=4, sampling="degree")
    with pytest.raises(ParameterError, match="is not one of this graph"):
        coreset_cost(nx.path_graph(3), coreset, [0, 0, 1])
    with pytest.raises(ParameterError, match="centres='far' is not known"):
        coreset_cost(nx.path_graph(4), coreset, [0, 0, 1, 1], centres="far")
