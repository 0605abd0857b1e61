"""Points that no centroid was made from: the nearest centroid, by way of the kernel against the centroids' points."""

import numpy as np

from ..exceptions import InputError
from ..kernels.columns import MatrixColumns, map_rows
from ..kernels.products import memberships

__all__ = ["assign_columns", "assign_graph_rows", "assign_rows"]

# Bytes of the sums of a block of points with all clusters.
_BLOCK_BYTES = 1 << 26


def assign_columns(columns, labels, weights, masses, norms, n_jobs=None):
    """Nearest centroids of points, from their kernel with the points that the centroids are made of.

    Parameters
    ----------
    columns : Columns
        Of shape (n_samples, n_points).
    labels : ndarray of shape (n_points,), integer
    weights : ndarray of shape (n_points,), float64
    masses, norms : ndarray of shape (n_clusters,), float64
        As in :class:`graphcore.kmeans.exact.KernelKMeansResult`.
    n_jobs : int, optional

    Returns
    -------
    labels : ndarray of shape (n_samples,), int32
    values : ndarray of shape (n_samples,), float64
        ``norms_j - 2 <phi(x), c_j>``; with ``K(x, x)`` added, the squared distance.
    """
    if columns.shape[1] != len(labels):
        raise InputError(
            f"the kernel has {columns.shape[1]} columns; one for each of {len(labels)} fitted points is needed"
        )
    Z = memberships(labels, weights, len(norms)).T
    # Sparse rows are those of large graphs, whose clusters may be too many for dense memberships.
    Z = Z.tocsr() if columns.is_sparse else Z.toarray()
    divisors = np.where(masses > 0, masses, np.inf)

    def nearest(rows):
        S = (rows @ Z).toarray() if columns.is_sparse else np.asarray(rows @ Z, dtype=np.float64)
        values = norms - 2.0 * S / divisors
        found = values.argmin(axis=1)
        return np.column_stack([found, values[np.arange(len(found)), found]])

    if not columns.shape[0]:
        return np.empty(0, dtype=np.int32), np.empty(0)
    block_rows = max(1, min(_BLOCK_BYTES // (8 * len(norms)), 1 << 14))
    found = map_rows(columns, nearest, n_jobs=n_jobs, block_rows=block_rows)
    return found[:, 0].astype(np.int32), found[:, 1]


def assign_rows(K, labels, weights, masses, norms):
    """Nearest centroids of points given by their kernel values.

    Parameters
    ----------
    K : ndarray or sparse array of shape (n_samples, n_points)
    labels, weights, masses, norms : ndarray
        As for :func:`assign_columns`.

    Returns
    -------
    labels : ndarray of shape (n_samples,), int32
    values : ndarray of shape (n_samples,), float64
    """
    return assign_columns(MatrixColumns(K, np.dtype(np.float64)), labels, weights, masses, norms)


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
        As for :func:`assign_columns`.

    Returns
    -------
    labels : ndarray of shape (n_samples,), int32
        -1 for nodes without an edge.
    values : ndarray of shape (n_samples,), float64
    """
    import scipy.sparse as sp

    inverse = np.divide(1.0, degrees, out=np.zeros(len(degrees)), where=degrees > 0)
    scale = np.divide(1.0, own_degrees, out=np.zeros(len(own_degrees)), where=own_degrees > 0)
    rows = sp.diags_array(scale) @ A
    found, values = assign_rows(
        rows.tocsr() if hasattr(rows, "tocsr") else rows, labels, weights * inverse, masses, norms
    )
    found[own_degrees == 0] = -1
    return found, values
