"""Describe the clusters of a fitted graph: subgraphs, tables and a report."""

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..base.types import AnyData, AnyGraph, ArrayLike, PathLike, Table
from ..base.validation import check_integer
from ..exceptions import InputError, missing_package
from ..graphs.as_graph import as_graph
from ..graphs.derived import subgraph
from ..graphs.from_table import as_library
from ..graphs.graph import Graph
from ..metrics import cluster_summary, describe

if TYPE_CHECKING:
    from ..report.facts import ReportFacts


class ClusterDescriptions:
    """Mixin of what FittedGraph is: methods that look at its clusters, and change nothing."""

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
            cluster), "stability" (`cluster_stability_`, NaN for a single draft), "nearest" (the cluster that most of
            this weight leads to, -1 for none) and "central" (names of nodes, or numbers).

        Examples
        --------
        >>> import graphcore
        >>> model = graphcore.CoresetSpectralClustering(2, random_state=0).fit(graphcore.datasets.load_karate().graph)
        >>> list(model.summary())
        ['cluster', 'size', 'volume', 'conductance', 'stability', 'nearest', 'central']
        """
        table = cluster_summary(self.graph_, self.labels_, self.n_clusters_, n_central=n_central, n_jobs=self.n_jobs)
        stability = np.full(self.n_clusters_, np.nan) if self.cluster_stability_ is None else self.cluster_stability_
        nearest, central = table.pop("nearest"), table.pop("central")
        return as_library(table | {"stability": stability, "nearest": nearest, "central": central}, library)

    def describe(
        self, features: AnyData, names: ArrayLike | None = None, *, count: int = 5, library: str | None = None
    ) -> Table:
        """Return the columns or words that distinguish each cluster, see :func:`graphcore.metrics.describe`.

        Parameters
        ----------
        features : array-like, data frame, memory map or sparse matrix of shape (n_samples, n_features)
            Counts of words, if it is sparse and not negative, else measurements; a row for each node or vector.
        names : array-like of shape (n_features,), optional
            Names of the columns; default those of a data frame, or else their numbers.
        count : int, default 5
            Number of columns for each cluster.
        library : {None, "pandas", "polars", "pyarrow"}, default None

        Returns
        -------
        dict or table
            Columns "cluster", "name" and "score".

        Examples
        --------
        >>> import graphcore
        >>> from sklearn.datasets import load_iris
        >>> iris = load_iris()
        >>> model = graphcore.CoresetSpectralClustering(2, random_state=0).fit(iris.data)
        >>> model.describe(iris.data, iris.feature_names, count=1)["name"].tolist()
        ['petal length (cm)', 'petal length (cm)']
        """
        check_is_fitted(self)
        if names is None:  # pyarrow's tables have column_names
            names = getattr(features, "column_names", getattr(features, "columns", None))
        return describe(features, self.labels_, names, n_clusters=self.n_clusters_, count=count, library=library)

    def to_table(self, library: str | None = None) -> Table:
        """Return the cluster, stability and outside share of every node as a table.

        Parameters
        ----------
        library : {None, "pandas", "polars", "pyarrow"}, default None
            None returns a dictionary of arrays, from which any data frame can be made.

        Returns
        -------
        dict or table
            Columns "node" (its name, or number), "cluster" (`labels_`), "stability" (`stability_`, NaN for a single
            draft) and "outside_share" (`outside_share_`).

        Examples
        --------
        >>> import graphcore
        >>> model = graphcore.CoresetSpectralClustering(2, random_state=0).fit(graphcore.datasets.load_karate().graph)
        >>> list(model.to_table())
        ['node', 'cluster', 'stability', 'outside_share']
        """
        check_is_fitted(self)
        n = len(self.labels_)
        names = np.arange(n) if self._names is None else np.asarray(self._names)
        stability = np.full(n, np.nan, dtype=np.float32) if self.stability_ is None else self.stability_
        columns = {"node": names, "cluster": self.labels_, "stability": stability}
        return as_library(columns | {"outside_share": self.outside_share_}, library)

    def to_igraph(self, g: object = None) -> Any:
        """Return the clusters as igraph's VertexClustering.

        Parameters
        ----------
        g : igraph.Graph, optional
            The graph that was fitted. Default: one made of `graph_`, with its names and weights.

        Returns
        -------
        igraph.VertexClustering
            Isolated nodes are clusters of their own, after all others: igraph would take -1 for the last cluster.

        Raises
        ------
        InputError
            If `g` has another number of nodes, or igraph is missing.

        Examples
        --------
        >>> import graphcore, igraph
        >>> g = igraph.Graph(5, [(0, 1), (1, 2), (0, 2)])
        >>> model = graphcore.CoresetSpectralClustering(1, random_state=0).fit(graphcore.Graph.from_igraph(g))
        >>> model.to_igraph(g).membership
        [0, 0, 0, 1, 2]
        """
        check_is_fitted(self)
        try:
            import igraph
        except ImportError:
            raise InputError(missing_package("to_igraph", "igraph", "examples")) from None
        g = _as_igraph(igraph, self.graph_) if g is None else g
        if not isinstance(g, igraph.Graph):
            raise InputError(f"g must be an igraph graph, got {type(g).__name__}")
        if g.vcount() != len(self.labels_):
            raise InputError(f"g has {g.vcount()} nodes; {len(self.labels_)} were fitted")
        membership = self.labels_.copy()
        alone = membership < 0
        membership[alone] = self.n_clusters_ + np.arange(np.count_nonzero(alone))
        return igraph.VertexClustering(g, membership.tolist())

    def report(
        self, path: PathLike, graph: AnyGraph | None = None, *, title: str | None = None,
        truth: ArrayLike | None = None, pictures: bool | str = "auto", described: Table | None = None,
    ) -> "ReportFacts":  # fmt: skip
        """Write a report on the clusters: one HTML file that needs no other file and no network.

        Parameters
        ----------
        path : str or path-like
            Output file, written whole or not at all; "-" is standard output. Of more than 100,000 nodes the page lists
            the most central ones, and ``<path>.nodes.tsv`` gets the cluster of each.
        graph : Graph, sparse matrix or networkx graph, optional
            The graph that was clustered. Default: the one that the model holds.
        title : str, optional
            Heading of the page.
        truth : array-like of shape (n_samples,), optional
            Known classes to compare with, of any kind; integers below 0 and the text "-1" stand for "not known".
        pictures : bool or "auto", default "auto"
            Whether to draw pictures, which needs matplotlib; "auto" leaves them out where that is missing.
        described : table, optional
            Result of :meth:`describe`, whose columns or words the page shows for each cluster.

        Returns
        -------
        ReportFacts
            The figures on the page, see :func:`graphcore.report.gather_facts`.

        Raises
        ------
        OSError
            If the file cannot be written, before any work.
        InputError
            If the graph has another number of nodes.

        Examples
        --------
        >>> import graphcore
        >>> model = graphcore.CoresetSpectralClustering(2, random_state=0).fit(graphcore.datasets.load_karate().graph)
        >>> model.report("karate.html", title="A karate club")  # doctest: +SKIP
        """
        check_is_fitted(self)
        from ..report.page import report_model

        return report_model(
            self, path, self._known_graph(graph), self.clustering_, title=title, truth=truth,
            pictures=pictures, described=described,
        )  # fmt: skip

    def _known_graph(self, graph):
        return self.graph_ if graph is None else as_graph(graph, symmetrize=self.symmetrize)


def _as_igraph(igraph, graph):
    import scipy.sparse as sp

    upper = sp.triu(graph.to_scipy(), format="coo")
    g = igraph.Graph(graph.n_nodes, np.column_stack(upper.coords).tolist())
    if graph.is_weighted:
        g.es["weight"] = upper.data.tolist()
    if graph.node_names is not None:
        g.vs["name"] = list(map(str, graph.node_names.tolist()))
    return g
