"""Recognise a user's graph and make a Graph of it; refuse graphs where vectors are needed."""

import os
import sys
from collections.abc import Mapping, Set

import numpy as np

from ..exceptions import InputError, warn_user
from .columns import edge_columns, is_index, weight_column
from .from_libraries import is_number
from .from_table import Columns, column_names, is_edge_table
from .graph import Graph
from .ids import is_text
from .structure import check_sparse


def as_graph(graph, **options):
    """Return a Graph from whatever stands for one: a graph of any library, a matrix, a table or arrays of edges."""
    make = graph_maker(graph, declared=True)
    if make is not None:
        return make(graph, **options)
    if getattr(graph, "ndim", None) == 2:
        return Graph.from_scipy(_as_array(graph), **options)
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
    make = next((make for is_of_kind, make in _OBJECTS if is_of_kind(X)), None)
    if make is not None:
        return make
    if hasattr(X, "tocsr"):
        return Graph.from_scipy if declared or (X.ndim == 2 and X.shape[0] == X.shape[1]) else None
    if edge_columns(column_names(X)) is not None if declared else is_edge_table(X):
        return _from_named_columns
    ends = _edge_arrays(X, declared)
    return None if ends is None else lambda _, **options: Graph.from_edges(*ends, **options)


def is_graph(X):
    """Return whether this is read as a graph where that is left open."""
    return graph_maker(X) is not None


def is_sparse_graph(X):
    """Return whether this is a sparse matrix that is square and symmetric, as of a graph or a kernel."""
    check_sparse(X)
    if not hasattr(X, "tocsr") or X.ndim != 2 or X.shape[0] != X.shape[1]:
        return False
    X = X.tocsr()
    return X.nnz > 0 and (X != X.T).nnz == 0


def is_graph_object(X):
    """Return whether this is a Graph, or an object of another library that holds one."""
    return any(is_of_kind(X) for is_of_kind, _ in _OBJECTS)


def refuse_as_vectors(X, remedy=None):
    """Raise an InputError where X is given as vectors and is something else, or a sparse matrix that does not hold.

    Two columns of integers may be either, and so may a symmetric square array. Where a graph might have been meant,
    `remedy` says how vectors are meant beyond doubt, and they are refused.
    """
    check_sparse(X)
    _refuse_path(X, "an array or a graph")
    if not any(hasattr(X, sign) for sign in ("__len__", "__array__", "shape", "collect_schema")):
        raise InputError(f"an array or a graph is needed, got {X!r} of type {type(X).__name__}")
    if hasattr(X, "collect_schema") and not hasattr(X, "shape"):
        raise InputError(f"X is a lazy frame ({type(X).__name__}); collect it first: X.collect()")
    if is_edge_table(X):
        raise InputError(
            "X is a table of edges by the names of its columns, and vectors are needed; for a graph give "
            "graphcore.Graph.from_table(X) where graphs are taken, for vectors numpy.asarray(X)"
        )
    if isinstance(X, (Mapping, Set)) and not hasattr(X, "shape"):  # scipy's dok_array is a mapping, too
        raise InputError(
            f"an array or a graph is needed, got a {type(X).__name__}; for edges give "
            "graphcore.Graph.from_edges(sources, targets)"
        )
    times = _times(X)
    if times:
        ends = tuple(map(repr, edge_columns(column_names(X)) or ())) or ("...", "...")
        raise InputError(
            f"X cannot be used as vectors: column {times[0]!r} holds times; give the columns of numbers alone, or for "
            f"edges graphcore.Graph.from_table(X, source={ends[0]}, target={ends[1]})"
        )
    index = [name for name in column_names(X) if is_index(name)]
    if index:
        warn_user(
            f"column {index[0]!r} of X is named as a written index is, and is taken as a coordinate; leave it out with "
            f"X.drop(columns={index[0]!r}) unless it is one"
        )
    if len({isinstance(name, str) for name in column_names(X)}) > 1:
        raise InputError("columns of X are called by text and by numbers; make text of all: X.columns.astype(str)")
    text = _some_value(X, (str, bytes))
    if _some_value(X, (list, tuple, np.ndarray)) is not None:
        raise InputError(
            "X cannot be used as vectors: a column holds lists, one for each row; make columns of their numbers: "
            "numpy.stack(list(X[column]))"
        )
    if text is not None and is_number(text):
        raise InputError(f"X holds numbers as text ({text!r}); give X.astype(float)")
    if text is not None:
        raise InputError(
            f"X cannot be used as vectors: could not convert text ({text!r}) to numbers; for names of nodes give "
            "graphcore.Graph.from_table(X, source=..., target=...), or graphcore.Graph.from_edges(sources, targets)"
        )
    either = None if remedy is None else _either(X, remedy)
    if either is not None:
        raise InputError(either)


def warn_of_either(X, remedy):
    """Warn where what may be a graph is taken as vectors."""
    either = _either(X, remedy)
    if either is not None:
        warn_user(f"{either}; they are taken as points")


def _either(X, remedy):
    """Return the message about an array that may be a graph; None if it is none."""
    if _are_pairs(X):
        return (
            f"X is {len(X)} pairs of integers, which may be edges or points of the plane; for edges give "
            f"graphcore.Graph.from_edges(*numpy.asarray(X).T), for points {remedy}, or floats"
        )
    if _is_adjacency(X):
        return (
            "X is a symmetric square array with zeros on the diagonal, as adjacency matrices are; for a graph give "
            f"graphcore.Graph.from_scipy(X), for points {remedy}"
        )
    return None


# -- graphs of other libraries ---------------------------------------------------------------------------------------


def _is_of(library, graph):
    # A library is asked only when somebody imported it: an object of its classes cannot exist otherwise.
    module = sys.modules.get(library)
    return module is not None and isinstance(graph, module.Graph)


def _from_annotated(data, **options):
    """Make a graph of an AnnData: a table of cells, with matrices between them."""
    if "connectivities" not in data.obsp:
        raise InputError(
            "this AnnData has no obsp['connectivities']; run scanpy.pp.neighbors(adata) first, or give its vectors, "
            "adata.obsm['X_pca']"
        )
    return Graph.from_scipy(data.obsp["connectivities"], node_names=[str(name) for name in data.obs_names], **options)


def _from_edge_index(data, **options):
    """Return a graph of torch_geometric."""
    if data.edge_index is None:
        raise InputError(f"this {type(data).__name__} has no edge_index, that is, no edges")
    weights = getattr(data, "edge_weight", None)
    weights = None if weights is None else _as_array(weights)
    return Graph.from_edges(*_as_array(data.edge_index), weights, data.num_nodes, **options)


def _from_named_columns(table, **options):
    """Make a graph of a table of ends and weight, perhaps with times: other columns might have been meant."""
    source, target = edge_columns(column_names(table))
    idle = {source, target, *_times(table)}
    rest = [name for name in column_names(table) if name not in idle and not is_index(name)]
    weight = weight_column(rest)
    others = [name for name in rest if name != weight]
    if others:
        raise InputError(
            f"the table has columns {source!r} and {target!r} as edges have, and {others[0]!r}; for edges give "
            f"graphcore.Graph.from_table(table, {source!r}, {target!r}, weight=...), for vectors numpy.asarray(table)"
        )
    return Graph.from_table(table, source, target, weight, **options)


def _times(table):
    """Return the names of a table's columns of times; none of what is no table of a library that is known."""
    try:
        return Columns(table).times() if column_names(table) else []
    except InputError:
        return []


# Types of graphs of other libraries, with the function that makes a Graph of each.
_OBJECTS = (
    (lambda X: isinstance(X, Graph), lambda graph, **_: graph),
    (lambda X: _is_of("networkx", X), Graph.from_networkx),
    (lambda X: _is_of("igraph", X), Graph.from_igraph),
    (lambda X: hasattr(X, "obsp") and hasattr(X, "obs_names"), _from_annotated),
    (lambda X: hasattr(type(X), "edge_index"), _from_edge_index),
)


# -- edges in arrays -------------------------------------------------------------------------------------------------


def _edge_arrays(X, declared):
    """Ends (and weights) of edges given as arrays; None if X is something else."""
    ends = _pair_of_arrays(X)
    ends = _two_rows(X) if ends is None else ends
    if ends is not None or not declared:
        return ends
    if not _may_be_matrix(X) or X.shape[0] == X.shape[1] or 2 not in X.shape:
        return None
    X = _as_array(X)
    return tuple(X if len(X) == 2 else X.T) if X.dtype.kind in "iu" else None


def _pair_of_arrays(X):
    """Return the members of a tuple of two arrays of ends, perhaps with one of weights; None if X is anything else."""
    if not isinstance(X, tuple) or len(X) not in (2, 3) or any(getattr(each, "ndim", None) != 1 for each in X):
        return None
    arrays = tuple(map(_as_array, X))
    numbered = all(ends.dtype.kind in "iu" for ends in arrays[:2])
    return arrays if numbered or all(map(is_text, arrays[:2])) else None


def _two_rows(X):
    """Return the two rows of node numbers, if X is an integer array or list of shape (2, E) with E > 2; or None."""
    if isinstance(X, (list, tuple)):
        if len(X) != 2 or any(not hasattr(each, "__len__") or isinstance(each, str) for each in X):
            return None
        if len(X[0]) != len(X[1]) or len(X[0]) < 3:
            return None
        rows = [_as_array(each) for each in X]
        if any(each.ndim != 1 for each in rows):
            return None
    elif not _may_be_matrix(X) or X.shape[0] != 2 or X.shape[1] < 3 or column_names(X):
        return None
    else:
        rows = _as_array(X)
    return rows if all(each.dtype.kind in "iu" and each.min() >= 0 for each in rows) else None


def _are_pairs(X):
    """Return whether X has two columns of integers from 0 on, and more than one row."""
    if hasattr(X, "tocsr") or not hasattr(X, "__len__") or len(X) < 2:
        return False
    if len(np.shape(X)) != 2 or np.shape(X)[1] != 2:
        return False
    X = _as_array(X)
    return X.dtype.kind in "iu" and X.min() >= 0


def _is_adjacency(X):
    """Return whether X is dense, square, symmetric and not negative, with zeros on the diagonal and not only there."""
    if not _may_be_matrix(X) or len(X) < 3 or X.shape[0] != X.shape[1]:
        return False
    X = _as_array(X)
    if X.dtype.kind not in "biuf" or np.diagonal(X).any() or not X.any():
        return False
    return bool((X.T == X).all() and X.min() >= 0)


def _may_be_matrix(X):
    return not hasattr(X, "tocsr") and len(getattr(X, "shape", ())) == 2


def _as_array(X):
    """Return an array of anything that is one; a tensor of torch may lie on a graphics card, and carry a gradient."""
    return np.asarray(X.detach().cpu() if hasattr(X, "detach") else X)


# -- what is neither -------------------------------------------------------------------------------------------------


def _refuse_path(X, wanted):
    if isinstance(X, (str, bytes, os.PathLike)):
        path = os.fspath(X)
        raise InputError(
            f"{wanted} is needed, got text, {path!r}; if it names a file, read it first: graphcore.read_graph({path!r})"
        )


def _some_value(X, types):
    """Return a value of these types in the first row of X, or None."""
    has_rows = hasattr(X, "__len__") and hasattr(X, "__getitem__") and not isinstance(X, Mapping)
    if hasattr(X, "tocsr") or not has_rows or len(X) == 0:
        return None
    if getattr(getattr(X, "dtype", None), "kind", "O") not in "OUST":
        return None
    values = _as_array(X[:1]).ravel().tolist()
    return next((value for value in values if isinstance(value, types)), None)
