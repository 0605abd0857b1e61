"""Membership of nodes and of new rows: the weight of their edges to each cluster, and what it says."""

import numpy as np

from ..base.validation import refuse_negative
from ..exceptions import InputError
from ..graphs.as_graph import as_graph, is_graph_object, refuse_as_vectors
from ..graphs.columns import edge_columns
from ..graphs.from_matrix import check_given
from ..graphs.from_table import column_names
from ..graphs.rows import csr_rows, edges_in_range
from ..neighbors.neighbor_lists import Neighbors, distance_matrix, is_neighbor_pair, listed_neighbors, nearest_listed
from ..neighbors.outliers import last_distances
from ..neighbors.search import largest_distance, new_row_searcher
from ..neighbors.search_pynndescent import IndexSearcher
from ..neighbors.vectors import as_floats, as_vectors, check_binary, check_finite, ordered, squared_norms
from .refine.objectives import OBJECTIVES
from .refine.problem import slopes

_PIECE = 1 << 14  # rows at a time
# As what a weight counts at least, over the largest volume.
_LEAST = 2.0**-164
# Less of a probability than this is left out.
_NOTHING = 1e-4


def cluster_shares(rows, labels, n_clusters):
    """Weight of each row's edges to every cluster, csr_array (n_rows, n_clusters); nodes of label -1 are left out."""
    import scipy.sparse as sp

    placed = np.flatnonzero(labels >= 0)
    ones = np.ones(len(placed))
    members = sp.csr_array((ones, (placed, labels[placed])), shape=(len(labels), n_clusters))
    sums = sp.csr_array(rows.astype(np.float64) @ members)
    sums.eliminate_zeros()
    return sums


def predict_labels(sums, inner, volumes, objective):
    """Return the cluster, of those around it, that gains most from each row of :func:`cluster_shares`; -1 for none.

    This is the move of refinement to first order: adding a node of degree d with weight l to cluster c raises the
    objective by about ``2 l dF/dL_c + d dF/dv_c``, with the clusters' inner weights L (both directions) and volumes v.
    For "ncut" that is the nearest centroid of kernel k-means.
    """
    counts, gains = np.diff(sums.indptr), _gains(sums, *slopes(objective, inner, volumes))
    out = np.full(sums.shape[0], -1, dtype=np.int32)
    filled = np.flatnonzero(counts)
    best = np.maximum.reduceat(gains, sums.indptr[filled])
    # Of equal gains the first: ties do not depend on the order in which scipy summed.
    is_best = gains == np.repeat(best, counts[filled])
    clusters = np.where(is_best, sums.indices, sums.shape[1])
    out[filled] = np.minimum.reduceat(clusters, sums.indptr[filled])
    return out


def _gains(sums, by_inner, by_volume):
    """Compute each row's gain by each neighbouring cluster, to first order."""
    degrees = np.repeat(sums.sum(axis=1), np.diff(sums.indptr))
    return 2 * sums.data * by_inner[sums.indices] + degrees * by_volume[sums.indices]


def memberships(sums, inner, volumes, evidence, objective=OBJECTIVES["information"]):
    """Probabilities of the clusters around each row of :func:`cluster_shares`, a csr_array; rows add up to 1, or to 0.

    The logarithm of each is, up to a constant, the gain in log-likelihood of the planted model by the row's joining the
    cluster, to first order: that of "information" in :func:`predict_labels`, times `evidence` for each unit of weight
    (`edge_evidence` for each mean weight). For others it is the gain in those, with
    edges that are worth as much in the mean over the volume, so that the largest is always that of the cluster joined.
    """
    import scipy.sparse as sp

    by_inner, by_volume = slopes(objective, inner, volumes)
    mean = by_inner @ volumes  # 0 where a single cluster holds everything
    by_information, _ = slopes(OBJECTIVES["information"], inner, volumes)
    worth = by_information @ volumes / mean if mean else 1.0
    sums = sums.sorted_indices()  # its own: what follows is written into its arrays
    counts = np.diff(sums.indptr)
    filled = np.flatnonzero(counts)
    starts, lengths = sums.indptr[filled], counts[filled]
    # In units of each row, a power of two, so that weights of any size stay numbers.
    units = np.ldexp(1.0, np.frexp(np.maximum.reduceat(sums.data, starts))[1] - 1)
    sums.data /= np.repeat(units, lengths)
    gains = _gains(sums, by_inner, by_volume)
    with np.errstate(over="ignore"):
        worths = np.minimum(0.5 * evidence * max(worth, 0.0) * units, np.finfo(float).max)
        gains = np.exp((gains - np.repeat(np.maximum.reduceat(gains, starts), lengths)) * np.repeat(worths, lengths))
    gains[gains < _NOTHING * np.repeat(np.add.reduceat(gains, starts), lengths)] = 0.0
    gains /= np.repeat(np.add.reduceat(gains, starts), lengths)
    found = sp.csr_array((gains, sums.indices, sums.indptr), shape=sums.shape)
    found.eliminate_zeros()
    return found


def node_memberships(rows, labels, inner, volumes, evidence, objective, *, exponent=0, node_weights=None):
    """:func:`memberships` of all nodes of a graph, by their edges to others (no loops), a csr_array (n, n_clusters).

    Sums and evidence are in units of 2 to the `exponent`; with `node_weights` (n,) the weights of edges have them in.
    """
    import scipy.sparse as sp

    n, parts = len(rows.degrees), []
    for start in range(0, n, _PIECE):
        nodes = np.arange(start, min(start + _PIECE, n))
        piece = csr_rows(rows, nodes)
        piece.data = np.maximum(np.ldexp(piece.data, -exponent), _LEAST)  # an edge that is lost in sums stays one
        counts = np.diff(piece.indptr)
        piece.data[piece.indices == np.repeat(nodes, counts)] = 0.0
        if node_weights is not None:  # an edge of a copy, not of all copies together
            own = np.repeat(node_weights[start : start + _PIECE], counts)
            np.divide(piece.data, own, out=piece.data, where=own > 0)
        parts.append(memberships(cluster_shares(piece, labels, len(inner)), inner, volumes, evidence, objective))
    return sp.vstack(parts, format="csr")


# -- new rows ----------------------------------------------------------------------------------------------------------


def predicted_labels(model, X):
    """Return the cluster that gains most from each row, (n_new,) int32; see `CoresetSpectralClustering.predict`."""
    return np.concatenate([_row_labels(model, *rows) for rows in _sums_of_rows(model, X)])


def predicted_shares(model, X):
    """Return shares of each row's edges that go to clusters, (n_new, n_clusters) float64."""
    parts = []
    for sums, _ in _sums_of_rows(model, X):
        totals = sums.sum(axis=1)[:, None]
        parts.append(np.divide(sums.toarray(), totals, out=np.zeros(sums.shape), where=totals > 0))
    return np.concatenate(parts)


def predicted_probabilities(model, X):
    """Return probabilities of clusters for each row, (n_new, n_clusters) float64."""
    kept = model._reference
    given = kept.inner, kept.volumes, kept.evidence, model.clustering_.settings.record
    # Rows that are outliers belong to no cluster, as among those that were fitted.
    parts = [memberships(sums, *given).toarray() * ~is_far[:, None] for sums, is_far in _sums_of_rows(model, X)]
    return np.concatenate(parts)


def mean_cost(model, X):
    """Return the mean cost of rows under the kernel, weighted by degree; see `CoresetSpectralClustering.score`."""
    inner, volumes = model._reference.inner, model._reference.volumes
    # Of K = D^-1 A D^-1 with w = D: |c|^2 - 2 (weight to the cluster) / (degree volume), and K_xx = 0.
    inside = np.divide(inner, volumes, out=np.zeros(len(inner)), where=volumes > 0)
    cost = weight = 0.0
    for sums, is_far in _sums_of_rows(model, X):
        labels = _row_labels(model, sums, is_far)
        rows = np.flatnonzero(labels >= 0)
        own, degrees = labels[rows], sums.sum(axis=1)[rows]
        towards = np.asarray(sums[rows, own]).ravel()
        cost += float(((degrees * inside[own] - 2.0 * towards) / volumes[own]).sum())
        weight += float(degrees.sum())
    if weight == 0.0:
        raise InputError("no row has an edge to a clustered node: there is no cost")
    with np.errstate(over="ignore"):
        return float(np.ldexp(cost / weight, -model._reference.exponent))


def _sums_of_rows(model, X):
    """Weights between rows of new input and clusters, and which rows are outliers, some rows at a time."""
    import scipy.sparse as sp

    reference = model._reference
    k, of_lists = len(reference.volumes), is_neighbor_pair(X) or reference.searcher is None
    X = _checked_rows(model, X)
    if not X.shape[0]:
        raise InputError("X has no rows; at least one is needed")
    searcher, labels = reference.searcher, model.labels_
    if reference.kind == "distances" and of_lists:
        searcher = None
    elif reference.kind == "vectors" and searcher is None:
        kept = None if reference.radius == np.inf else np.flatnonzero(labels >= 0)  # outliers are nobody's neighbours
        searcher = new_row_searcher(
            _as_taken(reference.vectors), model.graph_, reference.n_neighbors, reference.metric, model.n_jobs,
            kept=kept, radius=reference.radius,
        )  # fmt: skip
        if isinstance(searcher, IndexSearcher):  # which takes long to build
            reference.searcher = searcher
    for start in range(0, X.shape[0], _PIECE):
        rows, last = _edges(reference, searcher, X[start : start + _PIECE], len(labels))
        if reference.weights is not None:
            rows = rows @ sp.diags_array(reference.weights)
        yield cluster_shares(edges_in_range(rows, reference.exponent), labels, k), last > reference.radius


# The rows that `predict` asks for, by what was fitted.
_ASKED = {
    "edges": "give for each new node a row of weights to the fitted nodes; theirs are in labels_",
    "vectors": "give vectors of the same columns",
    "distances": "give of each new row the nearest of those fitted, as by index.kneighbors(X), or distances to all",
}


def _checked_rows(model, X):
    """Return new rows or nodes as a matrix of what the model was fitted to."""
    from sklearn.utils.validation import check_array, validate_data

    kind = model._reference.kind
    if is_graph_object(X):
        return _rows_of_graph(model, X)
    if kind == "distances" and is_neighbor_pair(X):
        return distance_matrix(X, model.n_features_in_)
    if is_neighbor_pair(X):
        raise InputError(f"X is neighbours and their distances, and this model was fitted to {kind}; {_ASKED[kind]}")
    if kind == "distances" and model._reference.searcher is not None:
        return as_vectors(X, least=1)
    (refuse_as_vectors if kind == "vectors" else check_given)(X)
    if kind == "edges" and edge_columns(column_names(X)):
        raise InputError(f"X is a table of edges; {_ASKED[kind]}")
    if kind == "vectors" and hasattr(X, "tocsr") and not hasattr(model._reference.vectors, "tocsr"):
        raise InputError(
            "X is sparse, and the rows that were fitted are not; give X.toarray(), a block of rows at a time"
        )
    given = X
    X = as_floats(check_array(
        X, accept_sparse="csr", dtype="numeric", order="C", ensure_all_finite=kind == "edges",
        estimator=model, input_name="X",
    ))  # fmt: skip
    if kind != "vectors" and X.shape[1] != model.n_features_in_:
        raise InputError(
            f"X has {X.shape[1]} features, but {type(model).__name__} is expecting {model.n_features_in_} features as "
            f"input; {_ASKED[kind]}"
        )
    validate_data(model, given, reset=False, skip_check_array=True)  # names and number of the columns
    if kind == "vectors":
        check_finite(X)
    else:
        refuse_negative(model, X, "distances" if kind == "distances" else "weights of edges")
    if kind == "distances" and not hasattr(X, "indptr"):
        return nearest_listed(X, model._reference.n_neighbors)
    return X


def _rows_of_graph(model, X):
    """Return the rows of a graph, whose nodes have to be those that were fitted."""
    kind = model._reference.kind
    if kind != "edges":
        raise InputError(f"this model was fitted to {kind}, got {type(X).__name__}; {_ASKED[kind]}")
    graph = as_graph(X, symmetrize=model.symmetrize)
    if graph.n_nodes != model.n_features_in_:
        raise InputError(
            f"the graph has {graph.n_nodes} nodes, and the one fitted {model.n_features_in_}; for new nodes give a "
            "sparse matrix, one row of edges to the fitted nodes for each"
        )
    numbers = np.arange(graph.n_nodes)
    if not np.array_equal(graph.names_of(numbers), model.graph_.names_of(numbers)):
        raise InputError("the graph's nodes are not those that were fitted, or in another order")
    return graph.to_scipy()


def _row_labels(model, sums, is_far):
    """Cluster of every row of such sums; -1 where it has no edge to a clustered node, or is an outlier."""
    kept = model._reference
    labels = predict_labels(sums, kept.inner, kept.volumes, model.clustering_.settings.record)
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
        distances, listed = searcher.kneighbors(_as_taken(X))
        if reference.metric == "cosine":  # rows of zeros have no direction, and no neighbours
            listed = np.where(squared_norms(X)[:, None] > 0, listed, -1)
        vectors = (X,) if reference.vectors is None else (X, reference.vectors)
        near = Neighbors(np.where(distances < largest_distance(reference.metric, *vectors), listed, -1), distances)
    there = near.indices >= 0
    indptr = np.concatenate([[0], np.cumsum(there.sum(axis=1))])
    rows = sp.csr_array((np.ones(indptr[-1]), near.indices[there], indptr), shape=(X.shape[0], n_nodes))
    return rows, last_distances(near)


def _as_taken(vectors):
    """Return vectors as distances take them: those that a fit keeps may be narrower."""
    return ordered(vectors) if hasattr(vectors, "indptr") else as_floats(vectors)
