"""Kernel k-means the slow way: all products of all points and centroids."""

import numpy as np

from ..oracles import centre_distances


def distances(K, labels, weights, n_clusters, shift=0.0):
    """Squared distances of all points to all centroids (inf for empty clusters) under ``K + shift W^-1``."""
    Z = np.where(np.asarray(labels) == np.arange(n_clusters)[:, None], weights, 0.0)
    masses = Z.sum(axis=1)
    inverse = np.divide(1.0, weights, out=np.zeros(len(K)), where=np.asarray(weights) > 0)
    out = centre_distances(K + shift * np.diag(inverse), Z / np.where(masses > 0, masses, 1.0)[:, None])
    out[:, masses == 0] = np.inf
    return out


def inertia(K, labels, weights, shift=0.0):
    """Weighted sum of squared distances of points to the centroids of their own clusters."""
    D = distances(K, labels, weights, max(labels) + 1, shift)
    return sum(weights[x] * D[x, labels[x]] for x in range(len(K)) if labels[x] >= 0 and weights[x] > 0)
