"""Label every point with the nearest centroid in kernel space."""

from typing import NamedTuple

import numpy as np

from ...base.arrays import read_only
from ...base.work import count
from ...graphs.passes import map_passes, pass_spans
from . import _objective_loops
from .blocks import assign_block
from .cluster_sums import cluster_sums, inner_sums
from .quotient import GraphRows, label_sizes, label_volumes


class Labelling(NamedTuple):
    """Labels of all points, and which of them no row of a coreset point reaches: their label is no evidence."""

    labels: np.ndarray  # (n_points,) int32, -1 for points of weight 0
    unreached: np.ndarray  # (n_points,) bool: with the label of the centroid of smallest norm


def label_all(kernel, indices, weights, labels, n_clusters, *, coreset_graph=None, kernel_rows=None, n_jobs=None):
    """Give every point the label of the centroid nearest to it, from `labels` and `weights` of the coreset points.

    With ``c_j = sum_{y in P_j} w(y) phi(y) / w(P_j)``, point x goes to ``argmin_j ||c_j||^2 - 2 <phi(x), c_j>``, in
    O(n + entries of the coreset's rows). Indices ascend; `coreset_graph` is ``kernel.weighted_submatrix(indices,
    weights)`` and `kernel_rows` is ``kernel.rows(indices)``, if at hand.

    Section 5 of Jourdan, Schwartzman, Macgregor, Sun, "Coreset Spectral Clustering".
    """
    labels = np.ascontiguousarray(labels, dtype=np.int32)
    if kernel_rows is None:
        kernel_rows = kernel.rows(indices)
    if coreset_graph is None:
        coreset_graph = kernel.weighted_submatrix(indices, weights, n_jobs=n_jobs, kernel_rows=kernel_rows)
    rows = GraphRows(*map(read_only, (coreset_graph.indptr, coreset_graph.indices, coreset_graph.data, weights)))
    sums = cluster_sums(rows, labels, n_clusters, n_jobs)
    masses = sums.volume
    with np.errstate(invalid="ignore", divide="ignore"):
        norms = np.where(masses > 0, sums.internal / masses**2, np.inf)
    out, best = kernel.nearest_centroids(kernel_rows, weights, labels, norms, masses, n_jobs)
    default = int(np.argmin(norms))
    taking_part = kernel.point_weights > 0
    unreached = (out == n_clusters) & taking_part
    # Any cluster a point does not reach offers its norm alone; the smallest of those is the default.
    out[(best > norms[default]) & taking_part] = default
    out[~taking_part] = -1
    return Labelling(out, unreached)


def nearest_centroids(rows, labels, n_clusters, n_jobs=None):
    """Give every node of a graph the nearest of the centroids of clusters of all its nodes, as new labels (n,) int32.

    With the kernel ``K = D^-1 A D^-1`` and the clusters of `labels`, of inner weight ``L_j`` and volume ``v_j``, node x
    of degree ``d_x`` with weight ``l_xj`` to cluster j goes to ``argmin_j ||c_j||^2 - 2 <phi(x), c_j>``, where
    ``||c_j||^2 = L_j / v_j^2`` and ``<phi(x), c_j> = l_xj / (d_x v_j)``: one step of weighted kernel k-means. Only its
    own cluster and those around it are considered; of equals it stays, then takes the first met. Nodes of -1 keep it. A
    cluster that all its nodes would leave keeps them.

    Section 5 of Jourdan, Schwartzman, Macgregor, Sun, "Coreset Spectral Clustering".
    """
    internal, volume = inner_sums(rows, labels, n_clusters, n_jobs), label_volumes(labels, rows.degrees, n_clusters)
    # The derivatives of the normalised cut are these distances, times -d_x.
    slopes = _objective_loops.slopes(_objective_loops.NCUT, internal, volume)
    count("entries labelled", len(rows.indices))
    parts = map_passes(assign_block, rows, pass_spans(rows.indptr), read_only(labels), slopes, n_jobs=n_jobs)
    nearest, is_used = np.concatenate(parts), label_sizes(labels, n_clusters) > 0
    while (is_left := is_used & (label_sizes(nearest, n_clusters) == 0)).any():
        staying = (labels >= 0) & is_left[labels]
        nearest[staying] = labels[staying]
    return nearest
