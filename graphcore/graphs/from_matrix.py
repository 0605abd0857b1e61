"""Matrices, sparse or dense, become a Graph: of their rows and columns at once, or of two kinds of nodes."""

from typing import TYPE_CHECKING

import numpy as np

from ..base.arrays import read_only
from ..base.threads import away
from ..base.types import AnyGraph, ArrayLike
from ..base.validation import check_choice
from ..exceptions import InputError
from . import _row_loops
from .columns import in_row_order
from .directed import undirected_rows
from .ids import id_dtype, narrow_ids
from .rows import DIRECTED, SYMMETRIZE, SYMMETRY_TOLERANCE, Rows, canonical_rows, describe_defect, is_symmetric, made_of
from .structure import check_sparse
from .weights import as_float_weights, entry_weights, first_bad_weight

if TYPE_CHECKING:
    import graphcore


def from_scipy(
    cls: "type[graphcore.Graph]",
    A: object, *, node_names: ArrayLike | None = None, symmetrize: str = "max", warn: bool = True,
    check: bool = True,
) -> "graphcore.Graph":  # fmt: skip
    """Make a graph from a square sparse (or dense) matrix.

    Parameters
    ----------
    A : sparse array or matrix of any format, ndarray or data frame, of shape (n_nodes, n_nodes)
        Finite, non-negative weights. Columns of a frame are put in the order of its rows, by their names. A matrix
        whose entries are all 1 (or boolean) makes an unweighted graph. It is never changed; canonical int32 CSR arrays
        are shared, not copied.
    node_names, symmetrize, warn
        See :meth:`from_edges`; an asymmetric matrix is warned about.
    check : bool, default True
        False is for a CSR matrix that is known to be canonical and symmetric: only what would make compiled code
        read or write beyond its arrays is looked for.

    Returns
    -------
    Graph

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> import graphcore
    >>> graphcore.Graph.from_scipy(sp.csr_array([[0, 1, 0], [1, 0, 2], [0, 2, 0]])).n_edges
    2
    """
    check_choice("symmetrize", symmetrize, SYMMETRIZE)
    A = as_csr(in_row_order(A), alike=symmetrize not in DIRECTED)
    if A.shape[0] != A.shape[1]:
        raise InputError(
            f"an adjacency matrix is square; this one has shape {A.shape}; for rows and columns of two kinds use "
            "Graph.from_biadjacency"
        )
    n_nodes = A.shape[0]
    indptr = np.asarray(A.indptr, dtype=np.int64)
    data = A.data[: indptr[-1]]
    rows = Rows(indptr, narrow_ids(A.indices[: indptr[-1]], n_nodes), entry_weights(data))
    if check:
        code, row, entry, _ = _row_loops.check_rows(*map(read_only, rows), n_nodes)
        if code in (3, 6):
            # Repeated entries of a matrix add up, ones too; only booleans have no sum.
            rows = canonical_rows(rows if data.dtype == bool else rows._replace(weights=as_float_weights(data)))
        elif code:
            raise InputError(describe_defect(code, row, entry, rows))
        if not is_symmetric(rows, SYMMETRY_TOLERANCE):
            rows = undirected_rows(rows, symmetrize, warn and "the input")
    return made_of(cls, rows, node_names)


def from_biadjacency(
    cls: "type[graphcore.Graph]",
    B: AnyGraph, *, row_names: ArrayLike | None = None, column_names: ArrayLike | None = None,
) -> "graphcore.Graph":  # fmt: skip
    """Make a bipartite graph from a rectangular matrix: its rows and its columns are the nodes, rows first.

    Parameters
    ----------
    B : sparse array or matrix of any format, or ndarray, of shape (n_rows, n_columns)
        Weights of the edges between rows and columns, finite and not negative. Repeated entries add up.
    row_names, column_names : array-like, optional
        Names of rows and columns. If either is given, nodes are called "r:" and "c:" and their name, or number.

    Returns
    -------
    Graph

    Examples
    --------
    >>> import graphcore
    >>> graph = graphcore.Graph.from_biadjacency([[1, 0, 2], [0, 1, 0]])
    >>> graph, graph.degrees.tolist()
    (Graph(n_nodes=5, n_edges=3, weights=float64), [3.0, 1.0, 1.0, 1.0, 2.0])
    """
    import scipy.sparse as sp

    B = as_csr(B)
    n_rows, n_columns = B.shape
    weights = as_float_weights(B.data)
    bad = first_bad_weight(weights)
    if bad >= 0:
        raise InputError(f"weights must be finite and not negative; the matrix holds {weights[bad]}")
    # float64 adds repeated entries up without overflow, and is what ones are dropped from.
    B = sp.csr_array((weights, B.indices, B.indptr), shape=B.shape)
    if not B.has_canonical_format or not weights.all():
        B = B.copy()
        B.sum_duplicates()
        B.eliminate_zeros()
    turned = away(B.T.tocsr)
    indptr = np.concatenate([B.indptr[:-1].astype(np.int64), turned.indptr.astype(np.int64) + B.nnz])
    ids = id_dtype(n_rows + n_columns)
    indices = np.concatenate([B.indices.astype(ids) + ids.type(n_rows), turned.indices], dtype=ids, casting="same_kind")
    weights = entry_weights(B.data)
    weights = np.concatenate([weights, turned.data]) if len(weights) else weights
    return made_of(cls, Rows(indptr, indices, weights), _names(row_names, column_names, B.shape))


def as_csr(A, *, alike=False):
    """Any matrix as scipy CSR, without a copy where it is CSR, or CSC and both directions count `alike`."""
    import scipy.sparse as sp

    check_sparse(A)
    if not sp.issparse(A):
        A = np.asarray(A)
    if A.ndim != 2:
        got = f"an array of {A.ndim} dimensions" if A.ndim or A.dtype != object else f"a {type(A.item()).__name__}"
        raise InputError(f"a matrix of two dimensions is needed, got {got}")
    if 0 in A.shape:
        raise InputError(f"the graph is empty: its matrix has shape {A.shape}")
    if A.dtype.kind not in "biuf":
        raise InputError(f"weights must be real numbers, got {A.dtype}")
    if not sp.issparse(A):
        return sp.csr_array(A.astype(np.float32) if A.dtype == np.float16 else A)
    # The transpose of CSC is CSR over the same arrays.
    return A.T if A.format == "csc" and alike else A.tocsr()


def _names(row_names, column_names, shape):
    if row_names is None and column_names is None:
        return None
    names = []
    for kind, given, n in (("row", row_names, shape[0]), ("column", column_names, shape[1])):
        own = np.arange(n) if given is None else np.asarray(given)
        if own.shape != (n,):
            raise InputError(f"{kind}_names have shape {own.shape}; {n} {kind}s need as many names")
        names += [f"{kind[0]}:{name}" for name in own.tolist()]
    return names
