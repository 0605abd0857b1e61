"""The main job: a graph in, labels out."""

import warnings
from dataclasses import dataclass, field

import numpy as np

from ._progress import Stages
from ._random import Streams
from .coresets.coreset import Coreset, sample_coreset
from .exceptions import GraphWarning
from .kernels.cut import CutKernel
from .propagation.nearest import label_all
from .settings import Settings
from .spectral.partition import spectral_partition

__all__ = ["Clustering", "cluster_graph"]


@dataclass(frozen=True, eq=False)
class Clustering:
    """Labels of all nodes of a graph, and how they came about.

    Attributes
    ----------
    labels : ndarray of shape (n_nodes,), int32
        0 to n_clusters - 1; -1 for isolated nodes.
    coreset : Coreset
    coreset_labels : ndarray of shape (n_coreset,), int32
        Clusters of the coreset nodes on the coreset graph, before labels went back to all nodes.
    n_unreached : int
        Nodes that no coreset node's row reached.
    settings : Settings
    seconds : dict
        Wall-clock seconds of each stage.
    """

    labels: np.ndarray
    coreset: Coreset
    coreset_labels: np.ndarray = field(repr=False)
    n_unreached: int
    settings: Settings
    seconds: dict = field(repr=False)


def cluster_graph(graph, settings, *, random_state=None, n_jobs=None, stages=None):
    """Coreset spectral clustering of a graph.

    Parameters
    ----------
    graph : Graph
    settings : Settings
        From :func:`graphcore.settings.resolve_settings`.
    random_state : int, Generator, RandomState or None
    n_jobs : int, optional
        Threads; labels do not depend on it.
    stages : Stages, optional
        Measures and announces the stages.

    Returns
    -------
    Clustering

    References
    ----------
    Algorithm 3 of Jourdan, Schwartzman, Macgregor, Sun, "Coreset Spectral Clustering".

    Examples
    --------
    >>> import graphcore
    >>> from graphcore.pipeline import cluster_graph
    >>> from graphcore.settings import resolve_settings
    >>> graph = graphcore.Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> labels = cluster_graph(graph, resolve_settings(graph, 2), random_state=0).labels
    >>> len(set(labels[:3])), len(set(labels[3:]))
    (1, 1)
    """
    stages = Stages() if stages is None else stages
    streams = Streams(random_state)
    if graph.n_isolated:
        warnings.warn(
            f"{graph.n_isolated} of {graph.n_nodes} nodes are isolated; they belong to no cluster and get label -1",
            GraphWarning,
            stacklevel=3,
        )
    k = settings.n_clusters
    with stages("coreset"):
        kernel = CutKernel(graph, settings.self_loop)
        coreset = sample_coreset(
            kernel,
            k,
            size=settings.coreset_size,
            method=settings.sampling,
            n_seeds=settings.n_seeds,
            random_state=streams,
        )
    with stages("coreset graph"):
        coreset_graph = kernel.weighted_submatrix(coreset.indices, coreset.weights, n_jobs=n_jobs)
    with stages("spectral partition"):
        partition = spectral_partition(
            coreset_graph, min(k, len(coreset)), eigen_solver=settings.eigen_solver, random_state=streams
        )
    with stages("labelling"):
        labelling = label_all(
            kernel, coreset.indices, coreset.weights, partition.labels, k, coreset_graph=coreset_graph, n_jobs=n_jobs
        )
    return Clustering(
        labels=labelling.labels,
        coreset=coreset,
        coreset_labels=partition.labels,
        n_unreached=int(labelling.unreached.sum()),
        settings=settings,
        seconds=dict(stages.seconds),
    )
