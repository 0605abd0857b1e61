"""The format of a graph on disk: a folder of ``.npy`` arrays, with ``meta.json`` for their counts and checksums.

Arrays are written in pieces, and opened as read-only memory maps.
"""

import json
import os
import zlib
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field

import numpy as np
from numpy.lib import format as npy

from ...base.types import PathLike
from ...base.validation import read_only
from ...exceptions import FormatError
from ...graphs._loops import row_sums
from ...graphs.from_edges import FIXED_WIDTH
from ...graphs.numbering import Text, text_of
from ...graphs.rows import check_volume
from ..atomic import is_store, naming_file, to_disk
from ..source import refusing

FORMAT = "graphcore graph"
VERSION = 1
META, SUFFIX = "meta.json", ".store"
_LARGEST = 1 << 16  # bytes of meta.json
# Values, and rows, that are written at once.
_PIECE = 1 << 22
_ROWS = 1 << 20


@dataclass(frozen=True)
class Meta:
    """Counts of a stored graph, and the CRC-32 of each of its arrays (of the data, not of the header)."""

    n_nodes: int
    n_entries: int
    n_self_loops: int
    n_isolated: int
    checksums: dict[str, int] = field(default_factory=dict)


def looks_like_store(path: PathLike) -> bool:
    """Return whether `path` is a folder that holds a graph, or has the ending of stores."""
    return os.path.isdir(path) and (is_store(path) or os.fspath(path).endswith(SUFFIX))


def array_path(folder, name):
    """Return the path of an array."""
    return os.path.join(folder, f"{name}.npy")


def checksum(piece, value=0):
    """Return the CRC-32 of an array's bytes, continued from the checksum `value` of the bytes before."""
    return zlib.crc32(np.ascontiguousarray(piece).view(np.uint8).data, value)


# -- meta.json ---------------------------------------------------------------------------------------------------------


def write_meta(folder, meta):
    """Write ``meta.json`` and flush it to the disk, after all arrays."""
    facts = {"format": FORMAT, "version": VERSION, **asdict(meta)}
    with open(os.path.join(folder, META), "w", encoding="ascii") as stream:
        json.dump(facts, stream, indent=1)
        to_disk(stream)


def read_meta(folder):
    """Read and check ``meta.json``; raise a FormatError if it is damaged or of another version."""
    path = os.path.join(folder, META)
    try:
        with naming_file(path), open(path, "rb") as stream:
            facts = json.loads(stream.read(_LARGEST))
    except FileNotFoundError:
        raise FormatError(f"this folder is no graph: it has no {META}") from None
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{META} is damaged: {error}") from None
    if not isinstance(facts, dict) or facts.get("format") != FORMAT:
        raise FormatError(f"{META} does not describe a graph")
    if facts.get("version") != VERSION:
        version = repr(facts.get("version"))[:40]
        raise FormatError(f"the format's version is {version}; this graphcore reads version {VERSION}")
    try:
        meta = Meta(**{name: facts[name] for name in Meta.__dataclass_fields__})
        counts = [meta.n_nodes - 1, meta.n_entries, meta.n_self_loops, meta.n_isolated, *meta.checksums.values()]
        if not all(type(count) is int and 0 <= count < 2**62 for count in counts):
            raise ValueError("a count is no number that a graph can have")
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise FormatError(f"{META} does not describe a graph: {repr(error)[:200]}") from None
    return meta


# -- arrays ------------------------------------------------------------------------------------------------------------


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
        """Write the header anew with the length, flush the file to the disk, and return the checksum."""
        self._write_header()
        to_disk(self._stream)
        return self.crc32

    def _write_header(self):
        # numpy pads headers so that a length of any number of digits fits in the same space.
        self._stream.seek(0)
        facts = {"descr": npy.dtype_to_descr(self.dtype), "fortran_order": False, "shape": (self.length,)}
        npy.write_array_header_1_0(self._stream, facts)


def write_array(folder, name, dtype, pieces):
    """Write an array that comes in pieces, and return its checksum."""
    with ExitStack() as stack:
        writer = ArrayWriter(stack, folder, name, dtype)
        for piece in pieces:
            writer.append(piece)
        return writer.finish()


class RowWriter:
    """Writer of indptr, indices, weights (unless `weight_dtype` is None) and degrees of rows in ascending order."""

    def __init__(self, stack, folder, n_nodes, weight_dtype):
        self._row, self.n_isolated, self.all_ones = 0, 0, True
        kinds = {"indptr": np.int64, "indices": np.int32, "degrees": np.float64}
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
                check_volume(degrees)
            self.n_isolated += int(np.count_nonzero(degrees == 0))
            self._writers["degrees"].append(degrees)
            self._writers["indptr"].append(ends + before)
            start = ends[-1]
        self._row = last

    @property
    def n_entries(self):
        """Number of entries written so far."""
        return self._writers["indices"].length

    def finish(self):
        """Return the checksums of all arrays."""
        return {name: writer.finish() for name, writer in self._writers.items()}


def map_arrays(folder, meta):
    """Open all arrays as read-only memory maps, after checking their types and lengths."""
    n, n_entries = meta.n_nodes, meta.n_entries
    # Length and types of each array; None allows any.
    wanted = {
        "indptr": (n + 1, ["<i8"]), "indices": (n_entries, ["<i4"]), "degrees": (n, ["<f8"]),
        "weights": (n_entries, ["<f4", "<f8"]), "node_names": (n, None),
    }  # fmt: skip
    if "node_name_ends" in meta.checksums:
        wanted |= {"node_names": (None, ["|u1"]), "node_name_ends": (n, ["<i8"])}
    arrays = {}
    for name in dict.fromkeys(["indptr", "indices", "degrees", *meta.checksums]):
        path = array_path(folder, name)
        try:
            with naming_file(path), refusing(f"{name}.npy is damaged"):
                array = np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
        except FileNotFoundError:
            raise FormatError(f"{name}.npy is missing") from None
        length, types = wanted.get(name, (0, []))
        if (
            array.ndim != 1
            or len(array) != (len(array) if length is None else length)
            or array.dtype.kind not in "biufcUSMm"
            or (types is not None and array.dtype.str not in types)
        ):
            raise FormatError(
                f"{name}.npy holds {array.dtype.str[:40]} of shape {str(array.shape)[:80]}: it is of another graph"
            )
        arrays[name] = array
    return arrays


def names_as_arrays(names):
    """Return {"node_names": ...} of fixed width, or the UTF-8 bytes of all names with "node_name_ends".

    Names that are neither numbers nor text become text, because objects could only be pickled.
    """
    if names.dtype.kind != "O":
        return {"node_names": names}
    names = [str(name) for name in names.tolist()]
    if max(map(len, names)) <= FIXED_WIDTH:
        return {"node_names": np.array(names)}
    text = text_of(names)
    return {"node_names": text.data, "node_name_ends": text.stops}


def names_from_arrays(names, ends):
    """Return the array of names: mapped as it is, or unpacked into an array of strings if there are `ends`."""
    if ends is None:
        return names
    if ends[0] < 0 or ends[-1] != len(names) or (ends[1:] < ends[:-1]).any():
        raise FormatError("node_name_ends.npy is damaged: the names do not end where they should")
    try:
        names = Text(names, np.append(0, ends[:-1]), ends).tolist()
    except UnicodeDecodeError as error:
        raise FormatError(f"node_names.npy is damaged: a name is not UTF-8 ({error.reason})") from None
    return np.array(names, dtype=object)
