"""Lemmas and propositions of the report on k-flats that no other test checks, with plain numpy."""

import numpy as np
import pytest

from graphcore.kernel_methods.flats.k_flats import k_flats
from graphcore.kernel_methods.kmeans.linear import linear_kmeans
from graphcore.kernels.functions import kernel_function

from ...oracles import partitions

SEEDS = range(4)


def best_means(X, k):
    """Labels and means of the best partition into k parts, of all; and the second least of the costs."""
    costs = np.array([
        sum(np.square(X[labels == j] - X[labels == j].mean(axis=0)).sum() for j in range(k))
        for labels in partitions(len(X), k)
    ])  # fmt: skip
    labels = partitions(len(X), k)[np.argmin(costs)]
    return labels, np.array([X[labels == j].mean(axis=0) for j in range(k)])


def centred(K):
    """Proposition 7, with the plus that its last term needs."""
    one = np.full(K.shape, 1 / len(K))
    return K - one @ K - K @ one + one @ K @ one


@pytest.mark.parametrize("seed", SEEDS)
def test_lemma_1_the_mean_is_nearest(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((12, 3))
    mean = X.mean(axis=0)
    for _ in range(50):
        step = rng.standard_normal(3) * rng.choice([1e-3, 1.0])
        more = np.square(X - mean - step).sum() - np.square(X - mean).sum()
        assert more == pytest.approx(12 * step @ step)


@pytest.mark.parametrize("seed", SEEDS)
def test_proposition_2_k_flats_come_to_rest(seed):
    # From where they rest, another run that starts there changes nothing.
    X = np.random.default_rng(seed).standard_normal((40, 3))
    found = k_flats(X, 3, 1, n_init=1, max_iter=1000, random_state=seed)
    assert found.converged
    assert np.array_equal(k_flats(X, 3, 1, init=found.labels, n_init=1).labels, found.labels)


@pytest.mark.parametrize("name", ["gaussian", "laplacian", "polynomial", "linear"])
def test_propositions_4_and_5_kernels_are_symmetric_and_positive(name):
    X = np.random.default_rng(0).standard_normal((40, 3))
    options = {"bandwidth": 1.0} if name in ("gaussian", "laplacian") else {}
    K = kernel_function(name, **options)(X)
    np.testing.assert_allclose(K, K.T, rtol=1e-12)
    assert np.linalg.eigvalsh(K).min() > -1e-10 * np.trace(K)
    # And what is symmetric and positive is a kernel: there are features with these inner products.
    values, V = np.linalg.eigh(K)
    Phi = V * np.sqrt(np.maximum(values, 0))
    np.testing.assert_allclose(Phi @ Phi.T, K, atol=1e-10 * np.trace(K))


@pytest.mark.parametrize("seed", SEEDS)
def test_propositions_7_9_and_10_flats_from_the_centred_kernel(seed):
    rng = np.random.default_rng(seed)
    Phi, m = rng.standard_normal((4, 9)) + 2.0, 2  # features in columns
    middle = Phi - Phi.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(centred(Phi.T @ Phi), middle.T @ middle, atol=1e-12)
    values, A = np.linalg.eigh(middle.T @ middle)
    values, A = values[::-1], A[:, ::-1]
    # Proposition 10: centring makes no difference to the directions of positive eigenvalue.
    np.testing.assert_allclose(Phi @ A[:, :m], middle @ A[:, :m], atol=1e-11)
    # Proposition 9, with the roots of the eigenvalues: the mean and these directions leave least.
    directions = middle @ A[:, :m] / np.sqrt(values[:m])
    np.testing.assert_allclose(directions.T @ directions, np.eye(m), atol=1e-10)

    def left(y, F):
        away = Phi - y[:, None]
        return np.square(away - F @ (F.T @ away)).sum()

    least = left(Phi.mean(axis=1), directions)
    assert least == pytest.approx(values[m:].sum())
    for _ in range(100):
        size = rng.choice([1e-2, 1.0])
        F = np.linalg.qr(directions + size * rng.standard_normal(directions.shape))[0]
        assert left(Phi.mean(axis=1) + size * rng.standard_normal(4), F) >= least


@pytest.mark.parametrize("k", [2, 3])
def test_propositions_11_and_12_means_differ_and_no_point_lies_between_two(k):
    for seed in range(5):
        # Integers, so that ties could occur.
        X = np.unique(np.random.default_rng(seed).integers(0, 5, (8, 2)), axis=0).astype(float)
        labels, means = best_means(X, k)
        D = np.square(X[:, None] - means).sum(axis=2)
        assert np.square(means[:, None] - means)[np.triu_indices(k, 1)].sum(axis=1).min() > 0
        assert np.diff(np.sort(D, axis=1)[:, :2], axis=1).min() > 1e-9
        # Corollary 1: the cells are the partition.
        assert np.array_equal(D.argmin(axis=1), labels)


def test_propositions_13_to_15_the_best_quantizers_error():
    # Uniform on [0, 1] the k-th error is 1 / (12 k^2), which some k points have, and k^2 times it C_1 = 1/12 times the
    # norm of the density of exponent 1/3. On a circle, a manifold of dimension 1, the same with squared distances.
    x = (np.arange(4000) + 0.5) / 4000
    for density, norm in ((np.ones_like(x), 1.0), (2 * x, (2 ** (1 / 3) * 0.75) ** 3)):
        points = np.interp(x, np.cumsum(density) / density.sum(), x)[:, None]  # as many in proportion
        errors = []
        for k in (8, 32):
            centres = linear_kmeans(points, k, n_init=2, random_state=0).centers
            errors.append(k**2 * np.square(points - centres.T).min(axis=1).mean())
        np.testing.assert_allclose(errors[1], norm / 12, rtol=0.05)
    circle = np.column_stack([np.cos(2 * np.pi * x), np.sin(2 * np.pi * x)])
    k = 32
    centres = linear_kmeans(circle, k, n_init=2, random_state=0).centers
    found = k**2 * np.square(circle[:, None] - centres).sum(axis=2).min(axis=1).mean()
    np.testing.assert_allclose(found, (2 * np.pi) ** 2 / 12, rtol=0.05)


def test_propositions_16_and_17_ties_have_no_volume_unless_flats_are_equal():
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, (20_000, 3))
    for m in (0, 1, 2):
        points = rng.standard_normal((3, 3))
        G = [np.linalg.qr(rng.standard_normal((3, max(m, 1))))[0][:, :m] for _ in range(3)]

        def distances(flats, points=points, G=G):
            away = [X - points[j] for j in flats]
            return np.column_stack(
                [np.linalg.norm(a - a @ G[j] @ G[j].T, axis=1) for a, j in zip(away, flats, strict=True)]
            )

        assert np.diff(np.sort(distances([0, 1, 2]), axis=1)[:, :2], axis=1).min() > 0
        # What the proposition leaves out: the same flat twice ties everywhere.
        assert not np.diff(distances([0, 0]), axis=1).any()


def test_proposition_18_the_error_has_two_parts():
    # Sets of means among a few candidates, so that all of them can be gone through.
    rng = np.random.default_rng(0)
    population, candidates = rng.standard_normal((4000, 2)), rng.standard_normal((12, 2))
    pairs = [candidates[[i, j]] for i in range(12) for j in range(i)]

    def errors(X):
        return np.array([np.square(X[:, None] - pair).sum(axis=2).min(axis=1).mean() for pair in pairs])

    true = errors(population)
    for seed in range(20):
        seen = errors(population[np.random.default_rng(seed).integers(0, 4000, 15)])
        assert true[np.argmin(seen)] <= 2 * np.abs(true - seen).max() + true.min()


@pytest.mark.parametrize("shape", [(4, 9), (9, 4), (6, 6)])
def test_propositions_24_and_25_singular_values(shape):
    M = np.random.default_rng(0).standard_normal(shape)
    U, values, V = np.linalg.svd(M)
    S = np.zeros(shape)
    np.fill_diagonal(S, values)
    for made, expected in ((U @ S @ V, M), (U.T @ U, np.eye(shape[0])), (V @ V.T, np.eye(shape[1])),
                           (M @ V.T, U @ S), (M.T @ U, V.T @ S.T)):  # fmt: skip
        np.testing.assert_allclose(made, expected, atol=1e-12)
    few = min(shape)
    for square in (M @ M.T, M.T @ M):
        found = np.linalg.eigvalsh(square)[::-1]
        np.testing.assert_allclose(found[:few], np.square(values), rtol=1e-9)
        np.testing.assert_allclose(found[few:], 0, atol=1e-12)


@pytest.mark.parametrize("m", [1, 2])
def test_lemma_6_proposition_26_the_slope_of_the_distance_to_a_flat(m):
    rng = np.random.default_rng(m)
    G, at = np.linalg.qr(rng.standard_normal((4, m)))[0], rng.standard_normal(4)

    def away(x):
        return (x - at) - G @ (G.T @ (x - at))

    for _ in range(50):
        x, y = rng.standard_normal((2, 4))
        slope = away(x) @ (y - G @ (G.T @ y)) / np.linalg.norm(away(x))
        h = 1e-5
        measured = (np.linalg.norm(away(x + h * y)) - np.linalg.norm(away(x - h * y))) / (2 * h)
        assert slope == pytest.approx(measured, abs=1e-6)
        assert abs(slope) <= np.linalg.norm(y)
