"""The quotient graph, drawn: a disk for each cluster, a line where edges run between two."""

from typing import Any

import numpy as np

from ..base.types import ArrayLike, Axes, Sequence
from ..base.validation import check_integer
from ..exceptions import InputError
from ..graphs.graph import Graph
from ._style import INK, MIDDLE, PAPER, STEPS, axes_of, bare, clusters_gid, picture, step_of, steps_legend

# The picture is laid out on a page of so many points, with disks of these radii.
_WIDTH, _HEIGHT = 420.0, 320.0
# To the right of it, for the legend: inside the axes, which equal scales keep from filling their place.
_LEGEND = 110.0
_MIN_RADIUS, _MAX_RADIUS = 8.0, 34.0
_DISKS_SHARE = 0.28
_GAP = 4.0
_N_LINKS = 3
_ROUNDS = 400


@picture
def quotient_graph(
    matrix: Any, sizes: ArrayLike | None = None, *, n_clusters: int = 40,
    names: Sequence[str] | None = None, ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw clusters as disks and the edges between them as lines, the three heaviest of each cluster.

    The area of a disk is in proportion to the cluster's size (small ones are drawn larger than that, to have room for
    the number), its shade with the conductance. The width of a line grows with the weight of the edges between two
    clusters as a share of the smaller one's volume.

    Parameters
    ----------
    matrix : fitted model, Graph, csr_array or array-like of shape (n_clusters, n_clusters)
        A :class:`graphcore.CoresetSpectralClustering`, its `quotient_graph_`, or what
        :func:`graphcore.metrics.quotient_graph` returns.
    sizes : array-like of shape (n_clusters,), optional
        Nodes in each cluster. Default: those of the model; for a graph or a matrix the clusters' volumes.
    n_clusters : int, default 40
        Draw the largest ones; the title says how many there are.
    names : sequence of str, optional
        Text on the disks; default the clusters' numbers. The number stands for a name that does not fit.
    {ax}

    Examples
    --------
    >>> import graphcore
    >>> graph = graphcore.Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> Q = graphcore.metrics.quotient_graph(graph, [0, 0, 0, 1, 1, 1])
    >>> len(graphcore.plot.quotient_graph(Q, [3, 3]).patches)
    2
    """
    import scipy.sparse as sp

    if hasattr(matrix, "quotient_graph_"):
        labels, matrix = matrix.labels_, matrix.quotient_graph_
        sizes = np.bincount(labels[labels >= 0], minlength=matrix.n_nodes) if sizes is None else sizes
    matrix = matrix.to_scipy() if isinstance(matrix, Graph) else sp.csr_array(matrix)
    k = matrix.shape[0]
    if matrix.shape != (k, k):
        raise InputError(f"the matrix has shape {matrix.shape}, and a row and a column for each cluster are needed")
    sizes = np.atleast_1d(matrix.sum(axis=1) if sizes is None else sizes)
    if sizes.shape != (k,):
        raise InputError(f"sizes have shape {sizes.shape}; one for each of {k} clusters is needed")
    if names is not None and len(names) != k:
        raise InputError(f"{len(names)} names for {k} clusters")
    most = check_integer("n_clusters", n_clusters, low=1)
    shown = np.argsort(-sizes, kind="stable")[:most]
    shown = shown[sizes[shown] > 0]
    if len(shown) == 0:
        raise InputError("no cluster holds a node: there is nothing to draw")
    volumes = np.asarray(matrix.sum(axis=1)).ravel()
    conductance = 1 - np.divide(matrix.diagonal(), volumes, out=np.zeros(k), where=volumes > 0)
    links = heaviest_links(matrix[shown][:, shown].tocoo(), volumes[shown])
    radii = disk_radii(sizes[shown])
    places = disk_places(len(shown), links, radii)
    ax = axes_of(ax, (7.2, 4.6))
    _draw(ax, places, radii, links, conductance[shown], shown)
    texts = [[str(c)] if names is None else [names[c], str(c)] for c in shown]
    _name(ax, places, radii, texts, conductance[shown])
    n_filled = int(np.count_nonzero(sizes))
    if len(shown) < n_filled:
        ax.set_title(f"the {len(shown)} largest of {n_filled:,} clusters", fontsize=9)
    steps_legend(ax, "conductance", loc="upper right", bbox_to_anchor=(1, 1))
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


def _draw(ax, places, radii, links, conductance, clusters):
    from matplotlib.collections import LineCollection
    from matplotlib.patches import Circle

    ends = links[:, :2].astype(int)
    if len(ends):
        thick = 0.4 + 5.6 * np.sqrt(links[:, 2] / max(links[:, 2].max(), 1e-300))
        ax.add_collection(LineCollection(places[ends], colors=MIDDLE, linewidths=thick, alpha=0.55, zorder=1))
    for c, place, radius, step in zip(clusters, places, radii, step_of(conductance), strict=True):
        gid = clusters_gid([c])
        ax.add_patch(Circle(place, radius, facecolor=STEPS[step], edgecolor=INK, linewidth=0.8, zorder=2, gid=gid))
    width, height = _WIDTH / 2 + 1, _HEIGHT / 2 + 1  # half a line more, for disks at the edge
    ax.set(xlim=(-width, width + _LEGEND), ylim=(-height, height), aspect="equal")
    bare(ax)


def _name(ax, places, radii, texts, conductance):
    """Write on each disk the first of its texts that fits, in a size that fits."""
    figure = ax.get_figure(root=True)
    figure.draw_without_rendering()
    per_point = abs(np.diff(ax.transData.transform([(1, 0), (0, 0)])[:, 0])[0])
    for place, radius, choices, step in zip(places, radii, texts, step_of(conductance), strict=True):
        size = min(11, max(7, radius * 0.5))
        for choice in choices:
            text = ax.text(
                *place, choice, ha="center", va="center", fontsize=size, zorder=3, color=PAPER if step >= 3 else INK
            )
            fitting = size * 0.92 * 2 * radius * per_point / max(1e-9, text.get_window_extent().width)
            if fitting >= 5:
                text.set_fontsize(min(size, fitting))
                break
            text.remove()
