"""A call of the system fails while an output is written: the old output stays, or the new one is whole."""

import _io
import errno
import os
import resource
import shutil
import sys
import warnings
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

import graphcore
from graphcore import Graph
from graphcore.files.parquet import write_table
from graphcore.report import About, write_report

# Calls that the system may refuse, by their names in Python.
CALLS = {
    "open", "write", "writelines", "flush", "fsync", "truncate", "tofile", "close", "chmod", "mkdir", "rename",
    "replace", "unlink", "rmdir",
}  # fmt: skip
# Calls that get a path, which the system's own error names and the one made here does not; or close, maybe an input.
UNNAMED = CALLS - {"write", "writelines", "flush", "fsync", "truncate", "tofile"}
GRAPHS = ("tsv", "tsv.gz", "tsv.bz2", "tsv.xz", "csv", "mtx", "metis", "npz", "graphml", "gexf", "gml")


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """Make a graph, a model of it, and files of edges."""
    folder = tmp_path_factory.mktemp("given")
    rng = np.random.default_rng(0)
    ends = rng.integers(0, 40, (2, 200))
    ends = ends[:, ends[0] != ends[1]]
    graph = Graph.from_edges(*ends, n_nodes=40, warn=False)
    np.savetxt(folder / "edges.txt", ends.T, fmt="%d")
    (folder / "names.txt").write_text("".join(f"é{a}\t{b}\t{a % 3 + 1}\n" for a, b in ends.T))
    model = graphcore.CoresetSpectralClustering(3, random_state=0).fit(graph)
    _ = model.membership_, model.tree_
    return SimpleNamespace(graph=graph, model=model, labels=model.labels_, edges=[folder / "edges.txt"], folder=folder)


TABLE = {"node": np.arange(40), "cluster": np.arange(40) % 3}
NAMED = {"ids": "string", "weight_column": None}
# A page names the minute of its writing, which may change between two of them.
PAGE = {"about": About("Faults", created=datetime(2020, 1, 1)), "pictures": False}
# Every output: its file's name, and a function that writes it from what is given.
OUTPUTS = {
    **{f"graph.{kind}": lambda of, path: graphcore.write_graph(of.graph, path) for kind in GRAPHS},
    **{f"labels.{kind}": lambda of, path: graphcore.write_labels(of.labels, path) for kind in ("tsv", "csv", "npy")},
    **{f"table.{kind}": lambda of, path: write_table(TABLE, path) for kind in ("csv", "parquet")},
    **{f"tree.{kind}": lambda of, path: of.model.tree_.write(path) for kind in ("nwk", "csv", "npy", "parquet")},
    "model.npz": lambda of, path: of.model.save(path),
    "page.html": lambda of, path: write_report(path, of.graph, of.labels, **PAGE),
    "written.store": lambda of, path: graphcore.write_graph(of.graph, path),
    "built.store": lambda of, path: graphcore.build_store(of.edges, path),
    "named.store": lambda of, path: graphcore.build_store([*of.edges, of.folder / "names.txt"], path, **NAMED),
}  # fmt: skip


@contextmanager
def failing(at, number=errno.ENOSPC):
    """Let the call of this number, of those that the system may refuse, fail; yields the list of these calls."""
    calls = []

    def profile(_frame, event, function):
        if event == "c_call" and function.__name__ in CALLS:
            owner = function.__self__
            if isinstance(owner, (_io._IOBase, np.ndarray)) or getattr(owner, "__name__", "") in ("posix", "io", "_io"):
                calls.append(function.__name__)
                if len(calls) == at:
                    raise OSError(number, os.strerror(number))

    sys.setprofile(profile)
    try:
        yield calls
    finally:
        sys.setprofile(None)


@contextmanager
def full_at(n_bytes):
    """Let files grow to `n_bytes`: the write that goes beyond is a short one, and the next one fails."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def content(folder):
    """Return the files of a folder, hidden ones too, by name."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def attempt(name, write, folder, old, new, disturbed):
    """Make a disturbed attempt to write; return whether it failed. No file may be lost, incomplete or left behind."""
    path, calls, failure = folder / name, [], None
    try:
        with disturbed as calls:
            write(path)
    except OSError as error:
        failure = error
    last = calls[-1] if calls else None
    kept = {key: value for key, value in content(folder).items() if not key.startswith(".")}
    assert kept in ((old, new) if failure else (new,)), (name, calls, failure)
    left = [entry for entry in os.listdir(folder) if entry.startswith(".")]
    if failure is not None:
        assert last in UNNAMED or name in str(failure.filename), (name, calls, failure)
    # An old output that cannot be removed stays behind, whole.
    if left and not (kept == new and "rename" in calls[: calls.index("replace")]):
        raise AssertionError((name, calls, failure, left))
    return failure is not None


@pytest.fixture
def attempts(given, tmp_path):
    """Return a function of an output's name and of whether a file is there; it returns the attempt and its sizes."""

    def prepared(name, there):
        if name.endswith(".parquet"):
            pytest.importorskip("pyarrow")
        write, folder = partial(OUTPUTS[name], given), tmp_path / "out"
        other, place = tmp_path / "old", tmp_path / "new"
        for each in (other, place):
            each.mkdir()
        with warnings.catch_warnings(action="ignore"):
            write(place / name)
            with failing(0) as calls:
                write(place / name)  # all modules are imported and loops compiled now
            new = content(place)
            old = {}
            if there and name.endswith(".store") and not name.startswith("graph."):
                graphcore.write_graph(Graph.from_edges([0], [1]), other / name)
                old = content(other)
            elif there:
                (other / name).write_bytes(b"by hand")
                old = content(other)
        largest = max(map(len, new.values()))

        def again(disturbed):
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(other, folder)
            with warnings.catch_warnings(action="ignore"):
                return attempt(name, write, folder, old, new, disturbed)

        return again, len(calls), largest

    return prepared


def spread(n, few):
    """Return numbers from 1 to n, only some of them if `few`."""
    return sorted(set(np.linspace(1, n, 12).astype(int).tolist())) if few else range(1, n + 1)


# Every call where an old output is to stay; of formats that networkx writes, in hundreds of calls, some.
CASES = [(name, True, True) for name in OUTPUTS]
SLOW = [(name, False, True) for name in OUTPUTS]
SLOW += [(name, True, False) for name in OUTPUTS if not name.endswith(("ml", ".gexf"))]
CASES += [pytest.param(*case, marks=pytest.mark.slow) for case in SLOW]


@pytest.mark.parametrize(("name", "there", "few"), CASES)
def test_the_nth_call_fails(attempts, name, there, few):
    again, n_calls, _ = attempts(name, there)
    failed = sum(again(failing(at, (errno.ENOSPC, errno.EIO)[at % 2])) for at in spread(n_calls, few))
    assert failed >= 4  # to open, to write, to flush and to rename; what follows a rename is of no consequence
    assert not again(failing(n_calls + 50))


@pytest.mark.parametrize("few", [True, pytest.param(False, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", OUTPUTS)
def test_a_disk_that_is_full_after_some_bytes(attempts, name, few):
    again, _, largest = attempts(name, True)
    for n_bytes in (0, largest // 3, largest - 1) if few else range(0, largest, max(1, largest // 60)):
        assert again(full_at(n_bytes))
    assert not again(full_at(10**7))


def test_a_copy_of_standard_input_that_finds_no_room_is_named(tmp_path, monkeypatch):
    (tmp_path / "edges.txt").write_text("1 2\n" * 100)
    with open(tmp_path / "edges.txt") as stream, monkeypatch.context() as context:
        context.setattr(sys, "stdin", stream)
        with pytest.raises(OSError, match=r"File too large: '.*input \(a copy of standard input\)'"), full_at(40):
            graphcore.read_graph("-")
