"""A graph on disk and vectors in chunks on one and two Dask workers, against threads: seconds, labels, bytes by pass.

``--graphs 6500000 65000000``, the default, gives the nodes of planted graphs (bench/huge.py, 27 edges each), ``--rows``
the images (bench/infinite_mnist.py); with one of them alone the other is left out. ``--folder`` keeps both and their
measurements: with ``--resume`` only missing ones are measured, so that an interrupted run can be continued. ``--methods
"2 workers"`` leaves out the other ways. ``--quick`` is 100,000 nodes and 20,000 images. Workers have one thread and 2
GB each, 3 GB for more than 30 million nodes, where two threads and two workers are all that is measured; stages that
stay on the client have two threads. A model extrapolates the bytes and seconds to more workers and larger graphs.
``--page`` writes all tables for the docs.

    python -m bench run distributed --graphs 6500000 --rows 400000
    python -m bench run distributed --resume --page docs/tables/distributed.md

The larger graph needs 16 GB of disk and 10 GB of memory besides the page cache, the larger images 8.4 GB of disk.
Inputs this large are clustered once each way, and not twice.
"""

import math
import pickle
import subprocess
import sys
import time
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import infinite_mnist, inputs, stamp
from ..harness import Method, Outcome
from ..papers.rank_restricted.large import CORES, MACHINES, TABLE_4, TABLE_4_NMI
from ..report import Report, table
from ..vectors import agreement

SEEDS = 1
ROOMS = ("base", "graphs", "files/store", "kernels", "cluster", "kernel_methods", "distributed")
WAYS, LARGE_WAYS = ("1 thread", "2 threads", "1 worker", "2 workers"), ("2 threads", "2 workers")
NODES, QUICK_NODES, EDGES_PER_NODE, NODES_PER_CLUSTER = [6_500_000, 65_000_000], 100_000, 27, 1_000
QUICK_ROWS, LANDMARKS, RANK, CLUSTERS = 20_000, 400, 20, 10
# Table 4, k = 10, c = 400: seconds in all and NMI by s and machines of 32 cores.
PUBLISHED = {s: (dict(zip(MACHINES, stages[3], strict=True)), TABLE_4_NMI[s]) for s, stages in TABLE_4.items()}
# Parameters of the modelled cluster: bytes a second into each machine, seconds from a pass to the next.
BANDWIDTH, LATENCY = 1e9, 0.02
N_WORKERS = 2  # of the measurement behind the models
WORKER_MEMORY, LARGE_WORKER_MEMORY, LARGE_NODES = 2 * 10**9, 3 * 10**9, 30_000_000
LARGE_CLUSTERS = 5_000  # as in docs/huge.md
# Larger inputs are clustered once each way; others twice, since the first fit loads libraries and loops.
TWICE_NODES, TWICE_ROWS = 10_000_000, 1_000_000
CLIENT_BYTES = 44  # for each node


class Measured(NamedTuple):
    """The measurement of one way to fit."""

    outcome: Outcome
    labels: Any
    work: dict  # counts by name
    stages: dict  # seconds
    memory: list  # bytes of each worker at most


class OnDisk:
    """Bytes of a file as a matrix, which every process opens for itself."""

    dtype, ndim = np.dtype(np.uint8), 2

    def __init__(self, path, shape):
        self.path, self.shape = path, shape

    def __getitem__(self, part):
        return np.memmap(self.path, self.dtype, "r", shape=self.shape)[part]


def run(options):
    """Measure the graph and the vectors, and compute the model."""
    try:
        import distributed
    except ImportError:
        return Report("Distributed", ["Not installed: distributed."], [])
    folder = options.folder or inputs.CACHE
    folder.mkdir(parents=True, exist_ok=True)
    nodes, rows = [int(n) for n in options.graphs or ()], [options.rows] if options.rows else []
    if not nodes + rows:
        nodes, rows = ([QUICK_NODES], [QUICK_ROWS]) if options.quick else (NODES, [infinite_mnist.ROWS])
    sections, outcomes = [], []
    for name, size, prepare in (*(("graph", n, _graph) for n in nodes), *(("vectors", n, _vectors) for n in rows)):
        is_large = name == "graph" and size > LARGE_NODES
        limits = {"threads_per_worker": 1, "memory_limit": LARGE_WORKER_MEMORY if is_large else WORKER_MEMORY}
        what, fit, score = prepare(folder, size, options)
        if fit is None:
            sections.append(what)
            continue
        times = 1 if size > (TWICE_NODES if name == "graph" else TWICE_ROWS) else 2
        found = []
        for way in LARGE_WAYS if is_large else WAYS:
            if options.methods and not any(word in way for word in options.methods):
                continue
            code = stamp.stamp(ROOMS)[:12]  # measurements of other code do not count
            kept = folder / f"distributed-{name}-{size}-{way.replace(' ', '-')}-{code}.pickle"
            if not (options.resume and kept.exists()):
                with _client(way, distributed, limits) as client:
                    measured = _measured(way, what, fit, score, times, client)
                kept.write_bytes(pickle.dumps(measured))
            found.append(pickle.loads(kept.read_bytes()))
        if not found:
            continue
        outcomes += [one.outcome for one in found]
        sections.append(_compared(name, what, found))
        is_last = size == (nodes if name == "graph" else rows)[-1]
        if is_last and found[-1].outcome.method.title == f"{N_WORKERS} workers":
            sections.append((_graph_model if name == "graph" else _table_4)(size, found[-1]))
    return Report("Threads and Dask's workers", sections, outcomes, ("seconds",), page="\n\n".join(sections))


@contextmanager
def _client(way, distributed, limits):
    """Yield a client of a number of workers, or None for threads."""
    n, what = way.split()
    if what.startswith("thread"):
        yield None
        return
    with (
        distributed.LocalCluster(n_workers=int(n), dashboard_address=":0", **limits) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def _peak_memory():
    # Not getrusage: a process begins with the peak of the one that started it there.
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.partition("VmHWM:")[2].split()[0])


def planted_store(folder, nodes):
    """Return (graph on disk, planted communities, their number), planted by bench/huge.py on first use."""
    from graphcore import open_graph

    path = folder / f"distributed-{nodes}.store"
    k = LARGE_CLUSTERS if nodes > LARGE_NODES else max(2, nodes // NODES_PER_CLUSTER)
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        sizes = ["--nodes", str(nodes), "--edges", str(nodes * EDGES_PER_NODE), "--clusters", str(k)]
        subprocess.run([sys.executable, Path(__file__).parents[1] / "huge.py", path, *sizes], check=True)
    return open_graph(path), np.load(str(path).removesuffix(".store") + ".truth.npy", mmap_mode="r"), k


def _graph(folder, nodes, options):
    from graphcore import CoresetSpectralClustering
    from graphcore.cluster.refine import problem as quotient

    graph, truth, k = planted_store(folder, nodes)
    # A smaller graph is clustered by the same passes.
    quotient._MANY_ENTRIES = min(quotient._MANY_ENTRIES, graph.n_entries - 1)
    quotient._SAMPLED_ENTRIES = min(quotient._SAMPLED_ENTRIES, graph.n_entries // 2)

    def fit(n_jobs):
        model = CoresetSpectralClustering(k, random_state=0, n_jobs=n_jobs).fit(graph)
        return model.labels_, model.seconds_

    return f"{nodes:,} nodes, {graph.n_edges:,} edges, k = {k:,}", fit, lambda labels: agreement(labels, truth)


def _vectors(folder, rows, options):
    import dask.array as da

    from graphcore import NystromKernelKMeans

    if not (options.data / "mnist").exists():
        return f"Not in the data folder ({options.data}): mnist.", None, None
    where, where_labels = infinite_mnist.generate(folder, rows, options.data)
    X = np.memmap(where, np.uint8, "r").reshape(rows, infinite_mnist.PIXELS)
    truth = np.load(where_labels)
    step = max(1, rows // 64)

    def fit(n_jobs):
        model = NystromKernelKMeans(
            CLUSTERS, n_landmarks=LANDMARKS, n_components=RANK, truncation="half", n_init=1, max_iter=100,
            random_state=0, n_jobs=n_jobs,
        )  # fmt: skip
        import distributed

        try:
            distributed.get_client()
        except ValueError:
            return model.fit(X).labels_, {}
        return model.fit(da.from_array(OnDisk(where, X.shape), chunks=(step, -1))).labels_.compute(), {}

    return f"{rows:,} images, c = {LANDMARKS}, s = {RANK}", fit, lambda labels: agreement(labels, truth)


def _measured(title, what, fit, score, times, client):
    """Measure a fit several times and return the last."""
    from graphcore.base.progress import counted

    outcome = Outcome(Method(title, "distributed", "graphcore"), what, 0, "ok", n_asked=1)
    with warnings.catch_warnings(), counted() as work:
        warnings.simplefilter("ignore")
        for _ in range(times):
            work.clear()
            start, cpu = time.perf_counter(), time.process_time()
            labels, seconds = fit(2 if client else int(title.split()[0]))
        outcome.seconds.append(time.perf_counter() - start)
        outcome.cpu_seconds.append(time.process_time() - cpu)
    outcome.scores.append(score(labels))
    peaks = [] if client is None else list(client.run(_peak_memory).values())
    return Measured(outcome, labels, dict(work), seconds, peaks)


def _compared(name, what, found):
    one = found[0].outcome.seconds[0]
    first = found[0] if name == "graph" else next((way for way in found if way.memory), found[0])
    rows = []
    for outcome, labels, _, stages, memory in found:
        shown = ", ".join(f"{stage} {seconds:.2g}" for stage, seconds in stages.items() if seconds >= 0.01)
        compared = f"as {first.outcome.method.title}" if np.array_equal(labels, first.labels) else "differ"
        rows.append([
            outcome.method.title, outcome.seconds[0], outcome.cpu_seconds[0], one / outcome.seconds[0],
            *(f"{outcome.scores[0][score]:.4f}" for score in ("nmi", "ari")), compared,
            f"{max(memory) / 1e6:.0f}" if memory else "", shown,
        ])  # fmt: skip
    faster = f"times {found[0].outcome.method.title}"
    header = ["", "s", "CPU s of this process", faster, "NMI", "ARI", "labels", "MB of a worker", "s of each stage"]
    text = f"{what}.\n\n{table(header, rows)}"
    work = found[-1].work
    passes = sorted({key.split(", ")[1] for key in work if key.startswith("bytes")})
    kinds = ("bytes to each worker", "bytes with tasks", "bytes back")
    if passes:
        rows = [[part, *(work.get(f"{kind}, {part}", 0) / 1e6 for kind in kinds)] for part in passes]
        text += "\n\nMegabytes by pass, all its rounds together:\n\n"
        text += table(["pass", "to each worker", "with tasks", "back"], rows)
    return text


def _table_4(rows, measured):
    """Return the published table, and a model of two workers here on as many cores."""
    seconds, work = measured.outcome.seconds[0], measured.work
    n_passes = work["passes over chunks"]
    sent = sum(amount for key, amount in work.items() if key.startswith("bytes to each"))
    back = sum(amount for key, amount in work.items() if key.startswith("bytes back"))
    reading = N_WORKERS * seconds * infinite_mnist.ROWS / rows
    lines = []
    for s, (published, nmi) in PUBLISHED.items():
        for machines, total in published.items():
            model = None
            if s == RANK:
                workers = CORES * machines
                travel = (sent * math.log2(workers) + back * workers / 64) / BANDWIDTH
                model = reading / workers + n_passes * LATENCY + travel
            lines.append([s, machines, total, nmi, model, measured.outcome.scores[0]["nmi"] if s == RANK else None])
    header = ["s", "machines", "published s", "published NMI", "model s", "NMI here"]
    return (
        f"Table 4 of the paper, and a model by the two workers above: {reading:.0f} core seconds for all "
        f"{infinite_mnist.ROWS:,} images, {n_passes} passes of at least {LATENCY} s, {sent / 1e6:.3g} MB to each "
        f"worker and {back / 64e3:.3g} kB back from each chunk.\n\n" + table(header, lines)
    )


def _graph_model(nodes, measured):
    """Model seconds on more workers and larger graphs from the counts of two workers."""
    outcome, _, work, stages, _ = measured
    sent = sum(amount for key, amount in work.items() if key.startswith(("bytes to each", "bytes with")))
    back = sum(a for key, a in work.items() if key.startswith("bytes back") and key != "bytes back, sample_part")
    # The sample grows no further than 2^26 links of 8 bytes, and so does the merging, once for each balance tried.
    sample, merging, client = 2**29, stages["balance"], stages["coreset"]
    passes = outcome.seconds[0] - client - merging
    rows = []
    for edges in (1e10, 1e11, 1e12):
        scale = edges / (nodes * EDGES_PER_NODE)
        for workers in (10, 100, 1000):
            read = N_WORKERS * passes * scale / workers
            # A broadcast goes down a tree of workers; all results go to the client.
            travel = sent * scale * math.log2(workers) / BANDWIDTH + (back * scale + sample) / BANDWIDTH
            rows.append([
                f"{edges:.0e}", workers, read, travel, client * scale + merging, CLIENT_BYTES * nodes * scale / 1e9
            ])  # fmt: skip
    text = (
        f"A model by the two workers above: passes {passes:.1f} s, client {client:.1f} s, {sent / nodes:.0f} bytes per "
        f"node to each worker and {back / nodes:.0f} back, in proportion to the edges; merging {merging:.1f} s and a "
        f"sample of .5 GB at any size; {BANDWIDTH / 1e9:.0f} GB/s into each machine, and broadcasts that go down a "
        f"binary tree; {CLIENT_BYTES} bytes of the client's memory for each node."
    )
    header = ["edges", "workers", "s of passes", "s of travel", "s of the client alone", "GB of the client"]
    return f"{text}\n\n" + table(header, rows)
