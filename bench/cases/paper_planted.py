"""Coreset kernel k-means beside coreset spectral clustering as planted clusters become many (figure 4 of the paper).

Blocks of 1,000 nodes, p = 1/2, q = 0.001/k, a coreset of 1 % by the published importance sampling. The paper finds
kernel k-means useless beyond 50 blocks, and an ARI of the coreset's nodes of about 0.5 for spectral clustering at 250.
"""

from .. import harness, inputs, scoring
from ..harness import Method
from ..report import Panel, Report, curve, table

SEEDS = 20
BLOCKS = (10, 25, 50, 100, 250)
LARGE = (250,)
SHARE = 0.01
METHODS = [
    Method(
        "coreset spectral clustering",
        "construct",
        "graphcore",
        {"size": SHARE, "n_init": 10, "sampling": "importance"},
    ),
    Method(
        "coreset kernel k-means, fast D2, 10 starts",
        "coreset_kernel_kmeans",
        "graphcore",
        {"size": SHARE, "n_init": 10, "seeding": "fast"},
    ),
    Method(
        "coreset kernel k-means, naive D2, 1 start",
        "coreset_kernel_kmeans",
        "graphcore",
        {"size": SHARE, "n_init": 1, "seeding": "naive"},
    ),
]


DRAWN = (("coreset_ari", "ARI of the coreset"), ("ari", "ARI of all nodes"), ("seconds", "s"))


def title(k):
    """Name of the graph of k blocks."""
    return f"planted {k} x 1,000"


def score(path, run, k, own_k):
    """Agreement of all nodes and of the coreset's alone."""
    return scoring.score_run(path, run, k, own_k) | scoring.score_coreset(path, run, k)


def run(options):
    """Measure both on graphs of more and more blocks."""
    names = harness.wanted([title(k) for k in BLOCKS], options, [title(k) for k in LARGE])
    outcomes = []
    for k in BLOCKS:
        if title(k) in names:
            path = inputs.planted(k, 1000, 0.5, 0.001 / k)
            chosen = harness.chosen(METHODS, options)
            outcomes += [harness.measure(m, title(k), path, k, options, score=score) for m in chosen]
    header = ["k", "method", "ARI of the coreset", "ARI of all nodes", "NC", "s", "CPU s", "outcome"]
    rows = [
        [o.k, o.method.title, *(o.median(m) for m in ("coreset_ari", "ari", "nc", "seconds", "cpu_seconds")), o.remark]
        for o in outcomes
    ]
    sections = [table(header, rows)] if rows else []
    return Report(
        f"Collapse of coreset kernel k-means: medians over {options.seeds} seeds",
        sections,
        outcomes,
        ("coreset_ari", "ari"),
        page="\n\n".join(sections),
        curves=[_panel(outcomes, *drawn) for drawn in DRAWN] if outcomes else [],
    )


def _panel(outcomes, measure, label):
    lines = {m.title: curve(outcomes, m.title, measure) for m in METHODS}
    return Panel(f"Planted blocks of 1,000: {label}", "blocks k", label, lines)
