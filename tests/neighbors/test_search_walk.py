"""The search by walks against the exact one, and its loop against plain numpy."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits

import graphcore
from graphcore.base.validation import read_only
from graphcore.neighbors import _loops as pairs
from graphcore.neighbors import search
from graphcore.neighbors.search import WalkSearcher, exact_searcher, new_row_searcher

DIGITS = load_digits().data.astype(np.float32)
BITS = (DIGITS > 7).astype(np.float32)


def mixture(seed, n=4000, d=24, n_clusters=40):
    """Rows around well separated centres: the neighbour graph has a component for each."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(n_clusters, d)) * 5
    return (centres[rng.integers(n_clusters, size=n)] + rng.normal(size=(n, d))).astype(np.float32)


def searchers(X, n_neighbors=10, metric="euclidean", n_jobs=1):
    graph = graphcore.knn_graph(X, n_neighbors, metric=metric, random_state=0)
    return WalkSearcher(X, graph, n_neighbors, metric, n_jobs), exact_searcher(X, n_neighbors, metric)


def plain_walk(distances, graph, starts, n_listed):
    """The nearest that one row finds: the nearest of its list that has not been visited is visited next."""
    listed, visited = sorted(set(starts), key=lambda u: distances[u])[:n_listed], set()
    while left := [u for u in listed if u not in visited]:
        visited.add(left[0])
        around = graph.indices[graph.indptr[left[0]] : graph.indptr[left[0] + 1]]
        listed = sorted({*listed, *around.tolist()}, key=lambda u: distances[u])[:n_listed]
    return listed


@pytest.mark.parametrize("dtype", [np.float32, pytest.param(np.float64, marks=pytest.mark.slow)])
@pytest.mark.parametrize("code, name", [(pairs.EUCLIDEAN, "sqeuclidean"), (pairs.MANHATTAN, "cityblock")])
def test_the_walk_is_the_plain_one(code, name, dtype):
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(300, 5)).astype(dtype), rng.normal(size=(20, 5)).astype(dtype)
    graph = graphcore.knn_graph(X, 3)
    starts = rng.integers(300, size=(20, 4)).astype(np.int32)
    near, far = np.full((20, 6), -1, dtype=np.int32), np.full((20, 6), np.inf, dtype=dtype)
    given = map(read_only, (X, graph.indptr.astype(np.int64), graph.indices, new, starts, rng.permutation(20)))
    pairs.walk(code, *given, near, far, 0, 20)
    distances = cdist(new, X, name)
    assert near.tolist() == [plain_walk(distances[i], graph, starts[i].tolist(), 6) for i in range(20)]
    np.testing.assert_allclose(far, np.take_along_axis(distances, near.astype(int), axis=1), rtol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan", "hamming", "jaccard"])
def test_metrics(metric):
    X = BITS if metric in ("hamming", "jaccard") else DIGITS
    walks, exact = searchers(X[:1500], metric=metric)
    distances, found = walks.kneighbors(X[1500:])
    wanted, _ = exact.kneighbors(X[1500:])
    assert np.mean(distances <= wanted[:, -1:] + 1e-5) >= 0.99
    same = np.isclose(distances, wanted, rtol=1e-3, atol=1e-5)
    assert same.mean() >= 0.95
    assert (np.diff(distances, axis=1) >= 0).all()
    assert found.min() >= 0


def test_threads_and_company_change_nothing():
    X = mixture(0)
    one, two = searchers(X[:3000])[0], searchers(X[:3000], n_jobs=2)[0]
    distances, found = one.kneighbors(X[3000:])
    for searcher, rows in ((two, slice(None)), (one, slice(700, 800))):
        again = searcher.kneighbors(X[3000:][rows])
        np.testing.assert_array_equal(again[0], distances[rows])
        np.testing.assert_array_equal(again[1], found[rows])


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_no_row_is_beyond_the_radius_by_a_walk_alone(metric):
    X, numbers = mixture(0), np.arange(100, 3000)
    # By a ring walks find little, and none of the first rows, which have no edges.
    ring = graphcore.Graph.from_edges(numbers, np.roll(numbers, 1))
    exact, listed = exact_searcher(X[100:3000], 10, metric).kneighbors(X[3000:])
    radius = 1.0001 * np.median(exact[:, -1])
    distances, found = WalkSearcher(X[:3000], ring, 10, metric, 1, numbers, radius).kneighbors(X[3000:])
    is_far = distances[:, -1] > radius
    np.testing.assert_array_equal(is_far, exact[:, -1] > radius)
    np.testing.assert_array_equal(found[is_far], listed[is_far] + 100)


@pytest.mark.slow
def test_walks_are_taken_where_the_fit_searched_approximately():
    few, many = mixture(0), np.zeros((60_000, 32), dtype=np.float32)
    assert not isinstance(new_row_searcher(few, graphcore.knn_graph(few), 10, "euclidean", 1), WalkSearcher)
    many[:, 0] = np.arange(60_000)
    ring = graphcore.Graph.from_edges(np.arange(60_000), (np.arange(60_000) + 1) % 60_000)
    assert isinstance(new_row_searcher(many, ring, 10, "euclidean", 1), WalkSearcher)
    for graph, metric in ((ring, "correlation"), (None, "euclidean")):
        assert not isinstance(new_row_searcher(many, graph, 10, metric, 1), WalkSearcher)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"outliers": 0.02}])
def test_predictions_agree_with_exact_ones(options, monkeypatch, tmp_path):
    X = mixture(1, n_clusters=10)
    model = graphcore.CoresetSpectralClustering(10, random_state=0, **options).fit(X[:3000])
    exact = model.predict(X[3000:])
    monkeypatch.setattr(search, "exact_pays", lambda *given: False)
    walked = model.predict(X[3000:])
    assert np.mean(walked == exact) >= 0.999
    model.save(tmp_path / "model.npz")
    np.testing.assert_array_equal(graphcore.load(tmp_path / "model.npz").predict(X[3000:]), walked)
