"""Communities of networkx graphs: k of them, or as many as raise modularity, behind networkx's own functions."""

import random
import re
import warnings
from typing import Any

import numpy as np

from ..exceptions import GraphWarning, InputError, ParameterError
from ..graphs.graph import Graph
from .graph import BackendGraph

# Parameters of the class, and what networkx calls them.
_HERE = {"n_clusters": "k", "random_state": "seed"}


def coreset_spectral_communities(
    G: object, k: int | str | None = "auto", weight: str | None = "weight", seed: object = None, **options: Any,
) -> list[set[Any]]:  # fmt: skip
    """Find communities by coreset spectral clustering, k of them or as many as the edges support.

    Parameters
    ----------
    G : networkx.Graph, DiGraph, MultiGraph, MultiDiGraph or BackendGraph
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
    if "random_state" in options or "n_clusters" in options:
        raise InputError("random_state and n_clusters are called seed and k here, as in networkx")
    nodes = list(G) if hasattr(G, "__iter__") else []
    symmetrize = options.get("symmetrize", "max")
    if isinstance(G, BackendGraph) and nodes:
        A = G.matrix(weight)
        # Without weights parallel edges are one edge, as everywhere in graphcore.
        graph = Graph.from_scipy(A if weight is not None else A.astype(bool), symmetrize=symmetrize)
    else:
        graph = Graph.from_networkx(G, weight=weight, symmetrize=symmetrize)
    return _sets(nodes, _clustered(graph, k, seed, options).labels_)


def louvain_communities(G, weight="weight", resolution=1, threshold=1e-7, max_level=None, seed=None):
    """Find communities like `leiden_communities`; networkx runs where `threshold` or `max_level` choose a level."""
    return leiden_communities(G, weight, resolution, None, seed)


def leiden_communities(G, weight="weight", resolution=1, max_level=None, seed=None):
    """Find connected communities of large modularity, by networkx's definition; at most `max_level` drafts are made."""
    import scipy.sparse as sp

    if max_level is not None and max_level <= 0:
        raise ValueError("max_level argument must be a positive integer or None")
    A, nodes = G.matrix(weight), list(G)
    if len(A.data) and A.data.min() < 0:
        raise NotImplementedError("negative weights are left to networkx itself")
    if not A.data.any():
        return [{node} for node in nodes]
    # An undirected self-loop counts twice in networkx's degrees, as in its modularity.
    loops = A.diagonal()
    graph = Graph.from_scipy(A + sp.diags_array(loops, dtype=loops.dtype) if loops.any() else A)
    options = {"objective": "modularity", "resolution": resolution, "effort": max_level or "default"}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*(isolated|than one node)", GraphWarning)  # as networkx does, in silence
        labels = _clustered(graph, None, seed, options).labels_
    return _sets(nodes, _connected(graph, labels))


def _clustered(graph, k, seed, options):
    from ..cluster.estimator import CoresetSpectralClustering

    seed = seed.getrandbits(32) if isinstance(seed, random.Random) else seed
    known = {name: options.pop(name, None) for name in ("labels", "initial_labels", "sample_weight")}
    try:
        return CoresetSpectralClustering(k, random_state=seed, **options).fit(graph, **known)
    except ParameterError as error:  # by the names that these parameters have here
        said = re.sub(r"\b(n_clusters|random_state)(?==)", lambda found: _HERE[found[0]], str(error))
        raise ParameterError(said, name=_HERE.get(error.name, error.name), value=error.value) from None


def _connected(graph, labels):
    """Label the connected parts of clusters, whose modularity is larger than that of the clusters."""
    import scipy.sparse as sp
    from scipy.sparse.csgraph import connected_components

    rows = np.repeat(np.arange(graph.n_nodes), np.diff(graph.indptr))
    inside = labels[rows] == labels[graph.indices]
    ends = rows[inside], graph.indices[inside]
    within = sp.coo_array((np.ones(len(ends[0])), ends), shape=(graph.n_nodes,) * 2)
    return np.where(labels < 0, -1, connected_components(within, directed=False)[1])


def _sets(nodes, labels):
    """List clusters as sets, the largest first, and at the end each node that is in none."""
    clusters, alone = {}, []
    for node, label in zip(nodes, labels.tolist(), strict=True):
        if label < 0:
            alone.append({node})
        else:
            clusters.setdefault(label, set()).add(node)
    return sorted(clusters.values(), key=len, reverse=True) + alone
