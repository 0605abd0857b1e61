"""Pictures of the pages, drawn from small generated data when the pages are built: ``python docs/figures.py``."""

import csv
import itertools
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
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator
from sklearn.calibration import CalibrationDisplay
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score

import graphcore
from graphcore import metrics

HERE = Path(__file__).parent
FOLDER = HERE / "figures"
STYLE = {
    "font.size": 10,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "savefig.dpi": 160,
}
# Clusters differ in shade and in shape, so that the pictures can be read in grey.
SHADES = ("#1b4965", "#e0a030", "#b5547a", "#9ad1b4", "#666666", "#c9c9c9")
SHAPES = "osD^vP"
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


def gallery_style(gallery_conf, example):
    """Set the style of the pages for the gallery; sphinx-gallery calls this function before each example."""
    plt.rcParams.update(STYLE | {"figure.figsize": (6, 3.8), "figure.constrained_layout.use": True, "savefig.dpi": 110})


def main(folder=FOLDER):
    """Draw every picture, and an example of the report, into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with plt.rc_context(STYLE), warnings.catch_warnings():
        # Induced coreset graphs are shown where they fail; they warn there.
        warnings.simplefilter("ignore", graphcore.GraphWarning)
        for draw in DRAWN:
            figure = draw()
            figure.savefig(folder / f"{draw.__name__}.png")
            plt.close(figure)
        _draw_plots(folder)
        _digits()[1].report(folder / "report.html", title="Handwritten digits in 30 clusters")


def _draw_plots(folder):
    """Draw the pictures of the page of reports and plots, by the code above each of them."""
    page, names = (HERE / "report.md").read_text(encoding="utf-8"), {}
    for code, name in re.findall(
        r"^```python\n(.*?)^```(?:\s+```{figure} figures/(\w+))?", page, re.DOTALL | re.MULTILINE
    ):
        exec(code, names)
        if name:
            plt.gcf().savefig(folder / f"{name}.png")
            plt.close()


def idea():
    """Draw the stages of a draft and its moves: graph, coreset, coreset graph, clusters, labels of all nodes."""
    moons, _ = make_moons(520, noise=0.1, random_state=1)
    blob, _ = make_blobs(200, centers=[(3.1, 0.9)], cluster_std=0.3, random_state=1)
    points = np.concatenate([moons, blob])
    graph = graphcore.knn_graph(points, 6, random_state=0)
    options = {"coreset_size": 60, "eigen_solver": "exact", "random_state": 3}
    found = graphcore.coreset_spectral_clustering(graph, 3, **options)
    moved = graphcore.CoresetSpectralClustering(3, random_state=0).fit(graph, initial_labels=found.labels).labels_
    names = max(itertools.permutations(range(3)), key=lambda names: np.sum(np.take(names, moved) == found.labels))
    moved = np.take(names, moved)
    members = [found.cells == cell for cell in range(found.coreset_graph.shape[0])]
    middles = np.stack([points[inside].mean(axis=0) for inside in members])
    of_cells = np.array([np.bincount(found.labels[inside]).argmax() for inside in members])
    nodes = points[found.coreset.indices]

    figure, axes = plt.subplots(2, 3, figsize=(10, 4.2), layout="constrained", sharex=True, sharey=True)
    titles = (
        "1. the kernel of a graph", f"2. a coreset of {len(nodes)} nodes", "3. the graph between their cells",
        "4. its clusters", "5. labels of all nodes", "6. nodes and groups have moved",
    )  # fmt: skip
    for ax, title in zip(axes.flat, titles, strict=True):
        ax.set_title(title, fontsize=13, loc="left")
        _bare(ax)
    _draw_edges(axes[0, 0], points, graph, 0.5)
    axes[0, 0].scatter(*points.T, s=9, c="#555555", linewidths=0)
    axes[0, 1].scatter(*points.T, s=4, c="#cccccc", linewidths=0)
    axes[0, 1].scatter(*nodes.T, s=45, c="#333333", edgecolors="white", zorder=3)
    greys = np.array(("#bbbbbb", "#888888", "#dddddd", "#555555"))
    axes[0, 2].scatter(*points.T, s=9, c=greys[found.cells % 4], linewidths=0)
    axes[0, 2].scatter(*middles.T, s=30, c="#333333", edgecolors="white", zorder=3)
    for ax in (axes[0, 2], axes[1, 0]):
        _draw_edges(ax, middles, found.coreset_graph, 1.2)
    for c, (shade, shape) in enumerate(zip(SHADES[:3], SHAPES[:3], strict=True)):
        axes[1, 0].scatter(*middles[of_cells == c].T, s=55, c=shade, marker=shape, edgecolors="white", zorder=3)
        for ax, labels in ((axes[1, 1], found.labels), (axes[1, 2], moved)):
            ax.scatter(*points[labels == c].T, s=13, c=shade, marker=shape, linewidths=0, zorder=3)
    return figure


def comparison(shape=(3, 3), size=(7.6, 7.8)):
    """Draw agreement with known classes against processor seconds, a panel for each graph."""
    with open(HERE / "tables" / "quality.csv", newline="", encoding="utf-8") as file:
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
    place = {"loc": "outside lower center", "ncols": shape[1], "columnspacing": 1, "handletextpad": 0.3}
    figure.legend(handles=marks, frameon=False, fontsize=11, **place)
    return figure


def comparison_narrow():
    """Draw the comparison for a telephone: two panels side by side."""
    return comparison((5, 2), (4.6, 11.5))


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
            f'objective="{objective}": sizes {sizes}\nNC {metrics.normalized_cut(graph, labels):.2f}, '
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
        cut, score = metrics.normalized_cut(graph, found.labels), adjusted_rand_score(truth, found.labels)
        right.set_title(f"its labels:\nNC {cut:.3f}, ARI {score:.2f}")
    for ax in axes:
        _bare(ax)
    return figure


def coreset_error():
    """Draw the error of a coreset's estimates against its size, for the three samplings."""
    graph, truth = graphcore.datasets.degree_corrected_partition(10, 500, mean_degree=14, random_state=0)
    sizes = [100, 200, 400, 800, 1600]
    figure, axes = plt.subplots(1, 2, figsize=(8, 3.5), layout="constrained", sharex=True)
    for sampling, look in (("importance", "o--"), ("uniform", "^:"), ("degree", "s-")):
        found = np.array([_errors(graph, truth, size, sampling) for size in sizes])
        for ax, errors in zip(axes, found.T, strict=True):
            ax.loglog(sizes, errors, look, color="k", ms=5, lw=1, mfc="white", label=sampling)
    for ax, title in zip(axes, ("cost of the planted clusters", "their kNC, which clusterings differ in"), strict=True):
        ax.set(title=title, xlabel="coreset nodes (draws, for importance)", ylabel="RMS relative error")
        ax.set_xticks(sizes, [str(size) for size in sizes], minor=False)
        ax.xaxis.set_minor_locator(NullLocator())
    axes[0].legend(frameon=False)
    return figure


def choosing_k():
    """Draw information against log k, and its corners: digits, and one cloud without clusters."""
    data = {
        "handwritten digits": load_digits().data,
        "points in a cube": np.random.default_rng(0).random((1500, 10)),
    }
    figure, axes = plt.subplots(2, 2, figsize=(8, 5), layout="constrained", sharex="col", sharey="row")
    for column, (name, X) in zip(axes.T, data.items(), strict=True):
        found = graphcore.select_n_clusters(X, random_state=0)
        column[0].plot(found.candidates, found.curves["information (nats)"], "k-", lw=1)
        column[1].vlines(found.candidates, 0, np.nan_to_num(found.scores), "k", lw=1)
        column[1].set(xscale="log", xlabel="clusters", xlim=(1.5, 300))
        for ax in column:
            ax.axvline(found.best, color=SHADES[1], lw=1, zorder=0)
        verdict = "clear" if found.clear else "not clear"
        column[0].set_title(f"{name}: k = {found.best}, {verdict}")
    axes[0, 0].set_ylabel("J(k) in nats")
    axes[1, 0].set_ylabel("sharpness of the corner")
    return figure


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
    for (name, graph), k, style in zip(graphs.items(), (4, 20, 20), ("-", "--", ":"), strict=True):
        found = _fit(graph, k).tree_.levels()
        ends = np.append(found["resolution_from"], 1000.0)
        ax.stairs(found["n_clusters"], ends, baseline=None, label=name, ls=style, lw=1.5, color=SHADES[0])
    ax.set(xscale="log", yscale="log", xlim=(1, 100), xlabel="resolution", ylabel="best number of clusters")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter("{x:g}")
    ax.legend(frameon=False)
    return figure


def _uneven_vectors():
    rng = np.random.default_rng(1)
    sizes = [2000, 200, 100, 50, 30, 20]
    return np.concatenate([rng.normal(1.5 * rng.normal(size=16), 1.0, (size, 16)) for size in sizes])


def uneven():
    """Draw uneven vectors in six clusters at three balances, along two principal axes."""
    X = _uneven_vectors()
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


def flats_shapes():
    """Draw two lines that cross, by k-means and by lines."""
    points, truth = graphcore.datasets.crossing_lines(300, noise=0.03, random_state=0)
    figure, axes = plt.subplots(1, 2, figsize=(6.4, 3.2), layout="constrained")
    lines = graphcore.KFlats(2, 1, init="random", random_state=0).fit(points)
    for ax, name, labels in zip(
        axes, ("k-means", "lines"), (KMeans(2, random_state=0).fit_predict(points), lines.labels_), strict=True
    ):
        _draw_clusters(ax, points, labels, size=9)
        ax.set_title(f"{name}: ARI {adjusted_rand_score(truth, labels):.2f}")
        _bare(ax)
    for mean, basis in zip(lines.cluster_centers_, lines.components_, strict=True):
        axes[1].plot(*(mean + np.outer([-1.1, 1.1], basis[0])).T, color="k", lw=0.8, zorder=0)
    return figure


def nystrom_brackets():
    """Draw the cost of the digits' clusters against the number of landmarks."""
    data, counts = load_digits().data, (10, 20, 43, 86, 170, 340, 680)
    exact = graphcore.KernelKMeans(10, n_init=3, random_state=0).fit(data).cost_
    rows = []
    for c in counts:
        model = graphcore.NystromKernelKMeans(10, n_landmarks=c, n_components=None, n_init=3, random_state=0).fit(data)
        true = graphcore.KernelKMeans(10, init=model.labels_, n_init=1, max_iter=1, random_state=0).fit(data)
        rows.append((model.cost_, true.cost_))
    spanned, true = np.array(rows).T
    figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
    ax.plot(counts, spanned, "v--", color="#b5547a", label="cost with centres in the span of the landmarks")
    ax.plot(counts, true, "o-", color="#1b4965", label="cost after one exact step")
    ax.axhline(exact, color="#666666", linewidth=1, linestyle=":", label="exact kernel k-means")
    ax.set(xscale="log", xlabel="landmarks", ylabel="mean cost of a point", ylim=(0, None))
    ax.set_xticks(counts, map(str, counts))
    ax.minorticks_off()
    ax.legend(frameon=False)
    return figure


@lru_cache
def _digits():
    graph = graphcore.knn_graph(load_digits().data, 10, random_state=0)
    return graph, _fit(graph, 30)


def _errors(graph, labels, size, sampling, n_draws=30):
    """Return root mean squares, over several coresets, of the relative errors of cost and kNC of a partition."""
    draw = partial(graphcore.build_coreset, graph, int(labels.max()) + 1, size=size, sampling=sampling)
    coresets = [draw(random_state=seed) for seed in range(n_draws)]
    found = [metrics.coreset_cost(graph, c, labels) for c in coresets]
    return np.sqrt(np.mean([(cost.cost_error**2, cost.cut_error**2) for cost in found], axis=0))


def _judged(X, truth):
    """Return (largest memberships, whether right) and (shares of edges inside, whether labels are right)."""
    k = int(truth.max()) + 1
    model = _fit(X, k)
    linked = model.labels_ >= 0
    # A cluster is called after the most frequent class in it.
    names = np.array([np.bincount(truth[model.labels_ == c], minlength=k).argmax() for c in range(k)])
    rows, truth = model.membership_[linked], truth[linked]
    return (
        (rows.max(axis=1).toarray().ravel(), names[rows.argmax(axis=1)] == truth),
        (1.0 - model.outside_share_[linked], names[model.labels_[linked]] == truth),
    )


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


def _fit(X, n_clusters, **parameters):
    return graphcore.CoresetSpectralClustering(n_clusters, random_state=0, **parameters).fit(X)


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
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    ax.set_aspect("equal")


DRAWN = (
    idea, comparison, comparison_narrow, whiskers, sparse_coreset, coreset_error, choosing_k, levels, uneven,
    calibration, flats_shapes, nystrom_brackets,
)  # fmt: skip

if __name__ == "__main__":
    main()
