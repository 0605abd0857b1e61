"""Results as Markdown tables, a JSON file and a plot."""

import json
from dataclasses import dataclass, field


def cell(value, digits=3):
    """A number for a table, "-" for None, text as it is."""
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
    """NC, ARI and their like, to four places."""
    return "-" if value is None else f"{value:.4f}"


def table(header, rows):
    """A Markdown table; cells that are not text go through :func:`cell`."""
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    lines += ["| " + " | ".join(cell(value).replace("|", "/") for value in row) + " |" for row in rows]
    return "\n".join(lines)


def page(sections):
    """Sections for a page of the docs that has headings of its own."""
    return "\n\n".join(section.replace("## ", "**", 1).replace("\n", "**\n", 1) for section in sections)


def ratio(ours, theirs):
    """`theirs / ours`, None if either is missing."""
    return None if ours is None or theirs is None or ours == 0 else theirs / ours


def verdict(holds):
    """What a table says of a target: None is a target that could not be judged."""
    return {True: "yes", False: "NO", None: "-"}[holds]


def memory_allowed(n_nodes, n_stored):
    """Megabytes that a run may take above the graph: 64 bytes a node, 32 for each entry of rows and small graphs."""
    return (64 * n_nodes + 32 * n_stored) / 1e6


def factor_cells(ours, theirs, least, *, stopped=False):
    """The factor by which graphcore is ahead, the least one aimed at (None: no target), and whether it is reached.

    Of a peer that was `stopped`, `theirs` is a lower bound: a factor that is too small then says nothing.
    """
    factor = ratio(ours, theirs)
    holds = None if factor is None or least is None else factor >= least
    if stopped and not holds:
        holds = None
    return [f"at least {cell(factor)}" if stopped and factor is not None else factor, least, verdict(holds)]


@dataclass
class Panel:
    """A picture of curves: `lines` maps a name to (x, y), None in y for what was not measured."""

    title: str
    x_label: str
    y_label: str
    lines: dict
    log_x: bool = False
    log_y: bool = False


def curve(outcomes, title, measure, x=lambda outcome: outcome.k):
    """(x, y) of one method's medians, in the order of x."""
    found = sorted(((x(o), o.median(measure)) for o in outcomes if o.method.title == title), key=lambda point: point[0])
    return [at for at, _ in found], [value for _, value in found]


def _draw_curves(plt, panels, path):
    columns = min(3, len(panels))
    rows = -(-len(panels) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(4.5 * columns, 3.6 * rows), squeeze=False, layout="constrained")
    for ax in axes.ravel()[len(panels) :]:
        ax.set_axis_off()
    styles = ["o-", "s--", "^:", "D-.", "v-", "x--"]
    for ax, panel in zip(axes.ravel(), panels, strict=False):
        for i, (name, (x, y)) in enumerate(panel.lines.items()):
            values = [float("nan") if value is None else value for value in y]
            ax.plot(x, values, styles[i % len(styles)], label=name, markersize=4, linewidth=1.2)
        ax.set(title=panel.title, xlabel=panel.x_label, ylabel=panel.y_label)
        ax.set_xscale("log" if panel.log_x else "linear")
        ax.set_yscale("log" if panel.log_y else "linear")
        ax.title.set_fontsize(9)
        ax.grid(alpha=0.3)
    axes[0, 0].legend(fontsize=7)
    figure.savefig(path, dpi=110)
    plt.close(figure)


@dataclass
class Report:
    """What a case hands back: Markdown sections, outcomes, and what its plot shows.

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
    curves : list of Panel
        Drawn instead of dots for every method, where there are any.
    machine : dict
    """

    title: str
    sections: list
    outcomes: list
    measures: tuple = ("seconds",)
    machine: dict = field(default_factory=dict)
    page: str = ""
    curves: list = field(default_factory=list)

    def markdown(self):
        """The whole report."""
        machine = "\n".join(f"- {name}: {text}" for name, text in self.machine.items())
        return "\n\n".join([f"# {self.title}", machine, *self.sections]) + "\n"

    def json(self):
        """All measurements, one entry for each seed."""
        found = {"title": self.title, "machine": self.machine, "outcomes": [o.as_dict() for o in self.outcomes]}
        return json.dumps(found, indent=1)

    def plot(self, path):
        """Curves, or dots for every method, a panel for every graph and measure; False if there is nothing to draw."""
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
        from matplotlib.ticker import NullFormatter

        if self.curves:
            _draw_curves(plt, self.curves, path)
            return True
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
