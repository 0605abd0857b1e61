"""Graphs on disk: larger than memory, opened without being read."""

from .build import build_store
from .folder import check_replaceable, write_store
from .format import is_store, looks_like_store
from .open import check_store, open_graph

__all__ = [
    "build_store", "check_replaceable", "check_store", "is_store", "looks_like_store", "open_graph", "write_store",
]  # fmt: skip
