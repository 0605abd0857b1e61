"""graphcore: clusters graphs too large for spectral clustering, as well as spectral clustering would have done."""

from ._lazy import lazy_names

__version__ = "0.1.0"

# Public names and the modules that hold them.
_PUBLIC = {
    "Coreset": ".coresets.coreset", "CoresetKernelKMeans": ".estimators.coreset_kernel_kmeans",
    "CoresetSpectralClustering": ".estimators.coreset_spectral",
    "CoresetSpectralCoclustering": ".estimators.coreset_coclustering", "FormatError": ".exceptions",
    "GaussianSketchFeatures": ".estimators.gaussian_sketch",
    "GaussianSketchKernelKMeans": ".estimators.gaussian_sketch", "Graph": ".graphs.graph",
    "GraphWarning": ".exceptions", "InputError": ".exceptions", "KFlats": ".estimators.flats",
    "KSelection": ".selection.result", "KernelKFlats": ".estimators.kernel_flats",
    "KernelKMeans": ".estimators.kernel_kmeans", "NystromFeatures": ".estimators.nystrom",
    "NystromKernelKMeans": ".estimators.nystrom", "ParameterError": ".exceptions",
    "Published": ".pipeline.parameters",
    "build_coreset": ".coresets.coreset", "build_store": ".store", "check_store": ".store", "datasets": None,
    "knn_graph": ".knn.neighbors", "load": ".estimators.load", "metrics": None,
    "neighbor_graph": ".knn.neighbors", "networkx": None, "open_graph": ".store", "plot": None,
    "read_graph": ".io", "report": None,
    "select_n_clusters": ".selection.select", "write_graph": ".io",
    "write_labels": ".io",
}  # fmt: skip

__getattr__, __dir__, __all__ = lazy_names(__name__, _PUBLIC)
