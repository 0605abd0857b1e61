"""NumPy's files: arrays, archives, and graphs in archives, as sparse matrices of scipy or as arrays of rows.

Nothing in them is run: arrays of Python objects, which need pickle, are refused.
"""

import contextlib
import io
from types import SimpleNamespace

import numpy as np

from ..exceptions import FormatError, InputError
from ..graphs.from_edges import check_name_array
from ..graphs.from_matrix import check_given
from .library_formats import graph_of_matrix
from .source import refusing

NPZ_MAGIC = b"PK\x03\x04"


def read_array(stream):
    """Return the array in a ``.npy`` stream, which may hold no Python objects."""
    with refusing("the array cannot be read"):
        return _plain(np.lib.format.read_array(stream, allow_pickle=False))


def _plain(array):
    if array.dtype.kind == "V" or array.dtype.itemsize == 0:
        raise FormatError(f"the array holds {array.dtype.str}, which is neither numbers nor text")
    return array


@contextlib.contextmanager
def open_archive(source):
    """Yield the Archive in a Source; damage raises a FormatError."""
    if not source.head.startswith(NPZ_MAGIC):
        raise FormatError("this is no .npz archive (which begins with 'PK')")
    with source.open() as opened:
        stream = opened if opened.seekable() else io.BytesIO(opened.read())  # zipfile seeks
        with refusing("the .npz archive cannot be read"):
            found = np.load(stream, allow_pickle=False)
        with found:
            yield Archive(found, stream)


class Archive:
    """The arrays of a ``.npz`` archive by name, each read when it is asked for."""

    def __init__(self, found, stream):
        self._found, self.names, self.stream = found, list(found.files), stream

    def __contains__(self, name):
        return name in self.names

    def get(self, name):
        """Return an array, or None."""
        return self[name] if name in self.names else None

    def __getitem__(self, name):
        if name not in self:
            raise FormatError(f"the archive has no array {name}")
        with refusing(f"array {name} cannot be read"):
            return _plain(self._found[name])


def write_array(stream, array):
    """Write an array as ``.npy`` by the stream's own `write`; numpy's own writing to a file misses a full disk."""
    np.save(SimpleNamespace(write=stream.write), array, allow_pickle=False)


def matrix_of(archive):
    """Return the sparse matrix that ``scipy.sparse.save_npz`` wrote to an Archive, or that of `indptr` and `indices`.

    Its structure is checked.
    """
    import scipy.sparse as sp

    if "format" in archive:
        with refusing("the matrix cannot be read"):
            archive.stream.seek(0)
            matrix = sp.load_npz(archive.stream)
    elif "indptr" in archive and "indices" in archive:
        places = archive["indices"], archive["indptr"]
        if any(array.dtype.kind not in "iu" for array in places if array.size):
            raise FormatError("the archive's index arrays must be integers")
        key = next((key for key in ("weights", "data") if key in archive), None)
        data = np.ones(places[0].shape, dtype=bool) if key is None else archive[key]
        n = places[1].size - 1
        with refusing("the matrix cannot be read"):
            matrix = sp.csr_array((data, *places), shape=tuple(archive["shape"]) if "shape" in archive else (n, n))
    else:
        raise FormatError(
            f"the archive holds {', '.join(archive.names)[:200] or 'nothing'}; a graph is what scipy.sparse.save_npz "
            "writes, or the arrays indptr and indices (with weights and node_names if there are any); pass --vectors "
            "(knn_graph) if the rows are vectors"
        )
    if matrix.dtype.kind not in "biuf":
        raise InputError(f"weights must be real numbers, got {matrix.dtype}")
    check_given(matrix)
    return matrix


def read_npz(source, reading):
    """Read an open Source as its Reading says."""
    with open_archive(source) as archive:
        names, matrix = archive.get("node_names"), matrix_of(archive)
    if names is not None:
        if names.shape != matrix.shape[:1]:
            raise FormatError(f"node_names has shape {names.shape}, but the matrix has {matrix.shape[0]} rows")
        check_name_array(names)
    return graph_of_matrix(matrix if reading.weighted else matrix.astype(bool), reading, names)


def write_npz(graph, stream):
    """Write an archive that ``scipy.sparse.load_npz`` reads too, with node names as one more array."""
    extra = {}
    if graph.node_names is not None:
        # Objects would need pickle, which runs code when it is read, so they become text.
        names = graph.node_names
        extra["node_names"] = text_of_names(names) if names.dtype == object else names
    # Streams that compress claim to be seekable and are not; without `seek`, zipfile writes sequentially.
    forwards = SimpleNamespace(write=stream.write, flush=stream.flush, read=None)
    np.savez_compressed(
        forwards, format=b"csr", shape=np.array([graph.n_nodes, graph.n_nodes]), indptr=graph.indptr,
        indices=graph.indices, data=np.ones(graph.n_entries, dtype=np.int8) if graph.weights is None else graph.weights,
        **extra,
    )  # fmt: skip


def text_of_names(names):
    """Convert an array of objects to text; numpy itself would take tuples for rows."""
    return np.array(list(map(str, names.tolist())), dtype=str)
