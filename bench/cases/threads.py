"""Seconds of the default pipeline with all threads and with one, and whether the scores are the same.

The share of the work that runs on one thread is measured; by Amdahl's law it bounds the gain of more threads.
"""

from dataclasses import replace

from graphcore.base.progress import ON_THREADS

from .. import harness, inputs
from ..harness import Method
from ..report import Report, cell, ratio, score_cell, table, verdict

SEEDS = 5
GOAL = 1.7
MORE = (8, 16)
OURS = Method("graphcore", "cluster_counted", "graphcore")
GENERATED = {
    "planted 250 x 1,000": (250, lambda: inputs.planted(250, 1000, 0.4, 0.001)),
    "R-MAT 2^20, 16 M edges": (1000, lambda: inputs.rmat(20, 16_000_000)),
}
REAL = {"mnist-nn10": 10, "dblp": 100, "lfr-50000-0.3": 426}


def run(options):
    """Measure each graph, a row for each."""
    rows, outcomes = [], []
    for graph in harness.wanted([*REAL, *GENERATED], options, tuple(GENERATED)):
        k, path = (REAL[graph], inputs.real(graph, options.data)) if graph in REAL else _generated(graph)
        if path is None:
            continue
        alone, together = (
            harness.measure(OURS, graph, path, k, replace(options, threads=threads)) for threads in (1, options.threads)
        )
        outcomes += [alone, together]
        times = ratio(together.median("seconds"), alone.median("seconds"))
        measures = [o.median(name) for name in ("seconds", "cpu_seconds") for o in (alone, together)]
        rows.append([
            graph, *measures, f"{cell(times)} x", verdict(None if times is None else times >= GOAL),
            *(score_cell(o.median("nc")) for o in (alone, together)), *bounds(together, options.threads),
        ])  # fmt: skip
    header = ["graph", "s, 1 thread", f"s, {options.threads}", "CPU s, 1", f"CPU s, {options.threads}", "faster",
              f"at least {GOAL:g}", "NC, 1", f"NC, {options.threads}", "share on one thread",
              *(f"at most, {threads} threads" for threads in MORE)]  # fmt: skip
    sections = [table(header, rows)] if rows else []
    return Report(f"Threads: medians over {options.seeds} runs", sections, outcomes, ("seconds",))


def bounds(together, threads):
    """Return the share of the work that ran on one thread, and the most that more threads can make of one's speed."""
    seconds, on_threads = together.median("seconds"), together.median(ON_THREADS)
    if seconds is None or on_threads is None:
        return [None] * (1 + len(MORE))
    alone = max(0.0, seconds - 1e-6 * on_threads)
    serial = alone / (alone + threads * (seconds - alone))
    return [cell(serial), *(f"{cell(1.0 / (serial + (1.0 - serial) / more))} x" for more in MORE)]


def _generated(graph):
    k, make = GENERATED[graph]
    return k, make()
