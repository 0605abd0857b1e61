"""The quotient graph: one node per cluster."""

import numpy as np

from .._threads import map_blocks, row_blocks
from . import _loops
from ._labels import placed_labels

__all__ = ["quotient_graph"]


def _fits_square(n_clusters, n_nodes):
    # A full square needs one pass instead of two, but must not take more memory than the labels do.
    return n_clusters**2 <= max(1 << 16, n_nodes)


def quotient_graph(graph, labels, n_clusters=None, *, n_jobs=None):
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
    size of the graph is allocated: O(n_nodes + n_clusters) memory and the result itself. A graph that lies on disk is
    read in the order of the clusters.

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
    sizes = np.bincount(labels + np.int64(1), minlength=k + 1)
    borders = np.concatenate([[0], np.cumsum(sizes[1:])])
    order = np.argsort(labels, kind="stable")[sizes[0] :]
    entries = np.bincount(labels + np.int64(1), weights=np.diff(graph.indptr), minlength=k + 1)[1:]
    blocks = row_blocks(np.concatenate([[0], np.cumsum(entries)]).astype(np.int64)) if k else [0]
    if _fits_square(k, graph.n_nodes):
        out = np.zeros((k, k))
        map_blocks(
            lambda a, b: _loops.quotient_dense(
                graph.indptr, graph.indices, graph._weights, labels, order, borders, a, b, out
            ),
            blocks,
            n_jobs,
        )
        # The two sums of a pair were taken in different orders: their mean is symmetric to the last bit.
        return sp.csr_array(out if graph.weights is None else 0.5 * (out + out.T))
    indptr = np.zeros(k + 1, dtype=np.int64)
    map_blocks(
        lambda a, b: _loops.quotient_count(
            graph.indptr, graph.indices, labels, order, borders, a, b, np.full(k, -1, dtype=np.int64), indptr[1:]
        ),
        blocks,
        n_jobs,
    )
    np.cumsum(indptr, out=indptr)
    indices, values = np.empty(indptr[-1], dtype=np.int32), np.empty(indptr[-1])
    map_blocks(
        lambda a, b: _loops.quotient_fill(
            graph.indptr,
            graph.indices,
            graph._weights,
            labels,
            order,
            borders,
            a,
            b,
            np.full(k, -1, dtype=np.int64),
            indptr,
            indices,
            values,
        ),
        blocks,
        n_jobs,
    )
    if indptr[-1] < 2**31:
        indptr = indptr.astype(np.int32)
    out = sp.csr_array((values, indices, indptr), shape=(k, k))
    out.sort_indices()
    return out if graph.weights is None else 0.5 * (out + out.T)
