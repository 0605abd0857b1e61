"""Graphs and vectors with known clusters: random models, small real data sets, public data sets to download."""

from ..base.lazy import lazy_names

# Modules must not share a name with a function, or importing one would hide the other.
_HOMES = {
    "CATALOGUE": ".catalogue", "LabeledGraph": ".results", "LabeledMatrix": ".results", "LabeledVectors": ".results",
    "crossing_lines": ".small", "degree_corrected_partition": ".planted", "fetch": ".public", "load": ".public",
    "load_digits": ".small", "load_karate": ".small", "planted_blocks": ".planted", "planted_partition": ".planted",
}  # fmt: skip

__getattr__, __dir__, __all__ = lazy_names(__name__, _HOMES)
