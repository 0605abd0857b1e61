"""Files that lie about their sizes, in every format: each function writes one, with random lies."""

import contextlib
import io
import json
import shutil
import struct
import zipfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from graphcore.files.store import format as layout
from tests.files.bvgraphs import graph_files, write_files

from .models import sound

__all__ = ["EDGES", "KINDS", "N", "Prepared", "lie", "npy", "webgraph"]

N, EDGES = 12, [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7), (7, 8), (8, 9), (9, 10), (10, 11)]
# Numbers in text are between braces; each may be a lie.
TEXTS = (
    (".mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n{12} {12} {12}\n", "{b} {a}\n"),
    (".mtx", "%%MatrixMarket matrix coordinate real general\n{12} {12} {12}\n", "{b} {a} 2.5\n"),
    (".mtx", "%%MatrixMarket matrix array real general\n{4} {3}\n", "1\n"),
    (".mtx", "%%MatrixMarket matrix array integer symmetric\n{4} {4}\n", "1\n"),
    (".graph", "{12} {12}\n2 3\n1 3\n1 2 4\n3 5\n4 6\n5 7\n6 8\n7 9\n8 10\n9 11\n10 12\n11\n", ""),
    (".metis", "{3} {2} {11} {2}\n1 1 2 5\n1 1 1 5 3 6\n1 1 2 6\n", ""),
    (".gr", "c a\np sp {12} {12}\n", "a {b} {a} 3\n"),
    (".col", "p edge {12} {12}\n", "e {b} {a}\n"),
    (".net", "*Vertices {12}\n*Edges\n", "{b} {a}\n"),
    (".net", "*Vertices {12} {5}\n1 \"a\"\n{12} \"b\"\n*Arcs\n", "{b} {a} 2\n"),
    (".net", "*Vertices {3}\n*Matrix\n0 1 1\n1 0 1\n1 1 0\n", ""),
    (".tsv", "# graphcore edge list; nodes: {12}; ids: integer; weights: no\n", "{a}\t{b}\n"),
    (".csv", "# graphcore edge list; nodes: {12}; ids: integer; weights: yes\n", "{a},{b},2\n"),
    (".txt", "% sym unweighted\n% {12} {12} {12}\n", "{b} {a}\n"),
    (".txt", "# Nodes: {12} Edges: {12}\n# FromNodeId\tToNodeId\n", "{a}\t{b}\n"),
    (".tsv", "# Nodes: {12}\n", "{a}\tname\n"),
    (".txt", "{12} {2}\n", "w{a} 0.5 1.5\n"),
    (".gml", "graph [ node_count {12}\nnode [ id {0} ] node [ id {1} ] edge [ source {0} target {1} ] ]", ""),
    (".graphml", '<graphml><graph parse.nodes="{2}" parse.edges="{1}" edgedefault="undirected"><node id="{0}"/>'
     '<node id="{1}"/><edge source="{0}" target="{1}"/></graph></graphml>', ""),
    (".gexf", '<gexf><graph><nodes count="{2}"><node id="{0}"/><node id="{1}"/></nodes>'
     '<edges count="{1}"><edge id="0" source="{0}" target="{1}"/></edges></graph></gexf>', ""),
)  # fmt: skip


class Prepared(NamedTuple):
    """Sound files, of which lying ones are made."""

    folder: Path  # sound stores in it
    parquet: dict[str, bytes]


def lie(rng, said):
    """Return another number than is said: near it, negative, or of any size."""
    most = (2**20, 2**20 + 1, 2**24, 10**8, 2**31 - 1, 2**31, 2**32, 2**40, 2**62, 2**63 - 1, 2**63, 2**64, 10**30)
    near = (said + 1, said - 1, 2 * said, 0, -1, -said, said + 1000)
    return int(near[rng.integers(len(near))] if rng.random() < 0.35 else most[rng.integers(len(most))])


def _text(rng, folder, _):
    """Write a text whose header lies, and perhaps its numbers of nodes."""
    suffix, head, line = TEXTS[rng.integers(len(TEXTS))]
    body = "".join(line.replace("{a}", str(a + 1)).replace("{b}", str(b + 1)) for a, b in EDGES)
    pieces = head.split("{")
    chosen = rng.integers(1, len(pieces))
    text = pieces[0]
    for i, piece in enumerate(pieces[1:], 1):
        said, _, rest = piece.partition("}")
        is_lie = i == chosen or rng.random() < 0.3
        text += f"{lie(rng, int(said)) if is_lie else said}{rest}"
    path = folder / f"x{suffix}"
    path.write_text(text + body)
    return path


def npy(shape, dtype="<f8", fortran=False, content=b""):
    """Return a .npy file with any shape in its header."""
    dtype = np.dtype(dtype).str if not isinstance(dtype, str) or dtype[0] not in "<>|" else dtype
    text = f"{{'descr': '{dtype}', 'fortran_order': {fortran}, 'shape': {shape}, }}"
    text = text.ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + content


def _lying(rng, array):
    """Return the .npy file of an array, with a lie about its shape or type."""
    shape, dtype = list(array.shape), array.dtype.str
    if shape and rng.random() < 0.85:
        at = rng.integers(len(shape))
        shape[at] = lie(rng, shape[at])
    if rng.random() < 0.3:
        dtype = ("<U99999999", "|S2147483647", "|V8", "<c16", "|b1", "|u1", "<f2", "|S0", "<U0")[rng.integers(9)]
    if rng.random() < 0.15:
        shape = [shape, [], [0, 2**62], [2**32, 2**32], [1] * 40][rng.integers(5)]
    shown = f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
    return npy(shown, dtype, bool(rng.random() < 0.2), np.ascontiguousarray(array).tobytes())


def _array(rng, folder, _):
    array = rng.random((8, 3)) if rng.random() < 0.5 else rng.integers(0, 3, N).astype(rng.choice(["i1", "<i8", ">u4"]))
    path = folder / "x.npy"
    path.write_bytes(_lying(rng, array))
    return path


def _archive(rng, folder, _):
    """Write a matrix of any of scipy's formats, or plain rows, with lies in its arrays or about them."""
    A = np.zeros((N, N))
    A[tuple(zip(*EDGES, strict=True))] = 1.5
    form = ["csr", "csc", "coo", "dia", "bsr", "rows", "array", "coords"][rng.integers(8)]
    path, S = folder / "x.npz", sp.csr_array(A + A.T)
    if form == "rows":
        arrays = {"indptr": S.indptr, "indices": S.indices, "weights": S.data}
    elif form == "array":
        arrays = {"arr_0": A}
    else:
        stream = io.BytesIO()
        sp.save_npz(stream, S.asformat("coo" if form == "coords" else form), compressed=False)
        with np.load(io.BytesIO(stream.getvalue())) as found:
            arrays = dict(found)
        if form == "coords" and "row" in arrays:
            arrays["coords"] = np.stack([arrays.pop("row"), arrays.pop("col")])
    _lie_within(rng, arrays, ["shape", "shape", *arrays])
    return _zipped(rng, path, arrays)


def _lie_within(rng, arrays, names):
    """Put lies into integers of some of the named arrays."""
    for name in rng.choice(names, int(rng.integers(0, 3))):
        array = arrays.get(name)
        if array is not None and array.dtype.kind in "iu" and array.size:
            array = array.astype(np.int64)
            at = slice(None) if name == "shape" and rng.random() < 0.4 else rng.integers(array.size)
            array.flat[at] = np.clip(float(lie(rng, int(array.flat[0]))), -(2.0**63), 2.0**62)
            arrays[name] = array


def _zipped(rng, path, arrays):
    """Write an archive in which one array, or the archive itself, lies about sizes with some probability."""
    liar = list(arrays)[rng.integers(len(arrays))] if rng.random() < 0.4 else None
    kinds = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    with zipfile.ZipFile(path, "w", kinds[rng.integers(4)]) as archive:
        for name, array in arrays.items():
            stream = io.BytesIO()
            np.save(stream, array)
            archive.writestr(f"{name}.npy", _lying(rng, array) if name == liar else stream.getvalue())
    if rng.random() < 0.3:
        data = bytearray(path.read_bytes())
        # Sizes are at 18 and 22 of a local header, and at 20 and 24 of an entry of the directory.
        places = [at + shift for mark, first in ((b"PK\3\4", 18), (b"PK\1\2", 20)) for at in _found(data, mark)
                  for shift in (first, first + 4)]  # fmt: skip
        for at in rng.choice(places, min(len(places), int(rng.integers(1, 3)))):
            said = struct.unpack_from("<I", data, at)[0]
            struct.pack_into("<I", data, at, lie(rng, said) & 0xFFFFFFFF)
        path.write_bytes(data)
    return path


def _found(data, mark):
    at, places = data.find(mark), []
    while at >= 0:
        places.append(at)
        at = data.find(mark, at + 1)
    return places


def _varint(number):
    """Return a number as Thrift writes it."""
    number, out = 2 * number if number >= 0 else -2 * number - 1, bytearray()
    number &= 2**64 - 1
    while number >= 128:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def _parquet(rng, folder, prepared):
    """Write a table whose footer or pages lie about rows, values, bytes and places."""
    import pyarrow.parquet as pq

    path = folder / "x.parquet"
    data = prepared.parquet[list(prepared.parquet)[rng.integers(len(prepared.parquet))]]
    path.write_bytes(data)
    start = len(data) - 8 - struct.unpack("<I", data[-8:-4])[0]
    body, footer = data[:start], data[start:-8]
    facts = pq.ParquetFile(path).metadata.to_dict()
    column = facts["row_groups"][0]["columns"][rng.integers(len(facts["row_groups"][0]["columns"]))]
    numbers = [facts["num_rows"], column["num_values"], column["total_compressed_size"], column["data_page_offset"],
               column["total_uncompressed_size"], facts["row_groups"][0]["total_byte_size"]]  # fmt: skip
    for _ in range(int(rng.integers(1, 3))):
        said = numbers[rng.integers(len(numbers))]
        old, new = _varint(said), _varint(min(max(lie(rng, said), -(2**63)), 2**63 - 1))
        places = _found(footer, old)
        if places and rng.random() < 0.7:
            at = places[rng.integers(len(places))]
            footer = footer[:at] + new + footer[at + len(old) :]
        elif places := _found(body[: 1 << 16], old):  # in pages a number takes the same bytes, or all moves
            at = places[rng.integers(len(places))]
            new = _varint(int(rng.integers(1 << (7 * len(old) - 2), 1 << (7 * len(old) - 1))))
            body = body[:at] + new[: len(old)] + body[at + len(old) :]
    path.write_bytes(body + footer + struct.pack("<I", len(footer)) + b"PAR1")
    return path


def webgraph(rng, folder, _):
    """Write a BVGraph whose properties lie, with its offsets or without."""
    lists = [sorted({b for a, b in EDGES if a == x} | {a for a, b in EDGES if b == x}) for x in range(N)]
    graph, said, offsets = graph_files(lists)
    lines = said.decode("latin-1").splitlines()
    kept = [line for line in lines if line.partition("=")[2].isdigit()]
    for line in rng.choice(kept, int(rng.integers(1, 3)), replace=False).tolist():
        key, _, number = line.partition("=")
        lines[lines.index(line)] = f"{key}={lie(rng, int(number))}"
    files = graph, "\n".join(lines).encode(), offsets if rng.random() < 0.5 else None
    return Path(write_files(folder, files))


def _store(rng, folder, prepared):
    """Write a graph on disk whose meta.json and array headers lie, with a checksum that fits."""
    sources = sorted(prepared.folder.glob("*.store"))
    path = folder / "g.store"
    shutil.copytree(sources[rng.integers(len(sources))], path)
    facts = json.loads((path / "meta.json").read_bytes())
    for _ in range(int(rng.integers(1, 4))):
        place = facts if rng.random() < 0.4 else list(facts["arrays"].values())[rng.integers(len(facts["arrays"]))]
        key = [key for key, value in place.items() if type(value) is int][0:4]
        key = key[rng.integers(len(key))]
        place[key] = lie(rng, place[key])
    if rng.random() < 0.6:
        name = list(facts["arrays"])[rng.integers(len(facts["arrays"]))]
        array = np.load(path / f"{name}.npy")
        length = facts["arrays"][name]["length"] if rng.random() < 0.5 else lie(rng, len(array))
        (path / f"{name}.npy").write_bytes(npy(f"({length},)", array.dtype.str, content=array.tobytes()))
        facts["arrays"][name]["length"] = length
        if rng.random() < 0.3:  # a file with a hole is as long as it says, and takes no room
            with contextlib.suppress(OSError, ValueError), open(path / f"{name}.npy", "r+b") as stream:
                stream.truncate(128 + min(length, 2**24) * array.dtype.itemsize)
    facts.pop("crc32", None)
    facts["crc32"] = layout._own_checksum(facts)
    (path / "meta.json").write_text(json.dumps(facts), encoding="ascii")
    return path


def _model(rng, folder, _):
    """Write a model whose description, arrays and archive lie."""
    arrays, text = sound(int(rng.integers(4)))
    arrays, facts = dict(arrays), json.loads(text)
    holders = [facts, facts["settings"], facts["params"]]
    for _ in range(int(rng.integers(0, 3))):
        holder = holders[rng.integers(len(holders))]
        keys = [key for key, value in holder.items() if type(value) is int and key != "version"]
        if keys:
            key = keys[rng.integers(len(keys))]
            holder[key] = lie(rng, holder[key])
    _lie_within(rng, arrays, list(arrays))
    arrays["model"] = np.frombuffer(json.dumps(facts).encode(), dtype=np.uint8)
    return _zipped(rng, folder / "model.npz", arrays)


KINDS = (_text, _text, _text, _text, _array, _archive, _archive, _archive, _parquet, webgraph, _store, _model)
