"""Edge lists: one edge a line, as SNAP, KONECT, networkx and spreadsheets write them."""

import csv
from itertools import pairwise

import numpy as np

from .._validation import check_choice
from .._warn import warn_user
from ..exceptions import FormatError, InputError
from ..graphs.from_edges import graph_from_ends
from ..graphs.graph import Graph
from ..graphs.ids import compact_ids
from ..graphs.rows import SYMMETRIZE
from ._dialect import guess_dialect
from ._names import first_unfit, unfit_reason
from ._parse import parse
from ._sizes import check_node_count

_PIECE = 1 << 16


def read_edge_list(source, *, symmetrize, bipartite=False, count_repeats=False, **options):
    """Read an open Source; see :func:`graphcore.read_graph` for the options."""
    check_choice("symmetrize", symmetrize, SYMMETRIZE)
    source.require_text()
    dialect = guess_dialect(source, bipartite=bipartite, **options)
    for note in dialect.notes:
        warn_user(f"{source.name}: {note}")
    ends, weights, names = parse(source, dialect)
    weights = np.ones(len(ends)) if weights is None and count_repeats else weights
    if names is not None:
        unfit = first_unfit(names) or next((name for name in names if "\n" in name), None)
        if unfit is not None:
            raise FormatError(f"the node name {unfit!r} has control characters or line ends; is a quote not closed?")
    if bipartite:
        return _two_kinds(ends, weights, names)
    if names is not None:
        n_nodes = len(names)
    elif dialect.n_nodes is None:
        numbers, names = compact_ids(ends.ravel())
        ends = numbers.reshape(-1, 2)
        n_nodes = int(numbers.max()) + 1
    else:
        n_nodes = dialect.n_nodes
        if ends.max() >= n_nodes or ends.min() < 0:
            raise FormatError(f"a comment says that nodes are 0 to {n_nodes - 1}, but there are edges of other nodes")
        check_node_count(n_nodes, len(ends), source.any_size)
        ends = ends.astype(np.int32, copy=False)
    weights = np.empty(0, dtype=np.float32) if weights is None else weights
    return graph_from_ends(Graph, ends, weights, n_nodes, node_names=names, symmetrize=symmetrize, warn=True)


def _two_kinds(ends, weights, names):
    """A bipartite graph: what the two columns name are different nodes."""
    import scipy.sparse as sp

    (rows, i), (columns, j) = (np.unique(side, return_inverse=True) for side in ends.T)
    names = [ids if names is None else [names[x] for x in ids.tolist()] for ids in (rows, columns)]
    values = np.ones(len(ends)) if weights is None else weights
    matrix = sp.csr_array((values, (i, j)), shape=(len(rows), len(columns)))
    if weights is None:  # repeated edges count once
        matrix.data[:] = 1.0
    return Graph.from_biadjacency(matrix, row_names=names[0], column_names=names[1])


def write_edge_list(graph, stream, delimiter):
    """Write each edge once, lower node first, to a text stream; a graph without names notes its node count."""
    names = graph.node_names
    if names is not None and graph.n_isolated:
        warn_user(
            f"{graph.n_isolated} isolated nodes are not in the edge list, which has no place for their names; .npz has"
        )
    # Other programs stumble over comments in CSV, so there it is written only when nodes would be lost.
    if delimiter == "\t" or (names is None and graph.n_isolated):
        kind = "integer" if names is None or names.dtype.kind in "iu" else "string"
        count = graph.n_nodes if names is None else "named"
        weights = "no" if graph.weights is None else "yes"
        stream.write(f"# graphcore edge list; nodes: {count}; ids: {kind}; weights: {weights}\n")
    writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    if delimiter == ",":
        writer.writerow(["source", "target", *([] if graph.weights is None else ["weight"])])
    if names is not None:
        names = _checked_names(names, delimiter)
    for sources, targets, weights in upper_edges(graph):
        ends = [ids.tolist() if names is None else names[ids].tolist() for ids in (sources, targets)]
        writer.writerows(zip(*ends, strict=True) if weights is None else zip(*ends, weights.tolist(), strict=True))


def upper_edges(graph):
    """Yield (sources, targets, weights or None) of the edges listed from their lower end, some rows at a time."""
    starts = np.searchsorted(graph.indptr, np.arange(0, graph.n_entries, _PIECE))
    borders = np.unique(np.append(starts, [0, graph.n_nodes]))
    for first, last in pairwise(borders.tolist()):
        span = slice(graph.indptr[first], graph.indptr[last])
        sources = np.repeat(np.arange(first, last), np.diff(graph.indptr[first : last + 1]))
        kept = sources <= graph.indices[span]
        weights = None if graph.weights is None else graph.weights[span][kept]
        yield sources[kept], graph.indices[span][kept], weights


def _checked_names(names, delimiter):
    """Names as they are written, those refused that would not come back: blank ones, line ends, some quotes, twins."""
    names = np.array(list(map(str, names.tolist())), dtype=object) if names.dtype.kind == "O" else names
    if len(set(names.tolist())) < len(names):
        raise InputError("two nodes have the same name, and an edge list would make one of them; write .npz instead")
    if names.dtype.kind in "iu":
        return names
    reason = unfit_reason(names.tolist())
    if reason is not None:
        raise InputError(f"{reason}; write .npz instead")
    forbidden = '\n\r"' if delimiter == "," else '\n\r\t"'
    for name in map(str, names.tolist()):
        if not name or name != name.strip() or name[0] in "#%" or any(mark in name for mark in forbidden):
            raise InputError(f"node name {name!r} cannot be written to an edge list; write .npz instead")
    return names
