"""Damaged or forged stores: none may end the process, and none may be taken for sound."""

import contextlib
import json
import os
import shutil
import tokenize
import warnings
from pathlib import Path
from tempfile import mkdtemp

import numpy as np

import graphcore
from graphcore import Graph, InputError
from graphcore.files.store import format as layout

from .harness import Campaign, Failure

ARRAYS = ("indptr", "indices", "weights", "degrees", "node_names", "node_name_ends")
VALUES = (-1, 0, 1, 2**31 - 1, -(2**31), 10**9, 2**63 - 1, -(2**63), np.nan, np.inf, -0.5, 1e300, 5e-324)
JSON = (None, True, -1, 0, 3, 1.5, 10**30, "x", "<i8", "|O", "<f8", [], [[]], {}, "\ud800", "x" * 3000, float("nan"))


def prepare():
    """Prepare sound stores: plain, weighted, with short names and with long ones; each with its graph in memory."""
    rng = np.random.default_rng(0)
    folder = Path(mkdtemp(prefix="stores-"))
    made = []
    for i, names in enumerate((None, None, "text", "long", "numbers")):
        n = 20 + i
        ends = rng.integers(0, n, (2, 60))
        weights = rng.integers(1, 9, 60) / 4 if i in (1, 3) else None
        labels = {
            "text": [f"é{j}" for j in range(n)], "long": [f"{j} {'ö' * 40}{'x' * 30}" for j in range(n)],
            "numbers": np.arange(n) * 7,
        }.get(names)  # fmt: skip
        graph = Graph.from_edges(*ends, weights, n_nodes=n, node_names=labels, warn=False)
        graphcore.write_graph(graph, folder / f"{i}.store")
        made.append((folder / f"{i}.store", graph))
    return made


def case(given):
    """Damage one store in one or several ways; with some probability its checksums are made to fit again."""
    rng = given.rng
    source, sound = given.prepared[rng.integers(len(given.prepared))]
    path = given.folder / "g.store"
    shutil.copytree(source, path)
    said = [_damage(rng, path) for _ in range(1 + (rng.random() < 0.2))]
    forged = rng.random() < 0.6 and _forge(rng, path)
    if rng.random() < 0.08:
        said.append(_replace_file(rng, path))
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            opened = looked_at(path)
            if opened is None:
                return "refused"
            if not forged and not _equal(opened, sound):
                raise Failure("damage taken for sound", f"{said}")
            require_graph(opened, said)
            if opened.n_nodes - opened.n_isolated >= 2:
                graphcore.CoresetSpectralClustering(2, random_state=0, effort="fast").fit(opened)
    except InputError as error:
        raise Failure("a graph that opens cannot be used", f"{error} {said}") from error
    return "unchanged" if _equal(opened, sound) else "another graph"


def looked_at(path):
    """Return the graph that opens; None where opening, check and the readers refuse it alike."""
    found = []
    for look in (graphcore.open_graph, graphcore.check_store, graphcore.read_graph):
        try:
            found.append(look(path))
        except (InputError, FileNotFoundError, IsADirectoryError, PermissionError) as error:
            if "\n" in str(error) or len(str(error)) > 1000:
                raise Failure("message of several lines", str(error)) from error
            found.append(None)
    if len({graph is None for graph in found}) > 1:
        raise Failure("opening and checking differ", f"{found}")
    return found[0]


def _equal(graph, sound):
    same = [(graph.indptr, sound.indptr), (graph.indices, sound.indices), (graph.degrees, sound.degrees)]
    if (graph.weights is None) != (sound.weights is None) or (graph.node_names is None) != (sound.node_names is None):
        return False
    same += [] if sound.weights is None else [(graph.weights, sound.weights)]
    same += [] if sound.node_names is None else [(graph.node_names, sound.node_names)]
    return all(np.array_equal(a, b) for a, b in same)


def require_graph(graph, said):
    """Check by a plain reading of its arrays that a graph which opens is sound."""
    n = graph.n_nodes
    A = np.zeros((n, n))
    for i in range(n):
        row = graph.indices[graph.indptr[i] : graph.indptr[i + 1]]
        if not (np.diff(row) > 0).all() or (row < 0).any() or (row >= n).any():
            raise Failure("damage taken for sound", f"row {i}: {row} {said}")
        A[i, row] = 1 if graph.weights is None else graph.weights[graph.indptr[i] : graph.indptr[i + 1]]
    sound = np.isfinite(A).all() and (A >= 0).all() and np.allclose(A, A.T, rtol=1e-6, atol=0)
    if not sound or not np.allclose(graph.degrees, A.sum(axis=1), rtol=1e-12) or np.count_nonzero(A) != graph.n_entries:
        raise Failure("damage taken for sound", f"{said}")
    if graph.node_names is not None and len(graph.node_names.tolist()) != n:
        raise Failure("damage taken for sound", f"names, {said}")


def _damage(rng, path):
    """Change one thing in a store; returns what was done."""
    files = sorted(p for p in path.iterdir() if p.is_file())
    if not files:
        return "nothing left"
    file = files[rng.integers(len(files))]
    what = ("bytes", "value", "value", "value", "cut", "lengthen", "swap", "type", "meta", "meta", "header")[
        rng.integers(11)
    ]
    content = bytearray(file.read_bytes())
    if what == "bytes" and content:
        for _ in range(rng.integers(1, 5)):
            content[rng.integers(len(content))] = rng.integers(256)
        file.write_bytes(content)
    elif what == "value":
        _change_values(rng, path)
    elif what == "cut":
        file.write_bytes(content[: rng.integers(len(content) + 1)])
    elif what == "lengthen":
        file.write_bytes(bytes(content) + rng.bytes(int(rng.integers(1, 40))))
    elif what == "swap":
        other = files[rng.integers(len(files))]
        theirs = other.read_bytes()
        other.write_bytes(content)
        file.write_bytes(theirs)
    elif what == "type" and file.suffix == ".npy":
        _change_type(rng, file)
    elif what == "header" and len(content) > 128:
        text = content[10:128].decode("latin-1")
        old, new = (("(", "(((("), ("False", "True"), ("<i8", "|O"), ("<i4", "<f4"), ("}", ""), ("2", "99999999999"))[
            rng.integers(6)
        ]
        content[10:128] = text.replace(old, new)[:118].ljust(118).encode("latin-1")
        file.write_bytes(content)
    elif what == "meta":
        _change_meta(rng, path / "meta.json")
    return f"{what} of {file.name}"


def _change_values(rng, path):
    """Change a value of an array, or of two entries that mirror one another."""
    arrays = [p for p in path.iterdir() if p.suffix == ".npy"]
    if not arrays:
        return
    file = arrays[rng.integers(len(arrays))]
    array = _load(file)
    if array is None or array.size == 0:
        return
    value = VALUES[rng.integers(len(VALUES))]
    for place in rng.integers(array.size, size=rng.integers(1, 3)):
        if array.dtype.kind in "iu":
            limits = np.iinfo(array.dtype)
            array.flat[place] = int(np.clip(np.nan_to_num(float(value)), limits.min / 2, limits.max / 2))
        elif array.dtype.kind == "f":
            array.flat[place] = value
        else:
            array.view(np.uint8).flat[rng.integers(array.nbytes)] = rng.integers(256)
    np.save(file, array)


def _change_type(rng, file):
    array, types = _load(file), ("i2", "i4", "i8", "u8", "f4", "f8", "U1", "U2", "S3", ">i4", "c16", "M8[s]", "i4,i4")
    if array is not None:
        with contextlib.suppress(ValueError, TypeError), warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            np.save(file, array.astype(types[rng.integers(len(types))]))


def _load(file):
    """Return an array as numpy reads it, None where it does not."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.load(file, allow_pickle=False)
    except (ValueError, TypeError, OSError, EOFError, SyntaxError, MemoryError, KeyError, ArithmeticError,
            tokenize.TokenError):  # fmt: skip
        return None


def _change_meta(rng, file):
    if rng.random() < 0.1:
        file.write_text("[" * 100_000 if rng.random() < 0.5 else '{"a":' * 30_000)
        return
    try:
        facts = json.loads(file.read_bytes())
    except (ValueError, OSError, RecursionError):
        return
    place = facts
    while isinstance(place, dict) and place:
        key = sorted(place)[rng.integers(len(place))]
        if isinstance(place[key], dict) and rng.random() < 0.85:
            place = place[key]
            continue
        if rng.random() < 0.2:
            del place[key]
        else:
            place[key] = JSON[rng.integers(len(JSON))]
        break
    _write_json(file, facts)


def _replace_file(rng, path):
    """Replace a file by something else, or delete it."""
    files = sorted(path.iterdir())
    file = files[rng.integers(len(files))]
    file.unlink()
    choice = rng.integers(4)
    if choice == 0:
        os.mkfifo(file)
    elif choice == 1:
        file.mkdir()
    elif choice == 2:
        file.symlink_to("/dev/zero")
    return f"{file.name} replaced"


def _forge(rng, path):
    """Make lengths, types and checksums fit the files, as an attacker would; return whether that was possible."""
    file = path / "meta.json"
    try:
        facts = json.loads(file.read_bytes())
        arrays = facts["arrays"]
        for name in list(arrays):
            array = _load(path / f"{name}.npy")
            if array is None:
                return False
            if rng.random() < 0.9:
                arrays[name] = {"dtype": array.dtype.str, "length": len(array), "crc32": layout.checksum(array)}
        facts.pop("crc32", None)
        facts["crc32"] = layout._own_checksum(facts)
    except (ValueError, OSError, EOFError, KeyError, TypeError, AttributeError, RecursionError, SyntaxError):
        return False
    _write_json(file, facts)
    return True


def _write_json(file, facts):
    file.write_text(json.dumps(facts), encoding="ascii")


CAMPAIGN = Campaign(case, prepare, short=200)
