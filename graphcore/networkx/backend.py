"""The backend itself, the module that the entry point ``networkx.backends`` names.

networkx finds functions here by name. It converts its graphs with :func:`convert_from_nx` and keeps the results with
them. Results follow networkx's own definitions, which differ from those of :mod:`graphcore.metrics`: an
undirected self-loop counts twice in a degree, and graphs may be directed.
"""

from itertools import chain

import numpy as np

from .communities import leiden_communities, louvain_communities
from .graph import BackendGraph

__all__ = [
    "can_run", "convert_from_nx", "convert_to_nx", "leiden_communities", "louvain_communities", "modularity",
    "partition_quality", "should_run",
]  # fmt: skip

# A conversion takes longer than networkx's own code on graphs with fewer edges.
_FEW_EDGES = 2_000
# networkx's tests that ask for the list that its own code happens to find: in its order, or (of graphs that differ by a
# weight) the same for both, where the best ones found here differ, and both have a higher modularity.
_BY_LIST = {
    "test_louvain.py": (
        "test_karate_club_partition", "test_undirected_selfloops", "test_none_weight_param", "test_multigraph",
    ),
}  # fmt: skip


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
        expected = _by_label(labels, out, k) * _by_label(labels, A.sum(axis=0), k) * (1 / m**2)
    else:
        m = float(out.sum() + loops.sum()) / 2
        inside = (inside + _by_label(labels, loops, k)) / 2
        expected = _by_label(labels, out + loops, k) ** 2 * (1 / (2 * m) ** 2)
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
    sizes = np.fromiter(map(len, communities), dtype=np.int64, count=len(communities))
    numbers = G.numbers_of(chain.from_iterable(communities))
    if not len(G) == sizes.sum() == len(numbers):
        return None
    labels = np.full(len(G), -1, dtype=np.int32)
    labels[numbers] = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    return labels if len(G) == 0 or labels.min() >= 0 else None


def _inside(G, labels, n_communities, values):
    """Sum the entries inside each community."""
    rows = np.repeat(labels, np.diff(G.indptr))
    same = rows == labels[G.indices]
    return _by_label(rows[same], values[same], n_communities)


def _by_label(labels, values, n_communities):
    return np.bincount(labels, weights=values, minlength=n_communities)


# -- functions that networkx asks of a backend -------------------------------------------------------------------------


def convert_from_nx(graph, *, edge_attrs=None, preserve_edge_attrs=False, name=None, **_):
    """Convert a networkx graph; node attributes are left out, for none of the functions here asks for them."""
    if preserve_edge_attrs and edge_attrs is None:
        raise NotImplementedError(f"{name or 'this function'} needs all edge attributes, which graphcore does not keep")
    return BackendGraph.from_networkx(graph, edge_attrs)


def convert_to_nx(result, *, name=None):
    """Convert the result of a function; only graphs change."""
    return result.to_networkx() if isinstance(result, BackendGraph) else result


def can_run(name, args, kwargs):
    """Tell whether a function takes these arguments, or why not."""
    G = args[0] if args else kwargs.get("G")
    if not (isinstance(G, BackendGraph) or hasattr(G, "adjacency")):
        return f"a {type(G).__name__} is no graph"
    if name in ("leiden_communities", "louvain_communities"):
        return _can_search(name, G, *args[1:], **{key: value for key, value in kwargs.items() if key != "G"})
    return True


def _can_search(name, G, weight="weight", resolution=1, *others, threshold=1e-7, max_level=None, **_):
    if G.is_directed():
        return "directed modularity is maximised by networkx alone"
    if not resolution > 0:
        return "communities of a resolution that is not positive are found by networkx alone"
    if name == "louvain_communities" and ((*others, threshold)[0] != 1e-7 or (*others[1:], max_level)[0] is not None):
        return "threshold and max_level choose a level of networkx's own Louvain algorithm"
    return True


def should_run(name, args, kwargs):
    """Tell whether a conversion is worth its time, or why not; asked where nobody chose this backend by name."""
    G = args[0] if args else kwargs.get("G")
    if name == "leiden_communities" or isinstance(G, BackendGraph) or G.number_of_edges() >= _FEW_EDGES:
        return True
    return f"a graph of fewer than {_FEW_EDGES} edges is quicker gone through than converted"


def on_start_tests(items):
    """Mark tests that must fail, when networkx's test suite runs against this backend."""
    import pytest

    for item in items:
        if item.name in _BY_LIST.get(item.path.name, ()):
            item.add_marker(pytest.mark.xfail(reason="communities are listed in another order, or better", strict=True))
