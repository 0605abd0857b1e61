"""Stability: how far the partitions of different coresets agree, for each number of clusters."""

from itertools import combinations

import numpy as np

__all__ = ["adjusted_rand", "agreement_at"]


def adjusted_rand(common):
    """Adjusted Rand index of two partitions from the sizes of their common parts.

    Parameters
    ----------
    common : ndarray of shape (k_1, k_2)
        Number of nodes in each pair of clusters.

    Returns
    -------
    float
        1 for equal partitions, 0 in the mean for independent ones of the same sizes.
    """
    n = float(common.sum())
    pairs = 0.5 * n * (n - 1)
    both = 0.5 * float((common.astype(float) * (common - 1.0)).sum())
    rows, columns = (common.sum(axis=axis).astype(float) for axis in (1, 0))
    first, second = (0.5 * float((sums * (sums - 1)).sum()) for sums in (rows, columns))
    expected = first * second / pairs if pairs else 0.0
    most = 0.5 * (first + second)
    # Equal where both are one cluster, or both are single nodes.
    return 1.0 if most == expected else (both - expected) / (most - expected)


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
    values = []
    for first, second in combinations(labellings, 2):
        common = np.bincount(first.astype(np.int64) * n_clusters + second, minlength=n_clusters * n_clusters)
        values.append(adjusted_rand(common.reshape(n_clusters, n_clusters)))
    return float(np.mean(values))
