"""Communities of a networkx graph."""

import random
from typing import Any

from ..exceptions import InputError

__all__ = ["coreset_spectral_communities"]


def coreset_spectral_communities(
    G: object, k: int | str | None, weight: str | None = "weight", seed: object = None, **options: Any,
) -> list[set[Any]]:  # fmt: skip
    """Find k communities by coreset spectral clustering.

    Parameters
    ----------
    G : networkx.Graph, DiGraph, MultiGraph, MultiDiGraph or BackendGraph
        A directed graph is made undirected, with a warning; weights of parallel edges add up. See
        :meth:`graphcore.Graph.from_networkx`.
    k : int, "auto" or None
        Number of communities, or how it is chosen, see :class:`graphcore.CoresetSpectralClustering`.
    weight : str or None, default "weight"
        Edge attribute that holds the weight (1 where it is missing); None for an unweighted graph.
    seed : int, random.Random, numpy Generator, RandomState or None, default None
        None gives another result every time.
    **options
        Parameters of :class:`graphcore.CoresetSpectralClustering`, for example ``n_jobs=-1``.

    Returns
    -------
    list of sets of nodes
        A partition of the nodes, the largest community first. Nodes without an edge are communities of their own at
        the end, beyond the k. There are fewer than k others only if a warning says so.

    Raises
    ------
    ValueError
        :class:`graphcore.InputError` or :class:`graphcore.ParameterError`, naming what is wrong and what to do.

    References
    ----------
    Jourdan, Schwartzman, Macgregor, Sun, "Coreset Spectral Clustering".

    Examples
    --------
    >>> import networkx as nx
    >>> import graphcore
    >>> G = nx.connected_caveman_graph(3, 5)
    >>> communities = graphcore.networkx.coreset_spectral_communities(G, 3, seed=0)
    >>> sorted(sorted(community) for community in communities)
    [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [10, 11, 12, 13, 14]]
    """
    from ..estimators.coreset_spectral import CoresetSpectralClustering
    from ..graphs.graph import Graph
    from .graph import BackendGraph

    if "random_state" in options or "n_clusters" in options:
        raise InputError("random_state and n_clusters are called seed and k here, as in networkx")
    if isinstance(seed, random.Random):
        seed = seed.getrandbits(32)
    nodes = list(G) if hasattr(G, "__iter__") else []
    symmetrize = options.get("symmetrize", "max")
    if isinstance(G, BackendGraph) and nodes:
        A = G.matrix(weight)
        # Without weights parallel edges are one edge, as everywhere in graphcore.
        graph = Graph.from_scipy(A if weight is not None else A.astype(bool), symmetrize=symmetrize)
    else:
        graph = Graph.from_networkx(G, weight=weight, symmetrize=symmetrize)
    labels = CoresetSpectralClustering(k, random_state=seed, **options).fit(graph).labels_
    clusters, alone = {}, []
    for node, label in zip(nodes, labels.tolist(), strict=True):
        if label < 0:
            alone.append({node})
        else:
            clusters.setdefault(label, set()).add(node)
    return sorted(clusters.values(), key=len, reverse=True) + alone
