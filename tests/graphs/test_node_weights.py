"""A node of weight 2 is two nodes, each with all edges: in objective, cuts, kernel k-means and memberships."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import graphcore
from graphcore import CoresetSpectralClustering, Graph, InputError, KernelKFlats, KernelKMeans
from graphcore.cluster.refine.objectives import OBJECTIVES
from graphcore.cluster.refine.problem import cluster_sums
from graphcore.graphs.graph import weigh_nodes
from graphcore.metrics import conductance, normalized_cut

from ..cluster.refine.test_quotient import labelled
from ..oracles import planted, quick, random_adjacency


def copies(A, times):
    """The matrix of a graph in which every node stands `times` times, with its edges to all copies of neighbours."""
    return np.repeat(np.repeat(A, times, axis=0), times, axis=1)


@pytest.mark.slow
@quick
@given(labelled(max_nodes=10), st.integers(0, 99))
def test_objective_and_cuts_are_those_of_copies(case, seed):
    graph, A, labels, k = case
    times = np.random.default_rng(seed).integers(0, 4, len(A))
    times[0] += 1
    weighed = weigh_nodes(graph, times.astype(float))
    B = times[:, None] * A * times
    np.testing.assert_allclose(weighed.to_scipy().toarray(), B)
    Graph(weighed.indptr, weighed.indices, weighed.weights)  # checks that it is canonical and symmetric
    repeated, many = Graph.from_scipy(copies(A, times), warn=False), np.repeat(labels, times)
    sums, of_copies = cluster_sums(weighed.rows, labels, k), cluster_sums(repeated.rows, many, k)
    for name in ("internal", "volume", "cut"):
        np.testing.assert_allclose(getattr(sums, name), getattr(of_copies, name), atol=1e-9)
    if of_copies.volume.sum() > 0:
        for objective in OBJECTIVES:
            assert sums.value(objective) == pytest.approx(of_copies.value(objective), rel=1e-9, abs=1e-9)
        np.testing.assert_allclose(conductance(weighed, labels, k), conductance(repeated, many, k))


@pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")
@pytest.mark.parametrize("make", [KernelKMeans, KernelKFlats])
def test_kernel_classes_cost_what_copies_cost(make):
    rng = np.random.default_rng(1)
    A = random_adjacency(30, 0.3, rng, weighted=True, loops=0.2)
    times = rng.integers(1, 4, 30)
    start = rng.integers(0, 3, 30).astype(np.int32)
    given = {"kernel": "normalized_cut", "init": start, "max_iter": 1, "shift": 0.0}
    given |= {"on_indefinite": "warn", **({"n_init": 1} if make is KernelKMeans else {"n_dims": 0})}
    model = make(3, **given).fit(A, sample_weight=times)
    again = make(3, **given | {"init": np.repeat(start, times)}).fit(copies(A, times))
    np.testing.assert_array_equal(np.repeat(model.labels_, times), again.labels_)
    np.testing.assert_array_equal(np.repeat(model.predict(A), times), again.predict(copies(A, times)))
    if make is KernelKMeans:
        assert model.cost_ == pytest.approx(again.cost_)
        loopless = A - np.diag(np.diag(A))
        left, right = clone(model).fit(loopless, sample_weight=times), clone(again).fit(copies(loopless, times))
        assert left.score(loopless, sample_weight=times) == pytest.approx(right.score(copies(loopless, times)))
    else:
        assert model.reconstruction_error_ == pytest.approx(again.reconstruction_error_)


def test_sizes_count_weights_and_nodes_of_weight_0_are_out():
    graph, truth = planted(4, 60, 0.3, 0.02, 0)
    rng = np.random.default_rng(0)
    for weights in (rng.integers(0, 4, 240), np.where(rng.random(240) < 0.2, 0, 3 * rng.random(240))):
        most = 1.05 * weights.sum() / 4
        model = CoresetSpectralClustering(
            4, max_cluster_size=int(most), min_cluster_size=int(0.8 * most), random_state=0
        )
        with pytest.warns(graphcore.GraphWarning, match="isolated"):
            labels = model.fit(graph, sample_weight=weights).labels_
        np.testing.assert_array_equal(labels < 0, weights == 0)
        sizes = np.bincount(labels[labels >= 0], weights=weights[labels >= 0])
        assert sizes.max() <= int(most) and sizes.min() >= int(0.8 * most) - 1e-6
        assert graphcore.metrics.agreement(labels[labels >= 0], truth[labels >= 0])["ari"] > 0.9


def test_members_of_copies():
    graph, _ = planted(3, 30, 0.4, 0.1, 0)
    times = np.random.default_rng(0).integers(1, 3, 90)
    model = CoresetSpectralClustering(3, random_state=0).fit(graph, sample_weight=times)
    repeated = Graph.from_scipy(copies(graph.to_scipy().toarray(), times))
    start = np.repeat(model.labels_, times)
    again = CoresetSpectralClustering(3, random_state=0).fit(repeated, initial_labels=start)
    assert normalized_cut(model.graph_, model.labels_) == pytest.approx(
        normalized_cut(repeated, np.repeat(model.labels_, times))
    )
    np.testing.assert_array_equal(again.labels_, np.repeat(model.labels_, times))
    # The evidence of an edge is discounted differently, as copies have the same neighbours.
    again._reference.evidence = model._reference.evidence * 2.0 ** (
        again._reference.exponent - model._reference.exponent
    )
    np.testing.assert_allclose(
        again.membership_.toarray(), np.repeat(model.membership_.toarray(), times, axis=0), atol=1e-3
    )
    np.testing.assert_allclose(model.predict_proba(graph), model.membership_.toarray(), atol=1e-9)


def test_weights_that_are_none():
    graph, _ = planted(2, 10, 0.5, 0.1, 0)
    for weights in (np.ones(3), -np.ones(20), np.zeros(20), ["a"] * 20):
        with pytest.raises(InputError, match="sample_weight"):
            CoresetSpectralClustering(2).fit(graph, sample_weight=weights)
    with pytest.raises(InputError, match="beyond the largest number"):
        CoresetSpectralClustering(2).fit(graph, sample_weight=np.full(20, 1e200))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [10, *range(4)])
def test_weights_of_nodes_find_what_the_weighed_graph_has(seed):
    # With seed 10 no micro-cluster is of more than a node: that is what merging asks, and not what they count.
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(20, 120)), int(rng.integers(2, 5))
    truth = rng.integers(0, k, n)
    A = np.triu(rng.random((n, n)) < np.where(truth[:, None] == truth, 0.3, 0.05), 1) * (rng.random((n, n)) + 0.1)
    A, w = A + A.T, rng.random(n) + 0.2
    fits = [
        CoresetSpectralClustering(k, affinity="precomputed", random_state=seed).fit(X, sample_weight=weights).labels_
        for X, weights in ((A, w), (w[:, None] * w * A, None))
    ]
    assert graphcore.metrics.agreement(*fits)["ari"] == 1.0
