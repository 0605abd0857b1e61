"""What theory and the report's experiments say of errors against k, and what finds which shapes.

Seeds are fixed, so that nothing fails by chance. Over four other seeds the errors on spheres moved by at most 0.006,
the slope of k-means on the trefoil lay between -1.95 and -2.00, that of lines between -3.81 and -3.92.
"""

import gzip

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from bench.shapes import circles, sphere, trefoil
from graphcore.kernel_methods.flats.alternation import alternate, seed_labels
from graphcore.kernel_methods.flats.euclidean import EuclideanFlats, FlatSet
from graphcore.kernel_methods.flats.k_flats import k_flats
from graphcore.kernel_methods.flats.kernel_k_flats import kernel_k_flats
from graphcore.kernels.bandwidths import rule_bandwidth
from graphcore.kernels.functions import kernel_function
from graphcore.kernels.vectors import VectorKernel

pytestmark = pytest.mark.slow


def slope(ks, errors):
    return np.polyfit(np.log(ks), np.log(errors), 1)[0]


def accuracy(truth, labels):
    return max(np.mean(labels == truth), np.mean(labels != truth))


# -- quantisation ------------------------------------------------------------------------------------------------------


def test_k_means_on_the_trefoil_falls_like_k_to_the_minus_2():
    """k^2 E tends to (integral of rho^(1/3))^3 / 12 = 83.445."""
    t = np.linspace(0, 2 * np.pi, 100_001)[:-1]
    speed = np.sqrt(9 + 4 * (2 + np.cos(3 * t)) ** 2)
    limit = (2 * np.pi * np.mean(speed * (1 / (2 * np.pi * speed)) ** (1 / 3))) ** 3 / 12
    assert limit == pytest.approx(83.445, abs=1e-3)
    points = trefoil(20_000, random_state=0)
    assert k_flats(points, 1, 0).error == pytest.approx(5, abs=0.05)  # exactly 5 for the curve itself
    ks = [32, 64, 128]
    errors = [k_flats(points, k, 0, n_init=1, random_state=0).error for k in ks]
    assert slope(ks, errors) == pytest.approx(-2, abs=0.1)
    assert 128**2 * errors[-1] == pytest.approx(limit, rel=0.06)


def test_lines_on_the_trefoil_fall_like_k_to_the_minus_4():
    """k^4 E tends to 435.7; the local minima that are found lie 5 to 25 % above."""
    points = trefoil(10_000, random_state=0)
    ks = [32, 128]
    lines = [k_flats(points, k, 1, init="k-means", n_init=2, random_state=0).error for k in ks]
    assert slope(ks, lines) == pytest.approx(-4, abs=0.25)
    assert 0.9 * 435.7 < 128**4 * lines[-1] < 1.3 * 435.7
    means = k_flats(points, 128, 0, n_init=1, random_state=0).error
    assert means / lines[-1] > 2500


# -- training and test error -------------------------------------------------------------------------------------------


def curves(n_features, shares, n_test=3000):
    train, test = sphere(1000, n_features, random_state=0), sphere(n_test, n_features, random_state=1)
    fits = [k_flats(train, max(1, int(1000 * share)), 0, n_init=1, random_state=0) for share in shares]
    return np.array([fit.error for fit in fits]), np.array([fit.flats.nearest(test)[1].mean() for fit in fits])


SHARES = np.array([0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0])


def test_on_a_sphere_of_dimension_25_there_is_a_best_k():
    train, test = curves(25, SHARES)
    np.testing.assert_allclose(test[[0, 5, 9]], [1.0007, 0.767, 0.804], atol=0.01)
    best = SHARES[test.argmin()]
    assert 0.2 <= best <= 0.3
    assert (np.diff(test[SHARES >= 0.3]) > 0).all()
    assert (np.diff(test[SHARES <= 0.2]) < 0).all()
    assert (np.diff(train) < 0).all()


def test_two_points_on_a_sphere_are_worse_than_their_mean():
    """E(S_1) = 3/2, E(S_2) = 2 - 2 / sqrt(100 pi) = 1.887 and E({0}) = 1, within five standard errors over pairs."""
    test = sphere(500, 100, random_state=0)
    errors = np.empty((200, 2))
    for i in range(200):
        pair = sphere(2, 100, random_state=i + 1)
        errors[i] = [k_flats(pair, k, 0, n_init=1, random_state=0).flats.nearest(test)[1].mean() for k in (1, 2)]
    assert errors[:, 0].mean() == pytest.approx(1.5, abs=5 * 0.051 / np.sqrt(200))
    assert errors[:, 1].mean() == pytest.approx(2 - 2 / np.sqrt(100 * np.pi), abs=0.02)


def test_flats_of_higher_dimension_are_better_on_a_sphere_and_few_are_enough():
    """500 points in R^50; the report's best k of 0.9 n is 0.1 n here, as in all other trials of it."""
    train, test = sphere(500, 50, random_state=0), sphere(1500, 50, random_state=1)
    ks = [5, 25, 50, 100, 200, 500]
    found = np.array(
        [
            [k_flats(train, k, m, n_init=1, random_state=0).flats.nearest(test)[1].mean() for k in ks]
            for m in (0, 1, 5, 10)
        ]
    )
    np.testing.assert_allclose(found[0, 1:], [0.939, 0.933, 0.945, 0.989, 1.166], atol=0.012)
    np.testing.assert_allclose(found[1, 1:], [0.906, 0.900, 0.918, 0.966, 1.166], atol=0.012)
    np.testing.assert_allclose(found[2, 1:], [0.799, 0.793, 0.822, 0.892, 1.166], atol=0.025)
    assert (np.diff(found[:, :3], axis=0) < 0).all()
    assert all(ks[j] in (25, 50) for j in found[1:].argmin(axis=1))
    # With completed flats more dimensions stay better for many clusters.
    padded = [
        k_flats(train, 200, m, n_init=1, on_degenerate="pad", random_state=0).flats.nearest(test)[1].mean()
        for m in (0, 1, 5, 10, 25)
    ]
    assert (np.diff(padded) < 0).all()


def test_kernel_planes_on_a_sphere_are_best_near_a_tenth_of_the_points():
    train, test = sphere(1000, 50, random_state=0), sphere(1000, 50, random_state=1)
    assert rule_bandwidth(train, ("neighbours", 0.1)) == pytest.approx(1.278, abs=0.01)
    kernel = kernel_function("gaussian", bandwidth=1.2)
    ks = [1, 10, 100, 200]
    fits = [kernel_k_flats(VectorKernel(train, kernel), k, 2, init="random", n_init=1, random_state=0) for k in ks]
    found = [fit.distances_to(test).min(axis=1).mean() for fit in fits]
    np.testing.assert_allclose(found, [0.4855, 0.4606, 0.4485, 0.4528], atol=0.003)
    assert np.argmin(found) == 2
    assert (np.diff([fit.error for fit in fits]) < 0).all()


# -- shapes ------------------------------------------------------------------------------------------------------------


def test_circles_in_feature_space():
    """30 of 30 single initialisations, each on points of its own."""
    kernel = kernel_function("gaussian", bandwidth=3.0)
    found = []
    for seed in range(30):
        points, truth = circles(300, (1, 10), random_state=seed)
        found.append(
            accuracy(truth, kernel_k_flats(VectorKernel(points, kernel), 2, 0, n_init=1, random_state=seed).labels)
        )
    assert sum(value == 1.0 for value in found) == 30
    assert accuracy(truth, k_flats(points, 2, 0, random_state=0).labels) < 0.8


def test_seeding_is_within_its_bound():
    """E[seeding error] <= 8 (ln k + 2) best; on ten blobs it is a few times the best, where random seeds are not."""
    points = make_blobs(500, 5, centers=10, random_state=0)[0]
    problem = EuclideanFlats(points, np.ones(500), 0)
    best = min(k_flats(points, 10, 0, n_init=10, random_state=seed).inertia for seed in range(3))

    def errors(draw):
        seeded, settled = np.empty(200), np.empty(200)
        for i in range(200):
            seeds = draw(np.random.default_rng(i))
            means = FlatSet.of_points(problem.origin, points[seeds] - problem.origin)
            labels = means.moved(problem.Y)
            seeded[i] = np.square(points - points[seeds][labels]).sum() / best
            settled[i] = alternate(problem, labels, 10).history[-1] / best
        return seeded, settled

    seeded, settled = errors(lambda rng: seed_labels(problem, 10, rng)[0])
    assert seeded.mean() + 5 * seeded.std() / np.sqrt(200) < 8 * (np.log(10) + 2)
    assert 1.5 < seeded.mean() < 6
    assert (settled <= seeded).all()
    by_chance, _ = errors(lambda rng: rng.choice(500, 10, replace=False))
    assert by_chance.mean() > 2 * seeded.mean()
    _, farthest = errors(lambda rng: seed_labels(problem, 10, rng, farthest=True)[0])
    assert farthest.mean() == pytest.approx(1, abs=0.05)


def test_k_means_on_mnist_has_a_best_k_for_new_digits(shared_data):
    """The report has it between 0.05 n and 0.2 n; here it is at 0.3 n, on a curve that is flat around it."""
    with gzip.open(shared_data / "mnist" / "train-images-idx3-ubyte.gz") as file:
        digits = np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 784) / 255.0
    order = np.random.default_rng(0).permutation(60_000)
    test = digits[order[20_000:22_000]]
    shares = np.array([0.01, 0.05, 0.1, 0.3, 0.7, 1.0])
    found = {}
    for n in (200, 500):
        fits = [k_flats(digits[order[:n]], int(n * share), 0, n_init=1, random_state=0) for share in shares]
        found[n] = np.array([[fit.error, fit.flats.nearest(test)[1].mean()] for fit in fits])
        assert (np.diff(found[n][:, 0]) < 0).all()
        assert found[n][:, 1].argmin() == 3
        assert found[n][2, 1] < 1.05 * found[n][3, 1]
    # At one share of the points, both errors fall with their number.
    assert (found[500][:-1] < found[200][:-1]).all()
    assert found[500][-1, 1] < found[200][-1, 1]
