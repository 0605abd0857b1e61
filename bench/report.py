"""Results as Markdown tables and a JSON file."""

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


@dataclass
class Report:
    """The report of a case: Markdown sections, and outcomes.

    Attributes
    ----------
    title : str
    sections : list of str
        Markdown.
    outcomes : list of Outcome
    page : str
        Markdown for the docs, where a case has any.
    machine : dict
    """

    title: str
    sections: list
    outcomes: list
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
