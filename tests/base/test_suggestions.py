"""A keyword that is no parameter is refused with the name of the nearest one."""

import inspect
import pickle

import pytest
from sklearn.base import clone

import graphcore


@pytest.mark.parametrize(
    ("given", "meant"),
    [("seed", "random_state"), ("resolution_parameter", "resolution"), ("min_samples", "n_neighbors"),
     ("coreset_ratio", "coreset_size"), ("n_communities", "n_clusters"), ("k", "n_clusters"), ("effrt", "effort")],
)  # fmt: skip
def test_names_of_other_libraries_and_misspelt_ones(given, meant):
    with pytest.raises(TypeError, match=rf"no parameter '{given}'; did you mean {meant}\?$"):
        graphcore.CoresetSpectralClustering(2, **{given: 1})


def test_functions_methods_and_constructors_of_graphs_say_so_too():
    graph = graphcore.datasets.load_karate().graph
    for refused, meant in {
        lambda: graphcore.knn_graph([[0.0]], k=1): "n_neighbors",
        lambda: graphcore.Graph.from_edges([0], [1], directed=True): "symmetrize",
        lambda: graphcore.CoresetSpectralClustering(2).fit(graph, weights=1): "sample_weight",
        lambda: graphcore.metrics.agreement([0], [0], trut=[0]): "truth",
        lambda: graphcore.build_coreset(graph, 2, coreset_size=9): "size",
        lambda: graphcore.coreset_spectral_clustering(graph, 2, method="degree"): "sampling",
        lambda: graphcore.datasets.planted_partition(2, 9, 0.5, 0.1, seed=0): "random_state",
    }.items():
        with pytest.raises(graphcore.ParameterError, match=f"did you mean {meant}"):
            refused()
    for unlike in ("n_components", "n_iter"):  # no numbers of clusters
        with pytest.raises(graphcore.ParameterError, match=r"it has n_clusters, .* verbose$"):
            graphcore.CoresetSpectralClustering(**{unlike: 1})


def test_what_is_public_is_pickled_cloned_and_inspected_as_ever():
    for each in (graphcore.knn_graph, graphcore.metrics.agreement, graphcore.plot.dendrogram, graphcore.KSelection):
        assert pickle.loads(pickle.dumps(each)) is each
    model = clone(graphcore.CoresetSpectralClustering(3, n_jobs=2))
    assert (model.n_clusters, model.n_jobs) == (3, 2)
    assert list(inspect.signature(graphcore.knn_graph).parameters)[:2] == ["X", "n_neighbors"]
