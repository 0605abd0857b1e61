"""METIS files: a header, then one line of neighbours for every node (METIS 5 manual, section 4.1.1)."""

import re
import warnings
from itertools import pairwise

import numpy as np

from ..exceptions import FormatError, InputError, warn_user
from ..graphs.graph import Graph
from .edge_list import check_node_count, row_pieces

_HEADER = re.compile(r"\s*(\d{1,18})\s+(\d{1,18})(?:\s+([01]{1,3})(?:\s+(\d{1,3}))?)?\s*")


def read_metis(source, reading):
    """Read an open Source as its Reading says."""
    import scipy.sparse as sp

    with source.text("latin-1") as text:
        lines = [line for line in text.read().removesuffix("\n").split("\n") if not line.lstrip().startswith("%")]
    first, lines = (lines or [""])[0], lines[1:]
    found = _HEADER.fullmatch(first)
    if found is None:
        raise FormatError(
            f"a METIS file begins with its numbers of nodes and edges (and a format code, up to three digits 0 or 1), "
            f"not with {first[:60].strip()!r}; pass format='edgelist' if it is a list of edges"
        )
    n_nodes, n_edges = int(found[1]), int(found[2])
    if n_nodes == 0:
        raise FormatError("the graph is empty: its header says 0 nodes")
    check_node_count(n_nodes, n_edges)
    # The last line may be missing: an isolated node's is blank, and needs no line end.
    if len(lines) < n_nodes - 1 or any(map(str.strip, lines[n_nodes:])):
        raise FormatError(f"the header says {n_nodes} nodes, but {len(lines)} lines of neighbours follow")
    has_sizes, has_node_weights, has_weights = (digit == "1" for digit in (found[3] or "").zfill(3))
    n_leading = has_sizes + int(found[4] or 1) * has_node_weights
    if n_leading:
        warn_user("the METIS file's node weights and sizes are not used")
    lines = lines[:n_nodes]
    counts = np.zeros(n_nodes, dtype=np.int64)
    counts[: len(lines)] = [len(line.split()) for line in lines]
    wrong = (counts < n_leading) | ((counts - n_leading) % (1 + has_weights) != 0)
    if wrong.any():
        raise FormatError(
            f"the line of node {1 + int(np.argmax(wrong))} lacks a weight of those that the header promises"
        )
    values = _numbers(" ".join(lines), has_weights)
    if values is None:
        node, line = next((i, line) for i, line in enumerate(lines, 1) if _numbers(line, has_weights) is None)
        kind = "numbers" if has_weights else "integers"
        raise FormatError(f"the line of node {node} holds {line[:60]!r}, which are not all {kind}")
    places = np.arange(len(values)) - np.repeat(np.cumsum(counts) - counts, counts) - n_leading
    ids = values[(places >= 0) & (places % (1 + has_weights) == 0)]
    wrong = ~((ids >= 1) & (ids <= n_nodes) & (np.rint(ids) == ids))
    if wrong.any():
        raise FormatError(f"neighbour {ids[wrong][0]} is named, but nodes are 1 to {n_nodes}")
    is_weighted = has_weights and reading.weighted
    data = values[(places >= 0) & (places % 2 == 1)] if is_weighted else np.ones(len(ids), dtype=bool)
    indptr = np.concatenate([[0], np.cumsum((counts - n_leading) // (1 + has_weights))])
    matrix = sp.csr_array((data, ids.astype(np.int64) - 1, indptr), shape=(n_nodes, n_nodes))
    graph = Graph.from_scipy(matrix, symmetrize="error")
    if n_edges not in (graph.n_edges, graph.n_entries / 2):
        raise FormatError(f"the header says {n_edges} edges, but the lines hold {graph.n_edges}")
    return graph


def _numbers(text, with_fractions):
    """Return the numbers between white space, or None where something else is among them."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # of what is left unread
        try:
            return np.fromstring(text, dtype=np.float64 if with_fractions else np.int64, sep=" ")
        except (ValueError, DeprecationWarning):
            return None


def write_metis(graph, stream):
    """Write to a binary stream; weights must be integers, self-loops are refused, and names are not written."""
    weights = graph.weights
    if graph.n_self_loops:
        raise InputError(
            f"METIS files hold no self-loops, and there are {graph.n_self_loops}; write .npz or .mtx instead"
        )
    unfit = [] if weights is None else weights[(weights != np.floor(weights)) | (weights >= 2.0**63)]
    if len(unfit):
        raise InputError(
            f"METIS files hold integer weights below 2^63, and one here is {unfit[0]:g}; read the graph "
            "with weight_column=None (--weight-column none), scale and round the weights, or write .npz or .mtx instead"
        )
    stream.write(f"{graph.n_nodes} {graph.n_edges}{'' if weights is None else ' 001'}\n".encode())
    for first, last in row_pieces(graph):
        lines = []
        for start, stop in pairwise(graph.indptr[first : last + 1].tolist()):
            row = graph.indices[start:stop].astype(np.int64) + 1
            if weights is not None:
                row = np.column_stack([row, weights[start:stop].astype(np.int64)]).ravel()
            lines.append(" ".join(map(str, row.tolist())))
        stream.write(("\n".join(lines) + "\n").encode())
