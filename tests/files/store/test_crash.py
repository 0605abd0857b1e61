"""A build that is killed, interrupted or out of disk leaves no graph that opens and is wrong, and can be resumed."""

import contextlib
import os
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

from graphcore import Graph, GraphWarning, InputError, build_store, check_store, open_graph, write_graph
from graphcore.files import edge_list
from graphcore.files.store import arrays, buckets, build, journal
from graphcore.files.store.buckets import Spool
from graphcore.files.store.format import ArrayFacts, Meta, array_path, write_meta
from graphcore.graphs import _row_loops
from tests.files.store.kills import calls_of, kill_at
from tests.files.store.test_store import assert_same, failing

WORK = ".g.store.building"
INTERRUPT = failing(KeyboardInterrupt)


@contextlib.contextmanager
def interrupted(owner, name, function=INTERRUPT):
    """Let a function be interrupted within this block, at its first call unless another is given in its place."""
    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(owner, name, function)
        yield


def write_text(path, n_edges=20_000, seed=0):
    rng = np.random.default_rng(seed)
    pairs = rng.integers(0, 3000, (n_edges, 2)) * 7
    weights = rng.integers(1, 9, n_edges) / 8
    np.savetxt(path, np.column_stack([pairs, weights]), fmt="%d %d %.3f")
    names, ends = np.unique(pairs, return_inverse=True)
    return Graph.from_edges(*ends.reshape(-1, 2).T, weights, node_names=names, warn=False)


@pytest.fixture
def small_pieces(limits):
    """Make many blocks and buckets, and a note in the journal after each."""
    limits(edge_list, CHUNK=1 << 14)
    limits(buckets, _MIN_BUCKETS=12)
    limits(journal, INTERVAL=0.0)
    limits(os, fsync=lambda _: None)


def killed(work, at_call):
    """Do some work in a copy of this process that is killed at a call; return whether it was, before the work's end."""
    child = os.fork()
    if child == 0:
        try:
            kill_at(at_call)
            work()
            os._exit(0)
        except BaseException:
            os._exit(1)
    status = os.waitpid(child, 0)[1]
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_sigkill_at_random_points(tmp_path, small_pieces):
    expected = write_text(tmp_path / "edges.txt", 8000)
    build_store(tmp_path / "edges.txt", tmp_path / "first.store")
    whole = calls_of(lambda: build_store(tmp_path / "edges.txt", tmp_path / "first.store"))
    rng = np.random.default_rng(0)
    out, n_killed, n_completed, stood = tmp_path / "g.store", 0, 0, set()
    while n_killed < 20 or (len(stood) <= 2 and n_killed < 300):  # until there were kills in several steps
        # A resumed build has less to do: it is done sooner or later, and the next one begins anew.
        at_call = rng.integers(whole)
        if n_killed % 3 == 2:  # the last step, from which a build is finished, is one call in 300
            shutil.rmtree(tmp_path / WORK, ignore_errors=True)
            at_call = round(whole * rng.uniform(0.94, 0.97))
        n_killed += killed(lambda: build_store(tmp_path / "edges.txt", out, resume=True), at_call)
        if (tmp_path / WORK / "journal.json").exists():
            notes = (tmp_path / WORK / "journal.json").read_text()
            stood.add(max(re.findall(r'"(options|read|spread|finished)":', notes), key=notes.index))
        if out.exists():
            assert_same(check_store(out), expected)
        if out.exists() and not (tmp_path / WORK).exists():
            n_completed += 1
            os.rename(out, tmp_path / f"done-{n_completed}.store")
    assert len(stood) > 2, stood
    assert_same(build_store(tmp_path / "edges.txt", out, resume=True), expected)
    assert_same(check_store(out), expected)
    assert not [name for name in os.listdir(tmp_path) if name.startswith(".")]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_graph_that_is_replaced_stays_until_the_new_one_is_whole(tmp_path, small_pieces):
    out, old = tmp_path / "g.store", Graph.from_edges([0, 1], [1, 2])
    expected, seen = write_text(tmp_path / "edges.txt", 500), []
    build_store(tmp_path / "edges.txt", out)
    whole = calls_of(lambda: build_store(tmp_path / "edges.txt", out))
    for at_call in [whole // 2, *range(whole - 300, whole, 30)]:
        write_graph(old, out)
        killed(lambda: build_store(tmp_path / "edges.txt", out), at_call)
        if out.exists():  # between two renamings it is not
            graph = check_store(out)
            seen.append(graph.n_nodes == 3)
            assert_same(graph, old if seen[-1] else expected)
        assert_same(build_store(tmp_path / "edges.txt", out, resume=True), expected)
        assert sorted(os.listdir(tmp_path)) == ["edges.txt", "g.store"]
    assert set(seen) == {True, False}


STEPS = ["_number", "_spread", "_sort", "write_meta", "put_in_place", "rmtree", "mid-read"]


@pytest.mark.parametrize("step", STEPS)
def test_resume_goes_on_where_an_interruption_came(tmp_path, small_pieces, monkeypatch, step):
    expected = write_text(tmp_path / "edges.txt", 3000)
    out, rmtree, two = tmp_path / "g.store", shutil.rmtree, iter([edge_list.parse] * 2)

    def parse_two(source, dialect):
        return next(two, INTERRUPT)(source, dialect)

    place = {
        "mid-read": (edge_list, "parse", parse_two),
        "put_in_place": (build, step),
        "write_meta": (build, step),
        "rmtree": (shutil, step, lambda p, **how: INTERRUPT() if p.endswith(WORK) else rmtree(p, **how)),
    }
    with interrupted(*place.get(step, (build._Build, step))):
        build_store(tmp_path / "edges.txt", out)
    assert out.exists() == (step == "rmtree")
    parsed = []
    monkeypatch.setattr(edge_list, "parse", lambda *a, real=edge_list.parse: parsed.append(1) or real(*a))
    assert_same(build_store(tmp_path / "edges.txt", out, resume=True), expected)
    n_blocks = -(-os.path.getsize(tmp_path / "edges.txt") // edge_list.CHUNK)
    assert len(parsed) == (n_blocks - 2 if step == "mid-read" else 0)
    assert sorted(os.listdir(tmp_path)) == ["edges.txt", "g.store"]


@pytest.mark.parametrize("step", ["put_in_place", "write_meta"])
def test_resume_of_a_graph_whose_weights_are_all_one(tmp_path, small_pieces, step):
    np.savetxt(tmp_path / "edges.txt", [[0, 1, 1], [1, 2, 1], [2, 2, 1]], fmt="%d")
    with interrupted(build, step):
        build_store(tmp_path / "edges.txt", tmp_path / "g.store", weight_column=2)
    graph = build_store(tmp_path / "edges.txt", tmp_path / "g.store", weight_column=2, resume=True)
    assert_same(graph, Graph.from_edges([0, 1, 2], [1, 2, 2]))
    assert sorted(os.listdir(tmp_path / "g.store")) == ["degrees.npy", "indices.npy", "indptr.npy", "meta.json"]


@pytest.mark.filterwarnings("ignore:the input is directed")
def test_resume_with_other_input_or_without_resume(tmp_path, small_pieces):
    write_text(tmp_path / "edges.txt", 500)
    with interrupted(build._Build, "_sort"):
        build_store(tmp_path / "edges.txt", tmp_path / "g.store")
    with pytest.raises(InputError, match="had other inputs or options"):
        build_store(tmp_path / "edges.txt", tmp_path / "g.store", symmetrize="sum", resume=True)
    assert (tmp_path / WORK).exists()
    expected = write_text(tmp_path / "edges.txt", 600, seed=1)
    with pytest.raises(InputError, match="its inputs have changed"):
        build_store(tmp_path / "edges.txt", tmp_path / "g.store", resume=True)
    with pytest.warns(GraphWarning, match="is started over"):
        assert_same(build_store(tmp_path / "edges.txt", tmp_path / "g.store"), expected)
    assert sorted(os.listdir(tmp_path)) == ["edges.txt", "g.store"]
    assert_same(build_store(tmp_path / "edges.txt", tmp_path / "g.store", resume=True), expected)  # nothing to resume


@pytest.mark.filterwarnings("ignore:the input is directed")
def test_two_builds_of_one_output_and_a_disk_without_room_are_told_before(tmp_path, monkeypatch):
    write_text(tmp_path / "edges.txt", 100)
    running = journal.working_folder(tmp_path / "g.store", {}, False)
    with running, pytest.raises(InputError, match="another build of the same output"):
        build_store(tmp_path / "edges.txt", tmp_path / "g.store")
    build_store(tmp_path / "edges.txt", tmp_path / "g.store")
    write_text(tmp_path / "edges.txt", 100)
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("usage", (), {"free": 1000}))
    with pytest.raises(OSError, match=r"needs about 0\.\d GB more on this disk, which has 0\.0 GB free"):
        build_store(tmp_path / "edges.txt", tmp_path / "g.store")


@pytest.mark.filterwarnings("ignore:the input is directed")
def test_interrupted_blocks_are_skipped_when_they_come_again(tmp_path, small_pieces):
    rng = np.random.default_rng(0)
    edges = rng.integers(0, 50, (10, 2, 30))

    def blocks(stop):
        for i in range(10):
            if i == stop:
                raise KeyboardInterrupt
            yield tuple(edges[i])

    with pytest.raises(KeyboardInterrupt):
        build_store(blocks(6), tmp_path / "g.store", symmetrize="sum")
    graph = build_store(blocks(None), tmp_path / "g.store", symmetrize="sum", resume=True)
    assert_same(graph, Graph.from_edges(*np.concatenate(edges, axis=1), symmetrize="sum", warn=False))


# -- memory, and more entries than 32 bits can count ------------------------------------------------------------------

LIMITED = """
import sys, threading, time
import numpy as np
from graphcore.files.store import _loops, build_store, journal
_loops.warm_up()
import graphcore
held = journal.anonymous_memory()
allowed = held + (100 << 20)
peak, done = held, False
def watch():
    global peak
    while not done:
        peak = max(peak, journal.anonymous_memory())
        time.sleep(0.002)
n_edges, weighted = int(sys.argv[2]), sys.argv[3] == "weighted"
def blocks():
    for seed in range(0, n_edges, 100_000):
        rng = np.random.default_rng(seed)
        ends = rng.integers(0, 1_000_000, (2, 100_000), dtype=np.int32)
        yield (*ends, rng.random(100_000)) if weighted else tuple(ends)
source = blocks()
if sys.argv[3] == "text":
    source = sys.argv[1] + ".txt"
    with open(source, "w") as file:
        for a, b in blocks():
            np.savetxt(file, np.column_stack([a, b]), fmt="%d")
thread = threading.Thread(target=watch)
thread.start()
graph = build_store(source, sys.argv[1], memory=allowed)
done = True
thread.join()
print(peak, allowed, graph.n_entries)
"""


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="memory is told by Linux")
@pytest.mark.parametrize(("kind", "n_edges"), [("plain", 6_000_000), ("weighted", 1_500_000), ("text", 700_000)])
def test_anonymous_memory_stays_within_the_limit(tmp_path, kind, n_edges):
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", LIMITED, tmp_path / "g.store", str(n_edges), kind],
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    peak, allowed, n_entries = map(int, run.stdout.split())
    assert peak <= allowed, f"{peak / 2**20:.0f} of {allowed / 2**20:.0f} MiB"
    if kind == "plain":
        assert 8 * n_entries > 0.8 * (100 << 20)  # in memory, the keys alone would nearly fill the limit


@pytest.mark.slow
def test_more_entries_than_32_bits_count(tmp_path):
    """On a disk that keeps only the end of 2**31 + 8 entries: those of row 2 have no content."""
    n_nodes, last = 1 << 16, [3, 5, (1 << 16) - 2, (1 << 16) - 1, 7, 8, 9, (1 << 16) - 2]
    with contextlib.ExitStack() as stack:
        writer = arrays.RowWriter(stack, tmp_path, n_nodes, None)
        writer.append(np.empty(0, dtype=np.int64), np.empty(0), 2)
        indices = writer._writers["indices"]
        indices.length = 2**31
        indices._stream.seek(128 + 4 * indices.length)
        rows = np.repeat([n_nodes - 2, n_nodes - 1], 4)
        writer.append(rows << 31 | np.array(last), np.empty(0), n_nodes)
        facts = writer.finish()
    assert facts["indices"] == ArrayFacts("<i4", 2**31 + 8, arrays.checksum(np.array(last, dtype="i4")))
    assert os.stat(array_path(tmp_path, "indices")).st_blocks * 512 < 1 << 20
    write_meta(tmp_path, Meta(n_nodes, 2**31 + 8, 1, n_nodes - 2, facts))
    graph = open_graph(tmp_path)
    assert graph.n_entries == 2**31 + 8 and graph.indices[2**31 :].tolist() == last
    assert graph.indptr[[0, 2]].tolist() == [0, 0]
    assert (graph.indptr[[3, n_nodes - 2, n_nodes - 1, n_nodes]] - 2**31).tolist() == [0, 0, 4, 8]
    assert graph.degrees[[0, n_nodes - 2, n_nodes - 1]].tolist() == [0, 4, 4]
    assert _row_loops.count_self_loops(graph.indptr, graph.indices, n_nodes - 2, n_nodes) == 1
    code, row, entry, _ = _row_loops.check_rows(graph.indptr[-2:] * 0, graph.indices[-8:], np.empty(0), n_nodes)
    assert (code, row, entry) == (0, 0, 0)


def test_what_a_power_failure_lost_is_noticed(tmp_path):
    (tmp_path / "spool").write_bytes(bytes(150))
    spool = Spool(tmp_path / "spool", 1000, 10)
    for look in (lambda: spool.writing().__enter__(), lambda: list(spool.blocks())):
        with pytest.raises(OSError, match="is shorter than it was"):
            look()
