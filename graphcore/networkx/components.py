"""networkx's connected components."""

import numpy as np

__all__ = ["connected_components", "is_connected", "node_connected_component", "number_connected_components"]


def connected_components(G):
    """Yield the nodes of each component as a set, in the order of first nodes."""
    labels, count = G.components
    order = np.argsort(labels, kind="stable")
    borders = np.cumsum(np.bincount(labels, minlength=count))[:-1] if count else []
    for numbers in np.split(order, borders) if count else ():
        yield set(G.names_of(numbers))


def number_connected_components(G):
    """Number of components."""
    return G.components[1]


def is_connected(G):
    """Whether there is one component."""
    if len(G) == 0:
        import networkx as nx

        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return G.components[1] == 1


def node_connected_component(G, n):
    """Nodes of the component that holds a node, as a set."""
    labels, _ = G.components
    return set(G.names_of(np.flatnonzero(labels == labels[G.positions[n]])))
