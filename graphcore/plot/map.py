"""The map of a coreset: two coordinates for each of its nodes."""

import numpy as np

from ..base.loops import limited_libraries
from ..base.streams import Streams
from ..base.types import AnyGraph, ArrayLike, Axes, RandomState
from ..base.validation import check_integer
from ..cluster.coreset import Coreset
from ..exceptions import InputError
from ..kernels.graph import GraphKernel
from ..metrics.cut import placed_labels, quotient_graph
from ._style import MIDDLE, axes_of, picture, scatter_clusters

# The matrix of the graph between clusters is dense.
_MAX_CLUSTERS = 1000
# Steps of the lazy walk from a node.
_STEPS = 2
# This share of the points may lie far from all others, and is drawn at the border.
_TAIL = 0.005
_INSTEAD = "graph_drawing draws up to 3,000 nodes of any graph"


@picture
def coreset_map(
    graph: AnyGraph, coreset: Coreset, labels: ArrayLike, *, most: int = 1500, random_state: RandomState = 0,
    n_jobs: int | None = None, ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw the nodes of a coreset in two dimensions, sized by their weight.

    Up to six clusters have a shape and a shade each, and a legend. For more, shapes and shades are reused in other
    combinations, and the number of each large cluster stands at the median of its nodes.

    Parameters
    ----------
    graph : Graph, sparse matrix or networkx graph
    coreset : Coreset
        Of :func:`graphcore.build_coreset`, or ``model.clustering_.coreset``.
    labels : array-like of shape (n_nodes,), integer
        Clusters of all nodes of the graph, such as ``model.labels_``; the thousand of the largest volume are placed.
    most : int, default 1500
        The largest number of nodes that are drawn; of more, a random sample.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the sample.
    n_jobs : int, optional
    {ax}

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
    >>> ax = graphcore.plot.coreset_map(graph, coreset, labels)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['0', '1', '2', '3']
    """
    graph, labels, k = placed_labels(graph, labels, None)
    chosen, points = _coordinates(
        graph, coreset.indices, labels, k, check_integer("most", most, low=1), random_state, n_jobs
    )
    labels, weights = labels[coreset.indices[chosen]], coreset.weights[chosen]
    ax = axes_of(ax, (6.4, 4.2))
    # In proportion to the weight; marks are smaller where there are more of them.
    typical, mean = float(np.clip(9000 / len(weights), 9, 60)), weights.mean()
    area = np.clip(typical * weights / mean, 3, 6 * typical) if mean > 0 else np.full(len(weights), typical)
    tail = _TAIL if len(points) > 200 else 0.0
    low, high = np.quantile(points, [tail, 1 - tail], axis=0)
    air = np.maximum(0.08 * (high - low), 1e-12)
    low, high = low - air, high + air
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    ax.set(xlabel="second eigenvector", ylabel="third eigenvector", xticks=[], yticks=[])
    ax.spines[:].set(color=MIDDLE, visible=True)
    if len(chosen) < len(coreset):
        ax.set_title(f"{len(chosen):,} of {len(coreset):,} coreset nodes", fontsize=8, loc="left")
    # Clusters of large weight, not of many coreset nodes, come first.
    scatter_clusters(ax, np.clip(points, low, high), labels, area, weights=weights, alpha=0.85, zorder=2, clip_on=False)
    return ax


def _coordinates(graph, nodes, labels, k, most, random_state, n_jobs):
    """Return the positions in `nodes` of those that are placed, ascending, and their coordinates (n_placed, 2)."""
    if k < 3:
        raise InputError(f"{k} clusters have no two coordinates: three are needed; {_INSTEAD}")
    clusters, places = _cluster_places(quotient_graph(graph, labels, k, n_jobs=n_jobs))
    position = np.full(k + 1, -1)  # the last entry is that of label -1
    position[clusters] = np.arange(len(clusters))
    chosen = np.flatnonzero(position[labels[nodes]] >= 0)
    if len(chosen) == 0:
        raise InputError("no coreset node has a cluster: there is nothing to place")
    if len(chosen) > most:
        chosen = np.sort(Streams(random_state).generator("map").choice(chosen, most, replace=False))
    labels = position[labels]
    mass = np.where(labels[:, None] < 0, 0.0, np.insert(places, 2, 1.0, axis=1)[labels])
    kernel = GraphKernel(graph)
    for _ in range(_STEPS):
        mass = 0.5 * (mass + kernel.product(mass * kernel.degrees[:, None], n_jobs))
    mass = mass[nodes[chosen]]
    return chosen, mass[:, :2] / mass[:, 2:]


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
