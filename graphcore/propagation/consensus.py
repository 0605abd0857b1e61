"""Several labellings of the same nodes: their consensus, and how far they agree with it."""

from dataclasses import dataclass, field

import numpy as np

from .merge import agglomerate
from .quotient import overlay, pick_labels, quotient
from .refine import cluster_sums, refine

__all__ = ["Consensus", "coarse_partition", "consensus", "stability"]

# Merging goes down to this many clusters for each one asked for, then groups are moved, then merging goes on.
_HALFWAY = 8


@dataclass(frozen=True, eq=False)
class Consensus:
    """The best partition found of the groups of nodes on which several labellings agree.

    Attributes
    ----------
    groups : ndarray of shape (n,), int32
        Group of every node, -1 for nodes outside.
    group_labels : ndarray of shape (n_groups,), int32
        Cluster of every group.
    """

    groups: np.ndarray = field(repr=False)
    group_labels: np.ndarray = field(repr=False)


def coarse_partition(rows, sizes, n_clusters, *, objective, least_size=1, rng=None):
    """Partition groups of nodes: merge, move groups, merge on, move groups again.

    Parameters
    ----------
    rows : GraphRows
        Quotient graph of the groups.
    sizes : ndarray of shape (n,), int64
        Nodes in each group.
    n_clusters : int
    objective : {"information", "ncut"}
    least_size : int
        Clusters of fewer nodes are merged before all others.
    rng : numpy Generator
        Order of visits.

    Returns
    -------
    ndarray of shape (n,), int32
    """
    n = len(rows.degrees)
    halfway = min(_HALFWAY * n_clusters, n)
    labels, _, _ = agglomerate(rows, sizes, halfway, linkage=objective)
    refine(rows, labels, halfway, objective=objective, order=rng.permutation(n), n_passes=10)
    if halfway > n_clusters:
        between = quotient(rows, labels, halfway)
        counts = np.bincount(labels, weights=sizes, minlength=halfway).astype(np.int64)
        merged, _, _ = agglomerate(between, counts, n_clusters, linkage=objective, least_size=least_size)
        refine(between, merged, n_clusters, objective=objective, n_passes=20)
        labels = merged[labels]
        refine(rows, labels, n_clusters, objective=objective, order=rng.permutation(n), n_passes=20)
    return labels


def consensus(rows, labellings, values, n_clusters, *, objective, least_size=1, rng=None, n_jobs=None):
    """Combine several labellings: partition the groups of nodes on which all agree.

    Two starts are tried, the best labelling given and a partition of the groups from scratch; both are improved by
    moving whole groups, and the better one is returned. Neither is worse than the best labelling given.

    Parameters
    ----------
    rows : GraphRows
    labellings : list of ndarray of shape (n,), int32
    values : list of float
        The objective of each.
    n_clusters : int
    objective : {"information", "ncut"}
    least_size : int
    rng : numpy Generator
    n_jobs : int, optional

    Returns
    -------
    Consensus
    """
    groups, n_groups = overlay(labellings, n_clusters)
    between = quotient(rows, groups, n_groups, n_jobs)
    sizes = np.bincount(groups[groups >= 0], minlength=n_groups).astype(np.int64)
    starts = [
        pick_labels(groups, n_groups, labellings[int(np.argmax(values))]),
        coarse_partition(between, sizes, n_clusters, objective=objective, least_size=least_size, rng=rng),
    ]
    scores = []
    for labels in starts:
        refine(between, labels, n_clusters, objective=objective, order=rng.permutation(n_groups))
        scores.append(cluster_sums(between, labels, n_clusters).value(objective))
    return Consensus(groups, starts[int(np.argmax(scores))])


def stability(labels, labellings, n_clusters):
    """How far several labellings agree with a final one.

    The clusters of each labelling are matched one to one to the final clusters, so that as many nodes as possible
    agree.

    Parameters
    ----------
    labels : ndarray of shape (n,), int32
        Final labels, -1 for nodes outside.
    labellings : list of ndarray of shape (n,), int32
    n_clusters : int

    Returns
    -------
    nodes : ndarray of shape (n,), float32
        Share of the labellings that agree with the final label; 0 for nodes outside.
    clusters : ndarray of shape (n_clusters,), float64
        Mean Jaccard index of each final cluster with the clusters matched to it.
    """
    import scipy.sparse as sp
    from scipy.optimize import linear_sum_assignment

    inside = labels >= 0
    nodes = np.zeros(len(labels), dtype=np.float32)
    clusters = np.zeros(n_clusters)
    sizes = np.bincount(labels[inside], minlength=n_clusters)
    for other in labellings:
        common = sp.coo_array(
            (np.ones(inside.sum()), (labels[inside], other[inside])), shape=(n_clusters, n_clusters)
        ).toarray()
        _, matched = linear_sum_assignment(common, maximize=True)
        nodes[inside] += matched[labels[inside]] == other[inside]
        shared = common[np.arange(n_clusters), matched]
        union = sizes + np.bincount(other[inside], minlength=n_clusters)[matched] - shared
        clusters += np.divide(shared, union, out=np.zeros(n_clusters), where=union > 0)
    return nodes / len(labellings), clusters / len(labellings)
