"""Model files that are damaged or forged: each is refused in one line, or is a model that answers or says why not."""

import json
import tempfile
import warnings
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp

import graphcore
from graphcore import CoresetSpectralClustering, Graph, InputError

from .harness import Campaign, Failure
from .stores import JSON, VALUES

__all__ = ["CAMPAIGN", "judged", "sound"]

LONGEST = 500


@cache
def sound(kind: int = 0) -> tuple[dict[str, Any], bytes]:
    """Return the arrays of a sound model (graph, with names, vectors, sparse vectors), and its description."""
    rng = np.random.default_rng(kind)
    X = rng.random((30, 3)).round(1)
    graph = Graph.from_edges(*rng.integers(0, 30, (2, 80)), n_nodes=31, warn=False)
    named = Graph.from_edges(["ä", "b", "c", "ä", "d"], ["b", "c", "ä", "d", "e"], [1.0, 2, 3, 4, 5])
    start = np.arange(31) % 2 if kind == 0 else None
    given = [graph, named, X, sp.csr_array(X)][kind]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        k = "auto" if kind == 2 else 2
        model = CoresetSpectralClustering(k, effort=2, random_state=0).fit(given, initial_labels=start)
    with tempfile.TemporaryDirectory() as folder:
        model.save(f"{folder}/model.npz")
        with np.load(f"{folder}/model.npz") as archive:
            arrays = dict(archive)
    return arrays, arrays.pop("model").tobytes()


def _mutated(rng, facts):
    """Change one value somewhere in a description."""
    holder, key = facts, None
    while isinstance(holder, dict) and holder:
        key = list(holder)[rng.integers(len(holder))]
        if not isinstance(holder[key], dict) or rng.random() < 0.2:
            break
        holder = holder[key]
    if key in holder:
        values = (*JSON, 2**31, 1e-300, float("inf"), "auto", "information", "edges", "vectors", "euclidean")
        if rng.random() < 0.1:
            del holder[key]
        else:
            holder[key] = values[rng.integers(len(values))]


def _changed(rng, arrays):
    """Change one array: its value, type, shape, length or name, or remove it."""
    names = list(arrays)
    name = names[rng.integers(len(names))]
    array, how = arrays[name], rng.integers(6)
    if how == 0 and array.size and array.dtype.kind in "iuf":
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            changed = array.astype(np.float64)
            changed.flat[rng.integers(array.size)] = VALUES[rng.integers(len(VALUES))]
            arrays[name] = changed.astype(array.dtype)
    elif how == 1:
        kinds = ("i1", "u8", "<f4", ">f8", "f2", "c16", "U3", "S2", "?", "M8[s]")
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            arrays[name] = np.zeros(array.shape, kinds[rng.integers(len(kinds))])
    elif how == 2:
        arrays[name] = array[: rng.integers(len(array) + 1)] if array.ndim else array.reshape(1)
    elif how == 3:
        arrays[name] = np.concatenate([array, array]) if array.ndim else array
    elif how == 4:
        arrays[name] = arrays[names[rng.integers(len(names))]]
    else:
        del arrays[name]


def case(given):
    """Load a model file with its description, arrays or bytes changed."""
    rng = given.rng
    arrays, text = sound(int(rng.integers(4)))
    arrays, facts = dict(arrays), json.loads(text)
    for _ in range(int(rng.integers(1, 4))):
        if rng.random() < 0.5:
            _mutated(rng, facts)
        else:
            _changed(rng, arrays)
    content = json.dumps(facts).encode()
    path = given.folder / "model.npz"
    save = np.savez_compressed if rng.random() < 0.3 else np.savez
    with open(path, "wb") as stream:
        save(stream, **arrays | {"model": np.frombuffer(content, dtype=np.uint8)})
    if rng.random() < 0.2:
        data = bytearray(path.read_bytes())
        for _ in range(int(rng.integers(1, 4))):
            data[rng.integers(len(data))] = rng.integers(256)
        path.write_bytes(data[: rng.integers(len(data))] if rng.random() < 0.2 else data)
    return judged(path)


def judged(path):
    """Load a model and call all of its methods; each refusal is one line."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            model = graphcore.load(path)
        except InputError as error:
            _check_line(str(error), path)
            return "refused"
        n = model.graph_.n_nodes
        new = np.eye(model.n_features_in_)[: min(2, n)]
        for ask in (
            lambda: model.predict(new), lambda: model.predict_proba(new), lambda: model.score(new), model.summary,
            lambda: model.membership_, lambda: model.tree_.to_table("pandas"), lambda: model.tree_.labels_at(1),
            lambda: model.update(added=([0], [n])), lambda: model.save(path.with_name("again.npz")),
        ):  # fmt: skip
            try:
                ask()
            except InputError as error:
                _check_line(str(error), path)
    return "accepted"


def _check_line(text, path):
    if len(text.splitlines()) != 1 or len(text) - len(str(path)) > LONGEST:
        raise Failure("an error of more than one short line", text)


CAMPAIGN = Campaign(
    "a model file with values, types, lengths or names of its arrays changed, its description or its bytes: refused in "
    "one line, or a model that answers everything or says in one line why not",
    case,
    lambda: [sound(kind) for kind in range(4)],
    short=200,
)
