"""The published algorithm stage by stage beside coreset-sc 0.1.5.

Both sides take the same share of the nodes, 2 k seeds and loops of 1; k-means is timed apart on both. coreset-sc draws
in effect by degree; graphcore is measured with the published importance sampling and with degree sampling. It draws
without replacement: on R-MAT, where coreset-sc draws hubs many times, a row more takes as many nodes as are left there.
"""

import statistics

import numpy as np

import graphcore
from graphcore.cluster.spectral import spectral_partition
from graphcore.kernels.graph import GraphKernel

from .. import harness, inputs, scoring
from ..harness import Method
from ..report import Report, memory_allowed, ratio, table, verdict

SEEDS = 3
PLANTED, RMAT = "planted 250 x 1,000", "R-MAT 2^22, 40 M edges"
DRAWS = 100_000
SWEEP = (100, 1_000, 5_000)


def run(options):
    """Measure the stages on both graphs."""
    graphs = harness.wanted((PLANTED, RMAT), options, (RMAT,))
    outcomes, sections = [], []
    if PLANTED in graphs:
        path = inputs.planted(250, 1000, 0.5, 0.001 / 250)
        found = compare(PLANTED, path, 250, stage_methods(0.01, 10, ("importance", "degree")), options)
        targets = [("without k-means", 5.0), ("with k-means", 3.0), ("labelling", 20.0)]
        sections.append(section(PLANTED, found, targets, path))
        outcomes += found
    if RMAT in graphs:
        path = inputs.rmat(22, 40_000_000)
        n, _ = inputs.shape(path)
        share = DRAWS / n
        alike = distinct(path, DRAWS) / n
        for k in SWEEP:
            # One start of k-means, which is not compared, because ten with k = 5,000 take many minutes.
            methods = stage_methods(share, 1, ("degree",))
            params = {**methods[-1].params, "size": alike}
            methods.append(Method("graphcore, degree, as many nodes", "construct", "graphcore", params))
            found = compare(RMAT, path, k, methods, options)
            sections.append(section(RMAT, found, [("without k-means", 5.0), ("megabytes", 2.0)], path))
            outcomes += found
    return Report(f"Construction: medians over {options.seeds} runs", sections, outcomes, ("seconds", "megabytes"))


def distinct(path, n_draws):
    """Return the expected number of different nodes in draws by degree with replacement, as of coreset-sc."""
    with np.load(path) as file:
        degrees = np.diff(file["indptr"]) + 1.0
    return float(-np.expm1(n_draws * np.log1p(-degrees / degrees.sum())).sum())


def stage_methods(share, n_init, samplings):
    """Return the reference first, then graphcore with each sampling."""
    params = {"size": share, "n_init": n_init}
    ours = [Method(f"graphcore, {s}", "construct", "graphcore", {**params, "sampling": s}) for s in samplings]
    return [Method("coreset-sc", "coreset_sc_stages", params=params), *ours]


def compare(graph, path, k, methods, options):
    """Measure the methods; score labels of all nodes and, on its own graph, of the coreset."""

    def measured(method):
        def score(path, run, k, own_k):
            out = scoring.score_run(path, run, k, own_k) | scoring.score_coreset(path, run, k)
            if method.side == "peers":
                out["reclustered_nc"] = reclustered_nc(path, run, k, method.params["n_init"], options.threads)
            return out

        return harness.measure(method, graph, path, k, options, score=score)

    return [measured(method) for method in harness.chosen(methods, options)]


def reclustered_nc(path, run, k, n_init, threads):
    """Return NC when graphcore clusters the coreset graph of a run: sampling apart from clustering."""
    indptr, indices, _ = scoring.load(path)
    kernel = GraphKernel(graphcore.Graph(indptr, indices, check=False), self_loop=1.0)
    order = np.argsort(run["coreset"])
    coreset, weights = run["coreset"][order].astype(np.int64), run["weights"][order]
    coreset_graph = kernel.weighted_submatrix(coreset, weights, n_jobs=threads)
    found = spectral_partition(coreset_graph, k, n_init=n_init, random_state=0, n_jobs=threads)
    again = {"coreset": coreset, "weights": weights, "coreset_labels": found.labels}
    return scoring.score_coreset(path, again, k)["coreset_nc"]


def split(outcome):
    """Return medians for the targets; the seconds without and with k-means leave out labelling."""
    if outcome.status != "ok":
        return {}
    labelling, kmeans = outcome.median("labelling"), outcome.median("k-means")
    parts = [{n: s for n, s in p.items() if n not in ("labelling", "k-means")} for p in outcome.parts]
    without = statistics.median(sum(p.values()) for p in parts)
    return {
        "without k-means": without,
        "with k-means": without + kmeans,
        "labelling": labelling,
        "megabytes": outcome.median("megabytes"),
    }


def section(graph, found, targets, path):
    """Return a table of stages and, for each target, the factor by which graphcore is ahead of the reference."""
    n, entries = inputs.shape(path)
    header = ["method", "without k-means, s", "with k-means, s", "labelling, s", "CPU s in all", "MB above the graph"]
    header += ["coreset nodes", "NC on the coreset graph", "the same graph clustered by graphcore"]
    header += ["NC", "ARI", "ARI of the coreset", "outcome"]
    rows = []
    for o in found:
        seconds = [split(o).get(name) for name in ("without k-means", "with k-means", "labelling")]
        seconds += [o.median("cpu_seconds"), o.median("megabytes")]
        names = "coreset_nodes", "coreset_nc", "reclustered_nc", "nc", "ari", "coreset_ari"
        scores = [o.median(name) for name in names]
        rows.append([o.method.title, *seconds, *scores, o.remark])
    text = f"## {graph} ({n:,} nodes, {entries:,} entries), k = {found[0].k}\n\n" if found else ""
    text += table(header, rows)
    stages = [[o.method.title, name, o.median(name)] for o in found if o.parts for name in o.parts[0]]
    text += "\n\n" + table(["method", "stage", "s"], stages)
    reference = next((o for o in found if o.method.side == "peers"), None)
    ours = [o for o in found if o.method.side == "graphcore"]
    factors = []
    for o in ours if reference else []:
        for name, least in targets:
            factor = ratio(split(o).get(name), split(reference).get(name))
            factors.append([o.method.title, name, factor, least, verdict(None if factor is None else factor >= least)])
    text += "\n\n" + table(["method", "measure", "times less than coreset-sc", "at least", "holds"], factors)
    contracts = [contract(o, n) for o in ours if o.status == "ok"]
    header = ["method", "entries of the coreset graph", "MB above the graph", "MB allowed", "holds"]
    return text + "\n\n" + table(header, contracts)


def contract(outcome, n_nodes):
    """Return a line: the entries stored, and memory beside its limit."""
    stored, taken = outcome.median("coreset_graph_entries"), outcome.median("megabytes")
    allowed = memory_allowed(n_nodes, stored)
    return [outcome.method.title, stored, taken, allowed, verdict(taken <= allowed)]
