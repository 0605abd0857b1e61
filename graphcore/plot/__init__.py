"""Plots of a clustering. Each function draws into matplotlib axes and returns them; matplotlib is needed."""

from .curves import balance_choice, k_sweep, objective_history
from .dendrogram import dendrogram
from .drawing import graph_drawing
from .map import coreset_coordinates, coreset_map, node_map
from .quotient import quotient_graph
from .sizes import cluster_sizes

__all__ = [
    "balance_choice", "cluster_sizes", "coreset_coordinates", "coreset_map", "dendrogram",
    "graph_drawing", "k_sweep", "node_map", "objective_history", "quotient_graph",
]  # fmt: skip


def __dir__():
    """List the public names, without the modules behind them."""
    return __all__
