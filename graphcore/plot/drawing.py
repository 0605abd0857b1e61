"""A drawing of a small graph: every node, its clusters shaded."""

import numpy as np

from ..base.streams import Streams
from ..base.types import AnyGraph, ArrayLike, Axes, RandomState
from ..exceptions import InputError
from ..graphs.graph import subgraph
from ..metrics.cut import placed_labels, quotient_graph
from ._style import MIDDLE, axes_of, bare, cluster_ranks, cluster_style, clusters_gid, picture, scatter_clusters
from .quotient import disk_places, disk_radii, heaviest_links

MOST_DRAWN, _MOST_EDGES = 3000, 4000
# Share of the page that disks of the clusters would cover.
_SHARE = 0.42
_GAP = 12.0
_ITERATIONS = 30
# The share of the way to its neighbours that a node is moved.
_LEAN = 0.15


@picture
def graph_drawing(
    graph: AnyGraph, labels: ArrayLike, *, random_state: RandomState = 0, ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw every node of a graph of up to 3,000 nodes, and a shade behind each cluster.

    Clusters are placed by the links between them, and the nodes of each by the edges inside it: edges attract, nodes
    repel each other. Every node is then moved towards its neighbours, so that nodes at a border lie at it. Up to six
    clusters have a legend. For more, shades and shapes are reused in other combinations, as far as possible from each
    other, and the largest clusters are numbered. Of more than 4,000 edges a random sample is drawn.

    Parameters
    ----------
    graph : Graph, sparse matrix or networkx graph
    labels : array-like of shape (n_nodes,), integer
        Cluster of every node, from 0; nodes of -1 and nodes without an edge are not drawn.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the sample of edges.
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
    graph, labels, k = placed_labels(graph, labels, None)
    nodes = np.flatnonzero(labels >= 0)
    if len(nodes) == 0:
        raise InputError("no node has a cluster: there is nothing to draw")
    if len(nodes) > MOST_DRAWN:
        raise InputError(
            f"{len(nodes):,} nodes are more than the {MOST_DRAWN:,} that can be drawn; draw a cluster, "
            "model.subgraph(cluster), or quotient_graph"
        )
    rng = Streams(random_state).generator("drawing")
    ends, weights = _edges(graph, nodes)
    places = _places(graph, labels, k, nodes, ends, weights)
    labels = labels[nodes]
    ax = axes_of(ax, (6.4, 4.6))
    shown = np.sort(rng.choice(len(ends), _MOST_EDGES, replace=False)) if len(ends) > _MOST_EDGES else slice(None)
    _draw_edges(ax, places, ends[shown])
    bare(ax)
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.03)
    area = float(np.clip(9000 / len(nodes), 6, 60))
    for c, rank in cluster_ranks(places, labels).items():
        _shade(ax, places[labels == c], rank, c)
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
    middles, reach = _cluster_disks(quotient_graph(graph, labels, k), np.bincount(own, minlength=k))
    places = middles[own]
    for c in np.unique(own):
        mine = np.flatnonzero(own == c)
        places[mine] += reach[c] * _within(mine, ends, weights)
    return _leaning(places, ends, weights)


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
    needed = np.max((radii[first] + radii[second] + _GAP) / np.maximum(pdist(disks), 1e-12), initial=0.0)
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


def _leaning(places, ends, weights):
    """Move every node some way towards its neighbours, so that nodes at a border lie at it."""
    import scipy.sparse as sp

    once = sp.csr_array((weights, tuple(ends.T)), shape=(len(places),) * 2)
    pull = once + once.T
    total, towards = pull.sum(axis=1), pull @ places
    linked = total > 0
    places = places.copy()
    places[linked] += _LEAN * (towards[linked] / total[linked, None] - places[linked])
    return places


def _draw_edges(ax, places, ends):
    """Draw all edges as one line, which makes a small file."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    if len(ends):
        codes = np.tile(np.array([Path.MOVETO, Path.LINETO], dtype=np.uint8), len(ends))
        path = Path(places[ends.ravel()], codes)
        style = {"edgecolor": MIDDLE, "linewidth": 0.3, "alpha": 0.45}
        ax.add_patch(PathPatch(path, facecolor="none", zorder=1, gid="edges", **style))


def _shade(ax, points, rank, cluster):
    """Draw the convex hull of a cluster's nodes, if they have one."""
    from matplotlib.patches import Polygon
    from scipy.spatial import ConvexHull, QhullError

    if len(points) < 3:
        return
    try:
        corners = points[ConvexHull(points).vertices]
    except QhullError:  # all on one line
        return
    middle = corners.mean(axis=0)
    shade, _ = cluster_style(rank)
    around = middle + 1.06 * (corners - middle)
    style = {"facecolor": shade, "edgecolor": shade, "alpha": 0.25, "joinstyle": "round"}
    ax.add_patch(Polygon(around, linewidth=1, zorder=2, gid=clusters_gid([cluster]), **style))
