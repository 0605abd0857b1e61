"""Time of the default pipeline beside METIS, and on MNIST beside stag and Leiden too, with the NC of each."""

from .. import harness, inputs
from ..harness import Method
from ..report import Report, cell, ratio, score_cell, table, verdict

SEEDS = 5
OURS, METIS = Method("graphcore", "cluster", "graphcore"), Method("METIS", "metis")
STAG, LEIDEN = Method("stag", "stag"), Method("Leiden (igraph)", "igraph_leiden", own_k=True)
# Graph: k, methods, and how many times a peer's seconds graphcore may take.
ROWS = {
    "mnist-nn10": (10, [OURS, METIS, STAG, LEIDEN], {"METIS": 3.0, "stag": 1.0, "Leiden (igraph)": 1.0}),
    "dblp": (100, [OURS, METIS], {"METIS": 1.0}),
    "R-MAT 2^20, 16 M edges": (1000, [OURS, METIS], {"METIS": 1.0}),
}
LARGE = ("R-MAT 2^20, 16 M edges",)


def run(options):
    """Measure all rows."""
    rows, outcomes, missing = [], [], []
    for graph in harness.wanted(ROWS, options, LARGE):
        k, methods, limits = ROWS[graph]
        path = inputs.rmat(20, 16_000_000) if graph in LARGE else inputs.real(graph, options.data)
        if path is None:
            missing.append(graph)
            continue
        found = [harness.measure(method, graph, path, k, options) for method in harness.chosen(methods, options)]
        outcomes += found
        ours = next((o for o in found if o.method == OURS), None)
        rows += [row(graph, o, ours, limits.get(o.method.title)) for o in found]
    header = ["graph", "method", "NC", "s (median)", "s (least)", "CPU s", "MB above the graph"]
    header += ["graphcore takes", "allowed", "holds", "outcome"]
    sections = [table(header, rows)]
    stages = [[o.graph, name, o.median(name)] for o in outcomes if o.method == OURS for name in (o.parts or [{}])[0]]
    if stages:
        text = "Stages of graphcore; coresets worked on at the same time are added up."
        sections.append(f"{text}\n\n" + table(["graph", "stage", "s"], stages))
    sections += options.absent(missing)
    return Report(f"Speed: medians over {options.seeds} runs", sections, outcomes)


def row(graph, outcome, ours, limit):
    """Return one method's line; its ratio is graphcore's seconds over the method's own."""
    share = None
    if limit is not None and ours is not None:
        share = ratio(outcome.median("seconds"), ours.median("seconds"))
    least = min(outcome.seconds) if outcome.status == "ok" else None
    return [
        graph,
        outcome.method.title,
        score_cell(outcome.median("nc")),
        outcome.median("seconds"),
        least,
        outcome.median("cpu_seconds"),
        outcome.median("megabytes"),
        "-" if share is None else f"{cell(share)} x",
        "-" if limit is None else f"{cell(limit)} x",
        verdict(None if share is None else share <= limit),
        outcome.remark,
    ]
