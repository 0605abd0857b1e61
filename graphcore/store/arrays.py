"""One array of a store: written piece by piece, opened as a read-only memory map."""

import errno
import os

import numpy as np
from numpy.lib import format as npy

from .._arrays import npy_header, read_only
from ..exceptions import FormatError
from .format import ArrayFacts, array_path, checksum, require_file

_PIECE = 1 << 22


class ArrayWriter:
    """Writes a one-dimensional ``.npy`` file whose length is known only at the end.

    With `length` and `crc32` it goes on behind a part that is there already; what follows that in the file is cut off.
    """

    def __init__(self, folder, name, dtype, length=0, crc32=0):
        self.dtype = np.dtype(dtype).newbyteorder("<")
        self.length, self.crc32 = length, crc32
        self._stream = open(array_path(folder, name), "r+b" if length else "wb")  # noqa: SIM115 - closed by close()
        self._write_header()
        if length:
            cut_back(self._stream, self._start + length * self.dtype.itemsize)
        self._stream.seek(0, os.SEEK_END)

    def append(self, piece):
        """Write one more piece."""
        piece = np.ascontiguousarray(piece, dtype=self.dtype)
        self._stream.write(piece.view(np.uint8).data)
        self.crc32 = checksum(piece, self.crc32)
        self.length += len(piece)

    def sync(self):
        """Bring what was written so far to the disk."""
        self._stream.flush()
        os.fsync(self._stream.fileno())

    def close(self):
        """Write the header anew, with the length, bring all to the disk, and return the ArrayFacts."""
        self._write_header()
        self.sync()
        self._stream.close()
        return ArrayFacts(self.dtype.str, self.length, self.crc32)

    def abandon(self):
        """Close the file as it is."""
        self._stream.close()

    def _write_header(self):
        # numpy pads headers so that a length of any number of digits fits in the same space.
        self._stream.seek(0)
        facts = {"descr": npy.dtype_to_descr(self.dtype), "fortran_order": False, "shape": (self.length,)}
        npy.write_array_header_1_0(self._stream, facts)
        self._start = self._stream.tell()


def write_array(folder, name, array):
    """Write a whole array, a piece at a time, and return its ArrayFacts."""
    writer = ArrayWriter(folder, name, array.dtype)
    try:
        for start in range(0, len(array), _PIECE):
            writer.append(array[start : start + _PIECE])
        return writer.close()
    finally:
        writer.abandon()


def cut_back(stream, size):
    """Cut off what stands behind the first `size` bytes of a file; a file that is shorter was lost in part."""
    if os.fstat(stream.fileno()).st_size < size:
        raise OSError(errno.EIO, f"{stream.name} is shorter than it was: start over without resume")
    stream.truncate(size)


def map_array(folder, name, facts):
    """Open an array as a read-only memory map, after checking that its file has the type and size it should have."""
    path = array_path(folder, name)
    dtype = np.dtype(facts.dtype)
    try:
        require_file(path)
        with open(path, "rb") as stream:
            shape, fortran, found = npy_header(stream)
            start = stream.tell()
            size = os.fstat(stream.fileno()).st_size
    except FileNotFoundError:
        raise FormatError(f"{name}.npy is missing") from None
    except ValueError as error:
        raise FormatError(f"{name}.npy is damaged: {error}") from None
    if (shape, fortran, found) != ((facts.length,), False, dtype):
        raise FormatError(
            f"{name}.npy holds {found.str[:40]} of shape {str(shape)[:80]}, not {dtype.str} of shape ({facts.length},)"
        )
    wanted = start + facts.length * dtype.itemsize
    if size != wanted:
        raise FormatError(f"{name}.npy is {'cut off' if size < wanted else 'too long'}: {size} bytes, not {wanted}")
    if facts.length == 0:  # a system cannot map nothing
        return read_only(np.empty(0, dtype=dtype))
    return np.asarray(np.memmap(path, dtype=dtype, mode="r", offset=start, shape=shape))
