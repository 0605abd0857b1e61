"""Plain arrays of edges become a Graph; ids and names of nodes: checked, numbered from 0, narrowed."""

import sys
from collections.abc import Mapping, Set
from itertools import chain
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from ..base.loops import away
from ..base.types import ArrayLike
from ..base.validation import check_choice, check_integer, unmasked
from ..exceptions import InputError, ParameterError
from .numbering import Numbering, Text, refuse_blank, text_of
from .rows import SYMMETRIZE, SYMMETRY_TOLERANCE, check_directions, edge_weights, made_of, rows_from_pairs

if TYPE_CHECKING:
    import graphcore

_PIECE = 1 << 16
# numpy pads strings to the longest: one long name must not cost a gigabyte, so longer ones stay Python's.
FIXED_WIDTH = 64
# With fewer nodes than this, ids with gaps only cost some memory.
_LARGEST_GAP = 1 << 27


def from_edges(
    cls: "type[graphcore.Graph]", sources: ArrayLike, targets: ArrayLike = (), weights: ArrayLike | None = None,
    n_nodes: int | None = None, *, node_names: ArrayLike | None = None, symmetrize: str = "max", warn: bool = True,
) -> "graphcore.Graph":  # fmt: skip
    """Make a graph from a list of edges.

    Parameters
    ----------
    sources, targets : array-like of shape (n_edges,), integers or text
        End nodes, 0 to n_nodes - 1 (whole numbers stored as floats too); or their names, which become the node
        names in the order in which they first appear. Each edge may be listed once, in either direction, or in
        both.
    weights : array-like of shape (n_edges,), optional
        Finite, non-negative weights. Edges repeated in one direction add up; without weights they count once.
        Edges of weight 0 are dropped.
    n_nodes : int, optional
        Number of nodes, if there are isolated ones at the end. Default: largest id + 1.
    node_names : array-like of shape (n_nodes,), optional
        Names of the nodes.
    symmetrize : {"max", "average", "sum", "min", "error"}, default "max"
        Weight of a pair, from its weights in the two directions (0 where a direction is not listed). "max"
        makes an edge of whatever is listed in either direction; "min" keeps what is listed in both. A list with all
        edges in both directions is undirected, and stays as it is; only "sum" adds, with a warning. A symmetric matrix
        stays as it is under every policy.
    warn : bool, default True
        Warn when the list looks directed: some pairs stand in both directions and others in one.

    Returns
    -------
    Graph

    Examples
    --------
    >>> import graphcore
    >>> graphcore.Graph.from_edges([0, 0, 1], [1, 2, 2], weights=[1.0, 2.0, 0.5]).degrees
    array([3. , 1.5, 2.5])
    """
    check_choice("symmetrize", symmetrize, SYMMETRIZE)
    sources, targets = unmasked("sources", sources), unmasked("targets", targets)
    if sources.ndim == targets.ndim == 1 and len(sources) != len(targets):
        raise InputError(f"{len(sources)} sources and {len(targets)} targets: there must be as many of each")
    texts = [text_of(ends) if ends.ndim == 1 and len(ends) else None for ends in (sources, targets)]
    if texts != [None, None]:
        if n_nodes is not None or node_names is not None:
            raise ParameterError(
                "sources and targets hold text, which names and counts the nodes: leave n_nodes and node_names out"
            )
        if None in texts:
            raise InputError(
                f"sources hold {sources.dtype} and targets {targets.dtype}: nodes are named by integers, or all by text"
            )
        ends, node_names = number_names(*texts)
        sources, targets = ends[::2], ends[1::2]
    sources, targets = as_ids("sources", sources), as_ids("targets", targets)
    if n_nodes is not None:
        n_nodes = check_integer("n_nodes", n_nodes, low=0)
    low = min((int(ids.min()) for ids in (sources, targets) if len(ids)), default=0)
    high = max((int(ids.max()) for ids in (sources, targets) if len(ids)), default=-1)
    n_nodes = count_nodes(low, high, len(sources), n_nodes)
    if node_names is not None:
        node_names = as_names(node_names, n_nodes)
    weights = edge_weights(weights, len(sources))
    ends = np.empty((len(sources), 2), dtype=np.int32)
    ends[:, 0], ends[:, 1] = sources, targets
    return graph_from_ends(cls, ends, weights, n_nodes, node_names=node_names, symmetrize=symmetrize, warn=warn)


def graph_from_ends(cls, ends, weights, n_nodes, *, node_names, symmetrize, warn, are_lines=False):
    """Make a graph of checked `ends` (n_edges x 2, contiguous, int32; overwritten).

    If they `are_lines`, those that repeat another in the same direction are told of.
    """
    n_given = len(ends)
    rows, both, single, different = rows_from_pairs(ends, weights, n_nodes, symmetrize, SYMMETRY_TOLERANCE)
    graph = made_of(cls, rows, node_names)
    n_repeats = n_given - 2 * both - single - graph.n_self_loops if are_lines else 0
    check_directions(both, single, single + different > 0, symmetrize, warn, n_repeats, len(weights) > 0)
    return graph


# -- ids and names -----------------------------------------------------------------------------------------------------


def compact_ids(ids):
    """Number the ids that occur, in ascending order; returns (numbers, names or None).

    `ids` (one dimension, int32 or int64) may be overwritten; the numbers are int32. names is None when the ids are
    0 to n - 1 already, else the int64 ids in node order. Ids that are dense enough are looked up in a table of 4 bytes
    per possible id, no larger than twice the ids themselves; otherwise they are sorted.
    """
    low, high = int(ids.min()), int(ids.max())
    if high - low >= max(2 * len(ids), 1 << 16):  # too far apart for a table
        names = ids.astype(np.int64)
        away(names.sort)
        is_first = np.ones(len(names), dtype=bool)
        np.not_equal(names[1:], names[:-1], out=is_first[1:])
        names = names[is_first]
        for start in range(0, len(ids), _PIECE):
            ids[start : start + _PIECE] = np.searchsorted(names, ids[start : start + _PIECE])
        return ids.astype(np.int32, copy=False), names
    if low != 0:
        ids = np.subtract(ids, low, dtype=np.int64).astype(np.int32)  # -2**31 fits in 64 bits as well
    table = np.zeros(high - low + 1, dtype=np.int32)
    table[ids] = 1
    if table.all():
        return ids.astype(np.int32, copy=False), None if low == 0 else np.arange(low, high + 1, dtype=np.int64)
    names = np.flatnonzero(table).astype(np.int64, copy=False)
    table[names] = np.arange(len(names), dtype=np.int32)
    for start in range(0, len(ids), _PIECE):  # in place, but for the one piece that numpy copies
        ids[start : start + _PIECE] = table[ids[start : start + _PIECE]]
    names += low
    return ids.astype(np.int32, copy=False), names


def as_ids(name, values):
    """Return ids as an int32 or int64 array of one dimension, or raise an InputError that names the parameter."""
    values = unmasked(name, values)
    if values.ndim != 1:
        raise InputError(f"{name} must be one-dimensional, got shape {values.shape}; of pairs give *np.asarray(X).T")
    if len(values) == 0:
        return values.astype(np.int32)
    values = numbers_of(values)
    if values.dtype.kind == "f":  # as tables with missing values have them; beyond 2**53 two integers are one float
        whole = (np.trunc(values) == values) & (np.abs(values) <= 2.0**53)
        if not whole.all():
            said, row = f"{name} must be integers or text, got {values.dtype}", int(np.argmin(whole))
            raise InputError(f"{said}, and {values[row]} in row {row} is no whole number up to 2**53")
    elif values.dtype == np.uint64 and values.max() >= 2**63:
        raise InputError(
            f"{name} holds {values.max()}, and integers go up to 2**63 - 1; give names as text (a file: ids='string')"
        )
    elif values.dtype.kind not in "iu":
        raise InputError(f"{name} must be integers, got {values.dtype}; number the nodes from 0 and give node_names")
    return values if values.dtype in (np.int32, np.int64) else values.astype(np.int64)


def numbers_of(values):
    """Return an array of objects that are all numbers, beside which something was missing once, as one of numbers."""
    is_number = values.dtype.kind == "O" and all(isinstance(one, Real) and not isinstance(one, bool) for one in values)
    return np.array(values.tolist()) if is_number else values


def is_text(values):
    """Return whether an array of one dimension holds text and nothing else."""
    return values.dtype.kind in "UT" or (values.dtype.kind == "O" and all(isinstance(one, str) for one in values))


def number_names(sources, targets, called=("sources", "targets")):
    """Number names in the order of first use; returns (ends, int32, source and target in turn; list of names).

    Each column is Text or an array; where a name is blank, an error says what it is `called`.
    """
    texts = [side if isinstance(side, Text) else text_of(side) for side in (sources, targets)]
    if None not in texts:
        numbering = Numbering()
        return numbering.ends(*texts, called), numbering.tolist()
    pairs = chain.from_iterable(zip(sources.tolist(), targets.tolist(), strict=True))
    numbers = {}
    ends = np.array([numbers.setdefault(name, len(numbers)) for name in pairs], dtype=np.int32)
    refuse_blank(enumerate(numbers), ends, called)
    return ends, list(numbers)


def count_nodes(low, high, n_edges, n_nodes=None):
    """Number of nodes of edges between ids from `low` to `high` (0 and -1 without edges): given, or largest id + 1."""
    if low < 0:
        raise InputError(f"node ids start at 0; found {low}")
    if n_nodes is None:
        n_nodes = high + 1
        if n_nodes > max(_LARGEST_GAP, 1000 * n_edges):
            raise InputError(
                f"the largest node id is {high}, but there are only {n_edges} edges: the ids seem to have gaps; "
                "number the nodes from 0 (numpy.unique(..., return_inverse=True)) or give n_nodes"
            )
    elif high >= n_nodes:
        raise InputError(f"node id {high} is beyond n_nodes={n_nodes}; ids run from 0 to n_nodes - 1")
    if n_nodes == 0:
        raise InputError("the graph is empty: no edges and no n_nodes")
    if n_nodes >= 2**31:
        raise InputError(f"there are {n_nodes} nodes, and ids of 32 bits name fewer than 2**31")
    return n_nodes


def as_names(node_names, n_nodes):
    """Return names as an array: integers and strings compact, mixtures and long strings as objects."""
    if isinstance(node_names, np.ndarray):
        node_names = unmasked("node_names", node_names)
    if isinstance(node_names, np.ndarray) and node_names.ndim != 1:
        raise ParameterError(f"node_names must be one-dimensional, got shape {node_names.shape}")
    if isinstance(node_names, (Mapping, Set)):
        raise ParameterError(
            f"node_names is a {type(node_names).__name__}, and an array in order of the nodes is needed; give "
            "[names[node] for node in range(n_nodes)]"
        )
    if not hasattr(node_names, "__len__"):
        raise ParameterError(f"node_names={node_names!r} must be an array of {n_nodes} names")
    if len(node_names) != n_nodes:
        raise ParameterError(f"node_names has {len(node_names)} names for {n_nodes} nodes")
    if isinstance(node_names, np.ndarray) and node_names.dtype.kind != "T":  # which no file holds
        return node_names
    node_names = list(node_names)
    # Names of one plain kind get a compact array; a mixture must not become strings.
    kinds = {type(name) for name in node_names}
    if kinds == {int} or (kinds == {str} and max(map(len, node_names)) <= FIXED_WIDTH):
        return np.array(node_names)
    names = np.empty(n_nodes, dtype=object)
    for i, name in enumerate(node_names):  # one by one: numpy would spread tuples over columns
        names[i] = name
    return names


def check_name_array(names, what="node"):
    """Raise an InputError unless an array from a file holds names that Python can read: numbers, dates, true text."""
    if names.dtype.kind not in "biufcUSMm":
        raise InputError(f"{what} names must be numbers or text, got {names.dtype}")
    if names.dtype.kind != "U":
        return
    codes = np.ascontiguousarray(names).view(np.dtype(np.uint32).newbyteorder(names.dtype.byteorder))
    for start in range(0, len(codes), _PIECE):
        wrong = codes[start : start + _PIECE] > sys.maxunicode
        if wrong.any():
            node = (start + int(np.argmax(wrong))) * len(names) // len(codes)
            raise InputError(f"the name of {what} {node} is no text")


def is_numbered(names):
    """Return whether a list of node names is 0, 1, 2, ..."""
    return names == list(range(len(names)))
