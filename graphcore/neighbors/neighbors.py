"""Vectors become a graph: every row is joined to its nearest neighbours."""

import numpy as np

from ..base.progress import Stages
from ..base.streams import Streams
from ..base.types import AnyData, RandomState
from ..base.validation import check_choice, check_integer, read_only
from ..exceptions import InputError, warn_user
from ..graphs._loops import check_rows
from ..graphs.graph import Graph
from ..graphs.rows import Rows, made_of, symmetrize_rows, transpose_rows
from .neighbor_lists import Neighbors, neighbors_of
from .outliers import leave_out
from .search import nearest_different
from .search_pynndescent import index_neighbors, is_index
from .vectors import as_vectors

MODES = {"union": "max", "mutual": "min", "average": "average"}  # how two directions are combined
WEIGHTINGS = ("binary", "gaussian")

# Smaller weights are raised to this, so that far outliers keep their edges and no degree is all but zero.
SMALLEST_WEIGHT = 1e-7


def knn_graph(
    X: AnyData, n_neighbors: int = 10, *, metric: str = "euclidean", mode: str = "union", weighting: str = "binary",
    algorithm: str = "auto", random_state: RandomState = None, n_jobs: int | None = None, verbose: int = 0,
) -> Graph:  # fmt: skip
    """Build the k-nearest-neighbour graph of vectors.

    Parameters
    ----------
    X : array-like, data frame or sparse matrix of shape (n_samples, n_features), or an index of pynndescent
        One vector a row; at least two, all numbers finite. float32 is kept, integers become float32 where that is
        exact, sparse matrices stay sparse. Never changed. Of an NNDescent the lists are taken as they are.
    n_neighbors : int, default 10
        Number of neighbours of every row, without the row itself. More than n_samples - 1 are reduced to that, with a
        warning.
    metric : str, default "euclidean"
        Distance between rows: "euclidean", "cosine", "manhattan", "hamming", "jaccard" or "correlation".
        "cosine" is 1 - cos, and refuses rows of zeros. "hamming" (the share of columns that differ) and "jaccard"
        (1 - both / either, counts of ones; 0 between empty rows) compare 0/1 vectors alone. "correlation" refuses
        rows of one number. All other names of pynndescent's, such as "hellinger" or "chebyshev", are searched by it,
        and so is "correlation" of sparse vectors. Rows without negative numbers that share nothing ("cosine", "jaccard"
        and "dice" are 1) are not joined, so that a row that shares nothing with any other is isolated.
    mode : {"union", "mutual", "average"}, default "union"
        When two rows are joined: one lists the other (union), both do (mutual), or one does, the weight being the mean
        of the two directions, 0 where a row does not list the other (average). "mutual" may leave nodes isolated.
    weighting : {"binary", "gaussian"}, default "binary"
        Weight of an edge of length d. "binary" is 1 (modes "union" and "mutual" then give an unweighted graph);
        "gaussian" is exp(-d^2 / (2 s^2)), where s is the median distance to the n_neighbors-th neighbour, as float32
        and at least 1e-7.
    algorithm : {"auto", "exact", "approximate", "pynndescent"}, default "auto"
        "exact" compares all rows, or is scikit-learn's k-d tree; "approximate" is nearest neighbour descent,
        "pynndescent" that of the package, with n_neighbors + 1 and its own defaults, see :doc:`/neighbors`. "auto" is
        exact for up to five columns, wherever that is expected to take at most a second in one thread (25,000 rows of
        16 columns, 8,000 rows of 784, 10,000 sparse ones of 50 entries) or no longer than the approximate search, whose
        time grows with the square of `n_neighbors`, and up to some 100,000 rows whose neighbours have few directions in
        common; it does not depend on `n_jobs`. An approximate search looks at 200 rows for the share of the true
        neighbours that it has found: where that is below .95, or .9 in the fifth that is farthest from its neighbours,
        the farthest rows are searched exactly, and a warning tells if that does not suffice.
    random_state : int, numpy Generator, RandomState or None, default None
        For the approximate search. With a seed the graph is the same for any `n_jobs`.
    n_jobs : int or None, default None
        Number of threads: None is one, -1 is all.
    verbose : int, default 0
        1 reports the seconds of search and construction, and the progress of a long search, to the logger "graphcore"
        (INFO) or, if no logging is set up, to stderr.

    Returns
    -------
    Graph
        Node i is row i. No self-loops.

    Raises
    ------
    InputError
        If X is no matrix of finite numbers with at least two rows.
    ParameterError
        If a parameter is not one of those above.

    Notes
    -----
    Nothing of size n_samples^2 is held: the neighbours take 8 bytes for each of n_samples * n_neighbors entries, the
    graph twice that. Equal rows (by cosine and correlation: multiples) are one point of the search, at most half of the
    different ones are listed, and weights are of distances between these. In the graph equal rows are a ring, each
    joined to `n_neighbors` others (if that is odd, to one more), and their edges to a row that differs are shared out
    among them: no row has many edges because others are equal.

    References
    ----------
    von Luxburg, "A tutorial on spectral clustering", Statistics and Computing 17 (2007), section 2.2.
    Dong, Moses, Li, "Efficient k-nearest neighbor graph construction for generic similarity measures", WWW 2011.

    Examples
    --------
    >>> import graphcore
    >>> graph = graphcore.knn_graph([[0.0], [1.0], [3.0], [3.5]], n_neighbors=1)
    >>> graph.indptr.tolist(), graph.indices.tolist()
    ([0, 1, 2, 3, 4], [1, 0, 3, 2])
    """
    check_choice("mode", mode, MODES)
    check_choice("weighting", weighting, WEIGHTINGS)
    stages = Stages(verbose=verbose)
    with stages("neighbour search"):
        neighbors = _neighbors(X, n_neighbors, metric, algorithm, random_state, n_jobs)
    with stages("neighbour graph"):
        return neighbor_graph(neighbors, mode=mode, weighting=weighting)


def _neighbors(X, n_neighbors, metric, algorithm, random_state, n_jobs):
    """Find the Neighbors of vectors, at most all others of each."""
    n_neighbors = check_integer("n_neighbors", n_neighbors, low=1)
    if is_index(X):
        return neighbors_of_index(X, n_neighbors)
    X = as_vectors(X)
    if n_neighbors >= X.shape[0]:
        warn_user(f"n_neighbors={n_neighbors} was reduced to {X.shape[0] - 1}: there are only {X.shape[0]} rows")
        n_neighbors = X.shape[0] - 1
    return nearest_different(
        X, n_neighbors, metric=metric, algorithm=algorithm, random_state=random_state, n_jobs=n_jobs
    )


def neighbors_of_index(index, n_neighbors=None):
    """Return the Neighbors that an NNDescent lists, at most so many of each row."""
    lists = index_neighbors(index)
    if n_neighbors is not None and n_neighbors >= lists[0].shape[1]:
        warn_user(
            f"n_neighbors={n_neighbors} was reduced to {lists[0].shape[1] - 1}: the index lists no more; build it with "
            f"n_neighbors={n_neighbors + 1}, which counts the row itself"
        )
    return neighbors_of(lists, n_neighbors)


def graph_of_vectors(X, n_neighbors, *, metric="euclidean", outliers=None, random_state=None, n_jobs=None, stages=None):
    """Make the graph that vectors are clustered by, each joined to its nearest neighbours; see clustered_neighbors."""
    with (Stages() if stages is None else stages)("neighbours"):
        stream = Streams(random_state).child("neighbours")
        return clustered_neighbors(_neighbors(X, n_neighbors, metric, "auto", stream, n_jobs), outliers)


def clustered_neighbors(neighbors, outliers):
    """Make the graph of Neighbors, which lose their outliers in place, the Outliers, and the kinds of equal rows."""
    found = leave_out(neighbors, outliers)
    return neighbor_graph(neighbors), found, neighbors.kinds


def neighbor_graph(neighbors: AnyData, *, mode: str = "union", weighting: str = "binary") -> Graph:
    """Make a graph of nearest neighbours that were found elsewhere.

    Parameters
    ----------
    neighbors : tuple of two arrays of shape (n_samples, n_neighbors), or sparse matrix of shape (n_samples, n_samples)
        Numbers of rows (integers) and distances to them (floats), in either order, nearest first; or distances, stored
        zeros included. Numbers below 0 stand for none, and a row's own number is passed over.
    mode, weighting
        See :func:`knn_graph`. "binary" reads no distances; for the others they must not be squared.

    Returns
    -------
    Graph

    Raises
    ------
    InputError
        If the arrays are no such neighbours, or a row lists another twice.
    ParameterError
        If `mode` or `weighting` is not one of those of :func:`knn_graph`.

    Examples
    --------
    >>> import numpy as np
    >>> import graphcore
    >>> found = np.array([[0, 1], [1, 0], [2, 1]]), np.array([[0.0, 1.0], [0.0, 1.0], [0.0, 2.0]])
    >>> graphcore.neighbor_graph(found).indices.tolist()
    [1, 0, 2, 1]
    """
    check_choice("mode", mode, MODES)
    check_choice("weighting", weighting, WEIGHTINGS)
    if is_index(neighbors):
        neighbors = neighbors_of_index(neighbors)
    if not isinstance(neighbors, Neighbors):
        neighbors = neighbors_of(neighbors)
    if weighting != "binary" and neighbors.distances.min(initial=0) < 0:
        raise InputError(f"weighting={weighting!r} is of distances, and inner products are none; use 'binary'")
    n, listed = len(neighbors.indices), neighbors.indices >= 0
    indptr = np.concatenate([[0], np.cumsum(listed.sum(axis=1))])
    if weighting == "binary":
        weights = np.empty(0)  # float64 shares compiled loops with all other unweighted graphs
    else:
        weights = _gaussian(neighbors, listed)
    # Transposing sorts the columns; the transpose and the original symmetrise to the same.
    rows = Rows(*map(read_only, transpose_rows(Rows(indptr, neighbors.indices[listed], weights))))
    code, row, entry, _ = check_rows(*rows, n)
    if code:
        raise InputError(f"row {rows.indices[entry]} lists row {row} twice among its neighbours")
    united, *_ = symmetrize_rows(rows, MODES[mode])
    weights = united.weights.astype(np.float32, copy=False)
    graph = made_of(Graph, Rows(united.indptr, united.indices, weights), None)
    if neighbors.kinds is None:
        return graph
    is_apart = np.isinf(neighbors.distances[:, :1]).any(axis=1)  # outliers
    return graph_of_copies(graph, neighbors.kinds, neighbors.n_asked, is_apart)


def _gaussian(neighbors, listed):
    """Compute exp(-d^2 / (2 s^2)) of listed entries in row order, with s the median distance to the last neighbour."""
    has_any, last = listed.any(axis=1), listed.shape[1] - 1 - listed[:, ::-1].argmax(axis=1)
    lasts = neighbors.distances[has_any, last[has_any]].astype(np.float64)
    scale = float(np.median(lasts)) if len(lasts) else 0.0
    distances = neighbors.distances[listed].astype(np.float64)
    if scale == 0:  # most rows repeat: their spread says nothing, so that of all others is taken
        positive = distances[distances > 0]
        scale = float(positive.mean()) if len(positive) else 1.0
    return np.maximum(np.exp(-np.square(distances) / (2 * scale**2)), SMALLEST_WEIGHT).astype(np.float32)


# -- graphs of all rows, and of the different ones ---------------------------------------------------------------------


def graph_of_copies(graph, kinds, n_neighbors, is_apart):
    """Make the Graph of all rows from that of the different ones; row i is a copy of node `kinds[i]`.

    An edge joins copies of its ends in turn, so that no row has a high degree because others are equal. Copies of a
    node that is not apart are a ring, each joined to `n_neighbors` of them.
    """
    import scipy.sparse as sp

    n, m = len(kinds), graph.n_nodes
    counts, copies = np.bincount(kinds, minlength=m), np.argsort(kinds, kind="stable").astype(np.int32)
    starts = np.cumsum(counts) - counts
    # Between nodes.
    a = np.repeat(np.arange(m, dtype=np.int32), np.diff(graph.indptr))
    upper = graph.indices > a
    a, b = a[upper], graph.indices[upper]
    most, least = np.maximum(counts[a], counts[b]), np.minimum(counts[a], counts[b])
    # A row with copies would list them first: of few copies each has all edges of the row, many share one for each.
    ratio = -(-most // least)
    n_each = np.minimum(most, least * np.maximum(1, np.minimum(ratio, n_neighbors + 1 - ratio)))
    edge, turn = _numbered(n_each)
    sources = copies[starts[a][edge] + turn % counts[a][edge]]
    targets = copies[starts[b][edge] + turn % counts[b][edge]]
    weights = np.ones(len(edge)) if graph.weights is None else graph.weights[upper][edge]
    # Between copies: to half as many that follow.
    n_next = np.where(is_apart, 0, np.minimum((n_neighbors + 1) // 2, counts // 2))
    own, place = _numbered(counts)
    entry, step = _numbered(n_next[own])
    node, place, step = own[entry], place[entry], step + 1
    once = (2 * step < counts[node]) | (place < step)  # from one end only where two are opposite each other
    node, place, step = node[once], place[once], step[once]
    sources = np.concatenate([sources, copies[starts[node] + place]])
    targets = np.concatenate([targets, copies[starts[node] + (place + step) % counts[node]]])
    weights = np.concatenate([weights, np.ones(len(node), dtype=weights.dtype)])  # that of a distance of 0
    rows = sp.coo_array((weights, (sources, targets)), shape=(n, n)).tocsr()
    return Graph.from_scipy(rows + rows.T)


def graph_of_kinds(graph, kinds):
    """Draw the copies of each row together: weights of their edges are summed, those inside a kind to a loop."""
    import scipy.sparse as sp

    P = sp.csr_array((np.ones(len(kinds)), kinds, np.arange(len(kinds) + 1)))
    return Graph.from_scipy(P.T @ (graph.to_scipy() @ P))


def highest_of(labels, kinds):
    """Return the highest label among equal rows, (n_kinds,) int32: that of those which have one, if -1 is none."""
    out = np.full(kinds.max() + 1, -1, dtype=np.int32)
    np.maximum.at(out, kinds, labels)
    return out


def _numbered(counts):
    """Repeat each number so many times, and number the repeats."""
    each = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    return each, np.arange(len(each)) - np.repeat(np.cumsum(counts) - counts, counts)
