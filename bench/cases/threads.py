"""Seconds of the default pipeline with all threads and with one, and whether the scores are the same."""

from dataclasses import replace

from .. import harness, inputs
from ..harness import Method
from ..report import Report, cell, ratio, score_cell, table, verdict

SEEDS = 5
GOAL = 1.7
OURS = Method("graphcore", "cluster", "graphcore")
GENERATED = {
    "planted 250 x 1,000": (250, lambda: inputs.planted(250, 1000, 0.4, 0.001)),
    "R-MAT 2^20, 16 M edges": (1000, lambda: inputs.rmat(20, 16_000_000)),
}
REAL = {"mnist-nn10": 10, "dblp": 100}


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
            *(score_cell(o.median("nc")) for o in (alone, together)),
        ])  # fmt: skip
    header = ["graph", "s, 1 thread", f"s, {options.threads}", "CPU s, 1", f"CPU s, {options.threads}", "faster",
              f"at least {GOAL:g}", "NC, 1", f"NC, {options.threads}"]  # fmt: skip
    sections = [table(header, rows)] if rows else []
    return Report(f"Threads: medians over {options.seeds} runs", sections, outcomes, ("seconds",))


def _generated(graph):
    k, make = GENERATED[graph]
    return k, make()
