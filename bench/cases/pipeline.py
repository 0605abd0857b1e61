"""The five stages alone, without moves, beside the default; and the power method beside exact eigenvectors.

``--page docs/tables/pipeline.md`` writes the tables of the docs.
"""

import numpy as np

import graphcore

from .. import harness, inputs, scoring
from ..harness import Method
from ..report import Report, page, score_cell, table
from ..vectors import over_seeds
from . import quality
from .ablation import Variant

SEEDS = 3
DENSE = {"pendigits-nn250": 10, "letter-nn300": 26, "har": 6, "planted 50 x 1,000": 50}
SPARSE = {name: k for name, k in quality.GRAPHS.items()
          if name not in ("pendigits-nn250", "letter-nn300", "planted 250 x 1,000", "dblp")}  # fmt: skip
LARGE = (*quality.LARGE, "letter-nn300", "planted 50 x 1,000")
METHODS = [
    Method("contracted", "stages_alone", "graphcore"),
    Method("induced, as published", "cluster", "graphcore", {"published": True}),
    Method("default", "cluster", "graphcore"),
    Method("scikit-learn", "sklearn", params={"assign_labels": "kmeans"}),
]
SHARES = (0.02, 0.1)
VECTORS = "spectral.power._VECTORS"
EMBEDDINGS = {
    "exact": (),
    "1, no QR": ((VECTORS, 1), ("spectral.power._orthonormal", lambda X, *_: X)),
    **{str(number): ((VECTORS, number),) for number in (1, 2, 3, 4)},
}


def run(options):
    """Measure ARI and NC of the methods on sparse graphs, and NC of each embedding of induced coreset graphs."""
    outcomes, embedded, missing = [], [], []
    for name in harness.wanted(SPARSE, options, LARGE):
        if (path := quality.graph_path(name, options.data)) is None:
            missing.append(name)
        else:
            outcomes += harness.measure_all(METHODS, name, path, SPARSE[name], options, too_slow=quality.TOO_SLOW)
    sections = [scores(outcomes, what) for what in ("ari", "nc")] if outcomes else []
    for name in harness.wanted(DENSE, options, LARGE):
        is_planted = name.startswith("planted")
        path = inputs.planted(50, 1000, 0.5, 0.001 / 50) if is_planted else inputs.real(name, options.data)
        if path is None:
            missing.append(name)
        else:
            embedded += [embeddings(name, path, share, options) for share in SHARES]
    sections += [cuts(embedded)] if embedded else []
    return Report(
        f"The pipeline: medians over {options.seeds} seeds", sections + options.absent(sorted(set(missing))),
        sum(embedded, outcomes), ("nc", "ari"), page=page(sections),
    )  # fmt: skip


def scores(outcomes, what):
    """Return medians, a row for each graph, and their means over the graphs where all methods ran."""
    titles = list(dict.fromkeys(o.method.title for o in outcomes))
    rows: dict = {}
    for o in outcomes:
        rows.setdefault((o.graph, o.k), []).append(o.median(what))
    whole = [row for row in rows.values() if None not in row]
    if whole:
        rows[f"mean of the {len(whole)} graphs where all ran", ""] = np.mean(whole, axis=0)
    lines = [[*graph, *map(score_cell, row)] for graph, row in rows.items()]
    return f"## {what.upper()}\n\n" + table(["graph", "k", *titles], lines)


def embeddings(name, path, share, options):
    """Measure each embedding of the graphs induced by this share of the nodes."""
    indptr, indices, _ = scoring.load(path)
    graph, k = graphcore.Graph(indptr, indices, check=False), DENSE[name]
    params, found = (("coreset_graph", "induced"), ("coreset_size", share), ("eigen_solver", "exact")), []
    for title, patches in EMBEDDINGS.items():
        variant = Variant(title, params if title == "exact" else params[:-1], patches, alone=True)
        found.append(over_seeds(
            title, f"{name}, {100 * share:.0f} %", lambda seed, of=variant: of.fit(graph, k, seed, options.threads),
            lambda labels: {"nc": scoring.normalized_cut(indptr, indices, labels, k)}, options.seeds,
        ))  # fmt: skip
        found[-1].k = k
    return found


def cuts(embedded):
    """Return NC and CPU seconds, a row for each graph and share, and the mean ratio of NC to that by eigenvectors."""
    lines = [[found[0].graph, found[0].k, *(f"{score_cell(o.median('nc'))}, {o.median('cpu_seconds'):.2f} s"
                                            for o in found)] for found in embedded]  # fmt: skip
    cut = np.array([[o.median("nc") for o in found] for found in embedded])
    lines.append(["mean, exact is 1", "", *(f"{value:.3f}" for value in (cut / cut[:, :1]).mean(axis=0))])
    heading = "## NC by induced coreset graphs: eigenvectors, and vectors of the power method for each doubling of k"
    return f"{heading}\n\n{table(['graph, coreset', 'k', *EMBEDDINGS], lines)}"
