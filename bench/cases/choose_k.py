"""Choosing k: the choices of each method of select_n_clusters where k is known, and its seconds beside a fit's.

``--page docs/tables/choose_k.md`` writes both tables for the docs.
"""

from collections import Counter
from dataclasses import replace

from .. import harness, inputs
from ..harness import Method
from ..report import Report, table

SEEDS = 5
FIT = Method("fit", "cluster", "graphcore")
METHODS = [
    Method(name, "choose", "graphcore", {"method": name})
    for name in ("information", "description-length", "eigengap", "penalty")
]
# Number of classes; None where there are none, and a fit is made with 100 clusters.
GRAPHS = {
    "planted-5": 5,
    "planted-20": 20,
    "planted-100": 100,
    "digits": 10,
    "pendigits-nn10": 10,
    "pendigits-nn250": 10,
    "mnist-nn10": 10,
    "har": 6,
    "letter-nn10": 26,
    "email": 42,
    "dblp": None,
}
LARGE = ("mnist-nn10", "dblp")
_FIT_WITHOUT_CLASSES = 100
# Nodes of a planted block; a node has 15 edges inside its block and 5 to others in the mean.
_BLOCK, _INSIDE, _OUTSIDE = 200, 15, 5
_PLANTED_SEEDS = 10


def run(options):
    """Measure every method on every graph."""
    methods = [FIT, *harness.chosen(METHODS, options)]
    graphs, missing = {}, []
    for graph in harness.wanted(GRAPHS, options, LARGE):
        path = _path(graph, options)
        if path is None:
            missing.append(graph)
            continue
        k = GRAPHS[graph] or _FIT_WITHOUT_CLASSES
        given = replace(options, seeds=_PLANTED_SEEDS) if graph.startswith("planted") else options
        graphs[graph] = {
            m.title: harness.measure(m, graph, path, k, given, **({} if m is FIT else {"score": score}))
            for m in methods
        }
    tables = [
        '**Numbers picked, and how many seeds picked each**; "?" where `clear` is False\n\n'
        + _table(["graph", "classes"], methods[1:], graphs, pick),
        "**CPU seconds** of a fit with that k (100 for dblp) and of each choice\n\n"
        + _table(["graph"], methods, graphs, lambda found: found.median("cpu_seconds")),
    ]
    sections = list(tables) if graphs else []
    sections += options.absent(missing)
    return Report(
        f"Choosing k: {options.seeds} seeds ({_PLANTED_SEEDS} for planted graphs), medians of seconds",
        sections,
        [o for found in graphs.values() for o in found.values()],
        ("seconds",),
        page="\n\n".join(tables) if graphs else "",
    )


def score(path, run, k, own_k):
    """Return the number chosen, and whether it is clear."""
    return {"best": int(run["best"]), "clear": int(run["clear"])}


def pick(outcome):
    """Return the numbers chosen with their counts, the most frequent first."""
    if outcome.status != "ok":
        return outcome.status
    found = Counter((row["best"], row["clear"]) for row in outcome.scores)
    ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    texts = [
        f"{best}{'?' if clear == 0 else ''}" + (f" ({n})" if len(found) > 1 else "") for (best, clear), n in ordered
    ]
    return ", ".join(texts)


def _table(header, methods, graphs, text):
    """Return a row for each graph, a column for each method; with a second heading, the number of classes."""
    rows = []
    for graph, found in graphs.items():
        classes = ["-" if GRAPHS[graph] is None else GRAPHS[graph]]
        rows.append([graph, *classes[: len(header) - 1], *(text(found[m.title]) for m in methods)])
    return table([*header, *(m.title for m in methods)], rows)


def _path(graph, options):
    if graph == "digits":
        return inputs.digits()
    if graph.startswith("planted"):
        k = GRAPHS[graph]
        return inputs.planted(k, _BLOCK, _INSIDE / _BLOCK, _OUTSIDE / (_BLOCK * (k - 1)))
    return inputs.real(graph, options.data)
