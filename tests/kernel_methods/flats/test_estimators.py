"""KFlats and KernelKFlats: pipelines and searches, what is stored, every kind of input."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs

from graphcore import InputError, KernelKFlats, KFlats
from graphcore.datasets import planted_partition
from graphcore.kernel_methods.flats.k_flats import k_flats
from graphcore.metrics import agreement

X, Y = make_blobs([40, 40, 40], n_features=3, centers=None, random_state=0)


@pytest.mark.slow
def test_what_k_flats_stores():
    model = KFlats(3, 2, random_state=0).fit(X)
    plain = k_flats(X, 3, 2, random_state=0)
    assert (model.labels_.dtype, model.labels_.shape) == (np.int32, (120,))
    np.testing.assert_array_equal(model.labels_, plain.labels)
    np.testing.assert_array_equal(model.cluster_centers_, plain.flats.means)
    assert model.components_.shape == (3, 2, 3)
    assert model.inertia_ == pytest.approx(120 * model.reconstruction_error_)
    assert model.reconstruction_error_ == pytest.approx(-model.score(X))
    assert model.history_[-1] == model.inertia_
    assert (model.n_iter_, model.converged_, model.n_features_in_) == (len(model.history_), True, 3)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert model.get_feature_names_out().tolist() == ["kflats0", "kflats1", "kflats2"]
    distances = model.transform(X)
    np.testing.assert_allclose(np.square(distances).min(axis=1).mean(), model.reconstruction_error_)
    back = model.inverse_transform(model.encode(X))
    np.testing.assert_allclose(np.linalg.norm(X - back, axis=1), distances.min(axis=1), atol=1e-9)
    w = np.random.default_rng(0).uniform(0.5, 2, 120)
    weighted = KFlats(3, 2, init=model.labels_).fit(X, sample_weight=w)
    assert weighted.reconstruction_error_ == pytest.approx(-weighted.score(X, sample_weight=w))
    assert weighted.inertia_ == pytest.approx(w.sum() * weighted.reconstruction_error_)
    twice = KFlats(3, 2, init=model.labels_).fit(X, sample_weight=2.0)
    assert twice.inertia_ == pytest.approx(2 * KFlats(3, 2, init=model.labels_).fit(X).inertia_)


@pytest.mark.slow
def test_what_kernel_k_flats_stores():
    model = KernelKFlats(3, 1, bandwidth=2.0, random_state=0).fit(X)
    assert model.kernel_.bandwidth == 2.0
    assert model.flats_.dims.tolist() == [1, 1, 1]
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert model.reconstruction_error_ == pytest.approx(-model.score(X))
    np.testing.assert_allclose(model.fit_transform(X), model.transform(X))
    assert model.encode(X).coordinates.shape == (120, 1)
    assert not hasattr(model, "inverse_transform")
    # The rule of the report: a tenth of the others lies in the ball (all 120 points are used).
    rule = KernelKFlats(3, 1, bandwidth=("neighbours", 0.1), random_state=0).fit(X).kernel_.bandwidth
    distances = np.sort(np.linalg.norm(X[:, None] - X, axis=2), axis=1)
    assert np.median(distances[:, 11]) <= rule <= np.median(distances[:, 13])


@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sp.csr_array, sp.coo_matrix])
def test_distances_and_codes_by_rows_of_the_kernel(form):
    expected = KernelKFlats(3, 1, init=Y, bandwidth=2.0).fit(X)
    K, new, rows = expected.kernel_(X), X[:10] + 0.1, expected.kernel_(X[:10] + 0.1, X)
    model = KernelKFlats(3, 1, init=Y, kernel="precomputed").fit(form(K))
    assert model.inertia_ == pytest.approx(expected.inertia_, rel=1e-9)
    np.testing.assert_allclose(model.transform(form(rows)), expected.transform(new), atol=1e-7)
    codes, plain = model.encode(form(rows)), expected.encode(new)
    np.testing.assert_array_equal(codes.labels, plain.labels)
    np.testing.assert_allclose(np.abs(codes.coordinates), np.abs(plain.coordinates), atol=1e-8)
    np.testing.assert_allclose(model.fit_transform(form(K)), expected.transform(X), atol=1e-6)


@pytest.mark.parametrize("m", [0, 1, 2])
def test_new_nodes_of_a_graph(m):
    """Nodes held out, by their edges to the others: distances against kernel rows written out, and their clusters."""
    graph, truth = planted_partition(4, 100, p_in=0.3, p_out=0.01, random_state=0)
    A = graph.to_scipy().toarray().astype(float)
    order = np.random.default_rng(0).permutation(400)
    kept, new = order[:360], order[360:]
    model = KernelKFlats(4, m, shift=1.5, random_state=0).fit(sp.csr_array(A[np.ix_(kept, kept)]))
    edges = A[np.ix_(new, kept)]
    for form in (edges, sp.csr_array(edges), sp.coo_matrix(edges)):
        np.testing.assert_array_equal(model.predict(form), model.transform(form).argmin(axis=1))
    assert agreement(truth[new], model.predict(edges))["ari"] == 1.0
    degrees, fitted = edges.sum(axis=1), A[np.ix_(kept, kept)].sum(axis=1)
    K = edges / degrees[:, None] / fitted
    D = model.flats_.squared_distances(K, 1.5 / degrees)
    np.testing.assert_allclose(np.square(model.transform(edges)), D, atol=1e-12)
    assert model.score(edges) == pytest.approx(-np.average(D.min(axis=1), weights=degrees))
    codes, plain = model.encode(sp.csr_array(edges)), model.flats_.codes(K)
    np.testing.assert_array_equal(codes.labels, plain[0])
    np.testing.assert_allclose(codes.coordinates, plain[1], atol=1e-12)
    edges[3] = 0
    assert model.predict(edges)[3] == -1
    assert (np.delete(model.predict(edges), 3) >= 0).all()
    with pytest.raises(InputError, match="by their edges to the fitted ones"):
        model.predict(graph)
