"""The nearest centroid of every point, from the kernel's rows of the centroids' points alone."""

import numpy as np

from .._threads import effective_jobs, map_blocks
from . import _nearest_loops as _loops

__all__ = ["nearest_by_rows"]

# Entries of rows for each point and thread.
_MIN_ENTRIES = 4


def nearest_by_rows(rows, weights, labels, norms, masses, n_jobs=None):
    """See :meth:`graphcore.kernels.graph.GraphKernel.nearest_centroids`: rows of points hold all products with them."""
    n, n_clusters = len(rows.degrees), len(norms)
    order = np.argsort(labels, kind="stable")
    borders = np.searchsorted(labels[order], np.arange(n_clusters + 1))

    def offers(first, last):
        best = np.full(n, np.inf)
        out = np.full(n, n_clusters, dtype=np.int32)
        touched = np.empty(n, dtype=rows.indices.dtype)
        _loops.label_by_centroids(
            *rows,
            weights,
            order,
            borders,
            first,
            last,
            norms,
            masses,
            np.empty(n),
            np.full(n, -1, dtype=np.int32),
            touched,
            best,
            out,
        )
        return out, best

    # A point's best offer is a minimum over clusters, so cutting the clusters into groups changes nothing. Each group
    # takes arrays for all points, which only pays where its rows are several times as long.
    lengths = np.cumsum(np.bincount(labels, weights=rows.stops - rows.starts, minlength=n_clusters))
    n_groups = int(max(1, min(effective_jobs(n_jobs), n_clusters, lengths[-1] / (_MIN_ENTRIES * n))))
    inner_borders = np.searchsorted(lengths, np.linspace(0, lengths[-1], n_groups + 1)[1:-1])
    groups = np.unique(np.concatenate([[0], inner_borders, [n_clusters]]).astype(np.int64))
    (out, best), *others = map_blocks(offers, groups, n_jobs)
    for other_out, other_best in others:
        _loops.merge_labels(best, out, other_best, other_out)
    return out, best
