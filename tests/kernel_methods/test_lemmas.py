"""Lemmas of the papers about what code does; those of mathematics alone are in bench/papers/lemmas.py."""

import numpy as np
import pytest

from graphcore.kernel_methods.landmarks import draw_landmarks
from graphcore.kernel_methods.linear_kmeans import linear_kmeans
from graphcore.kernel_methods.nystrom import power_features, projection_matrix

from ..nystrom_oracles import best_of_rank, of_spectrum

CORNERS = np.array([[-4.0, -4], [-4, 4], [4, -4], [4, 4]])


# -- Wang, Gittens, Mahoney: rank-restricted Nystrom -------------------------------------------------------------------


def sketches(name, V, c, seed):
    """P of n rows and at most c columns, by one of the five ways of Table 7."""
    n = len(V)
    if name in ("uniform", "leverage"):
        p = np.full(n, 1 / n) if name == "uniform" else np.square(V).sum(axis=1) / V.shape[1]
        drawn = draw_landmarks(n, c, probabilities=p, replace=True, random_state=seed)
        return np.eye(n)[:, drawn.indices] * drawn.scale
    return projection_matrix(name, n, c, random_state=seed)


@pytest.mark.parametrize("name", ["uniform", "leverage", "gaussian", "srht", "countsketch"])
def test_lemma_10_embedding_and_products(name):
    # Mean of 100 draws of the squared error of products against s / c (times the coherence, for uniform draws), with
    # the constant 2 (Table 7 leaves constants open); and nine of ten draws embed the subspace.
    rng = np.random.default_rng(0)
    n, s, c = 128, 4, 64
    V, Y = np.linalg.qr(rng.standard_normal((n, s)))[0], rng.standard_normal((n, 6))
    mu = n / s * np.square(V).sum(axis=1).max() if name == "uniform" else 1.0
    errors, spread = [], []
    for seed in range(100):
        P = sketches(name, V, c, seed)
        errors.append(np.linalg.norm(V.T @ P @ P.T @ Y - V.T @ Y) ** 2)
        spread.append(np.linalg.norm(V.T @ P @ P.T @ V - np.eye(s), 2))
    assert np.mean(errors) <= 2 * mu * s / c * np.linalg.norm(Y) ** 2
    assert np.quantile(spread, 0.9) < 1


def test_theorems_16_and_18_many_products_make_the_error_that_of_the_best_rank():
    s = 3
    for seed in range(5):
        K = of_spectrum(1 / np.arange(1.0, 10), seed)
        for eps in (0.1, 0.01):
            # log(n / eps) / log(sigma_s / sigma_{s+1}) products.
            t = int(np.ceil(np.log(9 / eps) / np.log(4 / 3)))
            B = power_features(K, s, n_steps=t, n_vectors=s + 2, random_state=seed).features
            assert np.trace(K - B @ B.T) <= (1 + eps) * np.trace(K - best_of_rank(K, s))


# -- Calandriello, Rosasco: the error of k-means on a sample -----------------------------------------------------------


def risk(centres, X):
    """Mean squared distance to the nearest centre."""
    return np.square(X[:, None] - centres).sum(axis=2).min(axis=1).mean()


def excess(draw, k, sizes, n_repetitions):
    """Mean excess risk of the best centres of samples of each size, over those of a sample of 8,000."""
    population = draw(np.random.default_rng(99), 8_000)
    least = risk(linear_kmeans(population, k, n_init=5, random_state=0).centers, population)
    found = []
    for n in sizes:
        risks = [
            risk(
                linear_kmeans(draw(np.random.default_rng(seed), n), k, n_init=2, random_state=seed).centers, population
            )
            for seed in range(n_repetitions)
        ]
        found.append(np.mean(risks) - least)
    return np.array(found)


def square(rng, n):
    return rng.random((n, 2))


def corners(rng, n):
    """Four blobs far apart: a wide margin."""
    return CORNERS[rng.integers(0, 4, n)] + rng.standard_normal((n, 2)) * 0.5


@pytest.mark.slow
@pytest.mark.parametrize("draw", [square, corners])
def test_proposition_1_excess_risk_is_within_k_over_the_root_of_n(draw):
    sizes = np.array([50, 200, 800])
    found = excess(draw, 4, sizes, 20)
    assert (found < 4 / np.sqrt(sizes)).all()
    assert found[-1] < found[0] * np.sqrt(sizes[0] / sizes[-1])


@pytest.mark.slow
def test_proposition_4_with_a_margin_excess_risk_falls_like_one_over_n():
    # 16 times the sample: a root would give a quarter.
    found = excess(corners, 4, (100, 1600), 25)
    assert found[0] / found[1] > 8


# -- El Ghazzal: k-means -----------------------------------------------------------------------------------------------


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
