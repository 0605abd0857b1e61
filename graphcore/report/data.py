"""What the page's script looks up, packed: nodes, and the clusters of other numbers of clusters."""

import base64
import gzip
import json

import numpy as np

from .text import shortened

# A share below this is not told.
_LEAST_SHARE = 0.05
# In letters, with what a row of the table of clusters takes up: a page of 5,000 clusters is to stay below two million.
_MOST_PACKED, _PER_CLUSTER = 1_200_000, 130


def pack(facts, levels, names_of):
    """(data, whether shares are among them): base64 of compressed JSON, text that HTML leaves alone.

    Node names come in alphabetical order, which packs best; without names and with all nodes listed there are none.
    Shares are left out where they would make a large page.
    """
    payload = {"nodes": _nodes(facts, names_of), "levels": None if levels is None else _levels(facts, levels)}
    packed = _packed(payload)
    if len(packed) <= _MOST_PACKED - _PER_CLUSTER * facts.n_clusters:
        return packed, True
    payload["nodes"] |= {"near": [], "shares": []}
    return _packed(payload), False


def _packed(payload):
    text = json.dumps(payload, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode("ascii"), mtime=0)).decode("ascii")


def _nodes(facts, names_of):
    nodes, told_of = facts.nodes, {"stability": facts.node_stability}
    if facts.robustness is not None:
        told_of["robustness"] = np.nan_to_num(facts.robustness.nodes, nan=-0.01)  # -1: no draw left it an edge
    names, order = None, np.arange(len(nodes.listed))
    if not nodes.is_whole or names_of is not None:
        names = nodes.listed if names_of is None else names_of(nodes.listed)
        names = [shortened(str(name)) for name in names.tolist()]
        order = np.array(sorted(range(len(names)), key=names.__getitem__))
    told = (nodes.shares[order] >= _LEAST_SHARE).T
    near, shares = np.where(told, nodes.near[order].T, -1), np.where(told, np.rint(100 * nodes.shares[order].T), 0)
    return {
        "names": None if names is None else [names[i] for i in order],
        "labels": nodes.labels[order].tolist(),
        "near": near.tolist(),
        "shares": shares.astype(int).tolist(),
        **{name: None if of is None else _percent(of[nodes.listed[order]]) for name, of in told_of.items()},
    }


def _percent(shares):
    return np.rint(100 * shares).astype(int).tolist()


def _levels(facts, levels):
    volume = max(float(facts.sums.volume.sum()), 1e-300)
    return {
        "start": min(len(facts.filled), levels.tree.n_leaves),
        "children": levels.tree.children.tolist(),
        "number": levels.tree.clusters["number"].tolist(),
        "size": levels.sums.size.tolist(),
        "volume": np.round(levels.sums.volume / volume, 6).tolist(),
        "conductance": np.round(levels.sums.conductance, 4).tolist(),
        "central": [[shortened(name) for name in names] for names in levels.central],
    }
