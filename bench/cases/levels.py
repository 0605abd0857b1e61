"""Loss of the objective and cost of nested levels, beside a fit with each number of clusters alone."""

import numpy as np

import graphcore

from .. import harness, inputs, scoring
from ..harness import Method
from ..report import Report, table
from ..vectors import over_seeds

SEEDS = 2
LEVELS = [10, 100, 1000]
GRAPHS = {
    "cnr-2000, pages of a web site": lambda data: inputs.web("cnr-2000", data),
    "MNIST, 10 nearest neighbours": lambda data: inputs.real("mnist-nn10", data),
    "com-DBLP": lambda data: inputs.real("dblp", data),
    "LFR, 50,000 nodes": lambda data: inputs.real("lfr-50000-0.3", data),
}


def run(options):
    """Measure each graph, a row for each."""
    rows, outcomes, missing = [], [], []
    for name in harness.wanted(GRAPHS, options):
        path = GRAPHS[name](options.data)
        if path is None:
            missing.append(name)
            continue
        with np.load(path) as file:
            graph = graphcore.Graph(file["indptr"], file["indices"])
        graphcore.CoresetSpectralClustering(LEVELS, random_state=0).fit(graph)  # loops are compiled, or read
        together, *alone = (_fitted(name, graph, asked, options) for asked in (LEVELS, *LEVELS))
        outcomes += [together, *alone]
        shares = [
            np.mean([a[f"J {k}"] / b[f"J {k}"] for a, b in zip(together.scores, own.scores, strict=True)])
            for k, own in zip(LEVELS, alone, strict=True)
        ]
        cost = np.median(together.cpu_seconds) / np.median(alone[-1].cpu_seconds)
        rows.append([name, *(f"{share:.3f}" for share in shares), f"{cost:.1f} x"])
    header = ["graph", *(f"{k:,}" for k in LEVELS), f"CPU of a fit with {LEVELS[-1]:,} clusters"]
    title = f"Nested levels: means over {options.seeds} seeds"
    return Report(title, [table(header, rows), *options.absent(missing)], outcomes)


def _fitted(name, graph, asked, options):
    def fit(seed):
        return graphcore.CoresetSpectralClustering(asked, random_state=seed, n_jobs=options.threads).fit(graph)

    def score(model):
        levels = model.level_labels_
        return {
            f"J {k}": scoring.information(graph.indptr, graph.indices, level, k)
            for level, k in ((level, int(level.max()) + 1) for level in levels)
        }

    outcome = over_seeds(str(asked), name, fit, score, options.seeds)
    outcome.method = Method(str(asked), "levels", "graphcore")
    return outcome
