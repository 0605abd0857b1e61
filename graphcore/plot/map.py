"""A map of the coreset: two coordinates of its nodes, and the picture."""

import warnings
from importlib.util import find_spec

import numpy as np

from .._random import Streams
from .._threads import away, limited_libraries
from .._typing import AnyGraph, ArrayLike, Axes, Floats, Integers, Mapping, RandomState
from .._validation import check_choice, check_integer, check_labels
from ..exceptions import InputError, missing_package
from ..kernels.walk import WalkKernel
from ..metrics import quotient_graph
from ..metrics.cut import check_nodes, placed_labels
from ._style import INK, MIDDLE, axes_of, cluster_style, clusters_gid, name_clusters, picture

# The matrix between clusters is dense.
_MAX_CLUSTERS = 1000
_UMAP_NEIGHBORS = 15
# A tail of the points may lie so far off that all others would be one spot: that share is drawn at the border.
_TAIL = 0.005


def coreset_coordinates(
    graph: AnyGraph, indices: ArrayLike, labels: ArrayLike, *, method: str = "spectral", walk_steps: int = 4,
    most: int = 1500, random_state: RandomState = None, n_jobs: int | None = None,
) -> tuple[Integers, Floats]:  # fmt: skip
    """Place coreset nodes in two dimensions.

    Parameters
    ----------
    graph : Graph, sparse matrix or networkx graph
    indices : array-like of shape (n_coreset,), integer
        Nodes of the coreset, such as ``model.clustering_.coreset.indices``.
    labels : array-like of shape (n_nodes,), integer
        Clusters of all nodes of the graph, such as ``model.labels_``; the thousand of the largest volume are placed.
    method : {"spectral", "umap"}, default "spectral"
        "spectral" places clusters by the second and third eigenvector of the graph between them. "umap" goes on from
        there: nodes whose walks end alike become neighbours, which suits neighbour graphs of vectors. It needs
        umap-learn, which compiles for some ten seconds in every process.
    walk_steps : int, default 4
        Even; a node looks around by a lazy random walk of half as many steps.
    most : int, default 1500
        Of a larger coreset, only so many nodes, drawn at random, are placed.
    random_state : int, Generator, RandomState or None
        For that draw, and for UMAP.
    n_jobs : int, optional

    Returns
    -------
    chosen : ndarray of shape (n_placed,), int64
        Which of the coreset nodes are placed (positions in `indices`), ascending.
    points : ndarray of shape (n_placed, 2), float64

    Raises
    ------
    InputError
        If fewer than three clusters hold nodes, or nothing runs between them, or no coreset node has a cluster, or
        umap-learn is missing.

    Notes
    -----
    Eigenvectors of a sparse graph, and more so of the few edges between coreset nodes, tell of the threads that hang
    off it and of little else. Clusters are of a size that makes the eigenvectors of the graph between them tell of the
    whole. The weight inside clusters is left out, and the mean degree is spread over all pairs, which keeps small
    clusters from the ends of the map. A node lies at the mean of the clusters that its walk ends in: at its cluster's
    place if it is far inside, between clusters at a border.

    References
    ----------
    Zhang, Rohe, "Understanding Regularized Spectral Clustering via Graph Conductance", NeurIPS 2018.

    McInnes, Healy, Melville, "UMAP: Uniform Manifold Approximation and Projection", 2018.

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
    if check_choice("method", method, ("spectral", "umap")) == "umap" and find_spec("umap") is None:
        raise InputError(missing_package("method='umap'", "umap-learn", "umap"))
    if k < 3:
        raise InputError(f"{k} clusters have no two coordinates; three are needed")
    clusters, places = _cluster_places(quotient_graph(graph, labels, k, n_jobs=n_jobs))
    position = np.full(k + 1, -1)  # the last entry is that of label -1
    position[clusters] = np.arange(len(clusters))
    chosen = np.flatnonzero(position[labels[indices]] >= 0)
    if len(chosen) == 0:
        raise InputError("no coreset node has a cluster: there is nothing to place")
    if len(chosen) > most:
        chosen = np.sort(Streams(random_state).generator("map").choice(chosen, most, replace=False))
    kernel = WalkKernel(graph, walk_steps, n_jobs=n_jobs)
    nodes = indices[chosen]
    ends = kernel.half_walk_rows(nodes).to_scipy()
    row = np.repeat(np.arange(len(nodes)), np.diff(ends.indptr))
    cluster = position[labels[ends.indices]]
    seen = cluster >= 0
    # A walk of one step that is not lazy may see only what has no place; the node's own cluster always counts.
    mass = 1e-9 + np.bincount(row[seen], weights=ends.data[seen], minlength=len(nodes))
    points = 1e-9 * places[position[labels[nodes]]]
    for axis in range(2):
        points[:, axis] += np.bincount(
            row[seen], weights=ends.data[seen] * places[cluster[seen], axis], minlength=len(nodes)
        )
    points /= mass[:, None]
    if method == "umap" and len(nodes) > _UMAP_NEIGHBORS:
        points = away(_umap, ends, points, int(Streams(random_state).generator("umap").integers(2**31)))
    return chosen, points


def _umap(rows, start, seed):
    """UMAP's layout of nodes by the cosines of their rows."""
    from sklearn.metrics.pairwise import cosine_distances
    from umap import UMAP

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "using precomputed metric")
        model = UMAP(_UMAP_NEIGHBORS, metric="precomputed", init=start, random_state=seed, n_jobs=1)
        return model.fit_transform(cosine_distances(rows)).astype(np.float64)


def _cluster_places(between):
    """(clusters, their coordinates): second and third eigenvector of the graph between the largest clusters."""
    from scipy.linalg import eigh

    volumes = np.asarray(between.sum(axis=1)).ravel()
    clusters = np.sort(np.argsort(-volumes, kind="stable")[: min(_MAX_CLUSTERS, np.count_nonzero(volumes > 0))])
    A = between[clusters][:, clusters].toarray()
    np.fill_diagonal(A, 0.0)
    n, total = len(clusters), A.sum()
    if n < 3 or total == 0:
        raise InputError(f"{n} clusters with weight {total:g} between them have no two coordinates; three are needed")
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

    Up to six clusters have a shape and a shade each, and a legend; of more, shapes and shades come again, and the
    largest clusters have their number at the median of their nodes.

    Parameters
    ----------
    points : array-like of shape (n_nodes, 2)
        From :func:`coreset_coordinates`, or any others.
    weights : array-like of shape (n_nodes,)
        The area of a mark grows with the weight.
    labels : array-like of shape (n_nodes,), integer
        Clusters; nodes of label -1 are left out.
    names : dict of int to str, optional
        Names of clusters; default their numbers.
    {ax}

    Raises
    ------
    InputError
        If lengths differ or no node has a cluster.

    Examples
    --------
    >>> import graphcore
    >>> ax = graphcore.plot.coreset_map([[0, 0], [0, 1], [1, 0]], [1.0, 2.0, 1.0], [0, 0, 1])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['0', '1']
    """
    points, weights = np.asarray(points, dtype=float), np.asarray(weights, dtype=float)
    if points.ndim != 2 or points.shape[1] != 2 or weights.shape != (len(points),):
        raise InputError(f"points of shape {points.shape} and weights of shape {weights.shape} do not fit together")
    labels = check_labels("labels", labels, len(points))
    kept = labels >= 0
    if not kept.any():
        raise InputError("no coreset node has a cluster: there is nothing to draw")
    points, weights, labels = points[kept], weights[kept], labels[kept]
    ax = axes_of(ax, (6.4, 4.2))
    # By weight, not by count: what stands for more comes first.
    mass = np.bincount(labels, weights=weights)
    order = np.argsort(-mass, kind="stable")[: np.count_nonzero(np.bincount(labels))]
    area = _areas(weights)
    tail = _TAIL if len(points) > 200 else 0.0
    low, high = np.quantile(points, [tail, 1 - tail], axis=0)
    air = np.maximum(0.08 * (high - low), 1e-12)
    low, high = low - air, high + air
    shown = np.clip(points, low, high)
    for i, c in enumerate(order):
        shade, shape, _ = cluster_style(i)
        mine = labels == c
        ax.scatter(
            *shown[mine].T, s=area[mine], c=shade, marker=shape, linewidths=0.3, edgecolors=INK, alpha=0.85, zorder=2,
            clip_on=False, gid=clusters_gid([c]),
        )  # fmt: skip
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    ax.set(xlabel="second eigenvector", ylabel="third eigenvector", xticks=[], yticks=[])
    ax.spines[:].set(color=MIDDLE, visible=True)
    name_clusters(ax, order, shown, labels, names)
    return ax


def _areas(weights):
    """Areas in square points, in proportion to the weight; marks are smaller where there are more of them."""
    typical = float(np.clip(9000 / len(weights), 9, 60))
    mean = weights.mean()
    return np.clip(typical * weights / mean, 3, 6 * typical) if mean > 0 else np.full(len(weights), typical)
