"""Loops: compiled, run over fixed blocks in threads, and always interruptible.

Blocks depend on the data alone, so that results are the same for any number of threads. Plain Python threads need no
threading layer, survive forks and other libraries' pools, and keep compile times short; compiled loops release the
interpreter lock.

Python runs the handlers of signals in the main thread, between two steps of Python. `away` makes a long call of
compiled code in another thread, while the main thread waits and can be interrupted.
"""

import contextvars
import functools
import gc
import mmap
import os
import sys
import threading
from bisect import bisect_left
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager, nullcontext
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
from numba._dispatcher import compute_fingerprint
from numba.core import event

from ..exceptions import ParameterError
from .lazy import import_whole
from .validation import check_integer

NOTICE = "graphcore: compiling loops that are new to this machine (up to half a minute, kept for later runs)"
NOTICE_UNKEPT = (
    "graphcore: compiling its loops, in every run: neither its folder nor the user's cache can be written; set "
    "NUMBA_CACHE_DIR to a folder that can"
)
NOTICE_PYNNDESCENT = "graphcore: compiling pynndescent's loops, once in every process: half a minute"
# A call in another thread costs up to 200 microseconds, most of them for data that another core has to fetch. Loops are
# called there if their arrays have more bytes, for which they may take longer than a signal should wait. At 1 << 22 the
# moves on MNIST's graph took three times as long.
_LARGE = 1 << 25
_BLOCK_ENTRIES = 1 << 20
_MAX_BLOCKS = 256
# Waiting for a lock cannot be interrupted everywhere (Windows), so that it is done for so many seconds at a time.
_WAIT = 0.2
# .stop: in a thread of `_in_threads`, the event that says that its results are no longer wanted
_here = threading.local()
_unkept: list = []  # loops that no folder can keep
_told: set[str] = set()  # packages of whose loops it has been said that they are compiled


# -- compiled loops ----------------------------------------------------------------------------------------------------


def compiled(function=None, *, sums_in_any_order=False):
    """Compile a loop and keep it on disk; the loop releases the interpreter lock.

    In the main thread a loop over large arrays runs in another thread (`away`), so that signals are handled. In the
    threads of `map_blocks`, a loop whose result is no longer wanted does not begin. `sums_in_any_order` lets numba
    vectorise sums of floats; every call adds in one order. A function whose name begins with an underscore is called by
    other loops alone: it gets no wrapper for Python, which saves a tenth of compiling. So does not checking divisions:
    by zero they are infinite, as in numpy. The arrays that a loop works in are made in Python, for the same reason.
    """
    if function is None:
        return functools.partial(compiled, sums_in_any_order=sums_in_any_order)
    is_part = function.__name__.startswith("_")
    options: dict[str, Any] = {
        "nogil": True, "no_cfunc_wrapper": True, "no_cpython_wrapper": is_part, "error_model": "numpy",
        "fastmath": {"reassoc", "nsz", "contract"} if sums_in_any_order else False,
    }  # fmt: skip
    try:
        dispatcher: Any = numba.njit(cache=True, **options)(function)
    except RuntimeError:  # no folder can be written
        _unkept.append(function)
        dispatcher = numba.njit(**options)(function)
    # NUMBA_DISABLE_JIT leaves the function as it is.
    return dispatcher if is_part or dispatcher is function else _Loop(dispatcher)


class _Loop:
    """A compiled function that Python calls.

    numba and LLVM do not survive an exception of a signal's handler while they load a loop or compile it, so that the
    first call of each kind is made in another thread.
    """

    def __init__(self, dispatcher):
        functools.update_wrapper(self, dispatcher)
        self.dispatcher, self.known = dispatcher, set()
        self._numba_type_ = dispatcher._numba_type_  # numba compiles a call of this object as one of the dispatcher

    def __call__(self, *args):
        if not in_main_thread():
            check_stopped()
            return self._called(*args)
        try:
            kinds = compute_fingerprint(args)
        except NotImplementedError:  # of random generators, for one
            return away(self._first, *args)
        if kinds not in self.known:
            result = away(self._first, *args)
            self.known.add(kinds)
            return result
        return away(self._called, *args) if _bytes_of(args) > _LARGE else self._called(*args)

    def _first(self, *args):
        """Make the first call; numba makes millions of objects, whose collection would cost a tenth of compiling."""
        check_stopped()
        was_enabled = gc.isenabled()
        gc.disable()
        try:
            return self._called(*args)
        finally:
            if was_enabled:
                gc.enable()

    def _called(self, *args):
        """Call numba's function; what stopped it as it made Python's objects, Python has wrapped in a SystemError."""
        try:
            return self.dispatcher(*args)
        except SystemError as error:
            cause: BaseException = error
            while isinstance(cause, SystemError) and cause.__cause__ is not None:
                cause = cause.__cause__
            raise cause from None


def _bytes_of(values):
    """Count the bytes of the arrays among some values, and in tuples of them."""
    size = 0
    for value in values:
        if type(value) is np.ndarray:
            size += value.nbytes
        elif isinstance(value, tuple):
            size += _bytes_of(value)
    return size


@contextmanager
def compilation_notices(tell):
    """Within, call `tell(text)` if loops of graphcore or pynndescent are compiled, the first time in a process."""

    class Listener(event.Listener):
        def on_start(self, compiling):
            package = compiling.data["dispatcher"].py_func.__module__.partition(".")[0]
            notice = {"graphcore": NOTICE_UNKEPT if _unkept else NOTICE, "pynndescent": NOTICE_PYNNDESCENT}.get(package)
            if notice and package not in _told:
                _told.add(package)
                tell(notice)

        def on_end(self, compiling):
            pass

    with event.install_listener("numba:compile", Listener()):
        yield


# -- interrupts --------------------------------------------------------------------------------------------------------


def in_main_thread():
    """Return whether this is the thread that signals interrupt."""
    return threading.get_ident() == threading.main_thread().ident


def away(function, *args, **options):
    """Call a function in another thread if this is the main one, so that a signal interrupts the wait for its result.

    The interrupted call ends before its next compiled loop, or at its own end.
    """
    if not in_main_thread():
        return function(*args, **options)
    call = functools.partial(contextvars.copy_context().run, function, *args, **options)
    return _in_threads([call], 1)[0]


def _in_threads(calls, n_threads):
    """Return the results of calls made in other threads, in order."""
    stop = getattr(_here, "stop", None) or threading.Event()  # calls within calls are stopped together

    def run(call):
        _here.stop = stop
        check_stopped()
        return call()

    pool, results = ThreadPoolExecutor(n_threads), []
    is_awaited = True
    try:
        for future in [pool.submit(run, call) for call in calls]:
            while not future.done():
                wait([future], _WAIT)
            results.append(future.result())
        return results
    except (KeyboardInterrupt, SystemExit):
        stop.set()
        is_awaited = False  # a call may run for many seconds, and nobody waits for its result
        raise
    except RuntimeError as error:
        if "start new thread" in str(error):  # a thread takes memory, too
            raise MemoryError(str(error)) from None
        raise
    finally:
        pool.shutdown(wait=is_awaited, cancel_futures=True)


def check_stopped():
    """Raise KeyboardInterrupt in a thread whose results are no longer wanted."""
    stop = getattr(_here, "stop", None)
    if stop is not None and stop.is_set():
        raise KeyboardInterrupt


# -- blocks ------------------------------------------------------------------------------------------------------------


def effective_jobs(n_jobs):
    """Return the number of threads that `n_jobs` asks for, by joblib's conventions (None is 1, -1 all)."""
    if n_jobs is not None and check_integer("n_jobs", n_jobs) == 0:
        raise ParameterError("n_jobs=0 has no meaning; use 1 for one thread, -1 for all processors")
    if n_jobs == 1 or (n_jobs is None and "joblib" not in sys.modules):  # only its contexts give None another meaning
        return 1
    import joblib

    return max(1, int(joblib.effective_n_jobs(n_jobs)))


def row_blocks(indptr, entries=_BLOCK_ENTRIES):
    """Cut the rows of a CSR structure into blocks of about `entries` rows and entries; returns borders (int64)."""
    n_rows = len(indptr) - 1
    work = int(indptr[-1]) + n_rows
    n_blocks = max(1, min(_MAX_BLOCKS, work // entries, n_rows))
    if n_blocks == 1:
        return np.array([0, n_rows], dtype=np.int64)
    # Rows cost something too (there may be a million empty ones): bisection on indptr[i] + i, which is never built.
    rows = range(n_rows)
    borders = [bisect_left(rows, target, key=lambda i: indptr[i] + i) for target in np.linspace(0, work, n_blocks + 1)]
    return np.unique([*borders[:-1], n_rows])


def row_spans(indptr, entries=_BLOCK_ENTRIES):
    """Return the blocks of :func:`row_blocks`, as pairs of where they begin and end."""
    return list(pairwise(row_blocks(indptr, entries).tolist()))


def map_blocks(function, borders, n_jobs):
    """Call `function(start, stop)` for every block between `borders`; returns the results in block order."""
    return map_items(lambda span: function(int(span[0]), int(span[1])), list(pairwise(borders)), n_jobs)


def map_items(function, items, n_jobs):
    """Call `function(item)` for every item of a sequence; returns the results in order."""
    n_threads = min(effective_jobs(n_jobs), len(items))
    if n_threads <= 1:
        return list(map(function, items))
    return _in_threads([functools.partial(function, item) for item in items], n_threads)


# -- mapped arrays -----------------------------------------------------------------------------------------------------


@contextmanager
def read_at_random(*arrays):
    """Keep the system, within, from reading ahead in mapped arrays (megabytes a row); other arrays are left alone."""
    maps = list(filter(None, map(_map_of, arrays))) if hasattr(mmap, "MADV_RANDOM") else []
    for found in maps:
        found.madvise(mmap.MADV_RANDOM)
    try:
        yield
    finally:
        for found in maps:
            found.madvise(mmap.MADV_NORMAL)


def release(*arrays):
    """Give pages of mapped arrays back; the system keeps them while it has room, but no longer counts them here."""
    for found in filter(None, map(_map_of, arrays)) if hasattr(mmap, "MADV_DONTNEED") else ():
        found.madvise(mmap.MADV_DONTNEED)


def _map_of(array):
    """Return the memory map that an array is a view of, or None."""
    while array is not None and not isinstance(array, mmap.mmap):
        array = getattr(array, "base", None)
    return array


# -- other libraries' threads, and forks -------------------------------------------------------------------------------


def module_lock():
    """Make a lock for as long as the process lives, which its thread may take again.

    A forked child has the thread that forked alone: what others held is free there, or it would wait for ever.
    """
    lock = threading.RLock()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lock._at_fork_reinit)  # type: ignore[attr-defined]
    return lock


if TYPE_CHECKING:
    from functools import cached_property
else:

    class cached_property(functools.cached_property):
        """functools's, without the lock that Python 3.11 holds for all objects of a class while it computes a value."""

        def __init__(self, function):
            super().__init__(function)
            self.lock = nullcontext()


# The libraries' thread pools belong to the whole process: two threads that limit them at the same time and set them
# back in another order leave them limited for good.
_LIMITING = module_lock()
# The number of modules when thread pools were last searched for, and the pools found. A search takes a millisecond or
# two, and only an imported module can bring another pool.
_libraries: list = [0, None]


@contextmanager
def limited_libraries():
    """BLAS and OpenMP work with one thread inside, so that sums are taken in the same order everywhere.

    One thread at a time: others wait; the same may come back, as by a caller's own kernel that uses graphcore.
    Libraries have to be imported before, or they are not limited.
    """
    with _LIMITING, ExitStack() as limited:
        if _libraries[0] != (n_modules := len(sys.modules)):
            # It is called back from C while it looks for libraries, where the exception of a signal would be lost.
            _libraries[:] = n_modules, away(import_whole("threadpoolctl").ThreadpoolController)
        limited.enter_context(_libraries[1].limit(limits={"blas": 1, "openmp": 1}))
        yield


def away_with_one(function, *args):
    """`away` within `limited_libraries`, for what uses OpenMP, whose limit is one of the thread that sets it."""

    def limited():
        with _libraries[1].limit(limits=1, user_api="openmp"):
            return function(*args)

    return away(limited)
