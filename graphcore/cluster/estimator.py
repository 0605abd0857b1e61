"""The scikit-learn class for coreset spectral clustering."""

from ..base.estimator import Estimator, parameters, stages_of, whole  # first: it imports scikit-learn quickly

# isort: split
from dataclasses import KW_ONLY
from typing import TYPE_CHECKING, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..base.streams import Streams
from ..base.types import AnyData, ArrayLike, Floats, Floats32, Labels, PathLike, Table, csr_array
from ..base.validation import check_integer, check_labels, check_sample_weight, check_targets
from ..exceptions import InputError, ParameterError, warn_user
from ..graphs.columns import without_levels
from ..graphs.from_table import as_library
from ..graphs.graph import Graph, subgraph
from ..graphs.nodes import with_ids
from ..metrics import cluster_summary, quotient_graph
from .cluster_tree import ClusterTree
from .coreset import Coreset
from .fit import evidence_of, fit_graph, graph_of, index_names
from .membership import mean_cost, node_memberships, predicted_labels, predicted_probabilities, predicted_shares
from .model_file import read_model, write_model
from .n_clusters import KSelection
from .pipeline import Clustering
from .refine.problem import sums_and_shares
from .settings import DEFAULTS, check_settings

if TYPE_CHECKING:
    from ..report.facts import ReportFacts

_AFFINITIES = {
    "edges": "precomputed", "vectors": "nearest_neighbors", "distances": "precomputed_nearest_neighbors",
}  # fmt: skip


@parameters
class CoresetSpectralClustering(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, Estimator):
    """Coreset spectral clustering of a graph or of vectors, with moves that improve the objective.

    Vectors are clustered through the graph of their nearest neighbours. The algorithm as published, which moves no
    nodes, is the function :func:`graphcore.coreset_spectral_clustering`.

    Parameters
    ----------
    n_clusters : int, list of int, "auto" or None, default 8
        Number of clusters. "auto" chooses it by :func:`graphcore.select_n_clusters` before the fit, which takes one
        to four times as long as the fit; where that finds one cluster, the number that maximises
        modularity is taken, see `selection_`. None lets `resolution` choose or, with ``objective="modularity"``, takes
        the number that maximises modularity. Ascending numbers such as [10, 100, 1000] are nested levels, see
        `level_labels_`; other attributes describe the finest level. Levels cannot be combined with limits of size or
        given labels.
    affinity : {"auto", "nearest_neighbors", "precomputed", "precomputed_nearest_neighbors"}, default "auto"
        Kind of the input of :meth:`fit`. "precomputed": a graph, also as a dense square array or as two columns of
        integers. "nearest_neighbors": vectors, whose kNN graph is built. "precomputed_nearest_neighbors": a square
        matrix of distances, dense or sparse (to neighbours only), as scikit-learn's transformers return it with
        ``mode="distance"``, or two arrays, see :meth:`fit`. "auto": graph objects, square sparse matrices, tables and
        arrays of edges are graphs, two arrays of two dimensions are neighbours, everything else is vectors. Two columns
        of integers are ambiguous and raise an error.
    n_neighbors : int, default 10
        Number of neighbours of every vector, at most the number of vectors minus one.
    metric : str, default "euclidean"
        Distance between vectors, see :func:`graphcore.knn_graph`.
    objective : {"information", "ncut", "modularity"}, default "information"
        The quality measure to maximise. "information" is the information that clusters hold about edges. "ncut" is the
        normalised cut (minimised), which may split off a few nodes that hang by one edge. "modularity" is the objective
        of Louvain and Leiden.
    balance : "auto" or float, default "auto"
        Preference of "information" for clusters of equal size, above 0 and at most 1. Smaller values leave large
        clusters whole and find small ones beside them. "auto" takes the one of 1, 0.7, 0.5 and 0.3 whose clusters are
        found again from other parts, see :doc:`/choose_k`, or is 1 where the number of clusters was chosen and is
        clear. `balance_` is the value used.
    outliers : "auto", float or None, default None
        Vectors that are left out before the fit and get the label -1: this share of them, those farthest from their
        neighbours. "auto" leaves out those beyond a gap in the distances, if there is one, see :doc:`/embeddings`.
    min_cluster_size : int or float, default 1
        Smallest number of nodes in a cluster; a float is a share of the nodes that have an edge.
    max_cluster_size : int, float or None, default None
        Largest number of nodes in a cluster; a float is a share of the nodes that have an edge.
    effort : {"fast", "default", "high", "best"} or int, default "default"
        Largest number of drafts: 1, 4, 32, as many as improve the objective, or the number given, see
        :doc:`/how_it_works`. "default" stops when a round of drafts gains less than it costs; it makes one draft on
        graphs of more than a million entries (twenty million for "ncut", four for "modularity"). Graphs of more than
        2^28 entries (134 million edges) always have one draft. Ctrl-C ends a search by "high", "best" or a number above
        1 with the best partition so far, and a warning.
    resolution : float or None, default None
        With ``n_clusters=None``, a number r of at least 1: the number of clusters k with the largest
        ``information - log(k) / r`` is taken, of the candidates of :func:`graphcore.select_n_clusters`. At 1 there is
        one cluster; larger values give more clusters, see :attr:`tree_`. With ``objective="modularity"`` it is the
        resolution of modularity, any positive number, by default 1, and `n_clusters` stays what it is, 8 by default.
    symmetrize : {"max", "average", "sum", "min", "error"}, default "max"
        How an asymmetric matrix or a directed graph is made symmetric, see :meth:`graphcore.Graph.from_edges`.
    coreset_size : int, float or "auto", default "auto"
        Number of nodes in each draft's coreset; a float is a share of the nodes that have an edge. "auto" is 10 for
        every cluster, at least 500, and at least 3 % of the nodes or 100,000, whichever is less, but at most two thirds
        of the nodes.
    random_state : int, numpy Generator, RandomState or None, default None
        Seed of the random draws; the same integer gives the same labels.
    n_jobs : int or None, default None
        Number of threads: None is one, -1 is all. The labels of a graph do not depend on it.
    verbose : int, default 0
        1 reports the seconds of every stage, to the logger "graphcore" (INFO) or, if no logging is set up, to stderr.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Cluster of every node or vector, from 0; -1 for isolated nodes and `outliers`.
    n_clusters_ : int
        Number of clusters, given or chosen; that of the finest level.
    selection_ : KSelection or None
        The choice of the number of clusters; None if it was given or is that of largest modularity. `method` is
        "modularity" where the edges do not clearly support a division.
    coreset_ : Coreset
        Nodes of the first draft's coreset, with weights.
    coreset_labels_ : ndarray of shape (n_coreset,), int32
        Clusters of the coreset nodes on the coreset graph.
    clustering_ : Clustering
        Details of the fit: the coreset, the objective after each stage (`history`; of "ncut" it is the sum of inner
        shares, ``n_clusters (1 - NC)``), the number of drafts (`n_drafts`), and the values used for all
        `settings`.
    stability_ : ndarray of shape (n_samples,), float32, or None
        Share of the first drafts, at most four, that agree with each label; 0 for nodes of label -1, so that the mean
        is ``stability_[labels_ >= 0].mean()``. None for a single draft.
    cluster_stability_ : ndarray of shape (n_clusters,), float64, or None
        Mean Jaccard index of each cluster with its counterparts in the same drafts.
    outside_share_ : ndarray of shape (n_samples,), float32
        Share of each node's edge weight that leaves its cluster, see :func:`graphcore.metrics.outside_share`; NaN for
        isolated nodes.
    seconds_ : dict
        Wall-clock seconds of every stage.
    n_features_in_ : int
        Number of columns of the vectors (of the matrix, for a graph).
    affinity_, balance_, conductance_, coreset_graph_, graph_, level_labels_, membership_, outlier_scores_
        Properties, computed at each access and described below.
    probabilities_, quotient_graph_, tree_
        Properties, computed at each access (`tree_` at the first) and described below.

    Notes
    -----
    A fit makes drafts in five stages, those of :func:`graphcore.coreset_spectral_clustering`, and improves the
    objective in two more:

    1. the kernel ``D^-1 A D^-1``, read off the graph;
    2. a coreset, drawn through a sampling tree by D2 seeds and importance;
    3. the coreset graph: every node joins the coreset node of largest kernel value, and these cells are contracted;
    4. the power method cuts it into six parts for each cluster, which are merged by the objective;
    5. labels go back to all nodes by kernel distances to the clusters' centroids;
    6. nodes and groups of nodes are moved as long as the objective improves;
    7. several such drafts are recombined: groups on which two drafts agree are moved as wholes.

    Threads may fit models of their own at the same time; one model that several of them fit mixes their attributes.

    Where the number of clusters is free (``objective="modularity"``), merging in stage 4 begins with the cells.

    References
    ----------
    Jourdan, Schwartzman, Macgregor, Sun, "Coreset Spectral Clustering".

    Examples
    --------
    >>> import graphcore
    >>> karate = graphcore.datasets.load_karate()
    >>> model = graphcore.CoresetSpectralClustering(n_clusters=2, random_state=0).fit(karate.graph)
    >>> model.labels_.shape, model.n_clusters_
    ((34,), 2)
    """

    n_clusters: int | list[int] | str | None = 8
    _: KW_ONLY
    affinity: str = "auto"
    n_neighbors: int = 10
    metric: str = "euclidean"
    objective: str = "information"
    balance: float | str = "auto"
    outliers: float | str | None = None
    min_cluster_size: float = 1
    max_cluster_size: float | None = None
    effort: float | str = "default"
    resolution: float | None = None
    symmetrize: str = "max"
    coreset_size: float | str = "auto"

    _mark_of_fit = "labels_"

    @whole
    def fit(
        self, X: AnyData, y: object = None, sample_weight: ArrayLike | None = None, *,
        labels: ArrayLike | None = None, initial_labels: ArrayLike | None = None, ids: ArrayLike | None = None,
    ) -> Self:  # fmt: skip
        """Cluster a graph or vectors.

        Parameters
        ----------
        X : graph, or array-like of shape (n_samples, n_features)
            Graphs are a Graph, a sparse matrix, a networkx or igraph graph, AnnData, a table of edges, a tuple of the
            arrays of their ends, or an integer array of shape (2, n_edges); see `affinity`. Neighbours from an index of
            any library are a tuple of two arrays of shape (n_samples, k): row numbers (integers, negative for none) and
            distances (floats), in either order. The nearest `n_neighbors` of each row are used, without the row
            itself. An ``NNDescent`` may be given, too: :meth:`predict` queries it. Equal vectors get the same label,
            unless there are fewer distinct vectors than clusters, or `max_cluster_size` or `labels` prevent it; a
            warning says so.
        y : ignored
            One for each row, as a Pipeline passes it. Labels that are known in part are `labels`.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the nodes: a node of weight 2 counts as two copies with all their edges. The graph with edge
            weights ``w_x A_xy w_y`` is clustered, and `min_cluster_size` and `max_cluster_size` count weights. Nodes of
            weight 0 get -1. The neighbours of vectors do not depend on weights.
        labels : array-like of shape (n_samples,), integer, optional
            Labels that nodes keep, from 0 to ``n_clusters - 1``; -1, NaN and None are unknown. Isolated nodes always
            get -1.
        initial_labels : array-like of shape (n_samples,), integer, optional
            Labels to start from, coded as `labels`, in place of coresets: nodes of -1 follow their neighbours, and then
            all nodes are moved as at the end of every fit. Clusters keep their numbers; a warning says where a number
            goes to other nodes, as its cluster was united with another. Numbers that no node has go to new clusters.
        ids : array-like of shape (n_samples,), optional
            Names of the rows of vectors, all different: the `node_names` of `graph_`, which reports, trees and files
            use; of a table, ``fit(table.drop(columns="name"), ids=table["name"])``. Default: the index of a pandas
            DataFrame, if it holds different texts that are no numbers. A graph brings its own, see
            :meth:`Graph.with_nodes`.

        Returns
        -------
        self : CoresetSpectralClustering

        Raises
        ------
        InputError, ParameterError
            scikit-learn's plain ValueError for arrays of one or three dimensions, empty ones, and NaN in a matrix.

        Examples
        --------
        >>> import graphcore
        >>> graph = graphcore.Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
        >>> graphcore.CoresetSpectralClustering(2, random_state=0).fit(graph).n_clusters_
        2
        """
        streams = Streams(self.random_state)
        params = check_settings({name: getattr(self, name) for name in DEFAULTS})  # before the search for neighbours

        def check(n_points):
            if y is not None:
                check_targets(y)
            if sample_weight is not None:
                check_sample_weight(sample_weight, n_points)
            for name, given in (("labels that stay", labels), ("initial_labels", initial_labels)):
                if given is not None:
                    check_labels(name, given, n_points)

        with stages_of(self) as stages:
            graph, reference, kinds = graph_of(self, X, streams, stages, check)
            if reference.kind != "edges":
                ids = index_names(X) if ids is None else ids
                graph = graph if ids is None else with_ids(graph, ids)
            elif ids is not None:
                raise ParameterError("ids is for rows of vectors; name the nodes of a graph by Graph.with_nodes")
            edge_weight = graph.mean_weight  # before nodes are weighed
            graph, clustering, selection, reference.weights = fit_graph(
                graph, params, streams, stages, kinds=kinds, labels=labels, initial_labels=initial_labels,
                sample_weight=sample_weight, n_jobs=self.n_jobs,
            )  # fmt: skip
            with stages("score"):
                sums, shares = sums_and_shares(graph, clustering.labels, clustering.settings.n_clusters, self.n_jobs)
            n_without = int(np.count_nonzero((sums.internal == 0) & (sums.volume > 0)))
            if n_without and self.n_clusters is not None:
                warn_user(
                    f"{n_without} of n_clusters={len(sums.volume)} clusters have no edge within, such as single nodes; "
                    "ask for fewer clusters, or give min_cluster_size, another objective ('ncut', 'information'), "
                    "or balance=1 if balance_ is less"
                )
            reference.set_clusters(sums, evidence_of(graph, clustering, sums), edge_weight)
            self._keep(graph, reference, clustering, shares)
            self.selection_: KSelection | None = selection
            self.seconds_: dict[str, float] = dict(stages.seconds)
            self._params_of_fit = self.get_params(deep=False)
        return self

    def fit_predict(self, X: AnyData, y: object = None, **known: ArrayLike | None) -> Labels:
        """Call :meth:`fit`, and return `labels_`.

        Parameters
        ----------
        X, y, **known
            As for :meth:`fit`.

        Returns
        -------
        ndarray of shape (n_samples,), int32

        Examples
        --------
        >>> import graphcore
        >>> graph = graphcore.Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
        >>> graphcore.CoresetSpectralClustering(2, random_state=0).fit_predict(graph, labels=[1, -1, -1, -1, -1, 0])
        array([1, 1, 1, 0, 0, 0], dtype=int32)
        """
        return self.fit(X, y, **known).labels_

    def _keep(self, graph, reference, clustering, outside_shares):
        """Store what a fit found, or a file held."""
        self.clustering_: Clustering = clustering
        self.labels_: Labels = clustering.labels
        self.n_clusters_: int = clustering.settings.n_clusters
        self.coreset_: Coreset = clustering.coreset
        self.coreset_labels_: Labels = clustering.coreset_labels
        self.stability_: Floats32 | None = clustering.node_stability
        self.cluster_stability_: Floats | None = clustering.cluster_stability
        self.outside_share_: Floats32 = outside_shares
        self._graph, self._reference, self._tree = graph, reference, None

    def predict(self, X: AnyData) -> Labels:
        """Clusters of new vectors or new nodes, without fitting again.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_new, n_features), or a graph
            What a row holds follows from the fit. After vectors: a new vector, whose `n_neighbors` nearest of the
            fitted vectors are its edges (found by walks over the graph of the fit where the fit searched approximately,
            else exactly: n_new * n_samples distances). After a graph: weights of a new node's edges to the nodes that
            were fitted; a graph of the same nodes stands for its own rows. After
            ``affinity="precomputed_nearest_neighbors"``, or arrays of neighbours: distances to fitted vectors, in a
            sparse matrix or in two arrays as for :meth:`CoresetSpectralClustering.fit`.

        Returns
        -------
        ndarray of shape (n_new,), int32
            Every row by itself joins the cluster that gains most from it, of those that it has edges to; -1 for rows
            without any, and, after a fit with `outliers`, for rows as far from those clustered as outliers are:
            ``transform(X).argmax(axis=1)`` is the cluster that most of their neighbours are in.

        Examples
        --------
        >>> import graphcore
        >>> from sklearn.datasets import make_blobs
        >>> X, y = make_blobs(200, centers=3, cluster_std=0.5, random_state=0)
        >>> model = graphcore.CoresetSpectralClustering(3, random_state=0).fit(X[:150])
        >>> graphcore.metrics.agreement(model.predict(X[150:]), y[150:])["ari"]
        1.0
        """
        check_is_fitted(self)
        return predicted_labels(self, X)

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
        >>> model = graphcore.CoresetSpectralClustering(2, random_state=0).fit(graphcore.datasets.load_karate().graph)
        >>> model.transform(model.graph_).shape
        (34, 2)
        """
        check_is_fitted(self)
        return predicted_shares(self, X)

    def predict_proba(self, X: AnyData) -> Floats:
        """Probability of each cluster for new vectors or new nodes, of those that they have edges to.

        Parameters
        ----------
        X : array-like, sparse matrix or graph, as for :meth:`predict`

        Returns
        -------
        ndarray of shape (n_new, n_clusters), float64
            Rows add up to 1, or to 0 where :meth:`predict` gives -1: without an edge to a cluster, and for outliers.
            They are computed as `membership_` (which leaves out nodes' own loops) and as reliable. The largest is that
            of :meth:`predict`.

        Examples
        --------
        >>> import graphcore
        >>> model = graphcore.CoresetSpectralClustering(2, random_state=0).fit(graphcore.datasets.load_karate().graph)
        >>> friend = model.predict_proba([[1.0] + [0.0] * 33])  # a new node that knows node 0
        >>> friend.shape, bool(friend[0, model.labels_[0]] > 0.5)
        ((1, 2), True)
        """
        check_is_fitted(self)
        return predicted_probabilities(self, X)

    def score(self, X: AnyData, y: object = None) -> float:
        """Minus the mean cost of new vectors or new nodes under the kernel ``D^-1 A D^-1``. Larger is better.

        The cost is the squared distance to the centroid of the cluster that :meth:`predict` gives, weighted by degree,
        as in :meth:`KernelKMeans.score`. The kernel has zeros on its diagonal, so that squared distances may be
        negative: the score of the graph of the fit is above 0.

        GridSearchCV and cross_val_score use it where no ``scoring=`` is given, and split matrices of graphs with
        ``affinity="precomputed"``. It compares normalised cuts of the same graph with the same number of clusters, as
        it rises with that number: for `n_clusters`, `n_neighbors` and `metric` give ``scoring=``, or use
        :func:`graphcore.select_n_clusters`.

        Parameters
        ----------
        X : array-like, sparse matrix or graph
            See :meth:`predict`. Rows without an edge to a cluster count for nothing.
        y : ignored

        Returns
        -------
        float
            For the graph of a fit without weights of nodes, if :meth:`predict` gives `labels_`, ``n_clusters (1 - NC)``
            over the sum of all degrees, where NC is the normalised cut and there are no loops.

        Examples
        --------
        >>> import graphcore
        >>> model = graphcore.CoresetSpectralClustering(2, random_state=0).fit(graphcore.datasets.load_karate().graph)
        >>> round(model.score(model.graph_), 4)
        0.0112
        """
        check_is_fitted(self)
        return -mean_cost(self, X)

    @property
    def _n_features_out(self):
        return self.n_clusters_

    @property
    def graph_(self) -> Graph:
        """The Graph that was clustered: the one given, or the neighbour graph of the vectors.

        Weights of the nodes are multiplied into those of its edges; :meth:`predict` and its kin then take the graph
        that was given instead, as they count the fitted nodes by their weights. `outliers` are in it as isolated nodes,
        so that ``n_components - n_isolated`` counts the components of what was clustered.
        """
        check_is_fitted(self)
        return self._graph

    @property
    def affinity_(self) -> str:
        """The value of `affinity` that was used, which says how new rows are read."""
        check_is_fitted(self)
        return _AFFINITIES[self._reference.kind]

    @property
    def probabilities_(self) -> Floats:
        """Probability of its cluster for every node, the largest of its row in `membership_`, or 0."""
        return self.membership_.max(axis=1).toarray().ravel()

    @property
    def conductance_(self) -> Floats:
        """Share of the volume of each cluster that leaves the cluster, and 1 where there is no volume.

        An array of shape (n_clusters,), float64, whose mean over clusters that hold nodes is the normalised cut.
        """
        check_is_fitted(self)
        inner, volumes = self._reference.inner, self._reference.volumes
        return np.divide(volumes - inner, volumes, out=np.ones(len(volumes)), where=volumes > 0)

    @property
    def outlier_scores_(self) -> Floats32:
        """Outlier score of each row, from 0 to 1: ``d / (d + median)``, with the distance d to its last neighbour.

        Of a graph, which has no distances, it is `outside_share_`. (n_samples,), float32.
        """
        check_is_fitted(self)
        found = self._reference.outliers
        return self.outside_share_ if found is None else found.scores

    @property
    def balance_(self) -> float:
        """The value of `balance` that was used; ``clustering_.balances`` has the candidates of "auto"."""
        check_is_fitted(self)
        return self.clustering_.settings.balance

    @property
    def level_labels_(self) -> Labels:
        """Labels of every level, coarse to fine, (n_levels, n_samples) int32; the last are `labels_`.

        Every cluster lies inside one of the level above.
        """
        check_is_fitted(self)
        return self.clustering_.level_labels

    @property
    def quotient_graph_(self) -> Graph:
        """The Graph between clusters, computed at each access by a pass over all edges.

        Node c is cluster c; an edge weighs what the edges between two clusters weigh together, a loop what the entries
        inside a cluster add up to (see :func:`graphcore.metrics.quotient_graph`), so that degrees are volumes; of a
        graph of more than 2^28 entries all is estimated.
        """
        between = quotient_graph(self.graph_, self.labels_, self.n_clusters_, n_jobs=self.n_jobs)
        return Graph.from_scipy(between)

    @property
    def coreset_graph_(self) -> csr_array | None:
        """The coreset graph of the first draft, computed at each access; None if the fit began with labels given.

        Rows are the cells ``clustering_.cells``. Weights are in the unit of the graph's; what is inside a cell is its
        loop.
        """
        graph, cells = self.graph_, self.clustering_.cells
        return None if cells is None else quotient_graph(graph, cells, int(cells.max()) + 1, n_jobs=self.n_jobs)

    @property
    def membership_(self) -> csr_array:
        """Probability of each cluster for every node or vector of the fit, computed at each access.

        A csr_array of shape (n_samples, n_clusters), float64: rows add up to 1, or to 0 for nodes without an edge to
        another one; it holds no more entries than the graph, and none below 0.0001. It is the planted model's
        probability, given the clusters of all other nodes, with the evidence of edges discounted where they repeat each
        other (`edge_evidence`) and where drafts disagree. With ``objective="ncut"`` it is computed from the gain in
        normalised cut instead, with edges of the same mean evidence.

        References
        ----------
        Newman, "Equivalence between modularity optimization and maximum likelihood methods for community detection",
        Physical Review E 94, 2016: the likelihood of the planted model.
        """
        check_is_fitted(self)
        kept = self._reference
        return node_memberships(
            self.graph_.rows, self.labels_, kept.inner, kept.volumes, kept.evidence,
            self.clustering_.settings.record, exponent=kept.exponent, node_weights=kept.weights,
        )  # fmt: skip

    @property
    def tree_(self) -> ClusterTree:
        """The ClusterTree from cells through `labels_` to one cluster, computed at first access."""
        check_is_fitted(self)
        if self._tree is None:
            leaf_of, leaf_labels, leaf_graph = self.clustering_.leaves
            k, merges = len(np.unique(leaf_labels)), self.clustering_.merge_tree
            self._tree = ClusterTree(merges, leaf_of, leaf_labels, k, self._graph.node_names, leaf_graph)
        return self._tree

    def subgraph(self, cluster: int) -> Graph:
        """Return the nodes of a cluster and the edges between them, as a graph of its own.

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
        >>> model = graphcore.CoresetSpectralClustering(2, random_state=0).fit(graphcore.datasets.load_karate().graph)
        >>> int(model.subgraph(0).n_nodes + model.subgraph(1).n_nodes)
        34
        """
        check_is_fitted(self)
        cluster = check_integer("cluster", cluster, low=0, high=self.n_clusters_ - 1)
        nodes = np.flatnonzero(self.labels_ == cluster)
        if len(nodes) == 0:
            raise InputError(f"cluster={cluster} holds no node; summary() has the sizes of all clusters")
        return subgraph(self.graph_, nodes)

    def summary(self, library: str | None = None, *, n_central: int = 3) -> Table:
        """Return a table of the clusters: size, volume, conductance, stability, nearest cluster, central nodes.

        Parameters
        ----------
        library : {None, "pandas", "polars", "pyarrow"}, default None
            None returns a dictionary of arrays, from which any data frame can be made.
        n_central : int, default 3
            Number of central nodes of each cluster, see :func:`graphcore.metrics.central_nodes`.

        Returns
        -------
        dict or table
            Columns "cluster", "size", "volume" (sum of degrees), "conductance" (share of the volume that leaves the
            cluster), "parts" (how many connected ones it has), "stability" (`cluster_stability_`, NaN for a single
            draft), "nearest" (the cluster that most of this weight leads to, -1 for none) and "central" (names of
            nodes, or numbers).

        Examples
        --------
        >>> import graphcore
        >>> model = graphcore.CoresetSpectralClustering(2, random_state=0).fit(graphcore.datasets.load_karate().graph)
        >>> list(model.summary())
        ['cluster', 'size', 'volume', 'conductance', 'parts', 'stability', 'nearest', 'central']
        """
        table = cluster_summary(self.graph_, self.labels_, self.n_clusters_, n_central=n_central, n_jobs=self.n_jobs)
        stability = np.full(self.n_clusters_, np.nan) if self.cluster_stability_ is None else self.cluster_stability_
        nearest, central = table.pop("nearest"), table.pop("central")
        return as_library(table | {"stability": stability, "nearest": nearest, "central": central}, library)

    def to_table(self, library: str | None = None) -> Table:
        """Return the cluster, stability, outside share and attributes of every node as a table.

        Parameters
        ----------
        library : {None, "pandas", "polars", "pyarrow"}, default None
            None returns a dictionary of arrays, from which any data frame can be made.

        Returns
        -------
        dict or table
            Columns "node" (its name, or number), "cluster" (`labels_`), "stability" (`stability_`, NaN for a single
            draft), "outside_share" (`outside_share_`), of vectors "outlier_score" (`outlier_scores_`), of nested levels
            "level_1" (the coarsest) and so on, and the attributes of the graph's nodes, unless a result has the name or
            they are such levels, with a warning.

        Examples
        --------
        >>> import graphcore
        >>> model = graphcore.CoresetSpectralClustering(2, random_state=0).fit(graphcore.datasets.load_karate().graph)
        >>> list(model.to_table())
        ['node', 'cluster', 'stability', 'outside_share', 'club']
        """
        check_is_fitted(self)
        n = len(self.labels_)
        names = self.graph_.names_of(np.arange(n))
        stability = np.full(n, np.nan, dtype=np.float32) if self.stability_ is None else self.stability_
        columns = {"node": names, "cluster": self.labels_, "stability": stability, "outside_share": self.outside_share_}
        if self._reference.outliers is not None:
            columns["outlier_score"] = self.outlier_scores_
        columns |= {f"level_{i}": level for i, level in enumerate(self.level_labels_[:-1], 1)}
        others = {name: one for name, one in without_levels(self.graph_.attributes).items() if name not in columns}
        old = [name for name in self.graph_.attributes if name not in others]
        if old:
            warn_user(f"attributes of the graph's nodes left out, as results have their names: {', '.join(old)}")
        return as_library(columns | others, library)

    def report(
        self, path: PathLike, *, title: str | None = None, truth: ArrayLike | None = None, pictures: bool = True,
    ) -> "ReportFacts":  # fmt: skip
        """Write a report on the clusters: one HTML file that needs no other file and no network.

        Parameters
        ----------
        path : str or path-like
            Output file, written whole or not at all; "-" is standard output. Of more than 100,000 nodes the page lists
            the most central ones.
        title : str, optional
            Heading of the page.
        truth : array-like of shape (n_samples,), optional
            Known classes to compare with, of any kind; integers below 0 and the text "-1" stand for "not known".
        pictures : bool, default True
            Whether to draw pictures, which needs matplotlib; where that is missing the page says so.

        Returns
        -------
        ReportFacts
            The figures on the page, see :func:`graphcore.report.gather_facts`.

        Raises
        ------
        OSError
            If the file cannot be written, before any work.

        Examples
        --------
        >>> import graphcore
        >>> model = graphcore.CoresetSpectralClustering(2, random_state=0).fit(graphcore.datasets.load_karate().graph)
        >>> model.report("karate.html", title="A karate club")  # doctest: +SKIP
        """
        check_is_fitted(self)
        from ..report.page import report_model

        return report_model(self, path, self.graph_, self.clustering_, title=title, truth=truth, pictures=pictures)

    def save(self, path: PathLike) -> None:
        """Write the model to one file, graph included, without pickle; :func:`graphcore.load` reads it.

        Parameters
        ----------
        path : str or path-like
            A NumPy archive (``.npz``); written whole or not at all.

        Raises
        ------
        OSError
            If the file cannot be written.
        InputError
            If a parameter or a name cannot be written without pickle.

        Notes
        -----
        Parameters of the fit, labels, the graph, vectors that it was made of, sums of the clusters, coreset, stability,
        the choice of the number of clusters and leaves of the tree are kept. Not kept are `seconds_`, the rounds of
        drafts, and a `random_state` that is no integer.

        Examples
        --------
        >>> import os, tempfile
        >>> import graphcore
        >>> model = graphcore.CoresetSpectralClustering(2, random_state=0).fit(graphcore.datasets.load_karate().graph)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "karate.npz")
        ...     model.save(path)
        ...     again = graphcore.load(path)
        >>> bool((again.labels_ == model.labels_).all())
        True
        """
        check_is_fitted(self)
        write_model(self, path)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # affinity may be anything until fit has looked at it.
        tags.input_tags.pairwise = tags.input_tags.positive_only = str(self.affinity).startswith("precomputed")
        return tags


def load(path: PathLike) -> CoresetSpectralClustering:
    """Load a model that :meth:`CoresetSpectralClustering.save` wrote.

    Parameters
    ----------
    path : str or path-like
        The file. No code in it is run, and everything is checked, so it may come from an untrusted source.

    Returns
    -------
    CoresetSpectralClustering
        The fitted model, with all methods of the one that was saved.

    Raises
    ------
    FormatError
        If the file is no model, or damaged.
    OSError
        If it cannot be read.

    Examples
    --------
    >>> import graphcore
    >>> model = graphcore.load("model.npz")  # doctest: +SKIP
    """
    return read_model(CoresetSpectralClustering, path)
