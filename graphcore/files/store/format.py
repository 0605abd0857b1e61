"""The format of a graph on disk: a folder of ``.npy`` arrays, with ``meta.json`` for their counts and checksums.

A record beside them may identify the files that graphcore has written or verified on this disk.
"""

import json
import os
import stat
import zlib
from dataclasses import asdict, dataclass, field

import numpy as np

from ...base.types import PathLike
from ...exceptions import FormatError
from ...graphs.ids import id_dtype
from ..atomic import naming_file, to_disk

FORMAT = "graphcore graph"
VERSION = 1
META, RECORD = "meta.json", "verified.json"
# The ending of stores; earlier versions wrote .graph, which is the ending of METIS's and WebGraph's files as well.
SUFFIX, SUFFIXES = ".store", (".store", ".graph")
# A graph of up to this number of bytes is verified whenever it is opened, in less than a second.
CHECKED = 1 << 26
_LARGEST = 1 << 16  # bytes of either JSON file
# The arrays that are cut into parts.
PARTED = {"indices", "weights"}


@dataclass(frozen=True)
class ArrayFacts:
    """Type, length, and the CRC-32 of an array's data (not of its header)."""

    dtype: str
    length: int
    crc32: int


@dataclass(frozen=True)
class Meta:
    """Counts of a stored graph, the facts of each of its arrays, and the first rows of its parts, if it is in parts."""

    n_nodes: int
    n_entries: int
    n_self_loops: int
    n_isolated: int
    arrays: dict = field(default_factory=dict)
    parts: list = field(default_factory=list)

    @property
    def nbytes(self):
        """Bytes of all arrays."""
        return sum(facts.length * np.dtype(facts.dtype).itemsize for facts in self.arrays.values())


def array_path(folder, name):
    """Return the path of an array."""
    return os.path.join(folder, f"{name}.npy")


def part_path(folder, part, name):
    """Return the path of a part of one of the PARTED arrays, a file of bytes without a header."""
    return os.path.join(folder, f"part-{part}", f"{name}.bin")


def checksum(piece, value=0):
    """Return the CRC-32 of an array's bytes, continued from the checksum `value` of the bytes before."""
    return zlib.crc32(np.ascontiguousarray(piece).view(np.uint8).data, value)


def is_store(path: PathLike) -> bool:
    """Return whether `path` is a folder with a ``meta.json``."""
    return os.path.isfile(os.path.join(path, META))


def looks_like_store(path: PathLike) -> bool:
    """Return whether `path` is a folder that holds a graph, or has the ending of stores."""
    return os.path.isdir(path) and (is_store(path) or os.fspath(path).endswith(SUFFIXES))


def files_of(meta):
    """Return the names of the files of a store."""
    if not meta.parts:
        return [META, *(f"{name}.npy" for name in meta.arrays)]
    cut = [part_path("", p, name) for p in range(len(meta.parts)) for name in meta.arrays if name in PARTED]
    return [META, *(f"{name}.npy" for name in meta.arrays if name not in PARTED), *cut]


def require_file(path):
    """Raise a ValueError if there is something else than a file, such as a pipe, whose reader would wait."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise ValueError("it is no file")


def write_meta(folder, meta):
    """Write ``meta.json`` and flush it to the disk, after all arrays; record a graph too large to verify at opening."""
    facts = {"format": FORMAT, "version": VERSION, **asdict(meta)}
    if not meta.parts:
        del facts["parts"]
    facts["crc32"] = _own_checksum(facts)
    write_json(os.path.join(folder, META), facts)
    if meta.nbytes > CHECKED:
        note(folder, state_of(folder, files_of(meta)))


def read_meta(folder):
    """Read and check ``meta.json``; raise a FormatError if it is damaged or of another version."""
    path = os.path.join(folder, META)
    try:
        require_file(path)
        with naming_file(path), open(path, "rb") as stream:
            text = stream.read(_LARGEST + 1)
        if len(text) > _LARGEST:
            raise ValueError(f"it is longer than {_LARGEST} bytes")
        facts = json.loads(text)
        fits = isinstance(facts, dict) and facts.pop("crc32", None) == _own_checksum(facts)
    except FileNotFoundError:
        raise FormatError(f"this folder is no graph: it has no {META}") from None
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{META} is damaged: {error}") from None
    if not isinstance(facts, dict) or facts.get("format") != FORMAT:
        raise FormatError(f"{META} does not describe a graph")
    if facts.get("version") != VERSION:
        version = repr(facts.get("version"))[:40]
        raise FormatError(f"the format's version is {version}; this graphcore reads version {VERSION}")
    if not fits:
        raise FormatError(f"{META} is damaged: its checksum does not fit")
    try:
        meta = Meta(
            *(facts[name] for name in ("n_nodes", "n_entries", "n_self_loops", "n_isolated")),
            arrays={name: ArrayFacts(**array) for name, array in facts["arrays"].items()},
            parts=facts.get("parts", []),
        )
        _check(meta)
    except (KeyError, TypeError, AttributeError, ValueError, SyntaxError) as error:
        raise FormatError(f"{META} does not describe a graph: {repr(error)[:200]}") from None
    return meta


def _own_checksum(facts):
    return zlib.crc32(json.dumps(facts, sort_keys=True).encode())


def _check(meta):
    """Raise a ValueError if the counts are inconsistent."""
    n, n_entries, arrays, parts = meta.n_nodes, meta.n_entries, meta.arrays, meta.parts
    counts = [n, n_entries, meta.n_self_loops, meta.n_isolated]
    counts += [count for facts in arrays.values() for count in (facts.length, facts.crc32)]
    if not all(type(count) is int and 0 <= count < 2**62 for count in counts):
        raise ValueError("a count is no number that a graph can have")
    whole = all(type(first) is int for first in parts)
    if parts and not (whole and parts == sorted(set(parts)) and parts[0] == 0 and parts[-1] < n):
        raise ValueError("its parts are no rows that a graph can have")
    # Length and types of each array; None allows any.
    known = {
        "indptr": (n + 1, ["<i8"]), "indices": (n_entries, [id_dtype(n).str]), "weights": (n_entries, ["<f4", "<f8"]),
        "degrees": (n, ["<f8"]), "node_names": (n, None),
    }  # fmt: skip
    if "node_name_ends" in arrays:
        known |= {"node_names": (None, ["|u1"]), "node_name_ends": (n, ["<i8"])}
    needed = {"indptr", "indices", "degrees"} | ({"node_names"} if "node_name_ends" in arrays else set())
    if needed - set(arrays) or set(arrays) - set(known) or n < 1:
        raise ValueError(f"arrays {sorted(arrays)} for {n} nodes")
    for name, facts in arrays.items():
        (length, types), found = known[name], np.dtype(facts.dtype)
        if length not in (None, facts.length):
            raise ValueError(f"{name} has length {facts.length}, not {length}")
        if found.kind not in "biufcUSMm" or not found.itemsize or (types is not None and facts.dtype not in types):
            raise ValueError(f"{name} has type {str(facts.dtype)[:40]}")


def note(folder, state):
    """Record in a folder the state of its files, found by :func:`state_of` before they were verified."""
    write_json(os.path.join(folder, RECORD), state)


def write_json(path, facts):
    """Write facts to a JSON file atomically, flushed to the disk."""
    with open(f"{path}.new", "w", encoding="ascii") as stream:
        json.dump(facts, stream, indent=1)
        to_disk(stream)
    os.replace(f"{path}.new", path)


def is_noted(folder, names):
    """Return whether the files are as recorded: not written to, replaced, copied or unpacked since."""
    path = os.path.join(folder, RECORD)
    try:
        if not os.path.isfile(path) or os.path.getsize(path) > _LARGEST:
            return False
        with open(path, "rb") as stream:
            return json.loads(stream.read()) == state_of(folder, names)
    except (FileNotFoundError, ValueError, RecursionError):
        return False


def state_of(folder, names):
    """Return size, times of change and inode number of each file."""
    # No program can set the time of a change of status (ctime), nor know the inode number of a file in advance, so a
    # folder from elsewhere cannot have a matching record.
    found = {name: os.stat(os.path.join(folder, name)) for name in names}
    return {name: [s.st_size, s.st_mtime_ns, s.st_ctime_ns, s.st_ino] for name, s in found.items()}
