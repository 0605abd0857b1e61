"""One fit, from a graph to labels and what is known of them: the class and the command line both call it."""

from dataclasses import dataclass, field

import numpy as np

from ._progress import Stages
from ._random import Streams
from .graphs.graph import Graph
from .knn.neighbors import knn_graph
from .metrics.cut import sums_and_shares
from .partition.cluster_sums import ClusterSums
from .partition.quotient import lent
from .pipeline.cluster import Clustering, cluster_graph
from .pipeline.settings import resolve_settings
from .selection.auto import choose_for_fit
from .selection.result import KSelection

__all__ = ["Fit", "fit_graph", "graph_of_vectors", "node_columns"]


@dataclass(frozen=True, eq=False)
class Fit:
    """What a fit leaves behind."""

    graph: Graph
    clustering: Clustering
    selection: KSelection | None  # how the number of clusters was chosen; None if it was given
    sums: ClusterSums = field(repr=False)
    # (n_nodes,) float32: share of each node's edge weight that leaves its cluster; NaN for isolated nodes.
    outside_shares: np.ndarray = field(repr=False)
    seconds: dict = field(repr=False)  # of every stage so far, those before the fit included


def graph_of_vectors(X, n_neighbors, *, metric="euclidean", random_state=None, n_jobs=None, stages):
    """The graph that vectors are clustered by: each joined to its nearest neighbours, at most to all others."""
    with stages("neighbours"):
        stream = Streams(random_state).child("neighbours")
        return knn_graph(X, min(n_neighbors, X.shape[0] - 1), metric=metric, random_state=stream, n_jobs=n_jobs)


def fit_graph(graph, n_clusters, settings, *, random_state=None, n_jobs=None, stages=None):
    """Choose k if it is "auto" or None, check the settings (a dict; others are as by default), cluster, measure."""
    stages = Stages() if stages is None else stages
    with lent(graph):
        return _fit(graph, n_clusters, settings, Streams(random_state), n_jobs, stages)


def _fit(graph, n_clusters, settings, streams, n_jobs, stages):
    selection = None
    if n_clusters is None or (isinstance(n_clusters, str) and n_clusters == "auto"):
        with stages("choice of k"):
            selection = choose_for_fit(graph, settings, random_state=streams, n_jobs=n_jobs)
        n_clusters = selection.best
    resolved = resolve_settings(graph, n_clusters, **settings)
    more = bool(resolved.n_cycles) + (resolved.search_rounds + 1 if resolved.search_rounds else 0)
    stages.expect(more + ((5 + (resolved.n_coresets > 2)) if resolved.n_coresets > 1 else 6))
    clustering = cluster_graph(graph, resolved, random_state=streams, n_jobs=n_jobs, stages=stages)
    with stages("score"):
        sums, shares = sums_and_shares(graph, clustering.labels, resolved.n_clusters, n_jobs)
    return Fit(graph, clustering, selection, sums, shares, dict(stages.seconds))


def node_columns(labels, node_names, stability, outside_shares):
    """What is known of every node, as a dictionary of columns."""
    n = len(labels)
    names = np.arange(n) if node_names is None else np.asarray(node_names)
    stability = np.full(n, np.nan, dtype=np.float32) if stability is None else stability
    return {"node": names, "cluster": labels, "stability": stability, "outside_share": outside_shares}
