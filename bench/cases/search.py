"""The objective J that each effort finds, how far seeds differ in it, and what it costs; METIS and Leiden beside it.

Leiden finds its own number of clusters, so its J is not comparable; METIS is given the same k.
"""

from dataclasses import replace

import numpy as np

from .. import harness, inputs
from ..harness import Method
from ..report import Report, score_cell, table

SEEDS = 5
GRAPHS = {
    "lfr-10000-0.3": 120,
    "lfr-50000-0.3": 426,
    "lfr-10000-0.1": 120,
    "mnist-nn10": 10,
    "har": 6,
    "pendigits-nn10": 10,
    "letter-nn10": 26,
    "email": 42,
    "fbpages": 4,
    "dblp": 100,
    "R-MAT 2^20, 16 M edges": 1000,
}
# Seconds of the best effort.
SECONDS, LONG = 60.0, {"lfr-50000-0.3": 300.0}
LARGE = ("dblp", "R-MAT 2^20, 16 M edges")
METHODS = [
    Method("fast", "cluster", "graphcore", {"effort": "fast"}),
    Method("default", "cluster", "graphcore"),
    Method("high", "cluster", "graphcore", {"effort": "high"}),
    Method("best", "cluster", "graphcore", {"effort": "best", "time_limit": SECONDS}),
    Method("METIS", "metis"),
    Method("Leiden (igraph)", "igraph_leiden", own_k=True),
]


def run(options):
    """Measure all rows."""
    outcomes, sections, missing = [], [], []
    for graph in harness.wanted(GRAPHS, options, LARGE):
        path = inputs.rmat(20, 16_000_000) if "R-MAT" in graph else inputs.real(graph, options.data)
        if path is None:
            missing.append(graph)
            continue
        methods = [_for_graph(m, graph) for m in harness.chosen(METHODS, options)]
        found = [harness.measure(m, graph, path, GRAPHS[graph], options) for m in methods]
        n, entries = inputs.shape(path)
        sections.append(f"## {graph}: {n:,} nodes, {entries // 2:,} edges, k = {GRAPHS[graph]}\n\n" + details(found))
        outcomes += found
    sections += options.absent(missing)
    return Report(f"Search: medians over {options.seeds} seeds", sections, outcomes, ("j", "ari", "cpu_seconds"))


def _for_graph(method, graph):
    """The method with the time that it has on a graph."""
    if "time_limit" not in method.params:
        return method
    return replace(method, params=method.params | {"time_limit": LONG.get(graph, SECONDS)})


def details(found):
    """One graph's table, a row for each method."""
    header = ["method", "J", "J, standard deviation", "J, best", "NC", "ARI", "clusters", "s", "CPU s", "outcome"]
    rows = []
    for o in found:
        values = [row["j"] for row in o.scores] if o.status == "ok" else []
        spread = [float(np.std(values)), float(max(values))] if values else [None, None]
        scores = [score_cell(o.median(name)) for name in ("nc", "ari")]
        plain = [o.median(name) for name in ("clusters", "seconds", "cpu_seconds")]
        rows.append([o.method.title, score_cell(o.median("j")), *map(score_cell, spread), *scores, *plain, o.remark])
    return table(header, rows)
