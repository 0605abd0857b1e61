"""Graphs and labels in files: readers and writers."""

from .atomic import atomic_output, check_writable
from .formats import READABLE, WRITABLE
from .labels import read_labels, write_labels
from .nodes import read_nodes
from .read import read_graph
from .write import write_graph

__all__ = [
    "READABLE", "WRITABLE", "atomic_output", "check_writable", "read_graph", "read_labels", "read_nodes",
    "write_graph", "write_labels",
]  # fmt: skip
