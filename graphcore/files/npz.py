"""NumPy archives: scipy's sparse matrices, and plain arrays of compressed rows."""

from types import SimpleNamespace

import numpy as np

from ..exceptions import FormatError, InputError
from ..graphs.graph import Graph
from ..graphs.ids import check_name_array
from ..graphs.structure import check_sparse
from ._format import NOT_SQUARE, Format
from ._npy import NPZ_MAGIC, open_archive

# Rows and columns that a matrix may have, whatever is in it; beyond that, so many for every entry.
_NODES, _NODES_PER_ENTRY = 1 << 24, 1000


def read_npz(source, reading):
    """Read an open Source as its Reading says."""
    if not source.head.startswith(NPZ_MAGIC):
        raise FormatError("this is no .npz archive (which begins with 'PK')")
    with source.open() as stream, open_archive(stream, any_size=source.any_size) as archive:
        names = archive.get("node_names")
        matrix = matrix_of(archive) if "format" in archive else _rows_of(archive)
    matrix = matrix if reading.weighted else matrix.astype(bool)
    if reading.bipartite:
        return Graph.from_biadjacency(matrix, row_names=range(matrix.shape[0]))
    if matrix.shape[0] != matrix.shape[1]:
        raise FormatError(NOT_SQUARE.format(matrix.shape))
    if names is not None:
        if names.shape != matrix.shape[:1]:
            raise FormatError(f"node_names has shape {names.shape}, but the matrix has {matrix.shape[0]} rows")
        check_name_array(names)
    return Graph.from_scipy(matrix, node_names=names, symmetrize=reading.symmetrize)


def write_npz(graph, stream):
    """Write what ``scipy.sparse.load_npz`` reads too, with node names as one array more."""
    extra = {}
    if graph.node_names is not None:
        # Objects would need pickle, which runs code when it is read; they come back as text.
        names = graph.node_names
        extra["node_names"] = names.astype(str) if names.dtype == object else names
    # Streams that compress say that they can go back, and cannot; to one that only writes, all is written forwards.
    forwards = SimpleNamespace(write=stream.write, flush=stream.flush, read=None)
    np.savez_compressed(
        forwards, format=b"csr", shape=np.array([graph.n_nodes, graph.n_nodes]), indptr=graph.indptr,
        indices=graph.indices, data=np.ones(graph.n_entries, dtype=np.int8) if graph.weights is None else graph.weights,
        **extra,
    )  # fmt: skip


def matrix_of(archive):
    """The sparse matrix that ``scipy.sparse.save_npz`` wrote to an open Archive, its structure checked."""
    kind = archive["format"]
    kind = kind.item() if kind.size == 1 else None
    kind = kind.decode("ascii", "replace") if isinstance(kind, bytes) else kind
    if kind in ("csr", "csc", "bsr"):
        places = archive["indices"], archive["indptr"]
    elif kind == "dia":
        places = (archive["offsets"],)
    elif kind == "coo":
        places = tuple(archive["coords"]) if "coords" in archive else (archive["row"], archive["col"])
    else:
        raise FormatError(f"format {str(kind)[:40]!r} is not one of scipy's: csr, csc, bsr, dia, coo")
    data, shape = archive["data"], archive["shape"]
    if shape.shape != (2,) or shape.dtype.kind not in "iu" or min(shape.tolist()) < 0:
        raise FormatError(f"shape must be two numbers that are not negative, got {str(shape.tolist())[:80]}")
    shape = tuple(shape.tolist())
    if kind in ("coo", "dia") and max(shape) > max(_NODES, _NODES_PER_ENTRY * data.size):
        raise FormatError(f"the archive says a matrix of shape {shape}, but holds {data.size} entries")
    return _matrix(kind, data, places, shape)


def _rows_of(archive):
    """The matrix of plain arrays `indptr` and `indices`, and weights if there are any."""
    if not ("indptr" in archive and "indices" in archive):
        listed = ", ".join(sorted(archive.names))
        listed = listed if len(listed) <= 200 else f"{listed[:200]}..."
        raise FormatError(
            f"the archive holds {listed or 'nothing'}; a graph is what scipy.sparse.save_npz "
            "writes, or the arrays indptr and indices (with weights and node_names if there are any)"
        )
    indptr, indices = archive["indptr"], archive["indices"]
    key = next((key for key in ("weights", "data") if key in archive), None)
    weights = archive[key] if key else np.ones(indices.shape, dtype=bool)
    return _matrix("csr", weights, (indices, indptr), (indptr.size - 1, indptr.size - 1))


def _matrix(kind, data, places, shape):
    """A matrix of scipy's out of its parts; scipy itself would turn index arrays of any type into integers."""
    import scipy.sparse as sp

    if data.dtype.kind not in "biuf":
        raise InputError(f"weights must be real numbers, got {data.dtype}")
    for array in places:
        if array.dtype.kind not in "iu" and array.size:
            raise FormatError(f"the archive's index arrays must be integers, got {array.dtype}")
    parts = (data, places) if kind == "coo" else (data, *places)
    try:
        matrix = getattr(sp, f"{kind}_array")(parts, shape=shape)
    except (ValueError, TypeError, IndexError, OverflowError) as error:
        said = str(error).partition("\n")[0][:200]
        raise FormatError(f"the .npz archive cannot be read: {said}") from None
    check_sparse(matrix)
    return matrix


NPZ = Format(
    "npz", (".npz",), sniff=lambda source: source.head.startswith(NPZ_MAGIC), read=read_npz, write=write_npz,
    is_text=False, bipartite=True,
)  # fmt: skip
