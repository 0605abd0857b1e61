"""Quality of a clustering: normalised cut, conductance, kernel k-means cost, coreset errors, agreement."""

from ..partition.cluster_sums import ClusterSums
from .agreement import agreement
from .calibration import Calibration, calibration
from .central import central_nodes
from .coreset import CoresetCost, CoresetDistortion, coreset_cost, coreset_distortion
from .cost import kernel_kmeans_cost
from .cut import conductance, cut_and_volume, normalized_cut, outside_share
from .quotient import quotient_graph
from .robustness import Robustness, robustness
from .summary import cluster_summary

__all__ = [
    "Calibration", "ClusterSums", "CoresetCost", "CoresetDistortion", "Robustness", "agreement", "calibration",
    "central_nodes", "cluster_summary", "conductance", "coreset_cost", "coreset_distortion", "cut_and_volume",
    "kernel_kmeans_cost", "normalized_cut", "outside_share", "quotient_graph", "robustness",
]  # fmt: skip


def __dir__():
    """The names meant for users, without the modules behind them."""
    return __all__
