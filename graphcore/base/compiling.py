"""Compiles loops: how they are called, and notices, so that a first run does not look like a hang."""

import functools
import gc
import math
import time
from contextlib import contextmanager
from typing import Any

import numpy as np

from .jit import Part, kept_on_disk, while_compiling
from .threads import away, check_stopped, in_main_thread

NOTICE = "graphcore: compiling its loops for this machine (once, some seconds)"
NOTICE_UNKEPT = (
    "graphcore: compiling its loops, in every run: neither its folder nor the user's cache can be written; set "
    "NUMBA_CACHE_DIR to a folder that can"
)

# A call away from the main thread costs up to 200 microseconds, most of them for data that another core has to fetch:
# it is made for loops that may take more than so many seconds, as long as a signal may wait.
_SOON = 0.05
_LEAST = 2e-9  # seconds for each byte of arrays that a loop is taken to need at least


def compiled(function=None, *, sums_in_any_order=False):
    """Compile a loop, kept on disk; it releases the interpreter lock, and signals reach a caller that waits for it.

    Called in the main thread, a loop that may take long, by the pace of its calls so far, runs away from it
    (`threads.away`). In the threads of `map_blocks`, a loop that is no longer wanted does not begin.
    `sums_in_any_order` lets sums of floats be taken some at a time; their order is the same in every call. Functions
    whose names begin with an underscore are for other compiled ones alone: Python cannot call them, which saves a tenth
    of compiling.
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
    loop = kept_on_disk(function, **options)
    if loop is function:
        return loop
    return Part(loop) if is_part else _Loop(loop)


class _Loop(Part):
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
    """Bytes of the arrays among some values, and in tuples of them."""
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
    except SystemError as error:  # Python makes it of what a signal's handler raised while numba made results
        cause: BaseException = error
        while isinstance(cause, SystemError) and cause.__cause__ is not None:
            cause = cause.__cause__
        raise cause from None


@contextmanager
def compilation_notices(tell):
    """Within, `tell(text)` is called once if graphcore's loops start to compile; what a cache has does not.

    Python's search for cycles waits while numba compiles: it makes millions of objects, and the search costs a tenth.
    """
    told: list = []
    paused: list = []  # compilations under way, one inside another, for which the search waits

    def begin(function, is_kept):
        if paused or gc.isenabled():
            gc.disable()
            paused.append(function)
        if not told and function.__module__.partition(".")[0] == "graphcore":
            told.append(function)
            tell(NOTICE if is_kept else NOTICE_UNKEPT)

    def end():
        if paused:
            paused.pop()
            if not paused:
                gc.enable()

    with while_compiling(begin, end):
        yield
