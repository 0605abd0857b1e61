"""networkx's measures of sets of nodes, by its own definitions.

They differ from :mod:`graphcore.metrics`: an undirected self-loop counts twice in a volume, conductance divides by the
smaller of two volumes, and the normalised cut is a sum.
"""

import numpy as np

from ..graphs.rows import entries_of

__all__ = [
    "boundary_expansion", "conductance", "cut_size", "edge_expansion", "mixing_expansion", "node_expansion",
    "normalized_cut_size", "volume",
]  # fmt: skip


def cut_size(G, S, T=None, weight=None):
    """Weight of the edges between two sets."""
    inside = _members(G, _listed(S))
    if T is None and G.is_directed():
        raise NotImplementedError("networkx itself fails on a directed graph without T")
    other = ~inside if T is None else _members(G, _listed(T))
    A = G.matrix(weight)
    both = inside & other
    total = _between(A, inside, other)
    if G.is_directed():
        # networkx takes an edge from a set if its ends lie in both sets, in any order.
        total += _between(A, other, inside) + _between(A, both, inside ^ other)
    elif both.any():
        # An edge with both ends in both sets stands in two rows, and is one edge.
        twice = _between(A, both, both) - A.diagonal()[both].sum()
        total -= twice // 2 if A.dtype.kind == "i" else twice / 2
    return total.item()


def volume(G, S, weight=None):
    """Sum of the degrees in a set; out-degrees of a directed graph."""
    return G.degrees(weight)[G.numbers_of(_listed(S))].sum().item()


def normalized_cut_size(G, S, T=None, weight=None):
    """Cut size times the sum of the reciprocal volumes."""
    S, T = _both_listed(G, S, T)
    return cut_size(G, S, T, weight) * ((1 / volume(G, S, weight)) + (1 / volume(G, T, weight)))


def conductance(G, S, T=None, weight=None):
    """Cut size over the smaller volume."""
    S, T = _both_listed(G, S, T)
    return cut_size(G, S, T, weight) / min(volume(G, S, weight), volume(G, T, weight))


def edge_expansion(G, S, T=None, weight=None):
    """Cut size over the smaller number of nodes."""
    S, T = _both_listed(G, S, T)
    return cut_size(G, S, T, weight) / min(len(S), len(T))


def mixing_expansion(G, S, T=None, weight=None):
    """Cut size over twice the number of edges."""
    return cut_size(G, S, T, weight) / (2 * G.number_of_edges())


def node_expansion(G, S):
    """Number of neighbours of a set, its own nodes among them, over its size."""
    S = _listed(S)
    missing = next((node for node in S if node not in G), None) if len(G.numbers_of(S)) < len(S) else None
    if missing is not None:
        import networkx as nx

        raise nx.NetworkXError(f"The node {missing} is not in the graph.")
    return int(np.count_nonzero(_reached(G, S))) / len(S)


def boundary_expansion(G, S):
    """Number of neighbours of a set outside of it, over its size."""
    S = _listed(S)
    return int(np.count_nonzero(_reached(G, S) & ~_members(G, S))) / len(S)


def _listed(nodes):
    """A collection that can be gone through twice and has a length."""
    return nodes if hasattr(nodes, "__len__") else list(nodes)


def _both_listed(G, S, T):
    S = _listed(S)
    return S, set(G) - set(S) if T is None else _listed(T)


def _members(G, nodes):
    inside = np.zeros(len(G), dtype=bool)
    inside[G.numbers_of(nodes)] = True
    return inside


def _between(A, first, second):
    """Sum of the entries in the rows of one set and the columns of another."""
    return (A @ second.astype(A.dtype))[first].sum()


def _reached(G, nodes):
    """Mask of all (out-)neighbours of a set."""
    entries, _ = entries_of(G.indptr, np.unique(G.numbers_of(nodes)))
    reached = np.zeros(len(G), dtype=bool)
    reached[G.indices[entries]] = True
    return reached
