"""Results as Markdown tables, a JSON file and a plot."""

import json
import re
from dataclasses import dataclass, field


def cell(value, digits=3):
    """Return a number for a table, "-" for None, text as it is."""
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    if isinstance(value, int) or float(value).is_integer():
        return f"{int(value):,}"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.{digits}g}"


def score_cell(value):
    """Return NC, ARI or a similar score, to four places."""
    return "-" if value is None else f"{value:.4f}"


def table(header, rows):
    """Return a Markdown table; cells that are not text go through :func:`cell`."""
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    lines += ["| " + " | ".join(cell(value).replace("|", "/") for value in row) + " |" for row in rows]
    return "\n".join(lines)


def page(sections):
    """Return sections for a page of the docs that has headings of its own."""
    return "\n\n".join(re.sub(r"\A## (.*)", r"**\1**", section) for section in sections)


def ratio(ours, theirs):
    """Return `theirs / ours`, None if either is missing."""
    return None if ours is None or theirs is None or ours == 0 else theirs / ours


def verdict(holds):
    """Return the table's text for a target, None if it could not be judged."""
    return {True: "yes", False: "NO", None: "-"}[holds]


def memory_allowed(n_nodes, n_stored):
    """Return the megabytes allowed above the graph: 64 bytes a node, 32 for each entry of rows and groups."""
    return (64 * n_nodes + 32 * n_stored) / 1e6


def factor_cells(ours, theirs, least, *, stopped=False):
    """Return the factor by which graphcore is ahead, the target (or None), and whether it is reached.

    Of a peer that was `stopped`, `theirs` is a lower bound: a factor that is too small then says nothing.
    """
    factor = ratio(ours, theirs)
    holds = None if factor is None or least is None else factor >= least
    if stopped and not holds:
        holds = None
    return [f"at least {cell(factor)}" if stopped and factor is not None else factor, least, verdict(holds)]


@dataclass
class Report:
    """The report of a case: Markdown sections, outcomes, and the measures of its plot.

    Attributes
    ----------
    title : str
    sections : list of str
        Markdown.
    outcomes : list of Outcome
    measures : tuple of str
        Measures drawn, one column of panels for each; a row for each graph.
    page : str
        Markdown for the docs, where a case has any.
    machine : dict
    """

    title: str
    sections: list
    outcomes: list
    measures: tuple = ("seconds",)
    machine: dict = field(default_factory=dict)
    page: str = ""

    def markdown(self):
        """Return the whole report."""
        machine = "\n".join(f"- {name}: {text}" for name, text in self.machine.items())
        return "\n\n".join([f"# {self.title}", machine, *self.sections]) + "\n"

    def json(self):
        """Return all measurements, one entry for each seed."""
        found = {"title": self.title, "machine": self.machine, "outcomes": [o.as_dict() for o in self.outcomes]}
        return json.dumps(found, indent=1)

    def plot(self, path):
        """Draw dots for every method, a panel for every graph and measure; False if there is nothing to draw."""
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
        from matplotlib.ticker import NullFormatter

        groups = {}
        for outcome in self.outcomes:
            if outcome.status == "ok":
                groups.setdefault((outcome.graph, outcome.k), []).append(outcome)
        if not groups:
            return False
        heights = [1.2 + 0.22 * len(found) for found in groups.values()]
        figure, axes = plt.subplots(
            len(groups),
            len(self.measures),
            figsize=(5 * len(self.measures), sum(heights)),
            height_ratios=heights,
            squeeze=False,
            layout="constrained",
        )
        for row, ((graph, k), found) in zip(axes, groups.items(), strict=True):
            for ax, measure in zip(row, self.measures, strict=True):
                dots = [
                    (
                        outcome.median(measure),
                        outcome.method.title,
                        "C0" if outcome.method.side == "graphcore" else "C7",
                    )
                    for outcome in found
                    if outcome.median(measure) is not None
                ]
                if not dots:  # as ARI where no classes are known
                    ax.set_axis_off()
                    continue
                values, names, colours = zip(*dots, strict=True)
                ax.scatter(values, names, c=colours)
                if not measure.endswith(("ari", "nmi")):
                    ax.set_xscale("log")
                    # Values stand beside the dots; a decade of ticks, all with names, would run into each other.
                    ax.xaxis.set_major_formatter("{x:g}")
                    ax.xaxis.set_minor_formatter(NullFormatter())
                for value, name in zip(values, names, strict=True):
                    ax.annotate(cell(value), (value, name), (5, 0), textcoords="offset points", va="center", fontsize=6)
                ax.margins(x=0.2)
                ax.invert_yaxis()
                ax.grid(alpha=0.3)
                ax.set_title(f"{graph}, k = {k}", fontsize=8)
                ax.set_xlabel(measure, fontsize=7)
                ax.tick_params(labelsize=7)
        figure.savefig(path, dpi=110)
        plt.close(figure)
        return True
