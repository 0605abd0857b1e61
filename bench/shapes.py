"""Points on curves, on surfaces and in the plane, as the papers' exhibits draw them, some with labels."""

import numpy as np

from graphcore.base.streams import Streams


def trefoil(n, *, random_state=None):
    """Draw a trefoil knot, ((2 + cos 3t) cos 2t, (2 + cos 3t) sin 2t, sin 3t), t uniform in [0, 2 pi]."""
    t = Streams(random_state).generator("trefoil").uniform(0, 2 * np.pi, n)
    w = 2 + np.cos(3 * t)
    return np.stack([w * np.cos(2 * t), w * np.sin(2 * t), np.sin(3 * t)], axis=1)


def sphere(n, n_features, *, random_state=None):
    """Draw points, uniform on the unit sphere."""
    return _on_sphere(n, n_features, Streams(random_state).generator("sphere"))


def circles(n, radii, *, noise=0.0, random_state=None):
    """Draw as many points on each of some concentric circles."""
    rng = Streams(random_state).generator("circles")
    labels = rng.permutation(np.arange(n, dtype=np.int32) % len(radii))
    points = np.asarray(radii)[labels, None] * _directions(rng.uniform(0, 2 * np.pi, n))
    return points + noise * rng.normal(size=points.shape), labels


def noisy_triangle(n, *, noise, random_state=None):
    """Draw points near the sides of an equilateral triangle on the unit circle, and the side of each."""
    rng = Streams(random_state).generator("noisy triangle")
    labels = rng.permutation(np.arange(n, dtype=np.int32) % 3)
    corners, t = _directions(np.pi / 2 + 2 * np.pi * np.arange(3) / 3), rng.random((n, 1))
    points = (1 - t) * corners[labels] + t * corners[(labels + 1) % 3]
    return points + noise * rng.normal(size=points.shape), labels


def cluster_in_cluster(n, *, random_state=None):
    """Draw a small cluster (1) inside a ring (0): circles of radius 1 to 1.53, a band from 4.17 to 5.83."""
    rng = Streams(random_state).generator("cluster in cluster")
    labels = (np.arange(n) < n // 2).astype(np.int32)
    inner, outer = rng.choice([1.0, 1.267, 1.533], n), rng.uniform(4.17, 5.83, n)
    angles = rng.uniform(0, 2 * np.pi, n)
    return _shuffled(np.where(labels == 1, inner, outer), angles, labels, rng)


def crescent_moon(n, *, random_state=None):
    """Draw a disc of radius 5 (1, a quarter of the points) inside the lower half of a band of radius 10 to 15 (0)."""
    rng = Streams(random_state).generator("crescent moon")
    labels = (np.arange(n) < n // 4).astype(np.int32)
    disc, band = 5 * np.sqrt(rng.random(n)), np.sqrt(rng.uniform(10**2, 15**2, n))
    angles = np.where(labels == 1, rng.uniform(0, 2 * np.pi, n), rng.uniform(np.pi, 2 * np.pi, n))
    return _shuffled(np.where(labels == 1, disc, band), angles, labels, rng)


def _directions(angles):
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def _on_sphere(n, n_features, rng):
    points = rng.normal(size=(n, n_features))
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def _shuffled(radii, angles, labels, rng):
    order = rng.permutation(len(labels))
    return (radii[:, None] * _directions(angles))[order], labels[order]
