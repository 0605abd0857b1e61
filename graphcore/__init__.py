"""graphcore: clusters graphs too large for spectral clustering, as well as spectral clustering would have done."""

from .base.lazy import lazy_names

__version__ = "0.1.0"

# Public names and the modules that hold them.
_PUBLIC = {
    "Coreset": ".cluster.coreset", "CoresetKernelKMeans": ".kernel_methods.coreset_kernel_kmeans",
    "CoresetSpectralClustering": ".cluster.estimator", "FormatError": ".exceptions",
    "GaussianSketchFeatures": ".kernel_methods.sketch",
    "GaussianSketchKernelKMeans": ".kernel_methods.sketch", "Graph": ".graphs.graph",
    "GraphWarning": ".exceptions", "InputError": ".exceptions", "KFlats": ".kernel_methods.k_flats",
    "KSelection": ".cluster.n_clusters", "KernelKFlats": ".kernel_methods.kernel_k_flats",
    "KernelKMeans": ".kernel_methods.kernel_kmeans", "NystromFeatures": ".kernel_methods.nystrom",
    "NystromKernelKMeans": ".kernel_methods.nystrom", "ParameterError": ".exceptions",
    "build_coreset": ".cluster.coreset", "build_store": ".files.store",
    "coreset_spectral_clustering": ".cluster.coreset_spectral_clustering",
    "datasets": None,
    "knn_graph": ".neighbors.neighbors", "load": ".cluster.estimator", "merge_coresets": ".cluster.merge_coresets",
    "metrics": None,
    "neighbor_graph": ".neighbors.neighbors", "networkx": None, "open_graph": ".files.store", "plot": None,
    "read_graph": ".files", "reduce_coreset": ".cluster.merge_coresets", "report": None,
    "select_n_clusters": ".cluster.n_clusters", "write_graph": ".files",
    "write_labels": ".files",
}  # fmt: skip

__getattr__, __dir__, __all__ = lazy_names(__name__, _PUBLIC)
