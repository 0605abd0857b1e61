"""Measurements of graphcore and its peers; run from a checkout with ``python -m bench``, see docs/benchmarks.md."""

import os

os.environ.setdefault("GRAPHCORE_COMPILE_AT_ONCE", "1")  # a first, untimed run compiles for the others
