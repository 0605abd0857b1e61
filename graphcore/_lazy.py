"""Public names that are imported when they are first used, so that a package costs nothing until then."""

import sys
from importlib import import_module


def lazy_names(package, homes):
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` for the ``__init__.py`` of the package of this name.

    `homes` maps public names to their modules, relative to the package; None for a name that is a module itself.
    """
    names = sorted(homes)

    def find(name):
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if homes[name] is None:
            return import_module(f".{name}", package)
        value = getattr(import_module(homes[name], package), name)
        setattr(sys.modules[package], name, value)  # not asked for again
        return value

    return find, lambda: names, names
