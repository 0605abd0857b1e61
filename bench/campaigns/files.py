"""Damaged files: every reader returns a sound result or refuses the file in one line.

A valid file of any format is damaged in up to four ways, perhaps compressed, and read with any options.
"""

import bz2
import contextlib
import gzip
import io
import lzma
import warnings
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

import graphcore
from graphcore import Graph, GraphWarning, InputError
from graphcore.cli.vectors import read_rows
from graphcore.files.edge_list import write_edge_list
from graphcore.files.tables import read_labels, read_nodes

from .harness import Campaign, Failure

LONGEST = 500  # characters of an error or a warning, without the file's path

SUFFIXES = {
    "edges": (".txt", ".tsv", ".csv", ".edges", ""), "metis": (".graph", ".metis"), "npz": (".npz",),
    "labels": (".tsv", ".csv", ".txt"),
    "nodes": (".tsv", ".csv", ".txt", ".urls"), "npy": (".npy",), "vectors": (".txt", ".csv"),
    "parquet": (".parquet",),
}  # fmt: skip
# Replacements of a token: mistakes of programs, and text that breaks parsers.
TOKENS = (
    b"0", b"1", b"-1", b"+3", b"007", b"1.5", b"1e3", b"1e309", b"nan", b"inf", b"-inf", b"4294967296", b"2147483648",
    b"-2147483649", b"9223372036854775808", b"9" * 40, b"9" * 5000, b"1_0", b"0x1F", b"1,5", b"1 2", b"", b'"', b'""',
    b'"a', b"'", b"#", b"%%", b"\\", b"\t", b";", b",", b"\0", b"\x85", b"\xa0", b"\xe2\x80\xa8", b"\xef\xbb\xbf",
    b"\xff\xfe", b"\xed\xa0\x80", "é".encode(), b"\x1a", b"None", b"NA", b"true", b"{}", b"[", b"<", b"&amp;",
    b"=1+1", b"weight", b"source", b"11", b"111", b"<f8", b"|O", b"<U9999999", b"(3,)", b"(99999999999,)", b"(-1,)",
)  # fmt: skip
HEADS = (
    b"3 3 2\n", b"1000000 1000000 1000000000\n", b"34 78 111 99999999\n", b"% sym weighted\n",
    b"# FromNodeId\tToNodeId\n", b"# graphcore edge list; nodes: 2000000000; ids: integer; weights: no\n",
    b"source,target,weight\n", b"graph [\n", b"<?xml version='1.0'?>\n", b"{", b"\x93NUMPY\x01\x00", b"PK\x03\x04",
    b"\x1f\x8b\x08\x00", b"BZh9", b"PAR1", b"\xef\xbb\xbf", b"\xff\xfe", b"\n\n\n", b"#" * 40 + b"\n",
)  # fmt: skip


class _Prepared(NamedTuple):
    seeds: dict  # kind: valid files
    kinds: list
    shares: np.ndarray  # how often a kind is drawn
    compressors: dict


def prepare():
    """Prepare small valid files of every kind, as bytes, and the readers' loops, compiled or loaded."""
    rng = np.random.default_rng(0)
    A = sp.coo_array(np.triu(rng.random((12, 12)) < 0.3, 1).astype(float))
    edges = list(zip(A.row.tolist(), A.col.tolist(), strict=True))
    seeds = {
        "edges": _edge_lists(edges), "metis": _metis(edges), "npz": _archives(A), "labels": _labels(),
        "nodes": _nodes(), "npy": _arrays(rng), "vectors": _vectors(rng),
    }  # fmt: skip
    compressors = {".gz": lambda data: gzip.compress(data, 1), ".bz2": bz2.compress,
                   ".xz": lambda data: lzma.compress(data, preset=0)}  # fmt: skip
    shares = {"edges": 34, "labels": 10, "metis": 9, "npz": 8, "npy": 5, "vectors": 5, "nodes": 5}
    with contextlib.suppress(ImportError):
        seeds["parquet"], shares["parquet"] = _parquet(edges), 0.3
    weights = np.array(list(shares.values()), dtype=float)
    for of in (np.ones(2), None):  # with the loops of both kinds of weights
        Graph.from_scipy(Graph.from_edges([0, 1], [1, 2], of).to_scipy())
    return _Prepared(seeds, list(shares), weights / weights.sum(), compressors)


# -- valid files -------------------------------------------------------------------------------------------------------


def _edge_lists(edges):
    lists = []
    for mark in (" ", "\t", ",", ";", " , "):
        for name in ("{}", "n{}", '"n {}"', "Zoë{}", "{}00000000000"):
            for weight in ("", "2.5", "3" + mark + "1289241912"):
                lines = [mark.join(filter(None, [name.format(i), name.format(j), weight])) for i, j in edges]
                lists.append("\n".join(lines) + "\n")
    heads = "# c\n", "% sym weighted\n% 20 12 12\n", "source,target,weight\n", "# FromNodeId\tToNodeId\n", "\ufeff"
    lists += [head + text for head in heads for text in lists[:60:4]]
    lists += [text.replace("\n", end) for end in ("\r\n", "\r") for text in lists[::9]]
    return [text.encode() for text in lists]


def _metis(edges):
    rows = {i: [] for i in range(12)}
    for i, j in edges:
        rows[i].append(j + 1)
        rows[j].append(i + 1)
    plain = "\n".join(" ".join(map(str, row)) for row in rows.values())
    weighted = "\n".join(" ".join(f"{j} 2" for j in row) for row in rows.values())
    leading = "\n".join(" ".join(map(str, [7, *row])) for row in rows.values())
    heads = {"": plain, " 1": weighted, " 001": weighted, " 10": leading, " 010 1": leading}
    return [f"{c}12 {len(edges)}{head}\n{body}\n".encode() for head, body in heads.items() for c in ("", "% c\n")]


def _archives(A):
    files = []
    S = sp.csr_array(A + A.T)
    names = np.array([f"n{i}" for i in range(12)])
    arrays = {"indptr": S.indptr, "indices": S.indices}
    for save in (
        *(lambda stream, form=form: sp.save_npz(stream, S.asformat(form)) for form in ("csr", "csc", "coo")),
        lambda stream: np.savez(stream, **arrays),
        lambda stream: np.savez_compressed(stream, **arrays, weights=S.data, node_names=names),
    ):
        stream = io.BytesIO()
        save(stream)
        files.append(stream.getvalue())
    return files


def _labels():
    texts = [mark.join([name.format(i), str(i % 3 - 1)]) for mark in "\t,; " for name in ("{}", "n{}", '"n {}"')
             for i in range(12)]  # fmt: skip
    files = ["\n".join(texts[start : start + 12]) + "\n" for start in range(0, len(texts), 12)]
    files += ["\n".join(str(i % 3) for i in range(12)), "# c\n0,red\n1,light blue\n", "a\tx\r\nb\ty\r\n"]
    arrays = [_npy(np.arange(12, dtype=kind) % 3) for kind in ("i1", "<i8", ">u4")]
    return [text.encode() for text in files] + arrays


def _nodes():
    bodies = [[mark.join([str(i), name.format(i), str(i / 2)]) for i in range(12)] for mark in "\t,;"
              for name in ("n{}", '"n, {}"', "")]  # fmt: skip
    texts = [head + "\n".join(body) + "\n" for body in bodies for head in ("", "# Nodes: 12\n", "id\tname\tage\n")]
    return [text.encode() for text in [*texts, "\n".join(map(str, range(12)))]]


def _arrays(rng):
    return [_npy(rng.random((8, 3)).astype(kind)) for kind in ("f4", "f8", "i2", ">f8")] + [
        _npy(np.asfortranarray(rng.random((6, 2)))),
        _npy(rng.random(5)),
    ]


def _npy(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def _vectors(rng):
    files = []
    for mark in (" ", ",", ";", "\t"):
        for head in ("", "# c\n", mark.join("xyz") + "\n"):
            stream = io.StringIO()
            np.savetxt(stream, rng.random((8, 3)), delimiter=mark, fmt="%.4g")
            files.append((head + stream.getvalue()).encode())
    return files


def _parquet(edges):
    import pyarrow as pa
    import pyarrow.parquet as pq

    files = []
    for column in ("{}".format, int):
        ends = [[column(edge[side]) for edge in edges] for side in (0, 1)]
        for extra in ({}, {"weight": [1.5] * len(edges)}):
            stream = io.BytesIO()
            pq.write_table(pa.table({"a": ends[0], "b": ends[1]} | extra), stream)
            files.append(stream.getvalue())
    return files


# -- damage ------------------------------------------------------------------------------------------------------------


def _damaged(data, rng, prepared):
    """Return the data with one change of some bytes, of a random kind."""
    return _CHANGES[rng.integers(len(_CHANGES))](data, rng, prepared)


def _place(data, rng):
    return int(rng.integers(len(data) + 1))


def _flip(data, rng, _):
    out = bytearray(data)
    for _ in range(int(rng.integers(1, 4)) if out else 0):
        out[rng.integers(len(out))] = rng.integers(256)
    return bytes(out)


def _insert(data, rng, _):
    at = _place(data, rng)
    piece = rng.bytes(int(rng.integers(1, 6))) if rng.random() < 0.5 else TOKENS[rng.integers(len(TOKENS))]
    return data[:at] + piece + data[at:]


def _delete(data, rng, _):
    at = _place(data, rng)
    return data[:at] + data[at + int(rng.integers(1, 20)) :]


def _truncate(data, rng, _):
    return data[: _place(data, rng)]


def _replace_token(data, rng, _):
    """Replace a word of the text, and leave the text around it."""
    starts = [0, *(i + 1 for i, byte in enumerate(data[:4000]) if byte in b" \t\n,;()':")]
    start = starts[rng.integers(len(starts))]
    stop = next((i for i in range(start, min(len(data), start + 200)) if data[i] in b" \t\r\n,;()':"), len(data))
    token = TOKENS[rng.integers(len(TOKENS))]
    if rng.random() < 0.02:
        token = token[:1] * int(rng.choice([300, 5000, 140_000, 200_000]))
    return data[:start] + token + data[stop:]


def _lines(data, rng, _):
    lines = data.splitlines(keepends=True)
    if not lines:
        return data
    at = int(rng.integers(len(lines)))
    how = rng.integers(6)
    if how == 0:
        lines[at:at] = [lines[at]] * int(rng.integers(1, 4))
    elif how == 1:
        del lines[at]
    elif how == 2:
        rng.shuffle(lines)
    elif how == 3:
        lines[at] = lines[at][: int(rng.integers(len(lines[at]) + 1))]
    elif how == 4:
        lines[at] = lines[at].rstrip() + [b" ", b"\t", b",", b";"][rng.integers(4)] + lines[at]
    else:
        lines[at:at] = [[b"\n", b"# c\n", b"% c\n", b"   \n", b"\r", b'"\n'][rng.integers(6)]]
    return b"".join(lines)


def _head(data, rng, _):
    head = HEADS[rng.integers(len(HEADS))]
    if rng.random() < 0.1:
        head *= int(rng.integers(2, 3000))
    return head + data if rng.random() < 0.5 else head + data.partition(b"\n")[2]


def _encode(data, rng, _):
    text = data.decode("utf-8", "replace")
    kind = ["utf-16", "utf-16-le", "utf-32", "utf-8-sig", "cp1252", "cp037"][rng.integers(6)]
    return text.encode(kind, "replace")


_CHANGES = (
    _flip, _flip, _insert, _insert, _delete, _truncate, _replace_token, _replace_token, _replace_token, _lines, _lines,
    _head, _encode,
)  # fmt: skip


# -- a case ------------------------------------------------------------------------------------------------------------


def case(given):
    """Damage a file, read it as its kind is read, and judge the result."""
    rng, prepared = given.rng, given.prepared
    kind = prepared.kinds[rng.choice(len(prepared.kinds), p=prepared.shares)]
    seeds = prepared.seeds[kind]
    data, suffix = seeds[rng.integers(len(seeds))], SUFFIXES[kind][rng.integers(len(SUFFIXES[kind]))]
    for _ in range(int(rng.integers(0, 5))):
        data = _damaged(data, rng, prepared)
    if rng.random() < 0.2:
        ending = list(prepared.compressors)[rng.integers(len(prepared.compressors))]
        data = prepared.compressors[ending](data)
        suffix += ending if rng.random() < 0.8 else ""
        if rng.random() < 0.3:
            data = _damaged(data, rng, prepared)
        if rng.random() < 0.05:
            data += data
    path = given.folder / f"x{suffix}"
    path.write_bytes(data)
    return judged(lambda: _READ.get(kind, _read_graph)(str(path), rng), str(path), rng, given.folder)


def _read_graph(path, rng):
    return graphcore.read_graph(path, **_options(rng))


def _read_labels(path, rng):
    graph = None if rng.random() < 0.5 else Graph.from_edges([0, 1], [1, 11])
    mark = [None, None, None, "\t", ",", "whitespace"][rng.integers(6)]
    return read_labels(path, graph, delimiter=mark)


def _read_nodes(path, rng):
    names = [None, ["n0", "n2", "n11"], [0, 3, 11]][rng.integers(3)]
    return Graph.from_edges([0, 1], [1, 2], node_names=names).with_nodes(read_nodes(path))


def _read_vectors(path, _):
    X = read_rows(path)[0]
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise Failure("vectors of a strange kind", f"{X.dtype} {X.shape}")
    return X


_READ = {
    "labels": _read_labels,
    "nodes": _read_nodes,
    "npy": _read_vectors,
    "vectors": _read_vectors,
}


def _options(rng):
    """Return options of read_graph, mostly none."""
    options, draw = {}, rng.random
    if draw() < 0.12:
        options["weight_column"] = [None, 2, 3, 0, "weight"][rng.integers(5)]
    if draw() < 0.08:
        options["delimiter"] = [",", "\t", ";", "whitespace", "|"][rng.integers(5)]
    if draw() < 0.08:
        options["columns"] = [(1, 0), (0, 2), (2, 5)][rng.integers(3)]
    if draw() < 0.2:
        options["symmetrize"] = ["average", "sum", "min", "error"][rng.integers(4)]
    return options


def judged(read, path, rng, folder):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = read()
        except InputError as error:
            _check_text("an error", str(error), path)
            found = None
        if isinstance(found, Graph):
            _check_graph(found)
            if rng.random() < 0.3 and found.n_nodes < 1000:
                _check_round_trip(found, folder)
    for warning in caught:
        if not issubclass(warning.category, GraphWarning):
            raise Failure(f"{warning.category.__name__} of another package", str(warning.message))
        _check_text("a warning", str(warning.message), path)
    return "refused" if found is None else "accepted"


def _check_text(what, text, path):
    if len(text.splitlines()) != 1 or not text.isprintable():
        raise Failure(f"{what} of more than one line", text)
    if len(text) - len(path) > LONGEST:
        raise Failure(f"{what} that is too long", text)


def _check_graph(graph):
    """Check for sound rows: in range, ascending, symmetric, weights positive and finite."""
    n, indptr, indices = graph.n_nodes, graph.indptr, graph.indices
    if len(indptr) != n + 1 or indptr[0] != 0 or indptr[-1] != len(indices) or (np.diff(indptr) < 0).any():
        raise Failure("a graph with damaged rows")
    if len(indices) and not (indices.min() >= 0 and indices.max() < n):
        raise Failure("a graph with columns out of range")
    rows = np.repeat(np.arange(n), np.diff(indptr))
    if (np.diff(rows * n + indices) <= 0).any():
        raise Failure("a graph with rows out of order")
    mirror = np.lexsort((rows, indices))
    same = np.array_equal(rows[mirror], indices) and np.array_equal(indices[mirror], rows)
    if graph.weights is not None:
        same = same and np.allclose(graph.weights[mirror], graph.weights, rtol=1e-6, atol=0)
        if not (np.isfinite(graph.weights).all() and (graph.weights > 0).all()):
            raise Failure("a graph with weights that are not positive and finite")
    if not same:
        raise Failure("a graph that is not symmetric")
    if graph.node_names is not None and len(graph.node_names) != n:
        raise Failure("a graph with too many names")
    if not np.isfinite(graph.degrees).all():
        raise Failure("a graph with degrees that are not finite")


def _check_round_trip(graph, folder):
    """Check that a graph and its labels are read as they were written, unless writing refuses them."""
    labels = np.arange(graph.n_nodes) % 3
    ending, path = ("tsv", "csv")[graph.n_edges % 2], folder / "back"
    written = _written(path, lambda stream: graphcore.write_labels(labels, stream, graph, format=ending))
    names = range(graph.n_nodes) if graph.node_names is None else graph.node_names.tolist()
    distinct = len({str(name).strip() for name in names}) == graph.n_nodes
    if written and distinct and not np.array_equal(read_labels(path, graph), labels):
        raise Failure("labels that do not come back")
    if graph.n_edges and _written(path, lambda stream: write_edge_list(graph, stream.buffer, "\t")):
        back = graphcore.read_graph(path)
        if back.n_entries != graph.n_entries:
            raise Failure("edges that do not come back", f"{graph}, {back}")


def _written(path, write):
    with open(path, "w", encoding="utf-8", newline="") as stream:
        try:
            write(stream)
        except InputError as error:
            _check_text("an error", str(error), "")
            return False
    return True


CAMPAIGN = Campaign(
    case,
    prepare,
    short=1500,
)
