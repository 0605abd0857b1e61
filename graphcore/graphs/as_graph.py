"""What users give as a graph, recognised and made a Graph."""

import sys

from ..exceptions import InputError
from .graph import Graph

__all__ = ["as_graph", "is_graph", "is_graph_object"]


def as_graph(graph, **options):
    """Return a Graph from whatever stands for one: a Graph, a (sparse) matrix, a networkx or igraph graph."""
    if isinstance(graph, Graph):
        return graph
    if _is_of("networkx", graph):
        return Graph.from_networkx(graph, **options)
    if _is_of("igraph", graph):
        return Graph.from_igraph(graph, **options)
    if hasattr(graph, "tocsr") or (hasattr(graph, "ndim") and graph.ndim == 2):
        return Graph.from_scipy(graph, **options)
    raise InputError(
        f"a graph is needed (graphcore.Graph, scipy sparse matrix, square array, networkx or igraph graph), got "
        f"{type(graph).__name__}"
    )


def is_graph(X):
    """Whether this is read as a graph where that is left open: a graph object or a square sparse matrix."""
    return is_graph_object(X) or (hasattr(X, "tocsr") and X.ndim == 2 and X.shape[0] == X.shape[1])


def is_graph_object(X):
    """Whether this is a Graph, or a graph of another library."""
    return isinstance(X, Graph) or _is_of("networkx", X) or _is_of("igraph", X)


def _is_of(library, graph):
    # A library is asked only when somebody imported it: an object of its classes cannot exist otherwise.
    module = sys.modules.get(library)
    return module is not None and isinstance(graph, module.Graph)
