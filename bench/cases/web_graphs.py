"""Objectives on a web graph: clusters asked for in several ways, links cut, sizes, processor seconds.

Measured on the graph with its loops; the cut is the share of links between different pages.
"""

import time
import warnings

import numpy as np

import graphcore
from graphcore.cluster.refine.problem import cluster_sums

from ..harness import Method, Outcome
from ..report import Report, table

SEEDS = 1
GRAPH = "cnr-2000"
_MODULARITY, _NCUT = {"objective": "modularity"}, {"objective": "ncut"}
ASKED = [
    (100, {}), (100, {"balance": 1}), (100, {"balance": 0.3}), (100, _MODULARITY), (100, _NCUT),
    (298, {}), (298, {"balance": 0.3}), (298, _MODULARITY), (298, _NCUT),
    (None, _MODULARITY), (None, _MODULARITY | {"resolution": 0.1}), (None, _MODULARITY | {"resolution": 10}),
    (None, {"resolution": 3}), (None, {"resolution": 10}), ([10, 100, 1000], {}),
]  # fmt: skip


def run(options):
    """Measure each fit, a row for each."""
    path = options.data / "webgraph" / f"{GRAPH}.graph"
    if not path.exists():
        return Report("Web graphs", options.absent([GRAPH]), [])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", graphcore.GraphWarning)  # that it is directed
        graph = graphcore.read_graph(path)
    rows, outcomes = [], []
    graphcore.CoresetSpectralClustering(10, random_state=0).fit(graph)  # loops are compiled, or read from the disk
    for k, given in ASKED:
        title = ", ".join([f"`{k}", *(f"{name}={value!r}" for name, value in given.items())]) + "`"
        model = graphcore.CoresetSpectralClustering(k, random_state=0, n_jobs=options.threads, **given)
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", graphcore.GraphWarning)
            model.fit(graph)
        spent = time.process_time() - start
        measured = _measured(graph, model)
        outcomes.append(Outcome(Method(title, "cluster", "graphcore"), GRAPH, 0, "ok", n_asked=1))
        outcomes[-1].cpu_seconds.append(spent)
        outcomes[-1].scores.append({})
        balance = model.clustering_.settings.balance
        note = f" (balance {balance:g} is chosen)" if isinstance(k, int) and not given else ""
        rows.append([title + note, *measured, f"{spent:.2g}"])
    header = ["asked for", "clusters", "cut", "J", "Q", "largest", "median", "smallest", "$e^H$", "CPU s"]
    return Report("Web graphs", [table(header, rows)], outcomes, ("cpu_seconds",))


def _measured(graph, model):
    """Return the table's values for one partition."""
    labels, k = model.labels_, model.n_clusters_
    sums = cluster_sums(graph.rows, labels, k)
    rows = np.repeat(np.arange(graph.n_nodes), np.diff(graph.indptr))
    apart = rows != graph.indices
    cut = np.mean(labels[rows[apart]] != labels[graph.indices[apart]])
    sizes, shares = np.bincount(labels[labels >= 0], minlength=k), sums.volume / sums.volume.sum()
    even = np.exp(-(shares * np.log(np.where(shares > 0, shares, 1))).sum())
    return [
        k, f"{cut:.4f}", f"{sums.value('information'):.3f}", f"{sums.value('modularity'):.4f}", int(sizes.max()),
        int(np.median(sizes)), int(sizes.min()), f"{even:.0f}",
    ]  # fmt: skip
