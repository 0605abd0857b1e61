"""What a fitted clustering of a graph answers: clusters, other numbers of them, the graph between them."""

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .._typing import Array, Floats, Integers, Labels, Table, csr_array
from .._validation import check_integer
from ..exceptions import InputError
from ..graphs.derived import subgraph
from ..graphs.from_table import as_library
from ..graphs.graph import Graph
from ..metrics import central_nodes, cluster_summary, quotient_graph
from ..partition.evidence import node_memberships
from ..partition.quotient import graph_rows
from ..pipeline.loop import SearchSteps
from ..pipeline.settings import Settings
from ..selection.cluster_tree import ClusterTree, tree_of
from ..selection.result import KSelection


class FittedGraph:
    """Mixin of CoresetSpectralClustering: what a fit leaves, and the methods that need nothing else."""

    labels_: Labels
    n_clusters_: int
    selection_: KSelection | None
    coreset_indices_: Integers
    coreset_weights_: Floats
    coreset_labels_: Labels
    n_unreached_: int
    stability_: NDArray[np.float32] | None
    cluster_stability_: Floats | None
    history_: list[tuple[str, float]]
    search_: SearchSteps | None
    outside_share_: NDArray[np.float32]
    node_names_: Array | None
    settings_: Settings
    seconds_: dict[str, float]
    n_features_in_: int

    def _take(self, fit, reference, *, is_given):
        """Store a Fit, and whether it is of a Graph that was made before; returns the model."""
        reference.weights = fit.node_weights
        reference.set_clusters(fit.sums, fit.evidence)
        self._keep(fit.graph, reference, fit.clustering, fit.outside_shares)
        self.selection_ = fit.selection
        self.seconds_ = fit.seconds
        self._is_given = is_given
        self._unrest = np.zeros(self.n_clusters_)
        return self

    def _keep(self, graph, reference, result, outside_shares):
        """Store what a fit found, or a file held."""
        self.labels_ = result.labels
        self.n_clusters_ = result.settings.n_clusters
        self.outside_share_ = outside_shares
        self.node_names_ = graph.node_names
        self.coreset_indices_ = result.coreset.indices
        self.coreset_weights_ = result.coreset.weights
        self.coreset_labels_ = result.coreset_labels
        self._n_components = self._tree = None
        self.n_unreached_ = result.n_unreached
        self.stability_ = result.node_stability
        self.cluster_stability_ = result.cluster_stability
        self._result = result
        self._graph, self._reference = graph, reference
        self.history_ = result.history
        self.search_ = result.search
        self.settings_ = result.settings

    @property
    def n_components_(self) -> int:
        """Number of connected components, computed at first access by a pass over all edges."""
        check_is_fitted(self)
        if self._n_components is None:
            self._n_components = self.graph_.n_components
        return self._n_components

    @property
    def graph_(self) -> Graph:
        """The Graph that was clustered: the one given, or the neighbour graph of the vectors."""
        check_is_fitted(self)
        if not hasattr(self, "_graph"):
            raise AttributeError(
                "a pickled model does not hold its graph, which this needs; model.save(path) instead of pickle keeps "
                "it, for graphcore.load(path)"
            )
        return self._graph

    @property
    def quotient_graph_(self) -> Graph:
        """The Graph between clusters, computed at each access by a pass over all edges.

        Node c is cluster c; an edge weighs what the edges between two clusters weigh together, a loop what the entries
        inside a cluster add up to (see :func:`graphcore.metrics.quotient_graph`), so that degrees are volumes.
        """
        between = quotient_graph(self.graph_, self.labels_, self.n_clusters_, n_jobs=self.n_jobs)
        return Graph.from_scipy(between)

    @property
    def membership_(self) -> csr_array:
        """Probability of each cluster for every node or vector of the fit, computed at each access.

        A csr_array of shape (n_samples, n_clusters), float64: rows add up to 1, or to 0 for isolated nodes; it holds no
        more entries than the graph, and none below 0.0001. It is the planted model's probability, given the clusters of
        all other nodes, with the evidence of edges discounted where they repeat each other
        (:func:`graphcore.partition.evidence.edge_evidence`) and where drafts disagree. With ``objective="ncut"``, and
        for labels of nearest centroids (``refine=False``), it goes by the gain in normalised cut instead, with edges
        that are worth as much in the mean. See :meth:`predict_proba` for
        new rows.

        References
        ----------
        Newman, "Equivalence between modularity optimization and maximum likelihood methods for community detection",
        Physical Review E 94, 2016: the likelihood of the planted model.
        """
        check_is_fitted(self)
        kept = self._reference
        return node_memberships(
            graph_rows(self.graph_), self.labels_, kept.inner, kept.volumes, kept.evidence, self.settings_.joined_by,
            exponent=kept.exponent, node_weights=kept.weights,
        )  # fmt: skip

    def central_nodes(self, n: int = 5) -> list[Integers]:
        """Nodes of every cluster with the most weight of edges to their own cluster: those that stand for it.

        Parameters
        ----------
        n : int, default 5
            Nodes of each cluster, fewer where it has fewer.

        Returns
        -------
        list of ndarray, int64
            For each cluster, rows of the vectors or numbers of nodes, the most central first (see
            :func:`graphcore.metrics.central_nodes`). ``model.graph_.names_of(nodes)`` are their names.

        Examples
        --------
        >>> import graphcore
        >>> karate = graphcore.datasets.load_karate()
        >>> model = graphcore.CoresetSpectralClustering(2, random_state=0).fit(karate.graph)
        >>> sorted(nodes.tolist() for nodes in model.central_nodes(2))
        [[0, 1], [33, 32]]
        """
        n = check_integer("n", n, low=1)
        return central_nodes(self.graph_, self.labels_, self.n_clusters_, count=n, n_jobs=self.n_jobs)

    def subgraph(self, cluster: int) -> Graph:
        """The nodes of a cluster and the edges between them, as a graph of its own.

        Parameters
        ----------
        cluster : int
            A label from 0.

        Returns
        -------
        Graph
            Its `node_names` are those of the graph, or the nodes' numbers in it. Nodes that have no edge inside the
            cluster are isolated.

        Examples
        --------
        >>> import graphcore
        >>> graph = graphcore.Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
        >>> model = graphcore.CoresetSpectralClustering(2, random_state=0).fit(graph)
        >>> model.subgraph(model.labels_[5]).node_names
        array([3, 4, 5])
        """
        check_is_fitted(self)
        cluster = check_integer("cluster", cluster, low=0, high=self.n_clusters_ - 1)
        nodes = np.flatnonzero(self.labels_ == cluster)
        if len(nodes) == 0:
            raise InputError(f"cluster={cluster} holds no node; summary() has the sizes of all clusters")
        return subgraph(self.graph_, nodes)

    def summary(self, library: str | None = None, *, n_central: int = 3) -> Table:
        """A line about every cluster: size, volume, conductance, stability, nearest cluster, central nodes.

        Parameters
        ----------
        library : {None, "pandas", "polars", "pyarrow"}, default None
            None is a dictionary of arrays, which data frames of all kinds can be made of.
        n_central : int, default 3
            Central nodes of each cluster, see :meth:`central_nodes`.

        Returns
        -------
        dict or table
            Columns "cluster", "size", "volume" (sum of degrees), "conductance" (share of the volume that leaves the
            cluster), "stability" (`cluster_stability_`, NaN for a single draft), "nearest" (the cluster that most of
            this weight leads to, -1 for none) and "central" (names of nodes, or numbers).

        Examples
        --------
        >>> import graphcore
        >>> karate = graphcore.datasets.load_karate()
        >>> summary = graphcore.CoresetSpectralClustering(2, random_state=0).fit(karate.graph).summary()
        >>> list(summary)
        ['cluster', 'size', 'volume', 'conductance', 'stability', 'nearest', 'central']
        """
        table = cluster_summary(self.graph_, self.labels_, self.n_clusters_, n_central=n_central, n_jobs=self.n_jobs)
        stability = np.full(self.n_clusters_, np.nan) if self.cluster_stability_ is None else self.cluster_stability_
        nearest, central = table.pop("nearest"), table.pop("central")
        return as_library(table | {"stability": stability, "nearest": nearest, "central": central}, library)

    @property
    def dendrogram_(self) -> Floats:
        """Merge tree in scipy's linkage form."""
        return self.tree_.to_linkage()

    @property
    def tree_(self) -> ClusterTree:
        """The ClusterTree from micro-clusters through `labels_` to one cluster, computed at first access."""
        check_is_fitted(self)
        if self._tree is None:
            self._tree = tree_of(self._result, self.node_names_)
        return self._tree

    @property
    def groups_(self) -> Labels:
        """Leaf of the tree that each node belongs to, -1 for isolated nodes."""
        return self.tree_.leaf_of

    def labels_at(self, n_clusters: int | None = None, *, resolution: float | None = None) -> Labels:
        """Labels for another number of clusters, from the merge tree, without fitting again.

        A cluster has the same number in all of them: where one is split, the part with more nodes keeps its number.

        Parameters
        ----------
        n_clusters : int, optional
            1 to the number of leaves of the tree.
        resolution : float, optional
            At least 1, instead of `n_clusters`: the best level of the tree for it, see `tree_`.

        Returns
        -------
        ndarray of shape (n_samples,), int32
            0 to ``n_clusters - 1``, -1 for isolated nodes. For the number fitted, the clusters are those of `labels_`,
            under other numbers: a column of ``tree_.to_table()`` says which is which.

        Raises
        ------
        ParameterError
            If not one of the two is given, or it is out of range.

        Examples
        --------
        >>> import graphcore
        >>> karate = graphcore.datasets.load_karate()
        >>> model = graphcore.CoresetSpectralClustering(4, random_state=0).fit(karate.graph)
        >>> coarse, fine = model.labels_at(2), model.labels_at(4)
        >>> [sorted(set(fine[coarse == c].tolist())) for c in (0, 1)]
        [[0, 3], [1, 2]]
        """
        return self.tree_.labels_at(n_clusters, resolution=resolution)

    def __getstate__(self):
        # The graph may be larger than all else, and whoever loads the model may have no use for it.
        return {name: value for name, value in super().__getstate__().items() if name != "_graph"}
