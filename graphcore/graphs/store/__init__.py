"""Graphs on disk: larger than memory, opened without being read."""

from .build import build_store
from .format import is_store, looks_like_store
from .open import open_graph
from .write import write_store

__all__ = ["build_store", "is_store", "looks_like_store", "open_graph", "write_store"]
