"""Curves and surfaces of the papers' exhibits: every point lies where the equations say."""

import numpy as np

from bench import shapes


def test_trefoil():
    points = shapes.trefoil(2000, random_state=0)
    x, y, z = points.T
    # (sqrt(x^2 + y^2) - 2)^2 + z^2 = 1, and the angle turns two times while the height turns three.
    radius = np.hypot(x, y)
    np.testing.assert_allclose((radius - 2) ** 2 + z**2, 1, atol=1e-12)
    around = np.exp(1j * np.arctan2(y, x)) ** 3
    np.testing.assert_allclose(around, (radius - 2 + 1j * z) ** 2, atol=1e-9)
    np.testing.assert_allclose(points.mean(axis=0), 0, atol=5 * np.sqrt(5 / 2000))


def test_embedded_trefoil():
    points, arcs, knots, tangents = shapes.embedded_trefoil(3000, 5, n_features=7, random_state=0)
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
        gaps = np.square(points[arcs == s][:100, None] - curve).sum(axis=2).min(axis=1)
        assert np.sqrt(gaps.max()) < 1e-3
    outside = shapes.embedded_trefoil(3000, 5, n_features=7, t="normal", random_state=0)[0]
    assert np.linalg.norm(points, axis=1).max() < 1.5
    assert np.linalg.norm(outside, axis=1).max() > 10


def test_sphere_and_cone():
    points = shapes.sphere(5000, 20, random_state=0)
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1)
    np.testing.assert_allclose(points.mean(axis=0), 0, atol=5 / np.sqrt(20 * 5000))
    np.testing.assert_allclose(points.T @ points / 5000, np.eye(20) / 20, atol=0.005)
    x, y, z = shapes.cone(500, random_state=0).T
    np.testing.assert_allclose(x**2 + y**2, 10 * z**2, atol=1e-12)


def test_labelled_shapes():
    points, labels = shapes.circles(301, (1, 2.5, 10), random_state=0)
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), np.array([1, 2.5, 10])[labels])
    assert sorted(np.bincount(labels)) == [100, 100, 101]
    points, labels = shapes.noisy_triangle(300, noise=0, random_state=0)
    # An equilateral triangle in the unit circle has its sides at a distance of a half.
    normals = np.deg2rad([150, 270, 30])[labels]
    np.testing.assert_allclose(points[:, 0] * np.cos(normals) + points[:, 1] * np.sin(normals), 0.5, atol=1e-12)
    points, labels = shapes.cluster_in_cluster(301, random_state=0)
    radius = np.linalg.norm(points, axis=1)
    assert radius[labels == 1].max() < 1.54 and radius[labels == 0].min() > 4.16
    points, labels = shapes.crescent_moon(400, random_state=0)
    radius = np.linalg.norm(points, axis=1)
    assert radius[labels == 1].max() <= 5 and radius[labels == 0].min() >= 10 and points[labels == 0, 1].max() <= 0
    assert np.bincount(labels).tolist() == [300, 100]
