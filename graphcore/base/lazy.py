"""Import public names and large modules when they are first used, so that the package itself is imported quickly."""

import signal
import sys
import threading
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any


class _StandIn(ModuleType):
    """A module for those that only import it; who kept it finds the true one through it, once it is hidden no more."""

    def __getattr__(self, name):
        module = import_whole(self.__name__)
        if module is self:
            raise AttributeError(f"{self.__name__} is not imported yet")
        return getattr(module, name)


_STOOD_IN_FOR = "scipy.stats", "narwhals", "narwhals.stable", "narwhals.stable.v2"
# None: as if not installed.
_SELDOM_USED: dict[str, Any] = {name: _StandIn(name) for name in _STOOD_IN_FOR} | {"pandas": None}


def lazy_names(package, homes):
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` for the ``__init__.py`` of the package of this name.

    `homes` maps public names to their modules, relative to the package; None for a name that is a module itself. Other
    modules are found, and not listed.
    """
    names = sorted(homes)

    def find(name):
        if homes.get(name, "") is None or (name not in homes and _is_module(package, name)):
            return import_whole(f".{name}", package)
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        from .validation import suggesting

        value = suggesting(getattr(import_whole(homes[name], package), name), package)
        setattr(sys.modules[package], name, value)  # not asked for again
        return value

    return find, lambda: names, names


def import_whole(name, package=None):
    """Import a module; Ctrl-C waits for the end.

    Some, like asyncio, are broken where an import was cut short, and Python 3.11 makes a RuntimeError of an interrupt
    in `__set_name__`.
    """
    came = []
    before = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT)
    if before:
        signal.signal(signal.SIGINT, lambda *given: came.append(given))
    try:
        return import_module(name, package)
    finally:
        if before:
            signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)


def _is_module(package, name):
    return not name.startswith("_") and find_spec(f"{package}.{name}") is not None


def import_scikit_learn():
    """Import scikit-learn's base without scipy.stats, pandas and narwhals, most of its time and seldom used by it.

    It finds the first and the last by attributes of modules when it calls them, and `sklearn.utils.fixes` tells the
    second by what is imported. Where threads run, one might miss what is hidden: then nothing is.
    """
    if "sklearn" in sys.modules or threading.active_count() > 1:
        return
    hidden = {name: stand_in for name, stand_in in _SELDOM_USED.items() if name not in sys.modules}
    sys.modules.update(hidden)
    try:
        with suppress(ImportError, AttributeError):  # of a version that uses them at once: the next import has them
            import_module("sklearn.base")
    finally:
        for name in hidden:
            del sys.modules[name]
