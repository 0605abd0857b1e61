"""networkx: communities of its graphs, and a backend that runs some of its functions on compressed rows."""

from importlib import import_module

_HOMES = {
    "BackendGraph": ".graph",
    "coreset_spectral_communities": ".communities",
}

__all__ = ["BackendGraph", "coreset_spectral_communities"]


def __getattr__(name):
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name], __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__})
