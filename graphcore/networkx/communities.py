"""Communities of networkx graphs: k of them, or as many as raise modularity, behind networkx's own functions."""

import random
from typing import Any

from ..graphs.graph import Graph


def coreset_spectral_communities(
    G: object, k: int | str | None = "auto", weight: str | None = "weight", seed: object = None, **options: Any,
) -> list[set[Any]]:  # fmt: skip
    """Find communities by coreset spectral clustering, k of them or as many as the edges support.

    Parameters
    ----------
    G : networkx.Graph, DiGraph, MultiGraph or MultiDiGraph
        A directed graph is made undirected, with a warning; weights of parallel edges add up. See
        :meth:`graphcore.Graph.from_networkx`.
    k : int, "auto" or None, default "auto"
        Number of communities, or how it is chosen, see :class:`graphcore.CoresetSpectralClustering`.
    weight : str or None, default "weight"
        Edge attribute that holds the weight (1 where it is missing); None for an unweighted graph.
    seed : int, random.Random, numpy Generator, RandomState or None, default None
        None gives another result every time.
    **options
        Parameters of :class:`graphcore.CoresetSpectralClustering`, for example ``n_jobs=-1``, and what its `fit` takes
        to be known of the nodes, in their order in G.

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
    graph = Graph.from_networkx(G, weight=weight, symmetrize=options.get("symmetrize", "max"))
    return sets_of(list(G), clustered(graph, k, seed, options).labels_)


def clustered(graph, k, seed, options):
    """Fit the class to a graph, with networkx's kinds of seeds."""
    from ..cluster.estimator import CoresetSpectralClustering

    seed = seed.getrandbits(32) if isinstance(seed, random.Random) else seed
    known = {name: options.pop(name, None) for name in ("labels", "initial_labels", "sample_weight")}
    return CoresetSpectralClustering(n_clusters=k, random_state=seed, **options).fit(graph, **known)


def sets_of(nodes, labels):
    """List clusters as sets, the largest first, and at the end each node that is in none."""
    clusters, alone = {}, []
    for node, label in zip(nodes, labels.tolist(), strict=True):
        if label < 0:
            alone.append({node})
        else:
            clusters.setdefault(label, set()).add(node)
    return sorted(clusters.values(), key=len, reverse=True) + alone
