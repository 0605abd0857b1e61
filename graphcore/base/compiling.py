"""Compile loops with numba, keep them on disk, and tell when they are compiled.

Private names of numba are used here and in `loop_cache.py` alone; `tests/base/test_loop_cache.py` lists them, and fails
where numba has changed them.
"""

import functools
import gc
import math
import time
from contextlib import contextmanager, suppress
from typing import Any, cast

import numba
import numpy as np
from numba.core import event
from numba.core.compiler_lock import global_compiler_lock

from .locks import held_in_forks
from .loop_cache import LoopCache, first_in_a_day
from .threads import away, check_stopped, in_main_thread

NOTICE = "graphcore: compiling its loops for this machine (once, some seconds)"
NOTICE_UNKEPT = (
    "graphcore: compiling its loops, in every run: neither its folder nor the user's cache can be written; set "
    "NUMBA_CACHE_DIR to a folder that can"
)

# A call in another thread costs up to 200 microseconds, most of them for data that another core has to fetch. Loops are
# called there if they may take longer than this many seconds, for which a signal may wait.
_SOON = 0.05
_LEAST = 2e-9  # assumed lower bound of a loop's seconds for each byte of its arrays

held_in_forks(global_compiler_lock)


def compiled(function=None, *, sums_in_any_order=False):
    """Compile a loop and keep it on disk; the loop releases the interpreter lock.

    In the main thread, a loop that may take long, by the pace of its calls so far, runs in another thread
    (`threads.away`), so that signals are handled. In the threads of `map_blocks`, a loop whose result is no longer
    wanted does not begin. `sums_in_any_order` lets numba vectorise sums of floats; every call adds in one order.
    A function whose name begins with an underscore is called by other loops alone: it gets no wrapper for Python, which
    saves a tenth of compiling.
    """
    if function is None:
        return functools.partial(compiled, sums_in_any_order=sums_in_any_order)
    is_part = function.__name__.startswith("_")
    options: dict[str, Any] = {
        "nogil": True,
        "no_cfunc_wrapper": True,
        "no_cpython_wrapper": is_part,
        "fastmath": {"reassoc", "nsz", "contract"} if sums_in_any_order else False,
    }
    dispatcher: Any = numba.njit(**options)(function)
    if dispatcher is function:  # NUMBA_DISABLE_JIT is set
        return function
    with suppress(RuntimeError):  # no folder can be written
        dispatcher._cache = LoopCache(function)
    return _Part(dispatcher) if is_part else _Loop(dispatcher)


class _Part:
    """A compiled function that other loops call; Python's call of it would crash."""

    def __init__(self, dispatcher: Any):
        functools.update_wrapper(cast(Any, self), dispatcher)
        self.dispatcher = dispatcher
        self._numba_type_ = dispatcher._numba_type_  # numba compiles a call of this object as one of the dispatcher


class _Loop(_Part):
    """A compiled function that Python calls."""

    def __init__(self, dispatcher):
        super().__init__(dispatcher)
        self._pace = math.inf  # seconds for each byte of arrays: of the slowest call, halved with every later one

    def __call__(self, *args):
        if not in_main_thread():
            check_stopped()
            return self.dispatcher(*args)
        size, begun = 1 + _bytes_of(args), time.perf_counter()
        result = (away if size * self._pace > _SOON else _direct)(self.dispatcher, *args)
        pace = (time.perf_counter() - begun) / size
        self._pace = max(_LEAST, pace, 0.0 if self._pace == math.inf else self._pace / 2)
        return result


def _bytes_of(values):
    """Count the bytes of the arrays among some values, and in tuples of them."""
    size = 0
    for value in values:
        if type(value) is np.ndarray:
            size += value.nbytes
        elif type(value) is tuple:
            size += _bytes_of(value)
    return size


def _direct(dispatcher, *args):
    try:
        return dispatcher(*args)
    except SystemError as error:  # Python wraps an exception of a signal's handler that numba's boxing of results met
        cause: BaseException = error
        while isinstance(cause, SystemError) and cause.__cause__ is not None:
            cause = cause.__cause__
        raise cause from None


@contextmanager
def compilation_notices(tell):
    """Within, call `tell(text)` once if loops of graphcore are compiled, not if the cache has them, and once in a day.

    The garbage collector pauses while numba compiles: numba makes millions of objects, whose collection costs a tenth.
    """

    class Listener(event.Listener):
        is_told, n_running, was_enabled = False, 0, False

        def on_start(self, compiling):
            dispatcher = compiling.data["dispatcher"]
            if not self.n_running:
                self.was_enabled = gc.isenabled()
                gc.disable()
            self.n_running += 1
            if not self.is_told and dispatcher.py_func.__module__.partition(".")[0] == "graphcore":
                self.is_told = True
                if not isinstance(dispatcher._cache, LoopCache):
                    tell(NOTICE_UNKEPT)
                elif first_in_a_day():
                    tell(NOTICE)

        def on_end(self, compiling):
            self.n_running -= 1
            if not self.n_running and self.was_enabled:
                gc.enable()

    with event.install_listener("numba:compile", Listener()):
        yield
