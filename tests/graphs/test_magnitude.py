"""Weights of extreme magnitude work as others do, and what is lost is said."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import graphcore
from graphcore.cluster.refine.objectives import OBJECTIVES
from graphcore.graphs.rows import edges_in_range, in_range
from graphcore.kernels.graph import GraphKernel

from ..oracles import dense, planted, random_adjacency, with_weights

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")


def blocks():
    """The matrix of a weighted graph of three clear clusters, of 14 nodes each."""
    return dense(with_weights(planted(3, 14, 0.8, 0.02, 0)[0], 0.25, 0.75))


@pytest.mark.slow
@pytest.mark.parametrize("exponent", [-1020, -65, 65, 1000])
@pytest.mark.parametrize("options", [{}, {"objective": "ncut"}, {"n_clusters": "auto"}])
def test_a_power_of_two_changes_nothing(exponent, options):
    rng = np.random.default_rng(exponent + 2000)
    A = sp.csr_array(random_adjacency(40, 0.2, rng, weighted=True))
    options = {"n_clusters": 4, **options}
    with warnings.catch_warnings(action="ignore", category=graphcore.GraphWarning):
        first = graphcore.CoresetSpectralClustering(random_state=0, **options, coreset_size=20).fit(A)
        scaled = A.copy()
        scaled.data = np.ldexp(A.data, exponent)
        second = graphcore.CoresetSpectralClustering(random_state=0, **options, coreset_size=20).fit(scaled)
    np.testing.assert_array_equal(first.labels_, second.labels_)
    assert first.clustering_.history == second.clustering_.history
    np.testing.assert_array_equal(
        np.ldexp(first.clustering_.coreset.weights, exponent), second.clustering_.coreset.weights
    )
    np.testing.assert_array_equal(first.predict(A), second.predict(scaled))


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
@pytest.mark.parametrize("options", [{}, pytest.param({"objective": "ncut"}, marks=pytest.mark.slow)])
def test_weights_of_all_magnitudes_at_once(seed, options):
    # Sums of shares that underflow were taken for places not touched yet, and written beyond the end of a list.
    U = np.triu(10.0 ** np.random.default_rng(seed).integers(-300, 300, (60, 60)), 1)
    with warnings.catch_warnings(action="ignore", category=graphcore.GraphWarning):
        model = graphcore.CoresetSpectralClustering(4, random_state=0, **options).fit(sp.csr_array(U + U.T))
        assert in_range(graphcore.Graph.from_scipy(U + U.T)).weights.min() > 0
    assert model.labels_.min() == 0 and model.labels_.max() <= 3


def test_scaling_is_exact_and_says_what_is_lost_and_what_is_in_range_is_not_copied():
    graph = graphcore.Graph.from_edges([0, 1, 2, 3], [1, 2, 0, 0], weights=[1.0, 1e10, 1e-5, 1e-30])
    with pytest.warns(
        graphcore.GraphWarning,
        match=r"differ by more than a factor of 2\^100: 2 of 8 matrix entries are below 1\.\d+e-20",
    ):
        scaled = in_range(graph)
    assert np.ldexp(scaled.degrees[3], scaled.exponent) == pytest.approx(1e-20, rel=0.5)
    # In the other rows it would be lost in any sum.
    np.testing.assert_array_equal(np.ldexp(scaled.degrees[:3], scaled.exponent), graph.degrees[:3])
    graph = graphcore.Graph.from_edges([0, 1, 2], [1, 2, 3], weights=np.array([1e-40, 1.0, 1e38], dtype=np.float32))
    with pytest.warns(graphcore.GraphWarning, match="4 of 6 matrix entries are below"):
        scaled = in_range(graph)
    assert scaled.weights.dtype == np.float32 and (scaled.degrees > 0).all()
    rng = np.random.default_rng(0)
    for A in (random_adjacency(30, 0.2, rng), 2.0**50 * random_adjacency(30, 0.2, rng, weighted=True)):
        graph = graphcore.Graph.from_scipy(A)
        assert in_range(graph) is graph and GraphKernel(graph).graph is graph
    A = np.ldexp(random_adjacency(30, 0.3, rng, weighted=True), 500)
    graph = graphcore.Graph.from_scipy(A)
    scaled = in_range(graph)
    np.testing.assert_array_equal(np.ldexp(scaled.weights, scaled.exponent), graph.weights)
    assert 0.5 <= scaled.degrees.max() < 1 and np.shares_memory(scaled.indices, graph.indices)
    np.testing.assert_array_equal(graph.to_scipy().toarray(), A)


def test_edges_of_new_nodes_in_another_unit_next_to_no_volume_and_degrees_that_are_no_sums():
    A = blocks()
    for weight in (1e-200, 1e200):
        model = graphcore.CoresetSpectralClustering(3, random_state=0).fit(sp.csr_array(A * weight))
        np.testing.assert_array_equal(model.predict(sp.csr_array(A * weight)), model.labels_)
        assert np.isfinite(model.transform(sp.csr_array(A * weight))).all()
        kernel = graphcore.KernelKMeans(3, kernel="normalized_cut", shift=1.0, random_state=0).fit(A * weight)
        assert np.isfinite(kernel.score(A * weight)) and kernel.predict(A * weight).shape == (42,)
    with pytest.raises(graphcore.InputError, match="give them in the same unit"):
        edges_in_range(A * 1e200, 0)
    assert edges_in_range(A, 0) is A
    assert edges_in_range(sp.csr_array((1, 3)), -200).nnz == 0
    A = np.zeros((20, 20))
    A[:10, :10], A[10:, 10:] = 1.0, 1e16
    labels = graphcore.CoresetSpectralClustering(2, objective="ncut", random_state=0).fit(sp.csr_array(A)).labels_
    assert graphcore.metrics.normalized_cut(sp.csr_array(A), labels) == 0.0
    A = graphcore.Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3])
    for degrees in ([2.0, 2.0, 0.0, 1.0], [2.0, np.nan, 3.0, 1.0], [2.0, 2.0, np.inf, 1.0], [-2.0, 2.0, 3.0, 1.0]):
        graph = graphcore.Graph._mapped(
            A.indptr, A.indices, None, None, np.array(degrees), reopen=None, known={"n_isolated": 0}
        )
        with pytest.raises(graphcore.InputError, match=r"node \d has degree .* build the graph anew"):
            graphcore.CoresetSpectralClustering(2).fit(graph)


@pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")
def test_coreset_weights_that_no_number_holds_are_the_largest():
    A = blocks() * 1e304
    model = graphcore.CoresetKernelKMeans(2, kernel="normalized_cut", self_loop=1e9, random_state=0).fit(A)
    assert model.coreset_weights_.max() == np.finfo(float).max
    found = graphcore.coreset_spectral_clustering(A, 2, coreset_graph="induced", self_loop=1e9, random_state=0)
    assert found.coreset.weights.max() == np.finfo(float).max


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize(
    "weights",
    [[5e-324] * 7, [1e-310] * 7, [1e290] * 3 + [1e-228] * 4, [1.0] * 3 + [1e-300] * 4, [1e300] * 3 + [1e-300] * 4],
    ids=str,
)
@pytest.mark.filterwarnings("ignore:.*weights differ:graphcore.GraphWarning")
def test_memberships_add_up_to_one_at_any_weights(weights, objective):
    graph = graphcore.Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5], weights)
    model = graphcore.CoresetSpectralClustering(2, objective=objective, random_state=0).fit(graph)
    np.testing.assert_allclose(model.membership_.sum(axis=1), 1.0)
