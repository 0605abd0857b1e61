"""Fitted attributes of CoresetSpectralClustering."""

import copy
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV

import graphcore
from graphcore import CoresetSpectralClustering, Graph, InputError, ParameterError
from graphcore.metrics import conductance, cut_and_volume, quotient_graph


@pytest.fixture(scope="module")
def karate():
    return graphcore.datasets.load_karate().graph


@pytest.fixture(scope="module")
def model(karate):
    return CoresetSpectralClustering(3, random_state=0).fit(karate)


def test_the_graph_is_the_one_given_or_that_of_the_neighbours(karate, model):
    assert model.graph_ is karate
    X, _ = make_blobs(60, centers=3, cluster_std=0.5, random_state=0)
    over_vectors = CoresetSpectralClustering(3, n_neighbors=5, random_state=0).fit(X)
    assert (over_vectors.graph_.to_scipy() != graphcore.knn_graph(X, 5).to_scipy()).nnz == 0
    graph = over_vectors.set_params(outliers=0.1).fit(X).graph_
    assert graph.n_isolated == np.count_nonzero(over_vectors.labels_ < 0) >= 6
    assert graph.n_components - graph.n_isolated == 3


@pytest.mark.parametrize("scale", [1.0, 1e-200])
def test_conductance_is_that_of_the_labels_for_any_weights(karate, scale):
    weighted = Graph(karate.indptr, karate.indices, scale * np.ones(karate.n_entries))
    model = CoresetSpectralClustering(3, random_state=0).fit(weighted)
    np.testing.assert_allclose(model.conductance_, conductance(karate, model.labels_, 3), rtol=1e-12)


def test_the_graph_between_clusters_those_of_each_and_the_summary(karate, model):
    parts = [model.subgraph(cluster).node_names for cluster in range(3)]
    assert [part.tolist() for part in parts] == [np.flatnonzero(model.labels_ == c).tolist() for c in range(3)]
    between = model.quotient_graph_
    np.testing.assert_allclose(between.to_scipy().toarray(), quotient_graph(karate, model.labels_, 3).toarray())
    np.testing.assert_allclose(between.degrees, cut_and_volume(karate, model.labels_).volume)
    plain, names = model.summary(n_central=1), list(pytest.importorskip("pandas").DataFrame(model.summary("pandas")))
    assert (
        names == list(plain) == ["cluster", "size", "volume", "conductance", "parts", "stability", "nearest", "central"]
    )
    central = graphcore.metrics.central_nodes(model.graph_, model.labels_, count=1)
    assert [list(nodes) for nodes in plain["central"]] == [nodes.tolist() for nodes in central]
    np.testing.assert_array_equal(plain["stability"], model.cluster_stability_)
    single = CoresetSpectralClustering(2, effort="fast", random_state=0).fit(model.graph_)
    assert np.isnan(single.summary()["stability"]).all()


def test_wrong_questions_are_refused(model):
    for cluster in (-1, 3, 1.5, "first"):
        with pytest.raises(ParameterError, match="cluster="):
            model.subgraph(cluster)
    emptied = copy.copy(model)
    emptied.labels_ = np.where(model.labels_ == 1, 0, model.labels_)
    with pytest.raises(InputError, match=r"cluster=1 holds no node; summary\(\) has the sizes"):
        emptied.subgraph(1)
    with pytest.raises(ParameterError, match="library='spark'"):
        model.summary("spark")
    for ask in (
        lambda m: m.graph_, lambda m: m.quotient_graph_, lambda m: m.summary(), lambda m: m.subgraph(0),
        lambda m: m.predict([[1.0]]), lambda m: m.to_table(),
    ):  # fmt: skip
        with pytest.raises(NotFittedError):
            ask(CoresetSpectralClustering(2))


@pytest.mark.slow
def test_a_search_over_parameters_needs_no_scoring():
    graph, truth = graphcore.datasets.planted_partition(4, 60, 0.4, 0.01, random_state=0)
    grid = {"objective": ["information", "ncut"], "coreset_size": [0.2, 0.5]}
    model = CoresetSpectralClustering(4, affinity="precomputed", random_state=0)
    search = GridSearchCV(model, grid, cv=2).fit(graph.to_scipy())
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert graphcore.metrics.agreement(search.best_estimator_.labels_, truth)["ari"] == 1.0
    # Labels that stay are cut with the rows.
    known = np.where(np.arange(240) % 3, -1, 3 - truth)
    search = GridSearchCV(model, grid, cv=2, error_score="raise").fit(graph.to_scipy(), labels=known)
    np.testing.assert_array_equal(search.best_estimator_.labels_, 3 - truth)


def test_probabilities_are_those_of_the_own_cluster(model):
    dense = model.membership_.toarray()
    np.testing.assert_array_equal(model.probabilities_, dense.max(axis=1))
    assert (dense.argmax(axis=1) == model.labels_).mean() > 0.9
    assert not hasattr(CoresetSpectralClustering(3), "probabilities_")
    graph = Graph.from_edges([0, 1, 2], [1, 2, 0], n_nodes=4)
    with pytest.warns(graphcore.GraphWarning, match="isolated"):
        assert CoresetSpectralClustering(1, random_state=0).fit(graph).probabilities_.tolist() == [1, 1, 1, 0]


# -- names of rows -----------------------------------------------------------------------------------------------------


X, Y = make_blobs(130, centers=3, cluster_std=0.5, random_state=0)
IDS = [f"gene {i}" for i in range(130)]


def fitted(ids=None, **parameters):
    return CoresetSpectralClustering(3, random_state=0, **parameters).fit(X[:100], ids=ids)


@pytest.mark.parametrize("make", [list, np.array, tuple])
def test_ids_name_the_rows_in_all_that_is_said_of_them(make, tmp_path):
    model = fitted(make(IDS[:100]))
    np.testing.assert_array_equal(model.labels_, fitted().labels_)
    assert model.graph_.node_names.tolist() == IDS[:100]
    assert set(np.concatenate(model.summary()["central"])) <= set(IDS)
    graphcore.write_labels(model.labels_, tmp_path / "labels.tsv", model.graph_)
    assert (tmp_path / "labels.tsv").read_text().splitlines()[7] == f"gene 7\t{model.labels_[7]}"
    model.report(tmp_path / "page.html", pictures=False)
    assert model.summary()["central"][0][0] in (tmp_path / "page.html").read_text()
    for ids, said in ((IDS[:99], "99 values"), (3, "ids is 3"), (make(["a"] * 100), "stands in rows 0 and 1")):
        with pytest.raises(InputError, match=said):
            fitted(ids)


@pytest.mark.slow
@pytest.mark.parametrize(("index", "names"), [(IDS[:100], IDS[:100]), (range(7, 107), None), (["a"] * 100, None)])
def test_the_index_of_a_data_frame_names_its_rows(index, names):
    table = pytest.importorskip("pandas").DataFrame(X[:100], index=index)
    model = CoresetSpectralClustering(3, random_state=0).fit(table)
    found = model.graph_.node_names
    assert (None if found is None else found.tolist()) == names
    np.testing.assert_array_equal(model.labels_, fitted().labels_)
    assert model.fit(table, ids=IDS[:100]).graph_.node_names.tolist() == IDS[:100]


def test_a_saved_model_knows_the_columns_of_a_data_frame(tmp_path):
    table = load_iris(as_frame=True).data
    model = CoresetSpectralClustering(3, random_state=0).fit(table)
    model.save(tmp_path / "model.npz")
    again = graphcore.load(tmp_path / "model.npz")
    np.testing.assert_array_equal(again.feature_names_in_, model.feature_names_in_)
    with warnings.catch_warnings(action="error"):
        np.testing.assert_array_equal(again.predict(table), model.predict(table))
    with pytest.raises(ValueError, match="feature names"):
        again.predict(table.iloc[:, ::-1])
