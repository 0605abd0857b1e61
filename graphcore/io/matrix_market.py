"""Matrix Market files, read and written by scipy."""

import numpy as np

from ..exceptions import FormatError, InputError
from ..graphs.graph import Graph
from ._guess import MATRIX_MARKET_BANNER
from ._sizes import check_node_count, header_sizes

__all__ = ["read_matrix_market", "write_matrix_market"]

_FIELDS = ("real", "double", "integer", "unsigned-integer", "pattern", "complex")
_SYMMETRIES = ("general", "symmetric", "skew-symmetric", "hermitian")


def read_matrix_market(source, *, weighted, symmetrize):
    """Read an open Source; see :func:`graphcore.read_graph`."""
    import scipy.sparse as sp
    from scipy.io import mmread

    with source.open() as stream:
        pattern = _check_header(stream, source.size, source.any_size) == "pattern"
    with source.open() as stream:
        try:
            matrix = mmread(stream)
        except InputError:
            raise
        except (ValueError, TypeError, OverflowError) as error:
            raise FormatError(f"the Matrix Market content cannot be read: {error}") from None
    if pattern or not weighted:
        matrix = sp.csr_array(matrix)
        # Entries that stand twice in a pattern are one edge, as in an edge list without weights.
        matrix.data = np.ones(len(matrix.data), dtype=bool) if pattern else matrix.data != 0
    return Graph.from_scipy(matrix, symmetrize=symmetrize)


def write_matrix_market(graph, stream):
    """Write the lower triangle as a symmetric matrix; a graph without weights as a pattern."""
    from scipy.io import mmwrite
    from scipy.sparse import tril

    matrix = tril(graph.to_scipy(), format="coo")
    mmwrite(stream, matrix, field="pattern" if graph.weights is None else "real", symmetry="symmetric")


def _check_header(stream, size, any_size):
    """Check what scipy would take on trust, or die of, and return the field of the header; `size` in bytes."""
    first = stream.readline()
    words = first.decode("latin-1").lower().split(None, 5)
    if not first.lower().startswith(MATRIX_MARKET_BANNER):
        raise FormatError(
            "a Matrix Market file begins with the line '%%MatrixMarket matrix coordinate ...', which is missing here; "
            "pass format='edgelist' if it is a plain list of edges"
        )
    known = (("matrix",), ("coordinate", "array"), _FIELDS, _SYMMETRIES)
    if len(words) != 5 or not all(word in choices for word, choices in zip(words[1:], known, strict=True)):
        shown = first.decode("latin-1").strip()
        raise FormatError(f"Line 1: {shown!r} is no header like '%%MatrixMarket matrix coordinate real symmetric'")
    _, _, layout, field, symmetry = words
    if field == "complex":
        raise FormatError("weights must be real numbers, but the header says complex")
    if layout == "array" and field == "pattern":
        raise FormatError("Line 1: an array has values, which a pattern has not")
    line, number = stream.readline(), 2
    while line and (line.startswith(b"%") or not line.strip()):
        line, number = stream.readline(), number + 1
    sizes = header_sizes(line.split(None, 3))
    if sizes is None or len(sizes) != (3 if layout == "coordinate" else 2):
        shown = line.decode("latin-1").strip()
        raise FormatError(f"Line {number}: {shown!r} are no numbers of rows and columns (and entries)")
    n_nodes = sizes[0]
    if n_nodes != sizes[1]:
        raise FormatError(f"an adjacency matrix is square; this one has shape ({n_nodes}, {sizes[1]})")
    if n_nodes == 0:
        raise FormatError("the graph is empty: its matrix has shape (0, 0)")
    half = symmetry != "general"
    n_entries = sizes[2] if layout == "coordinate" else n_nodes * (n_nodes - half) // (1 + half)
    # An entry takes at least "1 1", "1 1 1" or "1", and a line end, which the last may lack.
    shortest = 2 if layout == "array" else 4 if field == "pattern" else 6
    left = size - stream.tell()
    if shortest * n_entries > left + 1:
        raise FormatError(f"Truncated: the header promises {n_entries} entries, but {left} bytes follow")
    check_node_count(n_nodes, n_entries, any_size)
    return field
