"""Damaged stores: refused in one line, or a graph with rows that are in range and in order, which is clustered."""

import contextlib
import json
import os
import shutil
import warnings
from pathlib import Path
from tempfile import mkdtemp

import numpy as np

import graphcore
from graphcore import Graph, InputError

from .harness import Campaign, Failure

VALUES = (-1, 0, 1, 2**31 - 1, -(2**31), 10**9, 2**63 - 1, -(2**63), np.nan, np.inf, -0.5, 1e300, 5e-324)
TYPES = ("i2", "i4", "i8", "u8", "f4", "f8", "U1", "S3", ">i4", "c16", "M8[s]", "i4,i4")
JSON = (None, True, -1, 0, 3, 1.5, 10**30, "x", "<i8", "|O", "<f8", [], [[]], {}, "\ud800", "x" * 3000, float("nan"))
HEADERS = (("(", "(((("), ("False", "True"), ("<i8", "|O"), ("<i4", "<f4"), ("}", ""), ("2", "99999999999"))


def prepare():
    """Prepare sound stores: plain, weighted, with short names and with long ones; each with its graph in memory."""
    rng = np.random.default_rng(0)
    folder = Path(mkdtemp(prefix="stores-"))
    made = []
    for i, names in enumerate((None, None, "text", "long", "numbers")):
        n = 20 + i
        weights = rng.integers(1, 9, 60) / 4 if i in (1, 3) else None
        labels = {
            "text": [f"é{j}" for j in range(n)], "long": [f"{j} {'ö' * 40}{'x' * 30}" for j in range(n)],
            "numbers": np.arange(n) * 7,
        }.get(names)  # fmt: skip
        graph = Graph.from_edges(*rng.integers(0, n, (2, 60)), weights, n_nodes=n, node_names=labels, warn=False)
        graphcore.write_graph(graph, folder / f"{i}.store")
        made.append((folder / f"{i}.store", graph))
    return made


def case(given):
    """Damage one store in one or two ways, and open it."""
    rng = given.rng
    source, sound = given.prepared[rng.integers(len(given.prepared))]
    path = given.folder / "g.store"
    shutil.copytree(source, path)
    said = [_damage(rng, path) for _ in range(1 + (rng.random() < 0.2))]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            graph = graphcore.open_graph(path)
            _require_rows(graph, said)
            if graph.n_nodes - graph.n_isolated >= 2:
                graphcore.CoresetSpectralClustering(2, random_state=0, effort="fast").fit(graph)
        except (InputError, FileNotFoundError, IsADirectoryError, PermissionError) as error:
            if "\n" in str(error) or len(str(error)) > 1000:
                raise Failure("message of several lines", str(error)) from error
            return "refused"
    same = all(np.array_equal(getattr(graph, name), getattr(sound, name)) for name in ("indptr", "indices", "degrees"))
    return "unchanged" if same else "another graph"


def _require_rows(graph, said):
    """Check by a plain reading of its arrays that rows are in range and in order, and weights positive and finite."""
    n = graph.n_nodes
    for i in range(n):
        row = graph.indices[graph.indptr[i] : graph.indptr[i + 1]]
        if not (np.diff(row) > 0).all() or (row < 0).any() or (row >= n).any():
            raise Failure("damage taken for sound", f"row {i}: {row} {said}")
    if graph.weights is not None and not (np.isfinite(graph.weights) & (graph.weights > 0)).all():
        raise Failure("damage taken for sound", f"weights, {said}")
    if graph.node_names is not None and len(graph.node_names.tolist()) != n:
        raise Failure("damage taken for sound", f"names, {said}")


def _damage(rng, path):
    """Change one thing in a store; returns what was done."""
    files = sorted(p for p in path.iterdir() if p.is_file())
    if not files:
        return "nothing left"
    file = files[rng.integers(len(files))]
    kinds = ("bytes", "value", "value", "value", "cut", "lengthen", "swap", "type", "meta", "meta", "header", "replace")
    what, content = kinds[rng.integers(len(kinds))], bytearray(file.read_bytes())
    if what == "bytes" and content:
        for _ in range(rng.integers(1, 5)):
            content[rng.integers(len(content))] = rng.integers(256)
        file.write_bytes(content)
    elif what == "value" and file.suffix == ".npy":
        _change_values(rng, file)
    elif what == "cut":
        file.write_bytes(content[: rng.integers(len(content) + 1)])
    elif what == "lengthen":
        file.write_bytes(bytes(content) + rng.bytes(int(rng.integers(1, 40))))
    elif what == "swap":
        other = files[rng.integers(len(files))]
        theirs = other.read_bytes()
        other.write_bytes(content)
        file.write_bytes(theirs)
    elif what == "type" and (array := _load(file)) is not None:
        with contextlib.suppress(ValueError, TypeError):
            np.save(file, array.astype(TYPES[rng.integers(len(TYPES))]))
    elif what == "header" and len(content) > 128:
        old, new = HEADERS[rng.integers(len(HEADERS))]
        content[10:128] = content[10:128].decode("latin-1").replace(old, new)[:118].ljust(118).encode("latin-1")
        file.write_bytes(content)
    elif what == "meta":
        _change_meta(rng, path / "meta.json")
    elif what == "replace":
        file.unlink()
        (os.mkdir, lambda name: None)[rng.integers(2)](file)
    return f"{what} of {file.name}"


def _change_values(rng, file):
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


def _load(file):
    """Return an array as numpy reads it, None where it does not."""
    try:
        return np.load(file, allow_pickle=False)
    except Exception:  # of damage that was done before, in as many ways as numpy has
        return None


def _change_meta(rng, file):
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
    file.write_text(json.dumps(facts), encoding="ascii")


CAMPAIGN = Campaign(case, prepare, short=200)
