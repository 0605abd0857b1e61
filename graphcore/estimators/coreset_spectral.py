"""The scikit-learn class for coreset spectral clustering."""

from dataclasses import KW_ONLY
from typing import Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin

from .._random import Streams
from .._typing import AnyData, ArrayLike, RandomState
from ..exceptions import InputError, ParameterError
from ..fit import fit_graph
from ..graphs.graph import Graph
from ..pipeline.parameters import PARAMETERS
from ..pipeline.settings import check_settings
from ._checks import parameters, stages_of
from ._fitted import FittedGraph
from ._outputs import FittedOutputs
from ._predicted import PredictedRows
from ._updated import UpdatedGraph
from .callbacks import CallbackSupportMixin, StageTasks, call_with_callbacks
from .graph_input import graph_of


@parameters
class CoresetSpectralClustering(
    CallbackSupportMixin, FittedGraph, PredictedRows, FittedOutputs, UpdatedGraph, ClusterMixin, BaseEstimator
):
    """Coreset spectral clustering of a large graph, or of vectors through their nearest-neighbour graph.

    Parameters
    ----------
    n_clusters : int, "auto" or None, default 8
        "auto" chooses by :func:`graphcore.select_n_clusters` first, which costs about as much as the fit. None chooses
        by `resolution`, at the same cost, or with ``objective="modularity"`` takes as many as raise that, at none.
    affinity : {"auto", "nearest_neighbors", "precomputed", "precomputed_nearest_neighbors"}, default "auto"
        What is given to :meth:`fit`. "auto": graph objects, square sparse matrices, tables and arrays of edges are
        graphs, everything else is vectors, whose kNN graph is built; two columns of integers may be either, and are
        refused. "precomputed" takes everything as a graph (a dense square array too, and two columns of integers),
        "nearest_neighbors" everything as vectors. "precomputed_nearest_neighbors" is a sparse matrix of distances to
        neighbours, as scikit-learn's ``KNeighborsTransformer(mode="distance")`` makes it.
    n_neighbors : int, default 10
        Neighbours of every vector; at most the number of vectors less one is used.
    metric : str, default "euclidean"
        Distance between vectors, see :func:`graphcore.knn_graph`.
    coreset_size : int, float or "auto", default "auto"
        Nodes in the coreset (draws, for importance sampling), or their share of the nodes. "auto" is ten for
        every cluster (50 for importance sampling or spectral clusters), at least 500, and at least 3 % of the nodes or
        100,000, whichever is less.
    eps : float or None, default None
        Instead of a size, the relative error of the cost that the coreset is to have, above 0 and at most 1: rounds of
        importance sampling (Algorithm 4 of the paper), whose sizes its formula says, at most all nodes.
    sampling : {"auto", "degree", "uniform", "importance"}, default "auto"
        How the coreset is drawn; "auto" is "degree" (see Notes), and "importance" for ``preset="published"`` and `eps`.
    n_seeds : int or "auto", default "auto"
        D2 seeds of importance sampling; "auto" is twice `n_clusters`.
    self_loop : float or "auto", default "auto"
        Weight of a loop on every node inside the plain kernel, as a multiple of the graph's mean weight; "auto" is 1,
        as published for graphs without weights. The walk kernel has none.
    eigen_solver : {"power", "exact"}, default "power"
        How the coreset graph is embedded, where that is asked for (see `overcluster`).
    coreset_degrees : {"row-sums", "weights"}, default "row-sums"
        Degrees by which the coreset graph is normalised. "weights" are the coreset's own, as Theorem 1 of the paper has
        it; the experiments there take row sums, which find better clusters. Needs ``eigen_solver="exact"``.
    walk_steps : int or "auto", default "auto"
        Steps of the lazy random walk behind the kernel: 1 is the plain kernel ``D^-1 A D^-1``, otherwise an even
        number. "auto" is 4 to 8: walks from neighbouring coreset nodes have to meet (2 for more than 2^28 entries).
    row_budget : int or "auto", default "auto"
        Entries kept of each coreset node's walk, 8 bytes each. "auto" is 150.
    overcluster : float, None or "auto", default "auto"
        The coreset graph is cut by spectral clustering into this many clusters for each one asked for, which are merged
        after their labels went to all nodes. None, the "auto" choice, makes every coreset node a cluster of its own.
    objective : {"information", "ncut", "modularity"}, default "information"
        What merging and refinement raise. "ncut" is the pure normalised cut, which may cut off a few nodes on a thread
        (a whisker) where "information" finds clusters of weight; "modularity" is what Louvain and Leiden raise.
    refine : bool or "auto", default "auto"
        Whether nodes are moved on the whole graph while that raises the objective, one by one and in groups.
    min_cluster_size : int or float, default 1
        No cluster has fewer nodes; a float is a share of the nodes.
    max_cluster_size : int, float or None, default None
        No cluster has more nodes; a float is a share of the nodes.
    max_share : float or None, default None
        No cluster has a volume (sum of degrees) of more than this many times the mean volume; 1.03 is a balance as
        graph partitioners keep it. Nodes and groups are moved under limits that become tighter step by step.
    initial_labels : array-like of shape (n_samples,), integer, or None, default None
        Labels to start from, 0 to ``n_clusters - 1``, instead of clustering coresets: nodes of -1 follow their
        neighbours, then all are moved as at the end of every fit. Clusters keep their numbers.
    semi_supervised : bool or "auto", default "auto"
        Whether `y` of :meth:`fit` holds labels that stay. "auto": if it is integers with -1 among them, as
        scikit-learn's semi-supervised classes mark what is unknown; full labels, which pipelines and searches pass to
        every step, are ignored.
    effort : {"fast", "default", "high", "best"} or int, default "default"
        How many drafts are made at most: 1, 4, 32, as many as gain anything, or a number. The first four are from
        coresets of their own, later ones are the best with some clusters formed anew. Two are recombined by moving what
        they agree on as wholes, and so on as in a tournament. The default ends before where a round of drafts does not
        pay, and has one on graphs of more than a million entries (twenty million for "ncut"). One draft for graphs of
        more than 2^28 entries (134 million edges).
    time_limit : float or None, default None
        Seconds after which it ends with the best so far; labels then depend on the speed of the machine. Given alone,
        it means ``effort="best"``. Ctrl-C ends it likewise, with a warning, where more than the default is asked for.
    resolution : float or None, default None
        For ``n_clusters=None``, at least 1: the number of clusters with the largest ``information - log(k) / r`` is
        taken, up to ``2 sqrt(n)`` and 2,000. At 1 there is one cluster; larger is finer. See :attr:`tree_`. With
        ``objective="modularity"`` its resolution, any positive number, 1 by default; `n_clusters` may be given too.
    preset : {None, "published"}, default None
        "published" is the algorithm of the paper: what is left "auto" takes the paper's value (plain kernel with
        self-loops, importance sampling, spectral clustering of one coreset, no merging, no refinement).
    symmetrize : {"max", "average", "sum", "min", "error", "degree-discounted", "random-walk"}, default "max"
        What becomes of an asymmetric matrix or a directed graph, see :meth:`graphcore.Graph.from_edges`.
    random_state : int, numpy Generator, RandomState or None, default None
    n_jobs : int or None, default None
        Threads: None is one, -1 is all. Given a graph, labels do not depend on it.
    verbose : int, default 0
        1 tells the seconds of every stage, on the logger "graphcore" (INFO) or, where no logging is set up, on stderr.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Cluster of every node or vector, from 0; -1 for isolated nodes.
    n_clusters_ : int
        `n_clusters`, or what was chosen for "auto" or None.
    selection_ : KSelection or None
        How it was chosen; None if it was given.
    coreset_indices_ : ndarray of shape (n_coreset,), int64
        Nodes of the coreset.
    coreset_weights_ : ndarray of shape (n_coreset,), float64
    coreset_labels_ : ndarray of shape (n_coreset,), int32
        Clusters of the coreset nodes on the coreset graph.
    graph_ : Graph
        What was clustered: the graph given, or the neighbour graph of the vectors, with weights of the nodes multiplied
        into those of its edges. A pickled model does not hold it.
    membership_ : csr_array of shape (n_samples, n_clusters), float64
        Probability of each cluster for every node, computed at each access by a pass over all edges.
    quotient_graph_ : Graph
        One node for each cluster; edges weigh what the edges between two clusters weigh together.
    n_components_ : int
        Connected components of the graph, counted when first asked for.
    n_unreached_ : int
        Nodes that no node of the coreset reached. With ``preset="published"`` their label is a default, no
        evidence; otherwise they follow their neighbours.
    stability_ : ndarray of shape (n_samples,), float32, or None
        Share of the first drafts, at most four, that agree with each label; None for a single draft.
    cluster_stability_ : ndarray of shape (n_clusters,), float64, or None
        Mean Jaccard index of each cluster with its counterparts in the same clusterings.
    tree_ : ClusterTree
        Clusters of all sizes, made at first access, see :class:`graphcore.selection.cluster_tree.ClusterTree`.
    dendrogram_ : ndarray of shape (n_groups - 1, 4), float64
        The same in scipy's linkage form.
    groups_ : ndarray of shape (n_samples,), int32
        Leaf of the merge tree that each node belongs to, -1 for isolated nodes.
    history_ : list of (str, float)
        The objective after each stage, larger is better.
    search_ : SearchSteps or None
        When the best partition was found, round by round (`seconds`), and what it was worth (`values`).
    outside_share_ : ndarray of shape (n_samples,), float32
        Share of each node's edge weight that leaves its cluster, see :func:`graphcore.metrics.outside_share`; NaN for
        isolated nodes.
    node_names_ : ndarray of shape (n_samples,), or None
        Names of the nodes, if the graph has any.
    settings_ : Settings
        All parameters with "auto" resolved.
    seconds_ : dict
        Wall-clock seconds of every stage.
    n_features_in_ : int
        Number of columns of the vectors (of the matrix, for a graph).

    Notes
    -----
    The default differs from the published algorithm, which fails on sparse graphs: a sample of a graph of average
    degree 14 has next to no edges. Every coreset node walks a few steps; every node joins the coreset node that reaches
    it best; these micro-clusters are merged and refined to raise the information that the clusters at the two ends of a
    random edge give about each other; and several such drafts are recombined.

    Sampling by degree is the default because the published importance sampling spends its draws on low-degree nodes: on
    PenDigits with 250 neighbours it gives a normalised cut of 0.24 where degree sampling gives 0.086.

    References
    ----------
    Jourdan, Schwartzman, Macgregor, Sun, "Coreset Spectral Clustering".

    Examples
    --------
    >>> import graphcore
    >>> karate = graphcore.datasets.load_karate()
    >>> model = graphcore.CoresetSpectralClustering(n_clusters=2, random_state=0).fit(karate.graph)
    >>> model.labels_.shape, model.n_components_
    ((34,), 1)
    """

    n_clusters: int | str | None = 8
    _: KW_ONLY
    affinity: str = "auto"
    n_neighbors: int = 10
    metric: str = "euclidean"
    coreset_size: float | str = "auto"
    eps: float | None = None
    sampling: str = "auto"
    n_seeds: int | str = "auto"
    self_loop: float | str = "auto"
    eigen_solver: str = "power"
    coreset_degrees: str = "row-sums"
    walk_steps: int | str = "auto"
    row_budget: int | str = "auto"
    overcluster: float | str | None = "auto"
    objective: str = "information"
    refine: bool | str = "auto"
    min_cluster_size: float = 1
    max_cluster_size: float | None = None
    max_share: float | None = None
    initial_labels: ArrayLike | None = None
    semi_supervised: bool | str = "auto"
    effort: float | str = "default"
    time_limit: float | None = None
    resolution: float | None = None
    preset: str | None = None
    symmetrize: str = "max"
    random_state: RandomState = None
    n_jobs: int | None = None
    verbose: int = 0

    def fit(self, X: AnyData, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Cluster a graph or vectors.

        Parameters
        ----------
        X : graph, or array-like of shape (n_samples, n_features)
            Graphs are a Graph, a sparse matrix, a networkx or igraph graph, AnnData, a table of edges, a tuple of the
            arrays of their ends, an integer array of shape (2, n_edges); see `affinity`.
        y : array-like of shape (n_samples,), optional
            With -1 for unknown, labels from 0 to ``n_clusters - 1`` that nodes keep, see `semi_supervised`; isolated
            nodes get -1 all the same. Ignored otherwise.
        sample_weight : array-like of shape (n_samples,), optional
            As how many each node counts: the graph is clustered whose edges weigh ``w_x A_xy w_y``, which is that of
            copies of nodes with all their edges, and `min_cluster_size` and `max_cluster_size` count weights. Nodes of
            weight 0 get -1. Neighbours of vectors are those without weights.

        Returns
        -------
        self : CoresetSpectralClustering

        Raises
        ------
        InputError, ParameterError

        Examples
        --------
        >>> import graphcore
        >>> graph = graphcore.Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
        >>> graphcore.CoresetSpectralClustering(2, random_state=0).fit(graph).n_clusters_
        2
        """
        return call_with_callbacks(type(self)._fit, self, X, y, sample_weight)

    def _fit(self, X, y, sample_weight):
        tasks = StageTasks(self, X, y)
        streams = Streams(self.random_state)
        settings = {parameter.name: getattr(self, parameter.name) for parameter in PARAMETERS}
        check_settings(self.n_clusters, settings)  # before neighbours are looked for
        given = {"labels": self._known(y), "initial_labels": self.initial_labels, "sample_weight": sample_weight}
        with stages_of(self, tasks) as stages:
            graph, reference = graph_of(self, X, streams, stages)
            fit = fit_graph(
                graph, self.n_clusters, settings, **given, random_state=streams, n_jobs=self.n_jobs, stages=stages
            )
        self._take(fit, reference, is_given=isinstance(X, Graph))
        tasks.finish()
        return self

    def _known(self, y):
        """The labels in y that stay, or None."""
        choice = self.semi_supervised
        if not (isinstance(choice, (bool, np.bool_)) or (isinstance(choice, str) and choice == "auto")):
            raise ParameterError(f"semi_supervised={choice!r} must be True, False or 'auto'")
        if not isinstance(choice, str):
            choice = bool(choice)
        if choice is True and y is None:
            raise InputError("semi_supervised=True takes labels y, -1 where they are unknown; got none")
        if choice == "auto" and y is not None:
            given = np.asarray(y)
            choice = given.ndim == 1 and given.dtype.kind == "i" and bool((given == -1).any())
        return y if choice is True and y is not None else None

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        # affinity may be anything until fit has looked at it.
        tags.input_tags.pairwise = tags.input_tags.positive_only = str(self.affinity).startswith("precomputed")
        return tags
