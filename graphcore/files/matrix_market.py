"""Matrix Market files, whose body is parsed like an edge list, because scipy's reader does not validate its input.

A body that is longer than its header states, or holds a zero byte, makes scipy's reader end the whole process.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..exceptions import FormatError
from ..graphs.graph import Graph
from ._dialect import Dialect
from ._format import NOT_SQUARE, Format, check_entry_count, check_node_count, header_sizes
from ._lines import data_lines, number_of_line, parse

_BANNER = "%%matrixmarket"
_LAYOUTS = ("coordinate", "array")
_FIELDS = ("real", "double", "integer", "unsigned-integer", "pattern", "complex")
_SYMMETRIES = ("general", "symmetric", "skew-symmetric", "hermitian")


class _Header(NamedTuple):
    layout: str
    symmetric: bool
    shape: tuple
    n_entries: int
    skew: bool  # whether the diagonal is 0, which arrays leave out
    values: int  # numbers of an entry
    dialect: Dialect  # of the lines that follow


def read_matrix_market(source, reading):
    """Read an open Source as its Reading says."""
    import scipy.sparse as sp

    with source.text("latin-1") as text:
        header = _header(text, source, reading)
    read = _read_entries if header.layout == "coordinate" else _read_array
    rows, columns, weights = read(source, header, reading.weighted)
    if header.symmetric:
        below = rows != columns
        rows, columns = np.concatenate([rows, columns[below]]), np.concatenate([columns, rows[below]])
        weights = np.concatenate([weights, weights[below]])
    matrix = sp.csr_array(sp.coo_array((weights, (rows, columns)), shape=header.shape))
    # Repeated entries of a pattern are one edge, as in an edge list without weights.
    if weights.dtype == bool:
        matrix.data = matrix.data != 0
    if reading.bipartite:
        return Graph.from_biadjacency(matrix, row_names=range(header.shape[0]))
    return Graph.from_scipy(matrix, symmetrize=reading.symmetrize)


def write_matrix_market(graph, stream):
    """Write the lower triangle as a symmetric matrix; a graph without weights as a pattern."""
    from scipy.io import mmwrite
    from scipy.sparse import tril

    matrix = tril(graph.to_scipy(), format="coo")
    mmwrite(stream, matrix, field="pattern" if graph.weights is None else "real", symmetry="symmetric")


def _header(text, source, reading):
    """Read the header and check it against the size of the file in bytes; only a bipartite matrix may be oblong."""
    lines = [text.readline()]
    if not lines[0].lower().startswith(_BANNER):
        raise FormatError(
            "a Matrix Market file begins with the line '%%MatrixMarket matrix coordinate ...', which is missing here; "
            "pass format='edgelist' if it is a plain list of edges"
        )
    words = lines[0].lower().split(None, 5)
    known = (("matrix",), _LAYOUTS, _FIELDS, _SYMMETRIES)
    if len(words) != 5 or not all(word in choices for word, choices in zip(words[1:], known, strict=True)):
        raise FormatError(
            f"line 1: {lines[0].strip()!r} is no header like '%%MatrixMarket matrix coordinate real symmetric'"
        )
    _, _, layout, field, symmetry = words
    skew, remedy = symmetry == "skew-symmetric", "weight_column=None leaves weights out"
    if field == "complex" and reading.weighted:
        raise FormatError(f"line 1: weights must be real numbers, but the header says complex; {remedy}")
    if skew and field != "pattern" and reading.weighted:
        raise FormatError(
            f"line 1: a skew-symmetric matrix has negative entries; weights must not be negative; {remedy}"
        )
    if layout == "array" and field == "pattern":
        raise FormatError("line 1: an array has values, which a pattern has not")
    while not lines[1:] or (lines[-1] and (lines[-1].startswith("%") or not lines[-1].strip())):
        lines.append(text.readline())
    sizes = header_sizes(lines[-1].split(None, 3))
    if sizes is None or len(sizes) != (3 if layout == "coordinate" else 2):
        raise FormatError(f"line {len(lines)}: {lines[-1].strip()!r} are no numbers of rows and columns (and entries)")
    shape, symmetric = tuple(sizes[:2]), symmetry != "general"
    if shape[0] != shape[1] and (symmetric or not reading.bipartite):
        raise FormatError(NOT_SQUARE.format(shape).partition(";" if symmetric else "\n")[0])
    if 0 in shape:
        raise FormatError(f"the graph is empty: its matrix has shape {shape}")
    n_array = shape[0] * (shape[0] + 1 - 2 * skew) // 2 if symmetric else shape[0] * shape[1]
    n_entries = sizes[2] if layout == "coordinate" else n_array
    # An entry takes at least "1 1", "1 1 1" or "1", and a line end, which the last may lack.
    values = {"pattern": 0, "complex": 2}.get(field, 1)
    shortest = 2 * values + (4 if layout == "coordinate" else 0)
    left = source.size - sum(map(len, lines))
    if shortest * n_entries > left + 1:
        raise FormatError(f"Truncated: the header promises {n_entries} entries, but {left} bytes follow")
    check_node_count(max(shape), n_entries, source.any_size)
    dialect = Dialect(skip=len(lines), weight_column=None if field == "pattern" else 2)
    return _Header(layout, symmetric, shape, n_entries, skew, values, dialect)


def _read_entries(source, header, weighted):
    """Return rows, columns and weights of the entries, in the order of the file; without weights, booleans."""
    if header.n_entries == 0:
        return np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0)
    ends, weights, _ = parse(source, header.dialect if weighted else replace(header.dialect, weight_column=None))
    check_entry_count(header.n_entries, len(ends))
    if ends.min() < 1 or (ends.max(axis=0) > header.shape).any():
        wrong = int(np.argmax(((ends < 1) | (ends > header.shape)).any(axis=1)))
        row, column = ends[wrong].tolist()
        number = number_of_line(source, header.dialect, wrong)
        raise FormatError(f"line {number}: ({row}, {column}) is no entry of a matrix of shape {header.shape}")
    ends -= 1
    if weights is None:
        weights = (_values(source, header, 2) != 0).any(axis=1) if header.values else np.ones(len(ends), dtype=bool)
    return ends[:, 0], ends[:, 1], weights


def _read_array(source, header, weighted):
    """Return rows, columns and weights of the entries of a dense matrix, which is stored by columns."""
    values = _values(source, header, 0)
    weights = values.ravel() if weighted else (values != 0).any(axis=1)
    if weighted and len(weights) and not (weights.min() >= 0 and weights.max() < np.inf):
        raise FormatError("there are weights that are negative or not finite; weight_column=None leaves weights out")
    check_entry_count(header.n_entries, len(weights))
    if header.symmetric:
        columns, rows = np.triu_indices(header.shape[0], int(header.skew))
    else:
        columns, rows = np.divmod(np.arange(header.n_entries), header.shape[0])
    return rows, columns, weights


def _values(source, header, first):
    """Return the values of each line, from column `first` on, which may be any numbers."""
    with source.text("latin-1") as text:
        columns = range(first, first + header.values)
        try:
            return np.loadtxt(data_lines(text, header.dialect), usecols=columns, comments=None, ndmin=2)
        except UnicodeDecodeError:
            raise
        except ValueError as error:
            raise FormatError(f"the lines cannot be read: {error}") from None


MATRIX_MARKET = Format(
    "matrix-market", (".mtx", ".mm"), sniff=lambda source: source.text_head.startswith(_BANNER.encode()),
    read=read_matrix_market, write=write_matrix_market, names=False, bipartite=True,
)  # fmt: skip
