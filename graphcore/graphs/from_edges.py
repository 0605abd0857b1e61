"""Plain arrays of edges become a Graph."""

import numpy as np

from .._validation import check_choice, check_integer
from ..exceptions import InputError, ParameterError
from .directed import undirected_rows
from .ids import as_ids, as_names, count_nodes, is_text, number_names
from .rows import (
    DIRECTED,
    SYMMETRIZE,
    SYMMETRY_TOLERANCE,
    check_directions,
    is_symmetric,
    made_of,
    rows_from_edges,
    rows_from_pairs,
    symmetrize_rows,
)
from .weights import edge_weights

__all__ = ["graph_from_edges", "graph_from_ends"]


def graph_from_edges(cls, sources, targets, weights, n_nodes, *, node_names, symmetrize, warn):
    """See :meth:`Graph.from_edges`."""
    check_choice("symmetrize", symmetrize, SYMMETRIZE)
    sources, targets = np.asarray(sources), np.asarray(targets)
    if any(ends.ndim == 1 and len(ends) and is_text(ends) for ends in (sources, targets)):
        sources, targets, node_names = _numbered(sources, targets, n_nodes, node_names)
    sources, targets = as_ids("sources", sources), as_ids("targets", targets)
    if len(sources) != len(targets):
        raise InputError(f"{len(sources)} sources and {len(targets)} targets: there must be as many of each")
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
    if n_nodes < 2**31:
        ends = np.empty((len(sources), 2), dtype=np.int32)
        ends[:, 0], ends[:, 1] = sources, targets
        return graph_from_ends(cls, ends, weights, n_nodes, node_names=node_names, symmetrize=symmetrize, warn=warn)
    if len(weights) and not weights.all():
        kept = weights != 0
        sources, targets, weights = sources[kept], targets[kept], weights[kept]
    rows = rows_from_edges(sources, targets, weights, n_nodes)
    if symmetrize in DIRECTED:
        return made_of(cls, undirected_rows(rows, symmetrize, ""), node_names)
    uneven = not is_symmetric(rows, SYMMETRY_TOLERANCE)
    rows, both, single = symmetrize_rows(rows, "max" if symmetrize == "error" else symmetrize)
    check_directions(both, single, uneven, symmetrize, warn)
    return made_of(cls, rows, node_names)


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
    if len(sources) != len(targets):
        raise InputError(f"{len(sources)} sources and {len(targets)} targets: there must be as many of each")
    ends, names = number_names(sources, targets)
    return ends[::2], ends[1::2], names


def graph_from_ends(cls, ends, weights, n_nodes, *, node_names, symmetrize, warn):
    """Make a graph of checked `ends` (n_edges x 2, int32, contiguous; overwritten) of less than 2**31 nodes."""
    if len(weights) and not weights.all():
        kept = weights != 0
        ends, weights = ends[kept], weights[kept]
    if symmetrize in DIRECTED:
        rows = rows_from_edges(*np.ascontiguousarray(ends.T), weights, n_nodes)
        return made_of(cls, undirected_rows(rows, symmetrize, ""), node_names)
    policy = "max" if symmetrize == "error" else symmetrize
    rows, both, single, different = rows_from_pairs(ends, weights, n_nodes, policy, SYMMETRY_TOLERANCE)
    check_directions(both, single, single + different > 0, symmetrize, warn)
    return made_of(cls, rows, node_names)
