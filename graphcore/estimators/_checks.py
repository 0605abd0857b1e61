"""Checks that the classes share."""

from ..exceptions import InputError
from ..graphs.as_graph import is_graph_object

__all__ = ["refuse_graph"]


def refuse_graph(estimator, X):
    """Say what is for graphs where a class takes none."""
    if is_graph_object(X):
        raise InputError(
            f"{type(estimator).__name__} takes vectors or a kernel matrix, and this is a {type(X).__name__}; "
            "CoresetSpectralClustering and KernelKMeans cluster graphs"
        )
