"""How far two labellings agree; the scores are scikit-learn's."""

from .._typing import AnyGraph, ArrayLike
from .._validation import check_labels, label_array
from ..exceptions import InputError
from ..graphs.as_graph import as_graph


def agreement(labels: ArrayLike, truth: ArrayLike, graph: AnyGraph | None = None) -> dict[str, float]:
    """Adjusted Rand index and normalised mutual information of a clustering and known classes.

    Parameters
    ----------
    labels : array-like of shape (n_nodes,), integer
        Clusters, from 0; -1 for no cluster.
    truth : array-like of shape (n_nodes,)
        Classes, of any kind; integers below 0 stand for "not known".
    graph : Graph, sparse matrix, square array or networkx graph, optional
        With a graph, the nodes left out are those of degree 0 (and of unknown class), and a label of -1 on any other
        node counts as one more cluster, so that a method gains nothing by leaving nodes out. Without one, all nodes of
        label -1 are left out.

    Returns
    -------
    dict
        "ari" (1 for equal partitions, 0 on average for unrelated ones), "nmi" (0 to 1), and "n_compared", the number of
        nodes compared.

    Raises
    ------
    InputError
        If the lengths differ or no node is left to compare.

    Examples
    --------
    >>> import graphcore
    >>> graphcore.metrics.agreement([0, 0, 1, 1, -1], ["a", "a", "b", "b", "b"])
    {'ari': 1.0, 'nmi': 1.0, 'n_compared': 4}
    """
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

    labels, truth = label_array("labels", labels), label_array("truth", truth)
    if truth.ndim != 1:
        raise InputError(f"truth must be one-dimensional, got shape {truth.shape}")
    if labels.shape != truth.shape:
        raise InputError(f"labels have shape {labels.shape} and truth {truth.shape}; each node needs one of both")
    labels = check_labels("labels", labels, len(truth))
    if graph is None:
        kept = labels >= 0
    else:
        graph = as_graph(graph)
        if graph.n_nodes != len(truth):
            raise InputError(f"the graph has {graph.n_nodes} nodes, but there are {len(truth)} labels")
        kept = graph.degrees > 0
    if truth.dtype.kind == "i":
        kept &= truth >= 0
    if not kept.any():
        raise InputError("no node is left to compare: all are without a cluster, a class or an edge")
    labels, truth = labels[kept], truth[kept]
    return {
        "ari": float(adjusted_rand_score(truth, labels)),
        "nmi": float(normalized_mutual_info_score(truth, labels)),
        "n_compared": len(labels),
    }
