"""Graphs built on disk are those that are built in memory."""

import gzip
import os
import re
import shutil
import warnings
from itertools import count

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from graphcore import FormatError, Graph, GraphWarning, InputError, ParameterError
from graphcore.files import edge_list, read_graph, write_graph
from graphcore.files.store import _loops, build, build_store, format, open_graph
from graphcore.graphs.rows import policy_code
from tests.files.store.test_store import assert_same
from tests.graphs.test_convert import combined

POLICIES = ("max", "average", "sum", "min", "error")


@pytest.fixture(scope="module", autouse=True)
def small_pieces():
    """Make several buckets, blocks and pieces of few edges."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "_MIN_BUCKETS", 5)
        patch.setattr(edge_list, "CHUNK", 40)
        patch.setattr(os, "fsync", lambda _: None)  # it is slow, and matters only when power fails
        yield


def outcome(make):
    """Return the result of a function, or the message of its InputError; and the warnings about the graph."""
    with warnings.catch_warnings(record=True, action="always", category=GraphWarning) as caught:
        try:
            made = make()
        except InputError as error:
            made = str(error)
    return made, [str(w.message).split(": ", 1)[-1] for w in caught if issubclass(w.category, GraphWarning)]


def assert_alike(build, read):
    """Assert equal graphs and equal warnings, or an error of both."""
    (ours, our_warnings), (theirs, their_warnings) = outcome(build), outcome(read)
    assert isinstance(ours, str) == isinstance(theirs, str), (ours, theirs)
    if not isinstance(ours, str):
        assert_same(ours, theirs)
        Graph(ours.indptr, ours.indices, ours.weights)  # checks everything
    else:
        assert theirs.split(";")[0].endswith(ours.split(";")[0])
    assert our_warnings == their_warnings


@st.composite
def edge_lists(draw):
    """Draw sources, targets and weights (None, float32, float64) of edges: repeats, loops, zeros, both directions."""
    n, m = draw(st.integers(1, 12)), draw(st.integers(1, 60))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    sources, targets = rng.integers(0, n, (2, m))
    if draw(st.booleans()):
        back = rng.random(m) < draw(st.sampled_from([0.3, 1.0]))
        sources, targets = np.concatenate([sources, targets[back]]), np.concatenate([targets, sources[back]])
    kind = draw(st.sampled_from([None, "f4", "f8", "ones"]))
    # Multiples of 1/8: their sums are exact in any order.
    weights = {None: None, "ones": np.ones(len(sources))}.get(kind, rng.integers(0, 30, len(sources)) / 8)
    return sources, targets, weights if weights is None or kind == "ones" else weights.astype(kind)


@given(edges=edge_lists(), policy=st.sampled_from(POLICIES), more=st.sampled_from([None, 0, 3]), cut=st.integers(1, 30))
def test_blocks_of_edges(tmp_path_factory, edges, policy, more, cut):
    sources, targets, weights = edges
    n_nodes = None if more is None else int(max(sources.max(), targets.max())) + 1 + more
    out = tmp_path_factory.mktemp("blocks") / "g.store"
    columns = [sources, targets] if weights is None else [sources, targets, weights]
    blocks = (tuple(c[i : i + cut] for c in columns) for i in range(0, len(sources), cut))
    assert_alike(
        lambda: build_store(blocks, out, symmetrize=policy, n_nodes=n_nodes),
        lambda: Graph.from_edges(sources, targets, weights, n_nodes, symmetrize=policy),
    )
    assert os.listdir(out.parent) in ([], ["g.store"])


@pytest.mark.slow
@given(
    edges=edge_lists(),
    policy=st.sampled_from(POLICIES),
    ids=st.sampled_from(["none", "gaps", "far", "negative", "names"]),
    cut=st.integers(0, 60),
    seed=st.integers(0, 99),
)
@example(edges=(*np.zeros((2, 3), int), np.arange(3) / 8), policy="max", ids="names", cut=1, seed=0)
def test_files(tmp_path_factory, edges, policy, ids, cut, seed):
    folder = tmp_path_factory.mktemp("files")
    rng = np.random.default_rng(seed)
    names = {
        "none": np.arange(12),
        "gaps": np.sort(rng.choice(1000, 12, replace=False)),
        "far": np.sort(rng.choice(2**61, 12)) * 4 + np.arange(12),
        "negative": rng.choice(20, 12, replace=False) - 10,
        "names": np.array([f"é{i}" for i in rng.permutation(12)]),
    }[ids]
    sources, targets, weights = edges
    columns = [names[sources], names[targets], *([] if weights is None else [weights.astype("f8")])]
    lines = ["\t".join(map(str, row)) + "\n" for row in zip(*columns, strict=True)]
    (folder / "all.tsv").write_text("".join(lines), encoding="utf-8")
    cut = min(cut, len(lines) - 1)
    for part in (lines, lines[:cut], lines[cut:]):  # a first line that may state the number of the others is told
        assume(not part or str(len(part) - 1) not in part[0].split()[:2])
    parts = []
    for name, part in (("b", lines[:cut]), ("a", lines[cut:])):
        if part:
            parts.append(folder / f"{name}.tsv")
            parts[-1].write_text("# a comment\n" + "".join(part), encoding="utf-8")
    how = {"symmetrize": policy, "weight_column": "auto" if weights is None else 2}
    how["ids"] = "string" if ids == "names" else "integer"
    assert_alike(lambda: build_store(parts, folder / "g.store", **how), lambda: read_graph(folder / "all.tsv", **how))


@pytest.mark.filterwarnings("ignore:.* edges stand in both directions")
def test_ids_too_far_apart_for_a_table(tmp_path, limits):
    rng = np.random.default_rng(0)
    ids = np.unique(rng.integers(-(2**62), 2**62, 500))
    pairs = ids[rng.integers(0, len(ids), (3000, 2))]
    pairs[:1000, 0] = ids[7]  # and one of them very often
    np.savetxt(tmp_path / "edges.txt", pairs, fmt="%d")
    limits(edge_list, CHUNK=1 << 14)
    limits(build, _BLOCK=77, _Marked=None)  # which would number them by bits
    graph = build_store(tmp_path / "edges.txt", tmp_path / "g.store", symmetrize="sum")
    assert_same(graph, read_graph(tmp_path / "edges.txt", symmetrize="sum"))


@given(seed=st.integers(0, 2**32 - 1), policy=st.sampled_from(POLICIES[:4]), weighted=st.booleans())
def test_merged_entries_match_a_dense_matrix(seed, policy, weighted):
    rng = np.random.default_rng(seed)
    n, m = 6, 40
    sources, targets = rng.integers(0, n, (2, m))
    weights = rng.random(m) + 0.1 if weighted else np.empty(0)
    keys, spread = build.entries_of(np.stack([sources, targets], axis=1).ravel(), weights)
    order = rng.permutation(len(keys))
    order = order[np.argsort(keys[order], kind="stable")]
    keys, spread = keys[order], spread[order] if weighted else spread
    found = np.zeros(4, dtype=np.int64)
    length = _loops.merge_entries(keys, spread, policy_code(policy), 0.0, found)
    A = np.zeros((n, n))
    np.add.at(A, (sources, targets), weights if weighted else 1.0)
    expected = combined(A, policy)
    rows, columns = keys[:length] >> 31, keys[:length] & 0x7FFFFFFF
    np.testing.assert_array_equal(np.stack([rows, columns]), np.nonzero(expected))
    if weighted:
        np.testing.assert_allclose(spread[:length], expected[rows, columns], rtol=1e-14)
        out = np.zeros((n, n))
        out[rows, columns] = spread[:length]
        np.testing.assert_array_equal(out, out.T)  # to the last bit
    there, off = A > 0, ~np.eye(n, dtype=bool)
    counts = there & there.T & off, (there ^ there.T) & off, there.diagonal()
    assert found[[0, 1, 3]].tolist() == list(map(np.count_nonzero, counts))


def test_node_counts_that_are_known_are_kept(tmp_path):
    graph = Graph.from_edges([1, 2], [2, 3], n_nodes=7)
    write_graph(graph, tmp_path / "g.tsv.gz")
    assert_same(build_store(tmp_path / "g.tsv.gz", tmp_path / "g.store"), graph)
    graph = build_store(iter([]), tmp_path / "g.store", n_nodes=3)
    assert_same(graph, Graph.from_edges([], [], n_nodes=3))
    with pytest.raises(InputError, match="node id 3 is beyond n_nodes=3"):
        build_store([([3], [0])], tmp_path / "g.store", n_nodes=3)
    assert open_graph(tmp_path / "g.store").n_nodes == 3  # the store from before stays


def refuse(tmp_path, content, message, error=FormatError, **how):
    (tmp_path / "edges.txt").write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(error, match=message):
        build_store(tmp_path / "edges.txt", tmp_path / "g.store", **how)
    assert os.listdir(tmp_path) == ["edges.txt"]


def test_bad_input_is_named_with_its_line_and_leaves_nothing(tmp_path):
    many = "".join(f"{i} {i + 1}\n" for i in range(300))
    refuse(tmp_path, many + "7 x\n", f"{re.escape(str(tmp_path / 'edges.txt'))}: line 301")
    refuse(tmp_path, "# c\n\n" + many + "8\n", "line 303: 1 column")
    refuse(tmp_path, "".join(f"{i} {i + 1} 1\n" for i in range(300)) + "7 8 -1\n", "line 301.*must not be negative")
    whole = gzip.compress(many.encode())
    refuse(tmp_path, whole[:-40], "truncated")
    refuse(tmp_path, whole[:60] + b"\xff" * 8 + whole[68:], "damaged|truncated")
    refuse(tmp_path, "# nothing\n", "there are no edges")
    said = "# graphcore edge list; nodes: 3000000; ids: integer; weights: no\n0\t1\n"
    refuse(tmp_path, said, "3000000 nodes, but there are only 1 edges")
    refuse(tmp_path, "", "empty")
    refuse(tmp_path, "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n", "edge lists, Parquet")
    refuse(tmp_path, "0 1\n1 0\n1 2\n", "not symmetric", InputError, symmetrize="error")


def test_memory_that_is_too_little_and_its_sizes(tmp_path, monkeypatch):
    for name, much in (("_NAME", 1 << 40), ("anonymous_memory", count(0, 1 << 31).__next__)):
        with monkeypatch.context() as patch:
            patch.setattr(build, name, much)
            refuse(tmp_path, "a b\nb c\n", "the names of 3 nodes fill the memory given", InputError)
    held, free = count(0, 100 << 20), []
    with monkeypatch.context() as patch:
        patch.setattr(build, "anonymous_memory", lambda: next(held))
        patch.setattr(build, "_borders", lambda *given, of=build._borders: free.append(given[-1]) or of(*given))
        assert build_store(tmp_path / "edges.txt", tmp_path / "g.store", memory="1G").n_edges == 2
    assert free[0] < 800 << 20  # what is held when the edges are sorted counts
    shutil.rmtree(tmp_path / "g.store")
    monkeypatch.setitem(build._ENTRY_BYTES, "none", 10**8)
    refuse(tmp_path, "1 2\n" * 300, "one node has so many edges, or so often the same", InputError)
    assert [build.parse_memory(m) for m in ("4G", "500 MB", "1.5GiB", "2k", 5)] == [
        4 << 30, 500 << 20, 3 << 29, 2048, 5,
    ]  # fmt: skip


def test_bad_parameters(tmp_path):
    a, b, c = (tmp_path / f"{name}.txt" for name in "abc")
    for path, text in ((a, "0 1\n"), (b, "x y\n"), (c, "0 1 2.5\n")):
        path.write_text(text)
    for source, how, error, message in [
        (a, {"memory": "lots"}, ParameterError, "memory='lots' is no size with a unit"),
        (a, {"memory": "4"}, ParameterError, "memory='4' is no size with a unit; write it like '4G'"),
        (
            a,
            {"memory": "20M"},
            ParameterError,
            r"memory='20M' is too little, as this process holds \d+ MiB already: give '\d+M' or more",
        ),
        (a, {"memory": True}, ParameterError, "must be an integer"),
        (a, {"symmetrize": "mean"}, ParameterError, "symmetrize='mean'"),
        (a, {"n_nodes": 3}, ParameterError, "n_nodes=3 is for edge blocks"),
        (a, {"columns": (1, 1)}, ParameterError, "columns="),
        (a, {"out": tmp_path / "g.npz"}, ParameterError, r"called NAME\.store"),
        (np.zeros((3, 2), int), {}, ParameterError, "source must be.*write_graph"),
        (nx.path_graph(3), {}, ParameterError, "source must be.*got Graph.*write_graph"),
        ([a, b], {}, InputError, r"a\.txt are integers, those of .*b\.txt names"),
        ([a, c], {}, InputError, r"c\.txt has weights and .*a\.txt has none"),
        (tmp_path / "missing", {}, FileNotFoundError, "missing"),
    ]:
        with pytest.raises(error, match=message):
            build_store(source, **{"out": tmp_path / "g.store"} | how)
    assert sorted(os.listdir(tmp_path)) == ["a.txt", "b.txt", "c.txt"]


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        ([], "the graph is empty"),
        ([([0], [1]), ([0], [1], [2.0])], "block 1 has weights, unlike"),
        ([([0], [1], [2.0]), ([0], [1])], "block 1 has no weights, unlike"),
        ([([0, 1], [1])], "block 0: 2 sources and 1 targets"),
        ([([0], [-1])], "node ids start at 0; found -1"),
        ([([0], [2**40])], "ids seem to have gaps"),
        ([([0.5], [1])], "sources must be integers"),
        ([([0], [1], [np.nan])], "weights must be finite"),
        ([([0, 0], [1, 1], [1.7e308] * 2)], "so large that their sum overflows"),
        ([[0, 1]], "block 0 must be a tuple"),
    ],
)
def test_bad_blocks(tmp_path, blocks, message):
    with pytest.raises(InputError, match=message):
        build_store(iter(blocks), tmp_path / "g.store")
    assert os.listdir(tmp_path) == []


def test_rows_longer_than_a_piece_are_in_one_bucket(tmp_path, limits):
    limits(format, _ROWS=3, _PIECE=7)
    rng = np.random.default_rng(0)
    sources, targets, weights = np.zeros(900, dtype=np.int64), rng.integers(0, 400, 900), rng.random(900)
    graph = build_store([(sources, targets, weights)], tmp_path / "g.store")
    there = Graph.from_edges(sources, targets, weights)
    np.testing.assert_array_equal(graph.indices, there.indices)
    np.testing.assert_allclose(graph.weights, there.weights, rtol=1e-14)
    np.testing.assert_array_equal(graph.degrees, Graph(graph.indptr, graph.indices, graph.weights).degrees)
