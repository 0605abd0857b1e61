"""Agreement of clusters with known classes."""

from numbers import Integral

import numpy as np

from ..base.types import AnyGraph, ArrayLike
from ..base.validation import are_missing, check_labels, label_array
from ..exceptions import InputError
from ..graphs.as_graph import as_graph


def agreement(labels: ArrayLike, truth: ArrayLike, graph: AnyGraph | None = None) -> dict[str, float]:
    """Compute the adjusted Rand index and normalised mutual information of a clustering and known classes.

    Parameters
    ----------
    labels : array-like of shape (n_nodes,), integer
        Clusters, from 0; -1 for no cluster.
    truth : array-like of shape (n_nodes,)
        Classes, of any kind; integers below 0, None, NaN and NA stand for "not known".
    graph : Graph, sparse matrix, square array or networkx graph, optional
        With it only nodes of degree 0 (and of unknown class) are left out, and a label of -1 on any other counts as one
        more cluster, so that a method gains nothing by leaving nodes out. Without it all nodes of label -1 are.

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

    given, labels, truth = truth, label_array("labels", labels), label_array("truth", truth)
    if truth.ndim != 1:
        raise InputError(f"truth must be one-dimensional, got shape {truth.shape}")
    if labels.shape != truth.shape:
        raise InputError(f"labels have shape {labels.shape} and truth {truth.shape}; each node needs one of both")
    if labels.dtype.kind in "OU" and truth.dtype.kind in "iu":
        raise InputError("labels hold text: clusters come first here, and classes second: agreement(labels, truth)")
    labels = check_labels("labels", labels, len(truth))
    if graph is None:
        kept = labels >= 0
    else:
        graph = as_graph(graph)
        if graph.n_nodes != len(truth):
            raise InputError(f"the graph has {graph.n_nodes} nodes, but there are {len(truth)} labels")
        kept = graph.degrees > 0
    if truth.dtype.kind in "OU":
        truth = _class_numbers(np.asarray(given, dtype=object))  # in a list beside names NaN is "nan" otherwise
    if truth.dtype.kind == "i":
        kept &= truth >= 0
    elif truth.dtype.kind == "f":
        kept &= ~np.isnan(truth)
    if not kept.any():
        raise InputError("no node is left to compare: all are without a cluster, a class or an edge")
    labels, truth = labels[kept], truth[kept]
    return {
        "ari": float(adjusted_rand_score(truth, labels)),
        "nmi": float(normalized_mutual_info_score(truth, labels)),
        "n_compared": len(labels),
    }


def _class_numbers(truth):
    """Number the classes of objects; -1 for integers below 0 and missing values of any library."""
    numbers, out = {}, np.full(len(truth), -1)
    for i, (each, missing) in enumerate(zip(truth, are_missing(truth), strict=True)):
        if not (missing or (isinstance(each, Integral) and each < 0)):
            try:
                out[i] = numbers.setdefault(each, len(numbers))
            except TypeError:
                raise InputError(f"truth holds a {type(each).__name__}; give the classes as names or numbers") from None
    return out
