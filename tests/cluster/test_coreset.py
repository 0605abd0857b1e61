"""Coresets: what they must sum to, in the mean and in spread, for every way of drawing them."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphcore import Graph, InputError, ParameterError, build_coreset
from graphcore.cluster import coreset as draws_module
from graphcore.cluster.coreset import SAMPLING, distinct_sample, sample_coreset
from graphcore.kernels.graph import GraphKernel

from ..oracles import Z_LIMIT, centre_distances, dense_kernel, example, memberships, quick, z_score
from ..strategies import linked_adjacencies

MATRIX = {"kernel": "precomputed", "size": 5}
SCHEMES = {name: {"sampling": name} for name in SAMPLING} | {"distinct": {"sampling": "importance", "replace": False}}


def node_costs(K, w, labels, k):
    """Squared distance of every node to the nearest centroid of a fixed partition."""
    return centre_distances(K, memberships(w, labels, k)).min(axis=1)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", ["barabasi-albert", "weighted", "isolated nodes"])
def test_cost_is_unbiased(name, scheme):
    # The centres are a fixed partition's centroids. Mean over 1,000 seeds within Z_LIMIT standard errors of the cost on
    # all nodes: fails by chance with probability FAILURE for one choice of seeds.
    graph, A = example(name)
    self_loop = 1.0
    K, w = dense_kernel(A, self_loop)
    k = 3
    price = node_costs(K, w, np.random.default_rng(0).integers(0, k, len(w)), k)
    kernel = GraphKernel(graph, self_loop)
    costs, totals = [], []
    for seed in range(1000):
        coreset = sample_coreset(kernel, k, size=10, n_seeds=3, random_state=seed, **SCHEMES[scheme])
        costs.append(coreset.weights @ price[coreset.indices])
        totals.append(coreset.weights.sum())
    assert abs(z_score(costs, w @ price)) < Z_LIMIT
    assert abs(z_score(totals, w.sum())) < Z_LIMIT
    assert np.std(costs) > 0


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
def test_error_of_the_cost_falls_with_the_root_of_the_size(scheme):
    # RMS errors at sizes N and 4 N over 1,000 seeds: their ratio is 2. Its standard error comes from the fourth
    # moments, and the ratio must be within Z_LIMIT of them (plus 3 % for drawing without replacement): by chance it is
    # not with probability FAILURE. The interval must exclude 1.4 and 2.8, which other powers of N give.
    graph = Graph.from_networkx(nx.barabasi_albert_graph(2000, 5, seed=2))
    kernel = GraphKernel(graph, 1.0)
    w = kernel.point_weights
    k = 4
    price = node_costs(kernel.block(slice(None), slice(None)), w, np.random.default_rng(1).integers(0, k, len(w)), k)
    truth = w @ price
    logs, spreads = [], []
    for size in (15, 60):
        errors = []
        for seed in range(1000):
            coreset = sample_coreset(kernel, k, size=size, n_seeds=6, random_state=seed, **SCHEMES[scheme])
            errors.append(coreset.weights @ price[coreset.indices] / truth - 1)
        squares = np.square(errors)
        logs.append(0.5 * np.log(squares.mean()))
        spreads.append(0.5 * squares.std() / squares.mean() / np.sqrt(len(squares)))
    ratio, spread = logs[0] - logs[1], np.hypot(*spreads)
    assert abs(ratio - np.log(2)) < Z_LIMIT * spread + 0.03
    assert Z_LIMIT * spread + 0.03 < 0.5 * np.log(2), "too few seeds to tell"


@quick
@given(linked_adjacencies(2, 25), st.integers(0, 99), st.sampled_from(SAMPLING), st.data())
def test_distinct_samples_have_the_size_asked_for(drawn, seed, sampling, data):
    A, _ = drawn
    graph = Graph.from_scipy(A)
    linked = np.flatnonzero(A.sum(axis=1))
    size = data.draw(st.integers(1, len(linked)))
    coreset = build_coreset(graph, 1, size=size, sampling=sampling, self_loop=1.0, replace=False, random_state=seed)
    degrees = GraphKernel(graph, 1.0).point_weights
    assert len(coreset) == len(coreset.indices) == len(coreset.weights) == coreset.n_draws == size
    assert np.isin(coreset.indices, linked).all()
    assert (np.diff(coreset.indices) > 0).all()
    assert (coreset.weights >= degrees[coreset.indices] * (1 - 1e-12)).all()
    assert coreset.sampling == sampling
    assert (coreset.seeds is None) == (sampling != "importance")
    if size == len(linked):
        assert np.array_equal(coreset.indices, linked)
        np.testing.assert_allclose(coreset.weights, degrees[linked], rtol=1e-14)


@quick
@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.booleans(), st.data())
def test_distinct_draws_are_the_least_keys_whatever_the_blocks(seed, n, is_even, data):
    rng = np.random.default_rng(seed)
    weights = np.where(rng.random(n) < 0.2, 0.0, rng.random(n) + 0.1)
    weights[0] = 1.0
    probabilities = None if is_even else weights / weights.sum()
    on = np.flatnonzero(weights)
    size = data.draw(st.integers(1, len(on)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(draws_module, "_POINTS_PER_BLOCK", data.draw(st.integers(1, 50)))
        draws = distinct_sample(weights, probabilities, size, np.random.default_rng(seed))
    shares = np.ones(len(on)) if is_even else probabilities[on]
    keys = np.random.default_rng(seed).random(len(on)) / shares
    order = np.argsort(keys)
    assert np.array_equal(draws.indices, np.sort(on[order[:size]])) and draws.n_draws == size
    # Each is kept with probability min(1, t p) for the next key t; of even draws with that of all draws.
    kept = np.ones(len(on)) if size == len(on) else np.minimum(1.0, keys[order[min(size, len(on) - 1)]] * shares)
    if is_even:
        kept = np.full(len(on), size / len(on))
    np.testing.assert_allclose(draws.weights, (weights[on] / kept)[np.isin(on, draws.indices)], rtol=1e-12)


def test_importance_coreset_is_the_published_one():
    graph, A = example("barabasi-albert")
    coreset = build_coreset(graph, 4, size=30, sampling="importance", random_state=0)
    assert coreset.n_draws == 30
    assert len(coreset) < 30, "some of 30 draws from 60 nodes repeat"
    assert (np.diff(coreset.indices) > 0).all()
    # x* and twice as many seeds as clusters, on the kernel with self-loops of weight 1.
    assert len(coreset.seeds.indices) == 2 * 4 + 1
    K, w = dense_kernel(A, 1.0)
    assert coreset.seeds.indices[0] == np.argmin(np.where(w > 0, np.diag(K), np.inf))
    naive = build_coreset(graph, 4, size=30, sampling="importance", seeding="naive", n_seeds=5, random_state=0)
    assert len(naive.seeds.indices) == 5
    assert build_coreset(graph, 4, size=0.25, random_state=0).n_draws == 15


@pytest.mark.parametrize(
    ("source", "k", "options", "message"),
    [
        ("barabasi-albert", 4, {"size": 3}, r"size=3 is less than n_clusters=4"),
        ("barabasi-albert", 4, {}, r"needs size=.*or eps=.*; neither is given"),
        ("barabasi-albert", 4, {"size": 10, "eps": 0.1}, r"not both size=10 and eps=0\.1"),
        ("barabasi-albert", 4, {"eps": 0.1, "sampling": "degree"}, r"needs sampling='importance'"),
        ("barabasi-albert", 4, {"eps": 1.5}, r"eps=1\.5 must be at most 1"),
        ("barabasi-albert", 4, {"size": 10, "sampling": "importance", "seeding": "slow"}, r"'slow' is not known"),
        ("isolated nodes", 1, {"eps": 0.5}, "eps= needs two clusters or more"),
        ("isolated nodes", 35, {"size": 34}, r"n_clusters=35 must be at most 34 \(the nodes that have an edge\)"),
        ("isolated nodes", 3, {"size": 10, "sampling": "importance", "self_loop": 0.0}, "diagonal is zero"),
        (Graph.from_edges([], [], n_nodes=5), 1, {"size": 1}, "no node has an edge"),
        (np.eye(20), 2, MATRIX | {"sampling": "degree"}, "'degree' is for graphs; use 'importance' or 'uniform'"),
        (np.eye(20), 2, MATRIX | {"sampling": "importance", "seeding": "fast"}, "seeding='fast' reads .*use 'naive'"),
    ],
)
def test_what_is_refused(source, k, options, message):
    with pytest.raises(InputError if message.startswith(("no node", "diagonal")) else ParameterError, match=message):
        build_coreset(example(source)[0] if isinstance(source, str) else source, k, **options)
