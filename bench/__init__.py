"""Measures graphcore beside its peers; run it from a checkout with ``python -m bench``, see docs/benchmarks.md."""
