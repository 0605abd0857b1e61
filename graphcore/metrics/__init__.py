"""Quality of a clustering: normalised cut, conductance, kernel k-means cost, coreset errors, agreement."""

from ..cluster.partition.problem import ClusterSums
from .clusters import central_nodes, cluster_summary
from .cut import conductance, cut_and_volume, normalized_cut, outside_share, quotient_graph
from .features import describe, medoids
from .kernel_cost import CoresetCost, coreset_cost, kernel_kmeans_cost
from .robustness import Robustness, robustness
from .truth import Calibration, agreement, calibration

__all__ = [
    "Calibration", "ClusterSums", "CoresetCost", "Robustness", "agreement", "calibration", "central_nodes",
    "cluster_summary", "conductance", "coreset_cost", "cut_and_volume", "describe", "kernel_kmeans_cost", "medoids",
    "normalized_cut", "outside_share", "quotient_graph", "robustness",
]  # fmt: skip


def __dir__():
    """List the names meant for users, without the modules behind them."""
    return __all__
