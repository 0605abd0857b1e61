"""Fit a clustering to a graph."""

import math
from dataclasses import dataclass, field

import numpy as np

from ..base.locks import cached_property
from ..base.progress import Stages
from ..base.streams import Streams
from ..base.validation import check_labels, check_sample_weight, refused
from ..cluster.distributed_context import distributed_context
from ..cluster.partition.evidence import edge_evidence
from ..cluster.partition.problem import ClusterSums
from ..cluster.partition.quotient import graph_rows
from ..cluster.pipeline.cluster import Clustering, cluster_graph
from ..cluster.pipeline.known import check_known
from ..cluster.pipeline.settings import resolve
from ..cluster.selection.result import KSelection
from ..cluster.selection.select import choose_for_fit
from ..graphs.derived import weigh_nodes
from ..graphs.graph import Graph
from ..metrics.cut import sums_and_shares


@dataclass(frozen=True, eq=False)
class Fit:
    """Result of a fit to a graph."""

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


def fit_graph(
    graph, params, *, labels=None, initial_labels=None, sample_weight=None, random_state=None, n_jobs=None, stages=None
):
    """Choose k if that is left to the graph, cluster, measure; `params` are the result of `check_settings`.

    `labels` (n,) stay as they are, but for those of -1; the run begins at `initial_labels`, if they are given.
    """
    stages, streams = Stages() if stages is None else stages, Streams(random_state)
    if labels is not None and not (check_labels("labels that stay", labels, graph.n_nodes) >= 0).any():
        labels = None
    edge_weight, total_size, selection = graph.mean_weight, None, None
    if sample_weight is not None:
        with stages("weights"):
            sample_weight = check_sample_weight(sample_weight, graph.n_nodes)
            graph = weigh_nodes(graph, sample_weight)
            total_size = math.floor(sample_weight[graph.degrees > 0].sum())
    with distributed_context(graph):
        if params.left_to in ("information", "resolution"):
            with stages("choice of k"):
                selection = choose_for_fit(graph, params, random_state=streams, n_jobs=n_jobs)
            params = params.of(selection.best, selection.balance)
        settings = resolve(params, graph, total_size)
        if len(params.levels) > 1 and not (labels is None and initial_labels is None):
            raise refused(
                "n_clusters", list(params.levels), "are levels, which keep to no labels given: give one number"
            )
        if settings.published and not (labels is None and initial_labels is None):
            raise refused("published", True, "keeps no labels given, and begins with none: leave one of them out")
        known = check_known(graph, settings.n_clusters, labels, initial_labels, sample_weight)
        stages.expect(6)
        clustering = cluster_graph(
            graph, settings, known=known, levels=params.levels, random_state=streams, n_jobs=n_jobs, stages=stages
        )
        with stages("score"):
            sums, shares = sums_and_shares(graph, clustering.labels, clustering.settings.n_clusters, n_jobs)
    return Fit(graph, clustering, selection, sums, shares, known.weights, edge_weight, dict(stages.seconds))
