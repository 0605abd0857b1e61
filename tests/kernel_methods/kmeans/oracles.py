"""Kernel k-means the slow way: dense matrices, one point and one cluster at a time."""

import numpy as np


def distances(K, labels, weights, n_clusters, shift=0.0):
    """Squared distances of all points to all centroids (inf for empty clusters) under ``K + shift W^-1``."""
    n = len(K)
    K = K.astype(float).copy()
    for x in range(n):
        K[x, x] += shift / weights[x] if weights[x] > 0 else 0.0
    out = np.full((n, n_clusters), np.inf)
    for j in range(n_clusters):
        members = [y for y in range(n) if labels[y] == j]
        mass = sum(weights[y] for y in members)
        if mass == 0:
            continue
        norm = sum(weights[y] * weights[z] * K[y, z] for y in members for z in members) / mass**2
        for x in range(n):
            out[x, j] = K[x, x] - 2 * sum(weights[y] * K[x, y] for y in members) / mass + norm
    return out


def inertia(K, labels, weights, shift=0.0):
    """Weighted sum of squared distances of points to the centroids of their own clusters."""
    D = distances(K, labels, weights, max(labels) + 1, shift)
    return sum(weights[x] * D[x, labels[x]] for x in range(len(K)) if labels[x] >= 0 and weights[x] > 0)
