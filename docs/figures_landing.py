"""Pictures of the landing page: the idea, and all methods on all graphs of the bench."""

import re
from dataclasses import replace
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection
from sklearn.datasets import make_blobs, make_moons

import graphcore
from graphcore.cluster.pipeline.parameters import METHOD
from graphcore.plot._style import bare

TABLES = Path(__file__).parent / "tables" / "quality.md"
SHADES = ("#1b4965", "#e0a030", "#b5547a")
SHAPES = "osD"
# Methods of the bench, and how they are drawn: a family has a colour, its members have shapes.
METHODS = {
    "graphcore": ("#1b4965", "*", True), "graphcore, pure NC": ("#1b4965", "P", True),
    "graphcore, coreset 1 %": ("#1b4965", "X", True), "graphcore, published": ("#1b4965", "o", False),
    "METIS": ("#e0a030", "s", True),
    "sklearn, k-means": ("#5fa58a", "^", True), "sklearn, cluster_qr": ("#5fa58a", "v", True),
    "stag": ("#b5547a", "D", True), "coreset-sc 1 %": ("#b5547a", "<", False),
    "coreset-sc 10 %": ("#b5547a", ">", False), "Leiden (igraph)": ("#777777", "h", False),
    "Leiden (leidenalg)": ("#777777", "H", True), "Louvain (igraph)": ("#777777", "p", False),
    "Louvain (scikit-network)": ("#777777", "p", True),
}  # fmt: skip


def idea():
    """A graph, its coreset in clusters, and labels for all nodes."""
    moons, _ = make_moons(520, noise=0.07, random_state=1)
    blob, _ = make_blobs(200, centers=[(3.1, 0.9)], cluster_std=0.25, random_state=1)
    points = np.concatenate([moons, blob])
    graph = graphcore.knn_graph(points, 6, random_state=0)
    model = graphcore.CoresetSpectralClustering(3, published=replace(METHOD, coreset_size=60), random_state=0).fit(
        graph
    )
    edges = graph.to_scipy().tocoo()
    lines = points[np.column_stack([edges.row, edges.col])[edges.row < edges.col]]
    coreset = model.clustering_.coreset
    nodes, weights = coreset.indices, coreset.weights

    figure, axes = plt.subplots(1, 3, figsize=(10, 2.05), layout="constrained")
    steps = ("1. a large graph", f"2. cluster {len(nodes)} of its {len(points)} nodes", "3. label all of them")
    for ax, step in zip(axes, steps, strict=True):
        ax.add_collection(LineCollection(lines, colors="#bbbbbb", linewidths=0.5))
        ax.set_title(step, fontsize=13, loc="left")
        bare(ax)
        ax.set_aspect("equal")
    axes[0].scatter(*points.T, s=9, c="#555555", linewidths=0)
    axes[1].scatter(*points.T, s=4, c="#cccccc", linewidths=0)
    for c, (shade, shape) in enumerate(zip(SHADES, SHAPES, strict=True)):
        inside = model.labels_[nodes] == c
        sizes = 55 * weights[inside] / weights.mean()
        axes[1].scatter(*points[nodes[inside]].T, s=sizes, c=shade, marker=shape, edgecolors="white", zorder=3)
        axes[2].scatter(*points[model.labels_ == c].T, s=13, c=shade, marker=shape, linewidths=0, zorder=3)
    return figure


def comparison():
    """Agreement with known classes against processor seconds, a panel for each graph."""
    text = TABLES.read_text(encoding="utf-8")
    scores, seconds = _table(text, "Agreement with the known classes"), _table(text, "Processor seconds")
    figure, axes = plt.subplots(2, 5, figsize=(10.5, 4.9), layout="constrained", sharex=True, sharey=True)
    *panels, legend = axes.flat
    graphs = scores.pop("method")[: len(panels)]
    for ax, graph in zip(panels, graphs, strict=True):
        for name, (shade, shape, filled) in METHODS.items():
            score = _number(scores[name][graphs.index(graph)])
            time = _number(seconds[name][seconds["method"].index(graph)])
            ax.scatter(
                time, score, s=110 if shape == "*" else 40, marker=shape, c=shade if filled else "white",
                edgecolors=shade, zorder=4 if shape == "*" else 3,
            )  # fmt: skip
        ax.set(title=graph, xscale="log", ylim=(-0.05, 1.05))
        ax.grid(color="#eeeeee", zorder=0)
    for ax in axes[:, 0]:
        ax.set_ylabel("agreement (ARI)")
    figure.supxlabel("processor seconds of one run", fontsize=10)
    for name, (shade, shape, filled) in METHODS.items():
        legend.scatter([], [], s=40, marker=shape, c=shade if filled else "white", edgecolors=shade, label=name)
    legend.legend(loc="center", frameon=False, fontsize=9)
    legend.set_axis_off()
    panels[4].tick_params(labelbottom=True)  # the panel below it is the legend
    return figure


def _table(text, heading):
    """Rows of the table below a bold heading, by their first cell."""
    body = re.search(rf"\*\*{heading}.*?\n\n(.*?)(\n\n|$)", text, re.DOTALL)[1]
    rows = [[cell.strip(" *") for cell in line.strip("|\n ").split("|")] for line in body.splitlines()]
    return {name: cells for name, *cells in rows}


def _number(cell):
    """A figure of a table; not a number where the method did not run, failed, or took too long."""
    try:
        return float(cell)
    except ValueError:
        return np.nan


PICTURES = (idea, comparison)
