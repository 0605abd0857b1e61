"""What a fitted clustering of a graph answers: other numbers of clusters, new nodes, a page about it."""

from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .._typing import AnyData, AnyGraph, ArrayLike, Floats, Integers, Labels, PathLike, Table, csr_array
from .._validation import check_integer
from ..exceptions import InputError
from ..graphs.as_graph import as_graph
from ..graphs.from_table import as_library
from ..graphs.graph import Graph
from ..graphs.subgraph import subgraph
from ..metrics import central_nodes, cluster_summary, quotient_graph
from ..selection.cluster_tree import ClusterTree, tree_of
from .out_of_sample import fitted_memberships, new_cost, new_labels, new_memberships, new_shares

if TYPE_CHECKING:
    from ..report.facts import ReportFacts

__all__ = ["FittedGraph"]


class FittedGraph(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """Mixin of CoresetSpectralClustering: the methods that need nothing but a fit."""

    @property
    def n_components_(self) -> int:
        """Number of connected components, computed at first access by a pass over all edges."""
        check_is_fitted(self)
        if self._n_components is None:
            if not hasattr(self, "_graph"):
                raise AttributeError(
                    "n_components_ was not asked for before this model was pickled, and the graph does not go along; "
                    "use Graph.n_components"
                )
            self._n_components = self._graph.n_components
        return self._n_components

    @property
    def graph_(self) -> Graph:
        """The Graph that was clustered: the one given, or the neighbour graph of the vectors."""
        check_is_fitted(self)
        if not hasattr(self, "_graph"):
            raise AttributeError("a pickled model does not hold its graph; keep it with write_graph")
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
        (:func:`graphcore.partition.evidence.edge_evidence`) and where coresets disagree. See :meth:`predict_proba` for
        new rows.

        References
        ----------
        Newman, "Equivalence between modularity optimization and maximum likelihood methods for community detection",
        Physical Review E 94, 2016: the likelihood of the planted model.
        """
        check_is_fitted(self)
        return fitted_memberships(self)

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
            cluster), "stability" (`cluster_stability_`, NaN for a single coreset), "nearest" (the cluster that most of
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

    def predict(self, X: AnyData) -> Labels:
        """Clusters of new vectors or new nodes, without fitting again.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_new, n_features), or a graph
            What a row holds follows from the fit. After vectors: a new vector, whose `n_neighbors` nearest of the
            fitted vectors are its edges (searched exactly: n_new * n_samples distances). After a graph: weights of a
            new node's edges to the nodes that were fitted; a graph of the same nodes stands for its own rows. After
            ``affinity="precomputed_nearest_neighbors"``: distances to fitted vectors.

        Returns
        -------
        ndarray of shape (n_new,), int32
            Every row by itself joins the cluster that gains most from it, of those that it has edges to; -1 for rows
            without any.

        Raises
        ------
        ValueError
            :class:`graphcore.InputError` or scikit-learn's own, if X does not fit what was fitted.

        Examples
        --------
        >>> import graphcore
        >>> X, y = graphcore.datasets.blobs(200, 3, spread=0.5, random_state=0)
        >>> model = graphcore.CoresetSpectralClustering(3, random_state=0).fit(X[:150])
        >>> graphcore.metrics.agreement(model.predict(X[150:]), y[150:])["ari"]
        1.0
        """
        check_is_fitted(self)
        return new_labels(self, X)

    def transform(self, X: AnyData) -> Floats:
        """Share of the edges of new vectors or new nodes that go to each cluster.

        Parameters
        ----------
        X : array-like, sparse matrix or graph, as for :meth:`predict`

        Returns
        -------
        ndarray of shape (n_new, n_clusters), float64
            Rows add up to 1, or to 0 without an edge to a cluster. A data frame after :meth:`set_output`.

        Examples
        --------
        >>> import graphcore
        >>> graph = graphcore.Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
        >>> model = graphcore.CoresetSpectralClustering(2, random_state=0).fit(graph)
        >>> float(model.transform([[1, 1, 1, 1, 0, 0]]).max())  # a new node with four edges
        0.75
        """
        check_is_fitted(self)
        return new_shares(self, X)

    def predict_proba(self, X: AnyData) -> Floats:
        """Probability of each cluster for new vectors or new nodes, of those that they have edges to.

        Parameters
        ----------
        X : array-like, sparse matrix or graph, as for :meth:`predict`

        Returns
        -------
        ndarray of shape (n_new, n_clusters), float64
            Rows add up to 1, or to 0 without an edge to a cluster. How they are made, and how far they can be relied
            on, is said at `membership_`. With ``objective="information"`` the largest is that of :meth:`predict`.

        Examples
        --------
        >>> import graphcore
        >>> graph = graphcore.Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
        >>> model = graphcore.CoresetSpectralClustering(2, random_state=0).fit(graph)
        >>> probabilities = model.predict_proba([[1.0, 1.0, 0.0, 0.0, 1.0, 0.0]])  # friends of nodes 0, 1 and 4
        >>> probabilities.shape, bool(probabilities[0, model.labels_[0]] > 0.5)
        ((1, 2), True)
        """
        check_is_fitted(self)
        return new_memberships(self, X)

    def score(self, X: AnyData, y: object = None) -> float:
        """Minus the mean cost of new vectors or new nodes under the kernel ``D^-1 A D^-1``. Larger is better.

        The cost is the squared distance to the centroid of the cluster that :meth:`predict` gives, weighted by degree,
        as in :meth:`KernelKMeans.score`. GridSearchCV and cross_val_score use it where no ``scoring=`` is given. It
        compares fits of the same graphs with the same number of clusters (over `coreset_size`, `objective`). It rises
        with the number of clusters, and changes with the graph, so that it chooses none of `n_clusters`,
        `n_neighbors` and `metric`: for these give ``scoring=``, or use :func:`graphcore.select_n_clusters`.
        Matrices of graphs are split with ``affinity="precomputed"``, which takes rows and columns alike.

        Parameters
        ----------
        X : array-like, sparse matrix or graph
            See :meth:`predict`. Rows without an edge to a cluster count for nothing.
        y : ignored

        Returns
        -------
        float
            For the graph of the fit ``n_clusters (1 - NC)`` over the sum of all degrees, where NC is the normalised
            cut and there are no loops.

        Examples
        --------
        >>> import graphcore
        >>> graph = graphcore.Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
        >>> model = graphcore.CoresetSpectralClustering(2, random_state=0).fit(graph)
        >>> round(model.score(graph), 3)
        0.122
        """
        check_is_fitted(self)
        return -new_cost(self, X)

    def report(
        self, path: PathLike, graph: AnyGraph | None = None, *, title: str | None = None,
        truth: ArrayLike | None = None, pictures: bool | str = "auto",
    ) -> "ReportFacts":  # fmt: skip
        """Write a report on the clusters: one HTML file that needs no other file and no network.

        Parameters
        ----------
        path : str or path-like
            Output file, written whole or not at all; "-" is standard output. Of more than 100,000 nodes the page lists
            the most central ones, and ``<path>.nodes.tsv`` gets the cluster of each.
        graph : Graph, sparse matrix or networkx graph, optional
            The graph that was clustered, for a model that was pickled: the graph does not go along.
        title : str, optional
            Heading of the page.
        truth : array-like of shape (n_samples,), optional
            Known classes to compare with, of any kind; integers below 0 and the text "-1" stand for "not known".
        pictures : bool or "auto", default "auto"
            Whether to draw pictures, which needs matplotlib; "auto" leaves them out where that is missing.

        Returns
        -------
        ReportFacts
            The figures on the page, see :func:`graphcore.report.gather_facts`.

        Raises
        ------
        OSError
            If the file cannot be written, before any work.
        InputError
            If the graph is not known any more, or has another number of nodes.

        Examples
        --------
        >>> import graphcore
        >>> karate = graphcore.datasets.load_karate()
        >>> model = graphcore.CoresetSpectralClustering(2, random_state=0).fit(karate.graph)
        >>> model.report("karate.html", title="A karate club")  # doctest: +SKIP
        """
        check_is_fitted(self)
        from ..report.of_model import report_model

        graph = getattr(self, "_graph", None) if graph is None else as_graph(graph, symmetrize=self.symmetrize)
        if graph is None:
            raise InputError("a pickled model does not hold its graph; pass it: model.report(path, graph)")
        return report_model(
            self, path, graph, self._result, of_vectors=self._reference.kind == "vectors", title=title, truth=truth,
            pictures=pictures,
        )  # fmt: skip

    def __getstate__(self):
        # The graph may be larger than all else, and whoever loads the model may have no use for it.
        return {name: value for name, value in super().__getstate__().items() if name != "_graph"}
