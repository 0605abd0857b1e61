"""The quotient graph: one node per cluster."""

import numpy as np

from .._typing import AnyGraph, ArrayLike, csr_array
from ..partition.quotient import graph_rows, quotient
from ._labels import placed_labels


def quotient_graph(
    graph: AnyGraph, labels: ArrayLike, n_clusters: int | None = None, *, n_jobs: int | None = None,
) -> csr_array:  # fmt: skip
    """Weight between every two clusters.

    Parameters
    ----------
    graph, labels, n_clusters, n_jobs
        See :func:`cut_and_volume`.

    Returns
    -------
    csr_array of shape (n_clusters, n_clusters), float64
        Symmetric, columns ascending. Off the diagonal the weight of the edges between two clusters, on it the sum of
        the entries inside (twice the weight of the edges, once that of the self-loops), so that row sums are volumes
        (less the edges to nodes of label -1).

    Notes
    -----
    Rows are read cluster by cluster, so that one array of n_clusters places per thread is enough and nothing of the
    size of the graph is allocated: O(n_nodes + n_clusters) memory and the result itself.

    Examples
    --------
    >>> import graphcore
    >>> graph = graphcore.Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3])
    >>> graphcore.metrics.quotient_graph(graph, [0, 0, 0, 1]).toarray()
    array([[6., 1.],
           [1., 0.]])
    """
    import scipy.sparse as sp

    graph, labels, k = placed_labels(graph, labels, n_clusters)
    rows = quotient(graph_rows(graph), labels.copy(), k, n_jobs)
    indptr = rows.indptr.astype(np.int32) if rows.indptr[-1] < 2**31 else rows.indptr
    out = sp.csr_array((rows.weights, rows.indices, indptr), shape=(k, k)).copy()
    out.sort_indices()
    # The two sums of a pair were taken in different orders: their mean is symmetric to the last bit.
    return out if graph.weights is None else 0.5 * (out + out.T)
