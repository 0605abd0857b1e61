"""Signals: always KeyboardInterrupt, soon, also within compiled loops, and everything works afterwards."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import graphcore
from graphcore.base import compiling
from graphcore.base.compiling import compiled
from graphcore.base.threads import away, check_stopped, in_main_thread, map_blocks

PACKAGE = Path(graphcore.__file__).parent

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals between processes")


@pytest.fixture(autouse=True)
def heard():
    """Restore the handler of the signal, which a shell that starts tests in the background makes processes ignore."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@compiled
def busy(n, out):
    """A loop of some n nanoseconds that nothing can foresee."""
    x = 1.0
    for _ in range(n):
        x = x * 0.999999 + 1e-9
    out[0] = x
    return out[:1] * 2  # numba makes an array of it, with Python's help


def interrupt_after(seconds, function, ready=lambda: True):
    """The exception that ends a function interrupted once it is ready, and the processor time after the signal."""
    sent = []

    def send():
        time.sleep(seconds)
        while not ready():
            time.sleep(0.01)
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=send)
    try:
        with pytest.raises(BaseException) as caught:
            thread.start()
            while True:
                function()
        late = time.process_time() - sent[0]
    finally:
        thread.join()
    return caught.type, late


def test_a_long_loop_is_interrupted_at_once():
    assert interrupt_after(0.2, lambda: busy(3 * 10**8, np.ones(100)))[0] is KeyboardInterrupt  # compiles
    kind, late = interrupt_after(0.2, lambda: busy(3 * 10**8, np.ones(1 << 23)))
    assert kind is KeyboardInterrupt
    assert late < 0.5
    assert busy(10, np.ones(3))[0] == pytest.approx(2.0, rel=1e-3)


def test_results_of_loops_do_not_turn_interrupts_into_system_errors():
    out = np.ones(3)
    for _ in range(20):
        busy(1, out)  # small and quick by now: called in this thread
    assert busy._pace * out.nbytes < compiling._SOON
    kinds = {interrupt_after(0.002, lambda: busy(100, out))[0] for _ in range(60)}
    assert kinds == {KeyboardInterrupt}


def test_other_exceptions_of_handlers_come_through_too():
    def end(_signal, _frame):
        raise SystemExit(143)

    before = signal.signal(signal.SIGINT, end)
    try:
        kinds = {interrupt_after(0.002, lambda: busy(100, np.ones(3)))[0] for _ in range(20)}
    finally:
        signal.signal(signal.SIGINT, before)
    assert kinds == {SystemExit}


def test_an_interrupted_call_ends_before_its_next_loop():
    ended = threading.Event()

    def work():
        try:
            while True:
                busy(10, np.ones(3))
        finally:
            ended.set()

    assert interrupt_after(0.05, lambda: away(work))[0] is KeyboardInterrupt
    assert ended.wait(20)
    assert away(in_main_thread) is False  # and another thread is there for the next


def test_away_returns_raises_and_keeps_the_context():
    assert away(divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        away(divmod, 7, 0)
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        away(np.divide, 1.0, 0.0)
    # From other threads, and from within, it is a call like any other.
    assert away(away, away, in_main_thread) is False
    seen = []
    thread = threading.Thread(target=lambda: seen.append(away(threading.get_ident)))
    thread.start()
    thread.join()
    assert seen == [thread.ident]


def test_away_works_in_a_fork():
    away(int)
    child = os.fork()
    if child == 0:
        os._exit(away(int, "7"))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_blocks_that_were_interrupted_stop_before_their_next_loop():
    begun, ended, before = [], [], set(threading.enumerate())

    def block(start, _):
        begun.append(start)
        for _ in range(10_000):
            check_stopped()
            time.sleep(0.001)
        ended.append(start)

    # Blocks within blocks too.
    outer = lambda a, b: map_blocks(block, [2 * a, 2 * a + 1, 2 * b], 2)  # noqa: E731
    kind, late = interrupt_after(0.1, lambda: map_blocks(outer, [0, 1, 2], 2), lambda: len(begun) == 4)
    assert kind is KeyboardInterrupt
    assert late < 0.5
    for thread in set(threading.enumerate()) - before:
        if thread.name.startswith("ThreadPoolExecutor"):
            thread.join(20)
    assert (len(begun), ended) == (4, [])


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_fits_interrupted_at_any_moment_leave_a_process_that_fits(n_jobs):
    graph = graphcore.datasets.planted_partition(4, 200, p_in=0.2, p_out=0.01, random_state=0).graph
    fit = lambda: graphcore.CoresetSpectralClustering(4, random_state=0, n_jobs=n_jobs).fit(graph).labels_  # noqa: E731
    expected = fit()
    for i in range(12):
        kind, late = interrupt_after(0.005 + 0.007 * i, fit)
        assert kind is KeyboardInterrupt
        assert late < 0.5
    assert np.array_equal(fit(), expected)


@pytest.mark.slow
def test_a_script_that_is_interrupted_ends_by_the_signal():
    code = """
import os, signal, threading
import numpy as np
from tests.base.test_interrupts import busy
busy(10, np.ones(3))  # compiles
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
busy(5 * 10**8, np.ones(1 << 23))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=PACKAGE.parent, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == -signal.SIGINT
    assert done.stderr.rstrip().endswith("KeyboardInterrupt")


def test_all_loops_can_be_interrupted():
    # Only what is written into other loops is compiled without.
    bare = [
        path for path in PACKAGE.rglob("*.py")
        if any("njit(" in line and 'inline="always"' not in line for line in path.read_text("utf-8").splitlines())
    ]  # fmt: skip
    assert bare == [PACKAGE / "base/compiling.py"]
