"""A node of weight 2 is two nodes, each with all edges: in objective, cuts, kernel k-means and memberships."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphcore
from graphcore import CoresetSpectralClustering, Graph, InputError
from graphcore.cluster.refine.objectives import OBJECTIVES
from graphcore.cluster.refine.problem import cluster_sums
from graphcore.datasets import load_karate
from graphcore.graphs.graph import weigh_nodes
from graphcore.metrics import conductance

from ..cluster.refine.test_quotient import labelled
from ..oracles import planted, quick


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
    copies = np.repeat(np.repeat(A, times, axis=0), times, axis=1)
    repeated, many = Graph.from_scipy(copies, warn=False), np.repeat(labels, times)
    sums, of_copies = cluster_sums(weighed.rows, labels, k), cluster_sums(repeated.rows, many, k)
    for name in ("internal", "volume", "cut"):
        np.testing.assert_allclose(getattr(sums, name), getattr(of_copies, name), atol=1e-9)
    if of_copies.volume.sum() > 0:
        for objective in OBJECTIVES.values():
            assert sums.value(objective) == pytest.approx(of_copies.value(objective), rel=1e-9, abs=1e-9)
        np.testing.assert_allclose(conductance(weighed, labels, k), conductance(repeated, many, k))


@pytest.mark.slow
def test_sizes_count_weights_and_nodes_of_weight_0_are_out():
    graph, truth = planted(4, 60, 0.3, 0.02, 0)
    rng = np.random.default_rng(0)
    for weights in (rng.integers(0, 4, 240), np.where(rng.random(240) < 0.2, 0, 3 * rng.random(240))):
        most = 1.05 * weights.sum() / 4
        model = CoresetSpectralClustering(
            4, max_cluster_size=int(most), min_cluster_size=int(0.8 * most), random_state=0
        )
        with pytest.warns(graphcore.GraphWarning, match=f"{np.sum(weights == 0)} of 240 nodes have sample_weight 0"):
            labels = model.fit(graph, sample_weight=weights).labels_
        np.testing.assert_array_equal(labels < 0, weights == 0)
        sizes = np.bincount(labels[labels >= 0], weights=weights[labels >= 0])
        assert sizes.max() <= int(most) and sizes.min() >= int(0.8 * most) - 1e-6
        assert graphcore.metrics.agreement(labels[labels >= 0], truth[labels >= 0])["ari"] > 0.9


@pytest.mark.slow
def test_weights_that_sum_to_less_than_one_count_as_any_others_attributes_stay_and_what_are_no_weights_is_refused():
    graph = load_karate().graph
    assert weigh_nodes(graph, np.ones(34)).attributes["club"] is not None
    for weight, options, least, most in (
        (0.01, {}, 1, 34),
        (0.01, {"max_cluster_size": 0.4}, 1, 13),
        (0.37, {"min_cluster_size": 0.3}, 11, 34),
    ):
        weights = np.full(34, weight)
        labels = CoresetSpectralClustering(3, random_state=0, **options).fit(graph, sample_weight=weights).labels_
        assert least <= np.bincount(labels, minlength=3).min() and np.bincount(labels).max() <= most
    with pytest.raises(InputError, match=r"max_cluster_size=3\.774 is too small: 3 clusters.*than the 12\.58 nodes"):
        CoresetSpectralClustering(3, max_cluster_size=0.3).fit(graph, sample_weight=weights)
    graph, _ = planted(2, 10, 0.5, 0.1, 0)
    for weights in (np.ones(3), -np.ones(20), np.zeros(20), ["a"] * 20):
        with pytest.raises(InputError, match="sample_weight"):
            CoresetSpectralClustering(2).fit(graph, sample_weight=weights)
    with pytest.raises(InputError, match="beyond the largest number"):
        CoresetSpectralClustering(2).fit(graph, sample_weight=np.full(20, 1e200))
    for weights in (np.full(20, 1e-200), np.append(np.full(10, 1e-200), np.ones(10))):
        with pytest.raises(InputError, match="sample_weight times weights of edges is below the smallest number"):
            CoresetSpectralClustering(2).fit(graph, sample_weight=weights)
