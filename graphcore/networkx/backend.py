"""The backend for networkx, which the entry point ``networkx.backends`` names, and the graph that it works on.

networkx finds functions here by name. It converts its graphs with :func:`convert_from_nx` and keeps the results with
them. Results follow networkx's own definitions, which differ from those of :mod:`graphcore.metrics`: an
undirected self-loop counts twice in a degree, and graphs may be directed.
"""

import random
import warnings
from itertools import chain
from typing import Any

import numpy as np

from ..exceptions import GraphWarning
from ..graphs.from_libraries import networkx_rows
from ..graphs.graph import Graph
from ..graphs.rows import as_csr_array

__all__ = [
    "can_run", "convert_from_nx", "convert_to_nx", "leiden_communities", "louvain_communities", "modularity",
    "partition_quality", "should_run",
]  # fmt: skip

# A conversion takes longer than networkx's own code on graphs with fewer edges.
_FEW_EDGES = 2_000


class BackendGraph:
    """A graph of the networkx backend, which networkx's functions accept in place of their own graphs.

    It keeps what :class:`graphcore.Graph` does not: direction, numbers of parallel edges, and weights that are 0 or
    negative. networkx makes it when it calls the backend, and keeps it in ``G.__networkx_cache__``;
    :meth:`wrap` makes one of a Graph, so that a file too large for networkx's dictionaries can be measured by
    networkx's functions.

    Parameters
    ----------
    nodes : list
        Nodes in order.
    indptr : ndarray of shape (n_nodes + 1,), int64
    indices : ndarray of shape (n_entries,), int32
        Without repeats in a row; an undirected edge stands in the rows of both its ends.
    counts : ndarray of shape (n_entries,), int64, or None
        Parallel edges behind each entry; None for one everywhere.
    weights : dict
        Edge attributes: arrays of shape (n_entries,), float64, parallel edges added up. An attribute that is not there
        is 1 on every edge.
    directed, multigraph : bool

    Examples
    --------
    >>> import networkx as nx
    >>> import graphcore
    >>> graph = graphcore.Graph.from_edges([0, 1, 3], [1, 2, 4])
    >>> wrapped = graphcore.networkx.BackendGraph.wrap(graph)
    >>> len(wrapped), wrapped.number_of_edges()
    (5, 3)
    """

    __networkx_backend__ = "graphcore"

    def __init__(self, nodes, indptr, indices, *, counts=None, weights=None, directed=False, multigraph=False):
        self.nodes = nodes
        self.indptr, self.indices = indptr, indices
        self.counts = counts
        self.weights = weights or {}
        self.graph = {}
        self._directed, self._multigraph = directed, multigraph
        self.__networkx_cache__ = {}

    @classmethod
    def wrap(cls, graph):
        """Make one of a :class:`graphcore.Graph`, whose rows are shared; its weights become the attribute "weight"."""
        nodes = range(graph.n_nodes) if graph.node_names is None else graph.node_names.tolist()
        weights = {} if graph.weights is None else {"weight": graph.weights.astype(np.float64, copy=False)}
        return cls(list(nodes), graph.indptr, graph.indices, weights=weights)

    @classmethod
    def from_networkx(cls, G, edge_attrs=None):
        """Convert a networkx graph with the given attributes (a dict of names and defaults), which must be numbers."""
        nodes = list(G)
        neighbors, indptr, indices = networkx_rows(G, nodes)
        counts, edges = None, []
        if edge_attrs or G.is_multigraph():
            edges = [data for row in neighbors for data in row.values()]
        if G.is_multigraph():
            counts = np.fromiter(map(len, edges), dtype=np.int64, count=len(edges))
            edges = list(chain.from_iterable(keys.values() for keys in edges))
        weights = {name: _attribute(edges, name, default, counts) for name, default in (edge_attrs or {}).items()}
        out = cls(
            nodes, indptr, indices, counts=counts, weights=weights, directed=G.is_directed(),
            multigraph=G.is_multigraph(),
        )  # fmt: skip
        out.graph.update(G.graph)
        return out

    # -- methods for networkx's own code and for users -----------------------------------------------------------------

    def is_directed(self):
        """Whether edges have a direction."""
        return self._directed

    def is_multigraph(self):
        """Whether there may be parallel edges."""
        return self._multigraph

    def number_of_nodes(self):
        """Count the nodes."""
        return len(self)

    def number_of_edges(self):
        """Count the edges, parallel ones and self-loops included."""
        entries = len(self.indices) if self.counts is None else int(self.counts.sum())
        return entries if self._directed else (entries + int(self.matrix(None).diagonal().sum())) // 2

    def __len__(self):
        return len(self.nodes)

    def __iter__(self):
        return iter(self.nodes)

    # -- methods for the backend's functions ---------------------------------------------------------------------------

    def matrix(self, weight):
        """Return the adjacency matrix, as networkx sums it: 1 for every edge that does not have the attribute."""
        values = None if weight is None else self.weights.get(weight)
        if values is None:
            values = np.ones(len(self.indices), dtype=np.int64) if self.counts is None else self.counts
        return as_csr_array(self.indptr, self.indices, values)


def _attribute(edges, name, default, counts):
    """Collect an edge attribute in an array; parallel edges are added up."""
    values = np.array([data.get(name, default) for data in edges])
    if values.ndim != 1 or values.dtype.kind not in "bif":
        raise NotImplementedError(f"edge attribute {name!r} must hold numbers of 64 bits")
    values = values.astype(np.float64, copy=False)
    return values if counts is None else np.add.reduceat(values, np.cumsum(counts) - counts)


# -- communities by name ----------------------------------------------------------------------------------------------


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
    from .. import CoresetSpectralClustering

    seed = getattr(seed, "_rng", seed)  # which networkx wraps
    seed = seed.getrandbits(32) if isinstance(seed, random.Random) else seed
    known = {name: options.pop(name, None) for name in ("labels", "initial_labels", "sample_weight")}
    return CoresetSpectralClustering(**{"n_clusters": k, "random_state": seed} | options).fit(graph, **known)


def sets_of(nodes, labels):
    """List clusters as sets, the largest first, and at the end each node that is in none."""
    clusters, alone = {}, []
    for node, label in zip(nodes, labels.tolist(), strict=True):
        if label < 0:
            alone.append({node})
        else:
            clusters.setdefault(label, set()).add(node)
    return sorted(clusters.values(), key=len, reverse=True) + alone


# -- partitions --------------------------------------------------------------------------------------------------------


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
        labels = clustered(graph, None, seed, options).labels_
    return sets_of(nodes, labels)


def modularity(G, communities, weight="weight", resolution=1):
    """Compute the share of the edges inside communities, less the share that their degrees alone would give."""
    communities = list(communities)
    labels = _labels(G, communities)
    if labels is None:
        # networkx raises this class, and names it in no public place.
        from networkx.algorithms.community.quality import NotAPartition

        raise NotAPartition(G, communities)
    k, A = len(communities), G.matrix(weight)
    inside, loops = _inside(G, labels, k, A.data), A.diagonal()
    out = A.sum(axis=1)
    if G.is_directed():
        m = float(out.sum())
        expected = np.bincount(labels, out, k) * np.bincount(labels, A.sum(axis=0), k) * (1 / m**2)
    else:
        m = float(out.sum() + loops.sum()) / 2
        inside = (inside + np.bincount(labels, loops, k)) / 2
        expected = np.bincount(labels, out + loops, k) ** 2 * (1 / (2 * m) ** 2)
    return float((inside / m - resolution * expected).sum())


def partition_quality(G, partition):
    """Compute coverage (share of the edges inside) and performance (share of the pairs of nodes that are right)."""
    partition = list(partition)
    labels = _labels(G, partition)
    if labels is None:
        import networkx as nx

        raise nx.NetworkXError("`partition` is not a valid partition of the nodes of G")
    n, n_edges, A = len(G), G.number_of_edges(), G.matrix(None)
    inside = int(_inside(G, labels, len(partition), A.data).sum())
    if not G.is_directed():
        inside = (inside + int(A.diagonal().sum())) // 2
    coverage = inside / n_edges
    if G.is_multigraph():
        return coverage, -1.0
    pairs, between = n * (n - 1), n * n - sum(len(community) ** 2 for community in partition)
    if not G.is_directed():
        pairs, between = pairs // 2, between // 2
    return coverage, (inside + between - (n_edges - inside)) / pairs


def _labels(G, communities):
    """Return the community of every node, or None if these are no partition of the nodes."""
    found = {node: c for c, community in enumerate(communities) for node in community}
    if len(found) != sum(map(len, communities)) or found.keys() != set(G.nodes):
        return None
    return np.fromiter(map(found.__getitem__, G.nodes), dtype=np.int32, count=len(G))


def _inside(G, labels, n_communities, values):
    """Sum the entries inside each community."""
    rows = np.repeat(labels, np.diff(G.indptr))
    same = rows == labels[G.indices]
    return np.bincount(rows[same], values[same], n_communities)


# -- functions that networkx asks of a backend -------------------------------------------------------------------------


def convert_from_nx(graph, *, edge_attrs=None, preserve_edge_attrs=False, name=None, **_):
    """Convert a networkx graph; node attributes are left out, for none of the functions here asks for them."""
    if preserve_edge_attrs and edge_attrs is None:
        raise NotImplementedError(f"{name or 'this function'} needs all edge attributes, which graphcore does not keep")
    return BackendGraph.from_networkx(graph, edge_attrs)


def convert_to_nx(result, *, name=None):
    """Convert the result of a function, none of which is a graph."""
    return result


def can_run(name, args, kwargs):
    """Tell whether a function takes these arguments, or why not."""
    G = args[0] if args else kwargs.get("G")
    if name not in ("leiden_communities", "louvain_communities"):
        return True
    if G.is_directed():
        return "directed modularity is maximised by networkx alone"
    names = ("G", "weight", "resolution", *(("threshold",) if name == "louvain_communities" else ()), "max_level")
    given = dict(zip(names, args, strict=False)) | kwargs
    if not given.get("resolution", 1) > 0:
        return "communities of a resolution that is not positive are found by networkx alone"
    chooses = given.get("threshold", 1e-7) != 1e-7 or given.get("max_level") is not None
    if name == "louvain_communities" and chooses:
        return "threshold and max_level choose a level of networkx's own Louvain algorithm"
    return True


def should_run(name, args, kwargs):
    """Tell whether a conversion is worth its time, or why not; asked where nobody chose this backend by name."""
    G = args[0] if args else kwargs.get("G")
    if name == "leiden_communities" or isinstance(G, BackendGraph) or G.number_of_edges() >= _FEW_EDGES:
        return True
    return f"a graph of fewer than {_FEW_EDGES} edges is quicker gone through than converted"
