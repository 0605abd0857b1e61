"""METIS files: a header, then one line of neighbours for every node (METIS 5 manual, section 4.1.1)."""

import re
from itertools import pairwise

import numpy as np

from ..exceptions import FormatError, InputError, warn_user
from ..graphs.graph import Graph
from ..graphs.rows import id_dtype
from .edge_list import check_node_count, row_pieces

_BLOCK = 1 << 22
_HEADER = re.compile(rb"\s*(\d{1,18})\s+(\d{1,18})(?:\s+([01]{1,3})(?:\s+(\d{1,3}))?)?\s*")


def read_metis(source, reading):
    """Read an open Source as its Reading says."""
    import scipy.sparse as sp

    indices, weights, lengths = [np.empty(0, np.int32)], [], []
    rows = 0
    with source.open() as stream:
        n_nodes, n_edges, leading, has_weights = _header(stream)
        check_node_count(n_nodes, n_edges)
        for block in _blocks(stream):
            values, counts = _numbers(block, rows, np.float64 if has_weights else np.int64)
            if counts[max(0, n_nodes - rows) :].any():
                raise FormatError(f"the header says {n_nodes} nodes, but more lines follow")
            counts = counts[: max(0, n_nodes - rows)]
            wrong = (counts < leading) | ((counts - leading) % (1 + has_weights) != 0)
            if wrong.any():
                node = rows + 1 + int(np.argmax(wrong))
                raise FormatError(f"the line of node {node} lacks a weight of those that the header promises")
            if leading:
                starts = np.cumsum(counts) - counts
                values = np.delete(values, (starts[:, None] + np.arange(leading)).ravel())
            if has_weights:
                values, given = values[::2], values[1::2]
                if reading.weighted:
                    weights.append(given)
            wrong = ~((values >= 1) & (values <= n_nodes) & (np.rint(values) == values))
            if wrong.any():
                raise FormatError(f"neighbour {values[wrong][0]} is named, but nodes are 1 to {n_nodes}")
            indices.append((values - 1).astype(id_dtype(n_nodes)))
            lengths.append((counts - leading) // (1 + has_weights))
            rows += len(counts)
    # The last line may be missing: an isolated node's is blank, and needs no line end.
    if rows < n_nodes - 1:
        raise FormatError(f"the header says {n_nodes} nodes, but only {rows} lines of neighbours follow")
    indptr = np.zeros(n_nodes + 1, dtype=np.int64)
    np.cumsum(np.concatenate([*lengths, np.zeros(n_nodes - rows, np.int64)]), out=indptr[1:])
    indices = np.concatenate(indices)
    data = np.concatenate(weights) if weights else np.ones(len(indices), dtype=bool)
    graph = Graph.from_scipy(sp.csr_array((data, indices, indptr), shape=(n_nodes, n_nodes)), symmetrize="error")
    if n_edges not in (graph.n_edges, graph.n_entries / 2):
        raise FormatError(f"the header says {n_edges} edges, but the lines hold {graph.n_edges}")
    return graph


def write_metis(graph, stream):
    """Write to a binary stream; weights must be integers, self-loops are refused, and names are not written."""
    weights = graph.weights
    is_whole = weights is None or ((weights == np.floor(weights)) & (weights < 2.0**63)).all()
    if graph.n_self_loops or not is_whole:
        raise InputError(
            f"METIS files hold no self-loops ({graph.n_self_loops} here), and integer weights below 2^63 only; write "
            ".npz or .mtx instead"
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


def _header(stream):
    """Return (nodes, edges, leading numbers of every line, whether neighbours come with weights)."""
    line = b"%"
    while line.lstrip().startswith(b"%"):
        line = stream.readline()
    found = _HEADER.fullmatch(line)
    if found is None:
        shown = line[:60].decode("latin-1").strip()
        raise FormatError(
            f"a METIS file begins with its numbers of nodes and edges (and a format code, up to three digits 0 or 1), "
            f"not with {shown!r}; pass format='edgelist' if it is a list of edges"
        )
    n_nodes, n_edges, n_weights = int(found[1]), int(found[2]), int(found[4] or 1)
    has_sizes, has_node_weights, has_weights = (digit == "1" for digit in (found[3] or b"").decode().zfill(3))
    if n_nodes == 0:
        raise FormatError("the graph is empty: its header says 0 nodes")
    leading = has_sizes + n_weights * has_node_weights
    if leading:
        warn_user("the METIS file's node weights and sizes are not used")
    return n_nodes, n_edges, leading, has_weights


def _blocks(stream):
    """Yield bytes in blocks of whole lines, without the lines of comments."""
    while piece := stream.read(_BLOCK):
        piece += stream.readline()
        if b"%" in piece:
            piece = b"".join(line for line in piece.splitlines(True) if not line.lstrip().startswith(b"%"))
        if piece:
            yield piece if piece.endswith(b"\n") else piece + b"\n"


def _numbers(block, rows, dtype):
    """Parse a block behind so many rows; return (numbers, counts by line)."""
    text = np.frombuffer(block, dtype=np.uint8)
    inside = text > 32
    starts = inside.copy()
    starts[1:] &= ~inside[:-1]
    counts = np.diff(np.cumsum(starts, dtype=np.int64)[text == 10], prepend=0)
    values = _parsed(block, dtype)
    if len(values) != counts.sum():
        node, line = next((i, line) for i, line in enumerate(block.split(b"\n"), rows + 1) if not _fits(line, dtype))
        kind = "integers" if dtype is np.int64 else "numbers"
        raise FormatError(f"the line of node {node} holds {line[:60].decode('latin-1')!r}, which are not all {kind}")
    return values, counts


def _parsed(text, dtype):
    """Return numbers between white space; none where something else is among them."""
    try:
        return np.fromstring(text.decode("ascii"), dtype=dtype, sep=" ") if text.strip() else np.empty(0, dtype)
    except ValueError:  # UnicodeDecodeError is one
        return np.empty(0, dtype)


def _fits(line, dtype):
    return len(_parsed(line, dtype)) == len(line.split())
