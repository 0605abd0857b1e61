"""Gaussian sketches: identities against dense formulas, exact laws over seeds, rates, geometry, bad input."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2, kstest
from sklearn.metrics import adjusted_rand_score
from sklearn.random_projection import johnson_lindenstrauss_min_dim

from bench.shapes import cluster_in_cluster
from graphcore import GaussianSketchFeatures, GaussianSketchKernelKMeans, GraphWarning
from graphcore.kernel_methods.sketch import gaussian_sketch, leading_eigenvalues, subsample_size
from graphcore.kernels.functions import kernel_function

from ..nystrom_oracles import blobs

GAUSSIAN = kernel_function("gaussian", gamma=0.2)


def points(n, d, seed=0):
    return np.random.default_rng(seed).standard_normal((n, d))


def centred(K, rows):
    """Doubly centred kernel and rows, by the definition."""
    n = len(K)
    H = np.eye(n) - 1 / n
    return H @ K @ H, (rows - K.mean(axis=0)) @ H


def mean_products(K, rows, *, center=False):
    """Inner products that sketches have in mean, ``k_x^T K^2 k_y / n^3``, by the definition."""
    K, rows = centred(K, rows) if center else (K, rows)
    return rows @ K @ K @ rows.T / len(K) ** 3


# -- identities --------------------------------------------------------------------------------------------------------


@given(n=st.integers(1, 12), d=st.integers(1, 15), seed=st.integers(0, 10**6), center=st.booleans())
def test_features_and_their_mean_products_are_the_dense_formulas(n, d, seed, center):
    X, others = points(n, 3, seed), points(4, 3, seed + 1)
    K, rows = GAUSSIAN(X), GAUSSIAN(others, X)
    sketch = gaussian_sketch(K, d, center=center, random_state=seed)
    # A second run of the stream gives Z itself, read off a kernel that is the identity and not centred.
    Z = gaussian_sketch(np.eye(n), d, center=False, random_state=seed).projection * n * np.sqrt(n * d)
    dense, dense_rows = centred(K, rows) if center else (K, rows)
    expected = dense_rows @ (Z @ dense).T / (n * np.sqrt(n * d))
    np.testing.assert_allclose(sketch.features(rows), expected, rtol=1e-10, atol=1e-14)
    features = gaussian_sketch(K, None, center=center).features(rows)
    np.testing.assert_allclose(features @ features.T, mean_products(K, rows, center=center), rtol=1e-9, atol=1e-14)


# -- laws given the subsample: statistical, with the chance that a correct sketch fails --------------------------------


@pytest.mark.parametrize("center", [True, False])
def test_squared_distances_are_chi_squared(center):
    # Kolmogorov-Smirnov at level 1e-6: so often a correct sketch fails.
    X = points(30, 4)
    K, rows = GAUSSIAN(X), GAUSSIAN(points(2, 4, 1), X)
    d = 6
    found = np.array([gaussian_sketch(K, d, center=center, random_state=s).features(rows) for s in range(500)])
    squared = np.square(found[:, 0] - found[:, 1]).sum(axis=1)
    products = mean_products(K, rows, center=center)
    expected = products[0, 0] + products[1, 1] - 2 * products[0, 1]
    assert kstest(squared / expected * d, chi2(d).cdf).pvalue > 1e-6


def test_linear_functions_of_features_are_normal():
    # <alpha, P S_X f> ~ N(0, |alpha|^2 <f, Sigma^3 f> / d), at level 1e-6.
    X = points(30, 4)
    K = GAUSSIAN(X)
    coefficients = points(1, 3, 5)[0]
    rows = GAUSSIAN(points(3, 4, 1), X)
    f = coefficients @ rows
    d, alpha = 4, np.array([1.0, -2.0, 0.5, 3.0])
    values = [gaussian_sketch(K, d, center=False, random_state=s).projection @ f @ alpha for s in range(600)]
    deviation = np.sqrt(alpha @ alpha * mean_products(K, f[None, :])[0, 0] / d)
    assert kstest(np.array(values) / deviation, "norm").pvalue > 1e-6


def test_all_distances_within_the_classical_bound():
    # scikit-learn rounds the bound down, so one more. With twice its dimensions a seed fails with a chance below 40^-2
    # (union over all pairs); two of five seeds with less than 4e-6.
    X = points(50, 4)
    K, rows = GAUSSIAN(X), GAUSSIAN(points(40, 4, 1), X)
    e = 0.5
    products = mean_products(K, rows, center=True)
    upper = np.triu_indices(40, 1)
    expected = (np.diag(products)[:, None] + np.diag(products) - 2 * products)[upper]
    good = 0
    for seed in range(5):
        Y = gaussian_sketch(K, 2 * (johnson_lindenstrauss_min_dim(40, eps=e) + 1), random_state=seed).features(rows)
        ratio = np.square(Y[:, None] - Y).sum(axis=2)[upper] / expected
        good += ratio.min() >= 1 - e and ratio.max() <= 1 + e
    assert good >= 4


# -- population statements ---------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_operators_of_an_explicit_kernel():
    # A = P Phi: A^T A tends to C_n^3 as d grows, at the rate d^-1/2; and to C^3 as both n and d grow.
    rng = np.random.default_rng(0)
    root = np.diag([1.0, 0.7, 0.5, 0.3])
    errors = {}
    Phi = rng.standard_normal((200, 4)) @ root
    C3 = np.linalg.matrix_power(Phi.T @ Phi / 200, 3)
    for d in (20, 80, 320, 1280):
        draws = []
        for seed in range(10):
            A = gaussian_sketch(Phi @ Phi.T, d, center=False, random_state=seed).projection @ Phi
            draws.append(np.linalg.norm(A.T @ A - C3, 2) / np.linalg.norm(C3, 2))
        errors[d] = np.mean(draws)
    slope = np.polyfit(np.log(list(errors)), np.log(list(errors.values())), 1)[0]
    assert -0.65 <= slope <= -0.35
    population, errors = np.linalg.matrix_power(root @ root, 3), {}
    for n in (50, 200, 800):
        draws = []
        for seed in range(20):
            F = rng.standard_normal((n, 4)) @ root
            A = gaussian_sketch(F @ F.T, n, center=False, random_state=seed).projection @ F
            draws.append(np.linalg.norm(A.T @ A - population, 2))
        errors[n] = np.mean(draws)
    assert -0.7 <= np.polyfit(np.log(list(errors)), np.log(list(errors.values())), 1)[0] <= -0.35


@pytest.mark.slow
def test_features_tend_to_the_normal_law_of_the_population():
    # Theorem 3: over subsample and sketch, P S_X f is N(0, <f, Sigma^3 f> / d) as n grows. With n = 300 and a kernel of
    # two dimensions the law is near enough that 400 draws of it have a Kolmogorov-Smirnov distance below 0.12 (for the
    # limit itself the chance of more is 2e-5).
    rng = np.random.default_rng(0)
    root, f, d = np.array([1.0, 0.6]), np.array([0.5, 1.0]), 3
    deviation = np.sqrt(np.sum(f**2 * root**6) / d)
    values = []
    for seed in range(400):
        Phi = rng.standard_normal((300, 2)) * root
        P = gaussian_sketch(Phi @ Phi.T, d, center=False, random_state=seed).projection
        values.append(P[0] @ (Phi @ f) / deviation)
    assert kstest(values, "norm").statistic < 0.12


def test_eigenvalues_bound_how_features_stretch():
    # lambda_k^3 |P_k h|^2 <= <h, Sigma_n^3 h> <= lambda_1^3 |h|^2, deterministic, h a difference of two points.
    X = points(40, 3)
    K = GAUSSIAN(X)
    values, vectors = leading_eigenvalues(K, 6, center=False), np.linalg.eigh(K)[1][:, ::-1]
    for i, j in [(0, 1), (2, 30), (11, 12)]:
        difference = (K[i] - K[j])[None, :]
        norm = K[i, i] + K[j, j] - 2 * K[i, j]
        third = mean_products(K, difference)[0, 0]
        assert third <= values[0] ** 3 * norm * (1 + 1e-9)
        for k in (1, 3, 6):
            kept = np.square(vectors[:, :k].T @ difference[0] / np.sqrt(40 * values[:k])).sum()
            assert third >= values[k - 1] ** 3 * kept * (1 - 1e-9)


@pytest.mark.parametrize("share", [0.5, 0.2])
def test_the_means_of_two_components_stay_apart(share):
    # Example 2: |Y(mu_1 - mu_2)|^2 >= lambda_1^3 (|mu_1 - mu_2|^2 - s / (pi_1 pi_2)), with s the largest eigenvalue of
    # the covariances within; deterministic for the mean map, as is the growth of all distances by lambda_1^3 at most.
    rng = np.random.default_rng(0)
    n, first = 80, int(80 * share)
    X = rng.standard_normal((n, 3)) * 0.4 + 4.0 * (np.arange(n) < first)[:, None]
    K = centred(GAUSSIAN(X), GAUSSIAN(X))[0]
    parts = [np.arange(first), np.arange(first, n)]
    means = [K[:, part].mean(axis=1) for part in parts]
    difference = means[0] - means[1]
    apart = difference[parts[0]].mean() - difference[parts[1]].mean()  # |mu_1 - mu_2|^2 in feature space
    within = max(leading_eigenvalues(GAUSSIAN(X[part]), 1)[0] for part in parts)
    largest = leading_eigenvalues(K, 1, center=False)[0]
    least = largest**3 * (apart - within * n**2 / (len(parts[0]) * len(parts[1])))
    assert least > 0.3 * largest**3 * apart  # or the bound would say little
    kept = mean_products(K, difference[None])[0, 0]
    assert least <= kept <= largest**3 * apart * (1 + 1e-9)


@pytest.mark.parametrize(
    ("asked", "n", "got"),
    [("auto", 50, 50), ("auto", 1372, 200), ("auto", 20867, 209), ("auto", 40000, 400), (0.1, 55, 6), (7, 9, 7)],
)
def test_sizes_of_subsamples(asked, n, got):
    assert subsample_size(asked, n) == got


X, _ = blobs(120, k=3, d=4, spread=5.0)


# -- what the paper shows ----------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")
def test_cluster_in_cluster_is_found_with_20_features_by_every_seed():
    for seed in range(20):
        X, truth = cluster_in_cluster(5000, random_state=seed)
        model = GaussianSketchKernelKMeans(2, n_components=20, n_subsample=100, n_init=5, random_state=seed).fit(X)
        assert adjusted_rand_score(truth, model.labels_) >= 0.99, seed


def test_the_default_kernel_is_the_papers():
    model = GaussianSketchFeatures(random_state=0).fit(X)
    distances = np.sqrt(np.square(X[:, None] - X).sum(axis=2))[np.triu_indices(len(X), 1)]
    assert model.kernel_.gamma == pytest.approx(1 / np.quantile(distances, 0.25) ** 2)
    assert GaussianSketchFeatures(bandwidth=2.0).fit(X).kernel_.gamma == pytest.approx(1 / 8)


# -- what is reported and warned about ---------------------------------------------------------------------------------


def test_weak_directions_are_warned_about():
    rng = np.random.default_rng(0)
    centres = 8 * rng.standard_normal((4, 5))
    sizes = {"even": [100] * 4, "uneven": [1000, 300, 60, 20]}
    for name, counts in sizes.items():
        X = np.concatenate([centre + rng.standard_normal((m, 5)) for centre, m in zip(centres, counts, strict=True)])
        model = GaussianSketchKernelKMeans(4, gamma=0.01, n_subsample=0.5, random_state=0)
        with warnings.catch_warnings(record=True, action="always", category=GraphWarning) as said:
            model.fit(X)
        assert ["differ by a factor of" in str(each.message) for each in said] == [True] * (name == "uneven")
        values = leading_eigenvalues(model.kernel_(model._reference), 3)
        assert model.spectral_condition_ == pytest.approx(values[0] / values[2], rel=1e-6)
        assert (model.spectral_condition_ > 4) == (name == "uneven")


def test_points_far_from_the_subsample_are_counted():
    X = np.concatenate([np.random.default_rng(0).standard_normal((300, 2)), np.full((2, 2), 1000.0)])
    model = GaussianSketchFeatures(5, n_subsample=20, gamma=1.0, random_state=1)
    with pytest.warns(GraphWarning, match="of 302 points are far from all 20 subsample points"):
        features = model.fit_transform(X)
    assert not {300, 301} & set(model.subsample_indices_)
    np.testing.assert_allclose(features[300], -model.offset_, atol=1e-12)


@given(n=st.integers(2, 12), seed=st.integers(0, 10**6))
def test_centred_features_ignore_what_is_the_same_for_all(n, seed):
    X, others = points(n, 3, seed), points(4, 3, seed + 1)
    K, rows = GAUSSIAN(X), GAUSSIAN(others, X)
    plain = gaussian_sketch(K, 5, random_state=seed)
    # The diagonal of a kernel matrix must not be negative, so its shift is not: K(x, y) + a(x) + a(y) with a >= 0.
    a, a_others = np.abs(points(1, n, seed + 2)[0]), np.abs(points(1, 4, seed + 3)[0])
    shifted = gaussian_sketch(K + a + a[:, None], 5, random_state=seed)
    moved = shifted.features(rows + a + a_others[:, None])
    np.testing.assert_allclose(moved, plain.features(rows), rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(plain.features(K).mean(axis=0), 0, atol=1e-14)
