"""Stability: how far the partitions of different coresets agree, for each number of clusters."""

from itertools import combinations

import numpy as np

__all__ = ["adjusted_rand", "agreement_at"]


def adjusted_rand(first, second, n_clusters):
    """Adjusted Rand index of two partitions.

    Parameters
    ----------
    first, second : ndarray of shape (n,), integer
        Labels below `n_clusters`.
    n_clusters : int

    Returns
    -------
    float
        1 for equal partitions, 0 in the mean for independent ones of the same sizes.
    """
    n = len(first)
    codes = first.astype(np.int64) * n_clusters + second
    # A table of all pairs of clusters, unless most of it would be empty.
    small = n_clusters * n_clusters <= 4 * n
    common = np.bincount(codes) if small else np.unique(codes, return_counts=True)[1]
    both, alone, other = (_pairs(sizes) for sizes in (common, np.bincount(first), np.bincount(second)))
    expected = alone * other / (0.5 * n * (n - 1)) if n > 1 else 0.0
    most = 0.5 * (alone + other)
    # Equal where both are one cluster, or both are single nodes.
    return 1.0 if most == expected else (both - expected) / (most - expected)


def _pairs(sizes):
    """Number of pairs of nodes within parts of these sizes."""
    sizes = sizes.astype(np.float64)
    return 0.5 * float((sizes * (sizes - 1.0)).sum())


def agreement_at(cell_trees, n_clusters):
    """Mean adjusted Rand index over all pairs of coresets, at one number of clusters.

    Parameters
    ----------
    cell_trees : list of CellTree
        At least two.
    n_clusters : int

    Returns
    -------
    float
    """
    labellings = [tree.labels_at(n_clusters) for tree in cell_trees]
    inside = labellings[0] >= 0
    labellings = [labels[inside] for labels in labellings]
    return float(np.mean([adjusted_rand(a, b, n_clusters) for a, b in combinations(labellings, 2)]))
