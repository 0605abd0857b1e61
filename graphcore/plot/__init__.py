"""Plots of a clustering. Each function draws into matplotlib axes and returns them; matplotlib is needed."""

from .dendrogram import dendrogram
from .drawing import graph_drawing
from .map import coreset_map
from .quotient import quotient_graph
from .sizes import cluster_sizes

__all__ = ["cluster_sizes", "coreset_map", "dendrogram", "graph_drawing", "quotient_graph"]


def __dir__():
    """List the public names, without the modules behind them."""
    return __all__
