"""Building a coreset alone, with fast and with naive D2 seeding, as k grows (figure 2 of the paper).

100,000 draws by importance sampling in one round, 2 k seeds. The paper's graphs cannot be had everywhere: R-MAT graphs
of the sizes of LiveJournal and of wiki-topcats stand for them, isolated nodes removed. bench/huge.py writes one of
Friendster's size.
"""

from .. import harness, inputs
from ..harness import Method
from ..report import Panel, Report, curve, ratio, table, verdict

SEEDS = 10
DRAWS = 100_000
SWEEP = (100, 500, 1_000, 2_000, 5_000)
# Scale and edges; wiki-topcats has 1.8 M nodes and 28 M edges, LiveJournal 4 M and 34 M.
GRAPHS = {"R-MAT 2^21, 28 M edges": (21, 28_000_000), "R-MAT 2^22, 40 M edges": (22, 40_000_000)}
_FLAT = 1.5


def no_score(path, run, k, own_k):
    """Nothing is labelled."""
    return {"coreset_nodes": len(run["coreset"])}


def run(options):
    """Measure both kinds of seeding for all k on both graphs."""
    outcomes, sections, curves = [], [], []
    for graph in harness.wanted(GRAPHS, options, list(GRAPHS)):
        path = inputs.rmat(*GRAPHS[graph])
        n, entries = inputs.shape(path)
        methods = [
            Method(f"{seeding} D2", "coreset_only", "graphcore", {"size": DRAWS / n, "seeding": seeding})
            for seeding in ("fast", "naive")
        ]
        methods = harness.chosen(methods, options)
        found = {}
        for k in SWEEP:
            for method in methods:
                found[k, method.title] = harness.measure(method, graph, path, k, options, score=no_score)
        rows = [row(o, found.get((SWEEP[0], title))) for (_, title), o in found.items()]
        header = ["D2", "k", "s", "CPU s", f"CPU s over k = {SWEEP[0]}", "at most", "holds", "MB above the graph"]
        header += ["coreset nodes", "outcome"]
        sections.append(f"## {graph} ({n:,} nodes, {entries:,} entries)\n\n" + table(header, rows))
        curves.append(
            Panel(
                f"{graph}, {DRAWS:,} draws",
                "clusters k",
                "CPU s",
                {m.title: curve(found.values(), m.title, "cpu_seconds") for m in methods},
                log_y=True,
            )
        )
        outcomes += found.values()
    title = f"Coreset construction: medians over {options.seeds} runs"
    return Report(title, sections, outcomes, ("cpu_seconds",), curves=curves)


def row(outcome, first):
    """One method and k; fast seeding is to stay flat."""
    growth = None if first is None else ratio(first.median("cpu_seconds"), outcome.median("cpu_seconds"))
    limit = _FLAT if outcome.method.title == "fast D2" else None
    return [
        outcome.method.title,
        outcome.k,
        outcome.median("seconds"),
        outcome.median("cpu_seconds"),
        growth,
        limit,
        verdict(None if limit is None or growth is None else growth <= limit),
        outcome.median("megabytes"),
        outcome.median("coreset_nodes"),
        outcome.remark,
    ]
