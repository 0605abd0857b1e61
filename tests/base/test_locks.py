"""Forks while other threads hold locks: the child goes on; and no module has a lock that forks know nothing of."""

import ast
import importlib
import os
import pkgutil
import signal
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import graphcore
from graphcore.base import locks, threads
from graphcore.datasets import degree_corrected_partition

ROOT = Path(graphcore.__file__).parent
_PRIMITIVES = ("Lock", "RLock", "Condition", "Event", "Semaphore", "BoundedSemaphore", "Barrier")


def modules():
    names = [found.name for found in pkgutil.walk_packages(graphcore.__path__, "graphcore.")]
    return [importlib.import_module(name) for name in names if not name.endswith("__main__")]


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


@contextmanager
def held_by_another_thread(lock):
    held, done = threading.Event(), threading.Event()

    def hold():
        with lock:
            held.set()
            done.wait(60)

    thread = threading.Thread(target=hold, daemon=True)
    thread.start()
    held.wait(60)
    try:
        yield
    finally:
        done.set()
        thread.join()


def test_every_lock_that_another_thread_holds_is_free_in_a_fork():
    modules()
    assert len(locks._locks) >= 3
    for lock in locks._locks:

        def take(lock=lock):
            with lock:
                pass

        with held_by_another_thread(lock):
            assert ends_well_in_a_fork(take)
            assert not lock._lock.acquire(blocking=False)  # here it is held as before


def test_a_lock_that_the_forking_thread_holds_comes_along():
    lock = locks.ModuleLock()

    def is_held():
        found = []
        thread = threading.Thread(target=lambda: found.append(lock._lock.acquire(blocking=False)))
        thread.start()
        thread.join()
        assert found == [False]
        lock.__exit__()

    with lock:
        assert ends_well_in_a_fork(is_held)
    locks._locks.remove(lock)


def test_a_fork_waits_until_nothing_is_being_compiled():
    from numba.core.compiler_lock import global_compiler_lock

    def compile_anew():
        with global_compiler_lock:
            pass

    importlib.import_module("graphcore.base._loops")  # has loops
    held, release = threading.Event(), threading.Event()

    def compile_for_long():
        with global_compiler_lock:
            held.set()
            release.wait(0.3)

    thread = threading.Thread(target=compile_for_long)
    thread.start()
    held.wait()
    assert ends_well_in_a_fork(compile_anew)
    thread.join()
    with global_compiler_lock:
        pass


@pytest.mark.slow
def test_a_fork_waits_until_no_library_is_being_limited(limits):
    inside, its_own = threading.Event(), threading.Lock()

    class Library:  # as OpenBLAS does, whose threads are begun anew after every fork
        def limit(self, limits):
            with its_own:
                inside.set()
                time.sleep(0.3)
            return self

        def __enter__(self):
            return self

        def __exit__(self, *error):
            self.limit({})

    def limit():
        with threads.limited_libraries():
            pass

    importlib.import_module("threadpoolctl")
    limits(threads, _libraries=[len(sys.modules), Library()])
    thread = threading.Thread(target=limit)
    thread.start()
    for _ in range(2):  # while it is limited, and while it is set back
        inside.wait(60)
        inside.clear()
        assert ends_well_in_a_fork(limit)
    thread.join()


@pytest.mark.slow
def test_sources_make_locks_for_objects_alone():
    found = []
    for path in ROOT.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        inside = {id(node) for part in ast.walk(tree) if isinstance(part, ast.FunctionDef) for node in ast.walk(part)}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module in ("threading", "functools"):
                is_wrong = {alias.name for alias in node.names} & {*_PRIMITIVES, "cached_property"}
            else:
                is_wrong = isinstance(node, ast.Attribute) and node.attr in _PRIMITIVES and id(node) not in inside
            if is_wrong and path.name != "locks.py":
                found.append(f"{path}:{node.lineno}")
    assert found == [], "a ModuleLock and locks.cached_property are free in forks"


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


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["KernelKMeans", "NystromKernelKMeans", "default"])
def test_fifty_forks_beside_a_fitting_thread(kind):
    rng = np.random.default_rng(0)
    if kind.endswith("KernelKMeans"):
        large, small = (np.concatenate([rng.normal(size=(n, 5)) + 4 * c for c in range(3)]) for n in (1000, 100))

        def fit(X):
            return getattr(graphcore, kind)(3, random_state=0).fit(X).labels_
    else:
        large, small = (degree_corrected_partition(6, n, mean_degree=20, random_state=0)[0] for n in (5000, 100))

        def fit(X):
            return graphcore.CoresetSpectralClustering(6, random_state=0).fit(X).labels_

    want, stop = fit(small), threading.Event()

    def work():
        while not stop.is_set():
            fit(large)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        for number in range(50):
            time.sleep(rng.random() * 0.2)
            assert ends_well_in_a_fork(lambda: np.testing.assert_array_equal(fit(small), want), 60), number
    finally:
        stop.set()
        thread.join()
