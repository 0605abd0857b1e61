"""A store that is damaged is refused when it is opened, or at last when it is verified."""

import json
import os

import numpy as np
import pytest

import graphcore
from graphcore import FormatError, Graph, InputError, open_graph, write_graph
from graphcore.files.store import format, verify_store
from tests.files.store.test_store import failing

RING = Graph.from_edges(range(9), [*range(1, 9), 0], np.arange(1, 10) / 4)


@pytest.fixture
def store(tmp_path):
    write_graph(RING, tmp_path / "g.store")
    return tmp_path / "g.store"


def change(store, name, **places):
    """Change values of an array, with a valid checksum."""
    array = np.load(store / f"{name}.npy")
    for place, value in places.items():
        array[int(place[1:])] = value
    np.save(store / f"{name}.npy", array)
    forge(store, lambda facts: facts["checksums"].update({name: format.checksum(array)}))


def forge(store, do):
    """Change facts in meta.json."""
    facts = json.loads((store / "meta.json").read_text())
    do(facts)
    (store / "meta.json").write_text(json.dumps(facts))


@pytest.mark.parametrize(
    ("name", "places", "message"),
    [
        ("indices", {"_5": 2**31 - 1}, "names column 2147483647"),
        ("indices", {"_5": -1}, "names column -1"),
        ("indices", {"_5": 0}, "not in ascending order"),
        ("indptr", {"_5": 10**9}, "never fall"),
        ("indptr", {"_5": -(2**63)}, "never fall"),
        ("weights", {"_3": np.nan}, "must be finite"),
        ("weights", {"_3": -1.0}, "must not be negative"),
        ("weights", {"_3": 1e9}, "degrees are the sums of rows"),
        ("degrees", {"_3": 0.0}, "degrees are the sums of rows"),
    ],
)
def test_rows_that_loops_could_not_read_are_refused_unless_trusted(store, name, places, message):
    change(store, name, **places)
    open_graph(store, trusted=True)
    for look in (open_graph, graphcore.read_graph):
        with pytest.raises(FormatError, match=message):
            look(store)


def test_other_defects_are_found_by_a_verification_and_what_cannot_be_mapped_is_named(store, monkeypatch):
    verify_store(store)
    change(store, "indices", _5=4)
    open_graph(store)
    with pytest.raises(InputError, match="not symmetric"):
        verify_store(store)
    true = np.memmap
    monkeypatch.setattr(
        np, "memmap", lambda path, **rest: failing(OSError(12, "No memory"))() if "deg" in path else true(path, **rest)
    )
    with pytest.raises(OSError, match=r"No memory.*degrees\.npy"):
        open_graph(store)


@pytest.mark.parametrize("name", ["indptr", "indices", "weights", "degrees", "node_names"])
def test_a_flipped_bit_is_found_by_the_checksum(tmp_path, name):
    store = tmp_path / "g.store"
    write_graph(Graph(RING.indptr, RING.indices, RING.weights, node_names=list("abcdefghi")), store)
    whole = (store / f"{name}.npy").read_bytes()
    place = len(whole) - 1 - 4 * (name == "weights")
    (store / f"{name}.npy").write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
    with pytest.raises(InputError, match=r"is damaged|no text|names column|not in ascending|must be|never fall"):
        verify_store(store)
    (store / f"{name}.npy").write_bytes(whole)
    verify_store(store)


def meta(**facts):
    return lambda store: forge(store, lambda found: found.update(facts))


NO_GRAPH = "does not describe a graph"


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda p: (p / "meta.json").unlink(), "this folder is no graph"),
        (lambda p: (p / "meta.json").write_text("{"), r"meta\.json is damaged"),
        (lambda p: (p / "meta.json").write_text("[]"), NO_GRAPH),
        (meta(version=2), "version is 2; this graphcore reads"),
        (lambda p: (p / "indices.npy").unlink(), r"indices\.npy is missing"),
        (lambda p: os.truncate(p / "indices.npy", 130), r"indices\.npy is damaged"),
        (lambda p: os.truncate(p / "indices.npy", 8), r"indices\.npy is damaged"),
        (lambda p: np.save(p / "indices.npy", np.zeros(18)), "holds <f8 of shape"),
        (lambda p: np.save(p / "indptr.npy", np.zeros(10, dtype=np.int64)), r"indptr\.npy is damaged"),
        (meta(n_entries=18.0), NO_GRAPH),
        (meta(n_nodes=10**300), NO_GRAPH),
        (meta(checksums=[]), NO_GRAPH),
        (meta(checksums={"../g": 1}), "missing"),
        (lambda p: np.save(p / "indptr.npy", np.array([None] * 10)), r"indptr\.npy is damaged"),
    ],
)
def test_damage_that_opening_finds(store, damage, message):
    damage(store)
    with pytest.raises(FormatError, match=message) as caught:
        open_graph(store, trusted=True)
    said = str(caught.value)
    assert said.startswith(f"{store}: ") and "\n" not in said and len(said) < 500


def test_damaged_names(tmp_path):
    for i, name in enumerate(["é", "é" * 70]):
        path = tmp_path / f"{i}.store"
        write_graph(Graph.from_edges([0, 1], [1, 2], node_names=[name, "b", "c"]), path)
    np.save(tmp_path / "0.store" / "node_names.npy", np.array([0x110000, 98, 99], dtype="<u4").view("<U1"))
    with pytest.raises(InputError, match="the name of node 0 is no text"):
        open_graph(tmp_path / "0.store")
    change(tmp_path / "1.store", "node_names", _0=0xFF)
    with pytest.raises(FormatError, match="a name is not UTF-8"):
        open_graph(tmp_path / "1.store")
