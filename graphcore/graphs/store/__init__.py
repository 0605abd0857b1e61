"""Graphs on disk: larger than memory, opened without being read."""

from .format import is_store
from .open import open_graph
from .write import write_store

__all__ = ["is_store", "open_graph", "write_store"]
