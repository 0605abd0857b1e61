"""The scikit-learn class for clustering the rows and the columns of a matrix at once."""

from dataclasses import KW_ONLY
from typing import Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BiclusterMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ..base.estimator import Estimator, parameters, passed_on, refuse_negative, stages_of, whole
from ..base.types import AnyData, Floats32, Integers, Labels
from ..base.validation import check_integer, refused
from ..cluster.pipeline import Clustering
from ..cluster.refine.objectives import objective_of
from ..cluster.settings import check_settings
from ..graphs.as_graph import refuse_as_vectors
from ..graphs.graph import Graph
from ._refusals import refuse_graph
from .fit import fit_graph


@parameters
class CoresetSpectralCoclustering(BiclusterMixin, Estimator):
    """Clusters of the rows and columns of a large sparse matrix: users and items, documents and words.

    Rows and columns are the nodes of a bipartite graph whose edges are the entries. Its clusters, found as
    :class:`CoresetSpectralClustering` finds them, hold rows and columns that belong together.

    Parameters
    ----------
    n_clusters : int or "auto", default 3
    objective, min_cluster_size, effort, time_limit, random_state, n_jobs, verbose
        As for :class:`CoresetSpectralClustering`; a node is a row or a column. A cluster may have rows alone, or
        columns alone.

    Attributes
    ----------
    row_labels_ : ndarray of shape (n_rows,), int32
    column_labels_ : ndarray of shape (n_columns,), int32
        Cluster of every row and column, from 0; -1 for those without an entry.
    row_stability_ : ndarray of shape (n_rows,), float32, or None
    column_stability_ : ndarray of shape (n_columns,), float32, or None
        Share of the first drafts that agree with each label; None for a single draft.
    rows_, columns_, biclusters_
        Members of each cluster, made at each access. `get_indices` does without them.
    n_clusters_ : int
        `n_clusters`, or what was chosen for "auto".
    graph_ : Graph
        The bipartite graph: rows first, then columns.
    clustering_ : Clustering
        Details of the fit, rows before columns (`Clustering`).
    seconds_ : dict
        Wall-clock seconds of every stage.
    n_features_in_ : int
        Number of columns.

    Notes
    -----
    Memory: the graph holds every entry twice, 24 bytes in all (8 if all are 1), beside the matrix.

    References
    ----------
    Dhillon, "Co-clustering documents and words using bipartite spectral graph partitioning", KDD 2001, for the
    objective that :class:`sklearn.cluster.SpectralCoclustering` relaxes.

    Examples
    --------
    >>> import graphcore
    >>> made = graphcore.datasets.planted_blocks([30, 20], [40, 10], [[400, 20], [20, 200]], random_state=0)
    >>> model = graphcore.CoresetSpectralCoclustering(2, random_state=0).fit(made.matrix)
    >>> graphcore.metrics.agreement(model.row_labels_, made.row_labels)["ari"]
    1.0
    """

    n_clusters: int | str = 3
    _: KW_ONLY
    objective: str = "information"
    min_cluster_size: float = 1
    effort: float | str = "default"
    time_limit: float | None = None

    _mark_of_fit = "row_labels_"

    @whole
    def fit(self, X: AnyData, y: object = None) -> Self:
        """Cluster the rows and columns of a matrix.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_rows, n_columns)
            Counts or other weights, finite and not negative.
        y : ignored

        Returns
        -------
        self : CoresetSpectralCoclustering

        Raises
        ------
        InputError, ParameterError
            scikit-learn's plain ValueError for arrays of one or three dimensions, empty ones, and NaN.

        Examples
        --------
        >>> import graphcore
        >>> made = graphcore.datasets.planted_blocks([30, 30], [20, 20], [[300, 20], [20, 300]], random_state=0)
        >>> graphcore.CoresetSpectralCoclustering(2, random_state=0).fit(made.matrix).column_labels_.shape
        (40,)
        """
        if self.n_clusters is None and objective_of(self.objective).resolution is None:
            raise refused("n_clusters", None, "is for objective='modularity'; give a number, or 'auto'")
        params = check_settings(self.n_clusters, passed_on(self, "objective min_cluster_size effort time_limit"))
        remedy = "of a bipartite networkx graph give networkx.bipartite.biadjacency_matrix(G, rows); "
        refuse_graph(self, X, "a matrix between two kinds of nodes", remedy)
        refuse_as_vectors(X)
        X = validate_data(self, X, accept_sparse="csr", dtype=(np.float32, np.float64))
        refuse_negative(self, X)
        with stages_of(self) as stages:
            with stages("graph"):
                graph = Graph.from_biadjacency(X)
            fit = fit_graph(graph, params, random_state=self.random_state, n_jobs=self.n_jobs, stages=stages)
        found, n_rows = fit.clustering, X.shape[0]
        stability = found.node_stability
        self.row_labels_: Labels = found.labels[:n_rows]
        self.column_labels_: Labels = found.labels[n_rows:]
        self.row_stability_: Floats32 | None = None if stability is None else stability[:n_rows]
        self.column_stability_: Floats32 | None = None if stability is None else stability[n_rows:]
        self.n_clusters_: int = found.settings.n_clusters
        self.graph_: Graph = graph
        self.clustering_: Clustering = found
        self.seconds_: dict[str, float] = fit.seconds
        return self

    @property
    def rows_(self) -> NDArray[np.bool_]:
        """Members of each cluster among the rows, (n_clusters, n_rows) bool."""
        return self._members("row_labels_")

    @property
    def columns_(self) -> NDArray[np.bool_]:
        """Members of each cluster among the columns, (n_clusters, n_columns) bool."""
        return self._members("column_labels_")

    def _members(self, name):
        check_is_fitted(self)
        return getattr(self, name) == np.arange(self.n_clusters_)[:, None]

    def get_indices(self, i: int) -> tuple[Integers, Integers]:
        """Return rows and columns of a cluster.

        Parameters
        ----------
        i : int
            The cluster, from 0.

        Returns
        -------
        rows, columns : ndarray of int

        Examples
        --------
        >>> import graphcore
        >>> made = graphcore.datasets.planted_blocks([30, 30], [20, 20], [[300, 20], [20, 300]], random_state=0)
        >>> model = graphcore.CoresetSpectralCoclustering(2, random_state=0).fit(made.matrix)
        >>> [len(members) for members in model.get_indices(0)]
        [30, 20]
        """
        check_is_fitted(self)
        i = check_integer("i", i, low=0, high=self.n_clusters_ - 1)
        return np.flatnonzero(self.row_labels_ == i), np.flatnonzero(self.column_labels_ == i)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags
