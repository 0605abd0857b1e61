"""Loops: compiled once, in blocks that depend on the data alone, interrupted by signals, and working in forks."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import joblib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import config
from numba._dispatcher import compute_fingerprint
from numba.core import event

import graphcore
from graphcore import ParameterError
from graphcore.base import loops
from graphcore.base.validation import read_only
from graphcore.graphs._loops import nth_largest

PACKAGE = Path(graphcore.__file__).parent

posix = pytest.mark.skipif(os.name != "posix", reason="signals between processes, and forks")


@pytest.fixture(autouse=True)
def heard():
    """Restore the handler of the signal, which a shell that starts tests in the background makes processes ignore."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@loops.compiled
def busy(n, out):
    """A loop of some n nanoseconds that nothing can foresee."""
    x = 1.0
    for _ in range(n):
        x = x * 0.999999 + 1e-9
    out[0] = x
    return out[:1] * 2  # numba makes an array of it, with Python's help


# -- compiled loops ----------------------------------------------------------------------------------------------------


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=30), st.data())
def test_nth_largest(values, data):
    n = data.draw(st.integers(1, len(values)))
    assert nth_largest(np.array(values, dtype=float), len(values), n) == sorted(values, reverse=True)[n - 1]


def test_read_only_arrays_are_views_where_they_can_be():
    array = np.arange(6.0)
    view = read_only(array)
    assert np.shares_memory(view, array) and not view.flags.writeable and array.flags.writeable
    assert read_only(array[::2]).flags.c_contiguous and read_only(array, np.float32).dtype == np.float32


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="loops are not compiled")
def test_large_arrays_and_first_calls_of_each_kind_are_for_another_thread(limits):
    limits(busy, dispatcher=lambda *args: threading.get_ident() != threading.main_thread().ident, known=set())
    few, many = np.zeros(1), np.zeros(1 << 23)
    calls = [few, few, few.astype("f4"), few, few[:, None], few[:, None], read_only(few), (few, (few,)), (few, (few,)),
             (few, (many,)), (few, (many,)), (few, few)]  # fmt: skip
    assert [busy(1, each) for each in calls] == [
        True, False, True, False, True, False, True, True, False, True, True, True,
    ]  # fmt: skip


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="loops are not compiled")
@pytest.mark.parametrize("known", [set(), {compute_fingerprint((1, np.zeros(1)))}])
@pytest.mark.parametrize("n_bytes", [8, 1 << 26])
def test_where_memory_ends_loops_say_so(limits, known, n_bytes):
    def dispatcher(*args):
        raise SystemError("returned a result with an exception set") from MemoryError()

    limits(busy, dispatcher=dispatcher, known=known)
    for call in (busy, lambda *args: loops.away(busy, *args)):
        with pytest.raises(MemoryError):
            call(1, np.zeros(n_bytes // 8))


@pytest.mark.slow
@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="loops are not compiled")
@pytest.mark.parametrize("has_folder", [True, False])
def test_loops_are_kept_and_one_notice_says_that_they_are_compiled(tmp_path, has_folder):
    code = (
        "import numpy as np, numba.core.caching as caching\n"
        f"if not {has_folder}: caching.CacheImpl._locator_classes = []\n"
        "from graphcore.base.loops import compilation_notices\n"
        "from graphcore.graphs._loops import nth_largest\n"
        "said = []\n"
        "with compilation_notices(said.append):\n"
        "    for kind in (np.float64, np.float32): assert nth_largest(np.arange(5, dtype=kind), 5, 2) == 3\n"
        "print(said)"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True,
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
        ).stdout.strip()
        for _ in range(2)
    ]  # fmt: skip
    notice = str([loops.NOTICE if has_folder else loops.NOTICE_UNKEPT])
    assert said == [notice, "[]" if has_folder else notice]


def test_loops_of_pynndescent_are_told_once_and_those_of_others_never(monkeypatch):
    monkeypatch.setattr(loops, "_told", {"graphcore"})
    said = []
    with loops.compilation_notices(said.append):
        for module in ("umap.layouts", "pynndescent.utils", "pynndescent.heap"):
            function = SimpleNamespace(py_func=SimpleNamespace(__module__=module))
            event.start_event("numba:compile", {"dispatcher": function})
    assert said == [loops.NOTICE_PYNNDESCENT]


def test_all_loops_can_be_interrupted():
    # Only what is written into other loops is compiled without.
    bare = [
        path for path in PACKAGE.rglob("*.py")
        if any("njit(" in line and 'inline="always"' not in line for line in path.read_text("utf-8").splitlines())
    ]  # fmt: skip
    assert bare == [PACKAGE / "base/loops.py"]


# -- interrupts --------------------------------------------------------------------------------------------------------


def interrupt_after(seconds, function, ready=lambda: True):
    """The processor time after which a KeyboardInterrupt ends a function that is sent a signal once it is ready."""
    sent = []

    def send():
        time.sleep(seconds)
        while not ready():
            time.sleep(0.01)
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=send)
    try:
        with pytest.raises(KeyboardInterrupt):
            thread.start()
            while True:
                function()
        return time.process_time() - sent[0]
    finally:
        thread.join()


@posix
def test_a_long_loop_is_interrupted_at_once_and_results_make_no_system_errors_of_it():
    interrupt_after(0.05, lambda: busy(3 * 10**8, np.ones(100)))  # compiles
    assert interrupt_after(0.05, lambda: busy(3 * 10**8, np.ones(1 << 23))) < 0.5
    assert busy(10, np.ones(3))[0] == pytest.approx(2.0, rel=1e-3)
    busy(1, np.ones(3))
    for _ in range(60):
        interrupt_after(0.002, lambda: busy(100, np.ones(3)))


def test_away_returns_raises_keeps_the_context_and_says_where_memory_leaves_no_thread(monkeypatch):
    assert loops.away(divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        loops.away(divmod, 7, 0)
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        loops.away(np.divide, 1.0, 0.0)
    assert loops.away(loops.away, loops.away, loops.in_main_thread) is False  # from within, it is a call like any other

    def start(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    with pytest.raises(MemoryError, match="can't start new thread"):
        loops.away(divmod, 7, 2)


@posix
def test_blocks_that_were_interrupted_stop_before_their_next_loop():
    begun, ended, before = [], [], set(threading.enumerate())

    def block(start, _):
        begun.append(start)
        for _ in range(10_000):
            loops.check_stopped()
            time.sleep(0.001)
        ended.append(start)

    # Blocks within blocks too.
    outer = lambda a, b: loops.map_blocks(block, [2 * a, 2 * a + 1, 2 * b], 2)  # noqa: E731
    assert interrupt_after(0.1, lambda: loops.map_blocks(outer, [0, 1, 2], 2), lambda: len(begun) == 4) < 0.5
    for thread in set(threading.enumerate()) - before:
        if thread.name.startswith("ThreadPoolExecutor"):
            thread.join(20)
    assert (len(begun), ended) == (4, [])


@posix
@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_fits_interrupted_at_any_moment_leave_a_process_that_fits(n_jobs):
    graph = graphcore.datasets.planted_partition(4, 200, p_in=0.2, p_out=0.01, random_state=0).graph
    fit = lambda: graphcore.CoresetSpectralClustering(4, random_state=0, n_jobs=n_jobs).fit(graph).labels_  # noqa: E731
    expected = fit()
    for i in range(12):
        assert interrupt_after(0.005 + 0.007 * i, fit) < 0.5
    assert np.array_equal(fit(), expected)


# -- blocks ------------------------------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 50), min_size=1, max_size=200), st.integers(1, 300))
def test_blocks_cover_all_rows_once_and_are_even(lengths, entries):
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    n = len(lengths)
    borders = loops.row_blocks(indptr, entries)
    assert borders.dtype == np.int64
    assert (borders[0], borders[-1]) == (0, n)
    assert (np.diff(borders) > 0).all()
    work = np.array(lengths) + 1
    n_blocks = max(1, min(256, work.sum() // entries, n))
    assert len(borders) - 1 <= n_blocks
    # No block holds more than its share and one row.
    shares = np.add.reduceat(work, borders[:-1])
    assert (shares <= work.sum() / n_blocks + work.max() + 1).all()


def test_one_row_no_entries_and_the_largest_number_of_blocks():
    assert loops.row_blocks(np.array([0, 10**9])).tolist() == [0, 1]
    assert loops.row_blocks(np.zeros(5, dtype=np.int64)).tolist() == [0, 4]
    assert len(loops.row_blocks(np.arange(0, 10**6, 10), 1)) == 257


@pytest.mark.parametrize("n_jobs", [None, 1, 3, -1])
def test_results_come_in_block_order(n_jobs):
    def work(start, stop):
        time.sleep(0.002 if start == 0 else 0)  # the first block finishes last
        return start, stop

    assert loops.map_blocks(work, np.array([0, 3, 5, 9]), n_jobs) == [(0, 3), (3, 5), (5, 9)]
    assert loops.map_items(str, range(3, 8), n_jobs) == ["3", "4", "5", "6", "7"]
    assert loops.map_items(str, (), n_jobs) == []


def test_threads_are_used_and_one_job_runs_in_the_callers():
    barrier = threading.Barrier(2, timeout=20)  # both blocks must be running at once to pass it
    loops.map_blocks(lambda a, b: barrier.wait(), [0, 1, 2], 2)
    assert loops.map_blocks(lambda a, b: threading.get_ident(), [0, 1, 2], 1) == [threading.get_ident()] * 2


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_error_in_a_block_comes_through_and_stops_the_rest(n_jobs):
    started = []

    def work(start, stop):
        started.append(start)
        if start == 0:
            raise ZeroDivisionError("block 0")
        time.sleep(0.01)

    with pytest.raises(ZeroDivisionError, match="block 0"):
        loops.map_blocks(work, np.arange(201), n_jobs)
    assert len(started) < 100


def test_effective_jobs():
    assert [loops.effective_jobs(n) for n in (None, 1, 3, np.int64(2), -1000)] == [1, 1, 3, 2, 1]
    assert loops.effective_jobs(-1) == joblib.cpu_count()
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert (loops.effective_jobs(None), loops.effective_jobs(1)) == (2, 1)
    for bad in (0, 1.5, "2", True):
        with pytest.raises(ParameterError, match="n_jobs="):
            loops.effective_jobs(bad)


# -- other libraries' threads, and forks -------------------------------------------------------------------------------


def test_blas_and_openmp_have_one_thread_inside_where_they_may_be_limited_again_and_others_wait():
    import sklearn.cluster  # noqa: F401  brings OpenMP
    from threadpoolctl import threadpool_info

    def threads():
        found = {(pool["user_api"], pool["num_threads"]) for pool in threadpool_info()}
        return {pair for pair in found if pair[0] in ("blas", "openmp")}

    found = []

    def limited():
        with loops.limited_libraries():
            found.append(threads())

    limited()
    other = threading.Thread(target=limited)  # libraries may hold their limits for the thread that set them
    other.start()
    other.join()
    assert found == [{("blas", 1), ("openmp", 1)}] * 2
    entered = []

    def enter():
        with loops.limited_libraries():
            entered.append(1)

    other = threading.Thread(target=enter, daemon=True)
    with loops.limited_libraries():
        enter()
        other.start()
        other.join(0.05)
        assert len(entered) == 1
    other.join(20)
    assert len(entered) == 2


def ends_well_in_a_fork(work, seconds=10):
    """Whether a forked process gets through some work in so many seconds."""
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(seconds)
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1] == 0


@posix
def test_a_fork_beside_a_fit_fits():
    X = np.random.default_rng(0).normal(size=(60, 2))
    inside, done = threading.Event(), threading.Event()

    def waiting(A, B):
        inside.set()
        done.wait(60)
        return A @ B.T

    def fit(kernel):
        return graphcore.KernelKMeans(2, kernel=kernel, random_state=0).fit(X)

    want = fit("linear").labels_
    thread = threading.Thread(target=fit, args=(waiting,), daemon=True)
    thread.start()
    inside.wait(60)
    try:
        assert ends_well_in_a_fork(lambda: np.testing.assert_array_equal(fit("linear").labels_, want), 60)
    finally:
        done.set()
        thread.join()
