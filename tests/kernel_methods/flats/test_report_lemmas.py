"""Lemmas and propositions of the report on k-flats that no other test checks, with plain numpy."""

import numpy as np
import pytest

from graphcore.kernel_methods.kmeans.linear import linear_kmeans

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
