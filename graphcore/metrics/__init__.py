"""Quality of a clustering: normalised cut, conductance, modularity, kernel k-means, coresets, agreement, bounds."""

from ..cluster.refine.problem import ClusterSums
from .bounds import DictionaryQuality, SpectralGuarantee, dictionary_quality, spectral_guarantee
from .clusters import central_nodes, cluster_summary
from .coreset_certificate import CoresetCertificate, coreset_certificate
from .cut import conductance, cut_and_volume, modularity, normalized_cut, outside_share, quotient_graph
from .features import describe, medoids
from .flats_bounds import k_flats_lower_bound, kernel_k_flats_lower_bound
from .kernel_cost import CoresetCost, coreset_cost, kernel_kmeans_cost
from .robustness import Robustness, robustness
from .truth import Calibration, agreement, calibration

__all__ = [
    "Calibration", "ClusterSums", "CoresetCertificate", "CoresetCost", "DictionaryQuality", "Robustness",
    "SpectralGuarantee", "agreement", "calibration", "central_nodes", "cluster_summary", "conductance",
    "coreset_certificate", "coreset_cost", "cut_and_volume", "describe", "dictionary_quality", "k_flats_lower_bound",
    "kernel_k_flats_lower_bound", "kernel_kmeans_cost", "medoids", "modularity", "normalized_cut", "outside_share",
    "quotient_graph", "robustness", "spectral_guarantee",
]  # fmt: skip


def __dir__():
    """List the names meant for users, without the modules behind them."""
    return __all__
