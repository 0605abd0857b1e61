"""Modularity with the number of clusters free, beside programs of Leiden's and Louvain's algorithms.

igraph and leidenalg run until they stop; networkit's Leiden has a fixed number of iterations, three if not asked.

``--page docs/tables/modularity.md`` writes the table of the docs, and with ``--threads 2 --methods fast networkit
--graphs dblp lfr-100000 cnr --page docs/tables/networkit.md`` the one beside networkit in two threads.
"""

import numpy as np

from .. import harness, inputs, scoring
from ..harness import Method
from ..report import Report, cell, table

SEEDS = 5
GRAPHS = ("email", "har", "letter-nn10", "fbpages", "lfr-10000-0.3", "mnist-nn10", "dblp", "lfr-100000-0.3",
          "cnr-2000")  # fmt: skip
LARGE = ("mnist-nn10", "dblp", "lfr-100000-0.3", "cnr-2000")
EFFORTS = ("fast", "default", "high")
METHODS = [
    *(Method(f"graphcore, {effort}", "modularity", "graphcore", {"effort": effort}, own_k=True) for effort in EFFORTS),
    Method("Leiden (igraph)", "igraph_leiden", params={"n_iterations": -1}, own_k=True),
    Method("Leiden (leidenalg)", "leiden", params={"n_iterations": -1}, own_k=True),
    Method("Leiden (networkit)", "networkit_leiden", params={"n_iterations": 50}, own_k=True),
    Method("Leiden (networkit), 3 iterations", "networkit_leiden", params={"n_iterations": 3}, own_k=True),
    Method("Louvain (networkit)", "networkit_louvain", own_k=True),
    Method("Louvain (scikit-network)", "sknetwork_louvain", own_k=True),
]


def run(options):
    """Measure all graphs."""
    outcomes, missing = [], []
    for graph in harness.wanted(GRAPHS, options, LARGE):
        path = next(filter(None, (find(graph, options.data) for find in (inputs.real, inputs.web, inputs.lfr))), None)
        if path is None:
            missing.append(graph)
            continue
        outcomes += [harness.measure(m, graph, path, 8, options, score=score) for m in harness.chosen(METHODS, options)]
    sections = [page(outcomes)]
    sections += options.absent(missing)
    return Report(
        f"Modularity: medians over {options.seeds} seeds", sections, outcomes,
        page=sections[0] if outcomes else "",
    )  # fmt: skip


def page(outcomes):
    """Return a table, a row for each graph: modularity, its best value, CPU seconds and clusters of every method."""
    titles = list(dict.fromkeys(o.method.title for o in outcomes))
    rows = []
    for graph in dict.fromkeys(o.graph for o in outcomes):
        found = {o.method.title: o for o in outcomes if o.graph == graph}
        rows.append([graph, *(_cell(found.get(title)) for title in titles)])
    return table(["graph: Q (best), CPU s, clusters", *titles], rows)


def _cell(outcome):
    if outcome is None or outcome.status != "ok":
        return "-" if outcome is None else outcome.remark
    q, seconds, clusters = (outcome.median(name) for name in ("q", "cpu_seconds", "clusters"))
    remark = "" if outcome.remark == "ok" else f"; {outcome.remark}"
    return f"{q:.5f} ({max(row['q'] for row in outcome.scores):.5f}), {cell(seconds, 2)}, {clusters:.0f}{remark}"


def score(path, run, k, own_k):
    """Return modularity and the number of clusters."""
    indptr, indices, _ = scoring.load(path)
    labels = np.asarray(run["labels"])
    return {"q": scoring.modularity(indptr, indices, labels), "clusters": len(np.unique(labels[np.diff(indptr) > 0]))}
