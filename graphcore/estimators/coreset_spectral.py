"""The scikit-learn class for coreset spectral clustering."""

from dataclasses import KW_ONLY
from typing import Self

import numpy as np
from sklearn.base import ClusterMixin
from sklearn.utils.validation import check_is_fitted

from ..base.estimator import Estimator, parameters, stages_of, whole
from ..base.streams import Streams
from ..base.types import AnyData, AnyGraph, ArrayLike, Labels, PathLike
from ..base.validation import are_missing, whole_labels
from ..cluster.settings import check_settings, defaults
from ..exceptions import InputError, ParameterError, warn_user
from ..graphs.columns import check_order
from ..graphs.graph import Graph
from ..graphs.nodes import with_ids
from ..graphs.rows import DIRECTED
from ._fitted import FittedGraph
from ._new_rows import names_with, with_rows
from ._predicted import PredictedRows
from .callbacks import CallbackSupportMixin, fit_with_callbacks
from .fit import fit_graph, graph_of, index_names
from .model_file import write_model
from .update import Update, update_clustering

_SIZES = ("min_cluster_size", "max_cluster_size", "max_share")


@parameters
class CoresetSpectralClustering(CallbackSupportMixin, FittedGraph, PredictedRows, ClusterMixin, Estimator):
    """Coreset spectral clustering of a graph or of vectors, by default with moves that improve the objective.

    Vectors are clustered through the graph of their nearest neighbours. The algorithm as published, which moves no
    nodes, is ``published=True``.

    Parameters
    ----------
    n_clusters : int, list of int, "auto" or None, default 8
        Number of clusters. "auto" chooses it by :func:`graphcore.select_n_clusters` before the fit, which takes
        about as long as the fit, but up to four times as long for graphs without clusters or of vectors; where that
        finds one cluster, the number that maximises modularity is taken, see `selection_`. None lets `resolution`
        choose or, with ``objective="modularity"``, takes the number that maximises modularity. Ascending numbers such
        as [10, 100, 1000] are nested levels, see `level_labels_`; other attributes describe the finest level. Levels
        cannot be combined with limits of size or given labels.
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
        clusters whole and find small ones beside them. "auto" chooses among 1, 0.7, 0.5 and 0.3 by the certainty of the
        clusters, see :doc:`/uneven`, or is 1 where the number of clusters was chosen and is clear. `balance_` is the
        value used.
    outliers : "auto", float or None, default None
        Vectors that are left out before the fit and get the label -1: this share of them, those farthest from their
        neighbours. "auto" leaves out those beyond a gap in the distances, if there is one, see :doc:`/outliers`.
    min_cluster_size : int or float, default 1
        Smallest number of nodes in a cluster; a float is a share of the nodes.
    max_cluster_size : int, float or None, default None
        Largest number of nodes in a cluster; a float is a share of the nodes.
    max_share : float or None, default None
        Largest volume (sum of degrees) of a cluster, as a multiple of the mean volume; 1.03 is usual for graph
        partitioning. Nodes and groups are moved under limits that become tighter step by step.
    effort : {"fast", "default", "high", "best"} or int, default "default"
        Largest number of drafts: 1, 4, 32, as many as improve the objective, or the number given, see :doc:`/sparse`.
        "default" stops when a round of drafts gains less than it costs; it makes one draft on graphs of more than a
        million entries (twenty million for "ncut"). With "modularity" it makes up to eight drafts, and one from a
        hundred million entries on. Graphs of more than 2^28 entries (134 million edges) always have one draft.
    time_limit : float or None, default None
        Seconds after which the search ends with the best partition so far. A round of drafts begins only if it is
        expected to end in time. Labels then depend on the speed of the machine. Without `effort` it means
        ``effort="best"``. Ctrl-C ends a search of more than the default effort in the same way, with a warning.
    resolution : float or None, default None
        With ``n_clusters=None``, a number r of at least 1: the number of clusters k with the largest
        ``information - log(k) / r`` is taken, of the candidates of :func:`graphcore.select_n_clusters`. At 1 there is
        one cluster; larger values give more clusters, see :attr:`tree_`. With ``objective="modularity"`` it is the
        resolution of modularity, any positive number, by default 1, and `n_clusters` may be given as well.
    symmetrize : {"max", "average", "sum", "min", "error", "degree-discounted", "random-walk"}, default "max"
        How an asymmetric matrix or a directed graph is made symmetric, see :meth:`graphcore.Graph.from_edges`.
    coreset_size : int, float or "auto", default "auto"
        Number of nodes in each draft's coreset; a float is a share of the nodes that have an edge. "auto" is 10 for
        every cluster, at least 500, and at least 3 % of the nodes or 100,000, whichever is less, but at most two thirds
        of the nodes.
    sampling : {"auto", "importance", "degree", "uniform"}, default "auto"
        How a coreset is drawn, see :func:`graphcore.build_coreset`. "auto" is "importance", by D2 seeds of a sampling
        tree, and on graphs of more than 2^28 entries "degree", which draws nearly alike and reads no rows at random.
    eigen_solver : {"power", "exact"}, default "power"
        How the coreset graph is embedded: by the power method, or by eigenvectors.
    published : bool, default False
        Whether to run the algorithm of the paper: spectral clustering of the graph induced by the coreset, without
        moves, see :func:`graphcore.coreset_spectral_clustering`. "auto" for `coreset_size` is then 50 for every
        cluster, at least 1,000. It is meant for graphs with hundreds of edges a node.
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
        The choice of the number of clusters; None if it was given. `method` is "modularity" where the edges do
        not clearly support a division.
    coreset_ : Coreset
        Nodes of the first draft's coreset, with weights.
    coreset_labels_ : ndarray of shape (n_coreset,), int32
        Clusters of the coreset nodes on the coreset graph.
    clustering_ : Clustering
        Details of the fit: the coreset, the objective after each stage (`history`; of "ncut" it is the sum of inner
        shares, ``n_clusters (1 - NC)``), the gain of each round of drafts (`search`), and the values used for all
        `settings`.
    stability_ : ndarray of shape (n_samples,), float32, or None
        Share of the first drafts, at most four, that agree with each label; 0 for nodes of label -1, so that the mean
        is ``stability_[labels_ >= 0].mean()``. NaN for nodes that an update moved or added; None for a single draft.
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
    3. the coreset graph: every node joins the coreset node nearest to it by the kernel, and these cells are contracted;
    4. the power method cuts it into six parts for each cluster, which are merged by the objective;
    5. labels go back to all nodes by kernel distances to the clusters' centroids;
    6. nodes and groups of nodes are moved as long as the objective improves;
    7. several such drafts are recombined: groups on which two drafts agree are moved as wholes.

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
    max_share: float | None = None
    effort: float | str = "default"
    time_limit: float | None = None
    resolution: float | None = None
    symmetrize: str = "max"
    coreset_size: float | str = "auto"
    sampling: str = "auto"
    eigen_solver: str = "power"
    published: bool = False

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
            itself. An ``NNDescent`` or ``PyNNDescentTransformer`` may be given, too: :meth:`predict` queries it, and
            :meth:`update` appends to it. Equal vectors get the same label, unless there are fewer distinct vectors
            than clusters, or limits of size prevent it; a warning says so.
        y : array-like of shape (n_samples,), optional
            Used as `labels`, if those are not given, when it has unknown entries: integers with -1 among them, as in
            scikit-learn's semi-supervised classes, or whole numbers with NaN or None. Otherwise ignored, because
            pipelines and searches pass full labels to every step. Do not pass classes coded as -1 and 1.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the nodes: a node of weight 2 counts as two copies with all their edges. The graph with edge
            weights ``w_x A_xy w_y`` is clustered, and `min_cluster_size` and `max_cluster_size` count weights. Nodes of
            weight 0 get -1. The neighbours of vectors do not depend on weights.
        labels : array-like of shape (n_samples,), integer, optional
            Labels that nodes keep, from 0 to ``n_clusters - 1``; -1, NaN and None are unknown. If all are -1, none is
            kept, whatever `y` is. Isolated nodes always get -1.
        initial_labels : array-like of shape (n_samples,), integer, optional
            Labels to start from, coded as `labels`, in place of coresets: nodes of -1 follow their neighbours, and then
            all nodes are moved as at the end of every fit. Clusters keep their numbers.
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
        if labels is None:
            try:
                marked = np.asarray(y)
            except ValueError:  # lists of different lengths, which are ignored
                marked = np.empty(0)
            marked = whole_labels(marked) if are_missing(marked).any() else marked
            labels = y if marked.ndim == 1 and marked.dtype.kind == "i" and (marked == -1).any() else None
            if marked.ndim == 1 and marked.dtype.kind == "O" and are_missing(marked).any():
                warn_user("y holds None beside text, and is not read: give labels= as integers, -1 where there is none")
            if labels is not None and self.outliers is not None:
                warn_user(
                    "y has -1, which means unknown: the other labels of y are kept. If -1 marks noise, give noise a "
                    "number of its own in y; to keep labels on purpose, pass labels=y"
                )
        known = {"labels": labels, "initial_labels": initial_labels, "sample_weight": sample_weight}
        for name, values in (*known.items(), ("ids", ids)):
            check_order(name, values, X)
        return fit_with_callbacks(type(self)._fit, self, X, y, ids=ids, **known)

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
        >>> graphcore.CoresetSpectralClustering(2, random_state=0).fit_predict(graph, [1, -1, -1, -1, -1, 0])
        array([1, 1, 1, 0, 0, 0], dtype=int32)
        """
        return self.fit(X, y, **known).labels_

    def _fit(self, X, on_stage, ids=None, **known):
        streams = Streams(self.random_state)
        # Before the search for neighbours.
        params = check_settings(self.n_clusters, {name: getattr(self, name) for name in defaults()})
        with stages_of(self, on_stage) as stages:
            graph, reference = graph_of(self, X, streams, stages)
            if reference.kind != "edges":
                ids = index_names(X) if ids is None else ids
                graph = graph if ids is None else with_ids(graph, ids)
            elif ids is not None:
                raise ParameterError("ids is for rows of vectors; name the nodes of a graph by Graph.with_nodes")
            return self._fit_graph(graph, reference, params, streams, stages, is_given=isinstance(X, Graph), **known)

    def _fit_graph(self, graph, reference, params, streams, stages, *, is_given, **known):
        """Cluster a graph and keep the Reference of its input; `is_given` if the user made the graph undirected."""
        options = {"random_state": streams, "n_jobs": self.n_jobs, "stages": stages}
        fit = fit_graph(graph, params, kinds=reference.kinds, **known, **options)
        return self._take(fit, reference, is_given=is_given)

    def update(
        self, added: AnyData | None = None, removed: AnyGraph | None = None, *, ids: ArrayLike | None = None
    ) -> Update:
        """Change the graph, or add vectors, and change the labels where the evidence has changed.

        Nodes at changed edges may move to another cluster, then the neighbours of moved nodes. The number of clusters
        and their numbers stay. `labels` of the fit are kept, and clusters respect the model's current
        `min_cluster_size`, `max_cluster_size` and `max_share` on the changed graph. If a tenth of a cluster's volume
        has changed since the fit (or since the last trial), it is dissolved and formed anew, which splits and unites
        clusters if that raises the objective; models with upper limits or given labels do not.

        Parameters
        ----------
        added, removed : edges, optional; or for a model of vectors, added : array-like of shape (n_new, n_features)
            Vectors are new rows, numbered after the existing ones. They are joined to their `n_neighbors` nearest rows,
            and to rows whose listed neighbours are farther. Edges are a tuple of arrays (sources, targets) or (sources,
            targets, weights), an integer array of shape (n_edges, 2) or (2, n_edges), a table with columns source and
            target, or a graph. Nodes are identified by their names, if the graph has any, otherwise by their numbers;
            names that are new, and numbers from `n_nodes` on, are new nodes. If the graph has weights, the weight of an
            existing edge is increased, and both directions add up. Edges are removed as a whole, whatever their weight,
            before others are added: an edge in both gets a new weight.
        ids : array-like of shape (n_new,), optional
            Names of new vectors, for a model that was fitted with `ids`. Default: the index of a pandas DataFrame, as
            for :meth:`fit`, if no earlier row has one of these names; otherwise their row numbers.

        Returns
        -------
        Update
            The nodes that moved, and the clusters that were split or united (`Update`).

        Raises
        ------
        InputError
            If an edge to be removed is not there, vectors are none of those of the fit (other columns, NaN), or the
            model was fitted to distances, with sample weights, or to a directed graph with
            ``symmetrize="degree-discounted"`` or ``"random-walk"``.
        ParameterError
            If no labels are found within the limits; the model is then unchanged. ``set_params`` widens the limits.

        Notes
        -----
        The rows of the graph are copied once and read twice; all other work depends on the size of the change.
        `labels_`, `outside_share_`, `graph_` and the basis of :meth:`predict` are those of the changed graph.
        `stability_` is NaN for nodes that moved or are new. In `tree_`, the new nodes of a cluster are one leaf.
        Attributes of nodes stay; new nodes have those of an added graph, or missing ones.

        After vectors all rows, old and new, are what :meth:`predict` searches. With `outliers` new rows as far from
        their neighbours as outliers of the fit get -1, and outliers of the fit stay so.

        Examples
        --------
        >>> import graphcore
        >>> graph = graphcore.Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
        >>> model = graphcore.CoresetSpectralClustering(2, random_state=0).fit(graph)
        >>> done = model.update(added=([6, 6], [4, 5]), removed=([2], [3]))
        >>> done.new_nodes, bool(model.labels_[6] == model.labels_[5])
        (array([6]), True)
        """
        check_is_fitted(self)
        reference = self._reference
        of_vectors = reference.kind == "vectors" or reference.searcher is not None
        if reference.kind == "distances" and not of_vectors:
            raise InputError("update is for models of graphs or vectors, and this one was fitted to distances")
        if reference.weights is not None:
            raise InputError("update is for models without sample_weight; weigh what has changed in another fit")
        if of_vectors and (added is None or removed is not None):
            raise InputError("a model of vectors is updated by new rows: model.update(X); none are taken out")
        if not of_vectors and self.symmetrize in DIRECTED and not self._is_given:
            raise InputError(
                f"with symmetrize={self.symmetrize!r} a link changes edges everywhere; fit the changed graph again"
            )
        volume_changes = self._volume_changes.copy()  # what fails changes nothing
        if ids is not None and (not of_vectors or self._names is None):
            raise ParameterError("ids is for models of vectors that were fitted with ids; leave it out")
        graph, changes, streams, names = self._graph, (added, removed), Streams(self.random_state), None
        with stages_of(self) as stages:
            if of_vectors:
                with stages("neighbours"):
                    graph, reference, changes = with_rows(self, added, streams)
                    if self._names is not None:
                        names = names_with(self._names, ids, added, graph)
            graph, result, done, sums, shares = update_clustering(
                graph, self.clustering_, volume_changes, {name: getattr(self, name) for name in _SIZES}, changes,
                kinds=reference.kinds, random_state=streams, n_jobs=self.n_jobs, stages=stages,
            )  # fmt: skip
        self._keep(graph if names is None else graph._by_names(names), reference, result, shares)
        self.n_features_in_ = self.n_features_in_ if reference.kind == "vectors" else graph.n_nodes
        self._volume_changes = volume_changes
        self._reference.set_clusters(sums)
        return done

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
