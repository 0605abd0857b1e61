"""The approximate neighbour search against the exact one, and its loops against plain numpy."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits, make_blobs

from graphcore import knn_graph
from graphcore.base.validation import read_only
from graphcore.neighbors import _loops as loops
from graphcore.neighbors import search
from graphcore.neighbors.search import nearest_neighbors
from graphcore.neighbors.vectors import as_vectors
from tests.neighbors.test_neighbors import assert_proper

BLOBS = make_blobs(3000, n_features=16, centers=12, random_state=0)[0].astype(np.float32)
DIGITS = load_digits().data.astype(np.float32)
# More columns than a sketch has, so that the vectors themselves are looked at after it.
WIDE = (np.random.default_rng(0).normal(size=(2000, 12)) @ np.random.default_rng(1).normal(size=(12, 200))).astype("f4")
WIDE += np.random.default_rng(2).normal(size=WIDE.shape).astype("f4")
SHARES = 0.05 + 0.5 * np.random.default_rng(4).random((15, 90)).repeat(100, 0) ** 4
BITS = np.random.default_rng(3).random((1500, 90)) < SHARES


def approximate(X, n_neighbors=10, **options):
    return nearest_neighbors(as_vectors(X), n_neighbors, algorithm="approximate", **{"random_state": 0, **options})


def recall(X, found, metric="euclidean"):
    """Share of the listed rows that are as near as those of the exact lists (ties may fall either way)."""
    exact = nearest_neighbors(as_vectors(X), found.indices.shape[1], algorithm="exact", metric=metric)
    return np.mean(found.distances <= exact.distances[:, -1:] * (1 + 1e-5))


# -- loops -------------------------------------------------------------------------------------------------------------

METRICS = {loops.EUCLIDEAN: "sqeuclidean", loops.MANHATTAN: "cityblock", loops.JACCARD: "jaccard"}


def distances_of(code, X):
    X = X > 0 if code == loops.JACCARD else X
    return cdist(X, X, METRICS[code])


@pytest.mark.parametrize("code", METRICS)
@pytest.mark.parametrize("d", [1, 7, 300])
def test_distances_of_pairs(code, d):
    rng = np.random.default_rng(d)
    X = rng.normal(size=(30, d)) * (rng.random((30, d)) < 0.4)
    X = (X > 0 if code == loops.JACCARD else X).astype(np.float32)
    X[3] = X[2]
    X[4] = 0
    want, X = distances_of(code, X), read_only(X)
    rows = as_vectors(sp.csr_array(X))
    spread = np.zeros(d, dtype=np.float32)
    for i in range(30):
        own = loops.spread_row(code, spread, *entries(rows, i))
        sparse = [loops.sparse_distance(code, spread, own, *entries(rows, j)) for j in range(30)]
        dense = [loops.dense_distance(code, X[i], X[j], np.float32(np.inf)) for j in range(30)]
        np.testing.assert_allclose(dense, want[i], rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(sparse, want[i], rtol=1e-4, atol=1e-6)
        bounded = np.array([loops.dense_distance(code, X[i], X[j], np.float32(0.5)) for j in range(30)])
        far = want[i] > 0.5 * (1 + 1e-4)
        assert (bounded[far] >= 0.5).all()
        np.testing.assert_allclose(bounded[want[i] < 0.5], want[i][want[i] < 0.5], rtol=1e-4, atol=1e-6)
        spread[:] = 0


def entries(rows, i):
    part = slice(rows.indptr[i], rows.indptr[i + 1])
    return read_only(rows.indices[part]), read_only(rows.data[part])


@pytest.mark.parametrize("n_equal", [0, 300, 500])
def test_leaves_of_a_tree(n_equal):
    X = np.random.default_rng(0).normal(size=(500, 5)).astype(np.float32)
    X[:n_equal] = X[0]
    nodes, borders = np.arange(500, dtype=np.int32), np.empty(501, dtype=np.int32)
    n_leaves = loops.grow_tree(read_only(X), nodes, borders, 40, 12, 7)
    sizes = np.diff(borders[: n_leaves + 1])
    assert sorted(nodes) == list(range(500))
    assert borders[0] == 0 and borders[n_leaves] == 500
    assert sizes.min() >= 12 and sizes.max() <= 40
    leaves = np.split(X[nodes], borders[1:n_leaves])
    if n_equal == 0:  # what shares a leaf is nearer than what does not
        assert np.mean([((leaf - leaf.mean(axis=0)) ** 2).mean() for leaf in leaves]) < 0.6 * X.var()


@pytest.mark.slow
@pytest.mark.parametrize("code", METRICS)
def test_lists_of_the_leaves(code):
    n, rng = 300, np.random.default_rng(0)
    X = (rng.random((n, 40)) < 0.3).astype(np.float32) if code == loops.JACCARD else BLOBS[:n]
    order, borders = read_only(rng.permutation(n).astype(np.int32)), read_only(np.arange(0, 301, 50, dtype=np.int32))
    trees = [rng.permutation(n).astype(np.int32) for _ in range(2)]
    near, far = np.full((n, 6), -1, dtype=np.int32), np.full((n, 6), np.inf, dtype=np.float32)
    D, together = distances_of(code, X[order]), np.zeros((n, n), dtype=bool)
    for nodes in trees:
        for start, stop in ((2, 6), (0, 2)):
            loops.list_leaves(code, read_only(X), order, read_only(nodes), borders, near, far, start, stop)
        leaf_of = np.argsort(nodes) // 50
        together |= leaf_of[:, None] == leaf_of
    D[~together] = np.inf
    np.fill_diagonal(D, np.inf)
    np.testing.assert_allclose(far, np.sort(D, axis=1)[:, :6], rtol=1e-4)
    np.testing.assert_allclose(np.take_along_axis(D, -2 - near.astype(int), axis=1), far, rtol=1e-4)
    assert all(len(set(row)) == 6 for row in near.tolist())


@pytest.mark.slow
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
    np.testing.assert_array_equal(stated, near)
    twice = 0
    for i in range(n):
        assert counts[i] == len(listing[i])
        theirs = [(-2 - int(u), True) if u < 0 else (int(u), False) for u in reverse[i, : min(room, counts[i])]]
        assert len(set(theirs)) == len(theirs) and set(theirs) <= listing[i]
        mine = [(int(u), bool(flag)) for u, flag in zip(near[i], new[i], strict=True) if u >= 0]
        is_new = {u: any(flag for v, flag in mine + theirs if v == u) for u, _ in mine + theirs}
        found = {int(u): place < n_new[i] for place, u in enumerate(around[i, : n_all[i]])}
        assert found == is_new and len(found) == n_all[i]
        twice += len(mine + theirs) - len(found)
    assert twice > 0


@pytest.fixture
def lists():
    """Vectors, the rows of nodes, who is around each, how many of these are new and all, and lists, some of it new."""
    rng = np.random.default_rng(1)
    n, listed = 200, 6
    order = rng.permutation(n).astype(np.int32)
    X = (rng.random((n, 30)) < 0.4).astype(np.float32)
    around = np.stack([rng.permutation(np.delete(np.arange(n), i))[:8] for i in range(n)]).astype(np.int32)
    n_all = rng.integers(1, 9, size=n).astype(np.int32)
    n_new = (n_all * rng.random(n)).astype(np.int32)
    near = np.stack([rng.permutation(np.delete(np.arange(n), i))[:listed] for i in range(n)]).astype(np.int32)
    return X, order, around, n_new, n_all, near, rng.random(near.shape) < 0.3


def given(kind, X):
    """Vectors as `join_sketched` and `measure_lists` take them."""
    rows, none = as_vectors(sp.csr_array(X)), np.empty(0, dtype=np.int32)
    parts = (X, none, none, np.empty(0, dtype=np.float32))
    if kind == "sparse":
        parts = (np.empty((0, X.shape[1]), dtype=np.float32), rows.indptr, rows.indices, rows.data)
    return tuple(map(read_only, parts))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["rows", "dense", "sparse"])
@pytest.mark.parametrize("code", METRICS)
def test_pairs_around(lists, kind, code):
    """All pairs around a node are found of which one half is new and which are near enough for one of their lists."""
    X, order, around, n_new, n_all, near, _ = lists
    D = distances_of(code, X[order]).astype(np.float32)
    far = np.sort(np.take_along_axis(D, near, axis=1), axis=1)
    want = []
    for i in range(len(X)):
        mine = around[i, : n_all[i]].tolist()
        want += [(p, q) for a, p in enumerate(mine[: n_new[i]]) for q in mine[a + 1 :]]
    want = sorted((p, q) for p, q in want if D[p, q] < max(far[p, -1], far[q, -1]))
    found, distances = np.empty((len(X) * 28, 2), dtype=np.int32), np.empty(len(X) * 28, dtype=np.float32)
    block = around, n_new, n_all, far, found, distances, 0, len(X)
    if kind == "rows":
        counts = loops.join(code, read_only(X), read_only(order), *block)
    else:
        # A sketch whose distances are those of the vectors, or nearly, leaves out none that count.
        ratio = np.float32(0.99 if kind == "dense" and code == loops.EUCLIDEAN else 0)
        counts = loops.join_sketched(code, *given(kind, X), read_only(X), ratio, read_only(order), *block)
    assert counts == len(want)
    assert sorted(map(tuple, found[: len(want)].tolist())) == want
    np.testing.assert_allclose(distances[: len(want)], D[tuple(found[: len(want)].T)], rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("n_parts", [1, 2, 4])
def test_pairs_come_into_lists(lists, n_parts):
    rng, (*_, near, new) = np.random.default_rng(2), lists
    n, listed = near.shape
    D = rng.random((n, n)).astype(np.float32)
    D += D.T
    near = np.take_along_axis(near, np.argsort(np.take_along_axis(D, near, axis=1), axis=1), axis=1)
    far = np.take_along_axis(D, near, axis=1)
    found = rng.integers(n, size=(3, 400, 2)).astype(np.int32)
    found[..., 1] += (found[..., 0] == found[..., 1]) * np.where(found[..., 1] == 0, 1, -1)
    n_pairs = np.array([400, 0, 250])
    held = [set(row) for row in near.tolist()]
    came = [set(row) for row in near.tolist()]
    for block, count in enumerate(n_pairs):
        for p, q in found[block, :count].tolist():
            came[p].add(q)
            came[q].add(p)
    want = [sorted(row, key=lambda u, i=i: D[i, u])[:listed] for i, row in enumerate(came)]
    near = np.where(new, -2 - near, near).astype(np.int32)
    was_new = {(i, -2 - u) for i, row in enumerate(near.tolist()) for u in row if u < -1}
    given = found, D[found[..., 0], found[..., 1]], read_only(n_pairs)
    n_found = sum(loops.take_pairs(near, far, *given, part, n_parts) for part in range(n_parts))
    assert n_found >= sum(len(set(row) - mine) for row, mine in zip(want, held, strict=True)) > 50
    np.testing.assert_array_equal(np.maximum(near, -2 - near), want)
    np.testing.assert_allclose(far, np.take_along_axis(D, np.array(want), axis=1))
    for i, row in enumerate(near.tolist()):
        assert all((u < 0) == (max(u, -2 - u) not in held[i] or (i, -2 - u) in was_new) for u in row)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("code", METRICS)
def test_lists_are_measured(lists, kind, code):
    X, order, *_, near, new = lists
    stated = np.where(new, -2 - near, near).astype(np.int32)
    stated[3, -2:] = -1
    near, far = stated.copy(), np.zeros(near.shape, dtype=np.float32)
    loops.measure_lists(code, *given(kind, X), read_only(order), near, far, 0, len(X))
    D = distances_of(code, X[order])
    for i, row in enumerate(stated.tolist()):
        listed = {max(u, -2 - u) for u in row} - {-1}
        assert {-2 - u for u in near[i].tolist() if u != -1} == listed
        np.testing.assert_allclose(far[i, : len(listed)], np.sort(D[i, list(listed)]), rtol=1e-4, atol=1e-6)
        assert (far[i, len(listed) :] == np.inf).all()
        assert (np.diff(far[i, : len(listed)]) >= 0).all()


@pytest.mark.slow
def test_a_sketch_is_never_farther_than_the_vectors():
    for X in (WIDE, as_vectors(sp.csr_array(WIDE * (WIDE > 3)))):
        sketch = search._sketch(X, search.Streams(0), 1)
        rows = X.toarray() if sp.issparse(X) else X
        true, near = cdist(rows, rows), cdist(sketch, sketch)
        assert (near <= true * (1 + 1e-4) + 1e-4).all()
        assert near.sum() > 0.5 * true.sum()


# -- the search --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "X", [BLOBS, WIDE, BLOBS.astype(np.float64) * 40 + 7, DIGITS.astype(np.uint8), sp.csr_matrix(DIGITS)]
)
@pytest.mark.parametrize("n_neighbors", [10, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 30))])
def test_recall(X, n_neighbors):
    found = approximate(X, n_neighbors)
    assert_proper(X, found)
    assert recall(X, found) >= 0.99
    rows = X.toarray() if sp.issparse(X) else X.astype(np.float64)
    exact = np.linalg.norm(rows[::97, None] - rows[found.indices[::97]], axis=2)
    np.testing.assert_allclose(found.distances[::97], exact, rtol=1e-4)


@pytest.mark.slow
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


def test_a_shift_costs_no_digits():
    shifted = DIGITS.astype(np.float64) * 1e-3 + 1e6  # in float32 all rows would be equal
    found, want = approximate(shifted), approximate(DIGITS)
    assert recall(shifted, found) >= 0.98
    assert np.mean(np.abs(found.distances - want.distances * 1e-3) < 1e-3 * want.distances) >= 0.98


@pytest.mark.slow
@pytest.mark.parametrize("X", [BLOBS, np.tile(WIDE, (3, 1)), as_vectors(sp.csr_array(WIDE[:900]))])
def test_same_seed_same_graph_for_any_number_of_threads(X, limits):
    limits(search, _BLOCK_ROWS=700)
    options = {"algorithm": "approximate", "random_state": 5, "weighting": "gaussian"}
    one, *others = (knn_graph(X, n_jobs=n_jobs, **options) for n_jobs in (None, 2, 3))
    for graph in others:
        for part in ("indptr", "indices", "weights"):
            np.testing.assert_array_equal(getattr(graph, part), getattr(one, part))
