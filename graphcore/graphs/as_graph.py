"""Recognise a user's graph and make a Graph of it; refuse graphs where vectors are needed."""

import os

import numpy as np

from ..exceptions import InputError
from .columns import edge_columns, is_index, is_square_table, weight_column
from .from_edges import is_text
from .from_matrix import check_given
from .from_table import column_names
from .graph import Graph
from .rows import SYMMETRY_TOLERANCE


def as_graph(graph, **options):
    """Return a Graph from whatever stands for one: a graph of any library, a matrix, a table or arrays of edges."""
    make = graph_maker(graph, declared=True)
    if make is not None:
        return make(graph, **options)
    if getattr(graph, "ndim", None) == 2:
        return Graph.from_scipy(graph, **options)
    _refuse_path(graph, "a graph")
    raise InputError(
        "a graph is needed (graphcore.Graph, scipy sparse matrix, square array, networkx or igraph graph, table or "
        f"arrays of edges), got {type(graph).__name__}"
    )


def graph_maker(X, declared=False):
    """Return the function that makes a Graph of X and options; None where X is vectors, or a dense matrix.

    Graph objects are graphs, square sparse matrices, tables whose columns are named as ends of edges, two arrays of
    ends, and two rows of more than two node numbers: as vectors these would be two points, which nobody clusters. With
    `declared`, sparse matrices of other shapes and two rows or columns of integers are graphs too.
    """
    make = _maker_of_object(X)
    if make is not None:
        return make
    check_given(X)
    if hasattr(X, "tocsr") or is_square_table(X):
        return Graph.from_scipy if declared or (X.ndim == 2 and X.shape[0] == X.shape[1]) else None
    if edge_columns(column_names(X), certain=not declared) is not None:
        return _from_named_columns
    ends = _edge_arrays(X, declared)
    return None if ends is None else lambda _, **options: Graph.from_edges(*ends, **options)


def is_graph(X):
    """Return whether this is read as a graph where that is left open."""
    return graph_maker(X) is not None


def is_sparse_graph(X):
    """Return whether this is a sparse matrix that is square and symmetric, as of a graph or a kernel."""
    check_given(X)
    if not hasattr(X, "tocsr") or X.ndim != 2 or X.shape[0] != X.shape[1]:
        return False
    X = X.tocsr()
    return X.nnz > 0 and (X != X.T).nnz == 0


def is_graph_object(X):
    """Return whether this is a Graph, or an object of another library that holds one."""
    return _maker_of_object(X) is not None


def _maker_of_object(X):
    if isinstance(X, Graph):
        return lambda graph, **_: graph
    if hasattr(X, "adjacency") and hasattr(X, "is_multigraph"):
        return Graph.from_networkx
    if hasattr(X, "get_edgelist") and hasattr(X, "vs"):
        return Graph.from_igraph
    return _from_annotated if hasattr(X, "obsp") and hasattr(X, "obs_names") else None


def _from_annotated(data, **options):
    """Make a graph of an AnnData: a table of cells, with matrices between them."""
    if "connectivities" not in data.obsp:
        there = f"give one of adata.obsp, which has {', '.join(map(repr, data.obsp))}, or " * (len(data.obsp) > 0)
        raise InputError(
            f"this AnnData has no obsp['connectivities']; {there}run scanpy.pp.neighbors(adata) first, or give its "
            "vectors, adata.obsm['X_pca']"
        )
    return Graph.from_scipy(data.obsp["connectivities"], node_names=[str(name) for name in data.obs_names], **options)


def _from_named_columns(table, **options):
    """Make a graph of a table of ends and weight; with other columns vectors might have been meant."""
    source, target = edge_columns(column_names(table))
    rest = [name for name in column_names(table) if name not in (source, target) and not is_index(name)]
    weight = weight_column(rest)
    others = [name for name in rest if name != weight]
    if others:
        raise InputError(
            f"the table has columns {source!r} and {target!r} as edges have, and {others[0]!r}; for edges give "
            f"graphcore.Graph.from_table(table, {source!r}, {target!r}, weight=...), for vectors numpy.asarray(table)"
        )
    return Graph.from_table(table, source, target, weight, **options)


def _edge_arrays(X, declared):
    """Ends (and weights) of edges given as arrays; None if X is something else.

    These are a tuple of two or three arrays, or two rows of integers; two columns of integers only if `declared`.
    """
    if isinstance(X, tuple) and len(X) in (2, 3) and all(getattr(each, "ndim", None) == 1 for each in X):
        arrays = tuple(map(np.asarray, X))
        if all(ends.dtype.kind in "iu" for ends in arrays[:2]) or all(map(is_text, arrays[:2])):
            return arrays
    is_pair = isinstance(X, (list, tuple)) and len(X) == 2
    if column_names(X) or not (is_pair or (len(getattr(X, "shape", ())) == 2 and 2 in X.shape)):
        return None
    try:
        X = np.asarray(X)
    except ValueError:  # rows of different lengths
        return None
    if X.ndim != 2 or X.dtype.kind not in "iu" or X.size == 0 or X.min() < 0:
        return None
    if len(X) == 2 and X.shape[1] > 2:
        return tuple(X)
    return tuple(X.T) if declared and X.shape[1] == 2 and len(X) != 2 else None


# -- what is meant as vectors ------------------------------------------------------------------------------------------


def refuse_as_vectors(X, remedy=None):
    """Raise an InputError where X is given as vectors and is something else, or a sparse matrix that does not hold.

    Two columns of integers may be either, and so may a symmetric square array. Where a graph might have been meant,
    `remedy` says how vectors are meant beyond doubt, and they are refused.
    """
    check_given(X)
    _refuse_path(X, "an array or a graph")
    if isinstance(X, (list, tuple)) and len(X) == 2 and all(getattr(part, "ndim", 0) == 2 for part in X):
        raise InputError(
            "X is two arrays of two dimensions, as neighbours and their distances are: a tuple of these is for "
            "CoresetSpectralClustering(affinity='auto'), and graphcore.neighbor_graph makes a graph of them"
        )
    lazy = next((call for call in ("collect", "compute") if hasattr(X, call) and hasattr(type(X), "columns")), None)
    if lazy:
        raise InputError(f"X is a lazy frame ({type(X).__name__}); collect it first: X.{lazy}()")
    if edge_columns(column_names(X), certain=True) is not None:
        raise InputError(
            "X is a table of edges by the names of its columns, and vectors are needed; for a graph give "
            "graphcore.Graph.from_table(X) where graphs are taken, for vectors numpy.asarray(X)"
        )
    is_series = hasattr(X, "to_frame") and hasattr(X, "name")
    if is_series or not (isinstance(X, (list, tuple)) or any(hasattr(X, sign) for sign in ("__array__", "tocsr"))):
        raise InputError(
            f"X cannot be used as vectors: it is no array, but {X!r:.80} of type {type(X).__name__}; for edges give "
            "graphcore.Graph.from_edges(sources, targets)"
            + ", for vectors numpy.stack(X.to_list())" * is_series
            + ", for vectors adata.obsm['X_pca']" * hasattr(X, "obsm")
        )
    kind, n_dims = getattr(getattr(X, "dtype", None), "kind", "O"), getattr(X, "ndim", 2)
    if kind == "c" or n_dims > 2:
        what = "Complex data not supported" if kind == "c" else f"Found array with dim {n_dims}"
        raise InputError(f"{what}: vectors are rows of real numbers, of two dimensions")
    odd = _first_odd(X) if kind in "OUSTmM" else None
    if odd is not None:
        raise InputError(f"X cannot be used as vectors: {odd}")
    either = None if remedy is None else _either(X, remedy)
    if either is not None:
        raise InputError(either)


def _either(X, remedy):
    """Return the message about an array that may be a graph; None if it is none."""
    if hasattr(X, "tocsr") or not hasattr(X, "__len__"):
        return None
    if isinstance(X, list) and len(X) > 1 and all(isinstance(row, tuple) and len(row) == 3 for row in X):
        return (
            f"X is {len(X)} tuples of three, as networkx gives edges and their weights; for edges give "
            f"graphcore.Graph.from_edges(*zip(*X)), for points {remedy}"
        )
    X = np.asarray(X)
    if X.ndim != 2 or (X.shape[1] != 2 and X.shape[0] != X.shape[1]):
        return None
    if X.shape[1] == 2 and len(X) > 1 and X.dtype.kind in "iu" and X.min() >= 0:
        return (
            f"X is {len(X)} pairs of integers, which may be edges or points of the plane; for edges give "
            f"graphcore.Graph.from_edges(*numpy.asarray(X).T), for points {remedy}, or floats"
        )
    is_square = len(X) > 2 and X.shape[0] == X.shape[1] and X.dtype.kind in "biuf"
    is_hollow = is_square and X.any() and not np.diagonal(X).any() and X.min() >= 0
    if is_hollow and np.allclose(X, X.T, rtol=0, atol=SYMMETRY_TOLERANCE * X.max()):  # distances are rounded
        distances = ", for their distances affinity='precomputed_nearest_neighbors'"
        return (
            "X is a symmetric square array with zeros on the diagonal, as adjacency matrices are; for a graph give "
            f"graphcore.Graph.from_scipy(X), for points {remedy}{distances * remedy.startswith('affinity')}"
        )
    return None


def _refuse_path(X, wanted):
    if isinstance(X, (str, bytes, os.PathLike)):
        path = os.fspath(X)
        raise InputError(
            f"{wanted} is needed, got text, {path!r}; if it names a file, read it first: graphcore.read_graph({path!r})"
        )


def _first_odd(X):
    """Describe a list, text or time in the first row of X, or rows that make no array; None where there are none."""
    if hasattr(X, "tocsr") or not hasattr(X, "__getitem__") or len(X) == 0:
        return None
    try:
        values = np.asarray(X if isinstance(X, (list, tuple)) else X[:1])[:1].ravel().tolist()
    except (TypeError, ValueError):
        return "it holds rows of different lengths or kinds"
    names = column_names(X)
    for place, value in enumerate(values):
        column = f"column {names[place]!r} holds" if names else "it holds"
        if isinstance(value, (list, tuple, np.ndarray)):
            return f"{column} lists; give numpy.stack({f'X[{names[place]!r}].to_list()' if names else 'list(X)'})"
        if isinstance(value, (str, bytes)) or hasattr(value, "isoformat"):
            what = f"text ({value!r})" if isinstance(value, (str, bytes)) else f"times ({value})"
            remedy = "leave it out, or if these are numbers give X.astype(float), if names of nodes"
            made = "table(X, source, target)" if names else "edges(sources, targets)"
            return f"{column} {what}; {remedy} graphcore.Graph.from_{made}"
    return None
