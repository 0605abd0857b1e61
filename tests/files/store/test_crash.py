"""A build that is killed, interrupted or out of disk leaves what was there; its memory stays within the limit."""

import contextlib
import os
import subprocess
import sys

import numpy as np
import pytest

from graphcore import Graph, build_store, open_graph
from graphcore.files import edge_list
from graphcore.files.store import build, format
from graphcore.files.store.format import Meta, array_path, write_meta
from tests.files.store.test_store import assert_same, failing


@pytest.fixture
def edges(tmp_path):
    rng = np.random.default_rng(0)
    np.savetxt(tmp_path / "edges.txt", np.column_stack([rng.integers(0, 3000, (3000, 2)) * 7, np.ones(3000)]), fmt="%d")
    return tmp_path / "edges.txt"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("step", ["_read", "_numbered", "_borders", "_sorted", "write_meta"])
def test_an_interruption_leaves_the_store_of_before_and_nothing_else(tmp_path, edges, monkeypatch, step):
    old = build_store([([0, 1], [1, 2])], tmp_path / "g.store")
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(build, step, failing(KeyboardInterrupt))
        build_store(edges, tmp_path / "g.store")
    assert sorted(os.listdir(tmp_path)) == ["edges.txt", "g.store"]
    assert_same(open_graph(tmp_path / "g.store"), old)
    assert build_store(edges, tmp_path / "g.store").n_nodes > 1000
    assert sorted(os.listdir(tmp_path)) == ["edges.txt", "g.store"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_killed_build_leaves_no_store_that_opens_and_is_wrong(tmp_path, edges, limits):
    limits(edge_list, CHUNK=1 << 12)
    limits(os, fsync=lambda _: None)
    out, old = tmp_path / "g.store", Graph.from_edges([0, 1], [1, 2])
    whole = build_store(edges, tmp_path / "whole.store")
    build_store([([0, 1], [1, 2])], out)
    for name in ("append", "load", "none"):
        child = os.fork()
        if child == 0:
            for owner in (build.Spool, build.Buckets, format.RowWriter):
                if hasattr(owner, name):
                    setattr(owner, name, lambda *_: os.kill(os.getpid(), 9))
            build_store(edges, out)
            os._exit(0)
        os.waitpid(child, 0)
        graph = open_graph(out)
        assert_same(graph, whole if name == "none" else old)


# -- memory, and more entries than 32 bits can count ------------------------------------------------------------------

LIMITED = """
import sys, threading, time
import numpy as np
from graphcore.files.store import _loops, build, build_store
_loops.warm_up()
held = build.anonymous_memory()
allowed = held + (100 << 20)
peak, done = held, False
def watch():
    global peak
    while not done:
        peak = max(peak, build.anonymous_memory())
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
        writer = format.RowWriter(stack, tmp_path, n_nodes, None)
        writer.append(np.empty(0, dtype=np.int64), np.empty(0), 2)
        indices = writer._writers["indices"]
        indices.length = 2**31
        indices._stream.seek(128 + 4 * indices.length)
        rows = np.repeat([n_nodes - 2, n_nodes - 1], 4)
        writer.append(rows << 31 | np.array(last), np.empty(0), n_nodes)
        facts = writer.finish()
    assert facts["indices"] == format.checksum(np.array(last, dtype="i4"))
    assert os.stat(array_path(tmp_path, "indices")).st_blocks * 512 < 1 << 20
    write_meta(tmp_path, Meta(n_nodes, 2**31 + 8, 1, n_nodes - 2, facts))
    graph = open_graph(tmp_path, trusted=True)
    assert graph.n_entries == 2**31 + 8 and graph.indices[2**31 :].tolist() == last
    assert (graph.indptr[[3, n_nodes - 2, n_nodes - 1, n_nodes]] - 2**31).tolist() == [0, 0, 4, 8]
    assert graph.degrees[[0, n_nodes - 2, n_nodes - 1]].tolist() == [0, 4, 4]
