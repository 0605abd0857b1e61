"""One fit, from a graph to labels and what is known of them: the class and the command line both call it."""

import math
from dataclasses import dataclass, field

import numpy as np

from ._locks import cached_property
from ._progress import Stages
from ._random import Streams
from ._validation import check_sample_weight
from .graphs.derived import weigh_nodes
from .graphs.graph import Graph
from .knn.neighbors import knn_graph
from .metrics.cut import sums_and_shares
from .metrics.robustness import robustness
from .partition.cluster_sums import ClusterSums
from .partition.evidence import edge_evidence, node_memberships
from .partition.quotient import graph_rows, lent
from .pipeline.cluster import Clustering, cluster_graph
from .pipeline.known import check_known
from .pipeline.settings import is_free, quick_settings, resolve_settings
from .selection.auto import choose_for_fit
from .selection.result import KSelection


@dataclass(frozen=True, eq=False)
class Fit:
    """What a fit leaves behind."""

    graph: Graph
    clustering: Clustering
    selection: KSelection | None  # how the number of clusters was chosen; None if it was given
    sums: ClusterSums = field(repr=False)
    # (n_nodes,) float32: share of each node's edge weight that leaves its cluster; NaN for isolated nodes.
    outside_shares: np.ndarray = field(repr=False)
    node_weights: np.ndarray | None = field(repr=False)  # (n_nodes,) float64; None for ones
    edge_weight: float  # mean weight of an edge, before nodes were weighed
    seconds: dict = field(repr=False)  # of every stage so far, those before the fit included

    @cached_property
    def evidence(self):
        """Log odds of a cluster that each unit of weight to its nodes is worth, in those of the planted model."""
        labels, stability, k = self.clustering.labels, self.clustering.node_stability, len(self.sums.volume)
        agreement = 1.0
        if stability is not None and k > 1:  # beyond what is so by chance
            agreement = max(0.0, (float(stability[labels >= 0].mean()) * k - 1.0) / (k - 1.0))
        return edge_evidence(graph_rows(self.graph), labels, self.sums, agreement) / self.edge_weight

    def memberships(self):
        """Probability of each cluster for every node, see `membership_` of CoresetSpectralClustering: a csr_array."""
        rows, sums = graph_rows(self.graph), self.sums
        return node_memberships(
            rows, self.clustering.labels, sums.internal, sums.volume, self.evidence,
            self.clustering.settings.joined_by, node_weights=self.node_weights,
        )  # fmt: skip


def graph_of_vectors(X, n_neighbors, *, metric="euclidean", random_state=None, n_jobs=None, stages):
    """The graph that vectors are clustered by: each joined to its nearest neighbours, at most to all others."""
    with stages("neighbours"):
        stream = Streams(random_state).child("neighbours")
        return knn_graph(X, n_neighbors, metric=metric, random_state=stream, n_jobs=n_jobs)


def fit_graph(
    graph, n_clusters, settings, *, labels=None, initial_labels=None, sample_weight=None, random_state=None,
    n_jobs=None, stages=None,
):  # fmt: skip
    """Choose k if it is "auto" or None, check the settings (a dict; others are as by default), cluster, measure.

    `labels` (n,) stay as they are, but for those of -1; the run begins at `initial_labels`, if they are given.
    """
    stages = Stages() if stages is None else stages
    edge_weight, total_size = graph.mean_weight, None
    if sample_weight is not None:
        with stages("weights"):
            sample_weight = check_sample_weight(sample_weight, graph.n_nodes)
            graph = weigh_nodes(graph, sample_weight)
            total_size = math.floor(sample_weight[graph.degrees > 0].sum())
    known = {"labels": labels, "initial_labels": initial_labels, "sample_weight": sample_weight}
    with lent(graph):
        return _fit(
            graph, n_clusters, settings, known, Streams(random_state), n_jobs, stages, edge_weight, total_size
        )  # fmt: skip


def _fit(graph, n_clusters, settings, known, streams, n_jobs, stages, edge_weight, total_size):
    selection = None
    if not is_free(n_clusters, settings) and (n_clusters is None or isinstance(n_clusters, str)):
        with stages("choice of k"):
            selection = choose_for_fit(graph, settings, random_state=streams, n_jobs=n_jobs)
        n_clusters = selection.best
    resolved = resolve_settings(graph, n_clusters, total_size=total_size, **settings)
    known = check_known(graph, resolved.n_clusters, **known)
    stages.expect(6)
    clustering = cluster_graph(graph, resolved, known=known, random_state=streams, n_jobs=n_jobs, stages=stages)
    with stages("score"):
        sums, shares = sums_and_shares(graph, clustering.labels, clustering.settings.n_clusters, n_jobs)
    return Fit(graph, clustering, selection, sums, shares, known.weights, edge_weight, dict(stages.seconds))


def robustness_of(graph, clustering, *, n_refits=10, random_state=0, n_jobs=None, stages=None):
    """The Robustness of a Clustering, by quick runs of the same settings with the same labels that stay."""
    settings, known = clustering.settings, clustering.known

    def refit(drawn, seed):
        return cluster_graph(drawn, quick_settings(settings, drawn), known=known, random_state=seed).labels

    with (Stages() if stages is None else stages)("robustness"):
        return robustness(
            graph, clustering.labels, refit, n_clusters=settings.n_clusters, n_refits=n_refits,
            random_state=random_state, n_jobs=n_jobs,
        )  # fmt: skip


def node_columns(labels, node_names, stability, outside_shares):
    """What is known of every node, as a dictionary of columns."""
    n = len(labels)
    names = np.arange(n) if node_names is None else np.asarray(node_names)
    stability = np.full(n, np.nan, dtype=np.float32) if stability is None else stability
    return {"node": names, "cluster": labels, "stability": stability, "outside_share": outside_shares}
