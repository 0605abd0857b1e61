"""NumPy archives: scipy's sparse matrices, and plain arrays of compressed rows."""

import zipfile
import zlib

import numpy as np

from ..exceptions import FormatError, InputError
from ..graphs.graph import Graph
from ._guess import NPZ_MAGIC

__all__ = ["read_npz", "write_npz"]


def read_npz(source, *, weighted, symmetrize):
    """Read an open Source; see :func:`graphcore.read_graph`."""
    if not source.head.startswith(NPZ_MAGIC):
        raise FormatError("this is no .npz archive (which begins with 'PK')")
    try:
        with source.open() as stream:
            matrix, names = _load(stream)
    except InputError:
        raise
    except (ValueError, TypeError, KeyError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError) as error:
        raise FormatError(f"the .npz archive cannot be read: {error}") from None
    if names is not None and names.shape != matrix.shape[:1]:
        raise FormatError(f"node_names has shape {names.shape}, but the matrix has {matrix.shape[0]} rows")
    if not weighted:
        matrix = matrix.astype(bool)
    return Graph.from_scipy(matrix, node_names=names, symmetrize=symmetrize)


def write_npz(graph, stream):
    """Write what ``scipy.sparse.load_npz`` reads too, with node names as one array more."""
    extra = {}
    if graph.node_names is not None:
        # Objects would need pickle, which runs code when it is read; they come back as text.
        names = graph.node_names
        extra["node_names"] = names.astype(str) if names.dtype == object else names
    np.savez_compressed(
        stream, format=b"csr", shape=np.array([graph.n_nodes, graph.n_nodes]), indptr=graph.indptr,
        indices=graph.indices, data=np.ones(graph.n_entries, dtype=np.int8) if graph.weights is None else graph.weights,
        **extra,
    )  # fmt: skip


def _load(stream):
    import scipy.sparse as sp

    with np.load(stream, allow_pickle=False) as archive:
        keys = set(archive.files)
        names = archive["node_names"] if "node_names" in keys else None
        if "format" not in keys:
            if not {"indptr", "indices"} <= keys:
                raise FormatError(
                    f"the archive holds {', '.join(sorted(keys)) or 'nothing'}; a graph is what scipy.sparse.save_npz "
                    "writes, or the arrays indptr and indices (with weights and node_names if there are any)"
                )
            indptr, indices = archive["indptr"], archive["indices"]
            key = next((key for key in ("weights", "data") if key in keys), None)
            weights = archive[key] if key else np.ones(len(indices), dtype=bool)
            n_nodes = len(indptr) - 1
            return sp.csr_array((weights, indices, indptr), shape=(n_nodes, n_nodes)), names
    stream.seek(0)
    return sp.load_npz(stream), names
