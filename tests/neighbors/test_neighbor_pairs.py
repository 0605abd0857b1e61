"""Neighbours found by other libraries, in two arrays: what is taken, and what is refused."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import pdist, squareform

from graphcore import CoresetSpectralClustering, InputError, ParameterError, knn_graph, load, neighbor_graph
from graphcore.neighbors.neighbor_lists import neighbors_of
from tests.oracles import dense


@pytest.fixture(scope="module")
def found():
    """Vectors of three clusters, and the eight nearest of each row, itself among them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3)) + 8 * np.eye(3)[np.arange(90) % 3]
    far = np.linalg.norm(X[:, None] - X, axis=2)
    near = np.argsort(far, axis=1)[:, :8]
    return X, near, np.take_along_axis(far, near, axis=1)


@pytest.mark.slow
@pytest.mark.parametrize("weighting", ["binary", "gaussian"])
@pytest.mark.parametrize("mode", ["union", "mutual", "average"])
def test_the_graph_is_that_of_the_own_search(found, mode, weighting):
    X, near, far = found
    want = dense(knn_graph(X, 7, mode=mode, weighting=weighting))
    distances = sp.csr_array((far.ravel(), near.ravel(), np.arange(0, far.size + 1, 8)), shape=(90, 90))
    for given in ((near, far), (far, near), (near.astype(np.uint64), far.astype(np.float32)), distances):
        np.testing.assert_allclose(dense(neighbor_graph(given, mode=mode, weighting=weighting)), want, rtol=1e-4)


@pytest.mark.parametrize("affinity", ["auto", pytest.param("precomputed_nearest_neighbors", marks=pytest.mark.slow)])
def test_a_fit_of_neighbours_is_that_of_the_vectors(found, affinity, tmp_path):
    X, near, far = found
    want = CoresetSpectralClustering(3, n_neighbors=5, random_state=0).fit(X)
    model = CoresetSpectralClustering(3, n_neighbors=5, affinity=affinity, random_state=0).fit((near, far))
    np.testing.assert_array_equal(model.labels_, want.labels_)
    np.testing.assert_array_equal(dense(model.graph_), dense(want.graph_))
    assert model.n_features_in_ == 90
    # By new rows, which nobody is to be left out of.
    np.testing.assert_array_equal(model.predict((near[:6], far[:6])), want.predict(X[:6]))
    # faiss: squares, and -1 beside the largest float where it found none; only the order of distances counts.
    padded = np.column_stack([near, np.full(90, -1)]), np.column_stack([far**2, np.full(90, 3.4e38)]).astype(np.float32)
    np.testing.assert_array_equal(model.fit(padded[::-1]).labels_, want.labels_)
    model.save(tmp_path / "model.npz")
    np.testing.assert_array_equal(load(tmp_path / "model.npz").predict((near[:6], far[:6])), want.predict(X[:6]))
    np.testing.assert_array_equal(model.predict((near[:6], far[:6].astype(np.float16))), want.predict(X[:6]))
    for ask in (model.predict, model.transform, model.predict_proba, model.score):
        with pytest.raises(InputError, match="X has no rows"):
            ask((near[:0], far[:0]))
        with pytest.raises(InputError, match=r"3 features, but .* expecting 90 features as input; give .* nearest"):
            ask(X)
    # Fewer than n_neighbors are all that there are.
    few = model.fit((near[:, :3], far[:, :3])).graph_
    np.testing.assert_array_equal(dense(few), dense(knn_graph(X, 2)))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda near, far: (near, near), "integers and floats"),
        (lambda near, far: (near[:, :3], far), "of one shape"),
        (lambda near, far: (near + 90, far), "numbers of 90 rows"),
        (lambda near, far: (np.where(near == 1, 2, near) * 0, far), r"row \d+ lists row 0 twice"),
        (lambda near, far: (near, np.where(far > 0, np.nan, far)), "must be numbers"),
        (lambda near, far: (near, -far), "similarities"),
        (lambda near, far: (near, 1 / (1 + far)), "give 1 - P"),
    ],
)
def test_what_is_no_neighbours_is_told(found, change, said):
    for refuse in (neighbor_graph, CoresetSpectralClustering(3).fit):
        with pytest.raises(InputError, match=said):
            refuse(change(*found[1:]))


def test_other_input_is_refused_and_no_neighbour_is_written_as_scipy_does(found):
    X, near, far = found
    distances = squareform(pdist(X.round()))
    with pytest.raises(InputError, match="does not say which rows are neighbours"):
        neighbor_graph(distances)
    assert neighbors_of((10 * distances).astype(int), 3).indices.shape == (90, 3)
    for given in (X, sp.csr_array(X), None):
        with pytest.raises(InputError, match="tuple of two arrays"):
            neighbor_graph(given)
    for kind, given in (("edges", knn_graph(X)), ("vectors", X)):
        model = CoresetSpectralClustering(3, random_state=0).fit(given)
        with pytest.raises(InputError, match=f"this model was fitted to {kind}; give"):
            model.predict((near, far))
    with pytest.raises(ParameterError, match="weighting"):
        neighbor_graph((near, far), weighting="none")
    none = far > np.median(far)
    graph = neighbor_graph((np.where(none, 90, near), np.where(none, np.inf, far)))
    np.testing.assert_array_equal(dense(graph), dense(neighbor_graph((np.where(none, -1, near), far))))


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.float16, np.uint8, np.int8, bool])
def test_narrow_vectors_are_kept_as_they_are(tmp_path, dtype):
    rng = np.random.default_rng(0)
    X = (rng.integers(0, 2, (60, 12)) if dtype is bool else rng.integers(0, 100, (60, 12))).astype(dtype)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    model = CoresetSpectralClustering(3, random_state=0).fit(mapped)
    want = CoresetSpectralClustering(3, random_state=0).fit(X.astype(np.float32))
    assert np.shares_memory(model._reference.vectors, mapped)
    np.testing.assert_array_equal(model.labels_, want.labels_)
    np.testing.assert_array_equal(model.predict(X), want.predict(X.astype(np.float32)))
    model.save(tmp_path / "model.npz")
    again = load(tmp_path / "model.npz")
    assert again._reference.vectors.dtype == dtype
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
