"""Seconds of the default pipeline with all threads and with one, and beside partitioners with as many threads."""

from dataclasses import replace

from .. import harness, inputs
from ..harness import Method
from ..report import Report, cell, ratio, score_cell, table, verdict

SEEDS = 5
GOAL = 1.7
OURS = Method("graphcore", "cluster", "graphcore")
PEERS = [Method("METIS", "metis"), Method("Mt-KaHyPar, default", "mt_kahypar", params={"preset": "DEFAULT"})]
GENERATED = {
    "planted 250 x 1,000": (250, lambda: inputs.planted(250, 1000, 0.4, 0.001)),
    "R-MAT 2^20, 16 M edges": (1000, lambda: inputs.rmat(20, 16_000_000)),
}
REAL = {
    "mnist-nn10": 10, "dblp": 100, "lfr-50000-0.3": 426, "lfr-10000-0.3": 120, "har": 6, "letter-nn10": 26,
    "pendigits-nn10": 10, "email": 42, "fbpages": 4,
}  # fmt: skip
WEB = {"cnr-2000": 100}
# Its Python list of a hundred million numbers takes longer than the run.
TOO_SLOW = {"mt_kahypar": tuple(GENERATED)}
MEASURES = ("seconds", "j", "ari")


def run(options):
    """Measure each graph, a row for each."""
    rows, beside, outcomes = [], [], []
    for graph in harness.wanted([*REAL, *WEB, *GENERATED], options, tuple(GENERATED)):
        k, path = _found(graph, options.data)
        if path is None:
            continue
        alone, together = (
            harness.measure(OURS, graph, path, k, replace(options, threads=threads)) for threads in (1, options.threads)
        )
        peers = harness.measure_all(PEERS, graph, path, k, options, too_slow=TOO_SLOW)
        outcomes += [alone, together, *peers]
        beside.append([graph, *(score_cell(o.median(name)) for name in MEASURES for o in (together, *peers))])
        times = ratio(together.median("seconds"), alone.median("seconds"))
        measures = [o.median(name) for name in ("seconds", "cpu_seconds") for o in (alone, together)]
        rows.append([
            graph, *measures, f"{cell(times)} x", verdict(None if times is None else times >= GOAL),
            *(score_cell(o.median("nc")) for o in (alone, together)),
        ])  # fmt: skip
    header = ["graph", "s, 1 thread", f"s, {options.threads}", "CPU s, 1", f"CPU s, {options.threads}", "faster",
              f"at least {GOAL:g}", "NC, 1", f"NC, {options.threads}"]  # fmt: skip
    names = ["graphcore", *(peer.title for peer in PEERS)]
    peers_header = ["graph", *(f"{name}, {measure}" for measure in MEASURES for name in names)]
    sections = [table(header, rows), table(peers_header, beside)] if rows else []
    return Report(f"Threads: medians over {options.seeds} runs", sections, outcomes)


def _found(graph, data):
    """Return the number of clusters and the path of a graph, None if it is not there."""
    if graph in GENERATED:
        k, make = GENERATED[graph]
        return k, make()
    return (REAL[graph], inputs.real(graph, data)) if graph in REAL else (WEB[graph], inputs.web(graph, data))
