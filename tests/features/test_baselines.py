"""The methods that kernel k-means is compared to: random Fourier features, two steps, spectral clustering."""

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from graphcore import Graph
from graphcore.exceptions import GraphWarning, InputError, NonPositiveDegreeError, ParameterError
from graphcore.features.nystrom import nystrom_features
from graphcore.features.random_features import random_fourier_features
from graphcore.features.sizes import suggest_rank
from graphcore.features.sketch import gaussian_sketch, leading_eigenvalues
from graphcore.kernels.as_kernel import as_kernel
from graphcore.kernels.functions import kernel_function
from graphcore.kernels.vectors import VectorKernel
from graphcore.kmeans.coreset import coreset_kernel_kmeans
from graphcore.kmeans.exact import kernel_kmeans, partition_cost
from graphcore.kmeans.linear import linear_kmeans
from graphcore.kmeans.spectral import factor_spectral_clustering, kernel_spectral_clustering


def blobs(n, d=16, k=10, spread=1.0, seed=0):
    """Gaussian clusters of unit variance, centres of variance `spread` squared."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)
    return rng.standard_normal((n, d)) + spread * rng.standard_normal((k, d))[truth], truth


def nmi(labels, truth):
    return normalized_mutual_info_score(truth, labels, average_method="geometric")


# -- random Fourier features -------------------------------------------------------------------------------------------


def test_random_features_have_the_kernel_for_inner_products():
    # The entries of R R^T are means of c terms of variance at most 1: 0.15 at c = 1,500 is 5.8 standard deviations.
    X = np.random.default_rng(0).standard_normal((20, 3))
    B = random_fourier_features(X, 1500, bandwidth=1.5, rank=None, random_state=0).features
    np.testing.assert_allclose(B @ B.T, kernel_function("gaussian", bandwidth=1.5)(X), atol=0.15)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_the_cut_is_the_truncated_decomposition(make, dtype):
    X = np.random.default_rng(0).standard_normal((600, 5)).astype(dtype)
    found = random_fourier_features(make(X), 40, bandwidth=2.0, rank=7, random_state=0)
    R = found.sampler.transform(X)
    U, s, _ = np.linalg.svd(R, full_matrices=False)
    tolerance = 1e-3 if dtype == np.float32 else 1e-8
    best = (U[:, :7] * s[:7] ** 2) @ U[:, :7].T
    np.testing.assert_allclose(found.features @ found.features.T, best, atol=tolerance)
    np.testing.assert_allclose(found.transform(make(X[:9])), found.features[:9], atol=tolerance)
    assert found.features.dtype == dtype
    again = random_fourier_features(make(X), 40, bandwidth=2.0, rank=7, random_state=0, n_jobs=2)
    np.testing.assert_array_equal(again.features, found.features)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"n_features": 0}, "n_features=0"),
        ({"bandwidth": 0.0}, "bandwidth=0.0"),
        ({"bandwidth": np.inf}, "bandwidth=inf"),
        ({"rank": 6}, "rank=6 must be at most 5"),
        ({"X": np.zeros(3)}, "must be a matrix"),
        ({"X": np.empty((0, 3))}, "at least one row"),
        ({"X": np.array([[np.nan, 1.0]])}, "NaN"),
    ],
    ids=str,
)
def test_bad_input_of_random_features(given, message):
    with pytest.raises(ValueError, match=message):
        random_fourier_features(**{"X": np.eye(4), "n_features": 5, "bandwidth": 1.0} | given)


# -- two steps: kernel k-means on a uniform sample, and all others to the nearest centroid -----------------------------


def test_two_steps_assign_to_the_nearest_mean_in_feature_space():
    X, _ = blobs(80, d=3, k=3, spread=3.0)
    kernel = kernel_function("gaussian", bandwidth=2.0)
    K = kernel(X)
    found = coreset_kernel_kmeans(K, 3, size=30, sampling="uniform", random_state=0)
    distances = []
    for j in range(3):
        c = found.coreset.indices[found.few.labels == j]
        distances.append(np.diag(K) - 2 * K[:, c].mean(axis=1) + K[np.ix_(c, c)].mean())
    np.testing.assert_array_equal(found.labels, np.argmin(distances, axis=0))
    for other in (VectorKernel(X, kernel), sp.csr_array(K)):
        same = coreset_kernel_kmeans(other, 3, size=30, sampling="uniform", random_state=0, n_jobs=2)
        np.testing.assert_array_equal(same.coreset.indices, found.coreset.indices)
        assert adjusted_rand_score(same.labels, found.labels) == 1.0


# Three different points, ten times each, that are not exact in binary: equal rows of eigenvectors differ by rounding.
THREE = np.repeat(np.random.default_rng(0).standard_normal((3, 2)), 10, axis=0)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_equal_points_of_spectral_clustering_are_in_one_cluster(form):
    K = form(kernel_function("gaussian", X=THREE)(THREE))
    with pytest.warns(GraphWarning, match="3 clusters instead of n_clusters=5"):
        found = kernel_spectral_clustering(K, 5, random_state=0)
    assert adjusted_rand_score(np.repeat(np.arange(3), 10), found.labels) == 1.0
    assert set(found.labels) == {0, 1, 2}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert set(kernel_spectral_clustering(K, 3, random_state=0).labels) == {0, 1, 2}


def test_equal_features_of_spectral_clustering_are_in_one_cluster():
    B = np.repeat([[1.0, 0.0, 0.0], [0.5, 2.0, 0.0]], 10, axis=0)
    with pytest.warns(GraphWarning, match="2 clusters instead of n_clusters=3"):
        found = factor_spectral_clustering(B, 3, random_state=0)
    assert adjusted_rand_score(np.repeat([0, 1], 10), found.labels) == 1.0


def test_an_adjacency_matrix_without_loops_has_no_equal_points():
    # Its squared distances are 0 or negative, which says nothing about how many points are different.
    A = np.kron(np.eye(3), np.ones((4, 4)) - np.eye(4))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = kernel_spectral_clustering(A, 3, random_state=0)
    assert adjusted_rand_score(np.repeat(np.arange(3), 4), found.labels) == 1.0


def test_what_needs_the_whole_matrix_evaluates_it_where_it_is_small(monkeypatch):
    X = np.random.default_rng(0).normal(size=(30, 3))
    gram, graph = VectorKernel(X, kernel_function("gaussian", X=X)), Graph.from_edges(np.arange(29), np.arange(1, 30))
    for K in (gram, graph):
        dense = as_kernel(K).block(np.arange(30), np.arange(30))
        np.testing.assert_allclose(
            gaussian_sketch(K, 2, random_state=0).projection, gaussian_sketch(dense, 2, random_state=0)[0], rtol=1e-10
        )
        np.testing.assert_allclose(leading_eigenvalues(K, 3), leading_eigenvalues(dense, 3), rtol=1e-10)
        assert np.array_equal(
            kernel_spectral_clustering(K, 2, random_state=0).labels,
            kernel_spectral_clustering(dense, 2, random_state=0).labels,
        )
    monkeypatch.setattr("graphcore.kernels.base._MAX_DENSE", 29)
    for call, what in ((kernel_spectral_clustering, "spectral clustering"), (gaussian_sketch, "a sketch")):
        with pytest.raises(InputError, match=rf"{what} needs the whole kernel matrix, and 30 x 30 is too large"):
            call(gram, 2)


# -- spectral clustering -----------------------------------------------------------------------------------------------


def test_spectral_clustering_is_the_dense_formula():
    X, _ = blobs(60, d=3, k=3, spread=3.0)
    K = kernel_function("gaussian", bandwidth=2.0)(X)
    root = np.sqrt(K.sum(axis=1))
    values, vectors = np.linalg.eigh(K / root / root[:, None])
    rows = vectors[:, -3:] / np.linalg.norm(vectors[:, -3:], axis=1, keepdims=True)
    exact = kernel_spectral_clustering(K, 3, random_state=0)
    sparse = kernel_spectral_clustering(sp.csc_array(K), 3, random_state=0)
    kernel_values, kernel_vectors = np.linalg.eigh(K)
    B = kernel_vectors * np.sqrt(np.clip(kernel_values, 0, None))
    factor = factor_spectral_clustering(B, 3, random_state=0)
    for found in (exact, sparse, factor):
        np.testing.assert_allclose(found.eigenvalues, values[::-1][:3], rtol=1e-8)
        np.testing.assert_allclose(found.embedding @ found.embedding.T, rows @ rows.T, atol=1e-6)
        assert found.n_nonpositive == 0
        assert adjusted_rand_score(found.labels, exact.labels) == 1.0


def test_spectral_clustering_of_all_columns_is_exact():
    X, _ = blobs(150, d=4, k=3, spread=3.0)
    gram = VectorKernel(X, kernel_function("gaussian", X=X))
    B = nystrom_features(gram, 150, random_state=0).features
    found = factor_spectral_clustering(B, 3, random_state=0)
    exact = kernel_spectral_clustering(gram.block(np.arange(150), np.arange(150)), 3, random_state=0)
    np.testing.assert_allclose(found.eigenvalues, exact.eigenvalues, rtol=1e-6)
    assert adjusted_rand_score(found.labels, exact.labels) == 1.0


def negative_degree():
    """A non-negative, positive semi-definite kernel whose approximation from two points has a negative degree."""
    rows = [(1, 0.1, 0), (1, -0.1, 0), (0.2, 2, 2)] + 10 * [(0.2, -2, 2)]
    X = np.array(rows)
    K = X @ X.T
    assert K.min() >= 0
    return K, nystrom_features(K, 2, sampling=[0, 1], random_state=0)


def test_non_positive_degrees_have_an_error_of_their_own():
    _, found = negative_degree()
    with pytest.raises(NonPositiveDegreeError, match=r"1 points have a degree that is not positive.*point 2, -35.2"):
        factor_spectral_clustering(found.features, 2)
    try:
        factor_spectral_clustering(found.features, 2)
    except NonPositiveDegreeError as error:
        assert error.indices.tolist() == [2]
        assert error.degrees == pytest.approx([-35.16])
        assert isinstance(error, InputError)
        twin = pickle.loads(pickle.dumps(error))
        assert (str(twin), twin.indices.tolist()) == (str(error), [2])
    for heuristic in ("clip", "absolute"):
        clusters = factor_spectral_clustering(found.features, 2, nonpositive=heuristic, random_state=0)
        assert clusters.n_nonpositive == 1
        assert np.isfinite(clusters.embedding).all()
    assert len(set(linear_kmeans(found.features, 2, random_state=0).labels)) == 2  # kernel k-means does not mind


def test_heuristics_are_what_they_say():
    B = np.array([[1.0, 0.1], [1.0, -0.1], [0.2, 2.0], [0.3, -2.5]])
    degrees = B @ B.sum(axis=0)
    assert degrees.min() < 0
    clipped = np.maximum(degrees, degrees[degrees > 0].min())
    for heuristic, expected in (("clip", clipped), ("absolute", np.abs(degrees))):
        Q = B / np.sqrt(expected)[:, None]
        found = factor_spectral_clustering(B, 2, nonpositive=heuristic, random_state=0)
        np.testing.assert_allclose(found.eigenvalues, np.linalg.svd(Q)[1] ** 2)
        assert found.n_nonpositive == (degrees <= 0).sum()


def test_narrow_kernels_make_degrees_negative_and_wide_ones_do_not():
    # Rank-restricted to k, beta = 0.1: 19 of 30 draws fail (fewer than 5 would with a chance of 1e-7, were that the
    # rate); the specification saw 10 to 40 % on other blobs. beta = 1 never fails.
    X, _ = blobs(400, d=16, k=10, spread=1.0)
    failed = {}
    for beta in (0.1, 1.0):
        gram = VectorKernel(X, kernel_function("gaussian", bandwidth=("rms", beta), X=X))
        failed[beta] = 0
        for seed in range(30):
            B = nystrom_features(gram, 50, 10, random_state=seed).features
            try:
                factor_spectral_clustering(B, 10, n_init=1, random_state=seed)
            except NonPositiveDegreeError:
                failed[beta] += 1
    assert failed[0.1] >= 5
    assert failed[1.0] == 0


def test_bad_input_of_spectral_clustering():
    with pytest.raises(InputError, match="not negative; the smallest is -1"):
        kernel_spectral_clustering(np.array([[2.0, -1.0], [-1.0, 2.0]]), 1)
    with pytest.raises(NonPositiveDegreeError, match="point 1, 0"):
        kernel_spectral_clustering(np.diag([1.0, 0.0]), 1)
    with pytest.raises(ParameterError, match="n_clusters=3"):
        kernel_spectral_clustering(np.eye(2), 3)
    with pytest.raises(NonPositiveDegreeError):
        factor_spectral_clustering(np.zeros((3, 2)), 1, nonpositive="absolute")
    with pytest.raises(NonPositiveDegreeError):
        factor_spectral_clustering(np.zeros((3, 2)), 1, nonpositive="clip")
    for bad, message in [(np.zeros(3), "shape"), (np.empty((0, 2)), "shape"), (np.full((2, 2), np.nan), "NaN")]:
        with pytest.raises(InputError, match=message):
            factor_spectral_clustering(bad, 1)
    with pytest.raises(ParameterError, match="n_clusters=3 must be at most 2"):
        factor_spectral_clustering(np.ones((5, 2)), 3)
    with pytest.raises(ParameterError, match="nonpositive='drop'"):
        factor_spectral_clustering(np.ones((5, 2)), 1, nonpositive="drop")


# -- the order of the methods, as measured for the specification -------------------------------------------------------


@pytest.mark.slow
class TestOrderOfTheMethods:
    """10 overlapping blobs, c = 30, 90 and 810 with s = sqrt(k c).

    The specification has, on blobs of its own, NMI 0.875, 0.886 and 0.887 for landmarks, 0.555, 0.79 and 0.860 for
    random features, 0.575, 0.676 and 0.869 for two steps.
    """

    SIZES = (30, 90, 810)

    @classmethod
    def setup_class(cls):
        X, truth = blobs(2000, spread=1.0, seed=1)
        kernel = kernel_function("gaussian", X=X)
        gram, K = VectorKernel(X, kernel), kernel(X)
        exact = kernel_kmeans(K, 10, n_init=3, random_state=0).cost
        runs = {name: [] for name in ("nystrom", "random", "two steps")}
        for c in cls.SIZES:
            s = suggest_rank(10, c)
            labels = {name: [] for name in runs}
            for seed in range(3):
                B = nystrom_features(gram, c, s, random_state=seed).features
                labels["nystrom"].append(linear_kmeans(B, 10, n_init=5, random_state=seed).labels)
                R = random_fourier_features(X, c, bandwidth=kernel.bandwidth, rank=s, random_state=seed).features
                labels["random"].append(linear_kmeans(R, 10, n_init=5, random_state=seed).labels)
                labels["two steps"].append(
                    coreset_kernel_kmeans(gram, 10, size=c, sampling="uniform", n_init=5, random_state=seed).labels
                )
            for name, found in labels.items():
                means = [(nmi(one, truth), partition_cost(K, one) / exact) for one in found]
                runs[name].append(np.mean(means, axis=0))
        # Arrays over the sizes.
        cls.score = {name: np.array(means)[:, 0] for name, means in runs.items()}
        cls.cost = {name: np.array(means)[:, 1] for name, means in runs.items()}

    def test_landmarks_beat_random_features_beat_two_steps(self):
        """Landmarks are first at every size; the order of the others is beyond noise in the middle only."""
        score, cost = self.score, self.cost
        for other, least in (("random", (0.15, 0.03, 0.003)), ("two steps", (0.15, 0.06, 0.003))):
            assert (score["nystrom"] > score[other] + least).all()
            assert (cost["nystrom"] < cost[other]).all()
        assert score["random"][1] > score["two steps"][1] + 0.03
        assert cost["random"][1] < cost["two steps"][1]
        assert (cost["nystrom"] < (1.005, 1.0005, 1.0001)).all()

    @pytest.mark.parametrize("method", ["nystrom", "random", "two steps"])
    def test_every_method_improves_with_its_size(self, method):
        score, cost = self.score[method], self.cost[method]
        assert score[0] < score[1] < score[2]
        assert cost[0] > cost[1] > cost[2]

    def test_the_gap_closes(self):
        for other in ("random", "two steps"):
            gap = self.score["nystrom"] - self.score[other]
            assert gap[0] > gap[1] > gap[2]


@pytest.mark.slow
@pytest.mark.parametrize("c", [50, 150, 500])
@pytest.mark.parametrize("beta", [1.0, 5.0])
def test_kernel_kmeans_beats_nystrom_spectral_clustering(beta, c):
    # The specification has NMI 0.90 against 0.84 to 0.85 at s = k, at every number of landmarks.
    X, truth = blobs(1500, spread=1.0, seed=1)
    gram = VectorKernel(X, kernel_function("gaussian", bandwidth=("rms", beta), X=X))
    scores = []
    for seed in range(4):
        B = nystrom_features(gram, c, 10, random_state=seed).features
        kernel = linear_kmeans(B, 10, random_state=seed).labels
        spectral = factor_spectral_clustering(B, 10, random_state=seed).labels
        scores.append((nmi(kernel, truth), nmi(spectral, truth)))
    kernel, spectral = np.mean(scores, axis=0)
    assert kernel == pytest.approx(0.91, abs=0.015)
    assert spectral == pytest.approx(0.855, abs=0.015)
