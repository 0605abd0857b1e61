"""The tree of a fit in other programs' formats."""

import os
import re

import numpy as np

from .._validation import check_path
from ..exceptions import ParameterError
from ..io._npy import write_array
from ..io.atomic import atomic_output
from ..io.parquet import TABLES, write_table

_ENDINGS = {".nwk": "newick", ".newick": "newick", ".npy": "npy"} | TABLES
# Names that need no quotes in Newick.
_PLAIN = re.compile(r"[^\s()\[\]':;,_]+")


def to_networkx(columns):
    """A DiGraph of the columns of `ClusterTree.to_table`."""
    import networkx as nx

    tree = nx.DiGraph()
    names = list(columns)
    for row in zip(*(column.tolist() for column in columns.values()), strict=True):
        attributes = dict(zip(names, row, strict=True))
        node, parent = attributes.pop("id"), attributes.pop("parent")
        tree.add_node(node, **attributes)
        if parent >= 0:
            tree.add_edge(parent, node)
    return tree


def newick(tree, nodes=False):
    """Yield a ClusterTree piece by piece; larger clusters are named by their ids, and leaves too without `nodes`."""
    n, table = tree.n_leaves, tree.to_table()
    lengths = np.append(table["height"][table["parent"][:-1]] - table["height"][:-1], 0.0).tolist()
    members = _members(tree) if nodes else str
    stack = [2 * n - 2]  # ids to open, and texts
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
            continue
        end = f":{lengths[item]:.6g}" if item != 2 * n - 2 else ";\n"
        if item < n:
            yield f"{members(item)}{end}"
        else:
            a, b = tree.merges.children[item - n].tolist()
            yield "("
            stack += [f"){item}{end}", b, ",", a]


def _members(tree):
    """A function that writes the nodes of a leaf."""
    order = np.argsort(tree.leaf_of, kind="stable")
    starts = np.searchsorted(tree.leaf_of[order], np.arange(tree.n_leaves + 1))

    def members(leaf):
        inside = order[starts[leaf] : starts[leaf + 1]]
        names = (inside if tree.node_names is None else np.asarray(tree.node_names)[inside]).tolist()
        texts = [text if _PLAIN.fullmatch(text) else "'" + text.replace("'", "''") + "'" for text in map(str, names)]
        return texts[0] if len(texts) == 1 else f"({','.join(f'{text}:0' for text in texts)}){leaf}"

    return members


def tree_format(path):
    """What a path's ending asks for, or a ParameterError."""
    path = check_path(path)
    if path == "-":
        return "newick"
    ending = os.path.splitext(path)[1].lower()
    if ending not in _ENDINGS:
        raise ParameterError(
            f"the ending {ending!r} of {path!r} is none that a tree is written to; use {', '.join(_ENDINGS)}"
        )
    return _ENDINGS[ending]


def write_tree(tree, path):
    """See :meth:`graphcore.selection.cluster_tree.ClusterTree.write`."""
    format = tree_format(path)
    if format == "newick":
        with atomic_output(path, "w", encoding="utf-8") as stream:
            stream.writelines(newick(tree, nodes=True))
    elif format == "npy":
        with atomic_output(path) as stream:
            write_array(stream, tree.to_linkage())
    else:
        write_table(tree.to_table(), path)
