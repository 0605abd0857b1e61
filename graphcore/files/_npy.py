"""NumPy's own files: arrays (``.npy``) and archives of them (``.npz``), read without trust in their headers."""

import contextlib
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

NPZ_MAGIC = b"PK\x03\x04"
# No compression that numpy writes makes content so many times smaller.
_MOST_COMPRESSED = 1040
# Graphs are a half to a twentieth of their arrays. What stays small may be as regular as it likes.
_MAX_RATIO, _ALWAYS_FINE = 100, 1 << 26
_PIECE = 1 << 24
_DAMAGE = (
    ValueError, TypeError, KeyError, EOFError, RuntimeError, OverflowError, struct.error, zipfile.BadZipFile,
    zlib.error, lzma.LZMAError,
)  # fmt: skip


def read_array(stream, size):
    """Return the array in a ``.npy`` stream of `size` bytes; nothing is allocated that the stream cannot hold."""
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
    """Yield the Archive in a binary stream; whatever is damaged in it becomes a FormatError.

    Unless it may be of `any_size`, an archive that is small beyond what a graph can be compressed to is refused.
    """
    try:
        with contextlib.ExitStack() as stack:
            if not stream.seekable():  # a copy of what is decompressed, in which places can be looked for
                copy = stack.enter_context(tempfile.TemporaryFile())
                shutil.copyfileobj(stream, copy)
                stream = copy
            stack.enter_context(warnings.catch_warnings())
            warnings.simplefilter("ignore")  # of names that are there twice
            archive = stack.enter_context(zipfile.ZipFile(stream))
            size, total = stream.seek(0, 2), sum(info.file_size for info in archive.infolist())
            if not any_size and total > max(_ALWAYS_FINE, _MAX_RATIO * size):
                raise FormatError(
                    f"the archive has {size:,} bytes, and says that its arrays have {total:,}; pass any_size=True "
                    "(--any-size) if they are meant to"
                )
            yield Archive(archive, size)
    except InputError:
        raise
    except _DAMAGE as error:
        said = str(error).partition("\n")[0][:200]
        raise FormatError(f"the .npz archive cannot be read: {said}") from None
    except OSError as error:
        if error.errno is None or error.filename is None:  # a position that is damaged, not a disk
            raise FormatError(f"the .npz archive cannot be read: {error.strerror or error}") from None
        raise


def write_array(stream, array):
    """Write an array as ``.npy`` by the stream's own `write`: of a true file numpy would not notice that it is full."""
    np.save(SimpleNamespace(write=stream.write), array, allow_pickle=False)


class Archive:
    """The arrays of a ``.npz`` archive by name, each read when it is asked for."""

    def __init__(self, archive, size):
        self._archive, self._size = archive, size
        self._members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}

    def __contains__(self, name):
        return name in self._members

    @property
    def names(self):
        """Names of the arrays, in order."""
        return list(self._members)

    def get(self, name):
        """An array, or None."""
        if name not in self:
            return None
        return self[name]

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
