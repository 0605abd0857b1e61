"""Loss of J by stage, below the best known; and the normalised cut beside exact spectral clustering.

The best known is the highest J of all efforts and seeds, and of the known classes after moves of single nodes.
``--page docs/tables/losses.md`` writes the tables of the docs.
"""

from functools import partial

import numpy as np

from .. import harness, inputs
from ..lfr import lfr
from ..report import Report, page, score_cell, table
from ..scoring import load, normalized_cut
from ..vectors import over_seeds

SEEDS = 2
PLANTED = {"planted, k 100, 40 % outside": 0.4, "planted, k 100, 60 % outside": 0.6}
LFR = {f"LFR {n:,}, mu {mixing:g}": (n, mixing)
       for n, mixing in ((1000, 0.3), (5000, 0.1), (5000, 0.3), (5000, 0.4), (5000, 0.5), (5000, 0.6))}  # fmt: skip
REAL = {"lfr-10000-0.3": 120, "pendigits-nn10": 10, "letter-nn10": 26, "har": 6, "email": 42, "fbpages": 4}
# Exact eigenvectors of whole graphs.
EXACT = {"karate": 2, **{name: REAL[name] for name in ("email", "har", "letter-nn10", "pendigits-nn10", "fbpages")}}
LARGE = ("lfr-10000-0.3", "letter-nn10", "fbpages")
# Seconds of the best effort, which has one seed.
SECONDS_OF_J, SECONDS_OF_CUTS = 10.0, 10.0
EFFORTS = ("fast", "default", "high", "best")
STAGES = ("draft", "moves", "cycles", "2 drafts recombined")


def run(options):
    """Measure two tables: J by stage, and NC of the normalised cut."""
    outcomes, rows, cuts, missing = [], [], [], []
    for title, graphs, add, found in (("J", [*PLANTED, *LFR, *REAL], losses, rows), ("NC", EXACT, pure_cut, cuts)):
        for name in harness.wanted(graphs, options, LARGE):
            if name in REAL and inputs.real(name, options.data) is None:
                missing.append(name)
                continue
            made = add(name, options)
            outcomes += made
            found.append([name, *(_row_of_losses(made) if title == "J" else _row_of_cuts(made))])
    sections = []
    if rows:
        header = ["graph", "k", "J, best known", "cells", "draft", "moves", "cycles = fast",
                  "2 drafts", "default", "high", "best", "classes, moved"]  # fmt: skip
        sections.append("## Per cent of J below the best known\n\n" + table(header, rows))
    if cuts:
        header = ["graph", "k", *EFFORTS, "exact spectral"]
        sections.append('## NC of `objective="ncut"`\n\n' + table(header, cuts))
    sections += options.absent(sorted(set(missing)))
    return Report(f"Losses: means over {options.seeds} seeds", sections, outcomes,
                  ("j", "nc"), page=page([s for s in sections if s.startswith("##")]))  # fmt: skip


def drawn(name, data):
    """Return (graph, known classes or None, number of clusters)."""
    import graphcore
    from graphcore import datasets

    if name == "karate":
        found = datasets.load_karate()
        return found.graph, found.labels, EXACT[name]
    if name in PLANTED:
        return *datasets.degree_corrected_partition(100, 100, mean_degree=10, mixing=PLANTED[name], random_state=0)[
            :2
        ], 100
    if name in LFR:
        n, mixing = LFR[name]
        found = lfr(n, mixing=mixing, average_degree=8, random_state=0)
        return found.graph, found.labels, int(found.labels.max()) + 1
    indptr, indices, truth = load(inputs.real(name, data))
    return graphcore.Graph(indptr, indices, check=False), truth, REAL[name]


def losses(name, options):
    """Measure each effort, whose scores have J, and its stages; and of the classes, where they are `k`."""
    graph, truth, k = drawn(name, options.data)
    models = []

    def fit(seed, effort):
        models.append(fitted(graph, k, effort, SECONDS_OF_J, seed, n_jobs=options.threads))
        return models[-1]

    def score(model):
        return {
            "k": k,
            "j": value(graph, model.labels_, k),
            **{s: j for s, j in model.clustering_.history if s in STAGES},
        }

    outcomes = [
        over_seeds(effort, name, partial(fit, effort=effort), score, 1 if effort == "best" else options.seeds)
        for effort in EFFORTS[1:]
    ]
    known = max((m.labels_ for m in models), key=lambda labels: value(graph, labels, k))
    targets = [known]
    if truth is not None and len(np.unique(truth[truth >= 0])) == k:
        targets.append(moved(graph, truth, k))
        outcomes.append(
            over_seeds("classes", name, lambda _: targets[1], lambda found: {"j": value(graph, found, k)}, 1)
        )
    defaults = models[: options.seeds]
    for model, scores in zip(defaults, outcomes[0].scores, strict=True):
        cells = model.clustering_.cells
        scores["cells"] = max((reached(graph, cells, labels, k) for labels in targets), default=np.nan)
    return outcomes


def fitted(graph, k, effort, seconds, seed, **asked):
    """Fit a model at balance 1, so that all have one objective; the best effort ends after `seconds`."""
    import graphcore

    asked = {"balance": 1.0, "time_limit": seconds if effort == "best" else None} | asked
    return graphcore.CoresetSpectralClustering(k, effort=effort, random_state=seed, **asked).fit(graph)


def value(graph, labels, k):
    """Return the objective J of labels."""
    from graphcore.cluster.refine.problem import cluster_sums

    return float(cluster_sums(graph.rows, np.asarray(labels, dtype=np.int32), k).value("information"))


def moved(graph, labels, k):
    """Move single nodes until no move raises J, and return labels; nodes without an edge have none."""
    from graphcore.cluster.refine.moves import move_locally
    from graphcore.cluster.refine.problem import Problem

    labels = np.unique(labels, return_inverse=True)[1].astype(np.int32)
    labels[graph.degrees == 0] = -1
    move_locally(Problem(graph.rows, k), labels)
    return labels


def reached(graph, groups, labels, k):
    """Return J of the best known partition of groups (n,): groups take their largest cluster, then move."""
    from graphcore.cluster.refine.moves import move_locally
    from graphcore.cluster.refine.problem import Problem

    if groups is None:
        return np.nan
    problem, n_groups = Problem(graph.rows, k), int(groups.max()) + 1
    linked = groups >= 0
    volumes = np.zeros((n_groups, k))
    np.add.at(volumes, (groups[linked], labels[linked]), problem.rows.degrees[linked])
    of_groups = volumes.argmax(axis=1).astype(np.int32)
    sums, _ = move_locally(problem.between(groups, n_groups), of_groups)
    return float(sums.value("information"))


def _row_of_losses(outcomes):
    """Return the best known J, and the mean loss of each stage, effort and the classes, in per cent."""
    by_name = {o.method.title: o.scores for o in outcomes}
    best = max(row["j"] for o in outcomes for row in o.scores)

    def below(rows, what):
        values = [row[what] for row in rows if what in row]
        return f"{100 * (1 - np.mean(values) / best):.2f}" if values else "-"

    stages = [below(by_name["default"], what) for what in ("cells", *STAGES, "j")]
    efforts = [below(by_name[effort], "j") for effort in ("high", "best")]
    return [
        str(by_name["default"][0]["k"]),
        score_cell(best),
        *stages,
        *efforts,
        below(by_name.get("classes", []), "j"),
    ]


def pure_cut(name, options):
    """Measure NC of every effort, and of k-means on unscaled exact eigenvectors of the whole graph.

    Rows of length 1 have a higher NC here.
    """
    from graphcore.cluster.spectral import kmeans_labels, spectral_embedding

    graph, _, k = drawn(name, options.data)

    def fit(seed, effort):
        return fitted(graph, k, effort, SECONDS_OF_CUTS, seed, objective="ncut", n_jobs=options.threads).labels_

    def score(labels):
        return {"k": k, "nc": normalized_cut(graph.indptr, graph.indices, labels, k)}

    outcomes = [
        over_seeds(effort, name, partial(fit, effort=effort), score, 1 if effort == "best" else options.seeds)
        for effort in EFFORTS
    ]
    matrix = graph.to_scipy().astype(float)

    def exact(seed):
        return kmeans_labels(spectral_embedding(matrix, k, random_state=seed)[0], k, random_state=seed)

    return [*outcomes, over_seeds("exact", name, exact, score, options.seeds)]


def _row_of_cuts(outcomes):
    return [
        str(outcomes[0].scores[0]["k"]),
        *(score_cell(float(np.mean([s["nc"] for s in o.scores]))) for o in outcomes),
    ]
