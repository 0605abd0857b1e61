"""Labels from eigenvectors of the whole graph, which show clusters down to the threshold of what can be found."""

import numpy as np

from .._random import draw_by_weight
from .._threads import limited_libraries
from ..spectral.exact import bethe_hessian_embedding

# Eigenvectors are looked for where there are at most so many entries, and n k^2, which is what Lanczos iterations take.
_MAX_ENTRIES, _MAX_LANCZOS = 1 << 22, 1 << 23
_INITIALISATIONS, _ITERATIONS = 3, 20


def eigenvector_labels(graph, n_clusters, streams):
    """Labels (n,) int32 from eigenvectors of the whole graph, -1 for isolated nodes.

    None where that would take long, and where there are fewer clusters in them.
    """
    n_linked = graph.n_nodes - graph.n_isolated
    if graph.n_entries > _MAX_ENTRIES or n_linked * n_clusters**2 > _MAX_LANCZOS or n_clusters >= n_linked:
        return None
    embedding = bethe_hessian_embedding(graph.to_scipy(), n_clusters, random_state=streams)
    if embedding is None:
        return None
    linked = graph.degrees > 0
    found = _grouped_rows(embedding[linked], n_clusters, streams.generator("k-means"))
    if found is None:
        return None
    labels = np.full(graph.n_nodes, -1, dtype=np.int32)
    labels[linked] = found
    return labels


def _grouped_rows(X, n_clusters, rng):
    """The best labels of several runs of k-means, or None if each leaves a cluster empty.

    By scipy: only directions are looked for, and a first import of scikit-learn's takes a second.
    """
    from scipy.cluster.vq import ClusterError, kmeans2

    best, lowest = None, np.inf
    with limited_libraries():
        for _ in range(_INITIALISATIONS):
            chosen, nearest = [int(rng.integers(len(X)))], np.full(len(X), np.inf)
            for _ in range(n_clusters - 1):  # far from all before: k-means++
                nearest = np.minimum(nearest, np.square(X - X[chosen[-1]]).sum(axis=1))
                chosen.append(draw_by_weight(nearest, rng))
            if chosen[-1] < 0:  # fewer different rows than clusters
                return None
            try:
                centers, labels = kmeans2(X, X[chosen], iter=_ITERATIONS, minit="matrix", missing="raise")
            except ClusterError:
                continue
            cost = np.square(X - centers[labels]).sum()
            if cost < lowest:
                best, lowest = labels, cost
    return best if best is not None and len(np.unique(best)) == n_clusters else None
