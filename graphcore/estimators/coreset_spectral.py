"""The scikit-learn class for coreset spectral clustering."""

from dataclasses import KW_ONLY
from typing import Self

import numpy as np
from sklearn.base import ClusterMixin
from sklearn.utils.validation import check_is_fitted

from ..base.streams import Streams
from ..base.types import AnyData, AnyGraph, ArrayLike, Labels, PathLike
from ..base.validation import are_missing, whole_labels
from ..cluster.pipeline.parameters import defaults
from ..cluster.pipeline.settings import check_settings
from ..exceptions import InputError, warn_user
from ..graphs.columns import check_order
from ..graphs.graph import Graph
from ..graphs.rows import DIRECTED
from ._checks import Estimator, parameters, stages_of, whole
from ._fitted import FittedGraph
from ._new_rows import with_rows
from ._predicted import PredictedRows
from .callbacks import CallbackSupportMixin, fit_with_callbacks
from .fit import fit_graph, graph_of
from .model_file import write_model
from .update import Update, update_clustering

_SIZES = ("min_cluster_size", "max_cluster_size", "max_share")


@parameters
class CoresetSpectralClustering(CallbackSupportMixin, FittedGraph, PredictedRows, ClusterMixin, Estimator):
    """Coreset spectral clustering of a large graph, or of vectors through their nearest-neighbour graph.

    Parameters
    ----------
    n_clusters : int, list of int, "auto" or None, default 8
        How many clusters. "auto" chooses by :func:`graphcore.select_n_clusters` first, which costs up to about twice
        the fit from two million edges on, and up to five times the fit on fewer; where that finds one cluster, it takes
        modularity's number, see `selection_`. None chooses by `resolution`, at the same cost, or with
        ``objective="modularity"`` takes as many as raise that, at none. Ascending numbers such as [10, 100, 1000] are
        nested levels, see `level_labels_`; all else is of the finest, and they keep to no limits of size and no labels
        given.
    affinity : {"auto", "nearest_neighbors", "precomputed", "precomputed_nearest_neighbors"}, default "auto"
        What is given to :meth:`fit`. "precomputed" takes everything as a graph (a dense square array too, and two
        columns of integers), "nearest_neighbors" everything as vectors, whose kNN graph is built.
        "precomputed_nearest_neighbors" is a square matrix of distances, dense, or to neighbours alone (sparse), as
        scikit-learn's transformers make it with ``mode="distance"``; or two arrays, see :meth:`fit`. "auto": graphs,
        square sparse matrices, tables and arrays of edges are graphs, two arrays of two dimensions are neighbours,
        everything else is vectors; two columns of integers may be either, and are refused.
    n_neighbors : int, default 10
        Neighbours of every vector; at most the number of vectors less one is used.
    metric : str, default "euclidean"
        Distance between vectors, see :func:`graphcore.knn_graph`.
    objective : {"information", "ncut", "modularity"}, default "information"
        What merging and refinement raise. "ncut" is the pure normalised cut, which may cut off a few nodes on a thread
        (a whisker) where "information" finds clusters of weight; "modularity" is what Louvain and Leiden raise.
    balance : "auto" or float, default "auto"
        How far "information" asks for clusters of one size: 1 as far as the graph has them, down to (not at) 0 less and
        less, which leaves large clusters whole and finds small ones beside them. "auto" chooses among 1, 0.7, 0.5 and
        0.3 by how sure the clusters are, or takes what a number of clusters was chosen at, see :doc:`/uneven`;
        `balance_` is what it came to.
    outliers : "auto", float or None, default None
        Which vectors are left out before clusters are formed, and get -1: a share of them, those farthest from their
        neighbours, or with "auto" those beyond a valley in the distances, if there is one, see :doc:`/outliers`.
    min_cluster_size : int or float, default 1
        No cluster has fewer nodes; a float is a share of the nodes.
    max_cluster_size : int, float or None, default None
        No cluster has more nodes; a float is a share of the nodes.
    max_share : float or None, default None
        No cluster has a volume (sum of degrees) of more than this many times the mean volume; 1.03 is a balance as
        graph partitioners keep it. Nodes and groups are moved under limits that become tighter step by step.
    effort : {"fast", "default", "high", "best"} or int, default "default"
        How many drafts are made at most: 1, 4, 32, as many as gain anything, or a number, see :doc:`/sparse`. The
        default ends before where a round of drafts does not pay, and has one on graphs of more than a million entries
        (twenty million for "ncut"). With "modularity" it has up to eight, and one from a hundred million entries on.
        One draft for graphs of more than 2^28 entries (134 million edges).
    time_limit : float or None, default None
        Seconds in which it is to end, with the best so far: a round begins if it should end in time, by those before.
        Labels then depend on the speed of the machine. Given alone, it means ``effort="best"``.
        Ctrl-C ends it likewise, with a warning, where more than the default is asked for.
    resolution : float or None, default None
        For ``n_clusters=None``, at least 1: the number of clusters with the largest ``information - log(k) / r`` is
        taken, up to ``2 sqrt(n)`` and 2,000. At 1 there is one cluster; larger is finer. See :attr:`tree_`. With
        ``objective="modularity"`` its resolution, any positive number, 1 by default; `n_clusters` may be given too.
    symmetrize : {"max", "average", "sum", "min", "error", "degree-discounted", "random-walk"}, default "max"
        What becomes of an asymmetric matrix or a directed graph, see :meth:`graphcore.Graph.from_edges`.
    coreset_size : int, float or "auto", default "auto"
        Nodes of each draft's coreset, or their share of the nodes that have an edge. "auto" is 10 for every cluster, at
        least 500, and at least 3 % of the nodes or 100,000, whichever is less, but no more than two thirds of them.
    sampling : {"auto", "importance", "degree", "uniform"}, default "auto"
        How a coreset is drawn, see :func:`graphcore.build_coreset`. "auto" is "importance", by D2 seeds of a sampling
        tree; on graphs of more than 2^28 entries "degree", which is nearly the same and reads no rows at random.
    eigen_solver : {"power", "exact"}, default "power"
        How the coreset graph is embedded: by the power method, or by eigenvectors.
    published : bool, default False
        The algorithm of the paper: spectral clustering of the graph that the coreset induces, with ``coreset_size`` 50
        for every cluster and at least 1,000, and no node is moved, see :func:`graphcore.coreset_spectral_clustering`.
    random_state : int, numpy Generator, RandomState or None, default None
        The same number gives the same labels.
    n_jobs : int or None, default None
        Threads: None is one, -1 is all. Given a graph, labels do not depend on it.
    verbose : int, default 0
        1 tells the seconds of every stage, on the logger "graphcore" (INFO) or, where no logging is set up, on stderr.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Cluster of every node or vector, from 0; -1 for isolated nodes and `outliers`.
    n_clusters_ : int
        `n_clusters`, that of the finest level, or what was chosen for "auto" or None.
    selection_ : KSelection or None
        How it was chosen; None if it was given. `method` is "modularity" where edges do not clearly support a division.
    coreset_ : Coreset
        The nodes that the first draft drew, with weights.
    coreset_labels_ : ndarray of shape (n_coreset,), int32
        Their clusters on the coreset graph.
    clustering_ : Clustering
        What the run leaves beside its labels (`Clustering`): the coreset, the objective after each stage (`history`),
        what each round of drafts gained (`search`), and all `settings` with what "auto" came to.
    stability_ : ndarray of shape (n_samples,), float32, or None
        Share of the first drafts, at most four, that agree with each label; None for a single draft.
    cluster_stability_ : ndarray of shape (n_clusters,), float64, or None
        Mean Jaccard index of each cluster with its counterparts in the same clusterings.
    outside_share_ : ndarray of shape (n_samples,), float32
        Share of each node's edge weight that leaves its cluster, see :func:`graphcore.metrics.outside_share`; NaN for
        isolated nodes.
    seconds_ : dict
        Wall-clock seconds of every stage.
    n_features_in_ : int
        Number of columns of the vectors (of the matrix, for a graph).
    affinity_, balance_, conductance_, coreset_graph_, graph_, level_labels_, membership_, outlier_scores_
        Computed at each access; each is explained by itself.
    probabilities_, quotient_graph_, tree_
        Computed at each access, `tree_` at the first; each is explained by itself.

    Notes
    -----
    A fit makes drafts in five stages, those of :func:`graphcore.coreset_spectral_clustering`, and raises the objective
    in two more:

    1. the kernel ``D^-1 A D^-1``, read off the graph;
    2. a coreset, drawn through a sampling tree by D2 seeds and importance;
    3. the coreset graph: every node joins the coreset node nearest to it by the kernel, and these cells are contracted;
    4. the power method cuts it into six parts for each cluster, which are merged by the objective;
    5. labels go back to all nodes by kernel distances to the clusters' centroids;
    6. nodes and groups of nodes are moved while that raises the objective;
    7. several such drafts are recombined: what two agree on is moved as a whole.

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
        labels: ArrayLike | None = None, initial_labels: ArrayLike | None = None,
    ) -> Self:  # fmt: skip
        """Cluster a graph or vectors.

        Parameters
        ----------
        X : graph, or array-like of shape (n_samples, n_features)
            Graphs are a Graph, a sparse matrix, a networkx or igraph graph, AnnData, a table of edges, a tuple of the
            arrays of their ends, an integer array of shape (2, n_edges); see `affinity`. Neighbours from an index of
            any library are a tuple of two arrays of shape (n_samples, k), numbers of rows (integers, below 0 for none)
            and distances to them (floats), in either order: the nearest `n_neighbors` of each row are taken, all if it
            lists fewer, itself passed over. An ``NNDescent`` or ``PyNNDescentTransformer`` is taken as it is:
            :meth:`predict` asks it, and :meth:`update` appends to it. Equal vectors are in one cluster, unless fewer
            are different than there are clusters, or limits leave no room, of which a warning tells.
        y : array-like of shape (n_samples,), optional
            Integers with -1 among them, as scikit-learn's semi-supervised classes mark what is unknown, or whole
            numbers with NaN or None, are `labels` where those are not given. Otherwise ignored: pipelines and searches
            pass full labels to every step. Do not give classes coded as -1 and 1: those of 1 would stay together.
        sample_weight : array-like of shape (n_samples,), optional
            As how many each node counts: the graph is clustered whose edges weigh ``w_x A_xy w_y``, which is that of
            copies of nodes with all their edges, and `min_cluster_size` and `max_cluster_size` count weights. Nodes of
            weight 0 get -1. Neighbours of vectors are those without weights.
        labels : array-like of shape (n_samples,), integer, optional
            Labels that nodes keep, from 0 to ``n_clusters - 1``; -1, NaN and None are unknown. All -1 keeps none,
            whatever `y` is. Isolated nodes get -1 all the same.
        initial_labels : array-like of shape (n_samples,), integer, optional
            Labels to start from, likewise, instead of clustering coresets: nodes of -1 follow their neighbours, then
            all are moved as at the end of every fit. Clusters keep their numbers.

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
        known = {"labels": labels, "initial_labels": initial_labels, "sample_weight": sample_weight}
        for name, values in known.items():
            check_order(name, values, X)
        return fit_with_callbacks(type(self)._fit, self, X, y, **known)

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

    def _fit(self, X, on_stage, **known):
        streams = Streams(self.random_state)
        # Before the search for neighbours.
        params = check_settings(self.n_clusters, {name: getattr(self, name) for name in defaults()})
        with stages_of(self, on_stage) as stages:
            graph, reference = graph_of(self, X, streams, stages)
            return self._fit_graph(graph, reference, params, streams, stages, is_given=isinstance(X, Graph), **known)

    def _fit_graph(self, graph, reference, params, streams, stages, *, is_given, **known):
        """Cluster a graph and keep the Reference of its input; `is_given` if the user made the graph undirected."""
        options = {"random_state": streams, "n_jobs": self.n_jobs, "stages": stages}
        fit = fit_graph(graph, params, kinds=reference.kinds, **known, **options)
        return self._take(fit, reference, is_given=is_given)

    def update(self, added: AnyData | None = None, removed: AnyGraph | None = None) -> Update:
        """Change the graph, or add vectors, and change the labels where the evidence has changed.

        Nodes at changed edges may move to another cluster, then neighbours of what moved. Clusters keep their numbers,
        and there are as many as before. `labels` of the fit stay, and clusters keep to `min_cluster_size`,
        `max_cluster_size` and `max_share`, as the parameters of the model say now, of the changed graph; such models
        form no cluster anew. Where a tenth of a cluster's volume has changed since the fit (or since it was
        last tried), it is dissolved and formed anew, which splits and unites clusters if that raises the objective.

        Parameters
        ----------
        added, removed : edges, optional; or for a model of vectors, added : array-like of shape (n_new, n_features)
            Vectors are new rows, numbered after those that there are: they join their `n_neighbors` nearest, and rows
            that list others which are farther. Edges are a tuple of arrays (sources, targets) or (sources, targets,
            weights), an integer array of shape (n_edges, 2) or (2, n_edges), a table with columns source and target, or
            a graph. Nodes go by their names, if the graph has any, otherwise by their numbers; names that are new, and
            numbers from `n_nodes` on, are new nodes. The weight of an edge that is there already adds up, if the graph
            has weights. Removed edges go whole, before others are added: an edge in both gets a new weight.

        Returns
        -------
        Update
            What moved, and clusters that were split or united (`Update`).

        Raises
        ------
        InputError
            If an edge to be removed is not there, vectors are none of those of the fit (other columns, NaN), or the
            model was fitted to distances, with sample weights, or to a directed graph with
            ``symmetrize="degree-discounted"`` or ``"random-walk"``.
        ParameterError
            If no labels are found that keep to the limits: the model is what it was. ``set_params`` gives wider ones.

        Notes
        -----
        The rows of the graph are copied once and read twice; everything else goes by the size of the change.
        `labels_`, `outside_share_`, `graph_` and what :meth:`predict` goes by are those of the changed
        graph. `stability_` is NaN for nodes that moved or are new. In `tree_`, the new nodes of a
        cluster are one leaf.

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
        graph, changes, streams = self._graph, (added, removed), Streams(self.random_state)
        with stages_of(self) as stages:
            if of_vectors:
                with stages("neighbours"):
                    graph, reference, changes = with_rows(self, added, streams)
            graph, result, done, sums, shares = update_clustering(
                graph, self.clustering_, volume_changes, {name: getattr(self, name) for name in _SIZES}, changes,
                kinds=reference.kinds, random_state=streams, n_jobs=self.n_jobs, stages=stages,
            )  # fmt: skip
        self._keep(graph, reference, result, shares)
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
        Parameters of the fit, labels, the graph, vectors that it was made of, sums of the clusters, coreset, stability
        and leaves of the tree are kept. Not kept are `selection_`, `seconds_`, the rounds of drafts, and a
        `random_state` that is no integer.

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
