"""Pages of the papers and their pictures, from the record."""

import hashlib
import json

import numpy as np

from ..report import cell, table
from .exhibit import chosen
from .record import FOLDER, load

LIMIT_BYTES = 150_000
STYLE = {
    "font.size": 10,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.constrained_layout.use": True,
    "svg.hashsalt": "graphcore",  # the same picture is the same file
}


def write(paper, folder=FOLDER):
    """Write ``NAME.md``, and a picture for each exhibit on record that has one."""
    record = load(paper.name, folder)
    for exhibit in paper.exhibits:
        if exhibit.draw and exhibit.name in record:
            draw(paper, exhibit, record[exhibit.name]["rows"], folder)
    (folder / f"{paper.name}.md").write_text(markdown(paper, record), encoding="utf-8")


def draw(paper, exhibit, groups, folder):
    """Draw an exhibit into ``NAME/EXHIBIT.svg``."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    path = folder / paper.name / f"{exhibit.name}.svg"
    path.parent.mkdir(parents=True, exist_ok=True)
    with plt.rc_context(STYLE):
        figure = exhibit.draw(groups, exhibit.published)
        figure.savefig(path, metadata={"Date": None, "Description": digest(exhibit, groups)})
        plt.close(figure)
    if path.stat().st_size > LIMIT_BYTES:
        raise SystemExit(f"bench: {path} has {path.stat().st_size:,} bytes, over {LIMIT_BYTES:,}: draw fewer points")


def digest(exhibit, groups):
    """Return a digest of the values in a picture."""
    return hashlib.sha256(json.dumps([groups, exhibit.published]).encode()).hexdigest()[:16]


def markdown(paper, record):
    """Return the page."""
    origin = (
        f"Written by `python -m bench paper {paper.name} --page`; do not edit. The values behind the pictures, and "
        f"with which machine and versions each was measured, are in [{paper.name}.json]({paper.name}.json)."
    )
    return "\n\n".join(
        [f"# {paper.title}", paper.source, paper.intro.strip(), f"*{origin}*"]
        + [_section(paper, exhibit, record.get(exhibit.name)) for exhibit in paper.exhibits]
    ) + "\n"  # fmt: skip


def _section(paper, exhibit, entry):
    parts = [f"({paper.name}-{exhibit.name})=\n## {_named(exhibit).capitalize()}: {exhibit.title}"]
    drawn = bool(exhibit.draw and entry)
    if drawn:
        parts.append(f"```{{figure}} {paper.name}/{exhibit.name}.svg\n:alt: {exhibit.title}\n:figclass: panels\n```")
    parts.append(exhibit.why)
    if exhibit.stand_in:
        first = next(other for other in paper.exhibits if other.stand_in == exhibit.stand_in)
        repeated = f"The same as for [{_named(first)}](#{paper.name}-{first.name})."
        parts.append(f"**Stand-in.** {exhibit.stand_in if first is exhibit else repeated}")
    if exhibit.unavailable:
        parts.append(f"**Not repeated.** {exhibit.unavailable}")
    elif not entry:
        parts.append("**Not measured yet.**")
    values = "" if drawn else values_table(exhibit, entry["rows"] if entry else [])
    if values:
        parts.append(values)
    if entry:
        parts.append(_origin(entry))
    return "\n\n".join(parts)


def _named(exhibit):
    return exhibit.name.replace("-", " ")


def _origin(entry):
    """Return date, command and seconds of a measurement, in small print."""
    said = [f"{cell(entry['cpu_seconds'])} CPU seconds"] + ["other programs at work"] * entry["busy"]
    if "note" in entry:  # of rows that were measured by themselves
        said += [entry["note"]]
    said += ["broken off before all was measured"] * (not entry["complete"])
    return f"*Measured on {entry['date']} by `{entry['command']}`: {'; '.join(said)}.*"


def values_table(exhibit, groups):
    """Return a table of measured values, mean and deviation, beside the published ones; "" if there are none."""
    published = [dict(row) for row in exhibit.published]
    shown = [key for key in exhibit.values if any(key in row for row in (*groups, *published))]
    told = {key for row in published for key in exhibit.values if key in row}
    header = list(exhibit.by.values())
    for key in shown:
        header += [exhibit.values[key]] + [f"{exhibit.values[key]}, published"] * (key in told)
    header += ["runs"] * any(_runs(group) > 1 for group in groups) + ["published in"] * bool(published)
    rows = []
    for group in groups:
        match = [row for row in published if any(group is one for one in _told_of(exhibit, row, groups))]
        rows.append(_row(exhibit, shown, told, header, group, {k: v for row in match for k, v in row.items()}))
    for row in published:
        setting = {key: row[key] for key in exhibit.by if key in row}
        if not chosen(groups, **setting):
            rows.append(_row(exhibit, shown, told, header, {}, row))
    return table([h or " " for h in header], rows) if rows else ""


def _told_of(exhibit, row, groups):
    """Return the groups beside which a published row stands: those of its setting with such a value.

    A row for all settings of a kind, such as all sizes, leaves the others out.
    """
    found = [g for g in groups if all(g.get(k) == v for k, v in row.items() if k in exhibit.by)]
    return [g for g in found if set(row) & set(g) & set(exhibit.values)] or found


def _row(exhibit, shown, told, header, group, published):
    cells = [group.get(key, "-") if group else published.get(key, "all") for key in exhibit.by]
    for key in shown:
        cells += [spread(group.get(key))] + [published.get(key)] * (key in told)
    cells += [_runs(group) or None] * ("runs" in header)
    return [*cells, *([published.get("source")] if exhibit.published else [])]


def _runs(group):
    return max((len(values) for values in group.values() if isinstance(values, list)), default=0)


def spread(values):
    """Return the mean and standard deviation of the repetitions; text and single values as they are."""
    if not values:
        return None
    if isinstance(values[0], str):
        return values[0] if len(set(values)) == 1 else "/".join(sorted(set(values)))
    middle = cell(float(np.mean(values)))
    return middle if len(set(values)) == 1 else f"{middle} ± {cell(float(f'{np.std(values, ddof=1):.1g}'))}"
