"""Quality of a clustering: weight inside and between clusters, and agreement with known classes."""

import warnings

import numpy as np

from ..base.lazy import import_scikit_learn, import_whole
from ..base.types import AnyGraph, ArrayLike, Floats, Floats32, csr_array
from ..base.validation import (
    are_missing,
    check_integer,
    check_labels,
    check_order,
    check_real,
    index_of,
    label_array,
    read_only,
    whole_labels,
)
from ..cluster.refine.objectives import OBJECTIVES
from ..cluster.refine.problem import (
    ClusterSums,
    cluster_sums,
    distributed_context,
    matrix_of,
    quotient,
    sums_and_shares,
)
from ..exceptions import InputError
from ..graphs.as_graph import as_graph


def placed_labels(graph, labels, n_clusters):
    """Return (Graph, labels with -1 for nodes of degree 0, number of clusters).

    The number of clusters is the largest label + 1 or `n_clusters`, whichever is more.
    """
    graph = as_graph(graph)
    if n_clusters is not None:
        n_clusters = check_integer("n_clusters", n_clusters, low=1)
    check_order("labels", labels, graph.node_names)
    labels = check_labels("labels", labels, graph.n_nodes, n_clusters=n_clusters)
    if graph.n_isolated:
        labels = read_only(np.where(graph.degrees > 0, labels, np.int32(-1)))
    return graph, labels, max(n_clusters or 0, int(labels.max()) + 1)


def cut_and_volume(
    graph: AnyGraph, labels: ArrayLike, n_clusters: int | None = None, *, n_jobs: int | None = None,
) -> ClusterSums:  # fmt: skip
    """Compute internal weight, volume, cut and size of every cluster, in one pass and O(n_nodes + n_clusters) memory.

    Parameters
    ----------
    graph : Graph, sparse matrix, square array or networkx graph
    labels : array-like of shape (n_nodes,), integer
        Cluster of every node, from 0; -1 for no cluster.
    n_clusters : int, optional
        Number of clusters, if the last ones may be empty. Default: the largest label of a node with an edge, plus 1. A
        label beyond `n_clusters` counts as one more cluster.
    n_jobs : int, optional
        Number of threads; the result does not depend on it.

    Returns
    -------
    ClusterSums

    Raises
    ------
    InputError
        If the labels are no integers of at least -1, one for each node.

    Examples
    --------
    >>> import graphcore
    >>> graph = graphcore.Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3])
    >>> sums = graphcore.metrics.cut_and_volume(graph, [0, 0, 0, 1])
    >>> sums.internal, sums.volume, sums.cut, sums.size
    (array([6., 0.]), array([7., 1.]), array([1., 1.]), array([3, 1]))
    """
    graph, labels, n_clusters = placed_labels(graph, labels, n_clusters)
    with distributed_context(graph):
        return cluster_sums(graph.rows, labels, n_clusters, n_jobs)


def outside_share(graph: AnyGraph, labels: ArrayLike, *, n_jobs: int | None = None) -> Floats32:
    """Compute the share of every node's edge weight that leaves its cluster: 0 if all neighbours are in it, 1 if none.

    Parameters
    ----------
    graph, labels, n_jobs
        See :func:`cut_and_volume`.

    Returns
    -------
    ndarray of shape (n_nodes,), float32
        NaN for nodes of no cluster or without an edge.

    Examples
    --------
    >>> import graphcore
    >>> graph = graphcore.Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3])
    >>> graphcore.metrics.outside_share(graph, [0, 0, 0, 1])
    array([0.        , 0.        , 0.33333334, 1.        ], dtype=float32)
    """
    return sums_and_shares(*placed_labels(graph, labels, None), n_jobs)[1]


def conductance(
    graph: AnyGraph, labels: ArrayLike, n_clusters: int | None = None, *, n_jobs: int | None = None,
) -> Floats:  # fmt: skip
    """Compute the conductance of every cluster: the share of its volume that leaves it, ``cut(P) / vol(P)``.

    A cluster without nodes or without volume counts 1. Edges to nodes of label -1 leave the cluster.

    Parameters
    ----------
    graph, labels, n_clusters, n_jobs
        See :func:`cut_and_volume`.

    Returns
    -------
    ndarray of shape (n_clusters,), float64
        Between 0 (no edge leaves) and 1.

    Examples
    --------
    >>> import graphcore
    >>> graph = graphcore.Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3])
    >>> graphcore.metrics.conductance(graph, [0, 0, 0, 1], n_clusters=3)
    array([0.14285714, 1.        , 1.        ])
    """
    return cut_and_volume(graph, labels, n_clusters, n_jobs=n_jobs).conductance


def normalized_cut(
    graph: AnyGraph, labels: ArrayLike, n_clusters: int | None = None, *, n_jobs: int | None = None,
) -> float:  # fmt: skip
    """Compute the normalised cut: the average conductance of the clusters that hold nodes.

    Parameters
    ----------
    graph, labels, n_clusters, n_jobs
        See :func:`cut_and_volume`.

    Returns
    -------
    float
        Between 0 and 1, smaller is better. Each that is missing of `n_clusters` counts 1: give it to compare labellings
        that were asked for the same number.

    Raises
    ------
    InputError
        Also if there is no cluster at all: no label of a node with an edge, and no `n_clusters`.

    References
    ----------
    Shi and Malik, "Normalized Cuts and Image Segmentation", PAMI 2000, have the sum, "kNC" in the coreset papers.

    Examples
    --------
    >>> import graphcore
    >>> graph = graphcore.Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> round(graphcore.metrics.normalized_cut(graph, [0, 0, 0, 1, 1, 1]), 4)
    0.1429
    """
    sums = cut_and_volume(graph, labels, n_clusters, n_jobs=n_jobs)
    each = sums.conductance[sums.size > 0]
    if (k := max(n_clusters or 0, len(each))) == 0:
        raise InputError("no node with an edge has a label from 0 on: there is no cluster to measure")
    return float((each.sum() + (k - len(each))) / k)


def modularity(
    graph: AnyGraph, labels: ArrayLike, *, resolution: float = 1.0, n_jobs: int | None = None,
) -> float:  # fmt: skip
    """Compute Newman's modularity: the share of the edges inside clusters, less that to be expected from degrees.

    ``sum over clusters of L / v - resolution (vol / v)^2``, of inner weights L (both directions) and volumes, whose sum
    is v: what Louvain and Leiden maximise. A self-loop counts once in both; networkx, igraph and leidenalg
    count it twice.

    Parameters
    ----------
    graph, labels, n_jobs
        See :func:`cut_and_volume`. Nodes of label -1 have no part in it, but for the edges that lead to them.
    resolution : float, default 1.0
        Above 0; larger ones favour smaller clusters.

    Returns
    -------
    float
        At most 1, larger is better.

    References
    ----------
    Newman, Girvan, "Finding and evaluating community structure in networks", Physical Review E 69 (2004); Reichardt,
    Bornholdt, "Statistical mechanics of community detection", Physical Review E 74 (2006), have the resolution.

    Examples
    --------
    >>> import graphcore
    >>> graph = graphcore.Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> round(graphcore.metrics.modularity(graph, [0, 0, 0, 1, 1, 1]), 4)
    0.3571
    """
    resolution = check_real("resolution", resolution, low=0.0, open_low=True)
    return cut_and_volume(graph, labels, n_jobs=n_jobs).value(OBJECTIVES["modularity"].at(resolution))


def quotient_graph(
    graph: AnyGraph, labels: ArrayLike, n_clusters: int | None = None, *, n_jobs: int | None = None,
) -> csr_array:  # fmt: skip
    """Compute the weight between every two clusters.

    Parameters
    ----------
    graph, labels, n_clusters, n_jobs
        See :func:`cut_and_volume`.

    Returns
    -------
    csr_array of shape (n_clusters, n_clusters), float64
        Symmetric, columns ascending. Off the diagonal the weight of the edges between two clusters, on it the sum of
        the entries inside (twice the weight of the edges, once that of the self-loops), so that row sums are volumes
        (less the edges to nodes of label -1). O(n_nodes + n_clusters) memory beside it. Of a graph of more than 2^28
        entries all is estimated from a sample of 2^27.

    Examples
    --------
    >>> import graphcore
    >>> graph = graphcore.Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3])
    >>> graphcore.metrics.quotient_graph(graph, [0, 0, 0, 1]).toarray()
    array([[6., 1.],
           [1., 0.]])
    """
    graph, labels, k = placed_labels(graph, labels, n_clusters)
    out = matrix_of(quotient(graph.rows, labels.copy(), k, n_jobs)).copy()
    out.sort_indices()
    # The two sums of a pair were taken in different orders: their mean is symmetric to the last bit.
    return out if graph.weights is None else 0.5 * (out + out.T)


# -- known classes -----------------------------------------------------------------------------------------------------


def agreement(labels: ArrayLike, truth: ArrayLike, graph: AnyGraph | None = None) -> dict[str, float]:
    """Compute four scores of a clustering and known classes, by scikit-learn.

    Parameters
    ----------
    labels, truth : array-like of shape (n_nodes,)
        Clusters and classes, of any kind; numbers below 0, the text "-1", None, NaN and NA stand for no cluster, and
        for a class that is not known.
    graph : Graph, sparse matrix, square array or networkx graph, optional
        With it only nodes of degree 0 (and of unknown class) are left out, and a label of -1 on any other counts as one
        more cluster, so that a method gains nothing by leaving nodes out. Without it all nodes of label -1 are.

    Returns
    -------
    dict
        The adjusted Rand index "ari" (1 for equal partitions, 0 on average for unrelated ones), the normalised mutual
        information "nmi", "homogeneity" (1 if every cluster lies within a class), "completeness" (1 if every class
        lies within a cluster), and "n_compared", the number of nodes compared.

    Raises
    ------
    InputError
        If the lengths differ or no node is left to compare.

    Examples
    --------
    >>> import graphcore
    >>> graphcore.metrics.agreement([0, 0, 1, 1, -1], ["a", "a", "b", "b", "b"])
    {'ari': 1.0, 'nmi': 1.0, 'homogeneity': 1.0, 'completeness': 1.0, 'n_compared': 4}
    """
    graph = None if graph is None else as_graph(graph)
    names = index_of(labels) if graph is None else graph.node_names
    for name, given in (("labels", labels), ("truth", truth)):
        check_order(name, given, names)
    labels, truth = class_numbers(labels, "labels")[1], class_numbers(truth)[1]
    if labels.shape != truth.shape:
        raise InputError(f"labels have shape {labels.shape} and truth {truth.shape}; each node needs one of both")
    if graph is None:
        kept = labels >= 0
    else:
        if graph.n_nodes != len(truth):
            raise InputError(f"the graph has {graph.n_nodes} nodes, but there are {len(truth)} labels")
        kept = graph.degrees > 0
    kept &= truth >= 0
    if not kept.any():
        raise InputError("no node is left to compare: all are without a cluster, a class or an edge")
    labels, truth = labels[kept], truth[kept]
    import_scikit_learn()
    metrics = import_whole("sklearn.metrics")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The number of unique classes")  # clusters may be many
        homogeneity, completeness, nmi = metrics.homogeneity_completeness_v_measure(truth, labels)
        ari = metrics.adjusted_rand_score(truth, labels)
    return {
        "ari": float(ari), "nmi": float(nmi), "homogeneity": float(homogeneity), "completeness": float(completeness),
        "n_compared": len(labels),
    }  # fmt: skip


def class_numbers(truth, name="truth"):
    """Return the names of known classes and the number of each node's, -1 for those below 0, missing, or "-1"."""
    values = label_array(name, truth)
    # In an array beside names NaN would be "nan".
    truth = whole_labels(values if isinstance(truth, np.ndarray) else np.asarray(truth, dtype=object))
    missing = are_missing(truth)
    known = np.array(truth[~missing].tolist()) if truth.dtype.kind == "O" else truth[~missing]
    names, numbers = np.unique(known, return_inverse=True)
    is_class = names >= 0 if names.dtype.kind in "biuf" else names != "-1"
    out = np.full(truth.shape, -1)
    out[~missing] = np.where(is_class, np.cumsum(is_class) - 1, -1)[numbers]
    return names[is_class], out
