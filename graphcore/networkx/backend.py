"""The backend itself: this module is what the entry point ``networkx.backends`` names.

networkx looks its functions up here by name. It converts its graphs with :func:`convert_from_nx` and keeps what comes
out in ``G.__networkx_cache__``.
"""

from .components import connected_components, is_connected, node_connected_component, number_connected_components
from .cuts import (
    boundary_expansion,
    conductance,
    cut_size,
    edge_expansion,
    mixing_expansion,
    node_expansion,
    normalized_cut_size,
    volume,
)
from .generators import planted_partition_graph
from .graph import BackendGraph
from .partitions import is_partition, modularity, partition_quality

__all__ = [
    "boundary_expansion", "can_run", "conductance", "connected_components", "convert_from_nx", "convert_to_nx",
    "cut_size", "edge_expansion", "is_connected", "is_partition", "mixing_expansion", "modularity",
    "node_connected_component", "node_expansion", "normalized_cut_size", "number_connected_components",
    "partition_quality", "planted_partition_graph", "should_run", "volume",
]  # fmt: skip

# A conversion reads the whole graph, which only pays where networkx would read a large part of it too.
_FEW_EDGES = 2_000
_WHOLE_GRAPH = (
    "connected_components", "is_connected", "modularity", "number_connected_components", "partition_quality",
)  # fmt: skip

_testing = False


def convert_from_nx(graph, *, edge_attrs=None, preserve_edge_attrs=False, name=None, **_):
    """Convert a networkx graph; node attributes are left out, for none of the functions here asks for them."""
    if preserve_edge_attrs and edge_attrs is None:
        raise NotImplementedError(f"{name or 'this function'} needs all edge attributes, which graphcore does not keep")
    return BackendGraph.from_networkx(graph, edge_attrs)


def convert_to_nx(result, *, name=None):
    """Convert what a function returned; only graphs change."""
    return result.to_networkx() if isinstance(result, BackendGraph) else result


def can_run(name, args, kwargs):
    """Tell whether a function takes these arguments, or why not."""
    if name != "planted_partition_graph":
        G = args[0] if args else kwargs.get("G")
        if isinstance(G, BackendGraph) or hasattr(G, "adjacency"):
            return True
        return f"a {type(G).__name__} is no graph"  # is_partition is happy with a view of nodes
    if args[5] if len(args) > 5 else kwargs.get("directed", False):
        return "directed random graphs are not made by graphcore"
    return "networkx's tests compare random graphs edge by edge, and seeds mean other graphs here" if _testing else True


def should_run(name, args, kwargs):
    """Tell whether a conversion is worth its time, or why not; asked where nobody chose this backend by name."""
    G = args[0] if args else kwargs.get("G")
    if name == "planted_partition_graph" or isinstance(G, BackendGraph) or _is_converted(G):
        return True
    if G.number_of_edges() < _FEW_EDGES:
        return f"a graph of fewer than {_FEW_EDGES} edges is quicker measured than converted"
    if name in _WHOLE_GRAPH:
        return True
    return "a single measure of one set is quicker taken from networkx's own dictionaries than a conversion"


def on_start_tests(items):
    """Called by networkx's test suite when it runs against this backend."""
    global _testing  # noqa: PLW0603
    _testing = True


def _is_converted(G):
    cache = getattr(G, "__networkx_cache__", None) or {}
    return any(isinstance(kept, BackendGraph) for kept in cache.get("backends", {}).get("graphcore", {}).values())
