"""Seconds against the number of clusters: planted graphs of one size with ever more clusters, and LFR graphs.

Leiden finds its own number of clusters.
"""

import numpy as np

from .. import harness, inputs
from ..harness import Method
from ..report import Report, cell, score_cell, table

SEEDS = 2
METHODS = [
    Method("graphcore", "cluster", "graphcore"),
    Method("METIS", "metis"),
    Method("Leiden (igraph)", "igraph_leiden", own_k=True),
]
# A node has 15 edges inside its cluster and 5 to others in the mean.
_NODES, _INSIDE, _OUTSIDE = 100_000, 15, 5
CLUSTERS = (20, 100, 500, 1000, 2500, 5000)
REAL = ("lfr-10000-0.3", "lfr-50000-0.3")
LARGE = ("planted-5000", "lfr-50000-0.3")


def run(options):
    """Measure each graph and method, and fit the exponent of each method's processor seconds with planted k."""
    methods, rows, outcomes = harness.chosen(METHODS, options), [], []
    planted = {method.title: [] for method in methods}
    for graph in harness.wanted([*(f"planted-{k}" for k in CLUSTERS), *REAL], options, LARGE):
        path, k = _graph(graph, options)
        for method in methods if path is not None else ():
            found = harness.measure(method, graph, path, k, options)
            outcomes.append(found)
            if graph not in REAL:
                planted[method.title].append((k, found))
            scores = [score_cell(found.median(name)) for name in ("nc", "ari")]
            rows.append([graph, k, method.title, found.median("cpu_seconds"), found.median("seconds"), *scores])
    slopes = ", ".join(f"{title} {cell(exponent(found))}" for title, found in planted.items())
    header = ["graph", "k", "method", "CPU s", "s", "NC", "ARI"]
    text = f"Exponent of CPU seconds with k on the planted graphs of {_NODES:,} nodes: {slopes}."
    sections = [table(header, rows), text]
    return Report(f"Many clusters: medians over {options.seeds} runs", sections, outcomes, ("cpu_seconds",))


def exponent(found):
    """Return the slope of log processor seconds over log k, by least squares; None below two points."""
    points = [(k, o.median("cpu_seconds")) for k, o in found if o.median("cpu_seconds")]
    if len(points) < 2:
        return None
    x, y = np.log(np.array(points, dtype=float)).T
    return float(np.polyfit(x, y, 1)[0])


def _graph(name, options):
    if name in REAL:
        path = inputs.real(name, options.data)
        return path, 0 if path is None else len(np.unique(np.load(path)["labels"]))
    k = int(name.rpartition("-")[2])
    size = _NODES // k
    return inputs.planted(k, size, _INSIDE / (size - 1), _OUTSIDE / (_NODES - size)), k
