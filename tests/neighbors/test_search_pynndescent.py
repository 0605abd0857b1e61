"""The search by pynndescent, whose answers are its own; it compiles for seconds for each metric."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from graphcore import CoresetSpectralClustering, InputError, ParameterError, knn_graph, load, neighbor_graph
from graphcore.neighbors import search_pynndescent
from graphcore.neighbors.neighbor_lists import Neighbors
from graphcore.neighbors.search import METRICS, OWN_METRICS, check_metric, nearest_neighbors
from tests.oracles import dense

BLOBS, CLASSES = make_blobs(300, 5, centers=3, random_state=0)
BLOBS = BLOBS.astype(np.float32)
BITS = (np.random.default_rng(0).random((200, 40)) < 0.4).astype(np.float32)


def test_names_are_known_before_the_import():
    assert (check_metric("l1"), check_metric("sqeuclidean")) == ("manhattan", "euclidean")
    assert set(OWN_METRICS) < set(METRICS)
    for metric in ("dot", "sinkhorn"):
        with pytest.raises(ParameterError, match=f"metric='{metric}'.*inner products are no distances"):
            knn_graph(BLOBS, metric=metric)
    lists = Neighbors(np.array([[1], [0]]), np.array([[-3.0], [-3.0]]))
    assert neighbor_graph(lists).n_edges == 1
    with pytest.raises(InputError, match="inner products are none"):
        neighbor_graph(lists, weighting="gaussian")
    with pytest.raises(ParameterError, match="algorithm='exact' has no metric='hellinger'"):
        knn_graph(BLOBS, metric="hellinger", algorithm="exact")
    with pytest.raises(InputError, match=r"metric='yule' is for dense vectors; pass X\.toarray"):
        knn_graph(sp.csr_array(BITS), metric="yule")


def test_it_searches_where_nothing_else_does_or_where_it_is_named(monkeypatch):
    called = []

    def search(X, n_neighbors, metric, random_state, n_jobs):
        called.append(metric)
        return nearest_neighbors(X, n_neighbors)

    monkeypatch.setattr(search_pynndescent, "neighbors_by_pynndescent", search)
    knn_graph(BLOBS, algorithm="pynndescent")
    knn_graph(BLOBS, metric="hellinger")
    knn_graph(BLOBS, metric="canberra")
    knn_graph(sp.csr_array(BITS), metric="correlation")
    assert called == ["euclidean", "hellinger", "canberra", "correlation"]


# -- with pynndescent itself, which compiles -------------------------------------------------------------------------


@pytest.mark.slow
def test_its_metrics_are_all_known():
    from pynndescent.distances import named_distances
    from pynndescent.sparse import sparse_named_distances

    assert set(search_pynndescent.METRICS) <= set(named_distances) | set(sparse_named_distances)
    assert set(search_pynndescent.SPARSE) <= set(sparse_named_distances)


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["canberra", "jaccard"])  # each takes pynndescent 20 s and more to compile
def test_answers_are_its_own(metric):
    from pynndescent import NNDescent

    X = BITS if metric == "jaccard" else np.abs(BLOBS) + 0.1
    options = {"metric": metric, "random_state": 0, "n_jobs": 1}
    numbers = NNDescent(X, n_neighbors=6, **options).neighbor_graph[0]
    found = nearest_neighbors(X, 5, algorithm="pynndescent", **options)
    np.testing.assert_array_equal(found.indices, numbers[:, 1:])
    if metric in ("canberra", "correlation"):
        numbers = NNDescent(sp.csr_matrix(X), n_neighbors=6, **options).neighbor_graph[0]
        found = nearest_neighbors(sp.csr_array(X), 5, algorithm="pynndescent", **options)
        np.testing.assert_array_equal(found.indices, numbers[:, 1:])


@pytest.mark.slow
def test_a_ready_index_is_taken(tmp_path):
    import pynndescent

    index = pynndescent.NNDescent(BLOBS, n_neighbors=11, random_state=0)
    want = neighbor_graph(index.neighbor_graph)
    transformer = pynndescent.PyNNDescentTransformer(n_neighbors=10, random_state=0).fit(BLOBS)
    with pytest.raises(InputError, match="hold no lists of neighbours"):
        knn_graph(transformer)
    for graph in (knn_graph(index), neighbor_graph(index)):
        np.testing.assert_array_equal(dense(graph), dense(want))
    model = CoresetSpectralClustering(3, random_state=0).fit(index)
    assert adjusted_rand_score(CLASSES, model.labels_) == 1
    new = BLOBS[:40] + np.float32(0.01)
    np.testing.assert_array_equal(model.predict(new), model.labels_[:40])
    with pytest.raises(InputError, match="X has 4 features, and the index has vectors of 5"):
        model.predict(new[:, :4])
    model.save(tmp_path / "model.npz")
    again = load(tmp_path / "model.npz")
    np.testing.assert_array_equal(again.predict(index.query(new, 10)), model.labels_[:40])


@pytest.mark.slow
@pytest.mark.parametrize(("metric", "of"), [("hellinger", np.asarray), ("canberra", sp.csr_array)])
def test_models_by_its_metrics_predict(metric, of):
    X = np.abs(BLOBS)
    model = CoresetSpectralClustering(3, affinity="nearest_neighbors", metric=metric, random_state=0).fit(of(X[:280]))
    np.testing.assert_array_equal(model.predict(of(X[:280])), model.labels_)
    assert adjusted_rand_score(CLASSES[280:], model.predict(of(X[280:]))) == 1
