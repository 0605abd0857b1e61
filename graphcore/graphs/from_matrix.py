"""Matrices, sparse or dense, become a Graph: of their rows and columns at once, or of two kinds of nodes."""

import sys
from numbers import Number
from typing import TYPE_CHECKING

import numpy as np

from ..base.loops import away
from ..base.types import AnyGraph, ArrayLike
from ..base.validation import check_choice, read_only, unmasked
from ..exceptions import InputError, warn_user
from . import _loops
from .columns import in_row_order, is_square_table
from .rows import (
    NO_WEIGHTS,
    SYMMETRIZE,
    Rows,
    are_ones,
    as_float_weights,
    canonical_rows,
    check_compressed,
    check_directions,
    describe_defect,
    first_asymmetry,
    first_bad_weight,
    made_of,
    narrow_ids,
    symmetrize_rows,
)

if TYPE_CHECKING:
    import graphcore

# Weights that are looked at for fractions, rows, entries of each or somewhat more, and the share of rows that tells
# distances.
_SAMPLED, _ROWS, _LONGEST, DISTANT = 10_000, 40, 80, 0.4
# Repairable defects of rows by the codes of `check_rows`: columns out of order, explicit zeros.
_REPAIRABLE = (3, 6)


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
        See :meth:`from_edges`; a data frame whose rows and columns have the same names gives these to the nodes, and
        an asymmetric matrix is warned about.
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
    # Both directions count alike, so that columns may be taken for rows.
    node_names = list(A.index) if node_names is None and is_square_table(A) else node_names
    A = as_csr(in_row_order(A) if hasattr(A, "reindex") else A, transposed=True)
    n_nodes = A.shape[0]
    if n_nodes != A.shape[1]:
        raise InputError(
            f"a matrix of shape {A.shape} is no adjacency matrix, which is square; if rows are vectors give "
            "knn_graph(X), if columns are other nodes Graph.from_biadjacency"
        )
    indptr = np.asarray(A.indptr, dtype=np.int64)
    data = A.data[: indptr[-1]]
    # Ones are seen before a conversion could copy them.
    weights = NO_WEIGHTS if are_ones(data) else as_float_weights(data)
    rows = Rows(indptr, narrow_ids(A.indices[: indptr[-1]], n_nodes), weights)
    if check:
        code, row, entry, _ = _loops.check_rows(*map(read_only, rows), n_nodes)
        if code and code not in _REPAIRABLE:
            raise InputError(describe_defect(code, row, entry, rows))
        if code:
            # Repeated entries of a matrix add up, ones too; only booleans have no sum.
            rows = canonical_rows(rows if data.dtype == bool else rows._replace(weights=as_float_weights(data)))
        are_distances = warn and _ascend_alike(indptr, data)
        if first_asymmetry(rows)[0] >= 0:
            rows, both, single = symmetrize_rows(rows, symmetrize)
            check_directions(both, single, True, symmetrize, warn)
        if are_distances or (warn and leaning(*rows) > DISTANT):
            warn_user(
                "the weights look like distances, less where nodes have more common neighbours, and are taken for "
                "similarities; give distances with affinity='precomputed_nearest_neighbors', or A.data = exp(-A.data)"
            )
    return made_of(cls, rows, node_names)


def _ascend_alike(indptr, weights):
    """Return whether all rows are of one length and their weights ascend, as a search for neighbours returns them."""
    n = len(indptr) - 1
    is_regular = len(weights) > 2 * n and (np.diff(indptr) * n == len(weights)).all() and weights.dtype.kind == "f"
    return is_regular and weights.min() < weights.max() and bool((np.diff(weights.reshape(n, -1)) >= 0).all())


def leaning(indptr, indices, weights):
    """Return in how many more rows, as a share, lighter edges go to nodes with more common neighbours than heavier do.

    Among as many of them, as in a complete graph, to nodes whose weights to these are more alike. It is .54 to .97 for
    distances to 10 neighbours, .77 to 1 for complete graphs, -.10 to .23 for weights at random, and below -.4 for
    similarities; 0 for whole numbers, and where few rows can be sampled.
    """
    if not (weights[:_SAMPLED] % 1).any():
        return 0.0
    lengths, signs = np.diff(indptr), []
    rows = np.flatnonzero(lengths > 3)
    for row in rows[:: max(1, len(rows) // _ROWS)].tolist():
        some = slice(indptr[row], indptr[row + 1], max(1, lengths[row] // _LONGEST))
        own, mine = indices[some], weights[some].astype(np.float64)
        alike = np.empty(len(own))
        for e, other in enumerate(own.tolist()):
            theirs = indices[indptr[other] : indptr[other + 1]]
            at = np.searchsorted(theirs, own)
            common = (np.append(theirs, -1)[at] == own) & (own != other)
            u, v = (x / (x.max(initial=0) or 1) for x in (mine[common], weights[indptr[other] + at[common]]))
            norms = np.sqrt((u @ u) * (v @ v))  # of weights up to 1, as the largest squares overflow
            alike[e] = len(u) + (u @ v / norms if norms else 0.0)
        alike = alike[np.argsort(mine, kind="stable")]
        signs.append(np.sign(alike[: len(own) // 2].sum() - alike[-(len(own) // 2) :].sum()))
    return float(np.mean(signs)) if len(signs) >= 10 else 0.0


def from_biadjacency(cls: "type[graphcore.Graph]", B: AnyGraph) -> "graphcore.Graph":
    """Make a bipartite graph from a rectangular matrix: its rows and its columns are the nodes, rows first.

    Clusters of its nodes are co-clusters of the matrix: the first labels are those of its rows, the others those of its
    columns. :meth:`Graph.with_nodes` names them.

    Parameters
    ----------
    B : sparse array or matrix of any format, ndarray or data frame, of shape (n_rows, n_columns)
        Weights of the edges between rows and columns, finite and not negative. Repeated entries add up.

    Returns
    -------
    Graph

    Examples
    --------
    >>> import graphcore
    >>> B = [[1, 2, 0, 0], [2, 1, 0, 0], [0, 0, 3, 1]]
    >>> graph = graphcore.Graph.from_biadjacency(B)
    >>> graph, graph.degrees.tolist()
    (Graph(n_nodes=7, n_edges=6, weights=float64), [3.0, 3.0, 4.0, 3.0, 3.0, 3.0, 1.0])
    >>> labels = graphcore.CoresetSpectralClustering(2, random_state=0).fit_predict(graph)
    >>> rows, columns = labels[:3], labels[3:]
    >>> bool(rows[0] == rows[1] == columns[0] == columns[1]), bool(rows[2] == columns[2] == columns[3])
    (True, True)
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
    indices = narrow_ids(np.concatenate([B.indices.astype(np.int64) + n_rows, turned.indices]), n_rows + n_columns)
    return made_of(cls, Rows(indptr, indices, np.concatenate([B.data, turned.data])), None)


def as_csr(A, *, transposed=False):
    """Any matrix as scipy CSR, without a copy where it is CSR, or CSC and may be `transposed`."""
    import scipy.sparse as sp

    check_given(A)
    if hasattr(A, "obsp"):  # whose rows numpy would make one by one
        what = type(A).__name__
        raise InputError(f"a matrix is needed, got {what}; give adata.obsp['connectivities'], or fit the object")
    A = A if sp.issparse(A) else np.asarray(A)
    if A.ndim != 2:
        got = f"an array of {A.ndim} dimensions" if A.ndim or A.dtype != object else f"a {type(A.item()).__name__}"
        raise InputError(f"a matrix of two dimensions is needed, got {got}")
    if 0 in A.shape:
        raise InputError(f"the graph is empty: its matrix has shape {A.shape}")
    if A.dtype.kind not in "biuf":  # objects may be numbers
        A = as_float_weights(A)
    if not sp.issparse(A):  # scipy takes neither halves nor another order of bytes
        return sp.csr_array(A.astype(np.float32 if A.dtype == np.float16 else A.dtype.newbyteorder("="), copy=False))
    if A.format == "csc" and transposed:  # the transpose is CSR over the same arrays
        return A.T
    # Entries that repeat are added up, for which small integers have no room.
    made = (A.astype(np.float64) if A.format == "coo" and A.dtype.kind in "iu" else A).tocsr()
    if A.format not in _CHECKED:
        check_compressed(made.indptr, made.indices, *made.shape)
    return made


# -- structure of scipy's matrices -------------------------------------------------------------------------------------

# Formats whose arrays are checked as they are; others are when they have become rows.
_CHECKED = ("csr", "csc", "bsr", "coo")


def check_given(X):
    """Raise an InputError unless X is whole, whatever else it is: no value is masked, no list holds other than numbers.

    The arrays of a scipy sparse matrix go together: scipy's own constructors look at lengths alone, and its conversions
    and products read and write wherever the arrays point to. A matrix from outside is therefore checked here before
    anything is done with it.
    """
    if isinstance(X, np.ndarray):
        unmasked("X", X)
    names = getattr(getattr(X, "dtype", None), "names", None)
    if names:
        raise InputError(
            f"X is an array of records ({', '.join(names)}); for edges give pandas.DataFrame(X) to "
            "Graph.from_table, or numpy.lib.recfunctions.structured_to_unstructured(X) for vectors"
        )
    odd = next(filter(_is_whole_thing, X), None) if isinstance(X, (list, tuple)) else None
    if odd is not None:
        raise InputError(
            f"X is a {type(X).__name__} with a {type(odd).__name__}, and one graph or one array of numbers is needed; "
            "layers of a graph add up as matrices: Graph.from_scipy(A + B)"
        )
    sparse = sys.modules.get("scipy.sparse")
    if sparse is None or not sparse.issparse(X):
        return
    if len(X.shape) != 2:
        raise InputError(f"a matrix of two dimensions is needed, got {len(X.shape)}")
    if X.dtype.kind not in "biufc" or not X.dtype.isnative or X.dtype == np.float16:
        raise InputError(f"the values of a sparse matrix must be real numbers, got {X.dtype}")
    if X.format not in _CHECKED:
        return
    n_values, n_dims = len(X.data), 3 if X.format == "bsr" else 1
    if X.data.ndim != n_dims:
        raise InputError(f"data must be an array of {n_dims} dimensions, got shape {X.data.shape}")
    if X.format == "coo":
        for name, ids, n in (("row", X.row, X.shape[0]), ("col", X.col, X.shape[1])):
            is_sound = len(ids) == n_values and ids.dtype.kind in "iu"
            if not is_sound or (n_values and (ids.min() < 0 or ids.max() >= n)):
                raise InputError(f"{name} must be {n_values} integers from 0 to {n - 1}, one for each of data")
        return
    n_rows, n_columns = X.shape[::-1] if X.format == "csc" else X.shape
    if X.format == "bsr":
        height, width = X.data.shape[1:]
        if not (height and width) or n_rows % height or n_columns % width:
            raise InputError(f"blocks of shape {(height, width)} do not fill a matrix of shape {X.shape}")
        n_rows, n_columns = n_rows // height, n_columns // width
    check_compressed(X.indptr, X.indices, n_rows, n_columns)
    if n_values != len(X.indices):
        raise InputError(f"there are {len(X.indices)} indices, but data of {n_values} entries")
    if {X.indptr.dtype, X.indices.dtype} - {np.dtype(np.int32), np.dtype(np.int64)}:  # scipy knows no others
        raise InputError(f"indptr and indices must be int32 or int64, got {X.indptr.dtype} and {X.indices.dtype}")


def _is_whole_thing(each):
    """Return whether what stands in a list is a graph, a matrix or a table of its own, and no number, text or row."""
    if isinstance(each, np.ma.MaskedArray):
        return np.ma.is_masked(each)
    if isinstance(each, (Number, np.generic, str, bytes, list, tuple, np.ndarray, range)) or each is None:
        return False
    return getattr(each, "ndim", 1 if hasattr(each, "__array__") else 2) > 1
