"""Dense twins of the measures, by definition."""

import numpy as np

from ..oracles import centre_distances, dense_kernel, mean_weight


def placed(A, labels):
    """Labels with -1 for nodes of degree 0."""
    return np.where(A.sum(axis=1) > 0, labels, -1)


def with_loops(A, self_loop):
    """The matrix with a loop, in mean weights, added to every node that has an edge."""
    return A + self_loop * mean_weight(A) * np.diag((A.sum(axis=1) > 0).astype(float))


def membership(labels):
    """0/1 matrix of nodes and the clusters that hold one."""
    return (labels[:, None] == np.unique(labels[labels >= 0])).astype(float)


def feature_distances(A, labels, shift):
    """Squared distances of all nodes to the centres of all clusters that hold a node, from inner products alone."""
    labels = placed(A, labels)
    (K, w), Z = dense_kernel(A, shift=shift), membership(labels)
    return centre_distances(K, (w[:, None] * Z / (w @ Z)).T)


def conductances(A, labels, k):
    """Conductance of clusters 0 to k - 1 from the definition with sets."""
    out = np.ones(k)
    for j in range(k):
        members = labels == j
        volume = A[members].sum()
        if volume > 0:
            out[j] = A[members][:, ~members].sum() / volume
    return out
