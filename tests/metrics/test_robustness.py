"""Robustness: resampled edges are a bootstrap sample, and clusters of noise are not recovered."""

import pickle
import warnings

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import adjusted_rand_score

import graphcore
from graphcore import CoresetSpectralClustering, Graph, InputError, ParameterError
from graphcore.cluster.refine import problem as quotient
from graphcore.graphs import derived
from graphcore.graphs.derived import resample_edges
from graphcore.metrics import robustness


@pytest.fixture(scope="module")
def planted():
    return graphcore.datasets.planted_partition(4, 60, 0.3, 0.02, random_state=0)


# -- edges drawn anew --------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("is_weighted", [False, True])
def test_edges_have_poisson_multiplicities(is_weighted):
    rng = np.random.default_rng(0)
    ends, weights = np.sort(rng.integers(0, 300, (2, 40_000)), axis=0), rng.random(40_000) + 0.5
    graph = Graph.from_edges(*ends, *([weights] if is_weighted else []))
    given, drawn = graph.to_scipy(), resample_edges(graph, 3).to_scipy()
    assert graph.n_self_loops > 100
    assert abs(drawn - drawn.T).nnz == 0
    pairs = given.tocoo()
    times = drawn[pairs.coords] / pairs.data
    assert times == pytest.approx(np.rint(times), rel=1e-6)
    assert drawn.nnz == np.count_nonzero(times)
    times = np.rint(times[pairs.row <= pairs.col]).astype(int)
    counts = np.bincount(np.minimum(times, 5), minlength=6)
    expected = stats.poisson(1).pmf(range(5))
    # A false alarm has probability 0.001; the seed is fixed.
    assert stats.chisquare(counts, len(times) * np.append(expected, 1 - expected.sum())).pvalue > 0.001


def test_draws_depend_on_edge_and_seed_alone(planted, monkeypatch):
    graph, _ = planted
    first, again, other = (resample_edges(graph, seed).to_scipy() for seed in (1, 1, 2))
    assert abs(first - again).nnz == 0 < abs(first - other).nnz
    monkeypatch.setattr(derived, "row_spans", lambda indptr: [(0, 7), (7, 100), (100, 240)])
    assert abs(first - resample_edges(graph, 1).to_scipy()).nnz == 0
    # Draws of two seeds know nothing of each other.
    pairs = graph.to_scipy().tocoo().coords
    assert abs(np.corrcoef(first[pairs], other[pairs])[0, 1]) < 4 / np.sqrt(graph.n_edges)


# -- what it says ------------------------------------------------------------------------------------------------------


def test_a_method_that_always_says_the_same_is_robust():
    graph = Graph.from_edges([0, 0, 1, 2, 3, 3, 4, 6], [1, 2, 2, 3, 4, 5, 5, 7], n_nodes=9)
    labels = np.array([0, 0, 0, 1, 1, 1, 0, 0, -1])
    found = robustness(graph, labels, lambda drawn, seed: labels, n_refits=4)
    assert found.ari.tolist() == [1.0] * 4
    assert found.clusters.tolist() == [1.0] * 2
    assert set(found.nodes[:8].tolist()) == {1.0}
    assert np.isnan(found.nodes[8])


def test_figures_are_those_of_the_definition(planted):
    graph, truth = planted
    draws = []

    def refit(drawn, seed):
        rng = np.random.default_rng(seed)
        other = (truth + 1) % 4  # other numbers, and an eighth of the nodes elsewhere
        other = np.where(rng.random(len(other)) < 1 / 8, rng.integers(0, 4, len(other)), other)
        draws.append((drawn.degrees > 0, other))
        return other

    found = robustness(graph, truth, refit, n_refits=3)
    assert len(draws) == 3
    for c in range(4):
        mine = [(there & (truth == c), there & (other == (c + 1) % 4)) for there, other in draws]
        assert found.clusters[c] == pytest.approx(np.mean([(a & b).sum() / (a | b).sum() for a, b in mine]))
    assert found.ari == pytest.approx([adjusted_rand_score(truth[t], other[t]) for t, other in draws])
    there = np.sum([t for t, _ in draws], axis=0)
    agreed = np.sum([t & (other == (truth + 1) % 4) for t, other in draws], axis=0)
    assert np.array_equal(found.nodes, np.where(there, agreed / np.maximum(there, 1), np.nan).astype(np.float32), True)


@pytest.mark.slow
def test_planted_clusters_come_again_and_those_of_a_random_graph_do_not(planted):
    model = CoresetSpectralClustering(4, random_state=0).fit(planted[0])
    found = model.robustness()
    assert found.ari.mean() > 0.9 and found.clusters.min() > 0.75 and found.nodes.mean() > 0.9
    noise, _ = graphcore.datasets.planted_partition(4, 60, 0.06, 0.06, random_state=0)
    found = CoresetSpectralClustering(4, random_state=0).fit(noise).robustness()
    assert found.ari.mean() < 0.4 and found.clusters.max() < 0.75


def test_it_does_not_depend_on_threads_and_is_silent(planted):
    graph, _ = planted
    sparse = Graph.from_edges(np.arange(40), np.arange(1, 41))  # draws isolate nodes
    for data in (graph, sparse):
        model = CoresetSpectralClustering(4, random_state=0).fit(data)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            one = model.robustness(5)
            model.n_jobs = 3
            many, fewer = model.robustness(5), model.robustness(2)
        for name in ("ari", "clusters", "nodes"):
            assert np.array_equal(getattr(one, name), getattr(many, name), equal_nan=True)
        assert fewer.ari.tolist() == one.ari[:2].tolist()
        assert model.robustness(2, random_state=1).ari.tolist() != fewer.ari.tolist()


@pytest.mark.parametrize(
    "settings",
    [
        {"objective": "ncut"}, {"min_cluster_size": 50}, *(pytest.param(each, marks=pytest.mark.slow) for each in (
            {"max_share": 1.1}, {"coreset_size": 240}, {"effort": 2.0}, {"max_cluster_size": 60},
        )),
    ],
)  # fmt: skip
def test_refits_have_the_settings_of_the_fit(planted, settings):
    model = CoresetSpectralClustering(4, random_state=0, **settings).fit(planted[0])
    assert model.robustness(2).ari.mean() > 0.7


@pytest.mark.slow
def test_refits_are_by_the_method_and_the_weights_of_the_fit(planted):
    graph, _ = planted
    model = CoresetSpectralClustering(4, random_state=0).fit(graph)
    published = CoresetSpectralClustering(4, published=True, random_state=0).fit(graph)  # poor on sparse graphs
    assert 0 < published.robustness(2).ari.mean() < model.robustness(2).ari.mean()
    weighed = CoresetSpectralClustering(4, random_state=0).fit(graph, sample_weight=np.where(np.arange(240) % 3, 1, 2))
    assert weighed.robustness(2).ari.mean() > 0.7


def test_graphs_whose_draws_leave_next_to_nothing():
    pair = Graph.from_edges([0], [1])
    found = CoresetSpectralClustering(1, random_state=0).fit(pair).robustness(8)
    assert found.ari.shape == (8,) and found.clusters[0] < 1  # draws without the edge have no cluster
    square = CoresetSpectralClustering(4, random_state=0).fit(Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0]))
    assert 0 <= square.robustness(8).clusters.min() <= square.robustness(8).clusters.max() <= 1
    tiny = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0], [1e-300, 1e300, 1.0, 3e307])
    assert np.isfinite(CoresetSpectralClustering(2, random_state=0).fit(tiny).robustness(4).ari).all()


def test_what_cannot_be_is_refused_and_progress_is_told(planted, monkeypatch, capsys):
    graph, truth = planted
    model = CoresetSpectralClustering(4, random_state=0).fit(graph)
    with pytest.raises(ParameterError, match="n_refits=0 must be at least 1"):
        model.robustness(0)
    with pytest.raises(InputError, match="labels of a refit"):
        robustness(graph, truth, lambda drawn, seed: truth[1:])
    with pytest.raises(ParameterError, match="refit=5 must be a function of a graph and a seed"):
        robustness(graph, truth, 5)
    loaded = pickle.loads(pickle.dumps(model))
    assert loaded.robustness(2).ari.tolist() == model.robustness(2, graph=graph).ari.tolist()
    monkeypatch.setattr(quotient, "_MANY_ENTRIES", 100)
    with pytest.raises(InputError, match="more than 2\\^28: ask for the robustness of a subgraph"):
        model.robustness()
    monkeypatch.undo()
    CoresetSpectralClustering(4, random_state=0, verbose=0).fit(planted[0]).set_params(verbose=1).robustness(2)
    assert "refit 2 of 2" in capsys.readouterr().err
