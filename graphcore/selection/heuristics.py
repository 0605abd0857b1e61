"""Heuristics: the eigengap of a coreset's micro-clusters, and how far partitions of different coresets agree."""

from itertools import combinations

import numpy as np

from ..spectral.exact import spectral_embedding


def laplacian_eigenvalues(rows, n_values, *, random_state=None):
    """The smallest eigenvalues of the normalised Laplacian of a quotient graph with its self-loops, ascending from 0.

    They are the Rayleigh-Ritz values of the whole graph's Laplacian on functions that are constant on micro-clusters,
    so none is below the whole graph's eigenvalue of the same rank.
    """
    import scipy.sparse as sp

    n = len(rows.degrees)
    A = sp.csr_array((rows.weights, rows.indices, rows.indptr), shape=(n, n))
    _, values = spectral_embedding(A, n_values, random_state=random_state)
    return np.maximum(1.0 - values, 0.0)


def agreement_at(trees, n_clusters):
    """Mean adjusted Rand index over all pairs of coresets (at least two trees), at one number of clusters."""
    from sklearn.metrics import adjusted_rand_score

    labellings = [tree.labels_at(n_clusters) for tree in trees]
    linked = labellings[0] >= 0  # isolated nodes are in no cluster of any coreset
    pairs = combinations([labels[linked] for labels in labellings], 2)
    return float(np.mean([adjusted_rand_score(a, b) for a, b in pairs]))
