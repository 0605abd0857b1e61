"""Loops as Python until compiling pays: when that is, and that results are the same."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from graphcore import Graph
from graphcore.base import compiling
from graphcore.base.compiling import compiled
from graphcore.base.touched import add
from graphcore.cli.warm_up import _graph
from graphcore.cluster.pipeline.settings import check_settings
from graphcore.estimators.fit import fit_graph


@compiled
def _twice(x):
    return 2.0 * x


@compiled
def spread(values, out):
    """Uses a part, and one that numba inlines."""
    sums, is_listed, touched = np.zeros(2), np.zeros(2, dtype=np.bool_), np.empty(3, dtype=np.int32)
    n_touched = 0
    for i in range(len(values)):
        n_touched = add(sums, is_listed, touched, n_touched, i % 2, _twice(values[i]))
    out[:2] = sums
    return n_touched


@compiled(sums_in_any_order=True)
def dot(values):
    """A sum that numba may take in another order."""
    total = 0.0
    for i in range(len(values)):
        total += values[i] * values[i]
    return total


@pytest.fixture
def new_loops(monkeypatch):
    """The loops as in a process that finds nothing on disk."""
    if not isinstance(spread, compiling._Loop):
        pytest.skip("loops are not compiled")
    monkeypatch.delenv(compiling.AT_ONCE)
    monkeypatch.setattr(compiling, "is_kept", lambda _: False)
    monkeypatch.setattr(compiling, "_note_of", lambda _: None)
    for loop in (spread, dot):
        monkeypatch.setattr(loop, "_is_new", True)
        monkeypatch.setattr(loop, "_trial", None)


def test_small_calls_run_as_python_until_that_has_taken_its_share(new_loops, monkeypatch):
    out, called = np.zeros(2), []
    monkeypatch.setattr(spread, "dispatcher", lambda *args: called.append(args))
    monkeypatch.setattr(compiling._Trial, "of", lambda _: trial)
    trial = compiling._Trial(spread, compiling._uncompiled(spread.__wrapped__)[0], n_steps=100)
    assert spread(np.arange(4.0), out) == 2 and out.tolist() == [4.0, 8.0] and not called
    trial._left = 0.0
    assert spread(np.arange(4.0), out) is None and len(called) == 1
    trial._left = 1.0  # compiled once, compiled ever after
    assert spread(np.arange(4.0), out) is None and len(called) == 2


def test_large_calls_are_compiled_at_once(new_loops):
    trial = compiling._Trial.of(spread)
    assert trial.pays(50_000) and not trial.pays(1_000_000)
    trial(32, np.arange(4.0), np.zeros(2))
    assert trial._pace > 1e-8 and not trial.pays(1 << 40)  # it was timed


def test_arrays_in_tuples_count_as_well():
    assert compiling._bytes_of((np.zeros(2), 1, (np.zeros(3), 2.0, (np.zeros(1),)))) == 48
    assert type(compiling._as_numba((1, (2.0, np.zeros(1))))[1][0]) is np.float64


def test_what_another_process_has_compiled_ends_a_trial(new_loops, monkeypatch):
    trial = compiling._Trial.of(spread)
    trial(32, np.arange(4.0), np.zeros(2))
    monkeypatch.setattr(compiling, "is_kept", lambda loop: loop is spread)
    assert trial.pays(0)  # not looked for before it has taken a while
    monkeypatch.setattr(compiling, "_LOOK_AFTER", 0.0)
    assert not trial.pays(0)


def test_sums_in_any_order_are_always_compiled(new_loops):
    assert compiling._Trial.of(dot) is None
    assert dot(np.ones(3)) == 3.0


def test_what_is_on_disk_is_not_tried(new_loops, monkeypatch):
    monkeypatch.setattr(compiling, "is_kept", lambda _: True)
    monkeypatch.setattr(spread, "dispatcher", lambda *args: "compiled")
    assert spread(np.arange(4.0), np.zeros(2)) == "compiled"


def test_seconds_as_python_add_up_over_processes(new_loops, monkeypatch, tmp_path):
    note = tmp_path / "new" / "spread"
    monkeypatch.setattr(compiling, "_note_of", lambda _: note)
    first = compiling._Trial.of(spread)
    first(32, np.arange(4.0), np.zeros(2))
    assert not note.exists()
    first._note()  # when a process ends
    second = compiling._Trial.of(spread)
    assert 0.0 < second._before == pytest.approx(first._taken, abs=1e-6)
    assert second._left == pytest.approx(first._left, abs=1e-6)
    note.write_text("1000")
    assert not compiling._Trial.of(spread).pays(0)
    note.write_text("damaged")
    assert compiling._Trial.of(spread)._before == 0.0


def test_a_division_by_zero_raises_as_compiled_loops_do(new_loops):
    trial = compiling._Trial.of(divided)
    with pytest.raises(ArithmeticError):
        trial(8, np.zeros(1))


@compiled
def divided(values):
    return 1.0 / values[0]


@pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")
@pytest.mark.parametrize(
    ("weighted", "settings"),
    [
        (False, {}),
        (True, {}),
        pytest.param(False, {"objective": "ncut", "effort": "high"}, marks=pytest.mark.slow),
        pytest.param(False, {"published": True}, marks=pytest.mark.slow),
        pytest.param(True, {"max_share": 1.03, "sampling": "degree"}, marks=pytest.mark.slow),
    ],
)
def test_labels_are_the_same_bit_for_bit(weighted, settings, monkeypatch):
    graph = _graph(weighted)
    if weighted:  # whose sums depend on their order
        graph = Graph(graph.indptr, graph.indices, graph.weights / 3.0)
    want = fit_graph(graph, check_settings(6, settings), random_state=0).clustering
    ran = []

    def run_as_python(loop, *args):
        function, _, is_same = compiling._uncompiled(loop.dispatcher)
        ran.append(loop)
        with np.errstate(over="ignore", invalid="ignore", divide="raise"):
            return function(*map(compiling._as_numba, args)) if is_same else loop.dispatcher(*args)

    monkeypatch.setattr(compiling._Loop, "__call__", run_as_python)
    got = fit_graph(graph, check_settings(6, settings), random_state=0).clustering
    np.testing.assert_array_equal(got.labels, want.labels)
    assert got.history == want.history
    assert len(ran) > 10


@pytest.mark.parametrize(
    "path", sorted(Path(compiling.__file__).parents[1].rglob("*_loops.py")), ids=lambda path: path.stem
)
def test_loops_take_sums_and_squares_as_numba_does(path):
    # numpy adds up in another order than numba, and takes squares of scalars by pow, which may be off by one bit.
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        assert not isinstance(node, ast.Pow | ast.MatMult), f"{path.name}: a product rounds as compiled ones do"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            assert node.func.attr not in {"sum", "mean", "dot", "cumsum", "argsort", "std", "var"}, (
                f"{path}:{node.lineno}"
            )


@pytest.mark.slow
def test_a_first_command_on_a_small_file_compiles_nothing(tmp_path):
    (tmp_path / "ring.txt").write_text("".join(f"{i} {(i + d) % 30}\n" for i in range(30) for d in (1, 2)))
    code = (
        "from numba.core import event; import graphcore.cli.warm_up as w, sys\n"
        "import graphcore.cli.cluster as c; c.help_compiling = lambda *_: None\n"
        "with event.install_recorder('numba:compile') as seen:\n"
        "    from graphcore.cli import main\n"
        "    sys.argv = ['graphcore', 'cluster', 'ring.txt', '-k', '2', '-o', 'labels.tsv']\n"
        "    try: main()\n"
        "    except SystemExit: pass\n"
        "print('compiled', len(seen.buffer))"
    )
    env = {name: value for name, value in os.environ.items() if name != compiling.AT_ONCE}
    env["NUMBA_CACHE_DIR"] = str(tmp_path / "cache")
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert done.stdout.endswith("compiled 0\n"), done.stdout + done.stderr
    assert len((tmp_path / "labels.tsv").read_text().splitlines()) == 30
