"""The tree of a fit as text in Newick's format."""

import re

import numpy as np

# Names that need no quotes.
_PLAIN = re.compile(r"[^\s()\[\]':;,_]+")


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
