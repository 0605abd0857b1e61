"""Choices of ``n_clusters="auto"`` where the number of clusters is known, and the share of clear choices that are
right.

Right is within a factor 1.25. The sets are in two halves, by their names: the rule for "clear" was chosen on one, and
its accuracy is measured on the other.
``--page docs/tables/known_k.md`` writes the table of the docs.
"""

import numpy as np

from .. import harness, known_k
from ..report import Report, table
from ..vectors import over_seeds

SEEDS = 5
LARGE = ("mnist-nn10", "lfr-50000-0.3", "embeddings 10")
RIGHT = 1.25
HALVES = ("calibration", "held out")


def run(options):
    """Measure each set, and sum up each half and kind; seeds draw generated sets anew."""
    import graphcore

    outcomes, missing = [], []
    for name in harness.wanted([*known_k.GENERATED, *known_k.REAL], options, LARGE):
        if known_k.draw(name, 0, options.data) is None:
            missing.append(name)
            continue

        def choose(seed, name=name):
            X, k = known_k.draw(name, seed, options.data)
            return graphcore.select_n_clusters(X, random_state=seed, n_jobs=options.threads), k

        outcomes.append(over_seeds("auto", name, choose, score, options.seeds))
    outcomes.sort(key=lambda outcome: known_k.half(outcome.graph))
    header = ["half", "sets", "within 1.25", "within 2", "called clear", "of these within 1.25"]
    rows = []
    for half in HALVES:
        of_half = [o for o in outcomes if known_k.half(o.graph) == half]
        real, generated = ([o for o in of_half if o.graph in kind] for kind in (known_k.REAL, known_k.GENERATED))
        for title, some in ((half, of_half), (f"{half}, real", real), (f"{half}, generated", generated)):
            rows.append([title, *counted(some)])
    picks = [[known_k.half(o.graph), o.graph, *picked(o)] for o in outcomes]
    sections = [table(header, rows), table(["half", "set", "clusters", "chosen", "clear", "clear and right"], picks)]
    return Report(
        f"Known numbers of clusters: {options.seeds} seeds", [*sections, *options.absent(missing)], outcomes,
        page="\n\n".join(sections) if outcomes else "",
    )  # fmt: skip


def score(found):
    """Return the numbers, known and chosen, and the verdict."""
    choice, k = found
    factor = max(choice.best / k, k / choice.best)
    return {"k": k, "best": choice.best, "clear": bool(choice.clear), "right": factor <= RIGHT, "within 2": factor <= 2}


def counted(outcomes):
    """Return the number of sets, and shares of them; each set counts once, whatever its number of seeds."""

    def of(*names):
        return sum(np.mean([all(row[name] for name in names) for row in o.scores]) for o in outcomes)

    clear = of("clear")
    shares = (of(name) / max(len(outcomes), 1) for name in ("right", "within 2", "clear"))
    return [
        len(outcomes), *(f"{share:.2f}" for share in shares), f"{of('clear', 'right') / clear:.3f}" if clear else "-",
    ]  # fmt: skip


def picked(outcome):
    """Return the numbers known, chosen, and how many choices were clear, and right too."""
    known, chosen = ([row[name] for row in outcome.scores] for name in ("k", "best"))
    clear = [row for row in outcome.scores if row["clear"]]
    spans = [f"{min(v)}" if min(v) == max(v) else f"{min(v)} to {max(v)}" for v in (known, chosen)]
    return [*spans, len(clear), sum(row["right"] for row in clear)]
