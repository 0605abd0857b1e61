"""Graphs and vectors with known clusters: random models, small real data sets.

All functions return named tuples: the data first (`graph` or `data`), and then its clusters (`labels`), where
scikit-learn's loaders have `target`.
"""

from ..base.lazy import lazy_names

# Modules must not share a name with a function, or importing one would hide the other.
_HOMES = {
    "LabeledGraph": ".planted", "LabeledVectors": ".planted", "crossing_lines": ".small",
    "degree_corrected_partition": ".planted", "load_digits": ".small", "load_karate": ".small",
    "planted_partition": ".planted",
}  # fmt: skip

__getattr__, __dir__, __all__ = lazy_names(__name__, _HOMES)
