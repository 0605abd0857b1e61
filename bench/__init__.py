"""Measurements of graphcore and its peers; run from a checkout with ``python -m bench``, see docs/benchmarks.md."""
