"""Each piece of graphcore on and off, with uniform, degree and importance sampling beside it: NC, ARI, seconds.

Settings are dicts of the parameters of CoresetSpectralClustering; ``--settings`` takes another list of them as JSON.
"""

from .. import harness, inputs
from ..harness import Method
from ..report import Report, cell, score_cell, table

SEEDS = 5
GRAPHS = {"har": 6, "pendigits-nn10": 10, "pendigits-nn250": 10, "mnist-nn10": 10, "fbpages": 4, "email": 42}
LARGE = ("mnist-nn10",)
PUBLISHED = {"preset": "published"}
SETTINGS = [
    {},
    {"objective": "ncut"},
    {"n_coresets": 1},
    {"n_coresets": 1, "refine": False},
    {"n_coresets": 1, "overcluster": 1.0},
    {"n_coresets": 1, "overcluster": 3.0},
    {"n_coresets": 1, "overcluster": 1.0, "refine": False},
    {"walk_steps": 1},
    {"walk_steps": 4},
    {"walk_steps": 8},
    {"sampling": "uniform"},
    {"sampling": "importance"},
    PUBLISHED,
    {**PUBLISHED, "sampling": "degree"},
    {**PUBLISHED, "sampling": "uniform"},
    {**PUBLISHED, "sampling": "degree", "refine": True},
    {**PUBLISHED, "sampling": "degree", "overcluster": 3.0, "refine": True},
]


def run(options):
    """Measure every setting on every graph."""
    settings = SETTINGS if options.settings is None else options.settings
    methods = harness.chosen([Method(title(s), "cluster", "graphcore", s) for s in settings], options)
    graphs = {}
    missing = []
    for graph in harness.wanted(GRAPHS, options, LARGE):
        k = GRAPHS[graph]
        path = inputs.real(graph, options.data)
        if path is None:
            missing.append(graph)
        else:
            graphs[graph] = [harness.measure(method, graph, path, k, options) for method in methods]
    header = ["setting"] + [f"{graph} (k = {GRAPHS[graph]})" for graph in graphs]
    rows = [[m.title, *(summary(found[i]) for found in graphs.values())] for i, m in enumerate(methods)]
    sections = ["NC / ARI / seconds.\n\n" + table(header, rows)]
    if missing:
        sections.append(f"Not in the data folder ({options.data}): {', '.join(missing)}.")
    outcomes = [o for found in graphs.values() for o in found]
    return Report(f"Ablation: medians over {options.seeds} seeds", sections, outcomes, ("nc", "ari", "seconds"))


def title(setting):
    """Name of a setting: what differs from the default."""
    return ", ".join(f"{name}={value}" for name, value in setting.items()) or "default"


def summary(outcome):
    """NC / ARI / seconds, or why there are none."""
    if outcome.status != "ok":
        return outcome.status
    scores = [score_cell(outcome.median(name)) for name in ("nc", "ari")]
    return " / ".join([*scores, cell(outcome.median("seconds"))])
