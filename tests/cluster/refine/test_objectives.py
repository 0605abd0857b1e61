"""Modularity, the objective that also says how many clusters there are: against networkx, and as a user meets it."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

import graphcore
from graphcore import CoresetSpectralClustering
from graphcore.cluster.refine.merging import agglomerate
from graphcore.cluster.refine.objectives import OBJECTIVES
from graphcore.cluster.refine.problem import Problem, quotient
from graphcore.graphs.as_graph import as_graph
from tests.partitions import value_of

from ...strategies import problem_of
from .test_quotient import linked

resolutions = st.sampled_from([0.3, 1.0, 2.5])


def networkx_modularity(A, labels, resolution):
    G = nx.from_numpy_array(A)
    for x in G:  # networkx counts a loop twice in degrees, here it is one entry of the matrix
        if G.has_edge(x, x):
            G[x][x]["weight"] /= 2
    G.remove_nodes_from(np.flatnonzero(labels < 0).tolist())
    communities = [set(np.flatnonzero(labels == c).tolist()) for c in np.unique(labels[labels >= 0])]
    return nx.community.modularity(G, communities, resolution=resolution)


@given(linked(max_nodes=16), resolutions)
def test_modularity_is_that_of_networkx(case, resolution):
    graph, A, labels, k = case
    labels = np.where(A.any(axis=1), np.maximum(labels, 0), -1).astype(np.int32)
    problem = problem_of(graph, k, OBJECTIVES["modularity"].at(resolution))
    expected = networkx_modularity(A, labels, resolution)
    assert problem.partition(labels, problem.sums(labels)).value == pytest.approx(expected, abs=1e-12)
    if resolution == 1.0:
        assert value_of("modularity", A, labels, k) == pytest.approx(expected, abs=1e-12)


@given(linked(max_nodes=16), resolutions)
def test_merging_ends_where_no_union_gains(case, resolution):
    A = case[1]
    A = A[np.ix_(A.any(axis=1), A.any(axis=1))]
    n = len(A)
    problem = problem_of(as_graph(sp.csr_array(A)), n, OBJECTIVES["modularity"].at(resolution), min_size=0)
    rows = quotient(problem.rows, np.arange(n, dtype=np.int32), n)
    labels, children, losses = agglomerate(rows, np.ones(n, dtype=np.int64), 0, linkage=problem.objective)
    assert len(children) == len(losses) == n - len(np.unique(labels))
    assert (losses < 0).all()
    value = networkx_modularity(A, labels, resolution)
    assert value == pytest.approx(
        networkx_modularity(A, np.arange(n, dtype=np.int32), resolution) - losses.sum(), abs=1e-12
    )
    for a in range(labels.max() + 1):
        for b in range(a):
            assert networkx_modularity(A, np.where(labels == a, b, labels), resolution) <= value + 1e-12


def modularity_of(graph, labels, resolution=1.0):
    problem = Problem(graph.rows, int(labels.max()) + 1, OBJECTIVES["modularity"].at(resolution))
    return problem.sums(labels).value(problem.objective)


def test_karate_is_divided_as_well_as_is_known():
    G = nx.karate_club_graph()
    graph = as_graph(nx.to_scipy_sparse_array(G, weight=None))
    model = CoresetSpectralClustering(None, objective="modularity", random_state=0).fit(graph)
    communities = [set(np.flatnonzero(model.labels_ == c).tolist()) for c in range(model.n_clusters_)]
    assert model.n_clusters_ == 4 and model.selection_ is None
    assert nx.community.modularity(G, communities, weight=None) == pytest.approx(0.419790, abs=1e-6)
    assert model.clustering_.history[-1][1] == pytest.approx(0.419790, abs=1e-6)


@pytest.mark.parametrize("resolution", [None, 0.5, 3.0])
def test_as_many_clusters_as_raise_it(resolution):
    graph, truth = graphcore.datasets.planted_partition(12, 60, 0.3, 0.005, random_state=0)
    model = CoresetSpectralClustering(None, objective="modularity", resolution=resolution, random_state=1).fit(graph)
    labels, gamma = model.labels_, resolution or 1.0
    sizes = np.bincount(labels)
    assert sizes.min() > 0 and (np.diff(sizes) <= 0).all() and len(sizes) == model.n_clusters_
    assert len(model.stability_) == graph.n_nodes and model.membership_.shape == (graph.n_nodes, len(sizes))
    found = modularity_of(graph, labels, gamma)
    assert found >= modularity_of(graph, truth.astype(np.int32), gamma) - 1e-12
    if resolution is None:
        assert model.n_clusters_ == 12
        assert (model.membership_.argmax(axis=1) == labels).mean() > 0.99
        assert adjusted_rand_score(model.tree_.labels_at(12), labels) == 1.0
    # As many clusters, given: no better, and all of them hold nodes.
    given = CoresetSpectralClustering(
        model.n_clusters_, objective="modularity", resolution=resolution, random_state=1
    ).fit(graph)
    assert len(np.unique(given.labels_)) == model.n_clusters_
    assert modularity_of(graph, given.labels_, gamma) == pytest.approx(found, rel=0.01)


@pytest.mark.slow
def test_finer_resolutions_give_more_clusters_and_labels_do_not_depend_on_threads():
    graph, _ = graphcore.datasets.planted_partition(40, 25, 0.4, 0.01, random_state=2)
    counts = []
    for resolution in (0.2, 1.0, 8.0):
        asked = {"objective": "modularity", "resolution": resolution, "random_state": 0}
        fits = [CoresetSpectralClustering(None, **asked, n_jobs=n_jobs).fit(graph) for n_jobs in (1, 2)]
        np.testing.assert_array_equal(fits[0].labels_, fits[1].labels_)
        counts.append(fits[0].n_clusters_)
    assert counts[0] < counts[1] <= counts[2]


@pytest.mark.parametrize("G", [nx.karate_club_graph(), nx.gnm_random_graph(300, 1500, seed=1)])
def test_every_node_is_alone_where_no_pair_pays(G):
    degree = dict(G.degree())
    resolution = 1.01 * max(2 * G.size() / (degree[u] * degree[v]) for u, v in G.edges())
    A = nx.to_scipy_sparse_array(G, weight=None)
    for seed in range(3):
        model = CoresetSpectralClustering(None, objective="modularity", resolution=resolution, random_state=seed)
        assert np.unique(model.fit(as_graph(A)).labels_).size == len(G)
