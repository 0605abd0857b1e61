"""Graphs and vectors with known clusters: random models, small real data, public data to be fetched."""

from importlib import import_module

# Modules must not share a name with a function, or importing one would hide the other.
_HOMES = {
    "CATALOGUE": ".catalogue",
    "LabeledGraph": ".results",
    "LabeledVectors": ".results",
    "blobs": ".vectors",
    "cluster_in_cluster": ".shapes",
    "crescent_moon": ".shapes",
    "degree_corrected_partition": ".degree_corrected",
    "fetch": ".public",
    "lfr": ".benchmark",
    "load": ".public",
    "load_digits": ".real",
    "load_karate": ".real",
    "moons": ".vectors",
    "planted_partition": ".planted",
    "rings": ".vectors",
    "rmat": ".recursive",
}

__all__ = [
    "CATALOGUE",
    "LabeledGraph",
    "LabeledVectors",
    "blobs",
    "cluster_in_cluster",
    "crescent_moon",
    "degree_corrected_partition",
    "fetch",
    "lfr",
    "load",
    "load_digits",
    "load_karate",
    "moons",
    "planted_partition",
    "rings",
    "rmat",
]


def __getattr__(name):
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name], __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__})
