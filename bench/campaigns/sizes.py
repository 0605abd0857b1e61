"""Files whose stated sizes are lies: no reader takes memory for a number that nothing in the file stands for."""

import contextlib
import gzip
import io
import lzma
import shutil
import struct
import zlib
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np

import graphcore
from graphcore import Graph
from graphcore.cli.vectors import read_vectors
from graphcore.files import read_labels, read_nodes

from .harness import Campaign, Failure
from .lies import EDGES, KINDS, N, Prepared, lie, npy, webgraph
from .readers import judged

# Bytes that a reader may take beyond 100 times the file: files that stay small are read whatever their ratio.
CONSTANT = 256 << 20
RATIO = 100


def _bomb(rng, folder, _):
    """Write a file whose few bytes stand for many, which may state far more rows and columns still."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    n = int(rng.choice([1 << 16, 1 << 20, 3 << 19]))
    kind = rng.integers(7)
    path = folder / ("x.npz", "x.npy.gz", "x.parquet", "x.txt.xz", "x.npz", "x.npz", "x.tsv.gz")[kind]
    if kind == 0:
        np.savez_compressed(path, *[np.zeros((n, 1))] * int(rng.integers(1, 30)))
    elif kind == 1:
        path.write_bytes(gzip.compress(npy(f"({n}, 4)", content=bytes(n * 32)), 1))
    elif kind == 2:
        column = np.zeros(n, np.int64) if rng.random() < 0.5 else np.array(["x" * 40] * (n >> 4))
        table = dict.fromkeys("abcd", column)
        pq.write_table(pa.table(table), path, compression="zstd", row_group_size=int(rng.choice([1 << 12, 1 << 22])))
    elif kind == 3:
        path.write_bytes(lzma.compress(b"0 1\n" * n, preset=0))
    elif kind == 4:  # entries that cost nothing
        shape = [lie(rng, 12) % 2**62, lie(rng, 12) % 2**62]
        shape[1] = shape[0] if rng.random() < 0.5 else shape[1]
        none = np.zeros(n >> 2, np.int8)
        np.savez_compressed(path, row=none, col=none, data=none, shape=np.array(shape), format=b"coo")
    elif kind == 5:  # rows that cost nothing
        shape, none = np.array([n, [n, 2, 2**31 - 1][rng.integers(3)]]), np.zeros(0)
        indptr = np.zeros(n + 1, np.int32)
        np.savez_compressed(path, indptr=indptr, indices=none.astype(int), data=none, shape=shape, format=b"csr")
    else:
        head = f"# graphcore edge list; nodes: {lie(rng, n)}; ids: integer; weights: no\n".encode()
        path.write_bytes(gzip.compress(head + b"0\t1\n" * n, 9))
    return path


def _compressed(rng, path):
    """Compress a file, with lies in the frame: sizes in its header and trailer, or of a dictionary."""
    data, kind = path.read_bytes(), ["gz", "xz", "zst", "lzma"][rng.integers(4)]
    if kind == "gz":
        data = bytearray(gzip.compress(data, 1))
        struct.pack_into("<I", data, len(data) - 4, lie(rng, len(data)) & 0xFFFFFFFF)
    elif kind == "xz":
        data = bytearray(lzma.compress(data, preset=0))
        # Size of the block's header, flags, the filter LZMA2, one byte of properties: the exponent of its dictionary.
        data[16], length = int(rng.integers(0, 41)), 4 * (data[12] + 1)
        struct.pack_into("<I", data, 12 + length - 4, zlib.crc32(data[12 : 12 + length - 4]))
    elif kind == "zst":
        # A frame of one raw block, which states a window and any size of its content.
        size, window = lie(rng, len(data)) & (2**64 - 1), int(rng.integers(256))
        block = struct.pack("<I", (len(data) << 3) | 1)[:3] + data
        data = (
            b"\x28\xb5\x2f\xfd" + bytes([0xC0, window]) + struct.pack("<Q", size) + block
            if len(data) < 1 << 17
            else data
        )
    else:
        data = lzma.compress(data, lzma.FORMAT_ALONE)
        data = (
            data[:1] + struct.pack("<IQ", lie(rng, 1 << 16) & 0xFFFFFFFF, lie(rng, len(data)) & (2**64 - 1)) + data[13:]
        )
    target = path.with_name(f"{path.name}.{kind}")
    target.write_bytes(data)
    path.unlink()
    return target


def prepare():
    """Prepare sound tables and stores, and have every reader loaded and its loops compiled."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder, rng = Path(mkdtemp(prefix="sizes-")), np.random.default_rng(0)
    graph, names = Graph.from_edges(*np.array(EDGES).T), [f"{i} {'ö' * 40}{'x' * 30}" for i in range(N)]
    graphcore.write_graph(graph, folder / "plain.store")
    graphcore.write_graph(
        Graph.from_edges(*np.array(EDGES).T, np.arange(1.0, 13), node_names=names), folder / "named.store"
    )
    n = 3001
    ends = rng.integers(0, 900, (2, n))
    tables = {
        "edges": {"source": ends[0], "target": ends[1]},
        "weighted": {"a": ends[0].astype(str), "b": ends[1].astype(str), "weight": rng.random(n)},
        "vectors": {f"x{i}": rng.random(n) for i in range(3)}, "lists": {"v": [[1.0, 2.0]] * n},
    }  # fmt: skip
    files = {}
    for i, (name, table) in enumerate(tables.items()):
        stream = io.BytesIO()
        pq.write_table(pa.table(table), stream, compression=("none", "snappy", "zstd", "gzip")[i])
        files[name] = stream.getvalue()
    prepared, place = Prepared(folder, files), folder / "warm"
    for i, make in enumerate(KINDS):
        for turn in range(3):
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir()
            path = make(np.random.default_rng([i, turn]), place, prepared)
            for read in READERS.values():
                with contextlib.suppress(Exception):
                    judged(lambda read=read, path=path: read(str(path), place), str(path), rng, place)
    return prepared


def _build(path, folder):
    return graphcore.build_store(path, folder / "built.store", memory="64M")


READERS: dict[str, Any] = {
    "read_graph": lambda path, _: graphcore.read_graph(path), "read_vectors": lambda path, _: read_vectors(path),
    "read_nodes": lambda path, _: read_nodes(path), "read_labels": lambda path, _: read_labels(path),
    "load": lambda path, _: graphcore.load(path), "open_graph": lambda path, _: graphcore.open_graph(path),
    "build_store": _build,
}  # fmt: skip


def case(given):
    """Read a file that lies about its sizes, by every reader."""
    rng, folder = given.rng, given.folder
    make = _bomb if rng.random() < 0.05 else KINDS[rng.integers(len(KINDS))]
    path = make(rng, folder, given.prepared)
    if path.is_file() and make not in (webgraph, _bomb) and rng.random() < 0.2:
        path = _compressed(rng, path)
    names = ("read_graph", "open_graph") if path.is_dir() else READERS
    outcomes = {name: _measured(name, path, rng, folder) for name in names}
    return "accepted" if "accepted" in outcomes.values() else "refused"


def _measured(name, path, rng, folder):
    read = READERS[name]
    files = path.parent.rglob("*") if path.is_dir() else path.parent.glob(f"{path.stem}*")
    size = sum(file.stat().st_size for file in files if file.is_file() and "built" not in str(file))
    before = _resident(afresh=True)

    def reading():
        try:
            return read(str(path), folder)
        finally:
            grown = _resident() - before
            if grown > RATIO * size + CONSTANT:
                raise Failure(f"memory of {name}", f"{grown >> 20} MiB for {size} bytes")

    outcome = judged(reading, str(path), rng, folder)
    shutil.rmtree(folder / "built.store", ignore_errors=True)
    return outcome


def _resident(afresh=False):
    """Return the most bytes in memory so far; `afresh` begins anew with those that there are."""
    if afresh:
        with contextlib.suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5")
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM"))


CAMPAIGN = Campaign(
    "a file of any format that lies about its sizes (in headers, shapes, footers, properties, descriptions, frames of "
    "compression), read by every reader in a process with little memory: a sound result or one line of error, and no "
    "memory beyond 100 times the file",
    case,
    prepare,
    seconds=60.0,
    megabytes=768,
    short=100,
)
