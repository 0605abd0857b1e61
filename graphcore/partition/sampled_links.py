"""A sample of a graph's edges as a graph between clusters, for graphs too large to be read cluster by cluster."""

import numpy as np

from .._arrays import read_only
from .._threads import effective_jobs, map_blocks
from ..distributed.passes import map_passes, pass_spans
from . import _sample_loops as _loops


def sampled_links(rows, labels, n_clusters, n_entries, n_jobs=None):
    """Sample the edges, and list what each cluster has of them: (indptr, indices, weights, degrees, scale).

    An edge is in the sample by a hash of its ends, so both its entries are, or none. The graph is read once, row after
    row; edges with an end of label -1 are left out. About `n_entries` are kept of a graph of more. The first three are
    rows, one for each cluster, in which the cluster at the other end may stand many times (weights of length 0 if the
    graph's are); degrees are sums of the rows. Sums over the sample times `scale` estimate sums over the graph.
    """
    scale = max(1.0, len(rows.indices) / n_entries)
    limit = np.uint64(min(2.0**64 / scale, 2.0**64 - 2048))
    weights = rows.weights
    parts = map_passes(_sample_part, rows, pass_spans(rows.indptr), read_only(labels), limit, n_jobs=n_jobs)
    starts, degrees = np.zeros(n_clusters + 1, dtype=np.int64), np.zeros(n_clusters)
    # Every thread goes through all links, and writes to clusters of its own.
    borders = np.linspace(0, n_clusters, effective_jobs(n_jobs) + 1).astype(np.int64)
    map_blocks(lambda a, b: [_loops.count_links(*links, a, b, starts[1:], degrees) for links in parts], borders, n_jobs)
    np.cumsum(starts, out=starts)
    out_indices = np.empty(starts[-1], dtype=np.int32)
    out_weights = np.empty(starts[-1] if len(weights) else 0)
    cursors = starts[:-1].copy()
    parts.reverse()
    while parts:  # what is placed is freed
        map_blocks(
            lambda a, b: _loops.place_links(*parts[-1], a, b, cursors, out_indices, out_weights), borders, n_jobs
        )
        parts.pop()
    return *map(read_only, (starts, out_indices, out_weights, degrees)), scale


def _sample_part(rows, first, last, labels, limit):
    return _loops.sample_links(rows.indptr, rows.indices, rows.weights, labels, first, last, limit)
