"""A cache of compiled loops on disk, which checks its files.

numba's own cache trusts its files: one flipped bit in a file that it loads ends the process, and a full disk ends a
fit. It takes a loop for unchanged if the loop's own file is, whatever became of the loops that it calls; and processes
that save at the same time can mix up its index. Here a file holds one compiled version, named after everything that the
version depends on, behind a checksum.
"""

import functools
import hashlib
import inspect
import os
import pickle
import time
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from uuid import uuid4

import numba
from numba.core import config
from numba.core.caching import FunctionCache, _hash_source_file
from numba.core.serialize import dumps

from ..exceptions import warn_user
from .locks import cached_property

_DIGEST = 32  # bytes
_DAY = 86400.0  # seconds
_warned: list = []  # once


class LoopCache(FunctionCache):
    """Compiled versions of one function; RuntimeError is raised where numba finds no folder that can be written."""

    @cached_property
    def _stem(self):
        settings = numba.__version__, config.OPT, config.BOUNDSCHECK, config.DEBUGINFO_DEFAULT
        written = self._py_func.__module__, self._impl.locator.get_source_stamp(), _source(self._py_func)
        return f"{self._impl.filename_base}.{_short(settings, written)}"

    def load_overload(self, signature, target_context):
        """Load the version for these types; None if the file is missing or damaged."""
        target_context.refresh()
        try:
            stored = self._path(signature, target_context.codegen()).read_bytes()
        except OSError:
            return None
        content = stored[_DIGEST:]
        if hashlib.sha256(content).digest() != stored[:_DIGEST]:
            return None  # it is compiled, and this file written anew
        return self._impl.rebuild(target_context, pickle.loads(content))

    def save_overload(self, signature, result):
        """Keep what was compiled, or warn once that it cannot be kept; files of how the function was before go."""
        if not self._impl.check_cachable(result):
            return
        content = dumps(self._impl.reduce(result))
        path = self._path(signature, result.codegen)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _write(path, hashlib.sha256(content).digest() + content)
        except OSError as error:
            if not _warned:
                _warned.append(path)
                warn_user(
                    f"compiled loops cannot be kept in {path.parent} ({error.strerror or error}): every run compiles "
                    "them; make room, or set NUMBA_CACHE_DIR to a folder that can be written"
                )
            return
        with suppress(OSError):
            for other in path.parent.glob(f"{self._impl.filename_base}.*.nb[ic]"):
                if not other.name.startswith(self._stem):
                    other.unlink()

    def _path(self, signature, codegen):
        return Path(self.cache_path) / f"{self._stem}.{_short(*self._index_key(signature, codegen))}.nbc"


def first_in_a_day():
    """Return whether nothing was said of compiling within a day to who uses this cache, and note that it is now."""
    path = Path(LoopCache(first_in_a_day).cache_path) / "compiling_was_told"
    with suppress(OSError):
        if time.time() - path.stat().st_mtime < _DAY:
            return False
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return True


def _short(*parts):
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def _write(path, content):
    """Put a file in its place when it is complete; processes may do so at the same time."""
    temporary = path.with_name(f"{path.name}.{uuid4().hex}")
    try:
        temporary.write_bytes(content)
        os.replace(temporary, path)
    finally:
        with suppress(OSError):  # it is in its place, or was never there
            temporary.unlink()


@functools.cache
def _source(function):
    """Digest the sources of a function: its file, global constants, and the sources of the functions that it calls."""
    found: list = []
    with suppress(OSError):  # it may be in an archive, of which numba has a stamp
        path = inspect.getfile(function)
        found.append(_hash_source_file(path, os.stat(path).st_mtime, os.stat(path).st_size))
    for name in sorted({*function.__code__.co_names} & {*function.__globals__}):
        value = function.__globals__[name]
        value = getattr(value, "dispatcher", value)
        if hasattr(value, "py_func"):
            found.append(_source(value.py_func))
        elif not (callable(value) or isinstance(value, ModuleType)):
            found.append((name, value))
    return _short(found)
