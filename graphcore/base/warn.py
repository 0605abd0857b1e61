"""Warnings that point at the user's line of code, and checks for isolated nodes."""

import sys
import warnings

from ..exceptions import GraphWarning, InputError, one_line


def warn_user(message, category=GraphWarning):
    """Warn at the innermost caller outside graphcore, however deep in the package the cause lies."""
    level = 1
    frame = sys._getframe(0)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "graphcore":
        frame = frame.f_back
        level += 1
    warnings.warn(one_line(message), category, stacklevel=level)


def warn_of_isolated(graph):
    """Warn of nodes without an edge, if a graph has any."""
    if graph.n_isolated:
        warn_user(
            f"{graph.n_isolated} of {graph.n_nodes} nodes are isolated; they belong to no cluster and get label -1"
        )


def count_linked(graph):
    """Count the nodes that have an edge; raise an InputError if there are none."""
    n_linked = graph.n_nodes - graph.n_isolated
    if n_linked == 0:
        raise InputError(f"all {graph.n_nodes} nodes are isolated: a graph without edges has no clusters")
    return n_linked
