"""Rows that are equal: one point of the search, no hubs in the graph, and never in different clusters."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score, pairwise_distances
from sklearn.neighbors import KNeighborsTransformer, kneighbors_graph
from sklearn.pipeline import make_pipeline

from graphcore import CoresetSpectralClustering, knn_graph, load
from graphcore.exceptions import GraphWarning
from graphcore.neighbors.vectors import kinds_of

BLOBS, CLASSES = make_blobs(300, 5, centers=3, random_state=0)
PILE = np.vstack([BLOBS, np.full((100, 5), 50.0)])
SETS = {
    "all equal": np.ones((300, 3)),
    "ten of each": np.repeat(BLOBS, 10, axis=0),
    "rounded": np.round(BLOBS),
    "a pile": PILE,
    "a pile in a cluster": np.vstack([BLOBS, np.repeat(BLOBS[:1], 200, axis=0)]),
    "four points": np.repeat([[0.0, 0], [0, 1], [9, 9], [9, 8]], 50, axis=0),
    "one-hot": np.repeat(np.eye(6), 30, axis=0),
}


def are_together(X, labels):
    kinds = np.unique(np.round(X, 9), axis=0, return_inverse=True)[1].ravel()
    return all(len(np.unique(labels[kinds == kind])) == 1 for kind in range(kinds.max() + 1))


@pytest.mark.parametrize("of", [np.asarray, sp.csr_array, lambda X: X.astype(np.float32)])
def test_kinds_are_those_of_numpy_in_the_order_of_rows(of):
    X = np.random.default_rng(0).integers(0, 3, (200, 3)).astype(float)
    kinds = kinds_of(of(X))
    _, first, want = np.unique(X, axis=0, return_index=True, return_inverse=True)
    np.testing.assert_array_equal(kinds, np.argsort(np.argsort(first))[want.ravel()])
    assert kinds_of(of(np.eye(5))) is None
    np.testing.assert_array_equal(kinds_of(of(np.array([[0.0, 1], [-0.0, 1], [2, 0]]))), [0, 0, 1])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::graphcore.exceptions.GraphWarning")
@pytest.mark.parametrize("weighting", ["binary", "gaussian"])
@pytest.mark.parametrize("mode", ["union", "mutual", "average"])
@pytest.mark.parametrize("name", SETS)
def test_no_row_has_a_high_degree(name, mode, weighting):
    X = SETS[name]
    graph = knn_graph(X, 10, mode=mode, weighting=weighting)
    assert graph.n_nodes == len(X)
    assert graph.n_self_loops == 0
    if mode != "mutual":  # which may leave rows without an edge
        assert np.diff(graph.indptr).min() >= 1
    different = knn_graph(np.unique(X, axis=0), 10) if len(np.unique(X, axis=0)) > 10 else None
    assert np.diff(graph.indptr).max() <= (40 if different is None else 15 + 2 * np.diff(different.indptr).max())
    if graph.weights is not None:
        assert 0 < graph.weights.min() <= graph.weights.max() == 1


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::graphcore.exceptions.GraphWarning")
@pytest.mark.parametrize("options", [{}, {"outliers": "auto"}, {"outliers": 0.05}, {"objective": "modularity"}])
@pytest.mark.parametrize("name", SETS)
def test_equal_rows_are_never_apart(name, options, tmp_path):
    X = SETS[name]
    k = min(3, len(np.unique(X, axis=0)))
    model = CoresetSpectralClustering(k, random_state=0, **options).fit(X)
    assert are_together(X, model.labels_)
    assert len(model.labels_) == model.graph_.n_nodes == len(X)
    assert len(np.unique(model.labels_[model.labels_ >= 0])) == k
    model.save(tmp_path / "model.npz")
    np.testing.assert_array_equal(load(tmp_path / "model.npz").predict(X), model.predict(X))


@pytest.mark.parametrize(("n", "d"), [(60, 3), (300, 3), (300, 60)])
def test_of_one_point_there_is_one_cluster(n, d):
    with pytest.warns(GraphWarning, match="different rows is 1"):
        model = CoresetSpectralClustering("auto", outliers="auto", random_state=0).fit(np.ones((n, d)))
    assert model.n_clusters_ == 1
    assert (model.labels_ == 0).all()


@pytest.mark.slow
def test_more_clusters_than_different_rows_are_warned_of():
    X = np.repeat([[1.0, 1], [2, 2]], 50, axis=0)
    with pytest.warns(GraphWarning, match="n_clusters=5 is more than the 2 different rows"):
        assert len(np.unique(CoresetSpectralClustering(5, random_state=0).fit(X).labels_)) == 5
    with pytest.warns(GraphWarning, match="2 rows occur more than n_neighbors=10 times, up to 50: .*and none is"):
        CoresetSpectralClustering(2, outliers=0.1, random_state=0).fit(X)
    with pytest.warns(GraphWarning, match="some count 100, more than max_cluster_size=60 allows"):
        labels = CoresetSpectralClustering(8, max_cluster_size=60, random_state=0).fit(PILE).labels_
    assert np.bincount(labels).max() <= 60


@pytest.mark.slow
def test_limits_count_rows_and_labels_that_stay_are_those_of_equal_rows():
    model = CoresetSpectralClustering(4, min_cluster_size=90, max_cluster_size=110, random_state=0).fit(PILE)
    np.testing.assert_array_equal(np.bincount(model.labels_), 100)
    known = np.full(400, -1)
    known[[0, 350]] = 3, 1
    labels = CoresetSpectralClustering(4, random_state=0).fit(PILE, labels=known).labels_
    assert labels[0] == 3
    assert (labels[300:] == 1).all()
    weights = np.where(np.arange(400) % 2, 1.0, 0.0)
    model = CoresetSpectralClustering(4, effort=2, max_cluster_size=55, random_state=0).fit(PILE, sample_weight=weights)
    assert (model.graph_.degrees[model.coreset_.indices] > 0).all()
    for outside in (model.labels_ < 0, model.stability_ == 0):
        np.testing.assert_array_equal(outside, weights == 0)
    assert len(np.unique(model.labels_[301::2])) == 1


def test_by_cosines_multiples_are_one_point():
    X = np.concatenate([np.outer(np.arange(1.0, 101), row) for row in np.random.default_rng(0).random((3, 7))])
    with pytest.warns(GraphWarning, match="different rows"):
        graph = knn_graph(X, 10, metric="cosine")
    assert np.diff(graph.indptr).max() < 30


@pytest.mark.slow
def test_distance_matrices_are_those_of_vectors():
    far = pairwise_distances(BLOBS)
    want = CoresetSpectralClustering(3, random_state=0).fit(BLOBS[:250])
    model = CoresetSpectralClustering(3, affinity="precomputed_nearest_neighbors", random_state=0).fit(far[:250, :250])
    np.testing.assert_array_equal(model.labels_, want.labels_)
    np.testing.assert_array_equal(model.predict(far[250:, :250]), want.predict(BLOBS[250:]))
    pipeline = make_pipeline(KNeighborsTransformer(n_neighbors=10, mode="distance"), model)
    np.testing.assert_array_equal(pipeline.fit_predict(BLOBS[:250]), want.labels_)
    np.testing.assert_array_equal(pipeline.predict(BLOBS[250:]), want.predict(BLOBS[250:]))
    with pytest.warns(GraphWarning, match="n_neighbors=10 is more than row 0 lists, which has 5 beside itself"):
        model.fit(kneighbors_graph(BLOBS, 5, mode="distance"))
    assert adjusted_rand_score(CLASSES, model.labels_) == 1
