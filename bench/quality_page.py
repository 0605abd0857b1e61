"""The tables of the docs' comparison with peers, and the file of results that they are made from."""

import csv

import numpy as np

from .harness import Method, Outcome
from .report import cell, table

OURS = "graphcore"
_LEVEL = 0.01  # agreements that differ by less are level
MEASURES = {
    "ari": "Agreement with the known classes (ARI), higher is better",
    "nc": "Normalised cut, lower is better",
    "j": "Information about a neighbour's cluster (J, in nats), higher is better",
    "modularity": "Modularity, higher is better",
    # Not those of the clock: programs that run beside the bench would count too.
    "cpu_seconds": "Processor seconds of one run, all threads together",
}
_LOWER = ("nc", "cpu_seconds")


def page(outcomes):
    """Return Markdown: who is ahead on how many graphs, then a table for each measure."""
    graphs = {o.graph: o.k for o in outcomes}
    methods = list({o.method.title: o.method for o in outcomes}.values())
    found = {(o.method.title, o.graph): o for o in outcomes}
    sections = [summary(outcomes)]
    for measure, heading in MEASURES.items():
        shown = [g for g in graphs if any(found[m.title, g].median(measure) is not None for m in methods
                                          if (m.title, g) in found)]  # fmt: skip
        if not shown:  # vectors have no cut
            continue
        rows = []
        for graph in shown:
            best = _best([o for o in outcomes if o.graph == graph], measure)
            rows.append([graph, graphs[graph], *(_text(found.get((m.title, graph)), measure, best) for m in methods)])
        sections.append(f"**{heading}**\n\n" + table(["graph", "k", *(m.title for m in methods)], rows))
    return "\n\n".join(sections)


def summary(outcomes):
    """Return a row for each method: the number of graphs with the best agreement or nearly so, and its costs."""
    by_graph: dict = {}
    for o in outcomes:
        by_graph.setdefault(o.graph, {})[o.method.title] = o
    rows = []
    for method in {o.method.title: o.method for o in outcomes}.values():
        mine = [(found[method.title], found) for found in by_graph.values() if method.title in found]
        level = [o.median("ari") >= _highest(found) - _LEVEL for o, found in mine if o.median("ari") is not None]
        agreement = [o.median("ari") for o, _ in mine if o.median("ari") is not None]
        cost = [
            o.median("cpu_seconds") / found[OURS].median("cpu_seconds")
            for o, found in mine
            if o.median("cpu_seconds") is not None and OURS in found and found[OURS].median("cpu_seconds")
        ]
        rows.append(
            [
                method.title,
                "its own" if method.own_k else "the same",
                f"{sum(level)} of {len(level)}" if level and not method.own_k else "-",
                f"{np.mean(agreement):.3f}" if agreement else "-",
                f"{np.median(cost):.2g}" if cost else "-",
            ]
        )
    header = ["method", "k", f"ARI best of those with the same k, or within {_LEVEL}", "mean ARI", "CPU, ours is 1"]
    return "**Who is ahead**\n\n" + table(header, rows)


def write_rows(path, outcomes):
    """Write the medians to a CSV file, a row for each method and graph."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["graph", "k", "method", "own_k", "status", "clusters", *MEASURES])
        for o in outcomes:
            values = [o.median(name) for name in ("clusters", *MEASURES)]
            written = ["" if value is None else f"{value:.6g}" for value in values]
            rows.writerow([o.graph, o.k, o.method.title, int(o.method.own_k), o.status, *written])


def read_rows(path):
    """Yield outcomes of one run each from a file of :func:`write_rows`, to which others may have added rows."""
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            method = Method(row["method"], row["method"], own_k=row["own_k"] == "1")
            scores = {name: float(row[name]) for name in ("clusters", *MEASURES) if row[name]}
            seconds = [scores.pop("cpu_seconds")] if "cpu_seconds" in scores else []
            yield Outcome(method, row["graph"], int(row["k"]), row["status"], seconds, seconds, [{}], [scores])


def _highest(found):
    """Return the highest agreement of the methods that were given k."""
    aris = (o.median("ari") for o in found.values() if not o.method.own_k and o.median("ari") is not None)
    return max(aris, default=float("nan"))  # of methods with a k of their own alone


def _best(outcomes, measure):
    """Return the best median of the methods that were given k, as it is shown."""
    values = [o.median(measure) for o in outcomes if not o.method.own_k and o.median(measure) is not None]
    return _number((min if measure in _LOWER else max)(values), measure) if values else None


def _text(outcome, measure, best):
    """Return a median, bold where it is the best; or the reason for its absence."""
    if outcome is None:
        return "-"
    value = outcome.median(measure)
    if value is None:
        return "-" if outcome.status == "ok" else outcome.status.split(":")[0].replace("skipped", "-")
    shown = _number(value, measure)
    return f"**{shown}**" if shown == best and not outcome.method.own_k else shown


def _number(value, measure):
    if measure == "cpu_seconds":
        return cell(value, 2)
    # Without the leading zero, so that many methods fit beside each other.
    return f"{value:.3f}".replace("-0.000", "0.000").replace("0.", ".", 1) if abs(value) < 1 else f"{value:.3f}"
