"""Pictures of a graph: its clusters as disks, and every node of a small graph."""

from typing import Any

import numpy as np

from ..base.colors import color_of, components
from ..base.types import ArrayLike, Axes, Sequence
from ..exceptions import InputError
from ..graphs.as_graph import as_graph
from ..graphs.graph import subgraph
from ..metrics.quality import placed_labels
from ..metrics.quality import quotient_graph as weight_between
from ._style import (
    INK,
    MIDDLE,
    axes_of,
    check_each,
    clusters_by_size,
    clusters_gid,
    is_model,
    picture,
    scatter_clusters,
)

# -- clusters as disks, the edges between them as lines ----------------------------------------------------------------

# The picture is laid out on a page of so many points, with disks of these radii.
_WIDTH, _HEIGHT = 420.0, 320.0
_MIN_RADIUS, _MAX_RADIUS = 8.0, 34.0
_DISKS_SHARE = 0.28
_MOST_DISKS = 40
_GAP = 4.0
_N_LINKS = 3
_ROUNDS = 400


@picture
def quotient_graph(
    graph: Any, labels: ArrayLike | None = None, *, names: Sequence[str] | None = None, ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw the 40 largest clusters as disks, and the edges between them as lines, the three heaviest of each cluster.

    The area of a disk is in proportion to the cluster's size (small ones are drawn larger than that, to have room for
    the number), its colour that of the cluster in all pictures. The width of a line grows with the weight of the edges
    between two clusters as a share of the smaller one's volume.

    Parameters
    ----------
    graph : fitted model, Graph, sparse matrix or networkx graph
        A :class:`graphcore.CoresetSpectralClustering`. Without `labels` the nodes are clusters already, as in its
        `quotient_graph_` and in what :func:`graphcore.metrics.quotient_graph` returns, and their volumes the sizes.
    labels : array-like of shape (n_nodes,), integer, optional
        Cluster of every node, from 0; -1 for none.
    names : sequence of str, optional
        Text on the disks; default the clusters' numbers. The number stands for a name that does not fit. The names
        of the most central nodes are ``[str(*nodes[:1]) for nodes in model.summary()["central"]]``.
    {ax}

    Examples
    --------
    >>> import graphcore
    >>> graph = graphcore.Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> len(graphcore.plot.quotient_graph(graph, [0, 0, 0, 1, 1, 1]).patches)
    2
    """
    if labels is None and is_model(graph):
        labels, matrix = graph.labels_, graph.quotient_graph_.to_scipy()
    elif labels is None:
        matrix = as_graph(graph).to_scipy()
    else:
        graph, labels, k = placed_labels(graph.graph_ if is_model(graph) else graph, labels, None)
        matrix = weight_between(graph, labels, k or None)
    sizes = matrix.sum(axis=1) if labels is None else np.bincount(labels[labels >= 0], minlength=matrix.shape[0])
    if names is not None:
        check_each("names", names, matrix.shape[0], "clusters")
    return draw_quotient(matrix, sizes, names, ax)


def draw_quotient(matrix, sizes, names=None, ax=None):
    """Draw what :func:`quotient_graph` does, of clusters of these sizes and a csr_array of the weights between them."""
    volumes, sizes = np.asarray(matrix.sum(axis=1)).ravel(), np.asarray(sizes).ravel()
    shown = np.argsort(-sizes, kind="stable")[:_MOST_DISKS]
    shown = shown[sizes[shown] > 0]
    if len(shown) == 0:
        raise InputError("no cluster holds a node: there is nothing to draw")
    links = heaviest_links(matrix[shown][:, shown].tocoo(), volumes[shown])
    radii = disk_radii(sizes[shown])
    places = disk_places(len(shown), links, radii)
    ax = axes_of(ax, (6, 4.6))
    _draw(ax, places, radii, links, shown)
    _name(ax, places, radii, {c: [str(c)] if names is None else [names[c], str(c)] for c in shown.tolist()})
    n_filled = int(np.count_nonzero(sizes))
    if len(shown) < n_filled:
        ax.set_title(f"the {len(shown)} largest of {n_filled:,} clusters", fontsize=9)
    return ax


def heaviest_links(between, volumes):
    """Return the three heaviest links of each cluster as rows (a, b, share), the lightest first."""
    once = between.row < between.col
    a, b, weight = between.row[once], between.col[once], between.data[once]
    smaller = np.minimum(volumes[a], volumes[b])
    share = np.divide(weight, smaller, out=np.zeros(len(weight)), where=smaller > 0)
    order = np.argsort(-share, kind="stable")
    counts = np.zeros(len(volumes), dtype=int)
    kept = []
    for e in order:
        if counts[a[e]] < _N_LINKS or counts[b[e]] < _N_LINKS:
            counts[a[e]] += 1
            counts[b[e]] += 1
            kept.append(e)
    kept = np.array(kept[::-1], dtype=int)
    return np.column_stack([a[kept], b[kept], share[kept]])


def disk_radii(sizes, share=_DISKS_SHARE, smallest=_MIN_RADIUS, largest=_MAX_RADIUS):
    """Return radii of disks with areas in proportion to sizes, but for those that would be too small to read.

    The radius of the largest, `largest` at most, leaves all disks their `share` of the page.
    """
    most = min(largest, np.sqrt(share * _WIDTH * _HEIGHT / np.pi * sizes.max() / sizes.sum()))
    return np.maximum(smallest, most * np.sqrt(sizes / sizes.max()))


def disk_places(count, links, radii):
    """Place the centres of the disks by springs along the links, then push disks apart."""
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from(range(count))
    graph.add_weighted_edges_from((int(a), int(b), float(np.sqrt(share))) for a, b, share in links)
    found = nx.spring_layout(graph, k=2.2 / np.sqrt(count), iterations=200, seed=0, weight="weight")
    places = np.array([found[i] for i in range(count)])
    # Half the way to evenly spread ranks keeps components without links near the others.
    ranks = np.argsort(np.argsort(places, axis=0), axis=0) / max(1, count - 1) * 2 - 1
    reach = np.maximum(np.abs(places).max(axis=0), 1e-12)
    places = 0.5 * places / reach + 0.5 * ranks
    half = np.array([_WIDTH, _HEIGHT]) / 2
    return _apart(places * (half - min(_MAX_RADIUS, radii.max())), radii, half)


def _apart(places, radii, half):
    """Push disks that overlap off each other, and back onto the page."""
    reach = radii[:, None] + radii[None, :] + _GAP
    np.fill_diagonal(reach, 0)
    for _ in range(_ROUNDS):
        difference = places[:, None] - places[None, :]
        # Two disks at one place part along a line that depends on their numbers.
        distance = np.hypot(difference[..., 0], difference[..., 1])
        overlap = np.maximum(reach - distance, 0)
        if not (overlap > 1e-6).any():
            break
        angle = np.arange(len(places))[:, None] - np.arange(len(places))[None, :]
        fallback = np.stack([np.cos(angle), np.sin(angle)], axis=-1) * np.sign(angle)[..., None]
        direction = np.where((distance > 1e-9)[..., None], difference / np.maximum(distance, 1e-9)[..., None], fallback)
        places = places + 0.3 * (overlap[..., None] * direction).sum(axis=1)
        bound = np.maximum(half - radii[:, None], 0.0)
        places = np.clip(places, -bound, bound)
    return places


def _draw(ax, places, radii, links, clusters):
    from matplotlib.collections import LineCollection
    from matplotlib.patches import Circle

    ends = links[:, :2].astype(int)
    if len(ends):
        thick = 0.4 + 5.6 * np.sqrt(links[:, 2] / max(links[:, 2].max(), 1e-300))
        ax.add_collection(LineCollection(places[ends], colors=MIDDLE, linewidths=thick, alpha=0.55, zorder=1))
    for c, place, radius in zip(clusters, places, radii, strict=True):
        look = {"facecolor": color_of(c), "edgecolor": INK, "linewidth": 0.8, "zorder": 2}
        ax.add_patch(Circle(place, radius, gid=clusters_gid([c]), **look))
    width, height = _WIDTH / 2 + 1, _HEIGHT / 2 + 1  # half a line more, for disks at the edge
    ax.set(xlim=(-width, width), ylim=(-height, height), aspect="equal", xticks=[], yticks=[], frame_on=False)


def _name(ax, places, radii, texts):
    """Write on the disk of each cluster the first of its texts that fits, in a size that fits."""
    figure = ax.get_figure(root=True)
    figure.draw_without_rendering()
    per_point = abs(np.diff(ax.transData.transform([(1, 0), (0, 0)])[:, 0])[0])
    for place, radius, (c, choices) in zip(places, radii, texts.items(), strict=True):
        size, is_dark = min(11, max(7, radius * 0.5)), np.dot(components(color_of(c)), (0.21, 0.72, 0.07)) < 110
        look = {"ha": "center", "va": "center", "fontsize": size, "color": "white" if is_dark else "black"}
        for choice in choices:
            text = ax.text(*place, choice, zorder=3, **look)
            fitting = size * 0.92 * 2 * radius * per_point / max(1e-9, text.get_window_extent().width)
            if fitting >= 5:
                text.set_fontsize(min(size, fitting))
                break
            text.remove()


# -- every node of a small graph ---------------------------------------------------------------------------------------

MOST_DRAWN, _MOST_EDGES = 3000, 4000
# Share of the page that disks of the clusters would cover.
_SHARE = 0.42
_CLUSTERS_GAP = 12.0
_ITERATIONS = 30


@picture
def graph_drawing(graph: Any, labels: ArrayLike | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw every node of a graph of up to 3,000 nodes, and a shade behind each cluster.

    Clusters are placed by the links between them, and the nodes of each by the edges inside it: edges attract, nodes
    repel each other. Up to six clusters have a legend. Of more, which differ in one of 40 colours or 6 shapes, the
    largest are numbered. Of more than 4,000 edges a random sample is drawn, always the same.

    Parameters
    ----------
    graph : fitted model, Graph, sparse matrix or networkx graph
    labels : array-like of shape (n_nodes,), integer, optional
        Cluster of every node, from 0; nodes of -1 and nodes without an edge are not drawn. Default: those of the model,
        a single cluster for other graphs.
    {ax}

    References
    ----------
    Fruchterman, Reingold, "Graph Drawing by Force-directed Placement", Software: Practice and Experience 1991.

    Examples
    --------
    >>> import graphcore
    >>> karate = graphcore.datasets.load_karate()
    >>> ax = graphcore.plot.graph_drawing(karate.graph, karate.labels)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['0', '1']
    """
    if is_model(graph):
        graph, labels = graph.graph_, graph.labels_ if labels is None else labels
    graph = as_graph(graph)
    labels = np.zeros(graph.n_nodes, dtype=np.int32) if labels is None else labels
    graph, labels, k = placed_labels(graph, labels, None)
    nodes = np.flatnonzero(labels >= 0)
    if len(nodes) == 0:
        raise InputError("no node has a cluster: there is nothing to draw")
    if len(nodes) > MOST_DRAWN:
        raise InputError(
            f"{len(nodes):,} nodes are more than the {MOST_DRAWN:,} that can be drawn; draw a cluster, "
            "model.subgraph(cluster), or quotient_graph"
        )
    ends, weights = _edges(graph, nodes)
    places = _places(graph, labels, k, nodes, ends, weights)
    labels = labels[nodes]
    ax = axes_of(ax, (6.4, 4.6))
    _draw_edges(ax, places, ends[np.sort(np.random.default_rng(0).permutation(len(ends))[:_MOST_EDGES])])
    ax.set(xticks=[], yticks=[], frame_on=False)
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.03)
    area = float(np.clip(9000 / len(nodes), 6, 60))
    for c in clusters_by_size(labels):
        _shade(ax, places[labels == c], c)
    scatter_clusters(ax, places, labels, area, zorder=3)
    return ax


def _edges(graph, nodes):
    """Return the edges between the nodes drawn, each once, as positions in `nodes`; weights over the largest."""
    graph = subgraph(graph, nodes)
    rows = np.repeat(np.arange(len(nodes)), np.diff(graph.indptr))
    once = graph.indices > rows
    weights = np.ones(np.count_nonzero(once)) if graph.weights is None else graph.weights[once].astype(float)
    return np.column_stack([rows, graph.indices])[once], weights / max(weights.max(initial=0.0), 1e-300)


def _places(graph, labels, k, nodes, ends, weights):
    """Place clusters as in the picture of the quotient graph, and the nodes of each by networkx's forces."""
    own = labels[nodes]
    middles, reach = _cluster_disks(weight_between(graph, labels, k), np.bincount(own, minlength=k))
    places = middles[own]
    for c in np.unique(own):
        mine = np.flatnonzero(own == c)
        places[mine] += reach[c] * _within(mine, ends, weights)
    return places


def _cluster_disks(between, sizes):
    """Middles (n_clusters, 2) and radii of disks as large as clusters, near each other by the graph `between` them."""
    from scipy.spatial.distance import pdist

    k, filled = len(sizes), np.flatnonzero(sizes)
    volumes = np.asarray(between.sum(axis=1)).ravel()[filled]
    links = heaviest_links(between[filled][:, filled].tocoo(), volumes)
    radii = disk_radii(sizes[filled], _SHARE, smallest=0.0, largest=np.inf)
    disks = disk_places(len(filled), links, radii)
    # Disks move together until two touch.
    first, second = np.triu_indices(len(radii), 1)
    needed = np.max((radii[first] + radii[second] + _CLUSTERS_GAP) / np.maximum(pdist(disks), 1e-12), initial=0.0)
    middles, reach = np.zeros((k, 2)), np.zeros(k)
    middles[filled], reach[filled] = disks * min(1.0, needed), radii
    return middles, reach


def _within(mine, ends, weights):
    """Place the nodes of one cluster in the unit disk, by the forces between them."""
    import networkx as nx

    inside = np.isin(ends, mine).all(axis=1)
    forces = nx.Graph()
    forces.add_nodes_from(mine.tolist())
    forces.add_weighted_edges_from(zip(*ends[inside].T.tolist(), weights[inside].tolist(), strict=True))
    found = nx.spring_layout(forces, iterations=_ITERATIONS, seed=0)
    places = np.array([found[i] for i in mine.tolist()])
    places -= np.median(places, axis=0)
    far = np.hypot(*places.T)
    # Nodes without edges inside move far away; distances by rank fill the disk evenly.
    rank = (np.argsort(np.argsort(far, kind="stable")) + 0.5) / len(mine)
    return places * (np.sqrt(rank) / np.maximum(far, 1e-12))[:, None] if len(mine) > 1 else np.zeros((1, 2))


def _draw_edges(ax, places, ends):
    """Draw all edges as one line, which makes a small file."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    if len(ends):
        codes = np.tile(np.array([Path.MOVETO, Path.LINETO], dtype=np.uint8), len(ends))
        path = Path(places[ends.ravel()], codes)
        style = {"edgecolor": MIDDLE, "linewidth": 0.3, "alpha": 0.45}
        ax.add_patch(PathPatch(path, facecolor="none", zorder=1, gid="edges", **style))


def _shade(ax, points, cluster):
    """Draw the convex hull of a cluster's nodes, if they have one."""
    from matplotlib.patches import Polygon
    from scipy.spatial import ConvexHull, QhullError

    if len(points) < 3:
        return
    try:
        corners = points[ConvexHull(points).vertices]
    except QhullError:  # all on one line
        return
    middle, color = corners.mean(axis=0), color_of(cluster)
    around = middle + 1.06 * (corners - middle)
    style = {"facecolor": color, "edgecolor": color, "alpha": 0.25, "joinstyle": "round"}
    ax.add_patch(Polygon(around, linewidth=1, zorder=2, gid=clusters_gid([cluster]), **style))
