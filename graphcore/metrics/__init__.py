"""Quality of a clustering: normalised cut, conductance, modularity, kernel k-means, coresets, agreement."""

from ..base.validation import suggest_in
from ..cluster.refine.problem import ClusterSums
from .descriptions import central_nodes, cluster_summary
from .kernel_cost import CoresetCost, coreset_cost, kernel_kmeans_cost
from .quality import agreement, conductance, cut_and_volume, modularity, normalized_cut, outside_share, quotient_graph

__all__ = [
    "ClusterSums", "CoresetCost", "agreement", "central_nodes", "cluster_summary", "conductance", "coreset_cost",
    "cut_and_volume", "kernel_kmeans_cost", "modularity", "normalized_cut", "outside_share",
    "quotient_graph",
]  # fmt: skip

suggest_in(__name__)
