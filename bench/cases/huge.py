"""A graph of Friendster's size on disk: clusters by default settings and coresets of it, their seconds and memory.

Memory is anonymous memory, read ten times a second (Linux only), without the graph's pages in the system's cache. The
graph is planted by bench/huge.py into ``--folder``; ``--graphs NODES`` takes another size,
``--quick`` 100,000 nodes. Coresets have 100,000 draws by importance sampling, with 2 k seeds for each k: figure 2 of
the coreset paper at its real size.
"""

import os
import tempfile
import time
import warnings

import numpy as np

import graphcore
from graphcore.cluster.pipeline import cluster_graph
from graphcore.cluster.settings import resolve_settings
from graphcore.metrics import agreement, normalized_cut

from .. import inputs
from ..harness import Method, Outcome
from ..huge import generate
from ..report import Report, table
from ..vectors import AnonymousMemory

SEEDS = 1
NODES, QUICK_NODES, DRAWS, QUICK_DRAWS = 65_000_000, 100_000, 100_000, 1_000
EDGES_PER_NODE, NODES_PER_CLUSTER = 27, 1_000
LARGE_NODES, LARGE_CLUSTERS = 30_000_000, 5_000  # as in docs/huge.md
CORESETS = (100, 1_000, 5_000)


def run(options):
    """Measure each task, a row for each."""
    nodes = int(options.graphs[0]) if options.graphs else QUICK_NODES if options.quick else NODES
    graph, truth, k = planted_store(options.folder or inputs.CACHE, nodes)
    rows, outcomes = [], []
    small = graphcore.datasets.load_karate().graph
    cluster_graph(small, resolve_settings(small, 2), random_state=0)  # loops are compiled, or read from the disk
    graphcore.build_coreset(small, 2, size=10, random_state=0)

    def row(task, work, say):
        with AnonymousMemory() as memory, warnings.catch_warnings():
            warnings.simplefilter("ignore", graphcore.GraphWarning)
            start, cpu = time.perf_counter(), time.process_time()
            found = work()
            seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
        rows.append([task, seconds, cpu, f"{memory.peak / 1e9:.1f} GB", say(found)])
        outcomes.append(Outcome(Method(task, "huge", "graphcore"), f"{nodes:,} nodes", k, "ok", n_asked=1))
        outcomes[-1].seconds.append(seconds)
        outcomes[-1].cpu_seconds.append(cpu)
        return found

    def quality(found):
        cut = normalized_cut(graph, found.labels, k, n_jobs=options.threads)
        stages = ", ".join(f"{stage} {seconds:.2g}" for stage, seconds in found.seconds.items() if seconds >= 0.01)
        return f"ARI {agreement(found.labels, truth)['ari']:.4f}, NC {cut:.3f}; seconds: {stages}"

    settings = resolve_settings(graph, k)
    found = row(
        f"clusters, default settings, k = {k:,}",
        lambda: cluster_graph(graph, settings, random_state=0, n_jobs=options.threads), quality,
    )  # fmt: skip
    size = QUICK_DRAWS if options.quick else DRAWS
    for count in CORESETS if not options.quick else CORESETS[:1]:
        row(
            f"coreset of {size:,} draws by importance, k = {count:,}",
            lambda count=count: graphcore.build_coreset(graph, count, size=size, random_state=0),
            lambda coreset: f"{len(coreset):,} different nodes",
        )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        for task, write in (
            ("the report, without pictures", lambda: graphcore.report.write_report(
                os.path.join(folder, "page.html"), graph, found.labels, n_clusters=k, pictures=False,
                n_jobs=options.threads)),
            ("labels as text", lambda: graphcore.write_labels(found.labels, os.path.join(folder, "labels.tsv"), graph)),
        ):  # fmt: skip
            row(task, write, lambda _: "")
    text = f"{graph.n_nodes:,} nodes, {graph.n_edges:,} edges, {options.threads} threads."
    header = ["task", "s", "CPU s", "anonymous memory", "result"]
    return Report("A graph on disk", [f"{text}\n\n{table(header, rows)}"], outcomes)


def planted_store(folder, nodes):
    """Return (graph on disk, planted communities, their number), planted by bench/huge.py on first use."""
    path = folder / f"planted-{nodes}.store"
    k = LARGE_CLUSTERS if nodes > LARGE_NODES else max(2, nodes // NODES_PER_CLUSTER)
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        generate(path, nodes, nodes * EDGES_PER_NODE, k)
    return graphcore.open_graph(path), np.load(str(path).removesuffix(".store") + ".truth.npy", mmap_mode="r"), k
