"""ARI, NC and time against the coreset's size on kNN graphs of real data (figures 3, 5, 6 and 7 of the paper).

Coreset spectral clustering with eigenvectors and with the power method, coreset kernel k-means with naive D2 seeding,
and spectral clustering of the whole graph by scikit-learn. The first two with importance sampling, as published, and by
degree, as the authors' program draws in effect. The paper's MNIST graph has 500 neighbours; here it has 100.
"""

from .. import harness, inputs
from ..harness import Method
from ..report import Panel, Report, page, score_cell, table

SEEDS = 20
SHARES = (0.01, 0.02, 0.03, 0.05, 0.07, 0.1)
# Graph: k, and whether scikit-learn can be asked to cluster all of it.
GRAPHS = {"pendigits-nn250": (10, True), "letter-nn300": (26, True), "mnist-nn100": (10, False)}
LARGE = ("mnist-nn100",)
MEASURES = {"ari": "ARI", "nc": "NC", "seconds": "s"}
EXACT, POWER, KMEANS = "CSC, eigenvectors", "CSC, power method", "coreset kernel k-means"
WHOLE = Method("sklearn, whole graph", "sklearn", params={"assign_labels": "kmeans"})


def methods(share):
    """Those that work on a coreset of this share of the nodes."""
    published = {"preset": "published", "coreset_size": share}
    by_degree = {**published, "sampling": "degree"}
    return [
        Method(EXACT, "cluster", "graphcore", {**published, "eigen_solver": "exact"}),
        Method(POWER, "cluster", "graphcore", published),
        Method(f"{EXACT}, by degree", "cluster", "graphcore", {**by_degree, "eigen_solver": "exact"}),
        Method(f"{POWER}, by degree", "cluster", "graphcore", by_degree),
        Method(KMEANS, "coreset_kernel_kmeans", "graphcore", {"size": share, "n_init": 1, "seeding": "naive"}),
    ]


def run(options):
    """Measure all sizes on all graphs."""
    outcomes, sections, curves, missing = [], [], [], []
    for graph in harness.wanted(GRAPHS, options, LARGE):
        k, whole = GRAPHS[graph]
        path = _path(graph, options.data)
        if path is None:
            missing.append(graph)
            continue
        found = []
        for share in SHARES:
            for method in harness.chosen(methods(share), options):
                found.append((share, harness.measure(method, graph, path, k, options)))
        if whole:
            for method in harness.chosen([WHOLE], options):
                one = harness.measure(method, graph, path, k, options)
                found += [(share, one) for share in (SHARES[0], SHARES[-1])]
        sections.append(f"## {graph}, k = {k}\n\n" + table(_HEADER, [_row(share, o) for share, o in found]))
        for measure, label in MEASURES.items():
            lines = {
                title: (
                    [100 * share for share, o in found if o.method.title == title],
                    [o.median(measure) for _, o in found if o.method.title == title],
                )
                for title in dict.fromkeys(o.method.title for _, o in found)
            }
            curves.append(
                Panel(f"{graph}: {label}", "coreset, % of the nodes", label, lines, log_y=measure == "seconds")
            )
        outcomes += [o for _, o in found]
    if missing:
        sections.append(f"Not in the data folder ({options.data}): {', '.join(missing)}.")
    title = f"kNN graphs and coresets of growing size: medians over {options.seeds} runs"
    return Report(title, sections, outcomes, ("nc", "ari", "seconds"), page=page(sections), curves=curves)


_HEADER = ["coreset", "method", "ARI", "NC", "s", "CPU s", "outcome"]


def _row(share, o):
    scores = [score_cell(o.median("ari")), score_cell(o.median("nc"))]
    return [f"{share:.0%}", o.method.title, *scores, o.median("seconds"), o.median("cpu_seconds"), o.remark]


def _path(graph, data):
    if graph != "mnist-nn100":
        return inputs.real(graph, data)
    return inputs.mnist_neighbors(data, 100)
