"""Ablation of each step of the method, and other values of each constant: J, ARI and CPU seconds beside the default's.

Steps without a parameter are switched by another value of a name in their module, in this process; a row whose name is
not there any more is left out, with a word. ``--page docs/tables/ablation.md`` writes the first table, of steps.
"""

import importlib
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from unittest import mock

import numpy as np

from .. import harness, inputs
from ..report import Report, page, table
from ..scoring import load, score
from ..vectors import over_seeds, quiet

SEEDS = 2
GRAPHS = {"email": 42, "har": 6, "pendigits-nn10": 10, "letter-nn10": 26, "fbpages": 4, "lfr-10000-0.1": 120,
          "lfr-10000-0.3": 120, "mnist-nn10": 10, "pendigits-nn250": 10, "dblp": 100}  # fmt: skip
# The table of constants leaves it out, as does a --quick run.
LARGE = ("dblp",)
DEFAULT = "default"


@dataclass(frozen=True)
class Variant:
    """The default with something changed: parameters, and names in modules of `graphcore.cluster`."""

    title: str
    params: tuple = ()  # of (name, value)
    patches: tuple = ()  # of (module, name, value)
    seed: int = 0  # the first one
    alone: bool = False  # the function of the five stages, and no moves after it

    @property
    def missing(self):
        """Names of patches that the modules do not have."""
        found = [f"{module}.{name}" for module, name, _ in self.patches if not hasattr(_module(module), name)]
        return ", ".join(found)

    def fit(self, graph, k, seed, n_jobs):
        """Return labels."""
        import graphcore

        with ExitStack() as changed, quiet():
            for module, name, value in self.patches:
                changed.enter_context(mock.patch.object(_module(module), name, value))
            asked = {"random_state": seed + self.seed, "n_jobs": n_jobs} | dict(self.params)
            if self.alone:
                return graphcore.coreset_spectral_clustering(graph, k, **asked).labels
            return graphcore.CoresetSpectralClustering(k, **asked).fit(graph).labels_


def _module(name):
    try:
        return importlib.import_module(f"graphcore.cluster.{name}")
    except ModuleNotFoundError:
        return None


def parameters(**params):
    """Return a variant that has other parameters."""
    return Variant(", ".join(f"`{name}={value!r}`" for name, value in params.items()), tuple(params.items()))


def constant(module, name, *values):
    """Return variants that have another value of one constant."""
    return [Variant(f"{module}.{name} = {value:.3g}", patches=((module, name, value),)) for value in values]


def steps():
    """Return variants of the first table: steps of a draft, of refinement, and the stages without moves."""
    from graphcore.cluster.coreset import sample_coreset
    from graphcore.cluster.refine.improve import move_locally
    from graphcore.cluster.refine.problem import Partition
    from graphcore.cluster.spectral import kmeans_labels

    def by_kmeans(X, n_parts, rng, n_jobs):
        return kmeans_labels(X, n_parts, n_init=1, random_state=rng)

    def switch(title, module, name, value):
        return Variant(title, patches=((module, name, value),))

    def drawn(sampling):
        return lambda *args, **given: sample_coreset(*args, **{**given, "sampling": sampling})

    def stages(title, **params):
        return Variant(title, tuple(params.items()), alone=True)

    return [
        Variant(DEFAULT),
        Variant("the same, other seeds", seed=100),
        switch("coreset: draws by degree", "pipeline", "sample_coreset", drawn("degree")),
        switch("coreset: uniform draws", "pipeline", "sample_coreset", drawn("uniform")),
        switch("cells: no pass of moves", "coreset_graph", "move_locally",
               lambda problem, labels, **_: move_locally(problem, labels, n_passes=0)),
        switch("cells merged, not cut by their spectrum", "pipeline", "PARTS", np.inf),
        switch("parts by k-means", "pipeline", "part_labels", by_kmeans),
        parameters(balance=1.0),
        switch("no labels by kernel distances", "pipeline", "nearest_centroids", lambda rows, labels, *_: labels),
        switch("no cycles", "refine.improve", "move_in_cycles", lambda *_, sums, **__: sums),
        switch("best of the drafts, not recombined", "pipeline", "recombine",
               lambda problem, one, other, *_: max(one, other, key=Partition.rank)),
        switch("no simulated annealing in recombination", "refine.improve", "_SWEEPS", 0),
        *(parameters(effort=drafts) for drafts in (1, 4)),
        stages("stages 1 to 5 alone"),
        stages("the published algorithm: an induced coreset graph", coreset_graph="induced"),
        stages("the published algorithm, drawn by degree", coreset_graph="induced", sampling="degree"),
        Variant("the published algorithm, one vector for each doubling of k", (("coreset_graph", "induced"),),
                (("spectral", "_VECTORS", 1),), alone=True),
    ]  # fmt: skip


def constants():
    """Return variants of the table of constants."""
    return [
        Variant(DEFAULT),
        Variant("the same, other seeds", seed=100),
        *constant("settings", "_MIN_SIZE", 250, 1000),
        *constant("settings", "_NODES_PER_CLUSTER", 20),
        *constant("coreset", "_SHARE", 0.01, 0.1),
        *constant("pipeline", "PARTS", 2, 3, 4, 8),
        *constant("spectral", "_VECTORS", 1, 2, 3, 6),
        *constant("refine.improve", "_MAX_SHARE", 0.6),
        *constant("refine.improve", "_WORTH", 5e-4, 1e-2),
        *constant("refine.improve", "_INNER", 1, 6),
        *constant("refine.improve", "_SWEEPS", 25, 400),
        *constant("refine.improve", "_HOT", 8.0),
        *constant("refine.improve", "_HOT_SHARE", 0.0, 1.0),
        *constant("refine.improve", "_COLD", 0.2, 0.8),
    ]


def run(options):
    """Measure every variant on every graph, in one process."""
    groups = {"Steps": (steps, GRAPHS), "Constants": (constants, [name for name in GRAPHS if name not in LARGE])}
    outcomes, sections = [], []
    for name, (make, graphs) in groups.items():
        variants = [v for v in make() if not options.methods or v.title == DEFAULT or _asked(v, options)]
        for variant in variants:
            if variant.missing:
                print(f"left out: {variant.title}: there is no {variant.missing}", file=sys.stderr)
        variants = [variant for variant in variants if not variant.missing]
        if len(variants) < 2:
            continue
        found = {}
        for graph in harness.wanted(graphs, options, LARGE):
            if inputs.real(graph, options.data) is not None:
                found[graph] = [_measured(v, graph, options) for v in variants]
        outcomes += [o for row in found.values() for o in row]
        if found:
            sections.append(f"## {name}\n\n" + in_the_mean(found))
    absent = options.absent([name for name in GRAPHS if inputs.real(name, options.data) is None])
    title = f"Ablation: means over {options.seeds} seeds"
    return Report(title, [*sections, *absent], outcomes, page=page(sections[:1]))


def _asked(variant, options):
    return any(word.lower() in variant.title.lower() for word in options.methods)


def _measured(variant, name, options):
    """Return an outcome; "refused" if the parameters do not suit the graph."""
    import graphcore
    from graphcore.exceptions import ParameterError

    indptr, indices, truth = load(inputs.real(name, options.data))
    graph, k = graphcore.Graph(indptr, indices, check=False), GRAPHS[name]
    small = graphcore.datasets.planted_partition(10, 150, 8 / 150, 6 / 1350, random_state=0).graph
    try:
        variant.fit(small, 10, 0, options.threads)  # compiles loops and imports libraries
        outcome = over_seeds(
            variant.title, name, lambda seed: variant.fit(graph, k, seed, options.threads),
            lambda labels: score(indptr, indices, labels, k, truth), options.seeds,
        )  # fmt: skip
    except ParameterError:  # such as fewer coreset nodes than clusters
        return harness.skipped(harness.Method(variant.title, "", "graphcore"), name, k, "refused")
    outcome.k = k
    return outcome


def _mean(outcome, what):
    """Return the mean over the seeds, None if it was not measured."""
    values = [row[what] for row in outcome.scores if what in row] if what in ("j", "nc", "ari") else outcome.cpu_seconds
    return float(np.mean(values)) if values else None


def _change(outcome, first):
    """Return the change of J, in per cent of the default's."""
    value, base = _mean(outcome, "j"), _mean(first, "j")
    return None if value is None else 100 * (value / base - 1)


def in_the_mean(found):
    """Return a row for each variant: change of J (mean, worst and best graph), mean NC and ARI, and CPU seconds."""
    rows = []
    for row in zip(*found.values(), strict=True):
        both = [(o, first) for o, (first, *_) in zip(row, found.values(), strict=True) if o.scores]
        changes = {o.graph: _change(o, first) for o, first in both}
        times = np.sum([(_mean(o, "s"), _mean(first, "s")) for o, first in both], axis=0)
        ends = [f"{changes[at]:+.2f}, {at}" for at in (min(changes, key=changes.get), max(changes, key=changes.get))]
        nc, ari = (np.mean([value for o, _ in both if (value := _mean(o, what)) is not None]) for what in ("nc", "ari"))
        rows.append([row[0].method.title, f"{np.mean(list(changes.values())):+.2f}", *ends, f"{nc:.3f}", f"{ari:.3f}",
                     f"{times[0] / times[1]:.2f}"])  # fmt: skip
    return table(["changed", "J, %, mean", "worst graph", "best graph", "NC", "ARI", "CPU s / default's"], rows)
