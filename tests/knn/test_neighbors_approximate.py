"""The approximate neighbour search; slow because pynndescent compiles its loops in every process."""

import logging
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, make_blobs

from graphcore import knn_graph
from graphcore.knn import search_approximate
from graphcore.knn.search import nearest_neighbors
from graphcore.knn.vectors import as_vectors

pytestmark = pytest.mark.slow

# float32 and writable throughout, so that pynndescent compiles for one type of array.
BLOBS = make_blobs(6000, n_features=16, centers=12, random_state=0)[0].astype(np.float32)
DIGITS = load_digits().data.astype(np.float32)


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


def test_first_use_is_announced_once(caplog, monkeypatch):
    monkeypatch.setattr(search_approximate, "_announced", [])
    with caplog.at_level(logging.INFO, logger="graphcore"):
        approximate(DIGITS[:300])
        approximate(DIGITS[:300])
    assert [record.getMessage() for record in caplog.records if "compiles" in record.getMessage()] == [
        "pynndescent compiles its search loops, once in every process: 20 to 40 seconds"
    ]


@pytest.mark.parametrize("X", [BLOBS, DIGITS, BLOBS.astype(np.float64), DIGITS.astype(np.uint8)])
@pytest.mark.parametrize("n_neighbors", [1, 10, 30])
def test_recall(X, n_neighbors):
    found = approximate(X, n_neighbors)
    assert_proper(X, found)
    assert recall(X, found) >= 0.98


def test_recall_of_cosine():
    found = approximate(DIGITS, metric="cosine")
    assert_proper(DIGITS, found)
    assert recall(DIGITS, found, "cosine") >= 0.98


def test_recall_of_manhattan():
    found = approximate(DIGITS, metric="manhattan")
    assert_proper(DIGITS, found)
    assert recall(DIGITS, found, "manhattan") >= 0.98


def test_sparse_rows():
    X = sp.csr_array(DIGITS)
    found = approximate(X)
    assert_proper(X, found)
    assert recall(DIGITS, found) >= 0.98
    assert recall(DIGITS, approximate(sp.csr_matrix(DIGITS), metric="cosine"), "cosine") >= 0.98


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


def test_same_seed_same_graph_for_any_number_of_threads():
    graphs = [
        knn_graph(BLOBS, algorithm="approximate", random_state=5, n_jobs=n_jobs, weighting="self-tuning")
        for n_jobs in (None, 1, 2, -1)
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


def test_without_a_seed_threads_are_used_and_given_back():
    import numba

    before = numba.get_num_threads()
    found = approximate(DIGITS, random_state=None, n_jobs=2)
    assert recall(DIGITS, found) >= 0.98
    assert numba.get_num_threads() == before


def test_python_threads_do_not_collide():
    want = approximate(DIGITS)
    with ThreadPoolExecutor(3) as pool:
        for found in pool.map(lambda _: approximate(DIGITS), range(6)):
            np.testing.assert_array_equal(found.indices, want.indices)


@pytest.mark.parametrize("n_equal", [50, 3000, 4000])
def test_equal_rows(n_equal):
    X = BLOBS[:4000].copy()
    X[:n_equal] = X[0]
    found = approximate(X)
    assert_proper(X, found)
    assert (found.distances[:n_equal] == 0).all()
    assert recall(X, found) >= 0.98


@pytest.mark.filterwarnings("error")
def test_few_rows():
    X = BLOBS[:8]
    found = approximate(X, 7)
    assert_proper(X, found)
    assert recall(X, found) == 1


def test_read_only_rows_are_not_changed():
    X = BLOBS.copy()
    X.flags.writeable = False
    np.testing.assert_array_equal(approximate(X).indices, approximate(BLOBS).indices)
    np.testing.assert_array_equal(X, BLOBS)
