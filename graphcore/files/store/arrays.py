"""The arrays of a store: written in pieces of values or rows, and opened as read-only memory maps."""

import os
from contextlib import ExitStack

import numpy as np
from numpy.lib import format as npy

from ...base.arrays import npy_header, read_only
from ...exceptions import FormatError
from ...graphs._row_loops import row_sums
from ...graphs.ids import FIXED_WIDTH, id_dtype
from ..atomic import naming_file, to_disk
from .format import ArrayFacts, array_path, checksum, require_file

# Values, and rows, that are written at once.
_PIECE = 1 << 22
_ROWS = 1 << 20


class ArrayWriter:
    """Writer of a one-dimensional ``.npy`` file whose length is known only at the end; an ExitStack closes it."""

    def __init__(self, stack, folder, name, dtype):
        self.dtype, self.length, self.crc32 = np.dtype(dtype).newbyteorder("<"), 0, 0
        self._stream = stack.enter_context(open(array_path(folder, name), "wb"))  # noqa: SIM115 - the stack closes it
        self._write_header()

    def append(self, values):
        """Write more values."""
        for start in range(0, len(values), _PIECE):
            piece = np.ascontiguousarray(values[start : start + _PIECE], dtype=self.dtype)
            self._stream.write(piece.view(np.uint8).data)
            self.crc32 = checksum(piece, self.crc32)
            self.length += len(piece)

    def finish(self):
        """Write the header anew with the length, flush the file to the disk, and return the ArrayFacts."""
        self._write_header()
        to_disk(self._stream)
        return ArrayFacts(self.dtype.str, self.length, self.crc32)

    def _write_header(self):
        # numpy pads headers so that a length of any number of digits fits in the same space.
        self._stream.seek(0)
        facts = {"descr": npy.dtype_to_descr(self.dtype), "fortran_order": False, "shape": (self.length,)}
        npy.write_array_header_1_0(self._stream, facts)


def write_array(folder, name, dtype, pieces):
    """Write an array that comes in pieces, and return its ArrayFacts."""
    with ExitStack() as stack:
        writer = ArrayWriter(stack, folder, name, dtype)
        for piece in pieces:
            writer.append(piece)
        return writer.finish()


class RowWriter:
    """Writer of indptr, indices, weights (unless `weight_dtype` is None) and degrees of rows in ascending order."""

    def __init__(self, stack, folder, n_nodes, weight_dtype):
        self._row, self.n_isolated, self.all_ones = 0, 0, True
        kinds = {"indptr": np.int64, "indices": id_dtype(n_nodes), "degrees": np.float64}
        if weight_dtype is not None:
            kinds["weights"] = weight_dtype
        self._writers = {name: ArrayWriter(stack, folder, name, kind) for name, kind in kinds.items()}
        self._writers["indptr"].append(np.zeros(1, dtype=np.int64))

    def append(self, keys, weights, last):
        """Write the rows before `last` by their merged entries (row << 31 | column)."""
        before, start = self._writers["indices"].length, 0
        for at in range(0, len(keys), _PIECE):
            self._writers["indices"].append(keys[at : at + _PIECE] & 0x7FFFFFFF)
        if len(weights):
            # Degrees are sums of the weights as they are stored.
            weights = weights.astype(self._writers["weights"].dtype, copy=False)
            self._writers["weights"].append(weights)
            self.all_ones = self.all_ones and bool((weights == 1).all())
        for first in range(self._row, last, _ROWS):
            ends = np.searchsorted(keys, np.arange(first + 1, min(first + _ROWS, last) + 1) << 31)
            borders = np.concatenate([[start], ends])
            degrees = np.diff(borders).astype(np.float64)
            if "weights" in self._writers:
                row_sums(read_only(borders), read_only(weights), 0, len(degrees), degrees)
            self.n_isolated += int(np.count_nonzero(degrees == 0))
            self._writers["degrees"].append(degrees)
            self._writers["indptr"].append(ends + before)
            start = ends[-1]
        self._row = last

    def finish(self):
        """Return the ArrayFacts of all arrays."""
        return {name: writer.finish() for name, writer in self._writers.items()}


def map_array(folder, name, facts):
    """Open an array as a read-only memory map, after checking the type and size of its file."""
    path = array_path(folder, name)
    dtype = np.dtype(facts.dtype)
    try:
        require_file(path)
        with naming_file(path), open(path, "rb") as stream:
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
    if facts.length == 0:  # an empty file cannot be mapped
        return read_only(np.empty(0, dtype=dtype))
    with naming_file(path):
        return np.asarray(np.memmap(path, dtype=dtype, mode="r", offset=start, shape=shape))


def names_as_arrays(names):
    """Return {"node_names": ...} of fixed width, or the UTF-8 bytes of all names with "node_name_ends".

    Names that are neither numbers nor text become text, because objects could only be pickled.
    """
    if names.dtype.kind != "O":
        return {"node_names": names}
    names = [str(name) for name in names.tolist()]
    if max(map(len, names)) <= FIXED_WIDTH:
        return {"node_names": np.array(names)}
    packed = [name.encode("utf-8", "surrogatepass") for name in names]
    ends = np.cumsum(np.fromiter(map(len, packed), dtype=np.int64, count=len(packed)))
    return {"node_names": np.frombuffer(b"".join(packed), dtype=np.uint8), "node_name_ends": ends}


def names_from_arrays(names, ends):
    """Return the array of names: mapped as it is, or unpacked into an array of strings if there are `ends`."""
    if ends is None:
        return names
    if ends[0] < 0 or ends[-1] != len(names) or (ends[1:] < ends[:-1]).any():
        raise FormatError("node_name_ends.npy is damaged: the names do not end where they should")
    packed, start = names.tobytes(), 0
    out = np.empty(len(ends), dtype=object)
    for i, end in enumerate(ends.tolist()):
        try:
            out[i] = packed[start:end].decode("utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            raise FormatError(
                f"node_names.npy is damaged: the name of node {i} is not UTF-8 ({error.reason})"
            ) from None
        start = end
    return out
