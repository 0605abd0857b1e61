"""Graphs and vectors with known clusters: random models, small real data sets, public data sets to download."""

from .._lazy import lazy_names

# Modules must not share a name with a function, or importing one would hide the other.
_HOMES = {
    "CATALOGUE": ".catalogue", "EmbeddedTrefoil": ".manifolds", "LabeledGraph": ".results",
    "LabeledMatrix": ".results", "LabeledVectors": ".results", "blobs": ".vectors",
    "circles": ".manifolds", "cone": ".manifolds",
    "crossing_lines": ".manifolds", "cluster_in_cluster": ".vectors", "crescent_moon": ".vectors",
    "degree_corrected_partition": ".planted", "embedded_trefoil": ".manifolds", "fetch": ".public",
    "lfr": ".benchmark", "load": ".public", "load_digits": ".real", "load_karate": ".real", "moons": ".vectors",
    "noisy_triangle": ".manifolds", "planted_blocks": ".blocks", "planted_partition": ".planted",
    "rings": ".vectors", "rmat": ".recursive",
    "sphere": ".manifolds", "trefoil": ".manifolds",
}  # fmt: skip

__getattr__, __dir__, __all__ = lazy_names(__name__, _HOMES)
