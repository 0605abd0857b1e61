"""Detectability of planted clusters: ARI of efforts and of belief propagation around the threshold.

Planted clusters of one size, with equal and with uneven expected degrees. Belief propagation is given all parameters of
the graphs; graphcore is given k only. ``--page docs/tables/detectability.md`` writes the table of the docs.
"""

import numpy as np

from .. import harness
from ..belief_propagation import marginals
from ..harness import Method
from ..report import Report, table
from ..vectors import agreement, over_seeds, spread

SEEDS = 2
# Clusters and nodes of each; belief propagation takes k numbers for every edge.
SIZES = {2: 1000, 10: 250, 100: 60, 500: 60}
MOST_EXPLORED, MOST_DEGREES = 10, 100
DEGREES, FEW_DEGREES = (4, 8, 16), (8,)
# Uneven degrees: a power law whose largest is ten times its smallest.
EXPONENT, DEGREE_RATIO, UNEVEN_DEGREES = 2.5, 10.0, (8,)
RATIOS = (1, 1.5, 2, 4)
LEAST_MIXING = 0.1
METHODS = [
    Method("BP from the truth", "truth"),
    Method("BP", "random"),
    *(Method(effort, effort, "graphcore") for effort in ("fast", "default", "high")),
]
# Methods that are not run for more than ten clusters.
LONG = ("truth", "random", "high")


def run(options):
    """Measure each kind of graph and ratio of signal to threshold, a row for each."""
    graphs = {f"k = {k}, {kind} degrees, mean {mean}": (k, kind, mean)
              for k in SIZES for kind, means in (("equal", DEGREES), ("uneven", UNEVEN_DEGREES))
              for mean in (means if k <= MOST_DEGREES else FEW_DEGREES)}  # fmt: skip
    outcomes, rows = [], []
    methods = harness.chosen(METHODS, options)
    for name in harness.wanted(graphs, options, [g for g in graphs if "k = 100" in g or "k = 500" in g]):
        k, kind, mean = graphs[name]
        for ratio in RATIOS:
            mixing = 1.0 - np.sqrt(ratio / excess_degree(expected_degrees(k, kind, mean, 0)))
            if mixing < LEAST_MIXING:
                continue
            cells = []
            for method in methods:
                if k > MOST_EXPLORED and method.name in LONG:
                    cells.append("-")
                    continue

                def find(seed, method=method, graph=(k, kind, mean), ratio=ratio):
                    return found(method.name, *graph, ratio, seed, options.threads)

                outcomes.append(over_seeds(method.title, f"{name}, ratio {ratio}", find, _score, options.seeds))
                cells.append(spread(outcomes[-1], "ari", 2))
            rows.append([str(k), kind, str(mean), f"{ratio:g}", f"{mixing:.2f}", *cells])
    header = ["k", "degrees", "mean degree", "signal / threshold", "mixing", *(m.title for m in methods)]
    sections = [table(header, rows)] if rows else []
    return Report(f"Detectability: ARI, means and deviations over {options.seeds} seeds", sections, outcomes, ("ari",),
                  page="".join(sections))  # fmt: skip


def _score(labels_and_truth):
    return {"ari": agreement(*labels_and_truth)["ari"]}


def expected_degrees(k, kind, mean, seed):
    """Return the expected degrees of all nodes, in random order."""
    n = k * SIZES[k]
    places = (np.arange(n) + 0.5) / n
    power = 1.0 - EXPONENT
    values = (1.0 - places * (1.0 - DEGREE_RATIO**power)) ** (1.0 / power) if kind == "uneven" else np.ones(n)
    return np.random.default_rng(seed).permutation(values * (mean / values.mean()))


def excess_degree(expected):
    """Return the mean excess degree: the threshold is where (1 - mixing)^2 times it is 1.

    Kesten and Stigum's bound, for degree-corrected clusters as in Gulikers, Lelarge, Massoulie, "An impossibility
    result for reconstruction in the degree-corrected stochastic block model", Annals of Applied Probability 28 (2018).
    """
    return float((expected**2).sum() / expected.sum())


def found(name, k, kind, mean, ratio, seed, threads):
    """Return the labels by a method, and the truth, of the nodes that have an edge."""
    import graphcore

    expected = expected_degrees(k, kind, mean, seed)
    mixing = 1.0 - np.sqrt(ratio / excess_degree(expected))
    graph, truth = graphcore.datasets.degree_corrected_partition(
        k, SIZES[k], mixing=mixing, expected_degrees=expected, random_state=seed
    )[:2]
    if name in ("truth", "random"):
        start = truth if name == "truth" else None
        labels = marginals(graph.indptr, graph.indices, expected, k, mixing, start=start, rng=seed)[0].argmax(axis=1)
    else:
        labels = graphcore.CoresetSpectralClustering(k, effort=name, random_state=seed, n_jobs=threads).fit_predict(
            graph
        )
    linked = graph.degrees > 0
    return labels[linked], truth[linked]
