"""The tables of the docs' comparison with peers, from outcomes measured now or read from a JSON file."""

from .report import cell, table

MEASURES = {
    "nc": ("Normalised cut, lower is better", min),
    "ari": ("Agreement with the known classes (ARI), higher is better", max),
    # Not those of the clock: programs that run beside the bench would count too.
    "cpu_seconds": ("Processor seconds of one run, all threads together", min),
}


def page(outcomes, judge):
    """Markdown: whether the targets hold by `judge(graph, {title: outcome})`, then a table for each measure."""
    graphs = {outcome.graph: outcome.k for outcome in outcomes}
    titles = list(dict.fromkeys(outcome.method.title for outcome in outcomes))
    found = {(outcome.method.title, outcome.graph): outcome for outcome in outcomes}
    sections = [_verdicts(outcomes, graphs, judge)]
    for measure, (heading, choose) in MEASURES.items():
        shown = [g for g in graphs if any(found[t, g].median(measure) is not None for t in titles if (t, g) in found)]
        best = {g: _best([o for o in outcomes if o.graph == g], measure, choose) for g in shown}
        rows = [["*k*", *(graphs[g] for g in shown)]]
        rows += [[t, *(_text(found.get((t, g)), measure, best[g]) for g in shown)] for t in titles]
        sections.append(f"**{heading}**\n\n" + table(["method", *shown], rows))
    return "\n\n".join(sections)


def _verdicts(outcomes, graphs, judge):
    """Whether graphcore meets its targets on each graph."""
    rows = []
    for graph in graphs:
        judged = judge(graph, {o.method.title: o for o in outcomes if o.graph == graph})
        rows.append([graph, judged["nc"], judged["ari"], judged["pure"]])
    header = ["graph", "NC", "ARI", '`objective="ncut"`: NC']
    return "**Targets**\n\n" + table(header, rows)


def _best(outcomes, measure, choose):
    """The best median of the methods that were given k, as it is shown."""
    values = [o.median(measure) for o in outcomes if not o.method.own_k and o.median(measure) is not None]
    return _number(choose(values), measure) if values else None


def _text(outcome, measure, best):
    """A median, bold where it is the best; or why there is none."""
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
    # Without the leading zero, so that ten graphs fit beside each other.
    return f"{value:.3f}".replace("-0.000", "0.000").replace("0.", ".", 1)
