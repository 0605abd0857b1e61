"""Points that no centroid was made from: the nearest centroid, by way of the kernel against the centroids' points."""

import numpy as np

from ..exceptions import InputError
from ..kernels.columns import MatrixColumns, map_rows
from ..kernels.products import memberships

# Bytes of the sums of a block of points with all clusters.
_BLOCK_BYTES = 1 << 26


def assign_columns(columns, labels, weights, masses, norms, n_jobs=None):
    """Nearest centroids of points, from their kernel with the points that the centroids are made of.

    `columns` are of shape (n_samples, n_points); `masses` and `norms` are those of
    :class:`graphcore.kmeans.exact.KernelKMeansResult`. Returns labels (n_samples,), int32, and
    ``norms_j - 2 <phi(x), c_j>``: with ``K(x, x)`` added, the squared distance.
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
    """The same for points given by their kernel values (n_samples, n_points), dense or sparse."""
    return assign_columns(MatrixColumns(K, np.dtype(np.float64)), labels, weights, masses, norms)


def assign_graph_rows(A, own_degrees, degrees, labels, weights, masses, norms):
    """The same for nodes given by their edges A (n_samples, n_points) to those of a graph; -1 for nodes without any.

    `own_degrees` are those of the new nodes, over all nodes and loops, `degrees` those of the graph's nodes in its
    kernel.
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
