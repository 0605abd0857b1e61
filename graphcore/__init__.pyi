# What type checkers see of the names that are imported when they are first used.
from . import datasets as datasets
from . import metrics as metrics
from . import networkx as networkx
from . import plot as plot
from . import report as report
from .cluster.coreset import Coreset as Coreset
from .cluster.coreset import build_coreset as build_coreset
from .cluster.coreset_spectral_clustering import coreset_spectral_clustering as coreset_spectral_clustering
from .cluster.estimator import CoresetSpectralClustering as CoresetSpectralClustering
from .cluster.estimator import load as load
from .cluster.merge_coresets import merge_coresets as merge_coresets
from .cluster.merge_coresets import reduce_coreset as reduce_coreset
from .cluster.n_clusters import KSelection as KSelection
from .cluster.n_clusters import select_n_clusters as select_n_clusters
from .exceptions import FormatError as FormatError
from .exceptions import GraphWarning as GraphWarning
from .exceptions import InputError as InputError
from .exceptions import ParameterError as ParameterError
from .files import read_graph as read_graph
from .files import write_graph as write_graph
from .files import write_labels as write_labels
from .files.store import build_store as build_store
from .files.store import open_graph as open_graph
from .graphs.graph import Graph as Graph
from .kernel_methods.coreset_kernel_kmeans import CoresetKernelKMeans as CoresetKernelKMeans
from .kernel_methods.k_flats import KFlats as KFlats
from .kernel_methods.kernel_k_flats import KernelKFlats as KernelKFlats
from .kernel_methods.kernel_kmeans import KernelKMeans as KernelKMeans
from .kernel_methods.nystrom import NystromFeatures as NystromFeatures
from .kernel_methods.nystrom import NystromKernelKMeans as NystromKernelKMeans
from .kernel_methods.sketch import GaussianSketchFeatures as GaussianSketchFeatures
from .kernel_methods.sketch import GaussianSketchKernelKMeans as GaussianSketchKernelKMeans
from .neighbors.neighbors import knn_graph as knn_graph
from .neighbors.neighbors import neighbor_graph as neighbor_graph

__version__: str
