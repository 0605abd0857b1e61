"""Maps of nodes or vectors: two coordinates for each, and the picture."""

from typing import Any

import numpy as np

from ..base.streams import Streams
from ..base.threads import limited_libraries
from ..base.types import AnyGraph, ArrayLike, Axes, Floats, Integers, Mapping, RandomState
from ..base.validation import check_integer, check_labels
from ..exceptions import InputError
from ..kernels.graph import GraphKernel
from ..metrics import quotient_graph
from ..metrics.cut import check_nodes, placed_labels
from ._style import MIDDLE, axes_of, bare, picture, scatter_clusters
from .drawing import cluster_disks

# The matrix of the graph between clusters is dense.
_MAX_CLUSTERS = 1000
# Disks are placed by forces between all of them.
_MAX_DISKS = 150
# Steps of the lazy walk from a node.
_STEPS = 2
# This share of the points may lie far from all others, and is drawn at the border.
_TAIL = 0.005
_INSTEAD = "graph_drawing draws up to 3,000 nodes of any graph"


def coreset_coordinates(
    graph: AnyGraph, indices: ArrayLike, labels: ArrayLike, *, most: int = 1500, random_state: RandomState = None,
    n_jobs: int | None = None,
) -> tuple[Integers, Floats]:  # fmt: skip
    """Place coreset nodes, or any others, in two dimensions.

    Parameters
    ----------
    graph : Graph, sparse matrix or networkx graph
    indices : array-like of shape (n_coreset,), integer
        Nodes to place, such as ``model.coreset_.indices``.
    labels : array-like of shape (n_nodes,), integer
        Clusters of all nodes of the graph, such as ``model.labels_``; the thousand of the largest volume are placed.
    most : int, default 1500
        The largest number of nodes that are placed; of more, a random sample.
    random_state : int, Generator, RandomState or None
        Seed of the sample.
    n_jobs : int, optional

    Returns
    -------
    chosen : ndarray of shape (n_placed,), int64
        Positions in `indices` of the nodes that are placed, ascending.
    points : ndarray of shape (n_placed, 2), float64

    Raises
    ------
    InputError
        If fewer than three clusters hold nodes, no edge joins them, or no coreset node has a cluster.

    Notes
    -----
    The coordinates are a spectral embedding. Clusters are placed by the second and third eigenvector of the graph
    between them, because eigenvectors of a sparse graph itself are concentrated on a few nodes. The weight inside
    clusters is left out, and the mean degree is spread over all pairs, so that small clusters do not take the ends of
    the map. A node lies at the mean of the clusters in which a lazy random walk of two steps from it ends.

    References
    ----------
    Zhang, Rohe, "Understanding Regularized Spectral Clustering via Graph Conductance", NeurIPS 2018.

    Examples
    --------
    >>> import graphcore
    >>> graph, labels = graphcore.datasets.planted_partition(4, 50, p_in=0.3, p_out=0.02, random_state=0)
    >>> coreset = graphcore.build_coreset(graph, 4, size=20, random_state=0)
    >>> chosen, points = graphcore.plot.coreset_coordinates(graph, coreset.indices, labels)
    >>> len(chosen), points.shape
    (20, (20, 2))
    """
    graph, labels, k = placed_labels(graph, labels, None)
    indices = check_nodes("indices", indices, graph.n_nodes)
    most = check_integer("most", most, low=1)
    if k < 3:
        raise InputError(f"{k} clusters have no two coordinates: three are needed; {_INSTEAD}")
    clusters, places = _cluster_places(quotient_graph(graph, labels, k, n_jobs=n_jobs))
    position = np.full(k + 1, -1)  # the last entry is that of label -1
    position[clusters] = np.arange(len(clusters))
    chosen = np.flatnonzero(position[labels[indices]] >= 0)
    if len(chosen) == 0:
        raise InputError("no coreset node has a cluster: there is nothing to place")
    if len(chosen) > most:
        chosen = np.sort(Streams(random_state).generator("map").choice(chosen, most, replace=False))
    return chosen, _ends_of_walks(graph, position[labels], places, n_jobs)[indices[chosen]]


def _ends_of_walks(graph, labels, places, n_jobs):
    """Mean place (n_nodes, 2) of the clusters in which a lazy walk of two steps from each node ends; NaN for none."""
    mass = np.where(labels[:, None] < 0, 0.0, np.insert(places, 2, 1.0, axis=1)[labels])
    kernel = GraphKernel(graph)
    for _ in range(_STEPS):
        mass = 0.5 * (mass + kernel.product(mass * kernel.degrees[:, None], n_jobs))
    return np.divide(mass[:, :2], mass[:, 2:], out=np.full((len(mass), 2), np.nan), where=mass[:, 2:] > 0)


def _cluster_places(between):
    """Return the largest clusters and their coordinates, two eigenvectors of the graph between these clusters."""
    from scipy.linalg import eigh

    volumes = np.asarray(between.sum(axis=1)).ravel()
    clusters = np.sort(np.argsort(-volumes, kind="stable")[: min(_MAX_CLUSTERS, np.count_nonzero(volumes > 0))])
    A = between[clusters][:, clusters].toarray()
    np.fill_diagonal(A, 0.0)
    n, total = len(clusters), A.sum()
    if n < 3 or total == 0:
        raise InputError(f"{n} clusters with weight {total:g} between them have no two coordinates; {_INSTEAD}")
    A += total / n**2
    root = np.sqrt(A.sum(axis=1))
    A /= np.outer(root, root)
    with limited_libraries():
        _, vectors = eigh(A, subset_by_index=[n - 3, n - 1], overwrite_a=True)
    places = vectors[:, [1, 0]] / root[:, None]
    # Eigenvectors come with either sign: the largest entry is made positive.
    extreme = np.abs(places).argmax(axis=0)
    return clusters, places * np.where(places[extreme, [0, 1]] < 0, -1.0, 1.0)


@picture
def coreset_map(
    points: ArrayLike, weights: ArrayLike, labels: ArrayLike, *, names: Mapping[int, str] | None = None,
    ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw coreset nodes at two coordinates, sized by their weight.

    Up to six clusters have a shape and a shade each, and a legend. For more, shapes and shades are reused in other
    combinations, and the number of each large cluster stands at the median of its nodes.

    Parameters
    ----------
    points : array-like of shape (n_nodes, 2)
        From :func:`coreset_coordinates`, or any others.
    weights : array-like of shape (n_nodes,)
        The area of a mark grows with the weight.
    labels : array-like of shape (n_nodes,), integer
        Clusters; nodes of label -1 are left out, unless they have a name.
    names : dict of int to str, optional
        Names of clusters; default their numbers. With one for -1, such as ``{-1: "outliers"}``, nodes of label -1 are
        small grey dots.
    {ax}

    Examples
    --------
    >>> import graphcore
    >>> ax = graphcore.plot.coreset_map([[0, 0], [0, 1], [1, 0]], [1.0, 2.0, 1.0], [0, 0, 1])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['0', '1']
    """
    points, weights = np.asarray(points, dtype=float), np.asarray(weights, dtype=float)
    if points.ndim != 2 or points.shape[1] != 2 or weights.shape != (len(points),):
        raise InputError(
            f"points of shape {points.shape} and weights of shape {weights.shape} do not fit together: two coordinates "
            "and a weight are needed for each node"
        )
    labels = check_labels("labels", labels, len(points))
    kept = labels >= 0
    if not kept.any():
        raise InputError("no coreset node has a cluster: there is nothing to draw")
    apart = points[~kept] if names is not None and -1 in names else points[:0]
    points, weights, labels = points[kept], weights[kept], labels[kept]
    ax = axes_of(ax, (6.4, 4.2))
    # In proportion to the weight; marks are smaller where there are more of them.
    typical, mean = float(np.clip(9000 / len(weights), 9, 60)), weights.mean()
    area = np.clip(typical * weights / mean, 3, 6 * typical) if mean > 0 else np.full(len(weights), typical)
    tail = _TAIL if len(points) > 200 else 0.0
    low, high = np.quantile(np.concatenate([points, apart]), [tail, 1 - tail], axis=0)
    air = np.maximum(0.08 * (high - low), 1e-12)
    low, high = low - air, high + air
    dots = None
    if len(apart):
        dots = ax.scatter(*np.clip(apart, low, high).T, s=4, c=MIDDLE, linewidths=0, zorder=1, label=names[-1])
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    ax.set(xlabel="second eigenvector", ylabel="third eigenvector", xticks=[], yticks=[])
    ax.spines[:].set(color=MIDDLE, visible=True)
    # Clusters of large weight, not of many coreset nodes, come first.
    scatter_clusters(
        ax, np.clip(points, low, high), labels, area, names, weights=weights, others=dots, alpha=0.85, zorder=2,
        clip_on=False,
    )  # fmt: skip
    return ax


@picture
def node_map(
    model: Any, *, most: int = 3000, names: Mapping[int, str] | None = None,
    random_state: RandomState = 0, ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw the vectors or nodes that a model clustered in two dimensions, shaded by cluster.

    Every cluster is a disk, placed by its links to others, in which nodes are spread evenly; each is then moved to the
    mean of the clusters in which a short random walk from it ends, so that nodes between two clusters lie between
    them. Outliers, nodes without an edge and all clusters but the 150 largest are left out; a title says how many
    nodes.

    Parameters
    ----------
    model : CoresetSpectralClustering
        A fitted model.
    most : int, default 3000
        The largest number of points; of more, a random sample is drawn.
    names : dict of int to str, optional
        Names of clusters; default their numbers.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the sample and of places in the disks.
    {ax}

    Examples
    --------
    >>> import graphcore
    >>> X = graphcore.datasets.load_digits().data
    >>> model = graphcore.CoresetSpectralClustering(5, random_state=0).fit(X)
    >>> len(graphcore.plot.node_map(model).collections)
    5
    """
    if not hasattr(type(model), "graph_"):
        raise InputError(
            f"node_map draws a fitted CoresetSpectralClustering, got {type(model).__name__}; coreset_map draws points"
        )
    graph, labels, k = placed_labels(model.graph_, model.labels_, None)
    sizes = np.bincount(labels[labels >= 0], minlength=k)
    small = np.argsort(-sizes, kind="stable")[_MAX_DISKS:]
    labels, sizes[small] = np.where(np.isin(labels, small), -1, labels), 0
    rng, chosen = Streams(random_state).generator("map"), np.flatnonzero(labels >= 0)
    if len(chosen) > check_integer("most", most, low=1):
        chosen = np.sort(rng.choice(chosen, most, replace=False))
    middles, reach = cluster_disks(quotient_graph(graph, labels, k, n_jobs=model.n_jobs), sizes)
    points = _ends_of_walks(graph, labels, middles, model.n_jobs)[chosen]
    angle, radius = rng.uniform(0.0, 2 * np.pi, len(chosen)), reach[labels[chosen]] * np.sqrt(rng.random(len(chosen)))
    points += np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    ax = coreset_map(points, np.ones(len(chosen)), labels[chosen], names=names, ax=ax)
    bare(ax)
    ax.set(xlabel="", ylabel="", aspect="equal")
    if (n_apart := np.count_nonzero(labels < 0)) > 0:
        but_large = " or in a small one" * bool(len(small))
        ax.set_title(f"left out: {n_apart:,} of {len(labels):,}, without a cluster{but_large}", fontsize=8, loc="left")
    return ax
