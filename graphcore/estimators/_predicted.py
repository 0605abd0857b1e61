"""What a fitted clustering of a graph says of new vectors and new nodes."""

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .._typing import AnyData, Floats, Labels
from ..exceptions import InputError
from ..partition.evidence import memberships
from .out_of_sample import row_labels, sums_of_rows


class PredictedRows(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """Mixin of CoresetSpectralClustering: the methods that take new rows."""

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
        return np.concatenate([row_labels(self, sums) for sums in sums_of_rows(self, X)])

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
        parts = []
        for sums in sums_of_rows(self, X):
            totals = sums.sum(axis=1)[:, None]
            parts.append(np.divide(sums.toarray(), totals, out=np.zeros(sums.shape), where=totals > 0))
        return np.concatenate(parts)

    def predict_proba(self, X: AnyData) -> Floats:
        """Probability of each cluster for new vectors or new nodes, of those that they have edges to.

        Parameters
        ----------
        X : array-like, sparse matrix or graph, as for :meth:`predict`

        Returns
        -------
        ndarray of shape (n_new, n_clusters), float64
            Rows add up to 1, or to 0 without an edge to a cluster. How they are made, and how far they can be relied
            on, is said at `membership_`. The largest is that of :meth:`predict`.

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
        kept = self._reference
        given = kept.inner, kept.volumes, kept.evidence, self.settings_.joined_by
        return np.concatenate([memberships(sums, *given).toarray() for sums in sums_of_rows(self, X)])

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
        inner, volumes = self._reference.inner, self._reference.volumes
        # Of K = D^-1 A D^-1 with w = D: |c|^2 - 2 (weight to the cluster) / (degree volume), and K_xx = 0.
        inside = np.divide(inner, volumes, out=np.zeros(len(inner)), where=volumes > 0)
        cost = weight = 0.0
        for sums in sums_of_rows(self, X):
            labels = row_labels(self, sums)
            rows = np.flatnonzero(labels >= 0)
            own, degrees = labels[rows], sums.sum(axis=1)[rows]
            towards = np.asarray(sums[rows, own]).ravel()
            cost += float(((degrees * inside[own] - 2.0 * towards) / volumes[own]).sum())
            weight += float(degrees.sum())
        if weight == 0.0:
            raise InputError("no row has an edge to a clustered node: there is no cost")
        with np.errstate(over="ignore"):
            return -float(np.ldexp(cost / weight, -self._reference.exponent))

    @property
    def _n_features_out(self):
        return self.n_clusters_
