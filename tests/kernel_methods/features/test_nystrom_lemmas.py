"""What Calandriello and Rosasco quote: Propositions 1, 2 and 4, Corollary 2; and Proposition 1 of Gaussian sketches."""

import numpy as np
import pytest

from graphcore.kernel_methods.kmeans.linear import linear_kmeans
from graphcore.kernels.functions import kernel_function

CORNERS = np.array([[-4.0, -4], [-4, 4], [4, -4], [4, 4]])


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


@pytest.mark.parametrize("eps", [0.9, 0.5])
def test_corollary_2_so_many_uniform_draws_keep_the_operator(eps):
    # A kernel of 1 on the diagonal (kappa 1). 20 draws may fail with probability 0.1 each; none does.
    n, delta = 60, 0.1
    X = np.random.default_rng(0).standard_normal((n, 2))
    K = kernel_function("gaussian", bandwidth=1.0)(X)
    values, V = np.linalg.eigh(K)
    Phi = (V * np.sqrt(np.maximum(values, 0))).T  # features in columns
    for gamma in (1.0, 10.0):
        m = int(np.ceil(12 * n / gamma * np.log(n / delta) / eps**2))
        scaled = np.diag((np.maximum(values, 0) + gamma) ** -0.5)
        for seed in range(20):
            drawn = Phi[:, np.random.default_rng(seed).integers(0, n, m)]
            off = scaled @ (Phi @ Phi.T - n / m * drawn @ drawn.T) @ scaled
            assert np.linalg.norm(off, 2) <= eps


@pytest.mark.parametrize("decay", [0.5, 1.0, 3.0])
def test_proposition_1_of_sketches_one_random_operator_keeps_all_products(decay):
    # sup over unit f, g is an operator norm. The constant that is left open: 4, with probability 1 - 1/e^3.
    p, tau, rng = 60, 3.0, np.random.default_rng(0)
    cubes = np.arange(1.0, p + 1) ** (-3 * decay)  # eigenvalues of Sigma^3
    rank = cubes.sum() / cubes.max()
    for d in (16, 64, 256):
        off = []
        for _ in range(100):
            theta = rng.standard_normal((d, p)) * np.sqrt(cubes / d)
            off.append(np.linalg.norm(theta.T @ theta - np.diag(cubes), 2))
        bound = cubes.max() * (np.sqrt(rank) + np.sqrt(tau)) / np.sqrt(d)
        assert d < max(rank, tau) or np.mean(np.array(off) <= 4 * bound) >= 1 - np.exp(-tau)
        assert np.median(off) > bound / 20
