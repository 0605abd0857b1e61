"""The objective J of each effort, its deviation over seeds, and its cost."""

import numpy as np

from .. import harness, inputs
from ..harness import Method
from ..report import Report, score_cell, table

SEEDS = 5
GRAPHS = {
    "email": 42,
    "har": 6,
    "pendigits-nn10": 10,
    "letter-nn10": 26,
    "fbpages": 4,
    "lfr-10000-0.3": 120,
    "mnist-nn10": 10,
    "dblp": 100,
}
LARGE = ("dblp",)
METHODS = [
    Method("fast", "cluster", "graphcore", {"effort": "fast"}),
    Method("default", "cluster", "graphcore"),
    Method("high", "cluster", "graphcore", {"effort": "high"}),
]


def run(options):
    """Measure each graph and effort, a row for each."""
    outcomes, rows, missing = [], [], []
    for graph in harness.wanted(GRAPHS, options, LARGE):
        path, k = inputs.real(graph, options.data), GRAPHS[graph]
        if path is None:
            missing.append(graph)
            continue
        for method in harness.chosen(METHODS, options):
            found = harness.measure(method, graph, path, k, options)
            values = [row["j"] for row in found.scores] if found.status == "ok" else []
            spread = [float(np.mean(values)), float(np.std(values))] if values else [None, None]
            scores = [score_cell(found.median(name)) for name in ("nc", "ari")]
            told = [*map(score_cell, spread), *scores, found.median("cpu_seconds"), found.remark]
            rows.append([graph, k, method.title, *told])
            outcomes.append(found)
    header = ["graph", "k", "effort", "J, mean", "its deviation", "NC", "ARI", "CPU s", "outcome"]
    title = f"Efforts over {options.seeds} seeds"
    return Report(title, [table(header, rows), *options.absent(missing)], outcomes, ("j", "ari", "cpu_seconds"))
