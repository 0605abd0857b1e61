"""NumPy's files, whose headers are validated before anything is allocated: arrays, archives, and graphs in archives.

A graph is a sparse matrix as scipy writes it, or plain arrays of compressed rows.
"""

import contextlib
import errno
import lzma
import math
import shutil
import struct
import tempfile
import warnings
import zipfile
import zlib
from types import SimpleNamespace

import numpy as np

from ..base.arrays import npy_header
from ..exceptions import FormatError, InputError
from ..graphs.graph import Graph
from ..graphs.ids import check_name_array
from ..graphs.structure import check_sparse, stated_lengths
from ._format import NOT_SQUARE, Format, check_node_count, text_of_names
from ._source import MAX_RATIO, check_size

NPZ_MAGIC = b"PK\x03\x04"
# The largest ratio of compression of deflate, bzip2 and lzma members that numpy writes.
_MOST_COMPRESSED = 1040
# Archives of graphs are a half to a twentieth of their arrays. Small archives are read whatever their ratio.
ALWAYS_FINE = 1 << 26
_PIECE = 1 << 24
_DAMAGE = (
    ValueError, TypeError, KeyError, EOFError, RuntimeError, OverflowError, struct.error, zipfile.BadZipFile,
    zlib.error, lzma.LZMAError,
)  # fmt: skip


def read_array(stream, size):
    """Return the array in a ``.npy`` stream of `size` bytes, after checking that the stream is long enough for it."""
    try:
        shape, fortran, dtype = npy_header(stream)
    except ValueError as error:
        raise FormatError(f"the array cannot be read: {error}") from None
    if dtype.hasobject:
        raise FormatError("the array holds Python objects, which are not read, for they could run code")
    if dtype.kind == "V" or dtype.itemsize == 0:
        raise FormatError(f"the array holds {dtype.str}, which is neither numbers nor text")
    n_bytes, left = math.prod(shape) * dtype.itemsize, size - stream.tell()
    if n_bytes > left:
        raise FormatError(f"the header promises an array of shape {str(shape)[:80]}, but the file is too short for it")
    try:
        array = np.empty(math.prod(shape), dtype=dtype)
        content = array.view(np.uint8)
        filled = 0
        while filled < n_bytes:
            count = stream.readinto(content[filled : filled + _PIECE].data)
            if not count:
                raise FormatError("the array is cut off")
            filled += count
        return array.reshape(shape, order="F" if fortran else "C")
    except (ValueError, OverflowError) as error:  # an empty array of an impossible shape
        raise FormatError(f"the array cannot be read: {error}") from None


@contextlib.contextmanager
def open_archive(stream, *, any_size=True):
    """Yield the Archive in a binary stream; damage raises a FormatError.

    Unless `any_size`, an archive that expands far more than compressed graphs do is refused.
    """
    try:
        with contextlib.ExitStack() as stack:
            if not stream.seekable():  # zipfile needs a stream that can seek
                copy = stack.enter_context(tempfile.TemporaryFile())
                shutil.copyfileobj(stream, copy)
                stream = copy
            stack.enter_context(warnings.catch_warnings())
            warnings.simplefilter("ignore")  # zipfile warns of names that occur twice
            archive = stack.enter_context(zipfile.ZipFile(stream))
            size, total = stream.seek(0, 2), sum(info.file_size for info in archive.infolist())
            said = f"the archive has {size:,} bytes, and says that its arrays have {total:,}"
            check_size(total, MAX_RATIO * size, ALWAYS_FINE, said, any_size)
            yield Archive(archive, size, any_size)
    except InputError:
        raise
    except _DAMAGE as error:
        said = str(error).partition("\n")[0][:200]
        raise FormatError(f"the .npz archive cannot be read: {said}") from None
    except OSError as error:
        if error.errno in (None, errno.EINVAL):  # a damaged offset, not an error of the disk
            raise FormatError(f"the .npz archive cannot be read: {error.strerror or error}") from None
        raise


def write_array(stream, array):
    """Write an array as ``.npy`` by the stream's own `write`; numpy's own writing to a file misses a full disk."""
    np.save(SimpleNamespace(write=stream.write), array, allow_pickle=False)


class Archive:
    """The arrays of a ``.npz`` archive by name, each read when it is asked for."""

    def __init__(self, archive, size, any_size):
        self._archive, self._size, self.any_size = archive, size, any_size
        self._members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}

    def __contains__(self, name):
        return name in self._members

    @property
    def names(self):
        """Names of the arrays, in order."""
        return list(self._members)

    def get(self, name):
        """Return an array, or None."""
        return self[name] if name in self._members else None

    def check_rows(self, stated, said):
        """Refuse a matrix whose lengths, as far as they are only `stated`, are far above what the file can hold."""
        check_size(8 * max(stated, default=0), MAX_RATIO * self._size, ALWAYS_FINE, said, self.any_size)

    def __getitem__(self, name):
        if name not in self._members:
            raise FormatError(f"the archive has no array {name}")
        info = self._members[name]
        if info.file_size > _MOST_COMPRESSED * min(info.compress_size, self._size) + 64:
            raise FormatError(f"array {name} says it has {info.file_size:,} bytes, which the file cannot hold")
        with self._archive.open(info) as member:
            try:
                return read_array(member, info.file_size)
            except FormatError as error:
                raise FormatError(f"{name}: {error}") from None


def read_npz(source, reading):
    """Read an open Source as its Reading says."""
    if not source.head.startswith(NPZ_MAGIC):
        raise FormatError("this is no .npz archive (which begins with 'PK')")
    with source.open() as stream, open_archive(stream, any_size=source.any_size) as archive:
        names = archive.get("node_names")
        matrix = matrix_of(archive) if "format" in archive else _rows_of(archive)
    check_node_count(max(stated_lengths(matrix.shape, matrix.format), default=0), matrix.nnz, source.any_size)
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


def matrix_of(archive):
    """Return the sparse matrix that ``scipy.sparse.save_npz`` wrote to an open Archive, its structure checked."""
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
    archive.check_rows(stated_lengths(shape, kind), f"the matrix has shape {shape} and {data.size} entries")
    return _matrix(kind, data, places, shape)


def _rows_of(archive):
    """Return the matrix of plain arrays `indptr` and `indices`, and weights if there are any."""
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
    """Build a scipy matrix from its arrays; scipy itself would cast index arrays of any type to integers."""
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
