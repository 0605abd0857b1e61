"""Uniform, ridge and pivoted landmarks for kernel k-means: residual, rare clusters missed, and cost.

Means and deviations over seeds. Uniform landmarks have rows with twice and four times as many, which take similar
processor time. "left out" is the share of the trace of the kernel that is not in ``C W^+ C^T``; the cost of labels is
their mean squared distance in kernel space, by features of 1,000 pivoted landmarks and their residual. A rare cluster
is met if it holds a landmark, and found if it is a cluster of the labels. ``--page docs/tables/landmarks.md`` writes
the table of the docs.
"""

import time

import numpy as np

import graphcore
from graphcore.kernel_methods.features.nystrom import nystrom_features
from graphcore.kernel_methods.kmeans.linear import centers_and_cost
from graphcore.kernels.vectors import VectorKernel

from .. import vectors
from ..report import Report, table
from ..vectors import over_seeds, spread

SEEDS = 6
ROOMS = ("base", "kernels", "kernel_methods")
ROWS = 10_000
RARE, NARROW = "rare clusters", "rare clusters, half the bandwidth"
N_COMMON, N_RARE, RARE_SIZE = 10, 25, 12
REFERENCE = 1000
METHODS = {
    "uniform": ("uniform", 1), "uniform, twice": ("uniform", 2), "uniform, four times": ("uniform", 4),
    "recursive-ridge": ("recursive-ridge", 1), "rpcholesky": ("rpcholesky", 1),
}  # fmt: skip


def run(options):
    """Measure every way to choose landmarks on every set of vectors."""
    outcomes, sections, missing = [], [], []
    for name, X, truth in vectors.loaded(LOADERS, options, missing):
        bandwidth, k = ("rms", 0.5 if name == NARROW else 1.0), len(np.unique(truth))
        size, rare = (120, range(N_COMMON, k)) if name in (RARE, NARROW) else ("auto", ())
        first = {"n_landmarks": size, "bandwidth": bandwidth, "random_state": 0, "n_init": 1}
        model = graphcore.NystromKernelKMeans(k, **first).fit(X)
        kernel, c = VectorKernel(X, model.kernel_), model.n_landmarks_
        reference = nystrom_features(kernel, min(REFERENCE, len(X)), sampling="rpcholesky", random_state=0)
        found = [
            over_seeds(
                f"{title}, {times * c} landmarks", name,
                lambda seed, how=(bandwidth, sampling, times * c), X=X, k=k: _run(X, k, *how, seed, options.threads),
                lambda fit, given=(truth, rare, reference): _scores(fit, *given), options.seeds,
            )
            for title, (sampling, times) in METHODS.items()
        ]  # fmt: skip
        outcomes += found
        sections.append(f"## {name}: {len(X):,} points, k = {k}\n\n" + _table(found))
    page = "\n\n".join(section.replace("## ", "**", 1).replace("\n", "**\n", 1) for section in sections)
    sections += options.absent(missing)
    return Report("Landmarks", sections, outcomes, ("left_out", "nmi"), page=page)


def _run(X, k, bandwidth, sampling, c, seed, threads):
    """Run a fit, and measure processor seconds of features alone."""
    options = {"n_landmarks": c, "bandwidth": bandwidth, "sampling": sampling, "random_state": seed, "n_jobs": threads}
    start = time.process_time()
    graphcore.NystromFeatures(**options).fit(X)
    spent = time.process_time() - start
    return graphcore.NystromKernelKMeans(k, **options).fit(X), spent


def _scores(fit, truth, rare, reference):
    model, spent = fit
    seen = model.diagnostics_
    found = vectors.agreement(model.labels_, truth)
    cost = centers_and_cost(reference.features, model.labels_)[1] + reference.alpha / len(truth)
    return {
        "left_out": 1 - float(np.square(model.singular_values_).sum()) / (seen.n * seen.trace),
        "met": int(np.isin(rare, truth[model.landmark_indices_]).sum()),
        "found": sum(np.array_equal(model.labels_ == model.labels_[truth == j][0], truth == j) for j in rare),
        "cost": cost,
        "nmi": found["nmi"],
        "ari": found["ari"],
        "features": spent,
    }


def _table(found):
    rare = [("rare clusters met", "met", 1), ("found", "found", 1)] if found[0].graph in (RARE, NARROW) else []
    columns = [
        ("left out", "left_out", 5), *rare, ("cost of the labels", "cost", 5), ("NMI", "nmi", 3), ("ARI", "ari", 3),
        ("CPU s, features", "features", 3),
    ]  # fmt: skip
    rows = [
        [each.method.title, *(spread(each, name, digits) for _, name, digits in columns),
         f"{np.mean(each.cpu_seconds) - np.mean([score['features'] for score in each.scores]):.2f}"]
        for each in found
    ]  # fmt: skip
    return table(["landmarks", *(title for title, _, _ in columns), "CPU s, fit"], rows)


def rare_clusters():
    """Draw ten clusters of 1,500 points and 25 of 12, in ten dimensions."""
    rng = np.random.default_rng(0)
    sizes = np.repeat([1500, RARE_SIZE], [N_COMMON, N_RARE])
    truth = np.repeat(np.arange(len(sizes)), sizes)
    middles = rng.normal(0, 4, (len(sizes), 10))
    return middles[truth] + rng.normal(0, 0.5, (len(truth), 10)), truth


def _some(load):
    """Return a loader whose sets are cut to a random sample of ROWS."""

    def cut(data):
        found = load(data)
        if found is None or len(found[0]) <= ROWS:
            return found
        chosen = np.sort(np.random.default_rng(0).choice(len(found[0]), ROWS, replace=False))
        return tuple(part[chosen] for part in found)

    return cut


def _digits(_):
    found = graphcore.datasets.load_digits()
    return found.data, found.labels


LOADERS = {
    RARE: lambda _: rare_clusters(), NARROW: lambda _: rare_clusters(), "digits": _digits,
    "pendigits": vectors.pendigits, "bank notes": vectors.bank_notes, "avila": _some(vectors.avila),
    "letter": _some(vectors.letter), "mnist": _some(vectors.mnist),
}  # fmt: skip
