"""What a graph on disk is: a folder of ``.npy`` arrays, and ``meta.json`` that counts and checks them."""

import json
import os
import zlib
from dataclasses import asdict, dataclass, field

import numpy as np

from ..exceptions import FormatError
from ..graphs.ids import id_dtype

__all__ = [
    "ARRAYS", "META", "SUFFIX", "VERSION", "ArrayFacts", "Meta", "array_path", "checksum", "is_store",
    "looks_like_store", "read_meta", "write_meta",
]  # fmt: skip

FORMAT = "graphcore graph"
VERSION = 1
META = "meta.json"
SUFFIX = ".graph"
# In the order in which they are written. Names of fixed width are one array, others their UTF-8 bytes and their ends.
ARRAYS = ("indptr", "indices", "weights", "degrees", "node_names", "node_name_ends")


@dataclass(frozen=True)
class ArrayFacts:
    """Type, length, and the CRC-32 of an array's data (not of its header)."""

    dtype: str
    length: int
    crc32: int


@dataclass(frozen=True)
class Meta:
    """Counts of a stored graph, and the facts of each of its arrays."""

    n_nodes: int
    n_entries: int
    n_self_loops: int
    n_isolated: int
    arrays: dict = field(default_factory=dict)


def array_path(folder, name):
    """Path of one of the ARRAYS."""
    return os.path.join(folder, f"{name}.npy")


def checksum(piece, value=0):
    """CRC-32 of an array's bytes, going on from the checksum of what stands before."""
    return zlib.crc32(np.ascontiguousarray(piece).view(np.uint8).data, value)


def is_store(path):
    """Whether `path` is a folder that says it holds a graph."""
    return os.path.isfile(os.path.join(path, META))


def looks_like_store(path):
    """Whether `path` is a folder that holds a graph, or by its name should."""
    return os.path.isdir(path) and (is_store(path) or os.fspath(path).endswith(SUFFIX))


def write_meta(folder, meta):
    """Write ``meta.json`` and flush it to the disk."""
    facts = {"format": FORMAT, "version": VERSION, **asdict(meta)}
    facts["crc32"] = _own_checksum(facts)
    with open(os.path.join(folder, META), "w", encoding="ascii") as stream:
        json.dump(facts, stream, indent=1)
        stream.write("\n")
        stream.flush()
        os.fsync(stream.fileno())


def read_meta(folder):
    """Read and check ``meta.json``; raises FormatError if it is not whole or of another version."""
    try:
        with open(os.path.join(folder, META), "rb") as stream:
            facts = json.loads(stream.read())
    except FileNotFoundError:
        raise FormatError(f"this folder is no graph: it has no {META}") from None
    except ValueError as error:
        raise FormatError(f"{META} is damaged: {error}") from None
    if not isinstance(facts, dict) or facts.get("format") != FORMAT:
        raise FormatError(f"{META} does not describe a graph")
    if facts.get("version") != VERSION:
        raise FormatError(f"the format's version is {facts.get('version')!r}; this graphcore reads version {VERSION}")
    given = facts.pop("crc32", None)
    if given != _own_checksum(facts):
        raise FormatError(f"{META} is damaged: its checksum does not fit")
    try:
        meta = Meta(
            *(facts[name] for name in ("n_nodes", "n_entries", "n_self_loops", "n_isolated")),
            arrays={name: ArrayFacts(**array) for name, array in facts["arrays"].items()},
        )
        _check(meta)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise FormatError(f"{META} does not describe a graph: {error!r}") from None
    return meta


def _own_checksum(facts):
    return zlib.crc32(json.dumps(facts, sort_keys=True).encode())


def _check(meta):
    """Raise a ValueError if the counts do not go together."""
    n, n_entries = meta.n_nodes, meta.n_entries
    lengths = {"indptr": n + 1, "indices": n_entries, "weights": n_entries, "degrees": n}
    missing = {"indptr", "indices", "degrees"} - set(meta.arrays)
    unknown = set(meta.arrays) - set(ARRAYS)
    if missing or unknown or meta.n_nodes < 1:
        raise ValueError(f"arrays {sorted(meta.arrays)} for {meta.n_nodes} nodes")
    for name, length in lengths.items():
        if name in meta.arrays and meta.arrays[name].length != length:
            raise ValueError(f"{name} has length {meta.arrays[name].length}, not {length}")
    kinds = {"indptr": ["<i8"], "indices": [id_dtype(meta.n_nodes).str], "degrees": ["<f8"], "weights": ["<f4", "<f8"]}
    for name, allowed in kinds.items():
        if name in meta.arrays and meta.arrays[name].dtype not in allowed:
            raise ValueError(f"{name} has type {meta.arrays[name].dtype}")
    packed = "node_name_ends" in meta.arrays
    names = meta.arrays.get("node_name_ends" if packed else "node_names")
    if names is not None and names.length != meta.n_nodes:
        raise ValueError(f"{names.length} names for {meta.n_nodes} nodes")
    if packed and "node_names" not in meta.arrays:
        raise ValueError("ends of names without names")
