"""Graphcore and its peers on real and generated graphs with known classes, medians over seeds.

One set of default parameters for all graphs. METIS, KaHIP, Mt-KaHyPar, scikit-learn, stag and coreset-sc are given the
same k; Leiden, Louvain and Infomap find their own, and are averaged over their own clusters.
``--page docs/tables/quality.md`` writes the tables of the docs, and quality.csv beside it.
"""

import numpy as np

import graphcore

from .. import harness, inputs, known_k, quality_page
from ..harness import Method
from ..report import Report, score_cell, table

SEEDS = 3
page, write_rows = quality_page.page, quality_page.write_rows  # the tables of the docs, and the file beside them
DEFAULT, METIS = quality_page.OURS, "METIS"
# Graphs, and rows of numbers as graphs of their 10 nearest neighbours; dblp and cnr-2000 have no classes.
GRAPHS = {
    "mnist-nn10": 10, "mnist test": 10, "digits": 10, "pendigits-nn10": 10, "pendigits-nn250": 10, "letter-nn10": 26,
    "letter-nn300": 26, "letters scaled": 26, "avila": 12, "har": 6, "mushrooms": 2, "banknotes": 2,
    "breast_cancer": 2, "wine": 3, "iris": 3, "email": 42, "fbpages": 4, "polblogs": 2, "football": 12, "karate": 2,
    "lfr-10000-0.1": 120, "lfr-10000-0.3": 120, "lfr-50000-0.3": 426, "planted 250 x 1,000": 250, "dblp": 100,
}  # fmt: skip
LARGE = ("dblp", "planted 250 x 1,000", "mnist-nn10", "lfr-50000-0.3")
METHODS = [
    Method(DEFAULT, "cluster", "graphcore"),
    Method("graphcore, ncut", "cluster", "graphcore", {"objective": "ncut"}),
    Method("graphcore, published", "stages_alone", "graphcore", {"coreset_graph": "induced"}),
    Method(METIS, "metis"),
    Method("KaHIP eco 3 %", "kahip", params={"imbalance": 0.03}),
    Method("KaHIP eco 30 %", "kahip", params={"imbalance": 0.3}),
    Method("Mt-KaHyPar", "mt_kahypar"),
    Method("sklearn, k-means", "sklearn", params={"assign_labels": "kmeans"}),
    Method("sklearn, cluster_qr", "sklearn", params={"assign_labels": "cluster_qr"}),
    Method("stag", "stag"),
    Method("coreset-sc 1 %", "coreset_sc", params={"size": 0.01}),
    Method("coreset-sc 10 %", "coreset_sc", params={"size": 0.1}),
    Method("Leiden (igraph)", "igraph_leiden", own_k=True),
    Method("Leiden (leidenalg)", "leiden", own_k=True),
    Method("Louvain (scikit-network)", "sknetwork_louvain", own_k=True),
    Method("Infomap", "infomap", own_k=True),
]
# Methods that do not finish are not tried: k eigenvectors of a large, nearly disconnected graph, and Python lists of
# 10^8 numbers, which these programs take.
_DENSE = ("planted 250 x 1,000",)
TOO_SLOW = {
    "kahip": _DENSE,
    "mt_kahypar": _DENSE,
    "infomap": _DENSE,
    "sklearn": ("mnist-nn10", "dblp", "planted 250 x 1,000", "lfr-50000-0.3"),
    "stag": ("dblp", "planted 250 x 1,000", "lfr-50000-0.3"),
}


def run(options):
    """Measure all rows."""
    outcomes, sections, missing = [], [], []
    for graph in harness.wanted(GRAPHS, options, LARGE):
        path, k = graph_path(graph, options.data), GRAPHS[graph]
        if path is None:
            missing.append(graph)
            continue
        found = harness.measure_all(METHODS, graph, path, k, options, too_slow=TOO_SLOW)
        n, entries = inputs.shape(path)
        sections.append(f"## {graph}: {n:,} nodes, {entries // 2:,} edges, k = {k}\n\n" + details(found))
        outcomes += found
    sections += options.absent(missing)
    title = f"Quality: medians over {options.seeds} seeds"
    shown = page(outcomes) if outcomes else ""
    return Report(title, sections, outcomes, page=shown)


def graph_path(name, data):
    """Return the file of a graph; None where the data folder lacks it."""
    if name.startswith("planted"):
        return inputs.planted(250, 1000, 0.5, 0.001 / 250)
    if (path := inputs.real(name, data)) is not None or name not in known_k.REAL:
        return path

    def make():
        X, labels = found
        labels = np.unique(labels, return_inverse=True)[1]
        graph = X if isinstance(X, graphcore.Graph) else graphcore.knn_graph(X, 10, algorithm="exact")
        return {"indptr": graph.indptr, "indices": graph.indices, "labels": labels}

    try:
        found = known_k.REAL[name](data)
    except FileNotFoundError:
        return None
    return None if found is None else inputs.cached(f"{name.replace(' ', '-')}-graph", make)


def details(found):
    """Return one graph's table, a row for each method."""
    header = ["method", "NC", "ARI", "NMI", "clusters", "smallest", "s", "CPU s", "MB above the graph", "outcome"]
    rows = []
    for o in found:
        scores = [score_cell(o.median(name)) for name in ("nc", "ari", "nmi")]
        plain = [o.median(name) for name in ("clusters", "smallest", "seconds", "cpu_seconds", "megabytes")]
        rows.append([o.method.title, *scores, *plain, o.remark])
    return table(header, rows)
