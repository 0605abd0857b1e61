"""Descriptions of clusters: central nodes, a line of figures, distinguishing columns, and central rows."""

from typing import Any

import numpy as np

from ..base.types import AnyData, AnyGraph, ArrayLike, Integers, Table
from ..base.validation import check_choice, check_integer, check_labels
from ..cluster.refine.problem import split_sums
from ..exceptions import InputError
from ..graphs.from_table import as_library
from ..neighbors.vectors import squared_norms
from .quality import placed_labels, quotient_graph

_PIECE_ENTRIES = 1 << 22


def central_nodes(
    graph: AnyGraph, labels: ArrayLike, n_clusters: int | None = None, *, count: int = 5, n_jobs: int | None = None,
) -> list[Integers]:  # fmt: skip
    """Find the nodes of every cluster with the most weight of edges to their own cluster.

    Parameters
    ----------
    graph, labels, n_clusters, n_jobs
        See :func:`cut_and_volume`.
    count : int, default 5
        Nodes of each cluster, fewer where it has fewer.

    Returns
    -------
    list of ndarray, int64
        Numbers of nodes, the most central first; ``graph.names_of`` has their names. Of two with the same weight
        inside, the one with less weight outside comes first, then the one of the smaller number.

    Examples
    --------
    >>> import graphcore
    >>> graph = graphcore.Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> [nodes.tolist() for nodes in graphcore.metrics.central_nodes(graph, [0, 0, 0, 1, 1, 1], count=2)]
    [[0, 1], [4, 5]]
    """
    count = check_integer("count", count, low=1)
    graph, labels, n_clusters = placed_labels(graph, labels, n_clusters)
    _, inside, outside = split_sums(graph, labels, n_clusters, n_jobs)
    return most_central(labels, inside, outside, n_clusters, count)


def most_central(labels, inside, outside, n_clusters, count):
    """Find the first nodes of every cluster by weight inside, then least weight outside, then number."""
    order = np.lexsort((outside, -inside, labels))
    starts = np.searchsorted(labels[order], np.arange(n_clusters + 1))
    return [order[starts[c] : min(starts[c] + count, starts[c + 1])] for c in range(n_clusters)]


def cluster_summary(
    graph: AnyGraph, labels: ArrayLike, n_clusters: int | None = None, *, n_central: int = 3, n_jobs: int | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Sum up every cluster: size, volume, conductance, nearest cluster and central nodes.

    Parameters
    ----------
    graph, labels, n_clusters, n_jobs
        See :func:`cut_and_volume`.
    n_central : int, default 3
        Number of central nodes of each cluster, see :func:`central_nodes`.

    Returns
    -------
    dict
        Columns "cluster", "size", "volume", "conductance" (arrays; see :class:`ClusterSums`), "nearest" (the other
        cluster that most of the cluster's edge weight leads to, of two the smaller number; -1 where none does) and
        "central" (a list of node names or numbers for each).

    Examples
    --------
    >>> import graphcore
    >>> graph = graphcore.Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> summary = graphcore.metrics.cluster_summary(graph, [0, 0, 0, 1, 1, 1], n_central=1)
    >>> summary["size"], summary["nearest"], summary["central"]
    (array([3, 3]), array([1, 0]), [[0], [4]])
    """
    n_central = check_integer("n_central", n_central, low=1)
    graph, labels, k = placed_labels(graph, labels, n_clusters)
    sums, inside, outside = split_sums(graph, labels, k, n_jobs)
    central = most_central(labels, inside, outside, k, n_central)
    return {
        "cluster": np.arange(k),
        "size": sums.size,
        "volume": sums.volume,
        "conductance": sums.conductance,
        "nearest": nearest_clusters(quotient_graph(graph, labels, k or None, n_jobs=n_jobs)),
        "central": [graph.names_of(nodes).tolist() for nodes in central],
    }


def nearest_clusters(between):
    """Find the column off the diagonal with the largest entry of every row; -1 for a row without any."""
    rows = np.repeat(np.arange(between.shape[0]), np.diff(between.indptr))
    apart = (rows != between.indices) & (between.data > 0)
    rows, columns, weights = rows[apart], between.indices[apart], between.data[apart]
    order = np.lexsort((columns, -weights, rows))
    first = order[np.unique(rows[order], return_index=True)[1]]
    out = np.full(between.shape[0], -1)
    out[rows[first]] = columns[first]
    return out


# -- features of the nodes ---------------------------------------------------------------------------------------------


def describe(
    features: AnyData, labels: ArrayLike, names: ArrayLike | None = None, *, count: int = 5, library: str | None = None,
) -> Table:  # fmt: skip
    """Find the columns that distinguish each cluster from all others.

    Parameters
    ----------
    features : array-like, memory map or sparse matrix of shape (n_samples, n_features)
        A sparse matrix without numbers below 0 is taken as counts of words, everything else as measurements. It is read
        some rows at a time.
    labels : array-like of shape (n_samples,), integer
        Cluster of every row, from 0; rows of -1 count for nothing.
    names : array-like of shape (n_features,), optional
        Names of the columns; default their numbers.
    count : int, default 5
        Columns of each cluster; fewer where no more differ, or have a count.
    library : {None, "pandas", "polars", "pyarrow"}, default None
        None is a dictionary of arrays.

    Returns
    -------
    dict or table
        Columns "cluster", "name" and "score", the highest of each cluster first. Of counts the score is class-based
        tf-idf, ``f_wc / f_c * log(1 + m / f_w)``: f_wc is how often word w is in cluster c, f_w the same in all, f_c
        the number of words of c and m their mean. Of measurements it is the standardised difference: the mean in the
        cluster less that of all other rows, over the standard deviation of all; the largest by absolute value first.

    Raises
    ------
    InputError
        If shapes do not fit, or features are not finite numbers.

    References
    ----------
    Grootendorst, "BERTopic: neural topic modeling with a class-based TF-IDF procedure", 2022, equation 2.

    Examples
    --------
    >>> import graphcore
    >>> found = graphcore.metrics.describe([[0, 1], [0, 2], [9, 1], [9, 2]], [0, 0, 1, 1], ["height", "age"], count=1)
    >>> found["name"].tolist(), found["score"].tolist()
    (['height', 'height'], [-2.0, 2.0])
    """
    count = check_integer("count", count, low=1)
    X, labels, k = _checked(features, labels)
    names = np.arange(X.shape[1]) if names is None else np.asarray(names)
    if names.shape != (X.shape[1],):
        raise InputError(f"names has shape {names.shape}; one name for each of {X.shape[1]} columns is needed")
    if hasattr(X, "indptr") and (len(X.data) == 0 or X.data.min() >= 0):
        scores = _word_scores(X, labels, k)
    else:
        scores = _differences(X, labels, k)
    order = np.argsort(-np.abs(scores), axis=1, kind="stable")[:, :count]
    best = np.take_along_axis(scores, order, axis=1)
    cluster, place = np.nonzero(best)
    columns = {"cluster": cluster, "name": names[order[cluster, place]], "score": best[cluster, place]}
    return as_library(columns, library)


def medoids(X: AnyData, labels: ArrayLike, *, count: int = 5, metric: str = "euclidean") -> list[Integers]:
    """Find the rows in the middle of every cluster: with the least sum of distances to all rows of it.

    Parameters
    ----------
    X : array-like, memory map or sparse matrix of shape (n_samples, n_features)
        Read some rows at a time.
    labels : array-like of shape (n_samples,), integer
        Cluster of every row, from 0; -1 for none.
    count : int, default 5
        Rows of each cluster, fewer where it has fewer.
    metric : {"euclidean", "cosine"}, default "euclidean"
        Squared Euclidean distances, or cosine distances, in which rows of zeros are at 1 from all.

    Returns
    -------
    list of ndarray, int64
        Numbers of rows, that in the middle first; of equals the smaller number. ``model.graph_.names_of(rows)`` are
        their names, if the fit had `ids`. Of a graph, :func:`central_nodes` finds nodes.

    Raises
    ------
    InputError, ParameterError

    Examples
    --------
    >>> import graphcore
    >>> [rows.tolist() for rows in graphcore.metrics.medoids([[0.0], [1.0], [5.0], [9.0]], [0, 0, 0, 1], count=2)]
    [[1, 0], [3]]
    """
    count = check_integer("count", count, low=1)
    check_choice("metric", metric, ("euclidean", "cosine"))
    X, labels, k = _checked(X, labels)
    sums, sizes = _sums(X, labels, k, lambda rows: _normed(rows, metric)), np.bincount(labels[labels >= 0], minlength=k)
    means = sums / np.maximum(sizes, 1)[:, None]
    far = np.zeros(len(labels))
    for rows, piece in _pieces(X):
        normed, own = _normed(piece, metric), means[labels[rows]]
        if metric == "euclidean" and not hasattr(normed, "indptr"):
            far[rows] = squared_norms(normed - own)
        else:  # less a term that all rows of a cluster have in common
            products = normed.multiply(own) if hasattr(normed, "indptr") else normed * own
            squares = 0 if metric == "cosine" else squared_norms(normed)
            far[rows] = squares - 2 * np.asarray(products.sum(axis=1)).ravel()
    return most_central(labels, -far, np.zeros(len(far)), k, count)


def _checked(X, labels):
    """Return features as an array or sorted rows, labels, and the number of clusters."""
    X = X.tocsr() if hasattr(X, "tocsr") else X if isinstance(X, np.ndarray) else np.asarray(X)
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise InputError(f"features are rows of real numbers; got {X.dtype} of shape {X.shape}")
    labels = check_labels("labels", labels, X.shape[0])
    k = int(labels.max(initial=-1)) + 1
    if k == 0:
        raise InputError("no row has a label from 0 on: there is no cluster")
    return X, labels, k


def _pieces(X):
    """Yield some rows of X at a time, as float64, and their places."""
    step = max(1, _PIECE_ENTRIES // max(1, X.shape[1]))
    for start in range(0, X.shape[0], step):
        piece = X[start : start + step].astype(np.float64)
        if not np.isfinite(piece.data if hasattr(piece, "indptr") else piece).all():
            raise InputError(f"features must be finite; one in rows {start} to {start + piece.shape[0] - 1} is not")
        yield slice(start, start + piece.shape[0]), piece


def _sums(X, labels, k, of=lambda rows: rows):
    """Sum a function of the rows over each cluster, (k, n_features)."""
    import scipy.sparse as sp

    total: Any = 0.0
    for rows, piece in _pieces(X):
        placed = np.flatnonzero(labels[rows] >= 0)
        ones = np.ones(len(placed))
        total = total + sp.csr_array((ones, (labels[rows][placed], placed)), shape=(k, piece.shape[0])) @ of(piece)
    return total.toarray() if hasattr(total, "toarray") else total


def _normed(rows, metric):
    """Divide rows by their norms for the cosine; rows of zeros stay."""
    if metric == "euclidean":
        return rows
    from sklearn.preprocessing import normalize

    return normalize(rows)


def _word_scores(X, labels, k):
    counts = _sums(X, labels, k)
    words, totals = counts.sum(axis=1), counts.sum(axis=0)
    share = counts / np.where(words > 0, words, 1)[:, None]
    return share * np.log1p(np.divide(words.mean(), totals, out=np.zeros(len(totals)), where=totals > 0))


def _differences(X, labels, k):
    shift = _sums(X, np.minimum(labels, 0), 1)[0] / np.count_nonzero(labels >= 0)  # squares lose no digits to it
    sums = _sums(X, labels, k, lambda rows: _dense(rows) - shift)
    squares = _sums(X, np.minimum(labels, 0), 1, lambda rows: np.square(_dense(rows) - shift))[0]
    sizes = np.bincount(labels[labels >= 0], minlength=k)[:, None]
    others = sizes.sum() - sizes
    deviation = np.sqrt(squares / sizes.sum())
    apart = sums / np.maximum(sizes, 1) - (sums.sum(axis=0) - sums) / np.maximum(others, 1)
    apart[((sizes == 0) | (others == 0)).ravel()] = 0
    return np.divide(apart, deviation, out=np.zeros_like(apart), where=deviation > 0)


def _dense(rows):
    return rows.toarray() if hasattr(rows, "toarray") else rows
