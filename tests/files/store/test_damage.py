"""A store that is damaged or made to do harm is refused when it is opened; a large one opens by its record."""

import json
import os
import pickle
import shutil

import numpy as np
import pytest

import graphcore
from graphcore import FormatError, Graph, GraphWarning, InputError, build_store, check_store, open_graph, write_graph
from graphcore.files.store import format, journal, open
from tests.files.store.test_store import assert_same, failing

RING = Graph.from_edges(range(9), [*range(1, 9), 0], np.arange(1, 10) / 4)


@pytest.fixture
def store(tmp_path):
    write_graph(RING, tmp_path / "g.store")
    return tmp_path / "g.store"


def change(store, name, **places):
    """Change values of an array, with valid checksums of it and of meta.json, as an attacker would."""
    array = np.load(store / f"{name}.npy")
    for place, value in places.items():
        array[int(place[1:])] = value
    np.save(store / f"{name}.npy", array)
    forge(store, lambda facts: facts["arrays"][name].update(crc32=format.checksum(array)))


def forge(store, do):
    """Change facts in meta.json, with a valid checksum."""
    facts = json.loads((store / "meta.json").read_text())
    do(facts)
    del facts["crc32"]
    facts["crc32"] = format._own_checksum(facts)
    (store / "meta.json").write_text(json.dumps(facts))


@pytest.mark.parametrize(
    ("name", "places", "message"),
    [
        ("indices", {"_5": 2**31 - 1}, "names column 2147483647"),
        ("indices", {"_5": -1}, "names column -1"),
        ("indices", {"_5": 4}, "not symmetric"),
        ("indices", {"_5": 0}, "not in ascending order"),
        ("indptr", {"_5": 10**9}, "never fall"),
        ("indptr", {"_5": -(2**63)}, "never fall"),
        ("weights", {"_3": np.nan}, "must be finite"),
        ("weights", {"_3": -1.0}, "must not be negative"),
        ("weights", {"_3": 77.0}, "not symmetric"),
        ("degrees", {"_3": 1e9}, "does not hold the row sums"),
        ("n_self_loops", 1, "n_self_loops is 1, but it is 0"),
        ("n_isolated", 1, "n_isolated is 1, but it is 0"),
    ],
)
def test_a_forged_store_is_refused(store, name, places, message):
    if isinstance(places, dict):
        change(store, name, **places)
    else:
        forge(store, lambda facts: facts.update({name: places}))
    open_graph(store, trusted=True)
    for look in (open_graph, check_store, graphcore.read_graph):
        with pytest.raises(FormatError, match=message):
            look(store)


@pytest.mark.parametrize("name", ["indptr", "indices", "weights", "degrees", "node_names"])
def test_a_flipped_bit_is_found_by_the_checksum(tmp_path, name):
    store = tmp_path / "g.store"
    write_graph(Graph(RING.indptr, RING.indices, RING.weights, node_names=list("abcdefghi")), store)
    whole = (store / f"{name}.npy").read_bytes()
    for place in (128 + 9, len(whole) - 1 - 8 * (name == "indptr")):
        (store / f"{name}.npy").write_bytes(whole[:place] + bytes([whole[place] ^ 16]) + whole[place + 1 :])
        with pytest.raises(FormatError, match=rf"g\.store: {name}\.npy is damaged: its checksum"):
            check_store(store)
    (store / f"{name}.npy").write_bytes(whole)
    check_store(store)


def meta(**facts):
    return lambda store: forge(store, lambda found: found.update(facts))


def array(name, **facts):
    return lambda store: forge(store, lambda found: found["arrays"].setdefault(name, {}).update(facts))


def written(text):
    return lambda store: (store / "meta.json").write_text(text)


NO_GRAPH = "does not describe a graph"


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda p: (p / "meta.json").unlink(), "this folder is no graph"),
        (written("{"), r"meta\.json is damaged"),
        (written("[]"), NO_GRAPH),
        *((written(text), r"meta\.json") for text in ("[" * 60_000, '{"a":' * 10_000, "1" * 60_000, "x" * 100_000)),
        (written('{"format": "graphcore graph", "version": [[]]}'), "version is"),
        (meta(version=2), "version is 2; this graphcore reads"),
        (lambda p: written((p / "meta.json").read_text().replace("9", "8", 1))(p), "its checksum does not fit"),
        (lambda p: (p / "indices.npy").unlink(), r"indices\.npy is missing"),
        (lambda p: os.truncate(p / "indices.npy", 130), r"indices\.npy is cut off: 130 bytes, not 200"),
        (lambda p: os.truncate(p / "indices.npy", 8), r"indices\.npy is damaged"),
        (lambda p: os.truncate(p / "degrees.npy", 201), r"degrees\.npy is too long"),
        (lambda p: np.save(p / "indices.npy", np.zeros(18)), "holds <f8 of shape"),
        (lambda p: np.save(p / "indptr.npy", np.zeros(10, dtype=np.int64)), r"indptr\.npy is damaged"),
        (meta(n_nodes=True), NO_GRAPH),
        (meta(n_entries=18.0), NO_GRAPH),
        (meta(n_nodes=10**300), NO_GRAPH),
        (meta(arrays=[]), NO_GRAPH),
        (array("indices", dtype="|O"), NO_GRAPH),
        (array("indices", crc32={}), NO_GRAPH),
        (array("node_names", dtype="|O", length=9, crc32=0), NO_GRAPH),
        (array("node_names", dtype="i4,i4", length=9, crc32=0), NO_GRAPH),
        (array("node_names", dtype="<U0", length=9, crc32=0), NO_GRAPH),
        (array("node_name_ends", dtype="<c16", length=9, crc32=0), NO_GRAPH),
    ],
)
def test_damage_that_opening_finds(store, damage, message):
    damage(store)
    with pytest.raises(FormatError, match=message) as caught:
        open_graph(store)
    said = str(caught.value)
    assert said.startswith(f"{store}: ") and "\n" not in said and len(said) < 500


def test_damaged_names(tmp_path):
    for i, name in enumerate(["é", "é" * 70]):
        path = tmp_path / f"{i}.store"
        write_graph(Graph.from_edges([0, 1], [1, 2], node_names=[name, "b", "c"]), path)
    codes = np.array([0x110000, ord("b"), ord("c")], dtype="<u4").view("<U1")
    np.save(tmp_path / "0.store" / "node_names.npy", codes)
    forge(tmp_path / "0.store", lambda facts: facts["arrays"]["node_names"].update(crc32=format.checksum(codes)))
    with pytest.raises(InputError, match="the name of node 0 is no text"):
        open_graph(tmp_path / "0.store")
    change(tmp_path / "1.store", "node_names", _0=0xFF)
    with pytest.raises(FormatError, match="the name of node 0 is not UTF-8"):
        open_graph(tmp_path / "1.store")
    write_graph(Graph.from_edges([0, 1], [1, 2], node_names=["é" * 70, "b", "c"]), tmp_path / "1.store")
    change(tmp_path / "1.store", "node_name_ends", _0=2**63 - 1, _1=-(2**63))
    with pytest.raises(FormatError, match="the names do not end where they should"):
        open_graph(tmp_path / "1.store")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
@pytest.mark.parametrize("name", ["meta.json", "indices.npy"])
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: os.symlink("/dev/zero", path)])
def test_what_is_no_file_is_not_waited_for(store, name, make):
    (store / name).unlink()
    make(store / name)
    with pytest.raises(FormatError, match=r"no file|no graph|no meta"):
        graphcore.open_graph(store)


# -- graphs too large to be read whenever they are opened --------------------------------------------------------------


@pytest.fixture
def all_are_large(limits):
    for module in (format, open):
        limits(module, CHECKED=0)


def test_what_was_written_here_opens_without_being_read(tmp_path, all_are_large, limits):
    seen, verify = [], open.verify
    limits(open, verify=lambda path, *given: seen.append(path) or verify(path, *given))
    write_graph(RING, tmp_path / "a.store")
    np.savetxt(tmp_path / "edges.txt", [[0, 1], [1, 2]], fmt="%d")
    build_store(tmp_path / "edges.txt", tmp_path / "b.store")
    for name in ("a", "b"):
        graph = open_graph(tmp_path / f"{name}.store")
        assert_same(pickle.loads(pickle.dumps(graph)), graph)
    os.rename(tmp_path / "a.store", tmp_path / "c.store")
    assert_same(open_graph(tmp_path / "c.store"), RING)
    assert seen == []
    for module in (format, open):  # small graphs have no note, and are read
        limits(module, CHECKED=1 << 26)
    write_graph(RING, tmp_path / "small.store")
    open_graph(tmp_path / "small.store")
    assert seen == [os.fspath(tmp_path / "small.store")] and format.RECORD not in os.listdir(seen[0])


@pytest.mark.parametrize("how", ["touched", "copied", "changed", "replaced", "no note", "a note of another"])
def test_what_changed_since_is_refused_until_it_is_checked(tmp_path, all_are_large, how):
    path = tmp_path / "g.store"
    write_graph(RING, path)
    indices = path / "indices.npy"
    if how == "touched":
        facts = os.stat(indices)
        os.utime(indices, ns=(facts.st_atime_ns, facts.st_mtime_ns))  # its other time cannot be set back
    elif how == "copied":
        path = shutil.copytree(path, tmp_path / "h.store")  # with the times of change
    elif how == "changed":
        indices.write_bytes(indices.read_bytes())
    elif how == "replaced":
        os.rename(shutil.copy2(indices, path / "new"), indices)
    elif how == "no note":
        (path / format.RECORD).unlink()
    else:
        (path / format.RECORD).write_text("[" * 50_000)
    with pytest.raises(InputError, match=r"was not verified here.*graphcore check .*trusted=True"):
        open_graph(path)
    assert_same(open_graph(path, trusted=True), RING)
    assert_same(pickle.loads(pickle.dumps(open_graph(path, trusted=True))), RING)
    assert_same(check_store(path), RING)
    assert_same(open_graph(path), RING)


def test_a_damaged_one_is_not_noted(tmp_path, all_are_large):
    write_graph(RING, tmp_path / "g.store")
    change(tmp_path / "g.store", "indices", _5=2**31 - 1)
    for _ in range(2):
        with pytest.raises(FormatError, match="names column"):
            check_store(tmp_path / "g.store")
        with pytest.raises(InputError, match="was not verified here"):
            open_graph(tmp_path / "g.store")


def test_a_folder_that_cannot_be_written(tmp_path, all_are_large, monkeypatch):
    write_graph(RING, tmp_path / "g.store")
    (tmp_path / "g.store" / format.RECORD).unlink()
    monkeypatch.setattr(open, "note", failing(PermissionError(13, "Permission denied")))
    with pytest.warns(GraphWarning, match="the graph is sound, but this cannot be noted"):
        graph = check_store(tmp_path / "g.store")
    assert_same(pickle.loads(pickle.dumps(graph)), RING)  # workers open it as it was found


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="only Linux has a file that cannot be read")
@pytest.mark.parametrize("name", ["meta.json", "indptr.npy", "indices.npy", "weights.npy", "degrees.npy"])
def test_a_file_that_cannot_be_read_is_named(store, name):
    (store / name).unlink()
    (store / name).symlink_to("/proc/self/mem")
    for read in (open_graph, check_store, graphcore.read_graph):
        with pytest.raises(OSError, match=f"Input/output error.*{name}"):
            read(store)


@pytest.mark.parametrize("name", ["indptr", "indices", "weights", "degrees"])
def test_an_array_that_cannot_be_mapped_is_named(store, name, monkeypatch):
    true = np.memmap
    monkeypatch.setattr(
        np, "memmap", lambda path, **rest: failing(OSError(12, "No memory"))() if name in path else true(path, **rest)
    )
    with pytest.raises(OSError, match=f"No memory.*{name}.npy"):
        open_graph(store)


# -- builds ------------------------------------------------------------------------------------------------------------


def test_a_build_that_begins_while_another_one_takes_its_folder_away(tmp_path, monkeypatch):
    np.savetxt(tmp_path / "edges.txt", [[0, 1], [1, 2]], fmt="%d")
    real, tried = os.path.samestat, []

    def gone_the_first_time(one, other):
        tried.append(1)
        if len(tried) == 1:
            shutil.rmtree(tmp_path / ".g.store.building")
            return False
        return real(one, other)

    monkeypatch.setattr(journal.os.path, "samestat", gone_the_first_time)
    assert build_store(tmp_path / "edges.txt", tmp_path / "g.store").n_nodes == 3
    assert len(tried) >= 2
    assert sorted(os.listdir(tmp_path)) == ["edges.txt", "g.store"]
