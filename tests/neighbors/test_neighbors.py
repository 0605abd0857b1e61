"""kNN graphs against brute force in numpy: neighbours, modes, weights, awkward vectors."""

import tracemalloc
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from graphcore import CoresetSpectralClustering, GraphWarning, InputError, ParameterError, knn_graph
from graphcore.neighbors import _loops as loops
from graphcore.neighbors import search
from graphcore.neighbors.neighbors import SMALLEST_WEIGHT, WEIGHTINGS
from graphcore.neighbors.search import METRICS, nearest_neighbors
from graphcore.neighbors.vectors import as_vectors
from tests.oracles import dense


def distances_between(X, metric):
    return cdist(X, X, {"manhattan": "cityblock"}.get(metric, metric))


def assert_proper(X, found):
    """Lists are sorted, of different rows, without the row itself and of the stated types."""
    assert (found.indices.dtype, found.distances.dtype) == (np.int32, np.float32)
    assert found.indices.shape == found.distances.shape
    assert not (found.indices == np.arange(X.shape[0])[:, None]).any()
    assert (np.diff(found.distances, axis=1) >= 0).all()
    assert all(len(set(row)) == len(row) for row in found.indices.tolist())
    assert found.indices.min() >= 0


def listed_by_brute_force(X, k, metric="euclidean"):
    """Dense matrix: entry (i, j) is True if j is among the k nearest others of i. Needs distinct distances."""
    D = distances_between(X, metric)
    np.fill_diagonal(D, np.inf)
    listed = np.zeros(D.shape, dtype=bool)
    np.put_along_axis(listed, np.argsort(D, axis=1)[:, :k], True, axis=1)
    return listed, D


def expected_graph(X, k, metric, mode, weighting):
    listed, D = listed_by_brute_force(X, k, metric)
    last = np.sort(D, axis=1)[:, k - 1]
    if weighting == "binary":
        W = np.ones_like(D)
    else:
        W = np.exp(-(D**2) / (2 * np.median(last) ** 2))
    W = np.where(listed, np.maximum(W, SMALLEST_WEIGHT), 0)
    if mode == "union":
        return np.maximum(W, W.T)
    if mode == "mutual":
        return np.minimum(W, W.T)
    return (W + W.T) / 2


@pytest.mark.slow
@given(
    n=st.integers(2, 40),
    d=st.integers(1, 20),
    k=st.integers(1, 39),
    metric=st.sampled_from(METRICS[:3]),
    mode=st.sampled_from(["union", "mutual", "average"]),
    weighting=st.sampled_from(WEIGHTINGS),
    dtype=st.sampled_from([np.float32, np.float64]),
    container=st.sampled_from([np.asarray, sp.csr_array, sp.csr_matrix, sp.coo_array, sp.csc_array]),
    seed=st.integers(0, 2**32 - 1),
)
def test_graph_is_that_of_brute_force(n, d, k, metric, mode, weighting, dtype, container, seed):
    d = max(d, 2) if metric == "cosine" else d
    # Rows of norm 1 in float32 know small angles to few digits, and lists would differ from those in float64.
    X = np.random.default_rng(seed).normal(size=(n, d)).astype(np.float64 if metric == "cosine" else dtype)
    k = min(k, n - 1)
    graph = knn_graph(container(X), k, metric=metric, mode=mode, weighting=weighting, algorithm="exact")
    want = expected_graph(X, k, metric, mode, weighting)
    np.testing.assert_array_equal(dense(graph) > 0, want > 0)
    np.testing.assert_allclose(dense(graph), want, rtol=2e-4)
    may_weigh = weighting != "binary" or mode == "average"
    assert graph.is_weighted == may_weigh or (may_weigh and np.allclose(want[want > 0], 1))  # of two rows, for one
    assert graph.weights is None or graph.weights.dtype == np.float32
    assert graph.n_self_loops == 0


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int64, bool, np.float16, object, np.longdouble])
@pytest.mark.parametrize("container", [np.asarray, np.asfortranarray, sp.csr_array])
def test_other_types_give_the_same_graph(dtype, container):
    X = np.random.default_rng(0).integers(0, 2 if dtype is bool else 60, size=(200, 12))
    if container is sp.csr_array and dtype in (object, np.float16, np.longdouble):
        pytest.skip("scipy has no such sparse arrays")
    # Sparse rows are searched differently, so ties between integer distances may fall differently.
    want = nearest_neighbors(as_vectors(X.astype(float)), 6).distances
    np.testing.assert_allclose(nearest_neighbors(as_vectors(container(X.astype(dtype))), 6).distances, want, rtol=1e-6)


@pytest.mark.parametrize("container", [np.array, sp.csr_array])
def test_input_is_not_changed_and_may_be_read_only(container):
    X = container(np.random.default_rng(0).integers(-3, 3, size=(60, 7)).astype(float))
    before = X.copy()
    for array in [X.data, X.indices, X.indptr] if sp.issparse(X) else [X]:
        array.flags.writeable = False
    for metric in ("euclidean", "manhattan"):
        knn_graph(X, 3, metric=metric, weighting="gaussian")
    if sp.issparse(X):
        np.testing.assert_array_equal(X.toarray(), before.toarray())
        np.testing.assert_array_equal(X.indices, before.indices)
    else:
        np.testing.assert_array_equal(X, before)


@pytest.mark.slow
@pytest.mark.parametrize(("d", "metric"), [(2, "euclidean"), (12, "cosine"), (12, "manhattan"), (30, "euclidean")])
def test_same_graph_for_any_number_of_threads(d, metric):
    # Small integers: nearly every list ends among ties.
    X = np.random.default_rng(0).integers(1, 4, size=(5000, d)).astype(np.float32)
    one, two, three = (nearest_neighbors(as_vectors(X), 7, metric=metric, n_jobs=jobs) for jobs in (1, 2, 3))
    for other in (two, three):
        np.testing.assert_array_equal(one.indices, other.indices)
        np.testing.assert_array_equal(one.distances, other.distances)


@pytest.mark.slow
def test_memory_is_no_square_of_the_rows():
    X = np.random.default_rng(0).normal(size=(30_000, 3)).astype(np.float32)
    knn_graph(X[:100], 10, weighting="gaussian")  # what is loaded and compiled once
    tracemalloc.start()
    graph = knn_graph(X, 10, weighting="gaussian")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert graph.n_nodes == 30_000
    assert peak < 80 * 30_000 * 10  # bytes; n x n would be 900 MB even as booleans


# -- what is refused ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[0.0, 1.0], [np.nan, 2.0], [np.nan, 0.0]], r"row 1, column 0 is NaN \(2 such values\)"),
        ([[0.0, 1.0], [2.0, -np.inf]], "row 1, column 1 is -inf"),
        (sp.csr_array([[0.0, 1.0], [0.0, np.nan], [3.0, 0.0]]), "row 1, column 1 is NaN"),
        ([[1.0, 2.0]], "1 sample"),
        ([1.0, 2.0, 3.0], "1D array"),
        ([["a", "b"], ["c", "d"]], "cannot be used"),
        ([[1j, 2], [3, 4]], "[Cc]omplex"),
        ([[1e200], [2e200]], "rescale"),
        (None, "no array, but None"),
    ],
)
def test_unusable_vectors(X, message):
    with pytest.raises(InputError, match=message):
        knn_graph(X, 1)


def test_rows_that_have_no_distance_by_a_metric():
    for X in (np.diag([1.0, 0.0, 3.0]), sp.csr_array(np.diag([1.0, 0.0, 3.0]))):
        for metric, message in (("cosine", "row 1 is"), ("hamming", "vectors of 0 and 1, and these hold 3")):
            with pytest.raises(InputError, match=message):
                knn_graph(X, 1, metric=metric)
    with pytest.raises(InputError, match="one number everywhere; row 1 is"):
        knn_graph([[1.0, 2.0], [0.1, 0.1], [3.0, 4.0]], 1, metric="correlation")


UNUSABLE = {
    "n_neighbors": (0, -3, 2.5, True), "metric": ("precomputed", np.dot, "dot"), "mode": ("intersection",),
    "weighting": (None,), "algorithm": ("kd_tree",), "n_jobs": (0,), "random_state": (-1,),
}  # fmt: skip


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in UNUSABLE.items() for value in values])
def test_unusable_parameters(name, value):
    with pytest.raises(ParameterError, match=name):
        knn_graph(np.eye(5), **{"n_neighbors": 2, "algorithm": "approximate", name: value})


@pytest.mark.parametrize("mode", ["union", "mutual", "average"])
def test_more_neighbours_than_rows_are_reduced_with_a_warning(mode):
    with pytest.warns(GraphWarning, match="n_neighbors=10 was reduced to 4: there are only 5 rows") as record:
        graph = knn_graph(np.random.default_rng(0).normal(size=(5, 2)), mode=mode)
    assert record[0].filename == __file__
    np.testing.assert_array_equal(dense(graph), 1 - np.eye(5))
    with warnings.catch_warnings(action="error"):
        knn_graph(np.random.default_rng(0).normal(size=(5, 2)), 4, mode=mode)


# -- rows that share nothing with any other ----------------------------------------------------------------------------


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("metric", ["jaccard", "cosine"])
def test_rows_that_share_nothing_have_no_neighbours_and_no_label(metric, container):
    # They joined the cluster that stood first, with stability 1, as their neighbours were those of the lowest numbers.
    # Two clusters of 15 rows, and rows of which each has columns of its own.
    rng, X, order = np.random.default_rng(0), np.zeros((40, 60)), np.r_[15:30, 0:15, 30:40]
    for i in range(30):
        X[i, 15 * (i // 15) + rng.choice(15, 6, replace=False)] = 1
    X[30:, 30:] = np.kron(np.eye(10), np.ones(3))
    for rows in (X, X[order]):
        with pytest.warns(GraphWarning, match="10 of 40 nodes are isolated") as told:
            model = CoresetSpectralClustering(2, metric=metric, n_neighbors=5, random_state=0).fit(container(rows))
        assert len(told) == 1
        np.testing.assert_array_equal(model.labels_[30:], -1)
        np.testing.assert_array_equal(model.labels_[:30], np.repeat([model.labels_[0], model.labels_[15]], 15))
        np.testing.assert_array_equal(model.predict(container(rows)), model.labels_)
    if metric == "cosine":  # around 0 as well, rows of zeros have no direction
        around = model.fit(container(rng.normal(size=(40, 60))))
        assert (around.predict(container(np.eye(2, 60, k=-1))) >= 0).tolist() == [False, True]
    # With outliers they are some, and rows that are equal have each other.
    model = CoresetSpectralClustering(2, metric=metric, n_neighbors=5, outliers="auto", random_state=0)
    np.testing.assert_array_equal(model.fit(container(X)).labels_[30:], -1)
    graph = knn_graph(container(np.vstack([X, X[30:]])), 5, metric=metric)
    np.testing.assert_array_equal(np.diff(graph.indptr)[30:], 1)
    # Vectors at right angles are not as far apart as vectors can be.
    assert knn_graph(np.vstack([np.eye(3), -np.eye(3)]), 2, metric="cosine").n_isolated == 0


def test_infinite_distances_are_no_edges():
    D = distances_between(np.arange(12.0)[:, None], "euclidean")
    D[:, 9:] = D[9:] = np.inf
    np.fill_diagonal(D, 0)
    model = CoresetSpectralClustering(2, affinity="precomputed_nearest_neighbors", n_neighbors=3, random_state=0)
    with pytest.warns(GraphWarning, match="3 of 12 nodes are isolated"):
        labels = model.fit(D).labels_
    assert (labels[:9] >= 0).all() and (labels[9:] == -1).all()
    np.testing.assert_array_equal(model.predict(D), labels)
    D[0, 1] = np.nan
    with pytest.raises(InputError, match="NaN"):
        model.fit(D)


# -- vectors of 0 and 1 ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["hamming", "jaccard"])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, sp.csr_matrix])
def test_distances_between_binary_vectors(metric, container):
    X = np.random.default_rng(0).random((300, 20)) < 0.2
    X[:5] = False
    D = cdist(X, X, metric)
    np.fill_diagonal(D, np.inf)
    for values in (X, X.astype(np.float64)):
        found = nearest_neighbors(as_vectors(container(values)), 7, metric=metric, algorithm="exact")
        np.testing.assert_allclose(found.distances, np.sort(D, axis=1)[:, :7], rtol=1e-5, atol=1e-7)
        listed = np.take_along_axis(D, found.indices.astype(int), axis=1)
        np.testing.assert_allclose(found.distances, listed, rtol=1e-5, atol=1e-7)


# -- exact lists by products -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_same", [True, False])
def test_products_come_into_lists(is_same):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(2, 70, 5)).astype(np.float32)
    Y = X if is_same else Y
    numbers = np.arange(70, dtype=np.int32)
    theirs = numbers if is_same else numbers + 100
    halves = [(rows**2).sum(axis=1) / 2 for rows in (X, Y)]
    halves[1].setflags(write=False)  # as in the search
    lists = [(np.full((70, 4), -1, np.int32), np.full((70, 4), np.inf, np.float32)) for _ in range(2)]
    if is_same:  # whose columns are rows already
        lists[1][1][:] = -np.inf
    products = X @ Y.T
    for rows in (slice(0, 30), slice(30, 70)):
        mine = [part[rows] for part in lists[0]]
        loops.list_products(products[rows], halves[0][rows], halves[1], numbers[rows], theirs, *mine, *lists[1])
    D = cdist(X, Y, "sqeuclidean")
    np.fill_diagonal(D, np.inf if is_same else D.diagonal())
    for (near, close), squares, names in zip(lists, (D, D.T), (theirs, numbers), strict=True):
        if not (is_same and squares is not D and near is lists[1][0]):
            np.testing.assert_array_equal(near, names[np.argsort(squares, axis=1)[:, :4]])
            np.testing.assert_allclose(2 * close, np.sort(squares, axis=1)[:, :4], rtol=1e-4)
        else:
            assert (near == -1).all()


@pytest.mark.parametrize("n", range(1, 8))
def test_every_two_blocks_meet_once_and_none_twice_in_a_round(n):
    rounds = list(search._rounds(n))
    assert sorted(pair for pairs in rounds for pair in pairs) == [(i, j) for i in range(n) for j in range(i, n)]
    for pairs in rounds[1:]:
        assert len({i for pair in pairs for i in pair}) == 2 * len(pairs)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("width", [1.0, 1e-2, 1e-5])  # of clusters; float32 products leave the small ones in doubt
def test_exact_lists_are_those_of_brute_force(limits, dtype, width):
    limits(search, _PRODUCT_ROWS=64)
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(8, 20))[rng.integers(8, size=500)] + width * rng.normal(size=(500, 20)) + 3).astype(dtype)
    D = listed_by_brute_force(X.astype(np.float64), 6)[1]
    for n_jobs, rows in ((1, None), (2, None), (2, np.array([3, 77, 490]))):
        found = search.exact_neighbors(X, 6, "euclidean", n_jobs, rows)
        chosen = slice(None) if rows is None else rows
        distances = np.sort(D[chosen], axis=1)[:, :6]
        np.testing.assert_allclose(found.distances, distances, rtol=1e-5)
        listed = np.take_along_axis(D[chosen], found.indices.astype(int), axis=1)
        np.testing.assert_allclose(listed, distances, rtol=1e-5)


# -- which search is taken ---------------------------------------------------------------------------------------------


def test_where_leaves_hold_few_neighbours_the_search_is_exact_or_the_farthest_rows_are(limits, monkeypatch):
    rng = np.random.default_rng(0)
    centres, coefficients = rng.normal(size=(20, 40)), rng.standard_t(3, size=(3000, 40))
    X = (centres[rng.integers(20, size=3000)] + coefficients).astype(np.float32)
    want = nearest_neighbors(X, 5, algorithm="exact").distances
    limits(search, _EXACT_SECONDS=0.0)
    monkeypatch.setattr(search, "exact_pays", lambda *_: False)
    searched = []
    exact = search.exact_neighbors

    def follow(X, n_neighbors, metric, n_jobs, rows=None):
        searched.append(X.shape[0] if rows is None else len(rows))
        return exact(X, n_neighbors, metric, n_jobs, rows)

    monkeypatch.setattr(search, "exact_neighbors", follow)
    limits(search, _SHARED=1.1)
    np.testing.assert_array_equal(nearest_neighbors(X, 5, random_state=0).distances, want)
    assert searched == [200, 3000]
    # Lists of too few, which the exact ones of the farthest rows make up for, as many as time allows.
    limits(search, _SHARED=0.0, _ROUNDS=0, _TREES=1)
    searched.clear()
    found = nearest_neighbors(X, 5, random_state=0)
    assert searched[0] == 200 and searched[1] > 1000 and found.recall >= 0.95
    far = np.argsort(-found.distances[:, -1])[:500]
    np.testing.assert_allclose(found.distances[far], want[far], rtol=1e-5)
    assert np.mean(found.distances <= want[:, -1:] * (1 + 1e-5)) == pytest.approx(found.recall, abs=0.03)
    limits(search, _WORTH=0.01)
    with pytest.warns(GraphWarning, match="hardly any structure"):
        nearest_neighbors(X, 5, random_state=0)


def test_the_search_that_is_taken_by_itself():
    rng = np.random.default_rng(0)
    flat = rng.random((2_000_000, 4), dtype=np.float32)
    small = rng.normal(size=(1000, 50)).astype(np.float32)
    # Rows overlap in memory: the choice looks at shape and type, and at every n/1000th row.
    large = np.lib.stride_tricks.sliding_window_view(flat.ravel()[:200_049], 50)
    some, many = (sp.csr_array((n, 1000), dtype=np.float32) for n in (6_000, 200_000))
    for X, is_exact in ((small, True), (large, False), (flat, True), (some, True), (many, False)):
        assert search.exact_pays(X, "euclidean") == is_exact
    # For many neighbours, for which the approximate search takes long.
    assert search.exact_pays(large, "euclidean", 1000)
    less = large[:30_000]
    assert search.exact_pays(less, "euclidean", 60) and not search.exact_pays(less, "euclidean", 20)
    some = sp.random_array((9_000, 5_000), density=0.01, format="csr", rng=0, dtype=np.float32)
    assert search.exact_pays(some, "euclidean") and not search.exact_pays(some, "manhattan")
