"""Vectors to labels, beside scikit-learn's own kNN graph and spectral clustering of it.

graphcore's neighbours come from `knn_graph`; its compilation belongs to the warm-up, which is shown apart.
"""

from .. import harness, inputs, scoring
from ..harness import Method
from ..report import Report, factor_cells, score_cell, table, verdict

SEEDS = 3
ROOMS = ("base", "graphs", "neighbors", "kernels", "cluster")
N_NEIGHBORS = 10
# Vectors: k, and the search. That of MNIST is what "auto" takes, named so that the warm-up compiles it. The small sets
# are for trials, and have no targets.
GRAPHS = {"mnist": (10, "approximate"), "pendigits": (10, "auto"), "digits": (10, "auto")}
LARGE = ("mnist",)
THEIRS = "sklearn, cluster_qr"
SPEED = 5.0


def methods(algorithm):
    """Return scikit-learn's method and graphcore's."""
    search = {"n_neighbors": N_NEIGHBORS, "algorithm": algorithm}
    return [
        Method("graphcore", "cluster_vectors", "graphcore", search),
        Method(THEIRS, "sklearn_vectors", params={"n_neighbors": N_NEIGHBORS}),
    ]


def run(options):
    """Measure all sets of vectors."""
    outcomes, sections, missing = [], [], []
    for name in harness.wanted(GRAPHS, options, LARGE):
        k, algorithm = GRAPHS[name]
        path = inputs.labelled_vectors(name, options.data)
        if path is None:
            missing.append(name)
            continue
        wanted = harness.chosen(methods(algorithm), options)
        found = [harness.measure(m, name, path, k, options, score=scoring.score_vectors) for m in wanted]
        if found:
            sections.append(section(name, found))
        outcomes += found
    sections += options.absent(missing)
    return Report(f"kNN path: medians over {options.seeds} runs", sections, outcomes, ("seconds", "ari"))


def section(name, found):
    """Return tables of the methods, of graphcore's parts, and of the targets."""
    header = ["method", "s", "CPU s", "warm-up, s", "MB above the vectors", "ARI", "NMI", "clusters", "outcome"]
    rows = []
    for o in found:
        seconds = [o.median("seconds"), o.median("cpu_seconds"), o.warm_up_seconds]
        scores = [score_cell(o.median("ari")), score_cell(o.median("nmi")), o.median("clusters")]
        rows.append([o.method.title, *seconds, o.median("megabytes"), *scores, o.remark])
    parts = [[o.method.title, part, o.median(part)] for o in found if o.parts for part in o.parts[0]]
    text = f"## {name}, {N_NEIGHBORS} neighbours, k = {found[0].k}"
    tables = [table(header, rows), table(["method", "part", "s"], parts), targets(found, name in LARGE)]
    return "\n\n".join([text, *filter(None, tables)])


def targets(found, aimed):
    """Return a table of graphcore's targets, where `aimed`: a fifth of the seconds, and no lower ARI."""
    theirs = next((o for o in found if o.method.title == THEIRS), None)
    rows = []
    for o in found if theirs else ():
        if o is theirs:
            continue
        stopped = theirs.status != "ok"
        speed = factor_cells(o.median("seconds"), theirs.seconds_at_least(), SPEED if aimed else None, stopped=stopped)
        rows.append([o.method.title, "times as fast as scikit-learn", *speed])
        ours, least = o.median("ari"), theirs.median("ari")
        holds = None if not aimed or ours is None or least is None else ours >= least
        rows.append(
            [o.method.title, "ARI (beside scikit-learn's)", score_cell(ours), score_cell(least), verdict(holds)]
        )
    return table(["method", "measure", "measured", "at least", "holds"], rows) if rows else ""
