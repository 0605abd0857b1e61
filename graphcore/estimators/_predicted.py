"""Predict clusters of new vectors and new nodes."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ..base.estimator import refuse_negative
from ..base.types import AnyData, Floats, Labels
from ..cluster.evidence import cluster_shares, memberships, predict_labels
from ..exceptions import InputError
from ..graphs.as_graph import as_graph, is_graph_object
from ..graphs.columns import edge_columns
from ..graphs.from_table import column_names
from ..graphs.structure import check_sparse
from ..graphs.weights import edges_in_range
from ..neighbors.neighbor_lists import Neighbors, distance_matrix, is_neighbor_pair, listed_neighbors, nearest_listed
from ..neighbors.outliers import Outliers, last_distances
from ..neighbors.search_pynndescent import IndexSearcher
from ..neighbors.search_walk import new_row_searcher
from ..neighbors.vectors import as_vectors, check_binary, ordered

_PIECE = 1 << 14


@dataclass(eq=False)
class Reference:
    """Data of a fit that prediction and updates need: the input, and sums of the clusters."""

    kind: str  # what rows of new input hold: "edges", "vectors" or "distances"
    vectors: Any = field(default=None, repr=False)  # those fitted, dense or csr; narrow ones as they were given
    n_neighbors: int | None = None
    metric: str | None = None
    inner: np.ndarray | None = None
    volumes: np.ndarray | None = None
    exponent: int = 0  # of 2, by which inner weights and volumes are divided: they are below 1
    outliers: Outliers | None = field(default=None, repr=False)  # of what has distances
    evidence: float = 0.0  # log odds for each unit of weight, as inner weights and volumes are kept
    weights: np.ndarray | None = field(default=None, repr=False)  # as how many each fitted node counts
    searcher: Any = field(default=None, repr=False)  # an index of pynndescent, where there is one
    kinds: np.ndarray | None = field(default=None, repr=False)  # of equal rows, which a fit keeps together

    @property
    def radius(self):
        """Rows whose last neighbour is farther are outliers; infinite where none were left out."""
        return np.inf if self.outliers is None else self.outliers.radius

    def listed(self, labels):
        """Return numbers of the rows that may be neighbours of new ones, which outliers are not; None for all."""
        return None if self.radius == np.inf else np.flatnonzero(labels >= 0)

    def set_clusters(self, sums, evidence=None, edge_weight=1.0):
        """Keep sums of the clusters, and the `evidence` of an edge of that weight (as before, if it is not given)."""
        before, self.exponent = self.exponent, int(np.frexp(sums.volume.max())[1])
        if evidence is None:
            self.evidence = float(np.ldexp(self.evidence, self.exponent - before))
        else:  # divided in the unit of the sums, as the weight itself may be too small to divide by
            self.evidence = float(evidence / np.ldexp(edge_weight, -self.exponent))
        self.inner, self.volumes = np.ldexp(sums.internal, -self.exponent), np.ldexp(sums.volume, -self.exponent)
        least = 2.0**-100  # as what smaller volumes count, over the largest
        small = np.flatnonzero((sums.volume > 0) & (self.volumes < least))
        self.inner[small] = least * sums.internal[small] / sums.volume[small]
        self.volumes[small] = least


class PredictedRows(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """Mixin of CoresetSpectralClustering: the methods that take new rows."""

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
        return np.concatenate([_row_labels(self, *rows) for rows in _sums_of_rows(self, X)])

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
        parts = []
        for sums, _ in _sums_of_rows(self, X):
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
            Rows add up to 1, or to 0 without an edge to a cluster. They are computed as `membership_`, which
            describes their reliability. The largest is that of :meth:`predict`, except for outliers, which get -1
            there and the probabilities of their neighbours' clusters here.

        Examples
        --------
        >>> import graphcore
        >>> model = graphcore.CoresetSpectralClustering(2, random_state=0).fit(graphcore.datasets.load_karate().graph)
        >>> friend = model.predict_proba([[1.0] + [0.0] * 33])  # a new node that knows node 0
        >>> friend.shape, bool(friend[0, model.labels_[0]] > 0.5)
        ((1, 2), True)
        """
        check_is_fitted(self)
        kept = self._reference
        given = kept.inner, kept.volumes, kept.evidence, self.clustering_.settings.joined_by
        return np.concatenate([memberships(sums, *given).toarray() for sums, _ in _sums_of_rows(self, X)])

    def score(self, X: AnyData, y: object = None) -> float:
        """Minus the mean cost of new vectors or new nodes under the kernel ``D^-1 A D^-1``. Larger is better.

        The cost is the squared distance to the centroid of the cluster that :meth:`predict` gives, weighted by degree,
        as in :meth:`KernelKMeans.score`. The kernel has zeros on its diagonal, so that squared distances may be
        negative: the score of the graph of the fit is above 0.

        GridSearchCV and cross_val_score use it where no ``scoring=`` is given, and split matrices of graphs with
        ``affinity="precomputed"``. It compares fits of the same graph with the same number of clusters, as it rises
        with that number: for `n_clusters`, `n_neighbors` and `metric` give ``scoring=``, or use
        :func:`graphcore.select_n_clusters`.

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
        >>> model = graphcore.CoresetSpectralClustering(2, random_state=0).fit(graphcore.datasets.load_karate().graph)
        >>> round(model.score(model.graph_), 4)
        0.0112
        """
        check_is_fitted(self)
        inner, volumes = self._reference.inner, self._reference.volumes
        # Of K = D^-1 A D^-1 with w = D: |c|^2 - 2 (weight to the cluster) / (degree volume), and K_xx = 0.
        inside = np.divide(inner, volumes, out=np.zeros(len(inner)), where=volumes > 0)
        cost = weight = 0.0
        for sums, is_far in _sums_of_rows(self, X):
            labels = _row_labels(self, sums, is_far)
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


def _sums_of_rows(model, X):
    """Weights between rows of new input and clusters, and which rows are outliers, some rows at a time."""
    import scipy.sparse as sp

    reference = model._reference
    k, of_lists = len(reference.volumes), is_neighbor_pair(X) or reference.searcher is None
    X = checked_rows(model, X)
    if not X.shape[0]:
        raise InputError("X has no rows; at least one is needed")
    searcher, labels = reference.searcher, model.labels_
    if reference.kind == "distances" and of_lists:
        searcher = None
    elif reference.kind == "vectors" and searcher is None:
        searcher = new_row_searcher(
            as_taken(reference.vectors), model.graph_, reference.n_neighbors, reference.metric, model.n_jobs,
            kept=reference.listed(labels),
        )  # fmt: skip
        if isinstance(searcher, IndexSearcher):  # which takes long to build
            reference.searcher = searcher
    for start in range(0, X.shape[0], _PIECE):
        rows, last = _edges(reference, searcher, X[start : start + _PIECE], len(labels))
        if reference.weights is not None:
            rows = rows @ sp.diags_array(reference.weights)
        yield cluster_shares(edges_in_range(rows, reference.exponent), labels, k), last > reference.radius


def checked_rows(model, X):
    """New rows or nodes as a matrix of what the model was fitted to."""
    kind = model._reference.kind
    if is_graph_object(X):
        if kind != "edges":
            raise InputError(f"this model was fitted to {kind}, and this is a {type(X).__name__}")
        graph = as_graph(X, symmetrize=model.symmetrize)
        if graph.n_nodes != model.n_features_in_:
            raise InputError(
                f"the graph has {graph.n_nodes} nodes, and the one fitted {model.n_features_in_}; for new nodes give a "
                "sparse matrix, one row of edges to the fitted nodes for each"
            )
        names = np.arange(graph.n_nodes) if model._names is None else model._names
        if not np.array_equal(graph.names_of(np.arange(graph.n_nodes)), names):
            raise InputError("the graph's nodes are not those that were fitted, or in another order")
        return graph.to_scipy()
    if kind == "distances" and is_neighbor_pair(X):
        return distance_matrix(X, model.n_features_in_)
    if kind == "distances" and model._reference.searcher is not None:
        return as_vectors(X, least=1)
    check_sparse(X)
    if kind == "edges" and not hasattr(X, "tocsr") and (edge_columns(column_names(X)) or np.asarray(X).ndim == 1):
        raise InputError(
            f"X is no matrix; give for each new node a row of weights, to the {model.n_features_in_} fitted nodes "
            "(Reshape your data with [X] if it is one row); theirs are in labels_, and update takes edges by names"
        )
    X = validate_data(
        model, X, accept_sparse="csr", dtype=(np.float32, np.float64), reset=False, order="C",
    )  # fmt: skip
    if kind != "vectors":
        refuse_negative(model, X, "distances" if kind == "distances" else "weights of edges")
    if kind == "distances" and not hasattr(X, "indptr"):
        return nearest_listed(X, model._reference.n_neighbors, model._reference.kinds)
    return X


def _row_labels(model, sums, is_far):
    """Cluster of every row of such sums; -1 where it has no edge to a clustered node, or is an outlier."""
    kept = model._reference
    labels = predict_labels(sums, kept.inner, kept.volumes, model.clustering_.settings.joined_by)
    labels[is_far] = -1
    return labels


def _edges(reference, searcher, X, n_nodes):
    """Rows of edges to nodes, of which neighbours count 1 each, and the distance to the last neighbour of each row."""
    import scipy.sparse as sp

    if reference.kind == "edges":
        return sp.csr_array(X), np.zeros(X.shape[0])
    if searcher is None:
        near = listed_neighbors(X, reference.n_neighbors, without_self=False)
    else:
        if reference.metric in ("hamming", "jaccard"):
            check_binary(X, reference.metric)
        distances, listed = searcher.kneighbors(as_taken(X))
        near = Neighbors(listed, distances)
    there = near.indices >= 0
    indptr = np.concatenate([[0], np.cumsum(there.sum(axis=1))])
    rows = sp.csr_array((np.ones(indptr[-1]), near.indices[there], indptr), shape=(X.shape[0], n_nodes))
    return rows, last_distances(near)


def as_taken(vectors):
    """Return vectors as distances take them: those that a fit keeps may be narrower."""
    if hasattr(vectors, "indptr"):
        return ordered(vectors)
    return vectors if vectors.dtype.itemsize >= 4 else vectors.astype(np.float32)
