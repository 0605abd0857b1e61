"""Matrix Market files, read and written by scipy."""

import numpy as np

from ..exceptions import FormatError, InputError
from ..graphs.graph import Graph
from ._guess import MATRIX_MARKET_BANNER

__all__ = ["read_matrix_market", "write_matrix_market"]


def read_matrix_market(source, *, weighted, symmetrize):
    """Read an open Source; see :func:`graphcore.read_graph`."""
    import scipy.sparse as sp
    from scipy.io import mmread

    banner = source.head.split(b"\n", 1)[0].lower()
    if not banner.startswith(MATRIX_MARKET_BANNER):
        raise FormatError(
            "a Matrix Market file begins with the line '%%MatrixMarket matrix coordinate ...', which is missing here; "
            "pass format='edgelist' if it is a plain list of edges"
        )
    with source.open() as stream:
        try:
            matrix = mmread(stream)
        except InputError:
            raise
        except (ValueError, TypeError, OverflowError) as error:
            raise FormatError(f"the Matrix Market content cannot be read: {error}") from None
    pattern = b"pattern" in banner.split()
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
