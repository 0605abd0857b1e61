"""Graphs on disk: larger than memory, opened without being read."""

from .build import build_store
from .check import check_store
from .folder import check_replaceable
from .format import is_store, looks_like_store
from .open import open_graph
from .write import write_store

__all__ = [
    "build_store", "check_replaceable", "check_store", "is_store", "looks_like_store", "open_graph", "write_store",
]  # fmt: skip
