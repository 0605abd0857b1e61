"""Cluster sizes as generators take them."""

import numpy as np

from .._validation import check_integer
from ..exceptions import ParameterError

__all__ = ["cluster_borders", "labels_of"]


def cluster_borders(n_clusters, cluster_size):
    """First node of every cluster, and at the end the number of nodes (int64); `cluster_size` for all or each."""
    n_clusters = check_integer("n_clusters", n_clusters, low=1)
    if np.ndim(cluster_size) == 0:
        sizes = [check_integer("cluster_size", cluster_size, low=1)] * n_clusters
    else:
        sizes = [check_integer("cluster_size", size, low=1) for size in cluster_size]
        if len(sizes) != n_clusters:
            raise ParameterError(
                f"cluster_size has {len(sizes)} sizes for n_clusters={n_clusters}; give one for every cluster, or one "
                "number for all"
            )
    n_nodes = sum(sizes)
    if n_nodes >= 2**31:
        raise ParameterError(f"cluster_size: the clusters have {n_nodes} nodes in all; fewer than 2**31 are possible")
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


def labels_of(borders):
    """Cluster of every node, int32."""
    return np.repeat(np.arange(len(borders) - 1, dtype=np.int32), np.diff(borders))
