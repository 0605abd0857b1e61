"""Mini-batch kernel k-means beside kernel k-means on coresets and on landmarks: cost against processor seconds.

Medians over seeds. The kernel is Gaussian, its bandwidth the root mean square distance. The cost of labels is the mean
squared distance in feature space of 4,000 points, the same for all, to the exact means of their clusters. "in as many
CPU s" is the least cost that graphcore's rows reach in no more processor seconds than the row takes.
``--page docs/tables/minibatch.md`` writes the table of the docs.
"""

import numpy as np
from threadpoolctl import threadpool_limits

import graphcore
from graphcore.kernels.bandwidths import rule_bandwidth

from .. import harness, vectors
from ..minibatch import gaussian, minibatch_kernel_kmeans
from ..report import Report, cell, table
from ..vectors import over_seeds

SEEDS = 5
ROOMS = ("base", "kernels", "kernel_methods")
# (points a step, window, most steps, least gain of a step)
STEPS = {
    "mini-batch, 256 a step, 50 steps": (256, 100, 50, 0.0),
    "mini-batch, 1,024 a step, until the gain is below 0.001": (1024, 200, 100, 1e-3),
    "mini-batch, 1,024 a step, 100 steps": (1024, 200, 100, 0.0),
}
# Each from one start, as the steps.
MODELS = {
    "coreset": (graphcore.CoresetKernelKMeans, {}),
    "uniform landmarks": (graphcore.NystromKernelKMeans, {}),
    "landmarks by pivots": (graphcore.NystromKernelKMeans, {"sampling": "rpcholesky"}),
}
# Points over which costs are averaged, the same ones for all labels.
JUDGED = 4000
# Points up to which exact kernel k-means is run, too.
EXACT = 10_000


def run(options):
    """Measure all methods on every set of vectors, and the exact cost of their labels."""
    outcomes, missing = [], []
    for name, given, truth in vectors.loaded(LOADERS, options, missing):
        X = given.astype(np.float32)
        k, bandwidth = len(np.unique(truth)), rule_bandwidth(X, "rms", random_state=0)
        gamma = 0.5 / bandwidth**2
        title = f"{name}: {len(X):,} points in {X.shape[1]} dimensions, k = {k}"
        with threadpool_limits(options.threads):
            found = _measured(title, X, truth, k, bandwidth, gamma, options)
        labels = [run.pop("labels") for outcome in found for run in outcome.scores]
        scores = [run for outcome in found for run in outcome.scores]
        for score, cost in zip(scores, costs(X, gamma, labels), strict=True):
            score["cost"] = cost
        outcomes += found
    sections = [page(outcomes)]
    sections += options.absent(missing)
    return Report(f"Mini-batch kernel k-means: medians over {options.seeds} seeds", sections, outcomes,
                  ("cpu_seconds", "cost"), page=sections[0])  # fmt: skip


def page(outcomes):
    """Return a table for each set."""
    sets = dict.fromkeys(outcome.graph for outcome in outcomes)
    return "\n\n".join(f"**{name}**\n\n{_table([each for each in outcomes if each.graph == name])}" for name in sets)


def _measured(name, X, truth, k, bandwidth, gamma, options):
    def score(found):
        labels, steps = found
        return {"nmi": vectors.agreement(labels, truth)["nmi"], "steps": steps, "labels": labels}

    def fitted(kind, params, rows, seed):
        given = {"bandwidth": bandwidth, "n_init": 1, "random_state": seed, "n_jobs": options.threads}
        model = kind(k, **given, **params).fit(rows)
        return model.labels_, model.n_iter_

    def stepped(seed, batch, window, most, least):
        rng = np.random.default_rng(seed)
        return minibatch_kernel_kmeans(X, k, gamma, rng, batch=batch, window=window, max_steps=most, tol=least)

    models = MODELS | ({"exact": (graphcore.KernelKMeans, {})} if len(X) <= EXACT else {})
    models, steps = (
        {t: how for t, how in ways.items() if harness.holds(t, options.methods)} for ways in (models, STEPS)
    )
    found = []
    for title, how in models.items():
        fitted(*how, X[: max(1000, 2 * k)], 0)  # compiled before it is timed
        found.append(over_seeds(title, name, lambda seed, how=how: fitted(*how, X, seed), score, options.seeds))
    for title, how in steps.items():
        found.append(over_seeds(title, name, lambda seed, how=how: stepped(seed, *how), score, options.seeds))
    return found


def costs(X, gamma, labellings, n_rows=JUDGED, block=500):
    """Return costs of labels: 1 less the mean kernel of a point with its cluster, over some of the points."""
    judged = np.sort(np.random.default_rng(0).permutation(len(X))[:n_rows])
    found = np.zeros(len(labellings))
    for start in range(0, len(judged), block):
        rows = judged[start : start + block]
        kernel = gaussian(X[rows], X, gamma).astype(np.float32)
        for i, labels in enumerate(labellings):
            order, counts = np.argsort(labels, kind="stable"), np.bincount(labels)
            members = np.split(order, np.cumsum(counts)[:-1])
            for j in np.unique(labels[rows]):
                found[i] += kernel[np.ix_(labels[rows] == j, members[j])].mean(axis=1, dtype=np.float64).sum()
    return (1.0 - found / len(judged)).tolist()


def _table(found):
    ours = [each for each in found if each.method.title not in STEPS]
    rows = []
    for each in found:
        spent, cost = each.median("cpu_seconds"), each.median("cost")
        within = [other.median("cost") for other in ours if other.median("cpu_seconds") <= spent]
        best = "-" if each in ours else f"{min(within):.4f}" if within else "none is as quick"
        rows.append([each.method.title, cell(spent, 2), f"{cost:.4f}", best, f"{each.median('nmi'):.3f}"])
    return table(["method", "CPU s", "cost", "graphcore in as many CPU s", "NMI"], rows)


def planted(k, n=20_000, d=20):
    """Draw round clusters of one size around normal centres, far enough apart to touch."""
    rng = np.random.default_rng(0)
    truth = np.arange(n) % k
    return rng.normal(0, 1.5, (k, d))[truth] + rng.normal(size=(n, d)), truth


LOADERS = {
    "pendigits": vectors.pendigits, "letter": vectors.letter, "avila": vectors.avila, "mushrooms": vectors.mushrooms,
    "planted, k = 10": lambda _: planted(10), "mnist": vectors.mnist, "planted, k = 200": lambda _: planted(200),
}  # fmt: skip
