"""Pictures of the landing page: the idea, and all methods on all graphs of the bench."""

import csv
from dataclasses import replace
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection
from sklearn.datasets import make_blobs, make_moons

import graphcore
from graphcore.cluster.pipeline.parameters import METHOD
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


def comparison(shape=(2, 5), size=(10.5, 4.9)):
    """Agreement with known classes against processor seconds, a panel for each graph."""
    with open(RESULTS, newline="", encoding="utf-8") as file:
        found = {(row["graph"], row["method"]): row for row in csv.DictReader(file)}
    figure, axes = plt.subplots(*shape, figsize=size, layout="constrained", sharex=True, sharey=True)
    *panels, legend = axes.flat
    for ax, graph in zip(panels, GRAPHS, strict=True):
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
    figure.supxlabel("processor seconds of one run", fontsize=10)
    for name, (shade, marker, filled) in METHODS.items():
        legend.scatter([], [], s=40, marker=marker, c=shade if filled else "white", edgecolors=shade, label=name)
    legend.legend(loc="center", frameon=False, fontsize=9)
    legend.set_axis_off()
    panels[-shape[1]].tick_params(labelbottom=True)  # the panel below it is the legend
    return figure


def comparison_narrow():
    """The same for a telephone: two panels side by side."""
    return comparison((5, 2), (4.6, 9.5))


PICTURES = (idea, comparison, comparison_narrow)
