"""New rows of a neighbour graph: the graph against that of all rows, and models that follow."""

import copy

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

import graphcore
from graphcore import CoresetSpectralClustering, InputError
from graphcore.graphs.changed import change_graph
from graphcore.graphs.derived import with_isolated
from graphcore.neighbors import join, search_walk
from graphcore.neighbors.join import join_rows, pair_distances
from graphcore.neighbors.vectors import as_vectors

DIGITS, CLASSES = load_digits(return_X_y=True)
SCIPY = {"manhattan": "cityblock"}


def rows_for(metric, n=300):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 5))
    if metric == "braycurtis":
        return abs(X)  # of others it is no distance
    return (rng.random((n, 40)) < 0.3).astype(float) if metric in ("hamming", "jaccard") else X


def joined_graph(X, n_old, metric="euclidean", **options):
    """The graph of the first rows after the others joined it, by the change that is made of an update."""
    X = as_vectors(X)
    graph = graphcore.knn_graph(X[:n_old], metric=metric, random_state=0)
    found = join_rows(X[:n_old], X[n_old:], graph, 10, metric, random_state=0, **options)
    changed = change_graph(with_isolated(graph, X.shape[0]), found.added, found.removed).graph
    return changed.to_scipy(), graphcore.knn_graph(X, metric=metric, random_state=0).to_scipy(), found


@pytest.mark.parametrize("metric", graphcore.neighbors.search.OWN_METRICS)
def test_distances_of_pairs_against_scipy(metric):
    X = rows_for(metric)
    rows, columns = np.random.default_rng(0).integers(300, size=(2, 1000))
    want = cdist(X, X, SCIPY.get(metric, metric))[rows, columns]
    np.testing.assert_allclose(pair_distances(X, rows, columns, metric), want, atol=1e-12)
    if metric in ("euclidean", "cosine", "manhattan", "hamming", "jaccard"):
        np.testing.assert_allclose(pair_distances(sp.csr_array(X), rows, columns, metric), want, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan", "correlation", "chebyshev", "canberra"])
@pytest.mark.parametrize("n_old", [299, 200, 12])
def test_with_all_rows_compared_it_is_the_graph_of_all_rows(metric, n_old, limits):
    limits(join, _LOOKED_AT=1000)
    found, want, _ = joined_graph(rows_for(metric), n_old, metric)
    assert (found != want).nnz == 0


def test_few_edges_are_missed_where_only_near_rows_are_compared():
    shuffled = np.random.default_rng(0).permutation(len(DIGITS))
    found, want, _ = joined_graph(DIGITS[shuffled], 1600)
    assert (found != want).nnz < 0.03 * want.nnz
    assert (found[1600:] != want[1600:]).nnz < 0.06 * want[1600:].nnz


def test_equal_rows_stay_with_those_that_were_there():
    found, _, joined = joined_graph(np.repeat(np.arange(3.0), 100)[:, None] + np.zeros((300, 2)), 250)
    assert joined.last_distances.max() == 0
    assert len(joined.removed[0]) == 0
    assert (found[250:].sum(axis=1) >= 10).all()


def test_rows_too_far_away_and_those_left_out_are_nobodys_neighbours():
    X = np.concatenate([rows_for("euclidean"), [[50.0] * 5, [0.0] * 5, [60.0] * 5]])
    kept = np.arange(20, 300)
    found, _, joined = joined_graph(X, 300, kept=kept, radius=10.0)
    assert (joined.last_distances > 10).tolist() == [True, False, True]
    degrees = np.diff(found.indptr)
    assert degrees[[300, 302]].tolist() == [0, 0]
    assert found.indices[found.indptr[301] : found.indptr[302]].min() >= 20
    assert degrees[301] >= 10


# -- models ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fitted():
    return CoresetSpectralClustering(10, random_state=0).fit(DIGITS[:1700])


@pytest.fixture
def model(fitted):
    again = copy.copy(fitted)  # an update exchanges attributes
    again._graph, again.clustering_ = fitted._graph, fitted.clustering_
    return again


@pytest.mark.slow
@pytest.mark.parametrize("walks", [False, True])
def test_new_rows_are_clustered_with_the_others(walks, model, monkeypatch, tmp_path):
    if walks:
        monkeypatch.setattr(search_walk, "exact_pays", lambda X, metric: False)
    before = model.labels_
    predicted = model.predict(DIGITS[1700:])
    done = model.update(DIGITS[1700:])
    np.testing.assert_array_equal(done.new_nodes, np.arange(1700, 1797))
    assert model.labels_.shape == model.outlier_scores_.shape == model.outside_share_.shape == (1797,)
    assert np.mean(model.labels_[:1700] == before) > 0.98
    assert np.mean(model.labels_[1700:] == predicted) > 0.95
    assert model.n_features_in_ == 64
    np.testing.assert_array_equal(model.predict(DIGITS[1700:]), model.labels_[1700:])  # each is its own neighbour
    model.save(tmp_path / "model.npz")
    again = graphcore.load(tmp_path / "model.npz")
    again.update(DIGITS[:3] + 0.5)
    model.update(DIGITS[:3] + 0.5)
    np.testing.assert_array_equal(again.labels_, model.labels_)
    np.testing.assert_array_equal(again.outlier_scores_, model.outlier_scores_)
    assert model.labels_[1797:].tolist() == model.labels_[:3].tolist()


@pytest.mark.slow
def test_labels_are_as_good_as_those_of_a_fit_to_all_rows():
    shuffled = np.random.default_rng(1).permutation(len(DIGITS))
    X, y = DIGITS[shuffled], CLASSES[shuffled]
    model = CoresetSpectralClustering(10, random_state=0).fit(X[:900])
    for start in range(900, len(X), 100):
        model.update(X[start : start + 100])
    whole = CoresetSpectralClustering(10, random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) > adjusted_rand_score(y, whole.labels_) - 0.03


@pytest.mark.slow
@pytest.mark.parametrize("kind", [np.uint8, np.float16, np.float32, sp.csr_array, sp.csr_matrix])
def test_vectors_are_kept_as_they_are(kind):
    X = kind(DIGITS) if hasattr(kind, "tocsr") else DIGITS.astype(kind)
    model = CoresetSpectralClustering(10, random_state=0).fit(X[:1700])
    model.update(X[1700:])
    kept = model._reference.vectors
    assert kept.dtype == X.dtype
    assert kept.shape == X.shape
    assert abs(kept - X).max() == 0
    if kind is np.uint8:
        model.update(DIGITS[:1] + 0.5)
        assert model._reference.vectors.dtype == np.float32
        np.testing.assert_array_equal(model._reference.vectors[-1], DIGITS[0] + 0.5)


def test_rows_between_clusters_stay_outliers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3)) + 12 * np.eye(3)[rng.integers(3, size=600)]
    model = CoresetSpectralClustering(3, outliers=0.05, random_state=0).fit(X)
    apart, scores = model.labels_ < 0, model.outlier_scores_
    near, far = X[~apart][:20] + 0.01, np.full((5, 3), 40.0) * np.arange(1, 6)[:, None]
    model.update(np.concatenate([near, far]))
    np.testing.assert_array_equal(model.labels_[:600] < 0, apart)
    assert (model.labels_[600:] < 0).tolist() == [False] * 20 + [True] * 5
    np.testing.assert_array_equal(model.outlier_scores_[:600], scores)
    assert model.outlier_scores_[600:620].max() < scores[apart].min() < model.outlier_scores_[620:].min()
    np.testing.assert_array_equal(model.predict(far), -1)


def test_what_is_refused_changes_nothing(model):
    labels, graph, reference = model.labels_, model.graph_, model._reference
    for given, message in (
        ((DIGITS[:2, :5],), "5 features"),
        ((np.full((2, 64), np.nan),), "NaN"),
        (([1e30] * 64,), "1D array|Reshape"),
        ((np.full((1, 64), 1e30),), "rescale"),
        ((), "updated by new rows"),
        ((DIGITS[:1], ([0], [1])), "none are taken out"),
        ((graph,), "fitted to vectors"),
        ((DIGITS[:0],), "minimum of 1"),
    ):
        with pytest.raises(InputError, match=message):
            model.update(*given)
    assert model.labels_ is labels
    assert model.graph_ is graph
    assert model._reference is reference


def test_what_cannot_be_updated(model, tmp_path):
    by_angle = CoresetSpectralClustering(3, metric="cosine", random_state=0).fit(DIGITS[:200])
    with pytest.raises(InputError, match="row 1 is"):
        by_angle.update([DIGITS[0], 0 * DIGITS[0]])
    listed = CoresetSpectralClustering(2, random_state=0).fit((np.array([[1], [0], [3], [2]]), np.ones((4, 1))))
    with pytest.raises(InputError, match="fitted to distances"):
        listed.update(DIGITS[:1])
    weighed = CoresetSpectralClustering(3, random_state=0).fit(DIGITS[:200], sample_weight=np.full(200, 2.0))
    with pytest.raises(InputError, match="sample_weight"):
        weighed.update(DIGITS[:1])
