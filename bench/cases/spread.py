"""Variation between seeds: J and ARI of the default and of the best effort over many seeds; METIS beside them.

``--page docs/tables/spread.md`` writes the table of the docs.
"""

import numpy as np

from .. import harness, inputs
from ..harness import Method
from ..report import Report, score_cell, table
from ..vectors import spread

SEEDS = 20
GRAPHS = {"digits": 10, "pendigits-nn10": 10, "har": 6, "email": 42, "fbpages": 4, "letter-nn10": 26, "mnist-nn10": 10}
LARGE = ("letter-nn10", "mnist-nn10")
METHODS = [
    Method("default", "cluster", "graphcore"),
    Method("best, 3 s", "cluster", "graphcore", {"effort": "best", "time_limit": 3.0}),
    Method("METIS", "metis"),
]
# J is that of the best known if it is less than this share below it.
SAME = 1e-4


def run(options):
    """Measure each graph and method, a row for each."""
    outcomes, rows = [], []
    for graph in harness.wanted(GRAPHS, options, LARGE):
        path = inputs.digits() if graph == "digits" else inputs.real(graph, options.data)
        if path is None:
            continue
        found = [harness.measure(m, graph, path, GRAPHS[graph], options) for m in harness.chosen(METHODS, options)]
        best = max((row["j"] for o in found for row in o.scores), default=np.nan)
        rows += [[graph, str(GRAPHS[graph]), o.method.title, *_cells(o, best)] for o in found]
        outcomes += found
    header = ["graph", "k", "method", "seeds", "J", "its deviation", "lowest", "highest", "seeds with the best known",
              "ARI"]  # fmt: skip
    sections = [table(header, rows)] if rows else []
    return Report(f"Spread over {options.seeds} seeds", sections, outcomes, ("j", "ari"), page="".join(sections))


def _cells(outcome, best):
    """Return mean, deviation, lowest and highest J, how many reach the best known, and ARI."""
    values = np.array([row["j"] for row in outcome.scores])
    if not len(values):
        return [outcome.remark, *["-"] * 6]
    share = f"{np.count_nonzero(values >= best * (1 - SAME))} of {len(values)}"
    return [str(len(values)), *map(score_cell, (values.mean(), values.std(), values.min(), values.max())), share,
            spread(outcome, "ari")]  # fmt: skip
