"""Points that no centroid was made from: the nearest centroid, by way of the kernel against the centroids' points."""

import numpy as np

from ..exceptions import InputError
from ..kernels.matrix import memberships
from ..kernels.vectors import row_blocks

__all__ = ["assign_graph_rows", "assign_rows", "assign_vectors"]

_BLOCK_BYTES = 1 << 26


def assign_vectors(kernel, X, points, labels, weights, masses, norms, *, block_bytes=_BLOCK_BYTES):
    """Nearest centroids of vectors.

    Parameters
    ----------
    kernel : VectorKernel
    X : ndarray or sparse array of shape (n_samples, n_features)
    points : ndarray or sparse array of shape (n_points, n_features)
        What the centroids are made of.
    labels : ndarray of shape (n_points,), integer
    weights : ndarray of shape (n_points,), float64
    masses, norms : ndarray of shape (n_clusters,), float64
        As in :class:`graphcore.kmeans.exact.KernelKMeansResult`.
    block_bytes : int
        Size of a block of kernel values.

    Returns
    -------
    labels : ndarray of shape (n_samples,), int32
    values : ndarray of shape (n_samples,), float64
        ``norms_j - 2 <phi(x), c_j>``; with ``K(x, x)`` added, the squared distance.
    """
    Z = memberships(labels, weights, len(norms)).T.toarray()
    found, values = np.empty(X.shape[0], dtype=np.int32), np.empty(X.shape[0])
    for start, stop, block in row_blocks(kernel, X, points, block_bytes=block_bytes):
        S = block.astype(np.float64, copy=False) @ Z
        found[start:stop], values[start:stop] = _nearest(S, masses, norms)
    return found, values


def assign_rows(K, labels, weights, masses, norms):
    """Nearest centroids of points given by their kernel values.

    Parameters
    ----------
    K : ndarray or sparse array of shape (n_samples, n_points)
    labels, weights, masses, norms : ndarray
        As for :func:`assign_vectors`.

    Returns
    -------
    labels : ndarray of shape (n_samples,), int32
    values : ndarray of shape (n_samples,), float64
    """
    if K.shape[1] != len(labels):
        raise InputError(f"the kernel has {K.shape[1]} columns; one for each of {len(labels)} fitted points is needed")
    return _nearest_of_rows(K, memberships(labels, weights, len(norms)).T, masses, norms)


def assign_graph_rows(A, own_degrees, degrees, labels, weights, masses, norms):
    """Nearest centroids of nodes given by their edges to the nodes of a graph.

    Parameters
    ----------
    A : ndarray or sparse array of shape (n_samples, n_points)
        Weights of the edges; not negative.
    own_degrees : ndarray of shape (n_samples,), float64
        Degrees of the new nodes, over all nodes and loops; 0 for those without an edge.
    degrees : ndarray of shape (n_points,), float64
        Degrees of the graph's nodes, as in its kernel.
    labels, weights, masses, norms : ndarray
        As for :func:`assign_vectors`.

    Returns
    -------
    labels : ndarray of shape (n_samples,), int32
        -1 for nodes without an edge.
    """
    inverse = np.divide(1.0, degrees, out=np.zeros(len(degrees)), where=degrees > 0)
    scale = np.divide(1.0, own_degrees, out=np.zeros(len(own_degrees)), where=own_degrees > 0)
    found, _ = _nearest_of_rows(A, memberships(labels, weights * inverse, len(norms)).T, masses, norms, scale)
    found[own_degrees == 0] = -1
    return found


def _nearest_of_rows(K, Z, masses, norms, scale=None):
    """Nearest centroids for the sums ``K Z``, in blocks of rows; sparse rows need no dense memberships."""
    sparse = hasattr(K, "tocsr")
    Z = Z.tocsr() if sparse else Z.toarray()
    labels, values = np.empty(K.shape[0], dtype=np.int32), np.empty(K.shape[0])
    step = max(1, _BLOCK_BYTES // (8 * len(norms)))
    for start in range(0, K.shape[0], step):
        rows = slice(start, start + step)
        S = (K[rows] @ Z).toarray() if sparse else K[rows] @ Z
        if scale is not None:
            S *= scale[rows, None]
        labels[rows], values[rows] = _nearest(S, masses, norms)
    return labels, values


def _nearest(S, masses, norms):
    values = norms - 2.0 * S / np.where(masses > 0, masses, np.inf)
    labels = values.argmin(axis=1)
    return labels.astype(np.int32), values[np.arange(len(labels)), labels]
