"""Curves and surfaces: every point lies where the equations say."""

import numpy as np
import pytest

from graphcore import ParameterError, datasets


def test_trefoil():
    points = datasets.trefoil(2000, random_state=0)
    x, y, z = points.T
    # (sqrt(x^2 + y^2) - 2)^2 + z^2 = 1, and the angle turns two times while the height turns three.
    radius = np.hypot(x, y)
    np.testing.assert_allclose((radius - 2) ** 2 + z**2, 1, atol=1e-12)
    around = np.exp(1j * np.arctan2(y, x)) ** 3
    inside = (radius - 2 + 1j * z) ** 2
    np.testing.assert_allclose(around, inside, atol=1e-9)
    np.testing.assert_allclose(points.mean(axis=0), 0, atol=5 * np.sqrt(5 / 2000))


def test_noise_is_added():
    clean, noisy = (datasets.trefoil(4000, noise=noise, random_state=0) for noise in (0, 0.1))
    assert np.std(noisy - clean) == pytest.approx(0.1, rel=0.05)


def test_embedded_trefoil():
    data, arcs, knots, tangents = datasets.embedded_trefoil(3000, 5, n_features=7, random_state=0)
    assert data.shape == (3000, 7)
    np.testing.assert_allclose(np.linalg.norm(knots, axis=1), 1)
    np.testing.assert_allclose(np.linalg.norm(tangents, axis=1), 1)
    np.testing.assert_array_equal(np.unique(arcs), np.arange(5))
    # Every arc against Hermite's form of the same cubic: ends, and derivatives equal to the tangents at both.
    t = np.linspace(0, 1, 4001)[:, None]
    for s in range(5):
        p, q, v, w = knots[s], knots[(s + 1) % 5], tangents[s], tangents[(s + 1) % 5]
        curve = (
            (2 * t**3 - 3 * t**2 + 1) * p + (t**3 - 2 * t**2 + t) * v + (3 * t**2 - 2 * t**3) * q + (t**3 - t**2) * w
        )
        gaps = np.square(data[arcs == s][:100, None] - curve).sum(axis=2).min(axis=1)
        assert np.sqrt(gaps.max()) < 1e-3
    assert np.linalg.norm(data, axis=1).max() < 1.5
    outside = datasets.embedded_trefoil(3000, 5, n_features=7, t="normal", random_state=0).data
    assert np.linalg.norm(outside, axis=1).max() > 10


def test_sphere():
    points = datasets.sphere(5000, 20, random_state=0)
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1)
    np.testing.assert_allclose(points.mean(axis=0), 0, atol=5 / np.sqrt(20 * 5000))
    np.testing.assert_allclose(points.T @ points / 5000, np.eye(20) / 20, atol=0.005)


def test_labelled_shapes():
    points, labels = datasets.circles(301, (1, 2.5, 10), random_state=0)
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), np.array([1, 2.5, 10])[labels])
    assert sorted(np.bincount(labels)) == [100, 100, 101]
    x, y, z = datasets.cone(500, slope=10, height=2, random_state=0).T
    np.testing.assert_allclose(x**2 + y**2, 10 * z**2, atol=1e-12)
    assert np.abs(z).max() <= 2
    points, labels = datasets.noisy_triangle(300, noise=0, random_state=0)
    # An equilateral triangle in the unit circle has its sides at a distance of a half.
    normals = np.deg2rad([150, 270, 30])[labels]
    np.testing.assert_allclose(points[:, 0] * np.cos(normals) + points[:, 1] * np.sin(normals), 0.5, atol=1e-12)
    points, labels = datasets.crossing_lines(200, angle=60, noise=0, random_state=0)
    np.testing.assert_allclose(points[labels == 0, 1], 0, atol=0)
    np.testing.assert_allclose(points[labels == 1, 1], np.sqrt(3) * points[labels == 1, 0], atol=1e-12)
    assert np.linalg.norm(points, axis=1).max() <= 1


MAKERS = [
    lambda seed: datasets.trefoil(50, noise=0.1, random_state=seed),
    lambda seed: datasets.embedded_trefoil(50, random_state=seed).data,
    lambda seed: datasets.sphere(50, 3, random_state=seed),
    lambda seed: datasets.circles(50, random_state=seed).data,
    lambda seed: datasets.cone(50, random_state=seed),
    lambda seed: datasets.noisy_triangle(50, random_state=seed).data,
    lambda seed: datasets.crossing_lines(50, random_state=seed).data,
]


@pytest.mark.parametrize("make", MAKERS)
def test_draws_repeat(make):
    np.testing.assert_array_equal(make(3), make(3))
    assert not np.array_equal(make(3), make(4))
    assert len(make(0)) == 50


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: datasets.trefoil(0), "n_samples=0"),
        (lambda: datasets.trefoil(5, noise=-1), "noise=-1"),
        (lambda: datasets.embedded_trefoil(5, 0), "n_knots=0"),
        (lambda: datasets.embedded_trefoil(5, n_features=1), "n_features=1"),
        (lambda: datasets.embedded_trefoil(5, t="cauchy"), "t='cauchy'"),
        (lambda: datasets.sphere(5, 0), "n_features=0"),
        (lambda: datasets.circles(5, ()), "radii"),
        (lambda: datasets.circles(5, (1, -2)), "radii=-2"),
        (lambda: datasets.circles(1, (1, 2)), "n_samples=1"),
        (lambda: datasets.cone(5, slope=0), "slope=0"),
        (lambda: datasets.cone(5, height=np.inf), "height=inf"),
        (lambda: datasets.noisy_triangle(2), "n_samples=2"),
        (lambda: datasets.crossing_lines(5, angle=np.nan), "angle=nan"),
        (lambda: datasets.crossing_lines(5.0), "n_samples=5.0"),
        (lambda: datasets.sphere(5, 3, random_state="x"), "random_state"),
    ],
)
def test_parameters(call, name):
    with pytest.raises(ParameterError, match=name):
        call()
