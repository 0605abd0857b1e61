"""Threads: compiled loops release the interpreter lock and are run over fixed blocks; the main one can be interrupted.

Blocks depend on the data alone, so that results are the same for any number of threads. Plain Python threads need no
threading layer, survive forks and other libraries' pools, and keep compile times short.

Python runs the handlers of signals in the main thread, between two steps of Python. `away` makes a long call of
compiled code in another thread, while the main thread waits and can be interrupted.
"""

import contextvars
import functools
import sys
import threading
from bisect import bisect_left
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from itertools import pairwise

import numpy as np

from ..exceptions import ParameterError
from .locks import ModuleLock
from .validation import check_integer

_BLOCK_ENTRIES = 1 << 20
_MAX_BLOCKS = 256
# The libraries' thread pools belong to the whole process: two threads that limit them at the same time and set them
# back in another order leave them limited for good.
_LIMITING = ModuleLock()
# While they are limited or set back, they hold locks of their own, which no fork would ever see released.
_SETTING = ModuleLock(forks_wait=True)
# The number of modules when thread pools were last searched for, and the pools found. A search takes a millisecond or
# two, and only an imported module can bring another pool.
_libraries: list = [0, None]
# Waiting for a lock cannot be interrupted everywhere (Windows), so that it is done for so many seconds at a time.
_WAIT = 0.2
# .stop: in a thread of `_in_threads`, the event that says that its results are no longer wanted
_here = threading.local()


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
    # Calls within calls are stopped together.
    stop = getattr(_here, "stop", None) or threading.Event()

    def run(call):
        _here.stop = stop
        check_stopped()
        return call()

    pool = ThreadPoolExecutor(n_threads)
    is_awaited = True
    try:
        return [_result(future) for future in [pool.submit(run, call) for call in calls]]
    except (KeyboardInterrupt, SystemExit):
        stop.set()
        is_awaited = False  # a call may run for many seconds, and nobody waits for its result
        raise
    finally:
        pool.shutdown(wait=is_awaited, cancel_futures=True)


def _result(future):
    """Return the result of a future; a wait with a limit lets signals through on every system."""
    while not future.done():
        wait([future], _WAIT)
    return future.result()


def check_stopped():
    """Raise KeyboardInterrupt in a thread whose results are no longer wanted."""
    stop = getattr(_here, "stop", None)
    if stop is not None and stop.is_set():
        raise KeyboardInterrupt


def effective_jobs(n_jobs):
    """Return the number of threads that `n_jobs` asks for, by joblib's conventions (None is 1, -1 all)."""
    if n_jobs is not None:
        n_jobs = check_integer("n_jobs", n_jobs)
    if n_jobs is None or n_jobs == 1:
        # joblib is only asked when a context may have been set, to keep start-up short.
        if n_jobs is None and "joblib" in sys.modules:
            return int(sys.modules["joblib"].effective_n_jobs(None))
        return 1
    if n_jobs == 0:
        raise ParameterError("n_jobs=0 has no meaning; use 1 for one thread, -1 for all processors")
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
    return [(int(first), int(last)) for first, last in pairwise(row_blocks(indptr, entries))]


def map_blocks(function, borders, n_jobs):
    """Call `function(start, stop)` for every block between `borders`; returns the results in block order."""
    spans = [(int(a), int(b)) for a, b in pairwise(borders)]
    n_threads = min(effective_jobs(n_jobs), len(spans))
    if n_threads <= 1:
        return [function(start, stop) for start, stop in spans]
    return _in_threads([functools.partial(function, *span) for span in spans], n_threads)


def map_items(function, items, n_jobs):
    """Call `function(item)` for every item of a sequence; returns the results in order."""
    return map_blocks(lambda i, _: function(items[i]), np.arange(len(items) + 1), n_jobs)


@contextmanager
def limited_libraries(openmp=1):
    """BLAS works with one thread inside, so that sums are taken in the same order everywhere, OpenMP with `openmp`.

    More than one is for sums that are the same in any order. One thread at a time: others wait; the same may come back,
    as by a caller's own kernel that uses graphcore. Libraries have to be imported before, or they are not limited.
    """
    from threadpoolctl import ThreadpoolController

    with _LIMITING:
        with _SETTING:
            if _libraries[0] != (n_modules := len(sys.modules)):
                # It is called back from C while it looks for libraries, where the exception of a signal would be lost.
                _libraries[:] = n_modules, away(ThreadpoolController)
            limited = ExitStack()
            limited.enter_context(_libraries[1].limit(limits={"blas": 1, "openmp": openmp}))
        try:
            yield
        finally:
            with _SETTING:
                limited.close()


def away_with_one(function, *args):
    """`away` within `limited_libraries`, for what uses OpenMP, whose limit is one of the thread that sets it."""

    def limited():
        with _libraries[1].limit(limits=1, user_api="openmp"):
            return function(*args)

    return away(limited)
