"""Graphs and vectors with known clusters: random models, small real data, public data to be fetched."""

from importlib import import_module

# Modules must not share a name with a function, or importing one would hide the other.
_HOMES = {
    "CATALOGUE": ".catalogue",
    "EmbeddedTrefoil": ".manifolds",
    "LabeledGraph": ".results",
    "LabeledVectors": ".results",
    "blobs": ".vectors",
    "circles": ".manifolds",
    "cone": ".manifolds",
    "crossing_lines": ".manifolds",
    "cluster_in_cluster": ".shapes",
    "crescent_moon": ".shapes",
    "degree_corrected_partition": ".degree_corrected",
    "embedded_trefoil": ".manifolds",
    "fetch": ".public",
    "lfr": ".benchmark",
    "load": ".public",
    "load_digits": ".real",
    "load_karate": ".real",
    "moons": ".vectors",
    "noisy_triangle": ".manifolds",
    "planted_partition": ".planted",
    "rings": ".vectors",
    "rmat": ".recursive",
    "sphere": ".manifolds",
    "trefoil": ".manifolds",
}

__all__ = [
    "CATALOGUE",
    "EmbeddedTrefoil",
    "LabeledGraph",
    "LabeledVectors",
    "blobs",
    "circles",
    "cluster_in_cluster",
    "cone",
    "crescent_moon",
    "crossing_lines",
    "degree_corrected_partition",
    "embedded_trefoil",
    "fetch",
    "lfr",
    "load",
    "load_digits",
    "load_karate",
    "moons",
    "noisy_triangle",
    "planted_partition",
    "rings",
    "rmat",
    "sphere",
    "trefoil",
]


def __getattr__(name):
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name], __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__})
