"""Plain arrays of edges become a Graph."""

from typing import TYPE_CHECKING

import numpy as np

from ..base.types import ArrayLike
from ..base.validation import check_choice, check_integer
from ..exceptions import InputError, ParameterError
from .ids import as_ids, as_names, count_nodes, is_text, number_names
from .rows import (
    SYMMETRIZE,
    SYMMETRY_TOLERANCE,
    check_directions,
    edge_weights,
    first_asymmetry,
    id_dtype,
    made_of,
    rows_from_edges,
    rows_from_pairs,
    symmetrize_rows,
)

if TYPE_CHECKING:
    import graphcore


def from_edges(
    cls: "type[graphcore.Graph]", sources: ArrayLike, targets: ArrayLike, weights: ArrayLike | None = None,
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
    sources, targets = np.asarray(sources), np.asarray(targets)
    if sources.ndim == targets.ndim == 1 and len(sources) != len(targets):
        raise InputError(f"{len(sources)} sources and {len(targets)} targets: there must be as many of each")
    if any(ends.ndim == 1 and len(ends) and is_text(ends) for ends in (sources, targets)):
        sources, targets, node_names = _numbered(sources, targets, n_nodes, node_names)
    sources, targets = as_ids("sources", sources), as_ids("targets", targets)
    if sources.dtype != targets.dtype:
        sources, targets = sources.astype(np.int64), targets.astype(np.int64)
    if n_nodes is not None:
        n_nodes = check_integer("n_nodes", n_nodes, low=0)
    low = min((int(ids.min()) for ids in (sources, targets) if len(ids)), default=0)
    high = max((int(ids.max()) for ids in (sources, targets) if len(ids)), default=-1)
    n_nodes = count_nodes(low, high, len(sources), n_nodes)
    if node_names is not None:
        node_names = as_names(node_names, n_nodes)
    weights = edge_weights(weights, len(sources))
    ends = np.empty((len(sources), 2), dtype=id_dtype(n_nodes))
    ends[:, 0], ends[:, 1] = sources, targets
    return graph_from_ends(cls, ends, weights, n_nodes, node_names=node_names, symmetrize=symmetrize, warn=warn)


def _numbered(sources, targets, n_nodes, node_names):
    """Ends given as text: their numbers, and the text as names."""
    if n_nodes is not None or node_names is not None:
        raise ParameterError(
            "sources and targets hold text, which names and counts the nodes: leave n_nodes and node_names out"
        )
    if not all(ends.ndim == 1 and is_text(ends) for ends in (sources, targets)):
        raise InputError(
            f"sources hold {sources.dtype} and targets {targets.dtype}: nodes are named by integers, or all by text"
        )
    ends, names = number_names(sources, targets)
    return ends[::2], ends[1::2], names


def graph_from_ends(cls, ends, weights, n_nodes, *, node_names, symmetrize, warn, on_repeats=None):
    """Make a graph of checked `ends` (n_edges x 2, contiguous, of the type of node ids; overwritten).

    ``on_repeats(number)`` is told of edges without weights that repeat another in the same direction.
    """
    n_given, are_counted = len(ends), on_repeats is not None and not len(weights)
    policy = "max" if symmetrize == "error" else symmetrize
    if ends.dtype == np.int32:
        rows, both, single, different = rows_from_pairs(ends, weights, n_nodes, policy, SYMMETRY_TOLERANCE)
    else:
        rows = rows_from_edges(ends, weights, n_nodes)
        different = first_asymmetry(rows)[0] >= 0
        rows, both, single = symmetrize_rows(rows, policy)
    check_directions(both, single, single + different > 0, symmetrize, warn)
    graph = made_of(cls, rows, node_names)
    if are_counted:
        on_repeats(n_given - 2 * both - single - graph.n_self_loops)
    return graph
