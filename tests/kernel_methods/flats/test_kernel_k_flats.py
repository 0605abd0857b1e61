"""Kernel k-flats: distances against explicit feature vectors and formulas as printed; k-flats as a special case."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.sparse.linalg import ArpackNoConvergence
from sklearn.datasets import make_blobs
from sklearn.decomposition import KernelPCA

from bench.shapes import sphere
from graphcore import InputError, KernelKFlats, KFlats
from graphcore.datasets import planted_partition
from graphcore.kernel_methods import kernel_k_flats as module
from graphcore.kernel_methods.k_flats import k_flats
from graphcore.kernel_methods.kernel_k_flats import kernel_k_flats
from graphcore.kernel_methods.kernel_kmeans import kernel_kmeans
from graphcore.kernels.functions import kernel_function
from graphcore.kernels.vectors import VectorKernel

from .oracles import all_distances, embed, literal_kernel_distance, problem_of, random_problem

SEEDS = st.integers(0, 2**32 - 1)

# Where passes are limited on purpose.
pytestmark = pytest.mark.filterwarnings("ignore:points still moved")


# -- the two steps -----------------------------------------------------------------------------------------------------


@given(SEEDS, st.integers(0, 3), st.integers(1, 3))
def test_distances_against_explicit_weighted_pca(seed, m, k):
    X, w, labels = random_problem(seed, n=30, d=12, k=k)
    K = X @ X.T
    assume(np.bincount(labels).min() > m)
    flats, own = problem_of(K, w, m).fit(labels, k)
    D = all_distances(embed(K), w, labels, k, m)
    np.testing.assert_allclose(own, D[np.arange(30), labels], atol=1e-9)
    np.testing.assert_allclose(flats.squared_distances(K, np.diagonal(K)), D, atol=1e-8)


@given(SEEDS, st.integers(1, 3))
def test_the_factored_distance_is_the_printed_one(seed, m):
    X, _, labels = random_problem(seed, n=30, d=4, k=2)
    kernel = kernel_function("polynomial", degree=2, gamma=1.0)
    K = kernel(X)
    assume(np.bincount(labels).min() > m)
    flats, _ = problem_of(K, np.ones(30), m).fit(labels, 2)
    new = np.random.default_rng(seed).normal(size=(6, 4))
    found = flats.squared_distances(kernel(new, X), kernel.diagonal(new))
    for j in range(2):
        members = np.flatnonzero(labels == j)
        A = flats.coefficients[members]
        for i, row in enumerate(kernel(new, X)):
            literal = literal_kernel_distance(K, members, row, kernel.diagonal(new)[i], A)
            assert found[i, j] == pytest.approx(literal, rel=1e-9, abs=1e-9 * K.max())


@given(SEEDS, st.integers(0, 3))
def test_directions_are_orthonormal_and_the_residual_is_trailing_eigenvalues(seed, m):
    X, w, labels = random_problem(seed, n=40, d=12, k=2)
    K = X @ X.T
    flats, own = problem_of(K, w, m).fit(labels, 2)
    for j in range(2):
        c = labels == j
        A, p = flats.coefficients[c][:, : flats.dims[j]], w[c] / w[c].sum()
        H = np.eye(c.sum()) - np.outer(np.ones(c.sum()), p)
        centred = H @ K[np.ix_(c, c)] @ H.T
        np.testing.assert_allclose(A.T @ centred @ A, np.eye(flats.dims[j]), atol=1e-9)
        np.testing.assert_allclose(A.sum(axis=0), 0, atol=1e-12)
        root = np.sqrt(w[c])
        values = np.linalg.eigvalsh(centred * root * root[:, None])[::-1]
        assert w[c] @ own[c] == pytest.approx(values[flats.dims[j] :].sum(), rel=1e-9, abs=1e-9 * values[0])


# -- special cases -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("m", [0, 1, 2, 4])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_linear_kernel_gives_k_flats(m, weighted):
    for seed in range(8):
        X, w, labels = random_problem(seed, n=70, d=6, k=3)
        w = w if weighted else None
        plain = k_flats(X, 3, m, init=labels, sample_weight=w)
        by_vectors = kernel_k_flats(VectorKernel(X, kernel_function("linear")), 3, m, init=labels, sample_weight=w)
        by_matrix = kernel_k_flats(X @ X.T, 3, m, init=labels, sample_weight=w)
        new = np.random.default_rng(seed).normal(size=(20, 6))
        diagonal = np.square(new).sum(axis=1)
        for result in (by_vectors, by_matrix):
            np.testing.assert_array_equal(result.labels, plain.labels)
            np.testing.assert_allclose(result.history, plain.history, rtol=1e-8)
            assert len(result.history) == len(plain.history)
            np.testing.assert_allclose(result.squared_distances, plain.squared_distances, atol=1e-8)
        exact = plain.flats.squared_distances(new)
        np.testing.assert_allclose(by_vectors.distances_to(new), exact, atol=1e-8)
        np.testing.assert_allclose(by_matrix.distances_to(new @ X.T, diagonal), exact, atol=1e-8)
        place = by_vectors.codes_of(new)
        np.testing.assert_array_equal(place.labels, exact.argmin(axis=1))
        lengths = np.linalg.norm(plain.flats.encode(new).coordinates, axis=1)
        np.testing.assert_allclose(np.linalg.norm(place.coordinates, axis=1), lengths, atol=1e-8)


def test_one_flat_is_kernel_pca():
    X = np.random.default_rng(0).normal(size=(60, 3))
    kernel = kernel_function("gaussian", bandwidth=1.0)
    result = kernel_k_flats(VectorKernel(X, kernel), 1, 4)
    theirs = KernelPCA(4, kernel="rbf", gamma=0.5).fit(X)
    new = np.random.default_rng(1).normal(size=(15, 3))
    ours = result.codes_of(new).coordinates
    np.testing.assert_allclose(np.abs(ours), np.abs(theirs.transform(new)), atol=1e-8)


@pytest.mark.parametrize("form", ["dense", "sparse", "vectors"])
def test_dimension_0_gives_the_labels_of_kernel_k_means(form, limits):
    """From the same first labels, whatever stands for the kernel, and in several blocks of rows."""
    limits("graphcore.kernels.base", _CACHE_BYTES=1)  # 64 rows
    X = np.concatenate([np.random.default_rng(0).normal(size=(50, 3)) + 2 * np.eye(3)[j] for j in range(3)])
    function = kernel_function("gaussian", bandwidth=1.0)
    w = np.random.default_rng(1).uniform(0.5, 2, 150)
    kernel = {"dense": function(X), "sparse": sp.csr_array(function(X)), "vectors": VectorKernel(X, function)}[form]
    for seed in range(5):
        first = np.random.default_rng(seed).integers(0, 3, 150)
        flats = kernel_k_flats(kernel, 3, 0, init=first, sample_weight=w)
        plain = kernel_kmeans(kernel, 3, init=first, weights=w)
        assert flats.n_iter > 1
        np.testing.assert_array_equal(flats.labels, plain.labels)
        assert flats.inertia == pytest.approx(plain.inertia, rel=1e-9)


def test_large_clusters_of_arrays_against_dense_eigenvectors(monkeypatch, limits):
    X = sphere(300, 8, random_state=0) * np.arange(1, 9)
    w = np.random.default_rng(0).uniform(0.5, 2, 300)
    problem = problem_of(kernel_function("gaussian", bandwidth=3.0)(X), w, 3)
    labels = (np.arange(300) % 2).astype(np.int32)
    dense = problem.fit(labels, 2)
    limits(module, _SMALL=100)
    lanczos = problem.fit(labels, 2)
    np.testing.assert_allclose(lanczos[1], dense[1], atol=1e-10)
    np.testing.assert_allclose(np.abs(lanczos[0].coefficients), np.abs(dense[0].coefficients), atol=1e-8)

    def failing(*_, **__):
        raise ArpackNoConvergence("no", np.zeros(0), np.zeros((0, 0)))

    monkeypatch.setattr("scipy.sparse.linalg.eigsh", failing)
    with pytest.raises(InputError, match="of a cluster of 150 points were not found; take a smaller n_dims"):
        problem.fit(labels, 2)


@pytest.mark.slow
def test_of_an_indefinite_kernel_the_best_partition_is_kept():
    graph, _ = planted_partition(4, 60, p_in=0.25, p_out=0.02, random_state=0)
    w = graph.degrees
    K = graph.to_scipy().toarray() / w / w[:, None]
    rose = 0
    for seed in range(8):
        with warnings.catch_warnings(record=True, action="always") as caught:
            result = kernel_k_flats(
                K, 4, 2, sample_weight=w, on_indefinite="warn", init="random", n_init=1, random_state=seed
            )
        assert result.inertia == result.history.min()
        if (np.diff(result.history) > 0).any() and not result.converged:
            rose += 1
            assert any("the objective rose" in str(one.message) for one in caught)
    assert rose > 0


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


@pytest.mark.slow
@pytest.mark.parametrize("init", ["k-means++", "farthest", "random", "k-means"])
@pytest.mark.parametrize("m", [0, 1, 3])
def test_the_objective_never_rises(init, m):
    rng = np.random.default_rng(0)
    for k in (2, 6, 25):
        X, w = rng.normal(size=(100, 5)), rng.uniform(0.5, 2, 100)
        kernel = kernel_function("gaussian", bandwidth=1.5)
        result = kernel_k_flats(VectorKernel(X, kernel), k, m, init=init, sample_weight=w, n_init=2, random_state=k)
        assert all(after <= before + 1e-10 for before, after in pairwise(result.history))
        assert result.converged
        assert result.inertia == pytest.approx(w @ result.squared_distances, abs=1e-10)
        D = result.distances_to(X)
        np.testing.assert_allclose(D[np.arange(100), result.labels], result.squared_distances, atol=1e-9)
        assert (result.squared_distances <= D.min(axis=1) + 1e-9).all()
