"""Charts of clusters: sizes against conductance, and the merge tree drawn from the clusters upwards."""

from typing import Any

import numpy as np

from ..base.types import ArrayLike, Axes, Sequence
from ..base.validation import check_integer
from ..cluster.refine.merging import MergeTree
from ..exceptions import InputError
from ..metrics import ClusterSums, cut_and_volume
from ._style import (
    INK,
    MIDDLE,
    STEPS,
    axes_of,
    check_each,
    clusters_gid,
    is_model,
    label_points,
    picture,
    shortened,
    steps_legend,
)

# Clusters of the highest conductance that are named, if there is room.
_N_NAMED = 8


@picture
def cluster_sizes(
    graph: Any, labels: ArrayLike | None = None, *, stability: ArrayLike | None = None, ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw a dot for each cluster: its size, its conductance, and its stability as the dot's shade.

    Parameters
    ----------
    graph : fitted model, Graph, sparse matrix or networkx graph
        A :class:`graphcore.CoresetSpectralClustering`, a graph with `labels`, or what
        :func:`graphcore.metrics.cut_and_volume` returns of them.
    labels : array-like of shape (n_nodes,), integer, optional
        Cluster of every node, from 0; -1 for none.
    stability : array-like of shape (n_clusters,), optional
        Shades of the dots, 0 light to 1 dark. Default: ``cluster_stability_`` of the model; none with `labels`.
    {ax}

    Examples
    --------
    >>> import graphcore
    >>> graph = graphcore.Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> graphcore.plot.cluster_sizes(graph, [0, 0, 0, 1, 1, 1]).get_ylabel()
    'conductance'
    """
    from matplotlib.ticker import LogLocator, NullLocator

    if is_model(graph):
        if labels is None:
            labels, stability = graph.labels_, graph.cluster_stability_ if stability is None else stability
        graph = graph.graph_
    sums = graph if isinstance(graph, ClusterSums) else cut_and_volume(graph, labels)
    ax = axes_of(ax, (6.4, 4))
    filled = np.flatnonzero(sums.size)
    if len(filled) == 0:
        raise InputError("no cluster holds a node with an edge: there is nothing to draw")
    sizes, conductance = sums.size[filled], sums.conductance[filled]
    # Dots of many clusters would hide each other.
    area = float(np.clip(4000 / len(filled), 9, 60))
    edges = {"edgecolors": INK, "linewidths": min(0.6, area / 40), "zorder": 3}
    if stability is None:
        ax.scatter(sizes, conductance, s=area, c=MIDDLE, gid=clusters_gid(filled, each=True), **edges)
    else:
        check_each("stability", stability, len(sums.size), "clusters")
        step = np.clip((5 * np.asarray(stability, dtype=float)[filled]).astype(int), 0, 4)
        for i, shade in enumerate(STEPS):
            if (mine := step == i).any():
                gid = clusters_gid(filled[mine], each=True)
                ax.scatter(sizes[mine], conductance[mine], s=area, c=shade, gid=gid, **edges)
        steps_legend(ax, "stability")
    ax.set_xscale("log")
    ax.margins(0.08)
    # Numbers, not powers, however few decades there are.
    ticks = LogLocator(subs=(1, 2, 5) if sizes.max() < 200 * sizes.min() else (1,), numticks=12)
    ax.xaxis.set(major_locator=ticks, major_formatter=_whole, minor_locator=NullLocator())
    empty = len(sums.size) - len(filled)
    ax.set_xlabel("nodes in the cluster" + (f" ({empty:,} empty clusters not shown)" if empty else ""))
    ax.set_ylabel("conductance")
    ax.spines[["top", "right"]].set_visible(False)
    named = np.argsort(-conductance, kind="stable")[:_N_NAMED]
    points = np.column_stack([sizes, conductance])
    label_points(ax, points[named], [str(filled[i]) for i in named], gap=1.5 + np.sqrt(area) / 2)
    return ax


@picture
def dendrogram(
    tree: Any, n_leaves: int = 40, *, names: Sequence[str] | None = None, n_clusters: int | None = None,
    ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw the top of a merge tree.

    Parameters
    ----------
    tree : fitted model, ClusterTree, or array-like of shape (n_groups - 1, 4)
        A :class:`graphcore.CoresetSpectralClustering`, whose clusters are the leaves, named by number, size and most
        central nodes; or groups merged, as ``model.tree_`` or in scipy's form.
    n_leaves : int, default 40
        Number of leaves that are drawn; with earlier merges left out, a leaf stands for several clusters or groups.
    names : sequence of str, optional
        Names of the groups, and perhaps of their unions, by scipy's ids.
    n_clusters : int, optional
        Number of clusters, whose cut of the tree is marked.
    {ax}

    Examples
    --------
    >>> import graphcore
    >>> karate = graphcore.datasets.load_karate()
    >>> model = graphcore.CoresetSpectralClustering(n_clusters=4, random_state=0).fit(karate.graph)
    >>> ax = graphcore.plot.dendrogram(model)
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['2 (12): 33, 32', '3 (6): 24, 25', '0 (5): 5, 6', '1 (11): 0, 1']
    """
    if is_model(tree):
        merges, clusters = _merges_of_clusters(tree.tree_)
        central = tree.summary(n_central=2)["central"]
        names = cluster_names(merges, clusters, [central[c] for c in clusters]) if names is None else names
        tree = merges.linkage()
    linkage = np.asarray(tree.to_linkage() if hasattr(tree, "to_linkage") else tree)
    n_groups = len(linkage) + 1
    if n_groups < 2:
        raise InputError("one cluster has no tree: there is nothing to draw")
    n_leaves = min(check_integer("n_leaves", n_leaves, low=2), n_groups)
    ax = axes_of(ax, (6, 0.8 + 0.19 * n_leaves))
    from scipy.cluster.hierarchy import dendrogram as scipy_dendrogram

    texts = [f"group {i}" for i in range(n_groups)] if names is None else list(map(str, names))
    check_each("names", texts, n_groups, "groups")
    scipy_dendrogram(
        linkage, n_leaves, "lastp", orientation="left", link_color_func=lambda _: INK, ax=ax, leaf_font_size=8,
        leaf_label_func=lambda i: texts[i] if i < len(texts) else f"{int(linkage[i - n_groups, 3]):,} groups",
    )  # fmt: skip
    for text in ax.get_yticklabels():
        text.set_parse_math(False)
    highest = linkage[-1, 2]
    ax.set_xlim(highest * 1.03 if highest > 0 else 1.0, 0)
    ax.yaxis.tick_right()
    if n_clusters is not None:
        n_clusters = check_integer(
            "n_clusters", n_clusters, low=1, high=n_groups, why_high="the groups of the merge tree"
        )
        heights = np.concatenate([[0.0], linkage[:, 2], [1.03 * highest]])
        place = heights[n_groups - n_clusters : n_groups - n_clusters + 2].mean()
        ax.axvline(place, color=INK, lw=0.8, ls="--", zorder=1)
        ax.annotate(
            f"{n_clusters} clusters", (place, 1), (0, 2), xycoords=("data", "axes fraction"),
            textcoords="offset points", ha="center", va="bottom", fontsize=8, color=INK,
        )  # fmt: skip
    ax.set_xlabel("merging cost")
    ax.locator_params(axis="x", nbins=5)
    ax.spines[["top", "right", "left"]].set_visible(False)
    return ax


def _whole(number, _):
    """Return the text of a tick: nothing between two numbers of nodes."""
    return f"{number:,.0f}" if abs(number - round(number)) < 1e-6 else ""


def _merges_of_clusters(tree):
    """Return the merges of a fit's clusters in its tree (MergeTree), and the labels that are its leaves."""
    table, k = tree.to_table(), tree.n_clusters
    leaves = np.flatnonzero(table["label"] >= 0)
    leaves = leaves[np.argsort(table["label"][leaves])]
    number = np.arange(len(table["id"])) - (len(table["id"]) - 2 * k + 1)
    number[leaves] = np.arange(k)
    first = tree.n_leaves - k
    merges = MergeTree(number[tree.merges.children[first:]], tree.merges.heights[first:], table["size"][leaves])
    return merges, table["label"][leaves].tolist()


def cluster_names(merges, clusters, central):
    """Name clusters by number, size and two central nodes, and their unions by their numbers of clusters and nodes."""
    sizes, counts = (merges.summed(each).astype(int).tolist() for each in (merges.leaf_sizes, np.ones(len(clusters))))
    texts = []
    for c, size, names in zip(clusters, sizes, central, strict=False):
        # Letters that cannot be printed cannot be drawn.
        drawn = ["".join(a if a.isprintable() else "\ufffd" for a in str(name)) for name in names[:2]]
        texts.append(f"{c} ({size:,}){': ' * bool(drawn)}{', '.join(shortened(name, 20) for name in drawn)}")
    k = len(clusters)
    return texts + [f"{count:,} clusters ({size:,})" for count, size in zip(counts[k:], sizes[k:], strict=True)]
