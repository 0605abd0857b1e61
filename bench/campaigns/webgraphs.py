"""Damaged BVGraph files: the stream, its offsets, its properties, and lists that no program writes."""

import shutil
from functools import partial

import numpy as np

import graphcore
from graphcore import Graph
from tests.files.bvgraphs import CODES, USUAL, encode, graph_files, packed, write_files

from .harness import Campaign, Failure
from .readers import judged

KEYS = ("nodes", "arcs", "windowsize", "maxrefcount", "minintervallength", "zetak", "version", "compressionflags",
        "graphclass", "endianness")  # fmt: skip
VALUES = (
    "0", "1", "2", "3", "7", "8", "40", "41", "64", "1000", "100000", "2147483647", "2147483648", "99999999999", "-1",
    "-2", "", " ", "1.5", "1e3", "9" * 30, "9" * 5000, "x", "\xff", "big", "little", "EFGraph", "BVGraph", "a=b", ":",
    "RESIDUALS_SKEWED_GOLOMB", "_", "|", "||_|",
)  # fmt: skip


def _lists(rng):
    """Return lists that have something in common, some of them long."""
    n = int(rng.choice([1, 2, 9, 40, 40, 300]))
    lists = []
    for x in range(n):
        nodes = set(rng.integers(0, n, rng.integers(0, 6)).tolist())
        if x and rng.random() < 0.5:
            nodes ^= set(lists[x - int(rng.integers(1, min(x, 4) + 1))])
        if rng.random() < 0.3:
            left = int(rng.integers(0, n))
            nodes |= set(range(left, min(n, left + int(rng.integers(0, 30)))))
        lists.append(sorted(nodes))
    return lists


def _written(rng, lists):
    flags = {w: list(CODES)[rng.integers(len(CODES))] for w in USUAL if rng.random() < 0.15}
    return graph_files(
        lists, window=int(rng.choice([0, 1, 3, 7, 70])), chain=int(rng.choice([-1, 0, 1, 3, 3, 3, 30])),
        least=int(rng.choice([0, 1, 2, 4])), k=int(rng.integers(1, 6)), flags=flags,
        choose=lambda _, allowed: allowed[rng.integers(len(allowed))],
    )  # fmt: skip


# -- damage ------------------------------------------------------------------------------------------------------------


def _flip(data, rng):
    out = bytearray(data)
    for _ in range(int(rng.integers(1, 5)) if out else 0):
        at = int(rng.integers(8 * len(out)))
        out[at >> 3] ^= 1 << (at & 7)
    return bytes(out)


def _cut(data, rng):
    return data[: rng.integers(len(data) + 1)]


def _insert(data, rng):
    at = int(rng.integers(len(data) + 1))
    piece = rng.bytes(int(rng.integers(1, 9))) if rng.random() < 0.5 else bytes([rng.choice([0, 255])]) * 40
    return data[:at] + piece + data[at + int(rng.integers(0, 9)) :]


def _numbers(_, rng):
    """Return meaningless numbers, coded as in lists."""
    numbers = rng.choice([0, 0, 0, 1, 1, 2, 3, 5, 9, 40, 300, 2**31, 2**32, 2**40], int(rng.integers(1, 200)))
    codes = [list(CODES)[rng.choice(6, p=(0.2, 0.45, 0.05, 0.2, 0.05, 0.05))] for _ in numbers]
    most = {"UNARY": 300, "GOLOMB": 900}
    return packed("".join(encode(min(int(n), most.get(c, n)), c) for n, c in zip(numbers, codes, strict=True)))


def _line(data, rng):
    """Change, drop or add a line of the properties."""
    lines = data.decode("latin-1").splitlines()
    key, value = KEYS[rng.integers(len(KEYS))], VALUES[rng.integers(len(VALUES))]
    if key == "compressionflags" and rng.random() < 0.7:
        value = f"{list(USUAL)[rng.integers(len(USUAL))]}_{list(CODES)[rng.integers(len(CODES))]}"
    old = [line for line in lines if not line.startswith(f"{key}=")]
    return "\n".join(old if rng.random() < 0.2 else [*old, f"{key}={value}"]).encode("latin-1")


def _damaged(files, rng):
    """Change one of the three files."""
    graph, said, offsets = files
    which = rng.random()
    if which < 0.55:
        change = (_flip, _flip, _cut, _insert, _numbers)[rng.integers(5)]
        return change(graph, rng), said, offsets
    if which < 0.8:
        return graph, (_line, _line, _line, _flip, _cut)[rng.integers(5)](said, rng), offsets
    if offsets is None or which < 0.85:
        return graph, said, None
    if which < 0.9:
        return graph, said, _written(rng, _lists(rng))[2]
    return graph, said, (_flip, _cut, _insert)[rng.integers(3)](offsets, rng)


def case(given):
    """Read a damaged graph of some lists with its offsets and without, and build a store from it by blocks."""
    rng = given.rng
    lists = _lists(rng)
    files = _written(rng, lists)
    n_changes = int(rng.choice([0, 1, 1, 1, 2, 3]))
    for _ in range(n_changes):
        files = _damaged(files, rng)
    path = str(write_files(given.folder, files))
    front = str(write_files(given.folder, (*files[:2], None), "front"))
    options = {} if rng.random() < 0.5 else {"symmetrize": ["min", "sum", "average"][rng.integers(3)]}
    found = {}

    def read(path):
        found[path] = graphcore.read_graph(path, any_size=bool(rng.random() < 0.05), **options)
        return found[path]

    outcome = judged(partial(read, path), path, rng, given.folder)
    judged(partial(read, front), front, rng, given.folder)
    if rng.random() < 0.2:
        built = given.folder / "built.store"
        judged(lambda: graphcore.build_store(path, built, memory="3G", **options), path, rng, given.folder)
        if path in found and not _same(found[path], graphcore.open_graph(built)):
            raise Failure("a store of another graph")
        shutil.rmtree(built, ignore_errors=True)
    if path in found and not (front in found and _same(found[path], found[front])):
        raise Failure("another graph without offsets")
    if n_changes == 0:
        ends = np.array([(x, y) for x, row in enumerate(lists) for y in row], dtype=np.int64).reshape(-1, 2)
        if not _same(found.get(path), Graph.from_edges(*ends.T, n_nodes=len(lists), warn=False, **options)):
            raise Failure("another graph than was written")
        return "unchanged"
    return outcome


def _same(one, other):
    if one is None or other is None:
        return False
    weights = [np.empty(0) if graph.weights is None else graph.weights for graph in (one, other)]
    return (
        np.array_equal(one.indptr, other.indptr)
        and np.array_equal(one.indices, other.indices)
        and np.array_equal(*weights)
    )


def prepare():
    """Prepare the loops, compiled or loaded."""
    from graphcore.files import _bvgraph_loops

    _bvgraph_loops.warm_up()
    for symmetrize in ("max", "sum"):
        Graph.from_edges([0, 1], [1, 2], symmetrize=symmetrize)


CAMPAIGN = Campaign(
    "a web graph in WebGraph's files, written with any codes, windows, chains and intervals: bits flipped, cut or made "
    "up, properties changed, offsets damaged or of another graph, read with the offsets and without: the same sound "
    "graph, or one line of error",
    case,
    prepare,
    short=150,
)
