"""Theorem 2 and Corollary 1 of Calandriello and Rosasco, where their constants are known."""

import numpy as np
import pytest
from sklearn.cluster import kmeans_plusplus

from bench.baselines import factor_spectral_clustering, partition_costs
from graphcore.kernel_methods.kernel_kmeans import kernel_kmeans
from graphcore.kernel_methods.landmarks import effective_dimension
from graphcore.kernel_methods.linear_kmeans import linear_kmeans
from graphcore.kernel_methods.nystrom import nystrom_features
from graphcore.kernels.functions import kernel_function
from graphcore.kernels.vectors import VectorKernel

from ...nystrom_oracles import indicator
from ..oracles import inertia

pytestmark = pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")


def cost_of_new(found, centers, X):
    """Mean squared distance in kernel space, for kernels with 1 on the diagonal; what features miss counts."""
    B = found.feature_map(X)
    squares = np.square(B[:, None] - centers).sum(axis=2).min(axis=1)
    return float(np.mean(squares + 1.0 - np.square(B).sum(axis=1)))


@pytest.mark.slow
def test_theorem_2_expected_cost_of_k_means_plus_plus_seeds():
    """Seeds by k-means++ on Nystrom features cost about twice the best on new points; more points change that little.

    The bound itself, 8 (ln k + 2) times the best and more, is above the largest cost that there can be.
    """
    k, rng = 5, np.random.default_rng(0)
    places = 1.5 * rng.standard_normal((k, 5))
    function = kernel_function("gaussian", bandwidth=3.0)

    def sample(size):
        return places[rng.integers(0, k, size)] + 0.5 * rng.standard_normal((size, 5))

    test = sample(2000)
    expected = {}
    for n in (100, 400):
        rows = []
        for seed in range(10):
            X = sample(n)
            K = function(X)
            found = nystrom_features(VectorKernel(X, function), int(2 * np.sqrt(n)), random_state=seed)
            best = kernel_kmeans(K, k, n_init=5, random_state=seed).cost
            seeds = kmeans_plusplus(found.features, k, random_state=seed)[0]
            rows.append((cost_of_new(found, seeds, test), best))
        outside, best = np.mean(rows, axis=0)
        expected[n] = outside / best
        assert 1.2 < expected[n] < 3.5
    assert expected[400] < 1.2 * expected[100]


def test_corollary_1_costs_on_a_curve_fall_like_k_to_the_minus_2():
    """A circle under a Gaussian kernel is a closed curve of length L = 2 pi r / sigma: k^2 W tends to L^2 / 12.

    The printed d k^(-2/d) has no constant of the curve, and is exceeded.
    """
    rng, n = np.random.default_rng(0), 1024
    function = kernel_function("gaussian", bandwidth=1 / 3)

    def circle(size):
        angle = rng.uniform(0, 2 * np.pi, size)
        return np.c_[np.cos(angle), np.sin(angle)]

    kernel, test = VectorKernel(circle(n), function), circle(1000)
    found = nystrom_features(kernel, 2 * int(np.sqrt(n)), random_state=0)
    ks, limit = np.array([32, 44, 64]), (6 * np.pi) ** 2 / 12
    costs = np.array([
        cost_of_new(found, linear_kmeans(found.features, k, n_init=3, random_state=0).centers, test) for k in ks
    ])  # fmt: skip
    assert np.polyfit(np.log(ks), np.log(costs), 1)[0] == pytest.approx(-2, abs=0.15)
    np.testing.assert_allclose(ks**2.0 * costs, limit, rtol=0.2)
    assert (costs > 1 / ks**2.0).all()


@pytest.mark.parametrize("eta", [0.3, 0.5, 0.7])
def test_effective_dimension_under_polynomial_decay(eta):
    """Eigenvalues i^(-1/eta) give (n / gamma)^eta; those printed, i^(-eta), have no finite trace."""
    values = np.arange(1.0, 10.0**6) ** (-1 / eta)
    ratios = np.array([1e3, 1e4])
    dimensions = [effective_dimension(values, 1 / ratio) for ratio in ratios]
    assert np.polyfit(np.log(ratios), np.log(dimensions), 1)[0] == pytest.approx(eta, abs=0.03)


def test_spectral_clustering_has_no_answer_where_a_degree_is_not_positive():
    # A kernel without negative entries, positive semi-definite; its approximation from two points has such a degree.
    X = np.array([(1, 0.1, 0), (1, -0.1, 0), (0.2, 2, 2)] + 10 * [(0.2, -2, 2)])
    K = X @ X.T
    assert K.min() >= 0
    B = nystrom_features(K, 2, sampling=[0, 1], random_state=0).features
    degrees = B @ B.sum(axis=0)
    assert np.flatnonzero(degrees <= 0).tolist() == [2]
    assert degrees[2] == pytest.approx(-35.16)
    assert factor_spectral_clustering(B, 2, random_state=0) is None
    assert len(set(linear_kmeans(B, 2, random_state=0).labels)) == 2  # kernel k-means does not mind


def test_both_costs_of_a_partition_are_those_of_k_means_on_points_and_on_columns():
    rng = np.random.default_rng(0)
    K = kernel_function("gaussian", bandwidth=1.0)(rng.normal(size=(12, 2)))
    labels = rng.choice([0, 2, 3], 12)
    U = indicator(labels)
    cost, on_columns = partition_costs(K)(labels)
    assert cost == pytest.approx(inertia(K, labels, np.ones(12)) / 12, rel=1e-9)
    assert on_columns == pytest.approx(np.linalg.norm(K - U @ (U.T @ K)) ** 2 / 12, rel=1e-9)
