"""A fitted clustering in other terms: tables, dictionaries, igraph, a page, and what the data support of it."""

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._typing import AnyGraph, ArrayLike, PathLike, RandomState, Table
from ..exceptions import InputError, missing_package
from ..fit import node_columns, robustness_of
from ..graphs.as_graph import as_graph
from ..graphs.from_table import as_library
from ..metrics import Robustness
from ._checks import stages_of

if TYPE_CHECKING:
    from ..report.facts import ReportFacts


class FittedOutputs:
    """Mixin of CoresetSpectralClustering: what goes on to other programs."""

    def to_table(self, library: str | None = None) -> Table:
        """Cluster, stability and outside share of every node, as a table.

        Parameters
        ----------
        library : {None, "pandas", "polars", "pyarrow"}, default None
            None is a dictionary of arrays, which data frames of all kinds can be made of.

        Returns
        -------
        dict or table
            Columns "node" (its name, or number), "cluster" (`labels_`), "stability" (`stability_`, NaN for a single
            draft) and "outside_share" (`outside_share_`).

        Examples
        --------
        >>> import graphcore
        >>> karate = graphcore.datasets.load_karate()
        >>> table = graphcore.CoresetSpectralClustering(2, random_state=0).fit(karate.graph).to_table()
        >>> list(table)
        ['node', 'cluster', 'stability', 'outside_share']
        """
        check_is_fitted(self)
        columns = node_columns(self.labels_, self.node_names_, self.stability_, self.outside_share_)
        return as_library(columns, library)

    def to_dict(self) -> dict[Any, int]:
        """Cluster of every node by its name, or number; -1 for isolated nodes.

        Returns
        -------
        dict of int
            ``networkx.set_node_attributes(G, model.to_dict(), "cluster")`` puts it into a graph.

        Examples
        --------
        >>> import graphcore
        >>> graph = graphcore.Graph.from_edges([0], [1], n_nodes=3, node_names=["Anna", "Ben", "Chloé"])
        >>> graphcore.CoresetSpectralClustering(1, random_state=0).fit(graph).to_dict()
        {'Anna': 0, 'Ben': 0, 'Chloé': -1}
        """
        check_is_fitted(self)
        names = range(len(self.labels_)) if self.node_names_ is None else self.node_names_.tolist()
        return dict(zip(names, self.labels_.tolist(), strict=True))

    def to_igraph(self, g: object = None) -> Any:
        """The clusters as igraph's VertexClustering.

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

    def robustness(
        self, n_refits: int = 10, *, graph: AnyGraph | None = None, random_state: RandomState = 0
    ) -> Robustness:
        """What the data support: quick fits to graphs of edges drawn anew, compared with `labels_`.

        `stability_` says whether another seed gives the same clusters of the same edges; this says whether other edges
        do. Refits keep to labels that stay (`y`), and do not begin at `initial_labels`.

        Parameters
        ----------
        n_refits : int, default 10
            Each takes about as long as a fit with ``effort="fast"``, `n_jobs` of them at the same time.
        graph : Graph, sparse matrix or networkx graph, optional
            The graph that was clustered, for a model that was pickled.
        random_state : int, Generator, RandomState or None, default 0

        Returns
        -------
        Robustness
            For the whole (`ari`), each cluster and each node, see :func:`graphcore.metrics.robustness`; of vectors, of
            the edges of their neighbour graph.

        Raises
        ------
        InputError
            If the graph is not known any more, or has more than 2^28 entries.

        Examples
        --------
        >>> import graphcore
        >>> graph, _ = graphcore.datasets.planted_partition(3, 50, 0.3, 0.01, random_state=0)
        >>> found = graphcore.CoresetSpectralClustering(3, random_state=0).fit(graph).robustness()
        >>> bool(found.ari.mean() > 0.9), found.clusters.shape, found.nodes.shape
        (True, (3,), (150,))
        """
        check_is_fitted(self)
        with stages_of(self) as stages:
            return robustness_of(
                self._known_graph(graph, "robustness(graph=graph)"), self._result, n_refits=n_refits,
                random_state=random_state, n_jobs=self.n_jobs, stages=stages,
            )  # fmt: skip

    def report(
        self, path: PathLike, graph: AnyGraph | None = None, *, title: str | None = None,
        truth: ArrayLike | None = None, pictures: bool | str = "auto", robustness: Robustness | None = None,
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
        robustness : Robustness, optional
            From :meth:`robustness`. Without it the page says what other seeds change, and calls no cluster sure.

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
        from ..report.page import report_model

        return report_model(
            self, path, self._known_graph(graph, "report(path, graph)"), self._result, title=title, truth=truth,
            of_vectors=self._reference.kind == "vectors", pictures=pictures, robustness=robustness,
        )  # fmt: skip

    def _known_graph(self, graph, call):
        """The graph given, or that of the fit; `call` takes one."""
        graph = getattr(self, "_graph", None) if graph is None else as_graph(graph, symmetrize=self.symmetrize)
        if graph is None:
            raise InputError(f"a pickled model does not hold its graph; pass it: model.{call}")
        return graph


def _as_igraph(igraph, graph):
    import scipy.sparse as sp

    upper = sp.triu(graph.to_scipy(), format="coo")
    g = igraph.Graph(graph.n_nodes, np.column_stack(upper.coords).tolist())
    if graph.is_weighted:
        g.es["weight"] = upper.data.tolist()
    if graph.node_names is not None:
        g.vs["name"] = list(map(str, graph.node_names.tolist()))
    return g
