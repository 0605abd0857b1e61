"""Everything that a report tells, gathered in one pass over graph and labels."""

from dataclasses import dataclass, field

import numpy as np

from .. import __version__
from .._typing import AnyGraph, ArrayLike
from ..exceptions import InputError
from ..graphs.graph import Graph
from ..metrics import central_nodes, cut_and_volume, quotient_graph
from ..metrics._labels import placed_labels
from ..partition.cluster_sums import ClusterSums
from ..partition.merge import MergeTree, agglomerate
from ..partition.quotient import graph_rows
from ..pipeline.cluster import Clustering

__all__ = ["ReportFacts", "gather_facts"]


@dataclass(frozen=True, eq=False)
class ReportFacts:
    """The measures of a clustering that a report shows.

    Attributes
    ----------
    n_nodes, n_edges, n_components, n_isolated, n_self_loops : int
        Of the graph.
    is_weighted : bool
    n_clusters : int
        Clusters asked for; some may be empty.
    sums : ClusterSums
        Size, volume, cut and inner weight of each cluster.
    quotient : csr_array of shape (n_clusters, n_clusters)
    central : list of list of str
        Names of each cluster's most central nodes.
    filled : ndarray of shape (n_filled,), int64
        Clusters that hold nodes.
    tree : ndarray of shape (n_filled - 1, 4), float64
        How the clusters in `filled` would be merged on, in scipy's linkage form.
    n_unlabelled : int
        Nodes that have an edge and no cluster.
    clustering : Clustering or None
        Of the run that made the labels, if it is known.
    version : str
        Of graphcore.
    """

    n_nodes: int
    n_edges: int
    n_components: int
    n_isolated: int
    n_self_loops: int
    is_weighted: bool
    n_clusters: int
    sums: ClusterSums
    quotient: object = field(repr=False)
    central: list = field(repr=False)
    filled: np.ndarray = field(repr=False)
    tree: np.ndarray = field(repr=False)
    n_unlabelled: int
    clustering: Clustering | None = field(repr=False)
    version: str

    @property
    def normalized_cut(self) -> float:
        """Mean conductance; a missing cluster counts 1."""
        return float(self.sums.conductance.mean())

    @property
    def coverage(self) -> float:
        """Share of the whole edge weight that lies inside clusters."""
        volume = self.sums.volume.sum()
        return float(self.sums.internal.sum() / volume) if volume > 0 else 0.0

    @property
    def chance_cut(self) -> float:
        """Normalised cut to be expected of clusters of these volumes on a graph of these degrees, drawn at random."""
        volume = self.sums.volume
        return float(np.where(volume > 0, 1 - volume / max(volume.sum(), 1e-300), 1.0).mean())

    @property
    def modularity(self) -> float:
        """Newman's modularity."""
        volume = max(float(self.sums.volume.sum()), 1e-300)
        return float((self.sums.internal / volume - np.square(self.sums.volume / volume)).sum())

    @property
    def stability(self) -> float | None:
        """Mean stability of the nodes, or None if there was a single coreset."""
        if self.clustering is None or self.clustering.node_stability is None:
            return None
        return float(self.clustering.node_stability[self.clustering.labels >= 0].mean())


def gather_facts(
    graph: AnyGraph, labels: ArrayLike, n_clusters: int | None = None, *, clustering: Clustering | None = None,
    n_central: int = 5, n_jobs: int | None = None,
) -> ReportFacts:  # fmt: skip
    """Compute the measures of a labelling that a report shows.

    Parameters
    ----------
    graph : Graph, sparse matrix, square array or networkx graph
    labels : array-like of shape (n_nodes,), integer
        Cluster of every node, from 0; -1 for no cluster.
    n_clusters : int, optional
        Number of clusters, if the last ones may be empty.
    clustering : Clustering, optional
        The run that the labels come from.
    n_central : int, default 5
        Central nodes named for each cluster.
    n_jobs : int, optional
        Threads; the result does not depend on it.

    Returns
    -------
    ReportFacts

    Raises
    ------
    InputError
        If the labels do not fit the graph, or no node with an edge has a cluster.

    Examples
    --------
    >>> import graphcore
    >>> from graphcore.report import gather_facts
    >>> graph = graphcore.Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> facts = gather_facts(graph, [0, 0, 0, 1, 1, 1])
    >>> round(facts.normalized_cut, 4), round(facts.chance_cut, 4), round(facts.coverage, 4)
    (0.1429, 0.5, 0.8571)
    """
    graph, labels, n_clusters = placed_labels(graph, labels, n_clusters)
    sums = cut_and_volume(graph, labels, n_clusters, n_jobs=n_jobs)
    filled = np.flatnonzero(sums.size)
    if len(filled) == 0:
        raise InputError("no node with an edge has a label from 0 on: there is no cluster to report on")
    between = quotient_graph(graph, labels, n_clusters, n_jobs=n_jobs)
    central = central_nodes(graph, labels, n_clusters, count=n_central, n_jobs=n_jobs)
    return ReportFacts(
        n_nodes=graph.n_nodes, n_edges=graph.n_edges, n_components=graph.n_components, n_isolated=graph.n_isolated,
        n_self_loops=graph.n_self_loops, is_weighted=graph.is_weighted, n_clusters=n_clusters, sums=sums,
        quotient=between, central=[[str(name) for name in graph.names_of(nodes).tolist()] for nodes in central],
        filled=filled, tree=_tree(between[filled][:, filled], sums.size[filled], clustering),
        n_unlabelled=int(np.count_nonzero((labels < 0) & (graph.degrees > 0))), clustering=clustering,
        version=__version__,
    )  # fmt: skip


def _tree(between, sizes, clustering):
    """Merges of the clusters down to one, in scipy's linkage form."""
    if len(sizes) < 2 or not between.data.any():  # clusters whose edges all lead to nodes without a cluster
        return np.empty((0, 4))
    rows = graph_rows(Graph(between.indptr, between.indices, between.data, check=False))
    objective = "information" if clustering is None else clustering.settings.objective
    _, children, losses = agglomerate(rows, sizes.astype(np.int64), 1, linkage=objective)
    return MergeTree(children, np.maximum.accumulate(losses), sizes).linkage()
