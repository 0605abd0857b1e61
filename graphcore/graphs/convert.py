"""Other libraries' graphs, and plain arrays of edges, become a Graph."""

import warnings

import numpy as np

from .._validation import check_choice, check_integer
from ..exceptions import GraphWarning, InputError
from . import _loops
from .build import SYMMETRIZE, Rows, rows_from_edges, rows_from_pairs, symmetrize_rows
from .graph import _NO_WEIGHTS, _SYMMETRY_TOLERANCE, _defect

__all__ = ["graph_from_edges", "graph_from_ends", "graph_from_networkx", "graph_from_scipy"]


def graph_from_edges(cls, sources, targets, weights, n_nodes, *, node_names, symmetrize, warn):
    """See :meth:`Graph.from_edges`."""
    check_choice("symmetrize", symmetrize, SYMMETRIZE)
    sources, targets = _as_ids("sources", sources), _as_ids("targets", targets)
    if len(sources) != len(targets):
        raise InputError(f"{len(sources)} sources and {len(targets)} targets: there must be as many of each")
    n_nodes = _count_nodes(sources, targets, n_nodes)
    weights = _edge_weights(weights, len(sources))
    if n_nodes < 2**31:
        ends = np.empty((len(sources), 2), dtype=np.int32)
        ends[:, 0], ends[:, 1] = sources, targets
        return graph_from_ends(cls, ends, weights, n_nodes, node_names=node_names, symmetrize=symmetrize, warn=warn)
    if len(weights) and not weights.all():
        kept = weights != 0
        sources, targets, weights = sources[kept], targets[kept], weights[kept]
    rows = rows_from_edges(sources, targets, weights, n_nodes)
    merged = symmetrize_rows(rows, "max" if symmetrize == "error" else symmetrize)
    return _from_rows(cls, *merged, node_names, symmetrize, warn)


def graph_from_ends(cls, ends, weights, n_nodes, *, node_names, symmetrize, warn):
    """Make a graph from checked edges: `ends` (n_edges x 2, int32, overwritten) and weights (length 0: none)."""
    if len(weights) and not weights.all():
        kept = weights != 0
        ends, weights = ends[kept], weights[kept]
    merged = rows_from_pairs(ends, weights, n_nodes, "max" if symmetrize == "error" else symmetrize)
    return _from_rows(cls, *merged, node_names, symmetrize, warn)


def _from_rows(cls, rows, both, single, node_names, symmetrize, warn):
    # Edges listed once each, in any direction, are an undirected list; so are edges listed both ways.
    directed = both > 0 and single > 0
    if directed and symmetrize == "error":
        raise InputError(
            f"the edges look directed: {both} pairs stand in both directions, {single} in one; choose "
            "symmetrize='max', 'average', 'sum' or 'min'"
        )
    if directed and warn:
        _warn_directed(both, single, symmetrize, stacklevel=6)
    return cls(rows.indptr, rows.indices, _simplify(rows.weights), node_names=node_names, check=False)


def graph_from_scipy(cls, A, *, node_names, symmetrize, warn, check):
    """See :meth:`Graph.from_scipy`."""
    import scipy.sparse as sp

    check_choice("symmetrize", symmetrize, SYMMETRIZE)
    if not sp.issparse(A):
        A = np.asarray(A)
        if A.ndim != 2:
            raise InputError(f"a matrix of two dimensions is needed, got {A.ndim}")
    if A.shape[0] != A.shape[1]:
        raise InputError(f"an adjacency matrix is square; this one has shape {A.shape}")
    if A.shape[0] == 0:
        raise InputError("the graph is empty: its matrix has shape (0, 0)")
    if not (np.issubdtype(A.dtype, np.number) or A.dtype == bool) or np.issubdtype(A.dtype, np.complexfloating):
        raise InputError(f"weights must be real numbers, got {A.dtype}")
    A = sp.csr_array(A) if not sp.issparse(A) else A.tocsr()
    indptr = np.asarray(A.indptr, dtype=np.int64)
    indices = np.asarray(A.indices, dtype=np.int32 if A.shape[0] < 2**31 else np.int64)
    weights = _matrix_weights(A.data[: indptr[-1]])
    rows = Rows(indptr, indices[: indptr[-1]], weights)
    if not check:
        return cls(rows.indptr, rows.indices, _simplify(weights), node_names=node_names, check=False)
    code, row, entry = _loops.check_rows(*rows, A.shape[0])
    if code in (3, 6):
        A = sp.csr_array((np.array(A.data, dtype=np.float64), A.indices.copy(), A.indptr.copy()), shape=A.shape)
        A.sum_duplicates()
        A.eliminate_zeros()
        rows = Rows(A.indptr.astype(np.int64), A.indices.astype(indices.dtype), _matrix_weights(A.data))
    elif code:
        raise InputError(_defect(code, row, entry, rows.indices, weights, A.shape[0]))
    row, _ = _loops.check_symmetric(*rows, _SYMMETRY_TOLERANCE, rows.indptr[:-1].copy())
    if row >= 0:
        rows, both, single = symmetrize_rows(rows, symmetrize)
        if warn:
            _warn_directed(both, single, symmetrize, stacklevel=4)
    return cls(rows.indptr, rows.indices, _simplify(rows.weights), node_names=node_names, check=False)


def graph_from_networkx(cls, G, weight, *, symmetrize, warn):
    """See :meth:`Graph.from_networkx`."""
    names = list(G)
    if not names:
        raise InputError("the networkx graph has no nodes")
    position = {name: i for i, name in enumerate(names)}
    n_edges = G.number_of_edges()
    sources = np.fromiter((position[edge[0]] for edge in G.edges()), dtype=np.int64, count=n_edges)
    targets = np.fromiter((position[edge[1]] for edge in G.edges()), dtype=np.int64, count=n_edges)
    weights = None
    if weight is not None and any(weight in data for *_, data in G.edges(data=True)):
        try:
            weights = np.fromiter(
                (data.get(weight, 1.0) for *_, data in G.edges(data=True)), dtype=np.float64, count=n_edges
            )
        except (TypeError, ValueError) as error:
            raise InputError(f"edge attribute {weight!r} must hold numbers: {error}") from None
    if G.is_directed():
        graph = graph_from_edges(
            cls, sources, targets, weights, len(names), node_names=_names(names), symmetrize=symmetrize, warn=False
        )
        if warn:
            warnings.warn(
                f"a directed networkx graph was made undirected with symmetrize={symmetrize!r}",
                GraphWarning,
                stacklevel=3,
            )
        return graph
    # Edges of an undirected networkx graph are listed once, but parallel ones may come in either direction.
    low, high = np.minimum(sources, targets), np.maximum(sources, targets)
    return graph_from_edges(cls, low, high, weights, len(names), node_names=_names(names), symmetrize="max", warn=False)


def _names(names):
    if names == list(range(len(names))):
        return None
    kinds = {type(name) for name in names}
    if kinds <= {int} or kinds <= {str}:
        return np.array(names)
    out = np.empty(len(names), dtype=object)
    out[:] = names
    return out


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
    else:
        n_nodes = check_integer("n_nodes", n_nodes, low=0)
        if high >= n_nodes:
            raise InputError(f"node id {high} is beyond n_nodes={n_nodes}; ids run from 0 to n_nodes - 1")
    if n_nodes == 0:
        raise InputError("the graph is empty: no edges and no n_nodes")
    return n_nodes


def _edge_weights(weights, n_edges):
    if weights is None:
        return _NO_WEIGHTS
    weights = np.asarray(weights)
    if weights.shape != (n_edges,):
        raise InputError(f"weights have shape {weights.shape}; {n_edges} edges need shape ({n_edges},)")
    if weights.dtype not in (np.float32, np.float64):
        try:
            weights = weights.astype(np.float64)
        except (TypeError, ValueError):
            raise InputError(f"weights must be numbers, got {weights.dtype}") from None
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(bad):
        raise InputError(
            f"weights must be finite and not negative; edge {bad[0]} has {weights[bad[0]]} ({len(bad)} such edges)"
        )
    return weights


def _matrix_weights(data):
    if data.dtype == bool and data.all():
        return _NO_WEIGHTS
    if data.dtype not in (np.float32, np.float64):
        data = data.astype(np.float64)
    return _NO_WEIGHTS if _all_ones(data) else data


def _simplify(weights):
    """None for an array of length 0 or of ones: an unweighted graph stores no weights."""
    return None if _all_ones(weights) else weights


def _all_ones(weights):
    # By pieces, so that a weighted graph is told at its first entries and no mask of full length is made.
    piece = 1 << 20
    return all((weights[start : start + piece] == 1).all() for start in range(0, len(weights), piece))


def _warn_directed(both, single, symmetrize, stacklevel):
    warnings.warn(
        f"the input is directed ({both} pairs in both directions, {single} in one) and was made undirected with "
        f"symmetrize={symmetrize!r}",
        GraphWarning,
        stacklevel=stacklevel,
    )
