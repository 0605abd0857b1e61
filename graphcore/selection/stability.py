"""Stability: how far the partitions of different coresets agree, for each number of clusters."""

from itertools import combinations

import numpy as np

__all__ = ["agreement_at"]


def agreement_at(trees, n_clusters):
    """Mean adjusted Rand index over all pairs of coresets (at least two trees), at one number of clusters."""
    from sklearn.metrics import adjusted_rand_score

    labellings = [tree.labels_at(n_clusters) for tree in trees]
    linked = labellings[0] >= 0  # isolated nodes are in no cluster of any coreset
    pairs = combinations([labels[linked] for labels in labellings], 2)
    return float(np.mean([adjusted_rand_score(a, b) for a, b in pairs]))
