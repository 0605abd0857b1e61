"""Other libraries' graphs, and plain arrays of edges, become a Graph."""

import sys
from itertools import chain

import numpy as np

from .._arrays import read_only
from .._validation import check_choice, check_integer
from .._warn import warn_user
from ..exceptions import InputError
from . import _loops
from .graph import _NO_WEIGHTS, _SYMMETRY_TOLERANCE, _as_floats, _as_names, _defect, _narrow_ids
from .rows import (
    SYMMETRIZE,
    Rows,
    canonical_rows,
    drop_zeros,
    is_symmetric,
    rows_from_edges,
    rows_from_pairs,
    symmetrize_rows,
    transpose_rows,
)

__all__ = [
    "as_graph",
    "check_directions",
    "edge_weights",
    "graph_from_edges",
    "graph_from_ends",
    "graph_from_networkx",
    "graph_from_scipy",
    "is_graph",
    "is_graph_object",
    "is_numbered",
    "networkx_rows",
    "undirected_rows",
]

# With fewer nodes than this, ids with gaps only cost some memory.
_LARGEST_GAP = 1 << 27


def graph_from_edges(cls, sources, targets, weights, n_nodes, *, node_names, symmetrize, warn):
    """See :meth:`Graph.from_edges`."""
    check_choice("symmetrize", symmetrize, SYMMETRIZE)
    sources, targets = _as_ids("sources", sources), _as_ids("targets", targets)
    if len(sources) != len(targets):
        raise InputError(f"{len(sources)} sources and {len(targets)} targets: there must be as many of each")
    if sources.dtype != targets.dtype:
        sources, targets = sources.astype(np.int64), targets.astype(np.int64)
    n_nodes = _count_nodes(sources, targets, n_nodes)
    if node_names is not None:
        node_names = _as_names(node_names, n_nodes)
    weights = edge_weights(weights, len(sources))
    if n_nodes < 2**31:
        ends = np.empty((len(sources), 2), dtype=np.int32)
        ends[:, 0], ends[:, 1] = sources, targets
        return graph_from_ends(cls, ends, weights, n_nodes, node_names=node_names, symmetrize=symmetrize, warn=warn)
    if len(weights) and not weights.all():
        kept = weights != 0
        sources, targets, weights = sources[kept], targets[kept], weights[kept]
    rows = rows_from_edges(sources, targets, weights, n_nodes)
    uneven = not is_symmetric(rows, _SYMMETRY_TOLERANCE)
    rows, both, single = symmetrize_rows(rows, "max" if symmetrize == "error" else symmetrize)
    return _from_rows(cls, rows, both, single, uneven, node_names, symmetrize, warn)


def graph_from_ends(cls, ends, weights, n_nodes, *, node_names, symmetrize, warn):
    """Make a graph from checked edges between less than 2**31 nodes, in the memory of the edges themselves.

    `ends` (n_edges x 2, int32, contiguous) is overwritten; weights of length 0 stand for none.
    """
    if len(weights) and not weights.all():
        kept = weights != 0
        ends, weights = ends[kept], weights[kept]
    policy = "max" if symmetrize == "error" else symmetrize
    rows, both, single, different = rows_from_pairs(ends, weights, n_nodes, policy, _SYMMETRY_TOLERANCE)
    return _from_rows(cls, rows, both, single, single + different > 0, node_names, symmetrize, warn)


def _from_rows(cls, rows, both, single, uneven, node_names, symmetrize, warn):
    check_directions(both, single, uneven, symmetrize, warn)
    return cls(rows.indptr, rows.indices, _simplify(rows.weights), node_names=node_names, check=False)


def check_directions(both, single, uneven, symmetrize, warn):
    """Refuse edges that look directed if `symmetrize` says so, or warn about them.

    Edges listed once each, in any direction, are an undirected list; so are edges listed both ways alike.
    """
    if uneven and both > 0:
        if symmetrize == "error":
            how = f"{single} in one" if single else "some with two different weights"
            raise InputError(
                f"the edges look directed: {both} pairs stand in both directions, {how}; choose symmetrize='max', "
                "'average', 'sum' or 'min'"
            )
        if warn:
            _warn_directed(both, single, symmetrize)


def graph_from_scipy(cls, A, *, node_names, symmetrize, warn, check):
    """See :meth:`Graph.from_scipy`."""
    check_choice("symmetrize", symmetrize, SYMMETRIZE)
    A = _as_csr(A)
    n_nodes = A.shape[0]
    indptr = np.asarray(A.indptr, dtype=np.int64)
    data = A.data[: indptr[-1]]
    rows = Rows(indptr, _narrow_ids(A.indices[: indptr[-1]], n_nodes), _matrix_weights(data))
    if check:
        code, row, entry, _ = _loops.check_rows(*map(read_only, rows), n_nodes)
        if code in (3, 6):
            # Repeated entries of a matrix add up, ones too; only booleans have no sum.
            rows = canonical_rows(rows if data.dtype == bool else rows._replace(weights=_as_floats(data)))
        elif code:
            raise InputError(_defect(code, row, entry, rows.indices, rows.weights, n_nodes))
        if not is_symmetric(rows, _SYMMETRY_TOLERANCE):
            rows, both, single = symmetrize_rows(rows, symmetrize)
            if warn:
                _warn_directed(both, single, symmetrize)
    return cls(rows.indptr, rows.indices, _simplify(rows.weights), node_names=node_names, check=False)


def graph_from_networkx(cls, G, weight, *, symmetrize, warn):
    """See :meth:`Graph.from_networkx`."""
    check_choice("symmetrize", symmetrize, SYMMETRIZE)
    if not (hasattr(G, "adjacency") and hasattr(G, "is_multigraph")):
        raise InputError(f"a networkx graph is needed, got {type(G).__name__}")
    names = list(G)
    if not names:
        raise InputError("the networkx graph has no nodes")
    neighbors, indptr, indices = networkx_rows(G, names)
    rows = Rows(indptr, indices, _NO_WEIGHTS)
    if weight is not None:
        rows = drop_zeros(rows._replace(weights=_networkx_weights(G, weight, neighbors, rows, names)))
    # This sorts the columns; an undirected graph is its own transpose, and every policy treats both directions alike.
    rows = transpose_rows(rows)
    if G.is_directed():
        rows = undirected_rows(rows, symmetrize, warn and "networkx")
    node_names = None if is_numbered(names) else names
    return cls(rows.indptr, rows.indices, _simplify(rows.weights), node_names=node_names, check=False)


def undirected_rows(rows, symmetrize, library):
    """Combine the two directions of a directed graph; a warning names the library that it is of, if there is one."""
    rows, both, single = symmetrize_rows(rows, symmetrize)
    if library:
        warn_user(
            f"a directed {library} graph ({both} pairs in both directions, {single} in one) was made undirected "
            f"with symmetrize={symmetrize!r}"
        )
    return rows


def networkx_rows(G, names):
    """Return (dictionaries of neighbours in node order, indptr, indices); columns are in networkx's own order."""
    # networkx's own dictionaries are rows already: an undirected edge stands in the rows of both its ends.
    neighbors = [row for _, row in G.adjacency()]
    indptr = np.zeros(len(names) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, neighbors), dtype=np.int64, count=len(names)), out=indptr[1:])
    columns = chain.from_iterable(neighbors)
    if not is_numbered(names):
        columns = map({name: i for i, name in enumerate(names)}.__getitem__, columns)
    return neighbors, indptr, np.fromiter(columns, dtype=np.int32, count=indptr[-1])


def is_numbered(names):
    """Whether a list of node names is 0, 1, 2, ..."""
    return names == list(range(len(names)))


def _networkx_weights(G, weight, neighbors, rows, names):
    """Weights in row order, parallel edges added up; 1 where the attribute is missing."""
    edges = chain.from_iterable(row.values() for row in neighbors)
    starts = np.arange(len(rows.indices))  # where each entry's weights start: parallel edges have several
    if G.is_multigraph():
        parallel = list(edges)
        starts = np.cumsum([0, *map(len, parallel)])[:-1]
        edges = chain.from_iterable(keys.values() for keys in parallel)
    try:
        weights = np.fromiter((data.get(weight, 1.0) for data in edges), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"edge attribute {weight!r} must hold numbers: {error}") from None
    bad = _first_bad_weight(weights)
    if bad >= 0:
        entry = np.searchsorted(starts, bad, side="right") - 1
        source, target = np.searchsorted(rows.indptr, entry, side="right") - 1, rows.indices[entry]
        raise InputError(
            f"edge attribute {weight!r} must be finite and not negative; it is {weights[bad]} between "
            f"{names[source]!r} and {names[target]!r}"
        )
    if len(starts) < len(weights):
        weights = np.add.reduceat(weights, starts)
    return _NO_WEIGHTS if _all_ones(weights) else weights


def _as_csr(A):
    """Any matrix as scipy CSR, without a copy where it is CSR or CSC."""
    import scipy.sparse as sp

    if not sp.issparse(A):
        A = np.asarray(A)
    if A.ndim != 2:
        raise InputError(f"a matrix of two dimensions is needed, got {A.ndim}")
    if A.shape[0] != A.shape[1]:
        raise InputError(f"an adjacency matrix is square; this one has shape {A.shape}")
    if A.shape[0] == 0:
        raise InputError("the graph is empty: its matrix has shape (0, 0)")
    if A.dtype.kind not in "biuf":
        raise InputError(f"weights must be real numbers, got {A.dtype}")
    if not sp.issparse(A):
        return sp.csr_array(A.astype(np.float32) if A.dtype == np.float16 else A)
    # The transpose of CSC is CSR over the same arrays, and every policy treats both directions alike.
    return A.T if A.format == "csc" else A.tocsr()


def _as_ids(name, values):
    values = np.asarray(values)
    if values.ndim != 1:
        raise InputError(f"{name} must be one-dimensional, got shape {values.shape}")
    if len(values) == 0:
        return values.astype(np.int32)
    if not np.issubdtype(values.dtype, np.integer):
        raise InputError(f"{name} must be integers, got {values.dtype}; number the nodes from 0 and give node_names")
    if values.dtype not in (np.int32, np.int64):
        values = values.astype(np.int64)
    return values


def _count_nodes(sources, targets, n_nodes):
    low = min((int(ids.min()) for ids in (sources, targets) if len(ids)), default=0)
    high = max((int(ids.max()) for ids in (sources, targets) if len(ids)), default=-1)
    if low < 0:
        raise InputError(f"node ids start at 0; found {low}")
    if n_nodes is None:
        n_nodes = high + 1
        if n_nodes > max(_LARGEST_GAP, 1000 * len(sources)):
            raise InputError(
                f"the largest node id is {high}, but there are only {len(sources)} edges: the ids seem to have gaps; "
                "number the nodes from 0 (numpy.unique(..., return_inverse=True)) or give n_nodes"
            )
    else:
        n_nodes = check_integer("n_nodes", n_nodes, low=0)
        if high >= n_nodes:
            raise InputError(f"node id {high} is beyond n_nodes={n_nodes}; ids run from 0 to n_nodes - 1")
    if n_nodes == 0:
        raise InputError("the graph is empty: no edges and no n_nodes")
    return n_nodes


def edge_weights(weights, n_edges):
    """Weights of edges as floats, checked; an array of length 0 for none."""
    if weights is None:
        return _NO_WEIGHTS
    weights = np.asarray(weights)
    if weights.shape != (n_edges,):
        raise InputError(f"weights have shape {weights.shape}; {n_edges} edges need shape ({n_edges},)")
    weights = _as_floats(weights)
    bad = _first_bad_weight(weights)
    if bad >= 0:
        raise InputError(f"weights must be finite and not negative; edge {bad} has {weights[bad]}")
    return weights


def _matrix_weights(data):
    # Ones are told before a conversion, so that an unweighted matrix of any type is never copied.
    return _NO_WEIGHTS if _all_ones(data) else _as_floats(data)


def _simplify(weights):
    """None for an array of length 0 or of ones: an unweighted graph stores no weights."""
    return None if _all_ones(weights) else weights


def _all_ones(weights):
    return all((piece == 1).all() for piece in _pieces(weights))


def _first_bad_weight(weights):
    """Position of the first weight that is negative, infinite or NaN; -1 if there is none."""
    start = 0
    for piece in _pieces(weights):
        good = np.isfinite(piece) & (piece >= 0)
        if not good.all():
            return start + int(np.argmin(good))
        start += len(piece)
    return -1


def _pieces(array):
    # By pieces, so that a difference at the start is told at once and no mask of full length is made.
    size = 1 << 20
    return (array[start : start + size] for start in range(0, len(array), size))


def _warn_directed(both, single, symmetrize):
    warn_user(
        f"the input is directed ({both} pairs in both directions, {single} in one) and was made undirected with "
        f"symmetrize={symmetrize!r}"
    )


def as_graph(graph, **options):
    """Return a Graph from whatever stands for one: a Graph, a (sparse) matrix, a networkx or igraph graph."""
    from .graph import Graph

    if isinstance(graph, Graph):
        return graph
    if _is_of("networkx", graph):
        return Graph.from_networkx(graph, **options)
    if _is_of("igraph", graph):
        return Graph.from_igraph(graph, **options)
    if hasattr(graph, "tocsr") or (hasattr(graph, "ndim") and graph.ndim == 2):
        return Graph.from_scipy(graph, **options)
    raise InputError(
        f"a graph is needed (graphcore.Graph, scipy sparse matrix, square array, networkx or igraph graph), got "
        f"{type(graph).__name__}"
    )


def is_graph(X):
    """Whether this is read as a graph where that is left open: a graph object or a square sparse matrix."""
    return is_graph_object(X) or (hasattr(X, "tocsr") and X.ndim == 2 and X.shape[0] == X.shape[1])


def is_graph_object(X):
    """Whether this is a Graph, or a graph of another library."""
    from .graph import Graph

    return isinstance(X, Graph) or _is_of("networkx", X) or _is_of("igraph", X)


def _is_of(library, graph):
    # A library is asked only when somebody imported it: an object of its classes cannot exist otherwise.
    module = sys.modules.get(library)
    return module is not None and isinstance(graph, module.Graph)
