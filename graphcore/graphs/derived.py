"""Moved to `graph.py`."""

from .graph import subgraph, weigh_nodes  # noqa: F401
