"""What the page's script looks up, packed: nodes, and the clusters of other numbers of clusters."""

import base64
import gzip
import json

import numpy as np

from .text import shortened

__all__ = ["pack"]

# A share below this is not told.
_LEAST_SHARE = 0.05


def pack(facts, levels, names_of):
    """The data as text that HTML leaves alone: base64 of compressed JSON.

    Node names come in alphabetical order, which packs best; without names and with all nodes listed there are none.
    """
    payload = {"nodes": _nodes(facts, names_of)}
    if levels is not None:
        payload["levels"] = _levels(facts, levels)
    packed = gzip.compress(json.dumps(payload, separators=(",", ":")).encode("ascii"), mtime=0)
    return base64.b64encode(packed).decode("ascii")


def _nodes(facts, names_of):
    nodes, stability = facts.nodes, facts.node_stability
    names, order = None, np.arange(len(nodes.listed))
    if not nodes.is_whole or names_of is not None:
        names = nodes.listed if names_of is None else names_of(nodes.listed)
        names = [shortened(str(name)) for name in names.tolist()]
        order = np.array(sorted(range(len(names)), key=names.__getitem__))
    told = nodes.shares[order] >= _LEAST_SHARE
    out = {
        "names": None if names is None else [names[i] for i in order],
        "labels": nodes.labels[order].tolist(),
        "near": [np.where(told[:, i], nodes.near[order, i], -1).tolist() for i in range(told.shape[1])],
        "shares": [
            np.where(told[:, i], np.rint(100 * nodes.shares[order, i]), 0).astype(int).tolist()
            for i in range(told.shape[1])
        ],
    }
    if stability is not None:
        out["stability"] = np.rint(100 * stability[nodes.listed[order]]).astype(int).tolist()
    return out


def _levels(facts, levels):
    volume = max(float(facts.sums.volume.sum()), 1e-300)
    return {
        "start": min(len(facts.filled), levels.n_leaves),
        "children": levels.children.tolist(),
        "size": levels.sums.size.tolist(),
        "volume": np.round(levels.sums.volume / volume, 6).tolist(),
        "conductance": np.round(levels.sums.conductance, 4).tolist(),
        "central": [[shortened(name) for name in names] for names in levels.central],
    }
