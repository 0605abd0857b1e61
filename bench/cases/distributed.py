"""A graph on disk on one and two Dask workers, against threads: seconds, labels, bytes by pass.

The graph is planted by bench/huge.py into ``--folder``; ``--graphs NODES`` takes another size, ``--quick`` 100,000
nodes. Workers have one thread and 2 GB each, 3 GB for more than 30 million nodes; stages that stay on the client have
two threads. The larger graph needs 16 GB of disk and 10 GB of memory besides the page cache. ``--page
docs/tables/distributed.md`` writes the tables of the docs.
"""

import time
import warnings
from contextlib import contextmanager

import numpy as np

from .. import harness, inputs
from ..harness import Method, Outcome
from ..report import Report, table
from ..runner import peak_bytes
from ..vectors import agreement
from .huge import LARGE_NODES, QUICK_NODES, planted_store

SEEDS = 1
WAYS = ("1 thread", "2 threads", "1 worker", "2 workers")
NODES = (6_500_000, 65_000_000)


def run(options):
    """Measure each size, each way."""
    sections, outcomes = [], []
    sizes = [int(n) for n in options.graphs or ()] or ([QUICK_NODES] if options.quick else NODES)
    for nodes in sizes:
        graph, truth, k = planted_store(options.folder or inputs.CACHE, nodes)
        what, found = f"{nodes:,} nodes, {graph.n_edges:,} edges, k = {k:,}", []
        ways = [way for way in WAYS if harness.holds(way, options.methods) and (nodes <= LARGE_NODES or way[0] == "2")]
        for way in ways:
            with _client(way, 3 * 10**9 if nodes > LARGE_NODES else 2 * 10**9) as client:
                found.append(_measured(way, what, graph, truth, k, client))
        outcomes += [outcome for outcome, *_ in found]
        sections.append(_compared(what, found))
    return Report("Threads and Dask's workers", sections, outcomes, page="\n\n".join(sections))


@contextmanager
def _client(way, memory):
    """Yield a client of a number of workers, or None for threads."""
    n, what = way.split()
    if what.startswith("thread"):
        yield None
        return
    import distributed

    limits = {"threads_per_worker": 1, "memory_limit": memory, "dashboard_address": ":0"}
    with distributed.LocalCluster(n_workers=int(n), **limits) as cluster, distributed.Client(cluster) as client:
        yield client


def _measured(way, what, graph, truth, k, client):
    """Return (outcome, labels, counts of work, seconds of the stages, bytes of each worker at most)."""
    from graphcore import CoresetSpectralClustering
    from graphcore.base.progress import counted
    from graphcore.cluster.refine import problem

    # A smaller graph is clustered by the same passes.
    problem._MANY_ENTRIES = min(problem._MANY_ENTRIES, graph.n_entries - 1)
    problem._SAMPLED_ENTRIES = min(problem._SAMPLED_ENTRIES, graph.n_entries // 2)
    outcome = Outcome(Method(way, "distributed", "graphcore"), what, k, "ok", n_asked=1)
    with warnings.catch_warnings(), counted() as work:
        warnings.simplefilter("ignore")
        for _ in range(1 if graph.n_nodes > LARGE_NODES else 2):  # the first fit loads libraries and loops
            work.clear()
            start, cpu = time.perf_counter(), time.process_time()
            model = CoresetSpectralClustering(k, random_state=0, n_jobs=2 if client else int(way[0])).fit(graph)
        outcome.seconds.append(time.perf_counter() - start)
        outcome.cpu_seconds.append(time.process_time() - cpu)
    outcome.scores.append(agreement(model.labels_, truth))
    peaks = [] if client is None else list(client.run(peak_bytes).values())
    return outcome, model.labels_, dict(work), model.seconds_, peaks


def _compared(what, found):
    """Return a table of the ways, and one of the bytes of each pass of the last."""
    (first, labels_of_first, *_), rows = found[0], []
    for outcome, labels, _, stages, memory in found:
        shown = ", ".join(f"{stage} {seconds:.2g}" for stage, seconds in stages.items() if seconds >= 0.01)
        same = f"as {first.method.title}" if np.array_equal(labels, labels_of_first) else "differ"
        rows.append([
            outcome.method.title, outcome.seconds[0], outcome.cpu_seconds[0], first.seconds[0] / outcome.seconds[0],
            f"{outcome.scores[0]['ari']:.4f}", same, f"{max(memory) / 1e6:.0f}" if memory else "", shown,
        ])  # fmt: skip
    faster = f"times {first.method.title}"
    header = ["", "s", "CPU s of this process", faster, "ARI", "labels", "MB of a worker", "s of each stage"]
    text = f"{what}.\n\n{table(header, rows)}"
    work = found[-1][2]
    passes = sorted({key.split(", ")[1] for key in work if key.startswith("bytes")})
    kinds = ("bytes to each worker", "bytes with tasks", "bytes back")
    if passes:
        rows = [[part, *(work.get(f"{kind}, {part}", 0) / 1e6 for kind in kinds)] for part in passes]
        text += "\n\nMegabytes by pass, all its rounds together:\n\n"
        text += table(["pass", "to each worker", "with tasks", "back"], rows)
    return text
