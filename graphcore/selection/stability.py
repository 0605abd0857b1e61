"""Stability: how far the partitions of different coresets agree, for each number of clusters."""

from itertools import combinations

import numpy as np

from ..partition.quotient import contingency

__all__ = ["adjusted_rand", "agreement_at"]


def adjusted_rand(first, second, n_clusters):
    """Adjusted Rand index of two partitions.

    Parameters
    ----------
    first, second : ndarray of shape (n,), int32
        Labels below `n_clusters`; nodes of label -1 in either are left out.
    n_clusters : int

    Returns
    -------
    float
        1 for equal partitions, 0 in the mean for independent ones of the same sizes.
    """
    common = contingency(first, second, n_clusters)
    n = int(common.sum())
    both, alone, other = (_pairs(sizes) for sizes in (common.data, common.sum(axis=1), common.sum(axis=0)))
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
    return float(np.mean([adjusted_rand(a, b, n_clusters) for a, b in combinations(labellings, 2)]))
