"""New vectors and new nodes as rows of edges to the nodes that were clustered."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from ..exceptions import InputError
from ..graphs.as_graph import as_graph, is_graph_object
from ..graphs.magnitude import edges_in_range
from ..graphs.structure import check_sparse
from ..knn.neighbor_lists import listed_neighbors
from ..knn.search_exact import exact_searcher
from ..knn.vectors import check_binary, ordered
from ..partition.evidence import cluster_shares, predict_labels

_PIECE = 1 << 14


@dataclass(eq=False)
class Reference:
    """What a fitted model keeps of its input, and of its clusters, for what comes later."""

    kind: str  # what rows of new input hold: "edges", "vectors" or "distances"
    vectors: Any = field(default=None, repr=False)  # those fitted, dense or csr
    n_neighbors: int | None = None
    metric: str | None = None
    inner: np.ndarray | None = None
    volumes: np.ndarray | None = None
    exponent: int = 0  # of 2, by which inner weights and volumes are divided: they are below 1
    evidence: float = 0.0  # log odds for each unit of weight, as inner weights and volumes are kept
    weights: np.ndarray | None = field(default=None, repr=False)  # as how many each fitted node counts

    def set_clusters(self, sums, evidence=None):
        """Keep sums of the clusters, and what a unit of weight is worth (as before, if it is not given).

        Volumes below 2^-100 of the largest count as that.
        """
        evidence = np.ldexp(self.evidence, -self.exponent) if evidence is None else evidence
        self.exponent = int(np.frexp(sums.volume.max())[1])
        self.inner, self.volumes = np.ldexp(sums.internal, -self.exponent), np.ldexp(sums.volume, -self.exponent)
        least = 2.0**-100
        small = np.flatnonzero((sums.volume > 0) & (self.volumes < least))
        self.inner[small] = least * sums.internal[small] / sums.volume[small]
        self.volumes[small] = least
        self.evidence = float(np.ldexp(evidence, self.exponent))


def sums_of_rows(model, X):
    """Weights between rows of new input and clusters, some rows at a time."""
    import scipy.sparse as sp

    reference = model._reference
    k = len(reference.volumes)
    X = _checked(model, X)
    searcher = _searcher(reference)
    for start in range(0, X.shape[0], _PIECE):
        rows = _edges(reference, searcher, X[start : start + _PIECE], len(model.labels_))
        if reference.weights is not None:
            rows = rows @ sp.diags_array(reference.weights)
        yield cluster_shares(edges_in_range(rows, reference.exponent), model.labels_, k)


def _checked(model, X):
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
        names = np.arange(graph.n_nodes) if model.node_names_ is None else model.node_names_
        if not np.array_equal(graph.names_of(np.arange(graph.n_nodes)), names):
            raise InputError("the graph's nodes are not those that were fitted, or in another order")
        return graph.to_scipy()
    check_sparse(X)
    if kind == "edges" and not hasattr(X, "tocsr") and np.asarray(X).ndim == 1:
        raise InputError(
            "X has one dimension; give for each new node a row of the weights of its edges to the "
            f"{model.n_features_in_} fitted nodes (Reshape your data with [X] if it is one row); "
            "the fitted nodes' own clusters are in labels_"
        )
    X = validate_data(
        model,
        X,
        accept_sparse="csr",
        dtype=(np.float32, np.float64),
        reset=False,
        order="C",
        ensure_non_negative=kind != "vectors",
    )
    if kind == "distances" and not hasattr(X, "indptr"):
        raise InputError(
            "neighbours come as a sparse matrix, for example from KNeighborsTransformer; this one is dense"
        )
    return X


def row_labels(model, sums):
    """Cluster of every row of such sums; -1 where it has no edge to a clustered node."""
    return predict_labels(sums, model._reference.inner, model._reference.volumes, model.settings_.joined_by)


def _searcher(reference):
    if reference.kind != "vectors":
        return None
    return exact_searcher(_as_taken(reference.vectors), reference.n_neighbors, reference.metric)


def _as_taken(vectors):
    return ordered(vectors) if hasattr(vectors, "indptr") else vectors


def _edges(reference, searcher, X, n_nodes):
    """Rows of edges to the fitted nodes; neighbours count 1 each, as in the graph that was fitted."""
    import scipy.sparse as sp

    if reference.kind == "edges":
        return sp.csr_array(X)
    if reference.kind == "vectors":
        if reference.metric in ("hamming", "jaccard"):
            check_binary(X, reference.metric)
        listed = searcher.kneighbors(_as_taken(X))[1]
        indptr = np.arange(len(listed) + 1) * listed.shape[1]
        return sp.csr_array((np.ones(listed.size), listed.ravel(), indptr), shape=(X.shape[0], n_nodes))
    listed = listed_neighbors(X, reference.n_neighbors, without_self=False).indices
    there = listed >= 0
    indptr = np.concatenate([[0], np.cumsum(there.sum(axis=1))])
    return sp.csr_array((np.ones(indptr[-1]), listed[there], indptr), shape=(X.shape[0], n_nodes))
