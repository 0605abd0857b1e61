"""What a fitted clustering of a graph answers: other numbers of clusters, new nodes, a page about it."""

from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..exceptions import InputError
from ..graphs.as_graph import as_graph
from ..partition.quotient import apply_labels
from .out_of_sample import new_cost, new_labels, new_shares

__all__ = ["FittedGraph"]


class FittedGraph(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """Mixin of CoresetSpectralClustering: the methods that need nothing but a fit."""

    @property
    def n_components_(self):
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
    def dendrogram_(self):
        """Merge tree in scipy's linkage form, computed at first access; None if nothing was merged."""
        check_is_fitted(self)
        return None if self.groups_ is None else self._result.merge_tree.linkage()

    def labels_at(self, n_clusters):
        """Labels for another number of clusters, from the merge tree, without fitting again.

        Parameters
        ----------
        n_clusters : int
            1 to the number of groups at the bottom of the tree.

        Returns
        -------
        ndarray of shape (n_samples,), int32
            -1 for isolated nodes. For the number fitted, these are the labels before single nodes were moved.

        Raises
        ------
        InputError
            If the fit merged nothing, as the published algorithm does not.
        """
        check_is_fitted(self)
        if self.groups_ is None:
            raise InputError(
                "there is no merge tree: this fit merged nothing; fit with overcluster='auto' (or more than 1) first"
            )
        return apply_labels(self._result.merge_tree.labels_at(n_clusters), self.groups_)

    def predict(self, X):
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

    def transform(self, X):
        """Share of the edges of new vectors or new nodes that go to each cluster.

        Parameters
        ----------
        X : array-like, sparse matrix or graph, as for :meth:`predict`

        Returns
        -------
        ndarray of shape (n_new, n_clusters), float64
            Rows add up to 1, or to 0 without an edge to a cluster. A data frame after :meth:`set_output`.
        """
        check_is_fitted(self)
        return new_shares(self, X)

    def score(self, X, y=None):
        """Minus the mean cost of new vectors or new nodes under the kernel ``D^-1 A D^-1``. Larger is better.

        The cost is the squared distance to the centroid of the cluster that :meth:`predict` gives, weighted by degree,
        as in :meth:`KernelKMeans.score`; it does not say which number of clusters is right.

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
        """
        check_is_fitted(self)
        return -new_cost(self, X)

    def report(self, path, graph=None, *, title=None, pictures="auto"):
        """Write a report on the clusters: one HTML file that needs no other file and no network.

        Parameters
        ----------
        path : str or path-like
            Output file, written whole or not at all; "-" is standard output.
        graph : Graph, sparse matrix or networkx graph, optional
            The graph that was clustered, for a model that was pickled: the graph does not go along.
        title : str, optional
            Heading of the page.
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
        """
        check_is_fitted(self)
        from ..report.of_model import report_model

        graph = getattr(self, "_graph", None) if graph is None else as_graph(graph, symmetrize=self.symmetrize)
        if graph is None:
            raise InputError("a pickled model does not hold its graph; pass it: model.report(path, graph)")
        return report_model(self, path, graph, self._result, title=title, pictures=pictures)

    def __getstate__(self):
        # The graph may be larger than all else, and whoever loads the model may have no use for it.
        return {name: value for name, value in super().__getstate__().items() if name != "_graph"}
