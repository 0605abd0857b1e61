"""Each piece of graphcore on and off, with uniform, degree and importance sampling beside it: NC, ARI, seconds.

Settings are dicts of the parameters of CoresetSpectralClustering; ``--settings`` takes another list of them as JSON.
``--page docs/tables/ablation.md`` writes NC and ARI for the docs.
"""

from .. import harness, inputs
from ..harness import Method
from ..report import Report, cell, score_cell, table

SEEDS = 5
GRAPHS = {"har": 6, "pendigits-nn10": 10, "pendigits-nn250": 10, "mnist-nn10": 10, "fbpages": 4, "email": 42}
LARGE = ("mnist-nn10",)
PUBLISHED = {"preset": "published"}
BY_DEGREE = {**PUBLISHED, "sampling": "degree"}
WALKS = {**BY_DEGREE, "walk_steps": 4}
SETTINGS = {
    "The default, and one piece of it changed": [
        {},
        {"objective": "ncut"},
        {"n_coresets": 1},
        {"n_coresets": 1, "refine": False},
        {"n_coresets": 1, "refine": False, "walk_steps": 1},
        {"overcluster": 1.0},
        {"overcluster": 2.0},
        {"overcluster": 3.0},
        {"walk_steps": 1},
        {"walk_steps": 2},
        {"walk_steps": 8},
        {"sampling": "uniform"},
        {"sampling": "importance"},
    ],
    "The published algorithm, and pieces of the default added": [
        PUBLISHED,
        {**PUBLISHED, "sampling": "uniform"},
        BY_DEGREE,
        {**BY_DEGREE, "refine": True},
        WALKS,
        {**WALKS, "walk_steps": 8},
        {**WALKS, "overcluster": 3.0},
        {**WALKS, "overcluster": 3.0, "refine": True},
        {**WALKS, "overcluster": None, "refine": True},
    ],
}


def run(options):
    """Measure every setting on every graph."""
    groups = SETTINGS if options.settings is None else {"Settings given": options.settings}
    groups = {
        name: harness.chosen([Method(title(s), "cluster", "graphcore", s) for s in settings], options)
        for name, settings in groups.items()
    }
    graphs = {}
    missing = []
    for graph in harness.wanted(GRAPHS, options, LARGE):
        k = GRAPHS[graph]
        path = inputs.real(graph, options.data)
        if path is None:
            missing.append(graph)
        else:
            methods = [m for group in groups.values() for m in group]
            graphs[graph] = {m.title: harness.measure(m, graph, path, k, options) for m in methods}
    sections = ["NC / ARI / seconds.", *tables(groups, graphs, summary)]
    if missing:
        sections.append(f"Not in the data folder ({options.data}): {', '.join(missing)}.")
    return Report(
        f"Ablation: medians over {options.seeds} seeds",
        sections,
        [o for found in graphs.values() for o in found.values()],
        ("nc", "ari", "seconds"),
        page="\n\n".join(tables(groups, graphs, scores)) if graphs else "",
    )


def tables(groups, graphs, text):
    """A heading and a table for each group of methods; `text` makes a cell of an outcome."""
    header = ["setting"] + [f"{graph}, k = {GRAPHS[graph]}" for graph in graphs]
    sections = []
    for name, methods in groups.items():
        rows = [[parameters(m.title), *(text(found[m.title]) for found in graphs.values())] for m in methods]
        if rows:
            sections.append(f"**{name}**\n\n" + table(header, rows))
    return sections


def title(setting):
    """Name of a setting: what differs from the default."""
    return ", ".join(f"{name}={value!r}" for name, value in setting.items()) or "default"


def parameters(text):
    """A title with every parameter as code, so that it can be wrapped between them."""
    return ", ".join(f"`{part}`" for part in text.split(", "))


def summary(outcome):
    """NC / ARI / seconds, or why there are none."""
    if outcome.status != "ok":
        return outcome.status
    scores = [score_cell(outcome.median(name)) for name in ("nc", "ari")]
    return " / ".join([*scores, cell(outcome.median("seconds"))])


def scores(outcome):
    """NC and ARI to three places, or why there are none."""
    if outcome.status != "ok":
        return outcome.status
    # Without leading zeros, so that six graphs fit beside each other.
    values = [f"{outcome.median(name):.3f}".replace("-0.000", "0.000").replace("0.", ".", 1) for name in ("nc", "ari")]
    return "\N{NO-BREAK SPACE}".join(values)
