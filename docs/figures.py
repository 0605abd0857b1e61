"""Pictures of the pages, drawn from small generated data when the pages are built: ``python docs/figures.py``."""

import re
import warnings
from functools import lru_cache, partial
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import scipy.sparse as sp
from figures_flats import PICTURES as FLATS
from figures_landing import PICTURES as LANDING
from figures_nystrom import nystrom_brackets, nystrom_schemes
from graphcore.cluster.coresets.coreset import sample_coreset
from graphcore.cluster.coresets.seeding import d2_seeding, importance_probabilities
from graphcore.cluster.partition.evidence import matched_clusters
from graphcore.cluster.partition.improve import recombine
from graphcore.cluster.partition.problem import Problem
from graphcore.cluster.partition.quotient import common_refinement
from matplotlib.collections import LineCollection
from matplotlib.ticker import NullLocator
from sklearn.calibration import CalibrationDisplay
from sklearn.datasets import load_digits, make_blobs
from sklearn.metrics import adjusted_rand_score

import graphcore
from graphcore.kernels.graph import GraphKernel
from graphcore.metrics import coreset_cost, normalized_cut
from graphcore.plot._style import bare, plain_numbers

FOLDER = Path(__file__).parent / "figures"
STYLE = {
    "font.size": 10,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "savefig.dpi": 160,
}
# Clusters differ in shade and in shape, so that the pictures can be read in grey.
SHADES = ("#1b4965", "#e0a030", "#9ad1b4", "#b5547a", "#666666", "#c9c9c9")
SHAPES = "osD^vP"
# Clusters of nodes with very uneven degrees.
SKEWED = partial(graphcore.datasets.degree_corrected_partition, 10, 500, mean_degree=14, random_state=0)


def gallery_style(gallery_conf, example):
    """Set the style of the pages for the gallery; sphinx-gallery calls this function before each example."""
    plt.rcParams.update(STYLE | {"figure.figsize": (6, 3.8), "figure.constrained_layout.use": True, "savefig.dpi": 110})


def main(folder=FOLDER):
    """Draw every picture, and an example of the report, into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with plt.rc_context(STYLE), warnings.catch_warnings():
        # Induced coreset graphs are shown where they fail; they warn there.
        warnings.simplefilter("ignore", graphcore.GraphWarning)
        for draw in (*LANDING, *DRAWN, *FLATS):
            figure = draw()
            figure.savefig(folder / f"{draw.__name__}.png")
            plt.close(figure)
        _draw_plots(folder)
        _digits()[1].report(folder / "report.html", title="Handwritten digits in 30 clusters")


def _draw_plots(folder):
    """Draw the pictures of the page of plots, by the code above each of them."""
    page, names = (FOLDER.parent / "pictures.md").read_text(encoding="utf-8"), {}
    for code, name in re.findall(
        r"^```python\n(.*?)^```(?:\s+```{figure} figures/(\w+))?", page, re.DOTALL | re.MULTILINE
    ):
        exec(code, names)
        if name:
            plt.gcf().savefig(folder / f"{name}.png")
            plt.close()


def whiskers():
    """Draw a planted partition with threads attached, clustered by both objectives."""
    network, truth, points = _whiskered()
    graph = graphcore.Graph.from_networkx(network)
    blocks = truth >= 0
    figure, axes = plt.subplots(1, 2, figsize=(8, 4.2), layout="constrained")
    for ax, objective in zip(axes, ("ncut", "information"), strict=True):
        labels = _fit(graph, 3, objective=objective).labels_
        _draw_edges(ax, points, graph)
        _draw_clusters(ax, points, labels, size=14)
        sizes = ", ".join(map(str, sorted(np.bincount(labels), reverse=True)))
        agreement = adjusted_rand_score(truth[blocks], labels[blocks])
        ax.set_title(
            f'objective="{objective}": sizes {sizes}\nNC {normalized_cut(graph, labels):.2f}, '
            f"ARI with the three blocks {agreement:.2f}"
        )
        _bare(ax)
    return figure


def sparse_coreset():
    """Draw the coreset graph of overlapping clouds, induced and contracted, and the labels by its spectrum."""
    centers = [(-2, 0), (0, 0), (2, 0), (-1, 1.7), (1, 1.7)]
    points, truth = make_blobs(1500, centers=centers, cluster_std=0.45, random_state=1)
    graph = graphcore.knn_graph(points, 10, random_state=0)
    figure, axes = plt.subplots(1, 4, figsize=(10.5, 2.7), layout="constrained", sharex=True, sharey=True)
    for (left, right), kind in zip(axes.reshape(2, 2), ("induced", "contracted"), strict=True):
        found = graphcore.coreset_spectral_clustering(graph, 5, coreset_size=150, coreset_graph=kind, random_state=0)
        between = found.coreset_graph - sp.diags_array(found.coreset_graph.diagonal())
        between.eliminate_zeros()
        nodes = points[found.coreset.indices]
        if found.cells is not None:  # a cell is drawn in the middle of its nodes
            nodes = np.stack([points[found.cells == cell].mean(axis=0) for cell in range(between.shape[0])])
        alone = np.diff(between.indptr) == 0
        left.scatter(*points.T, s=1.5, c="#cccccc", linewidths=0)
        _draw_edges(left, nodes, between, width=1.0, shade="black")
        left.scatter(*nodes[~alone].T, s=9, c="black", linewidths=0)
        left.scatter(*nodes[alone].T, s=11, c="white", edgecolors="black", linewidths=0.8, zorder=2)
        left.set_title(f"{kind}: {len(nodes)} nodes,\n{between.nnz // 2} edges between them")
        _draw_clusters(right, points, found.labels, size=6)
        cut, score = normalized_cut(graph, found.labels), adjusted_rand_score(truth, found.labels)
        right.set_title(f"its labels:\nNC {cut:.3f}, ARI {score:.2f}")
    for ax in axes:
        _bare(ax)
    return figure


def loop():
    """Draw two drafts of points in a square, the groups on which they agree, and the recombined clusters."""
    points = np.random.default_rng(0).random((1500, 2))
    graph, k = graphcore.knn_graph(points, 10, random_state=0), 6
    problem = Problem(graph.rows, k, min_share=0.1)
    drafts = [problem.partition(found, problem.sums(found)) for found in (
        graphcore.CoresetSpectralClustering(k, effort="fast", random_state=seed).fit(graph).labels_
        for seed in (9, 0)
    )]  # fmt: skip
    groups, n_groups = common_refinement([draft.labels for draft in drafts], k)
    found = recombine(problem, *drafts, np.random.default_rng(0))
    figure, axes = plt.subplots(1, 4, figsize=(9.5, 2.9), layout="constrained", sharex=True, sharey=True)
    for ax, name, made in zip(axes[[0, 1, 3]], ("a draft", "another", "recombined"), (*drafts, found), strict=True):
        labels = matched_clusters(made.labels, found.labels, k)
        for c, (shape, shade) in enumerate(zip(SHAPES, SHADES, strict=True)):
            ax.scatter(*points[labels == c].T, s=7, c=shade, marker=shape, linewidths=0)
        ax.set_title(f"{name}\nJ = {made.value:.3f}")
    for c in range(n_groups):
        axes[2].scatter(*points[groups == c].T, s=7, c=SHADES[c % 5], marker=SHAPES[c * 7 % 6], linewidths=0)
    axes[2].set_title(f"what they agree on:\n{n_groups} groups")
    for ax in axes:
        _bare(ax)
    return figure


def stability():
    """Draw three clouds, two of which overlap: clusters, and the share of drafts that agree with each label."""
    points, _ = make_blobs(3000, centers=[(-4.6, 0), (0, 0), (2.4, 0.8)], cluster_std=1, random_state=1)
    graph = graphcore.knn_graph(points, 10, random_state=0)
    model = _fit(graph, 3, coreset_size=150)
    figure, axes = plt.subplots(1, 2, figsize=(8.5, 2.9), layout="constrained", sharex=True, sharey=True)
    _draw_clusters(axes[0], points, model.labels_, size=6)
    for c, value in enumerate(model.cluster_stability_):
        axes[0].text(points[model.labels_ == c, 0].mean(), -4.7, f"{value:.2f}", ha="center")
    axes[0].set_title("clusters, and below them their stability")
    order = np.argsort(-model.stability_, kind="stable")
    shown = axes[1].scatter(
        *points[order].T, s=6, c=model.stability_[order], cmap="Greys_r", vmin=0, vmax=1.25, linewidths=0
    )
    bar = figure.colorbar(shown, ax=axes[1], shrink=0.8, label="share of four drafts\nthat agree")
    bar.ax.set_ylim(0, 1)
    axes[1].set_title("stability of nodes")
    for ax in axes:
        _bare(ax)
    return figure


def importance():
    """Draw the probabilities of importance sampling against the degree."""
    graph, _ = SKEWED()
    figure, ax = plt.subplots(figsize=(5.5, 3.4), layout="constrained")
    jitter = np.random.default_rng(0).uniform(0.95, 1.05, graph.n_nodes)
    for cells, shade, label in ((True, "#aaaaaa", "as in the proof"), (False, "#222222", "importance")):
        ax.loglog(graph.degrees * jitter, _importance_of(graph, cells), ".", ms=2, color=shade, label=label)
    degrees = np.unique(graph.degrees)
    ax.loglog(degrees, degrees / graph.degrees.sum(), "k-", lw=1.5, label="degree")
    ax.axhline(1 / graph.n_nodes, color="k", ls=":", lw=1.5, label="uniform")
    ax.set(xlabel="degree of the node", ylabel="its probability in one draw")
    figure.legend(loc="outside upper center", ncols=3, frameon=False, markerscale=4)
    return figure


def coreset_error():
    """Draw the error of a coreset's estimates against its size, for the three samplings."""
    graph, truth = SKEWED()
    kernel = GraphKernel(graph, 1.0)
    sizes = [100, 200, 400, 800, 1600]
    figure, axes = plt.subplots(1, 2, figsize=(8, 3.5), layout="constrained", sharex=True)
    for method, look in (("importance", "o--"), ("uniform", "^:"), ("degree", "s-")):
        found = np.array([_errors(graph, kernel, truth, size, method) for size in sizes])
        for ax, errors in zip(axes, found.T, strict=True):
            ax.loglog(sizes, errors, look, color="k", ms=5, lw=1, mfc="white", label=method)
    for ax, title in zip(axes, ("cost of the planted clusters", "their kNC, what clustering is after"), strict=True):
        ax.set(title=title, xlabel="coreset nodes (draws, for importance)", ylabel="RMS relative error")
        ax.set_xticks(sizes, [str(size) for size in sizes], minor=False)
        ax.xaxis.set_minor_locator(NullLocator())
        plain_numbers(ax.yaxis, "{x:g}")
    axes[0].legend(frameon=False)
    return figure


@lru_cache
def _digits():
    graph = graphcore.knn_graph(graphcore.datasets.load_digits().data, 10, random_state=0)
    return graph, _fit(graph, 30)


def levels():
    """Draw the number of clusters against resolution: a graph with two levels, one of people, and the digits."""
    group = np.arange(1600) // 40
    faculty = group // 10
    chance = np.select([group[:, None] == group, faculty[:, None] == faculty], [0.3, 0.02], 0.001)
    edges = np.triu(np.random.default_rng(0).random(chance.shape) < chance, 1)
    nested = graphcore.Graph.from_scipy(sp.csr_array(edges | edges.T))
    people = graphcore.Graph.from_networkx(nx.les_miserables_graph())
    graphs = {"four faculties of ten groups": nested, "Les Misérables": people, "digits": _digits()[0]}
    figure, ax = plt.subplots(figsize=(6.5, 3.6), layout="constrained")
    for (name, graph), style in zip(graphs.items(), ("-", "--", ":"), strict=True):
        found = graphcore.CoresetSpectralClustering(20, random_state=0).fit(graph).tree_.levels()
        ends = np.append(found["resolution_from"], 1000.0)
        ax.stairs(found["n_clusters"], ends, baseline=None, label=name, ls=style, lw=1.5, color=SHADES[0])
    ax.set(xscale="log", yscale="log", xlim=(1, 100), xlabel="resolution", ylabel="best number of clusters")
    for axis in (ax.xaxis, ax.yaxis):
        plain_numbers(axis, "{x:g}")
    ax.legend(frameon=False)
    return figure


def uneven():
    """Draw uneven vectors in six clusters at three balances, along two principal axes."""
    rng = np.random.default_rng(1)
    sizes = [2000, 200, 100, 50, 30, 20]
    X = np.concatenate([rng.normal(4 * rng.normal(size=16), 1.0, (size, 16)) for size in sizes])
    axes_of_X = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2]
    graph, points = graphcore.knn_graph(X, random_state=0), X @ axes_of_X[:2].T
    figure, axes = plt.subplots(1, 3, figsize=(9, 3.2), layout="constrained")
    for ax, balance in zip(axes, (1.0, 0.7, 0.3), strict=True):
        labels = _fit(graph, 6, balance=balance).labels_
        _draw_clusters(ax, points, labels, 5)
        ax.set_title(f"balance {balance:g}: largest {np.bincount(labels).max() / len(labels):.0%}", fontsize=10)
        _bare(ax)
    return figure


def calibration():
    """Draw memberships of planted graphs and vectors, and shares of edges, against the share of right labels."""
    draws = {
        "planted graphs": lambda seed: graphcore.datasets.planted_partition(
            10, 300, 6 / 300, 4 / 2700, random_state=seed
        ),
        "neighbours of vectors": lambda seed: make_blobs(3000, 10, centers=8, cluster_std=5.0, random_state=seed),
    }
    figure, axes = plt.subplots(1, 2, figsize=(7.2, 3.8), layout="constrained")
    for ax, (name, draw) in zip(axes, draws.items(), strict=True):
        found = zip(*(_judged(*draw(seed)) for seed in range(5)), strict=True)
        for kind, parts in zip(("membership", "share of edges"), found, strict=True):
            p, right = (np.concatenate(part) for part in zip(*parts, strict=True))
            CalibrationDisplay.from_predictions(right, p, n_bins=10, name=kind, ref_line=kind == "membership", ax=ax)
        ax.set(title=name, xlabel="probability", ylabel="share that is right")
    return figure


def detectability():
    """Draw ARI against the ratio of signal to threshold, read from the table of the bench."""
    lines = (FOLDER.parent / "tables" / "detectability.md").read_text(encoding="utf-8").splitlines()
    header, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    panels = [(k, kind) for kind in ("equal", "uneven") for k in ("2", "10", "100")]
    figure, axes = plt.subplots(2, 3, figsize=(7.2, 4.6), layout="constrained", sharex=True, sharey=True)
    styles = {"BP": ("k", "-"), "high": (SHADES[0], "-"), "default": (SHADES[1], "--"), "fast": (SHADES[3], ":")}
    for ax, (k, kind) in zip(axes.flat, panels, strict=True):
        shown = [row for row in rows if row[:3] == [k, kind, "8"]]
        for name, (shade, line) in styles.items():
            cells = [(float(row[3]), row[header.index(name)]) for row in shown]
            values = [(ratio, float(cell.split()[0])) for ratio, cell in cells if cell != "-"]
            if values:
                ax.plot(*zip(*values, strict=True), c=shade, ls=line, marker="o", ms=3, label=name)
        ax.set_title(f"k = {k}, {kind} degrees")
        ax.set_ylim(-0.05, 1.05)
    for ax in axes[1]:
        ax.set_xlabel("signal / threshold")
    for ax in axes[:, 0]:
        ax.set_ylabel("ARI")
    handles = axes[0, 0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside upper center", ncols=4, frameon=False)
    return figure


def _judged(X, truth):
    """Return (largest memberships, whether right) and (shares of edges inside, whether labels are right)."""
    k = int(truth.max()) + 1
    model = graphcore.CoresetSpectralClustering(k, random_state=0).fit(X)
    linked, names = model.labels_ >= 0, np.zeros(k, dtype=int)
    names[model.labels_[linked]] = matched_clusters(model.labels_, truth.astype(np.int32), k)[linked]
    rows, truth = model.membership_[linked], truth[linked]
    return (
        (rows.max(axis=1).toarray().ravel(), names[rows.argmax(axis=1)] == truth),
        (1.0 - model.outside_share_[linked], names[model.labels_[linked]] == truth),
    )


def choosing_k():
    """Draw information against log k, and its corners: digits, and one cloud without clusters."""
    data = {
        "handwritten digits": load_digits().data,
        "points in a cube": np.random.default_rng(0).random((1500, 10)),
    }
    figure, axes = plt.subplots(2, 2, figsize=(8, 5), layout="constrained", sharex="col", sharey="row")
    for column, (name, X) in zip(axes.T, data.items(), strict=True):
        found = graphcore.select_n_clusters(X, random_state=0)
        found.plot(column)
        verdict = "clear" if found.clear else "not clear"
        column[0].set_title(f"{name}: k = {found.best}, {verdict}")
    for ax in axes[:, 1]:
        ax.set_ylabel("")
    axes[0, 0].set_ylabel("J(k) in nats")
    return figure


def _errors(graph, kernel, labels, size, method, n_draws=30):
    """Return root mean squares, over several coresets, of the relative errors of cost and kNC of a partition."""
    errors = []
    for seed in range(n_draws):
        coreset = sample_coreset(kernel, int(labels.max()) + 1, size=size, method=method, random_state=seed)
        found = coreset_cost(graph, coreset.indices, coreset.weights, labels, self_loop=kernel.self_loop)
        errors.append((found.cost_error, found.cut_error))
    return np.sqrt(np.mean(np.square(errors), axis=0))


def _importance_of(graph, cells, k=10):
    kernel = GraphKernel(graph, 1.0)
    return importance_probabilities(kernel.point_weights, d2_seeding(kernel, 2 * k, random_state=0), cells=cells)


def _whiskered(n_blocks=3, size=60, length=8):
    """Return planted blocks with two threads each: network, each node's block (-1 on threads), places to draw at."""
    network = nx.planted_partition_graph(n_blocks, size, 0.16, 0.025, seed=2)
    truth = np.repeat(np.arange(n_blocks), size).tolist()
    angles = 2 * np.pi * np.arange(n_blocks) / n_blocks + np.pi / 2
    points = np.empty((n_blocks * size, 2))
    for c, angle in enumerate(angles):
        members = range(c * size, (c + 1) * size)
        inner = nx.spring_layout(network.subgraph(members), k=0.4, seed=1)
        spots = np.array([inner[node] for node in members])
        spots /= np.abs(spots).max()
        points[list(members)] = spots + 1.35 * np.array([np.cos(angle), np.sin(angle)])
        # Threads start at the outermost nodes and run outwards.
        directions = angle + np.array([-0.5, 0.5])
        for direction in np.stack([np.cos(directions), np.sin(directions)], axis=1):
            outermost = c * size + int(np.argmax(points[list(members)] @ direction))
            new = range(len(truth), len(truth) + length)
            nx.add_path(network, [outermost, *new])
            truth += [-1] * length
            steps = 0.18 * np.arange(1, length + 1)[:, None]
            points = np.vstack([points, points[outermost] + steps * direction])
    order = list(network.nodes)
    return network, np.array(truth)[order], points[order]


def _fit(graph, n_clusters, **parameters):
    return graphcore.CoresetSpectralClustering(n_clusters, random_state=0, **parameters).fit(graph)


def _draw_edges(ax, points, graph, width=0.4, shade="#bbbbbb"):
    matrix = (graph.to_scipy() if hasattr(graph, "to_scipy") else graph).tocoo()
    once = matrix.row < matrix.col
    lines = np.stack([points[matrix.row[once]], points[matrix.col[once]]], axis=1)
    ax.add_collection(LineCollection(lines, colors=shade, linewidths=width, zorder=1))


def _draw_clusters(ax, points, labels, size):
    """Draw clusters in a shape and a shade each, the largest first."""
    order = np.argsort(-np.bincount(labels), kind="stable")
    for shape, shade, c in zip(SHAPES, SHADES, order, strict=False):
        ax.scatter(*points[labels == c].T, s=size, c=shade, marker=shape, linewidths=0, zorder=2)


def _bare(ax):
    bare(ax)
    ax.set_aspect("equal")


DRAWN = (
    whiskers, sparse_coreset, loop, stability, importance, coreset_error, choosing_k, levels, uneven, calibration,
    detectability, nystrom_brackets, nystrom_schemes,
)  # fmt: skip

if __name__ == "__main__":
    main()
