"""Refusal of graphs by classes that take none."""

from ..exceptions import InputError
from ..graphs.as_graph import is_graph_object, is_sparse_graph


def refuse_graph(estimator, X, takes="vectors or a kernel matrix", remedy="", otherwise=""):
    """Say what is for graphs where a class takes none, and how it takes one all the same if there is a `remedy`.

    A symmetric sparse matrix is a graph too, unless nothing is said of how it is taken `otherwise`.
    """
    if is_graph_object(X):
        what = f"a {type(X).__name__}"
    elif otherwise and is_sparse_graph(X):
        what = f"a symmetric sparse matrix, which stands for a graph ({otherwise})"
    else:
        return
    raise InputError(
        f"{type(estimator).__name__} takes {takes}, and this is {what}; "
        f"{remedy}CoresetSpectralClustering and KernelKMeans cluster graphs"
    )
