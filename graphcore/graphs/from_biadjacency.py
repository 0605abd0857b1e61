"""Rectangular matrices become a Graph with two kinds of nodes: rows and columns."""

from typing import Self

import numpy as np

from .._threads import away
from .._typing import AnyGraph, ArrayLike
from ..exceptions import InputError
from .from_scipy import as_csr
from .weights import as_floats, entry_weights, first_bad_weight, without_ones


class FromBiadjacency:
    """Mixin of Graph, which is made of a rectangular matrix."""

    @classmethod
    def from_biadjacency(
        cls, B: AnyGraph, *, row_names: ArrayLike | None = None, column_names: ArrayLike | None = None,
    ) -> Self:  # fmt: skip
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
        weights = as_floats(B.data)
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
        ids = np.int32 if n_rows + n_columns < 2**31 else np.int64
        indices = np.empty(2 * B.nnz, dtype=ids)
        np.add(B.indices, n_rows, out=indices[: B.nnz], casting="unsafe")
        indices[B.nnz :] = turned.indices
        weights = without_ones(entry_weights(B.data))
        weights = None if weights is None else np.concatenate([B.data, turned.data])
        return cls(indptr, indices, weights, node_names=_names(row_names, column_names, B.shape), check=False)


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
