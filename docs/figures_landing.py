"""Pictures of the landing page: the idea, and all methods on all graphs of the bench."""

import csv
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from graphcore.cluster.partition.evidence import matched_clusters
from graphcore.cluster.partition.improve import improve
from graphcore.cluster.partition.problem import Problem
from graphcore.cluster.pipeline.drafts import coreset_draft
from graphcore.cluster.pipeline.settings import resolve_settings
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D
from sklearn.datasets import make_blobs, make_moons

import graphcore
from graphcore.base.progress import Stages
from graphcore.base.streams import Streams
from graphcore.metrics import quotient_graph
from graphcore.plot._style import bare

RESULTS = Path(__file__).parent / "tables" / "quality.csv"
SHADES = ("#1b4965", "#e0a030", "#b5547a")
SHAPES = "osD"
# Methods of the bench, and how they are drawn: a family has a colour, its members have shapes.
METHODS = {
    "graphcore": ("#1b4965", "*", True), "graphcore, ncut": ("#1b4965", "P", True),
    "graphcore, published": ("#1b4965", "o", False), "METIS": ("#e0a030", "s", True),
    "KaHIP eco 30 %": ("#e0a030", "X", True), "Mt-KaHyPar": ("#e0a030", "d", True),
    "sklearn, k-means": ("#5fa58a", "^", True), "sklearn, cluster_qr": ("#5fa58a", "v", True),
    "stag": ("#b5547a", "D", True), "coreset-sc 10 %": ("#b5547a", ">", False),
    "Leiden (igraph)": ("#777777", "h", False), "Leiden (leidenalg)": ("#777777", "H", True),
    "Louvain (scikit-network)": ("#777777", "p", True), "Infomap": ("#777777", "8", False),
}  # fmt: skip
GRAPHS = (
    "mnist-nn10", "digits", "pendigits-nn10", "har", "mushrooms", "email", "fbpages", "football", "lfr-10000-0.3",
)  # fmt: skip


def idea():
    """Draw the stages of a draft and its moves: graph, coreset, coreset graph, clusters, labels of all nodes."""
    moons, _ = make_moons(520, noise=0.1, random_state=1)
    blob, _ = make_blobs(200, centers=[(3.1, 0.9)], cluster_std=0.3, random_state=1)
    points = np.concatenate([moons, blob])
    graph = graphcore.knn_graph(points, 6, random_state=0)
    problem, streams = Problem(graph.rows, 3, min_share=0.1), Streams(0)
    settings = resolve_settings(graph, 3, coreset_size=60)
    draft = coreset_draft(graph, problem, settings, streams, None, Stages())
    moved = improve(problem, draft.labels.copy(), streams.generator("moves")).labels
    moved = matched_clusters(moved, draft.labels, 3)
    between = quotient_graph(graph, draft.cells)
    members = [draft.cells == cell for cell in range(between.shape[0])]
    middles = np.stack([points[inside].mean(axis=0) for inside in members])
    of_cells = np.array([np.bincount(draft.labels[inside]).argmax() for inside in members])
    nodes = points[draft.coreset.indices]

    figure, axes = plt.subplots(2, 3, figsize=(10, 4.2), layout="constrained", sharex=True, sharey=True)
    titles = (
        "1. the kernel of a graph", f"2. a coreset of {len(nodes)} nodes", "3. the graph between their cells",
        "4. its clusters", "5. labels of all nodes", "6. nodes and groups have moved",
    )  # fmt: skip
    for ax, title in zip(axes.flat, titles, strict=True):
        ax.set_title(title, fontsize=13, loc="left")
        bare(ax)
        ax.set_aspect("equal")
    _draw_edges(axes[0, 0], points, graph.to_scipy(), 0.5)
    axes[0, 0].scatter(*points.T, s=9, c="#555555", linewidths=0)
    axes[0, 1].scatter(*points.T, s=4, c="#cccccc", linewidths=0)
    axes[0, 1].scatter(*nodes.T, s=45, c="#333333", edgecolors="white", zorder=3)
    greys = np.array(("#bbbbbb", "#888888", "#dddddd", "#555555"))
    axes[0, 2].scatter(*points.T, s=9, c=greys[draft.cells % 4], linewidths=0)
    axes[0, 2].scatter(*middles.T, s=30, c="#333333", edgecolors="white", zorder=3)
    for ax in (axes[0, 2], axes[1, 0]):
        _draw_edges(ax, middles, between, 1.2)
    for c, (shade, shape) in enumerate(zip(SHADES, SHAPES, strict=True)):
        axes[1, 0].scatter(*middles[of_cells == c].T, s=55, c=shade, marker=shape, edgecolors="white", zorder=3)
        for ax, labels in ((axes[1, 1], draft.labels), (axes[1, 2], moved)):
            ax.scatter(*points[labels == c].T, s=13, c=shade, marker=shape, linewidths=0, zorder=3)
    return figure


def _draw_edges(ax, points, matrix, width):
    edges = matrix.tocoo()
    lines = points[np.column_stack([edges.row, edges.col])[edges.row < edges.col]]
    ax.add_collection(LineCollection(lines, colors="#bbbbbb", linewidths=width))


def comparison(shape=(3, 3), size=(7.6, 7.8)):
    """Draw agreement with known classes against processor seconds, a panel for each graph."""
    with open(RESULTS, newline="", encoding="utf-8") as file:
        found = {(row["graph"], row["method"]): row for row in csv.DictReader(file)}
    figure, axes = plt.subplots(*shape, figsize=size, layout="constrained", sharex=True, sharey=True)
    for ax in axes.flat[len(GRAPHS) :]:
        ax.set_axis_off()
    for ax, graph in zip(axes.flat, GRAPHS, strict=False):
        for name, (shade, marker, filled) in METHODS.items():
            row = found.get((graph, name), {})
            if row.get("ari"):
                ax.scatter(
                    float(row["cpu_seconds"]), float(row["ari"]), s=110 if marker == "*" else 40, marker=marker,
                    c=shade if filled else "white", edgecolors=shade, zorder=4 if marker == "*" else 3,
                )  # fmt: skip
        ax.set(title=graph, xscale="log", ylim=(-0.05, 1.05))
        ax.grid(color="#eeeeee", zorder=0)
    for ax in axes[:, 0]:
        ax.set_ylabel("agreement (ARI)")
    for ax in axes.flat[len(GRAPHS) - shape[1] : len(GRAPHS)]:
        ax.tick_params(labelbottom=True)
        ax.set_xlabel("processor seconds")
    marks = [
        Line2D([], [], ls="", ms=9, marker=marker, mfc=shade if filled else "white", mec=shade, label=name)
        for name, (shade, marker, filled) in METHODS.items()
    ]
    figure.legend(
        handles=marks,
        loc="outside lower center",
        ncols=shape[1],
        frameon=False,
        fontsize=11,
        columnspacing=1,
        handletextpad=0.3,
    )
    return figure


def comparison_narrow():
    """Draw the comparison for a telephone: two panels side by side."""
    return comparison((5, 2), (4.6, 11.5))


PICTURES = (idea, comparison, comparison_narrow)
