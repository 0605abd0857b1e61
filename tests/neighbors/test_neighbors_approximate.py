"""The approximate neighbour search against the exact one, and its loops against plain numpy."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits, make_blobs

from graphcore import InputError, knn_graph
from graphcore.neighbors import _descent_loops as loops
from graphcore.neighbors import search_approximate
from graphcore.neighbors.search import nearest_neighbors
from graphcore.neighbors.vectors import as_vectors

BLOBS = make_blobs(6000, n_features=16, centers=12, random_state=0)[0].astype(np.float32)
DIGITS = load_digits().data.astype(np.float32)
# More columns than a sketch has, so that the vectors themselves are looked at after it.
WIDE = (np.random.default_rng(0).normal(size=(2000, 12)) @ np.random.default_rng(1).normal(size=(12, 200))).astype("f4")
WIDE += np.random.default_rng(2).normal(size=WIDE.shape).astype("f4")
BITS = (
    np.random.default_rng(3).random((1500, 90))
    < 0.05 + 0.5 * np.random.default_rng(4).random((15, 90)).repeat(100, 0) ** 4
)


def approximate(X, n_neighbors=10, **options):
    return nearest_neighbors(as_vectors(X), n_neighbors, algorithm="approximate", **{"random_state": 0, **options})


def recall(X, found, metric="euclidean"):
    """Share of the listed rows that are as near as those of the exact lists (ties may fall either way)."""
    exact = nearest_neighbors(as_vectors(X), found.indices.shape[1], algorithm="exact", metric=metric)
    return np.mean(found.distances <= exact.distances[:, -1:] * (1 + 1e-5))


def assert_proper(X, found):
    n = X.shape[0]
    assert (found.indices.dtype, found.distances.dtype) == (np.int32, np.float32)
    assert not (found.indices == np.arange(n)[:, None]).any()
    assert (np.diff(found.distances, axis=1) >= 0).all()
    assert all(len(set(row)) == len(row) for row in found.indices.tolist())
    assert found.indices.min() >= 0


# -- loops -------------------------------------------------------------------------------------------------------------

METRICS = {loops.EUCLIDEAN: "sqeuclidean", loops.MANHATTAN: "cityblock", loops.JACCARD: "jaccard"}


@pytest.mark.parametrize("code", METRICS)
@pytest.mark.parametrize("d", [1, 7, 300])
def test_distances_of_pairs(code, d):
    rng = np.random.default_rng(d)
    X = rng.normal(size=(30, d)) * (rng.random((30, d)) < 0.4)
    if code == loops.JACCARD:
        X = (X > 0).astype(float)
    X = X.astype(np.float32)
    X[3] = X[2]
    X[4] = 0
    want = cdist(
        X.astype(float) if code != loops.JACCARD else X > 0, X if code != loops.JACCARD else X > 0, METRICS[code]
    )
    rows = as_vectors(sp.csr_array(X))
    spread = np.zeros(d, dtype=np.float32)
    for i in range(30):
        own = loops.spread_row(code, spread, *entries(rows, i))
        sparse = [loops.sparse_distance(code, spread, own, *entries(rows, j)) for j in range(30)]
        dense = [loops.dense_distance(code, X[i], X[j], np.inf) for j in range(30)]
        np.testing.assert_allclose(dense, want[i], rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(sparse, want[i], rtol=1e-4, atol=1e-6)
        bounded = np.array([loops.dense_distance(code, X[i], X[j], np.float32(0.5)) for j in range(30)])
        far = want[i] > 0.5 * (1 + 1e-4)
        assert (bounded[far] >= 0.5).all()
        np.testing.assert_allclose(bounded[want[i] < 0.5], want[i][want[i] < 0.5], rtol=1e-4, atol=1e-6)
        spread[:] = 0


def entries(rows, i):
    part = slice(rows.indptr[i], rows.indptr[i + 1])
    return rows.indices[part], rows.data[part]


@pytest.mark.parametrize("n_equal", [0, 300, 500])
def test_leaves_of_a_tree(n_equal):
    X = np.random.default_rng(0).normal(size=(500, 5)).astype(np.float32)
    X[:n_equal] = X[0]
    nodes, borders = np.arange(500, dtype=np.int32), np.empty(501, dtype=np.int32)
    n_leaves = loops.grow_tree(X, nodes, borders, 40, 12, 7)
    sizes = np.diff(borders[: n_leaves + 1])
    assert sorted(nodes) == list(range(500))
    assert borders[0] == 0 and borders[n_leaves] == 500
    assert sizes.min() >= 12 and sizes.max() <= 40
    leaves = np.split(X[nodes], borders[1:n_leaves])
    if n_equal == 0:  # what shares a leaf is nearer than what does not
        assert np.mean([((leaf - leaf.mean(axis=0)) ** 2).mean() for leaf in leaves]) < 0.6 * X.var()


def test_lists_of_the_leaves():
    X, n = BLOBS[:300], 300
    trees = np.stack([np.random.default_rng(seed).permutation(n).astype(np.int32) for seed in range(2)])
    borders = np.zeros((2, n + 1), dtype=np.int32)
    borders[:, :7] = np.arange(0, 301, 50)
    leaf_of = np.argsort(trees, axis=1).astype(np.int32) // 50
    near, far = np.full((n, 6), -1, dtype=np.int32), np.full((n, 6), np.inf, dtype=np.float32)
    for start, stop in ((100, 300), (0, 100)):
        loops.list_leaves(X, trees, borders, leaf_of, near, far, start, stop)
    D = cdist(X, X, "sqeuclidean")
    D[~(leaf_of[:, :, None] == leaf_of[:, None]).any(axis=0)] = np.inf
    np.fill_diagonal(D, np.inf)
    np.testing.assert_array_equal(-2 - near, np.argsort(D, axis=1)[:, :6])
    np.testing.assert_allclose(far, np.sort(D, axis=1)[:, :6], rtol=1e-4)


def test_who_is_around():
    rng = np.random.default_rng(0)
    n, listed, room = 60, 5, 4
    near = np.stack([rng.permutation(np.delete(np.arange(n), i))[:listed] for i in range(n)]).astype(np.int32)
    new = rng.random(near.shape) < 0.4
    near[:, -1] = np.where(rng.random(n) < 0.3, -1, near[:, -1])
    listing = [{(int(i), bool(new[i, k])) for i, k in np.argwhere(near == u)} for u in range(n)]
    stated = np.where(new & (near >= 0), -2 - near, near).astype(np.int32)
    reverse, counts = np.empty((n, room), dtype=np.int32), np.zeros(n, dtype=np.int32)
    loops.list_reverse(stated, reverse, counts, 3)
    around = np.empty((n, listed + room), dtype=np.int32)
    n_new, n_all = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    loops.gather_around(stated, reverse, counts, around, n_new, n_all, 0, n)
    assert max(counts) > room
    waiting = 0
    for i, k in np.argwhere(new & (near >= 0)):  # what the other end had no room for stays new
        held = -2 - i in reverse[near[i, k], : min(room, counts[near[i, k]])]
        assert stated[i, k] == (near[i, k] if held else -2 - near[i, k])
        waiting += not held
    assert waiting > 0
    np.testing.assert_array_equal(np.where(new & (near >= 0), near, stated), near)
    for i in range(n):
        assert counts[i] == len(listing[i])
        theirs = [(-2 - int(u), True) if u < 0 else (int(u), False) for u in reverse[i, : min(room, counts[i])]]
        assert len(set(theirs)) == len(theirs) and set(theirs) <= listing[i]
        mine = [(int(u), bool(flag)) for u, flag in zip(near[i], new[i], strict=True) if u >= 0]
        found = [(int(u), place < n_new[i]) for place, u in enumerate(around[i, : n_all[i]])]
        assert sorted(found) == sorted(mine + theirs)


@pytest.mark.parametrize("kind", ["sketch", "dense", "sparse"])
def test_a_round(kind):
    """All that is around those around a node by a way of which one half is new at least, and no one else, comes in."""
    rng = np.random.default_rng(1)
    n, listed = 200, 6
    X = rng.normal(size=(n, 5)).astype(np.float32)
    order = rng.permutation(n).astype(np.int32)
    sketch = X[order]
    D = cdist(sketch, sketch, "sqeuclidean").astype(np.float32)
    around = rng.integers(0, n, size=(n, 8)).astype(np.int32)
    n_all = rng.integers(1, 9, size=n).astype(np.int32)
    n_new = (n_all * rng.random(n)).astype(np.int32)
    near = np.stack([rng.permutation(np.delete(np.arange(n), i))[:listed] for i in range(n)]).astype(np.int32)
    near = np.take_along_axis(near, np.argsort(np.take_along_axis(D, near, axis=1), axis=1), axis=1)
    far = np.take_along_axis(D, near, axis=1)
    want = []
    for i in range(n):
        seen = set(near[i].tolist()) | set(around[i, : n_new[i]].tolist())
        for step in range(n_all[i]):
            v = around[i, step]
            seen |= set(around[v, : n_all[v] if step < n_new[i] else n_new[v]].tolist())
        want.append(sorted(seen - {i}, key=lambda u: D[i, u])[:listed])
    stated = np.where(rng.random(near.shape) < 0.3, -2 - near, near)  # some were new and stay so
    block = around, n_new, n_all, stated, far, 0, n
    before, new, near = near, stated < 0, stated
    kept = {(i, int(u)) for i in range(n) for u in before[i, new[i]]}
    if kind == "sketch":
        n_found = loops.descend_sketch(sketch, *block)
    else:
        rows = as_vectors(sp.csr_array(X))
        none = np.empty((0, 5), dtype=np.float32)
        parts = (none, rows.indptr, rows.indices, rows.data)
        if kind == "dense":
            parts = (X, *(np.empty(0, dtype=part.dtype) for part in parts[1:]))
        n_found = loops.descend_vectors(loops.EUCLIDEAN, *parts, order, sketch, np.float32(0.99), *block)
    assert n_found >= (np.sort(np.where(near < 0, -2 - near, near)) != np.sort(before)).any(axis=1).sum() > 50
    np.testing.assert_array_equal(np.where(near < 0, -2 - near, near), want)
    for i in range(n):
        for entry in near[i]:
            u = -2 - int(entry) if entry < 0 else int(entry)
            assert (entry < 0) == (u not in before[i] or (i, u) in kept)
    np.testing.assert_allclose(far, np.take_along_axis(D, np.array(want), axis=1), rtol=1e-4)


def test_a_sketch_is_never_farther_than_the_vectors():
    for X in (WIDE, as_vectors(sp.csr_array(WIDE * (WIDE > 3)))):
        sketch = search_approximate._sketch(X, search_approximate.Streams(0), 1)
        rows = X.toarray() if sp.issparse(X) else X
        true, near = cdist(rows, rows), cdist(sketch, sketch)
        assert (near <= true * (1 + 1e-4) + 1e-4).all()
        assert near.sum() > 0.5 * true.sum()


# -- the search --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("X", [BLOBS, WIDE, BLOBS.astype(np.float64), DIGITS.astype(np.uint8)])
@pytest.mark.parametrize("n_neighbors", [1, 10, 30])
def test_recall(X, n_neighbors):
    found = approximate(X, n_neighbors)
    assert_proper(X, found)
    assert recall(X, found) >= 0.99


@pytest.mark.parametrize("metric", ["cosine", "correlation", "manhattan", "hamming", "jaccard"])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_recall_of_other_metrics(metric, container):
    X = container(BITS if metric in ("hamming", "jaccard") else DIGITS)
    if metric == "correlation" and sp.issparse(X):
        pytest.skip("rows less their means are not sparse")
    found = approximate(X, metric=metric)
    assert_proper(X, found)
    assert recall(X, found, metric) >= 0.98
    if metric != "cosine":
        dense = BITS if metric in ("hamming", "jaccard") else DIGITS
        want = cdist(dense[:50], dense, {"manhattan": "cityblock"}.get(metric, metric))
        want = np.take_along_axis(want, found.indices[:50].astype(int), axis=1)
        np.testing.assert_allclose(found.distances[:50], want, rtol=1e-4, atol=1e-6)


def test_sparse_rows():
    X = sp.csr_matrix(DIGITS)
    found = approximate(X)
    assert_proper(X, found)
    assert recall(DIGITS, found) >= 0.99


def test_distances_are_those_of_the_lists():
    found = approximate(BLOBS.astype(np.float64) * 40 + 7)
    rows = np.arange(0, len(BLOBS), 97)
    exact = 40 * np.linalg.norm(BLOBS[rows, None] - BLOBS[found.indices[rows]], axis=2)
    np.testing.assert_allclose(found.distances[rows], exact, rtol=1e-4)


def test_a_shift_costs_no_digits():
    shifted = DIGITS.astype(np.float64) * 1e-3 + 1e6  # in float32 all rows would be equal
    found, want = approximate(shifted), approximate(DIGITS)
    assert recall(shifted, found) >= 0.98
    assert np.mean(np.abs(found.distances - want.distances * 1e-3) < 1e-3 * want.distances) >= 0.98


@pytest.mark.parametrize("X", [BLOBS, np.tile(WIDE, (3, 1)), as_vectors(sp.csr_array(WIDE[:900]))])
def test_same_seed_same_graph_for_any_number_of_threads(X, monkeypatch):
    monkeypatch.setattr(search_approximate, "_BLOCK_ROWS", 700)
    graphs = [
        knn_graph(X, algorithm="approximate", random_state=5, n_jobs=n_jobs, weighting="self-tuning")
        for n_jobs in (None, 2, 3)
    ]
    for graph in graphs[1:]:
        np.testing.assert_array_equal(graph.indptr, graphs[0].indptr)
        np.testing.assert_array_equal(graph.indices, graphs[0].indices)
        np.testing.assert_array_equal(graph.weights, graphs[0].weights)


def test_seed_is_used():
    # Points without structure in many dimensions: hard enough for seeds to differ.
    X = np.random.default_rng(0).random((4000, 60), dtype=np.float32)
    one, other = (approximate(X, random_state=seed).indices for seed in (1, 2))
    assert not np.array_equal(one, other)


@pytest.mark.parametrize("n_equal", [50, 3000, 4000])
def test_equal_rows(n_equal):
    X = BLOBS[:4000].copy()
    X[:n_equal] = X[0]
    found = approximate(X)
    assert_proper(X, found)
    assert (found.distances[:n_equal] == 0).all()
    assert recall(X, found) >= 0.98


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("X", [BLOBS[:8], WIDE[:8], sp.csr_array(WIDE[:8]), np.zeros((8, 300)), BLOBS[:2]])
def test_few_rows(X):
    found = approximate(X, X.shape[0] - 1)
    assert_proper(X, found)
    if X.any() if isinstance(X, np.ndarray) else True:
        assert recall(X, found) == 1


def test_read_only_rows_are_not_changed():
    X = WIDE.copy()
    X.flags.writeable = False
    np.testing.assert_array_equal(approximate(X).indices, approximate(WIDE).indices)
    np.testing.assert_array_equal(X, WIDE)


# -- distances for which there are no loops ----------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["auto", "approximate"])
@pytest.mark.parametrize("metric", ["correlation", "chebyshev", "canberra", "braycurtis"])
def test_rare_distances_are_those_of_scipy(metric, algorithm):
    X = np.random.default_rng(5).random((60, 4)) + 3.0
    found = nearest_neighbors(as_vectors(X), 3, metric=metric, algorithm=algorithm, random_state=0)
    distances = cdist(X, X, metric)
    np.fill_diagonal(distances, np.inf)
    np.testing.assert_allclose(found.distances, np.sort(distances, axis=1)[:, :3], rtol=1e-5, atol=1e-7)
    with pytest.raises(InputError, match=r"for dense vectors; pass X\.toarray"):
        nearest_neighbors(as_vectors(sp.csr_array(X)), 3, metric=metric)


def test_rows_without_variance_have_no_correlation():
    X = np.random.default_rng(5).random((9, 7))
    X[4] = 0.1  # whose mean is another number
    with pytest.raises(InputError, match=r"metric='correlation' needs rows .* one number everywhere; row 4 is"):
        knn_graph(X, 2, metric="correlation")
