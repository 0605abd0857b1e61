"""Growth of the cost of every stage: one draft of graphs of 10^5 to 10^8 entries, with the work counted.

Planted clusters of 1,000 nodes and average degree 20, k = 50 whatever the size, so that only n and the entries grow.
The lower bound of a stage is the time to read the entries that it counts, and to look up the label of each.
"""

import numpy as np

from .. import bandwidth, harness, inputs
from ..harness import Method
from ..report import Report, memory_allowed, table, verdict

SEEDS = 3
K = 50
ENTRIES = (100_000, 1_000_000, 10_000_000, 100_000_000)
LARGE = ("10^8 entries",)
METHOD = Method("graphcore, one draft", "cluster_counted", "graphcore", {"effort": "fast"})
STAGES = ("coreset", "coreset graph", "balance", "kernel distances", "moves")
# Entries that each stage goes through, by the names of graphcore's counts.
COUNTS = ("entries moved over", "entries summed", "entries grouped", "entries labelled", "entries joined")
_FROM = 1_000_000  # slopes leave out smaller graphs, where fixed costs rule


def run(options):
    """Measure all sizes, fit slopes, and compare with what memory allows."""
    names = {f"10^{len(str(entries)) - 1} entries": entries for entries in ENTRIES}
    outcomes, sizes = [], []
    for name in harness.wanted(names, options, LARGE):
        blocks = names[name] // 20_000
        # Nine tenths of the edges of a node stay inside its cluster.
        path = inputs.planted(blocks, 1000, 18 / 999, 2 / max(1, 1000 * (blocks - 1)))
        outcome = harness.measure(METHOD, name, path, min(K, 5 * blocks), options, score=lambda *_: {})
        if outcome.status == "ok":
            outcomes.append(outcome)
            sizes.append(inputs.shape(path))
    memory = bandwidth.measure()
    header = ["graph", "nodes", "entries", *(f"{stage}, s" for stage in STAGES), "CPU s in all", "MB above the graph"]
    rows = [
        [o.graph, n, entries, *(o.median(stage) for stage in STAGES), o.median("cpu_seconds"), o.median("megabytes")]
        for o, (n, entries) in zip(outcomes, sizes, strict=True)
    ]
    rows.append(["slope from 10^6 on", "", "", *(slope(outcomes, sizes, stage) for stage in (*STAGES, "cpu_seconds"))])
    rows[-1].append(slope(outcomes, sizes, "megabytes"))
    gather = memory["gather_seconds"]
    text = (
        f"Memory of this machine, one thread: {memory['bytes_per_second'] / 1e9:.3g} GB/s read in order; one look at a "
        "random place of a table takes "
        + ", ".join(f"{1e9 * seconds:.2g} ns at {size} MB" for size, seconds in gather.items())
        + "."
    )
    floors = [floor(o, *size, memory) for o, size in zip(outcomes, sizes, strict=True)]
    floor_header = ["graph", *(f"{name} / entries" for name in COUNTS), "bytes a node", "floor, s", "CPU s", "times"]
    contracts = [contract(o, n) for o, (n, _) in zip(outcomes, sizes, strict=True)]
    contract_header = ["graph", "nodes", "links stored", "links in a cycle", "MB above the graph"]
    sections = [table(header, rows), text, table(floor_header, floors)]
    sections.append(table([*contract_header, "MB allowed", "holds"], contracts))
    return Report(f"Growth: medians over {options.seeds} runs", sections, outcomes, ("cpu_seconds", "megabytes"))


def slope(outcomes, sizes, measure):
    """Return the exponent of the growth with the entries, by least squares on the logarithms; None below two points."""
    points = [
        (entries, o.median(measure))
        for o, (_, entries) in zip(outcomes, sizes, strict=True)
        if entries >= 0.9 * _FROM and (o.median(measure) or 0) > 0
    ]
    if len(points) < 2:
        return None
    x, y = np.log(np.array(points, dtype=float)).T
    return float(np.polyfit(x, y, 1)[0])


def floor(outcome, n_nodes, n_entries, memory):
    """Return a line: entries counted, memory, and processor seconds beside those of memory accesses alone."""
    counts = [outcome.median(name) or 0 for name in COUNTS]
    # Labels are four bytes a node: the table measured that is nearest in size.
    nearest = min(memory["gather_seconds"], key=lambda megabytes: abs(np.log(megabytes * 1e6 / (4 * n_nodes))))
    each = 4 / memory["bytes_per_second"] + memory["gather_seconds"][nearest]
    least = sum(counts) * each
    spent = outcome.median("cpu_seconds")
    per_node = outcome.median("megabytes") * 1e6 / n_nodes
    return [outcome.graph, *(count / n_entries for count in counts), per_node, least, spent, spent / least]


def contract(outcome, n_nodes):
    """Return a line: the entries stored, and memory beside its limit."""
    names = ("links between cells", "most links between groups")
    stored = [outcome.median(name) or 0 for name in names]
    taken, allowed = outcome.median("megabytes"), memory_allowed(n_nodes, sum(stored))
    return [outcome.graph, n_nodes, *stored, taken, allowed, verdict(taken <= allowed)]
