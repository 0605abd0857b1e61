"""Graphs on disk: larger than memory, opened without being read."""

from .build import build_store
from .folder import check_replaceable, open_graph, verify_store, write_store
from .format import looks_like_store

__all__ = [
    "build_store", "check_replaceable", "looks_like_store", "open_graph", "verify_store", "write_store",
]  # fmt: skip
