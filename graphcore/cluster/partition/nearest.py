"""Label every point with the nearest centroid in kernel space."""

from dataclasses import dataclass, field

import numpy as np

from ._sum_loops import within_weights


@dataclass(frozen=True, eq=False)
class Labelling:
    """Labels of all points, (n_points,) int32 with -1 for points of weight 0.

    `unreached` are the points, as bool, whose kernel values with all coreset points are 0. They carry the label of the
    centroid of smallest norm, which is evidence for no cluster.
    """

    labels: np.ndarray
    unreached: np.ndarray = field(repr=False)


def label_all(kernel, indices, weights, labels, n_clusters, *, coreset_graph=None, reach=None, n_jobs=None):
    """Give every point the label of the centroid nearest to it, from `labels` and `weights` of the coreset points.

    With ``c_j = sum_{y in P_j} w(y) phi(y) / w(P_j)``, point x goes to ``argmin_j ||c_j||^2 - 2 <phi(x), c_j>``. The
    rows of coreset points alone are read, O(n + entries of those rows). Indices ascend; `coreset_graph` is
    ``kernel.weighted_submatrix(indices, weights)`` and `reach` is ``kernel.rows(indices)``, if at hand.

    Section 5 of Jourdan, Schwartzman, Macgregor, Sun, "Coreset Spectral Clustering".
    """
    labels = np.ascontiguousarray(labels, dtype=np.int32)
    if reach is None:
        reach = kernel.rows(indices)
    if coreset_graph is None:
        coreset_graph = kernel.weighted_submatrix(indices, weights, n_jobs=n_jobs, reach=reach)
    masses = np.bincount(labels, weights=weights, minlength=n_clusters)
    norms = np.zeros(n_clusters)
    within_weights(coreset_graph.indptr, coreset_graph.indices, coreset_graph.data, labels, norms)
    with np.errstate(invalid="ignore", divide="ignore"):
        norms = np.where(masses > 0, norms / masses**2, np.inf)
    out, best = kernel.nearest_centroids(reach, weights, labels, norms, masses, n_jobs)
    default = int(np.argmin(norms))
    taking_part = kernel.point_weights > 0
    unreached = (out == n_clusters) & taking_part
    # Any cluster a point does not reach offers its norm alone; the smallest of those is the default.
    out[(best > norms[default]) & taking_part] = default
    out[~taking_part] = -1
    return Labelling(out, unreached)
