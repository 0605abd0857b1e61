"""Compiles loops where it pays: how they are called, and notices, so that a first run does not look like a hang."""

import atexit
import functools
import gc
import math
import os
import time
from contextlib import contextmanager, suppress
from types import FunctionType
from typing import Any

import numpy as np

from .jit import Part, adds_in_order, kept_on_disk, while_compiling
from .locks import ModuleLock
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
# Compiling takes about a millisecond for each step of Python's own code. Small cases are over before it would be: a
# loop that is on no disk yet runs as Python until that has taken a share of what it would take to compile it, in all
# processes together, or until another process has compiled it, which is looked for now and then. Until it was timed, it
# is taken to need a nanosecond for each step and byte of arrays.
_TO_COMPILE = 1e-3
_SHARE = 0.5
_UNCOMPILED = 1e-9
_LOOK_AFTER = 0.02
# Where this is in the environment, no loop runs as Python: in tests, benchmarks, and what compiles beforehand.
AT_ONCE = "GRAPHCORE_COMPILE_AT_ONCE"
_DECIDING = ModuleLock()


def compiled(function=None, *, sums_in_any_order=False):
    """Compile a loop, kept on disk; it releases the interpreter lock, and signals reach a caller that waits for it.

    Called in the main thread, a loop that may take long, by the pace of its calls so far, runs away from it
    (`threads.away`). In the threads of `map_blocks`, a loop that is no longer wanted does not begin.
    `sums_in_any_order` lets sums of floats be taken some at a time; their order is the same in every call. Functions
    whose names begin with an underscore are for other compiled ones alone: Python cannot call them, which saves a tenth
    of compiling. A loop that is on no disk runs as Python for as long as that is cheaper, with the same results, bit
    for bit: it must not add bools, or count beyond 32 bits in what is an int32 in an array.
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
        self._trial: _Trial | None = None  # how it fares as Python, until that no longer pays
        self._is_new = True

    def __call__(self, *args):
        size = 1 + _bytes_of(args)
        if self._is_new:
            with _DECIDING:  # threads meet a loop at the same time
                if self._is_new and not (AT_ONCE in os.environ or is_kept(self)):
                    self._trial = _Trial.of(self)
                self._is_new = False
        trial = self._trial
        if trial is not None:
            if trial.pays(size):
                check_stopped()
                return trial(size, *args)
            self._trial = None
        if not in_main_thread():
            check_stopped()
            return self.dispatcher(*args)
        begun = time.perf_counter()
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


class _Trial:
    """A loop as Python, and what that has taken."""

    def __init__(self, loop, function, n_steps):
        self._loop, self._function = loop, function
        self._before, self._taken = _taken_before(loop), 0.0
        self._left, self._pace = _SHARE * _TO_COMPILE * n_steps - self._before, _UNCOMPILED * n_steps
        self._was_timed, self._unlooked = False, 0.0
        atexit.register(self._note)

    @classmethod
    def of(cls, loop):
        """The trial of a loop; None if numba may sum its floats in another order than Python."""
        function, n_steps, is_same = _uncompiled(loop.dispatcher)
        return cls(loop, function, n_steps) if is_same else None

    def pays(self, size):
        """Whether a call with so many bytes of arrays is likely to be over in what is left, and nobody has compiled."""
        if self._unlooked > _LOOK_AFTER:
            self._unlooked = 0.0
            if is_kept(self._loop):
                return False
        return size * self._pace <= self._left

    def __call__(self, size, *args):
        begun = time.thread_time()
        with np.errstate(over="ignore", invalid="ignore", divide="raise"):  # numba raises at a division by 0 as well
            result = self._function(*map(_as_numba, args))
        taken = time.thread_time() - begun
        self._taken += taken
        self._left -= taken
        self._unlooked += taken
        self._pace = max(self._pace, taken / size) if self._was_timed else taken / size
        self._was_timed = True
        return result

    def _note(self):
        """Write down for later processes how long the loop has run as Python."""
        if self._taken and (note := _note_of(self._loop)) is not None:
            with suppress(OSError):
                note.parent.mkdir(parents=True, exist_ok=True)
                note.write_text(f"{self._before + self._taken:.6f}")


def _as_numba(value):
    """Python's numbers as what numba takes them for: beside a float32, numpy takes them for float32."""
    if type(value) is tuple:
        return tuple(map(_as_numba, value))
    if type(value) is int:
        return np.int64(value)
    return np.float64(value) if type(value) is float else value


@functools.cache
def _uncompiled(dispatcher):
    """A function and all that it calls as Python, the steps of them all, and whether sums are in the order written."""
    function = dispatcher.py_func
    code, names = function.__code__, dict(function.__globals__)
    n_steps, is_same = len(code.co_code) // 2, adds_in_order(dispatcher)
    for name in set(code.co_names) & set(names):
        part = getattr(names[name], "dispatcher", names[name])
        if hasattr(part, "py_func"):
            names[name], more, same = _uncompiled(part)
            n_steps, is_same = n_steps + more, is_same and same
        else:
            names[name] = _as_numba(part)
    constants = tuple(np.float64(value) if type(value) is float else value for value in code.co_consts)
    return FunctionType(code.replace(co_consts=constants), names, function.__name__), n_steps, is_same


def _direct(dispatcher, *args):
    try:
        return dispatcher(*args)
    except SystemError as error:  # Python makes it of what a signal's handler raised while numba made results
        cause: BaseException = error
        while isinstance(cause, SystemError) and cause.__cause__ is not None:
            cause = cause.__cause__
        raise cause from None


def kept_in(loop):
    """The folder that holds what is compiled of a loop; None if none can be written."""
    return getattr(loop.cache, "folder", None) if isinstance(loop, Part) else None


def is_kept(loop):
    """Whether a loop was compiled before, as it is now and for this version of Python."""
    return kept_in(loop) is not None and loop.cache.is_filled


def _note_of(loop):
    """The file that says how long a loop has run as Python; None if nothing can be kept."""
    folder = kept_in(loop)
    return folder and folder / f"{loop.__module__.rpartition('.')[2]}.{loop.__qualname__}.tried"


def _taken_before(loop):
    """Seconds that a loop has run as Python in earlier processes."""
    note = _note_of(loop)
    try:
        return float(note.read_text()) if note else 0.0
    except (OSError, ValueError):  # nothing was written, or not a number
        return 0.0


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
