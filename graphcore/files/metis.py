"""METIS files: a header, then one line of neighbours for every node (METIS 5 manual, section 4.1.1)."""

from itertools import pairwise

import numpy as np

from ..exceptions import FormatError, InputError, warn_user
from ..graphs.graph import Graph
from ..graphs.rows import id_dtype
from .edge_list import check_node_count, row_pieces

_BLOCK = 1 << 22


def read_metis(source, reading):
    """Read an open Source as its Reading says."""
    import scipy.sparse as sp

    indices, weights, lengths = [np.empty(0, np.int32)], [], []
    rows = 0
    with source.open() as stream:
        n_nodes, n_edges, leading, has_weights = _header(stream)
        check_node_count(n_nodes, n_edges)
        # Weights that are left out may be any numbers.
        dtype = np.float64 if has_weights and not reading.weighted else np.int64
        for block in _blocks(stream):
            values, counts = _numbers(block, rows, n_nodes, dtype)
            values, counts = _drop_leading(values, counts, leading, rows)
            if has_weights:
                if (counts % 2).any():
                    node = rows + 1 + int(np.flatnonzero(counts % 2)[0])
                    raise FormatError(
                        f"the line of node {node} has a neighbour without a weight, but the header promises weights"
                    )
                if reading.weighted:
                    weights.append(values[1::2].astype(np.float64))
                    if len(weights[-1]) and weights[-1].min() < 0:
                        least = values[1::2].min()
                        raise FormatError(f"there is a negative weight, {least}; weight_column=None leaves weights out")
                values, counts = values[::2], counts // 2
            if (values % 1 != 0).any():
                raise FormatError(f"neighbour {values[values % 1 != 0][0]} is named, which is no integer")
            if len(values) and not (values.min() >= 1 and values.max() <= n_nodes):
                wrong = values[(values < 1) | (values > n_nodes)][0]
                raise FormatError(f"neighbour {wrong} is named, but nodes are 1 to {n_nodes}")
            indices.append((values - 1).astype(id_dtype(n_nodes)))
            lengths.append(counts)
            rows += len(counts)
    # The last line may be missing: an isolated node's is blank, and needs no line end.
    if rows < n_nodes - 1:
        raise FormatError(f"the header says {n_nodes} nodes, but only {rows} lines of neighbours follow")
    indptr = np.zeros(n_nodes + 1, dtype=np.int64)
    np.cumsum(np.concatenate([*lengths, np.zeros(n_nodes - rows, np.int64)]), out=indptr[1:])
    indices = np.concatenate(indices)
    data = np.concatenate(weights) if weights else np.ones(len(indices), dtype=bool)
    try:
        graph = Graph.from_scipy(sp.csr_array((data, indices, indptr), shape=(n_nodes, n_nodes)), symmetrize="error")
    except InputError:  # the only defect left
        raise FormatError(
            "the graph is not symmetric: an edge must stand in the lines of both its nodes, with the same weight"
        ) from None
    listed = len(data) if data.dtype == bool else int(np.count_nonzero(data))
    if graph.n_entries != listed:
        raise FormatError("some line names a neighbour twice")
    if n_edges not in (graph.n_edges, graph.n_entries / 2):
        raise FormatError(f"the header says {n_edges} edges, but the lines hold {graph.n_edges}")
    return graph


def write_metis(graph, stream):
    """Write to a binary stream; weights must be integers, self-loops are refused, and names are not written."""
    if graph.n_self_loops:
        raise InputError(
            f"the graph has {graph.n_self_loops} self-loops, which METIS files cannot hold; write .npz or .mtx instead"
        )
    weights = graph.weights
    if weights is not None and not ((weights == np.floor(weights)) & (weights < 2.0**63)).all():
        raise InputError(
            "METIS files hold integer weights below 2^63 only; scale and round them, or write .npz or .mtx instead"
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
    words = line.split(None, 4)
    are_sizes = all(word.isdigit() and len(word) <= 18 for word in words)
    if not (2 <= len(words) <= 4 and are_sizes):
        shown = line.decode("latin-1").strip()
        raise FormatError(
            f"a METIS file begins with its numbers of nodes and edges (and a format code), not with {shown!r}; "
            "pass format='edgelist' if it is a list of edges"
        )
    sizes = list(map(int, words))
    n_nodes, n_edges = sizes[:2]
    code = words[2].decode().zfill(3) if len(words) > 2 else "000"
    if len(code) != 3 or set(code) - {"0", "1"}:
        raise FormatError(f"format code {words[2].decode()!r} of the header is not known: up to three digits 0 or 1")
    n_constraints = sizes[3] if len(words) > 3 else 1
    if n_nodes == 0:
        raise FormatError("the graph is empty: its header says 0 nodes")
    leading = (code[0] == "1") + n_constraints * (code[1] == "1")
    if leading:
        warn_user("the METIS file's node weights and sizes are not used")
    return n_nodes, n_edges, leading, code[2] == "1"


def _blocks(stream):
    """Yield bytes in blocks of whole lines, without the lines of comments."""
    while piece := stream.read(_BLOCK):
        piece += stream.readline()
        if b"%" in piece:
            piece = b"".join(line for line in piece.splitlines(True) if not line.lstrip().startswith(b"%"))
        if piece:
            yield piece if piece.endswith(b"\n") else piece + b"\n"


def _numbers(block, rows, n_nodes, dtype):
    """Parse a block; return (numbers, counts by line), without blank lines beyond the last node."""
    text = np.frombuffer(block, dtype=np.uint8)
    inside = text > 32
    starts = inside.copy()
    starts[1:] &= ~inside[:-1]
    ends = np.cumsum(starts, dtype=np.int64)[text == 10]
    counts = np.diff(ends, prepend=0)
    if rows + len(counts) > n_nodes:
        if counts[n_nodes - rows :].any():
            raise FormatError(f"the header says {n_nodes} nodes, but more lines follow")
        counts = counts[: n_nodes - rows]
    total = int(ends[-1])
    if total == 0:
        return np.empty(0, dtype=dtype), counts
    try:
        values = np.fromstring(block.decode("ascii"), dtype=dtype, sep=" ")
    except ValueError:  # UnicodeDecodeError is one
        values = ()
    if len(values) != total:
        kind, noun = (int, "integer") if dtype is np.int64 else (float, "number")
        for node, line in enumerate(block.splitlines(), rows + 1):
            for word in line.split():
                try:
                    kind(word)
                except ValueError:
                    shown = word.decode("latin-1")
                    raise FormatError(f"the line of node {node} has {shown!r}, which is no {noun}") from None
        raise FormatError(f"the lines from node {rows + 1} on cannot be read as {noun}s")
    return values, counts


def _drop_leading(values, counts, leading, rows):
    """Leave out the first `leading` numbers of every line (node size and weights)."""
    if not leading or not len(counts):
        return values, counts
    if (counts < leading).any():
        node = rows + 1 + int(np.flatnonzero(counts < leading)[0])
        raise FormatError(
            f"the line of node {node} is too short for the {leading} node weights that the header promises"
        )
    starts = np.cumsum(counts) - counts
    kept = np.ones(len(values), dtype=bool)
    kept[(starts[:, None] + np.arange(leading)).ravel()] = False
    return values[kept], counts - leading
