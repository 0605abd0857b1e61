"""One fit, from a graph to labels and what is known of them: the class and the command line both call it."""

from dataclasses import dataclass, field

import numpy as np

from ._progress import Stages
from ._random import Streams
from .graphs.graph import Graph
from .knn.neighbors import knn_graph
from .metrics.cut import sums_and_shares
from .partition.cluster_sums import ClusterSums
from .pipeline.cluster import Clustering, cluster_graph
from .pipeline.settings import resolve_settings
from .selection.auto import choose_for_fit
from .selection.result import KSelection

__all__ = ["Fit", "fit_graph", "graph_of_vectors"]


@dataclass(frozen=True, eq=False)
class Fit:
    """What a fit leaves behind.

    Attributes
    ----------
    graph : Graph
    clustering : Clustering
    selection : KSelection or None
        How the number of clusters was chosen; None if it was given.
    sums : ClusterSums
        Inner weight and volume of every cluster.
    outside_shares : ndarray of shape (n_nodes,), float32
        Share of each node's edge weight that leaves its cluster; NaN for isolated nodes.
    seconds : dict
        Seconds of every stage so far, those before the fit included.
    """

    graph: Graph
    clustering: Clustering
    selection: KSelection | None
    sums: ClusterSums = field(repr=False)
    outside_shares: np.ndarray = field(repr=False)
    seconds: dict = field(repr=False)


def graph_of_vectors(X, n_neighbors, *, metric="euclidean", random_state=None, n_jobs=None, stages):
    """The graph that vectors are clustered by: each joined to its nearest neighbours, at most to all others.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
    n_neighbors : int
    metric, n_jobs
        See :func:`graphcore.knn_graph`.
    random_state : int, Generator, RandomState, Streams or None
    stages : Stages

    Returns
    -------
    Graph
    """
    with stages("neighbours"):
        return knn_graph(
            X,
            min(n_neighbors, X.shape[0] - 1),
            metric=metric,
            random_state=Streams(random_state).child("neighbours"),
            n_jobs=n_jobs,
        )


def fit_graph(graph, n_clusters, settings, *, random_state=None, n_jobs=None, stages=None):
    """Choose k if asked to, check the settings, cluster, and measure the clusters.

    Parameters
    ----------
    graph : Graph
    n_clusters : int or "auto"
    settings : dict
        For :func:`graphcore.pipeline.settings.resolve_settings`; what is left out has its default.
    random_state : int, Generator, RandomState, Streams or None
    n_jobs : int, optional
        Threads; labels do not depend on it.
    stages : Stages, optional

    Returns
    -------
    Fit

    Examples
    --------
    >>> import graphcore
    >>> from graphcore.fit import fit_graph
    >>> found = fit_graph(graphcore.datasets.load_karate().graph, 2, {}, random_state=0)
    >>> found.clustering.labels.shape, bool(found.sums.conductance.mean() < 0.2)
    ((34,), True)
    """
    stages = Stages() if stages is None else stages
    streams = Streams(random_state)
    selection = None
    if isinstance(n_clusters, str) and n_clusters == "auto":
        with stages("choice of k"):
            selection = choose_for_fit(graph, settings, random_state=streams, n_jobs=n_jobs)
        n_clusters = selection.best
    resolved = resolve_settings(graph, n_clusters, **settings)
    stages.expect((5 + (resolved.n_coresets > 2)) if resolved.n_coresets > 1 else 6)
    clustering = cluster_graph(graph, resolved, random_state=streams, n_jobs=n_jobs, stages=stages)
    with stages("score"):
        sums, shares = sums_and_shares(graph, clustering.labels, resolved.n_clusters, n_jobs)
    return Fit(graph, clustering, selection, sums, shares, dict(stages.seconds))
