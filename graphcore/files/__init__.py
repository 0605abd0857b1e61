"""Graphs and labels in files: readers and writers."""

from ..base.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "READABLE": ".formats", "WRITABLE": ".formats", "atomic_output": ".atomic", "check_writable": ".atomic",
        "read_graph": ".read_write", "read_labels": ".tables", "read_nodes": ".tables",
        "write_graph": ".read_write", "write_labels": ".tables",
    },
)  # fmt: skip
