"""Fitted attributes of a graph clustering, some of which are computed at each access."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..base.types import Floats, Floats32, Labels, csr_array
from ..cluster.cluster_tree import ClusterTree
from ..cluster.coreset import Coreset
from ..cluster.evidence import node_memberships
from ..cluster.n_clusters import KSelection
from ..cluster.pipeline import SELF_LOOP, Clustering
from ..exceptions import InputError
from ..graphs.graph import Graph
from ..kernels.graph import GraphKernel
from ..metrics import quotient_graph
from ._descriptions import ClusterDescriptions

_AFFINITIES = {
    "edges": "precomputed", "vectors": "nearest_neighbors", "distances": "precomputed_nearest_neighbors",
}  # fmt: skip


class FittedGraph(ClusterDescriptions):
    """Mixin of CoresetSpectralClustering: fitted attributes, and (inherited) the descriptions of clusters."""

    _mark_of_fit = "labels_"

    n_features_in_: int

    def _take(self, fit, reference, *, is_given):
        """Store a Fit, and whether it is of a Graph that was made before; returns the model."""
        reference.weights = fit.node_weights
        reference.set_clusters(fit.sums, fit.evidence, fit.edge_weight)
        self._keep(fit.graph, reference, fit.clustering, fit.outside_shares)
        self.selection_: KSelection | None = fit.selection
        self.seconds_: dict[str, float] = fit.seconds
        self._is_given, self._params_of_fit = is_given, self.get_params(deep=False)
        self._volume_changes = np.zeros(self.n_clusters_)
        return self

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
        self._graph, self._reference, self._names, self._tree = graph, reference, graph.node_names, None

    @property
    def graph_(self) -> Graph:
        """The Graph that was clustered: the one given, or the neighbour graph of the vectors.

        Weights of the nodes are multiplied into those of its edges. `outliers` are in it as isolated nodes, so that
        ``n_components - n_isolated`` counts the components of what was clustered.
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
        """Probability of its cluster for every node, the largest of its row in `membership_`; 0 for isolated nodes."""
        return self.membership_.max(axis=1).toarray().ravel()

    @property
    def conductance_(self) -> Floats:
        """Share of the volume of each cluster that leaves the cluster, and 1 where there is no volume.

        An array of shape (n_clusters,), float64, whose mean is the normalised cut.
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

        Every cluster lies inside one of the level above. An update moves nodes between the finest clusters, and these
        stay where they are in the coarser ones.
        """
        check_is_fitted(self)
        return self.clustering_.level_labels

    @property
    def quotient_graph_(self) -> Graph:
        """The Graph between clusters, computed at each access by a pass over all edges.

        Node c is cluster c; an edge weighs what the edges between two clusters weigh together, a loop what the entries
        inside a cluster add up to (see :func:`graphcore.metrics.quotient_graph`), so that degrees are volumes.
        """
        between = quotient_graph(self.graph_, self.labels_, self.n_clusters_, n_jobs=self.n_jobs)
        return Graph.from_scipy(between)

    @property
    def coreset_graph_(self) -> csr_array | None:
        """The coreset graph of the first draft, computed at each access; None if the fit began with labels given.

        Rows are the cells ``clustering_.cells``, or with ``published=True`` the coreset nodes. Weights are in the unit
        of the graph's; what is inside a cell is its loop.
        """
        graph, cells = self.graph_, self.clustering_.cells
        if cells is not None:
            return quotient_graph(graph, cells, int(cells.max()) + 1, n_jobs=self.n_jobs)
        if not self.clustering_.settings.published:
            return None
        coreset, kernel = self.coreset_, GraphKernel(graph, SELF_LOOP)
        return kernel.weighted_submatrix(coreset.indices, coreset.weights, n_jobs=self.n_jobs)

    @property
    def membership_(self) -> csr_array:
        """Probability of each cluster for every node or vector of the fit, computed at each access.

        A csr_array of shape (n_samples, n_clusters), float64: rows add up to 1, or to 0 for isolated nodes; it holds no
        more entries than the graph, and none below 0.0001. It is the planted model's probability, given the clusters of
        all other nodes, with the evidence of edges discounted where they repeat each other (`edge_evidence`) and where
        drafts disagree. With ``objective="ncut"``, and for labels of nearest centroids (``published=True``), it is
        computed from the gain in normalised cut instead, with edges of the same mean evidence.

        References
        ----------
        Newman, "Equivalence between modularity optimization and maximum likelihood methods for community detection",
        Physical Review E 94, 2016: the likelihood of the planted model.
        """
        check_is_fitted(self)
        kept = self._reference
        return node_memberships(
            self.graph_.rows, self.labels_, kept.inner, kept.volumes, kept.evidence,
            self.clustering_.settings.joined_by, exponent=kept.exponent, node_weights=kept.weights,
        )  # fmt: skip

    def write_obs(self, adata: object, key: str = "cluster") -> None:
        """Write clusters and their stability into the table of cells of an AnnData object, as scanpy's tools do.

        Parameters
        ----------
        adata : AnnData, or any object whose ``obs`` is a pandas DataFrame
            Its cells are the nodes or vectors of the fit, in their order.
        key : str, default "cluster"
            Column of the clusters, categorical text; missing for nodes in no cluster. `stability_`, if the fit has it,
            becomes the column ``key + "_stability"``.

        Raises
        ------
        InputError
            If there is no such table, or its rows are not those of the fit.

        Examples
        --------
        >>> import graphcore, pandas
        >>> from types import SimpleNamespace
        >>> karate = graphcore.datasets.load_karate()
        >>> adata = SimpleNamespace(obs=pandas.DataFrame(index=[f"cell {i}" for i in range(34)]))
        >>> graphcore.CoresetSpectralClustering(2, random_state=0).fit(karate.graph).write_obs(adata)
        >>> adata.obs.columns.tolist()
        ['cluster', 'cluster_stability']
        """
        check_is_fitted(self)
        obs, n = getattr(adata, "obs", None), len(self.labels_)
        if not hasattr(obs, "index") or not hasattr(obs, "columns"):
            raise InputError(f"adata is a {type(adata).__name__}; an object with a table obs is needed, as AnnData has")
        named = self._names is not None and self._names.dtype.kind not in "iu"
        if len(obs) != n or (named and list(map(str, obs.index)) != list(map(str, self._names.tolist()))):
            raise InputError(f"adata.obs has {len(obs)} rows, and {n} others were fitted; give the object of the fit")
        import pandas

        obs[key] = pandas.Categorical.from_codes(self.labels_, [str(c) for c in range(self.n_clusters_)])
        if self.stability_ is not None:
            obs[f"{key}_stability"] = self.stability_

    @property
    def tree_(self) -> ClusterTree:
        """The ClusterTree from micro-clusters through `labels_` to one cluster, computed at first access."""
        check_is_fitted(self)
        if self._tree is None:
            run, labels = self.clustering_, self.clustering_.group_labels
            k = len(np.unique(labels))
            self._tree = ClusterTree(run.merge_tree, run.groups, labels, k, self._names, run.group_graph)
        return self._tree
