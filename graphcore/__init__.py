"""graphcore: clusters graphs too large for spectral clustering, as well as spectral clustering would have done."""

from importlib import import_module

__version__ = "0.1.0"

# Public names and the modules that hold them; each is imported when it is first used.
_PUBLIC = {
    "Coreset": ".coresets.coreset",
    "CoresetKernelKMeans": ".estimators.coreset_kernel_kmeans",
    "CoresetSpectralClustering": ".estimators.coreset_spectral",
    "FormatError": ".exceptions",
    "GaussianSketchFeatures": ".estimators.gaussian_sketch_features",
    "GaussianSketchKernelKMeans": ".estimators.gaussian_sketch_kernel_kmeans",
    "Graph": ".graphs.graph",
    "GraphWarning": ".exceptions",
    "InputError": ".exceptions",
    "KFlats": ".estimators.flats",
    "KernelKFlats": ".estimators.kernel_flats",
    "KSelection": ".selection.result",
    "KernelKMeans": ".estimators.kernel_kmeans",
    "NonPositiveDegreeError": ".exceptions",
    "NystromFeatures": ".estimators.nystrom_features",
    "NystromKernelKMeans": ".estimators.nystrom_kernel_kmeans",
    "ParameterError": ".exceptions",
    "build_coreset": ".coresets.coreset",
    "build_store": ".store",
    "check_store": ".store",
    "knn_graph": ".knn.neighbors",
    "open_graph": ".store",
    "read_graph": ".io",
    "select_n_clusters": ".selection.select",
    "write_graph": ".io",
    "write_labels": ".io",
}
_MODULES = ("datasets", "metrics", "networkx", "plot", "report")

__all__ = [
    "Coreset",
    "CoresetKernelKMeans",
    "CoresetSpectralClustering",
    "FormatError",
    "GaussianSketchFeatures",
    "GaussianSketchKernelKMeans",
    "Graph",
    "GraphWarning",
    "InputError",
    "KFlats",
    "KSelection",
    "KernelKFlats",
    "KernelKMeans",
    "NonPositiveDegreeError",
    "NystromFeatures",
    "NystromKernelKMeans",
    "ParameterError",
    "build_coreset",
    "build_store",
    "check_store",
    "datasets",
    "knn_graph",
    "metrics",
    "networkx",
    "open_graph",
    "plot",
    "read_graph",
    "report",
    "select_n_clusters",
    "write_graph",
    "write_labels",
]


def __getattr__(name):
    if name in _PUBLIC:
        value = getattr(import_module(_PUBLIC[name], __name__), name)
        globals()[name] = value
        return value
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__})
