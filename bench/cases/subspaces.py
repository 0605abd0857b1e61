"""k-flats beside SSC-OMP and EnSC, peers from the literature on subspaces: agreement with the classes, seconds.

Handwritten digits (scikit-learn's) and 2,000 images of MNIST: of the public sets at hand the ones whose classes are
said to lie near subspaces. Rows have unit length; MNIST is reduced to 100 dimensions by its singular vectors. A third
set is drawn as in the paper on SSC-OMP: 5 subspaces of dimension 6 in 9 dimensions. ``--page docs/tables/subspaces.md``
writes the table of the docs.
"""

import time

import numpy as np

import graphcore

from .. import vectors
from ..report import Report, cell, page, table
from ..subspaces import elastic_net_affinity, omp_affinity, spectral
from ..vectors import over_seeds

SEEDS = 5
ROOMS = ("base", "graphs", "kernels", "cluster", "kernel_methods/flats")
IMAGES, DIMENSIONS = 2000, 100
AFFINITIES = {
    "SSC-OMP, 5 others": omp_affinity,
    "SSC-OMP, 10 others": lambda X: omp_affinity(X, 10),
    "EnSC": elastic_net_affinity,
}
OF_AFFINITY = ", by CoresetSpectralClustering"
# By dimension; from random labels too, which are best where flats cross.
FLATS = {"k-means": 0, "lines": 1, "planes": 2, "flats of dimension 4": 4, "flats of dimension 6": 6}
RANDOM = ", random start"


def run(options):
    """All methods on every set."""
    outcomes, sections, missing = [], [], []
    for name, rows, truth in vectors.loaded(LOADERS, options, missing):
        X, k = rows / np.linalg.norm(rows, axis=1, keepdims=True), len(np.unique(truth))
        found = measured(name, X, truth, k, options)
        outcomes += found
        sections.append(f"## {name}: {len(X):,} points in {X.shape[1]} dimensions, k = {k}\n\n" + _table(found))
    text = page(sections)
    if missing:
        sections.append(f"Not in the data folder ({options.data}): {', '.join(missing)}.")
    return Report(f"Subspaces: medians over {options.seeds} seeds", sections, outcomes, ("ari", "nmi"), page=text)


def measured(name, X, truth, k, options):
    """Outcomes of k-flats, and of both ways to cluster every affinity, whose seconds count for each."""

    def outcome(title, labels, spent=0.0):
        made = over_seeds(title, name, labels, lambda found: vectors.agreement(found, truth), options.seeds)
        made.cpu_seconds = [seconds + spent for seconds in made.cpu_seconds]
        return made

    def flats(seed, m, init):
        return graphcore.KFlats(k, m, init=init, random_state=seed, n_jobs=options.threads).fit(X).labels_

    def ours(seed, affinity):
        return graphcore.CoresetSpectralClustering(k, random_state=seed, n_jobs=options.threads).fit(affinity).labels_

    found = [
        outcome(title + RANDOM * (init == "random"), lambda seed, m=m, init=init: flats(seed, m, init))
        for title, m in FLATS.items() if m < X.shape[1]
        for init in ("k-means++", "random")[: 1 + (m > 0)]
    ]  # fmt: skip
    for title, make in AFFINITIES.items():
        start = time.process_time()
        with vectors.quiet():
            affinity = make(X)
        spent = time.process_time() - start
        found.append(outcome(title, lambda seed, A=affinity: spectral(A, k, seed), spent))
        found.append(outcome(title + OF_AFFINITY, lambda seed, A=affinity: ours(seed, A), spent))
    return found


def _table(found):
    rows = [[each.method.title, *(f"{each.median(name):.3f}" for name in ("ari", "nmi")),
             cell(each.median("cpu_seconds"), 2)] for each in found]  # fmt: skip
    return table(["method", "ARI", "NMI", "CPU s"], rows)


def planted(n=1000, k=5, dimension=6, space=9):
    """Points uniform on the unit spheres of random subspaces."""
    rng = np.random.default_rng(0)
    truth = np.arange(n) % k
    bases = [np.linalg.qr(rng.normal(size=(space, dimension)))[0] for _ in range(k)]
    return np.array([bases[label] @ rng.normal(size=dimension) for label in truth]), truth


def _digits(_):
    found = graphcore.datasets.load_digits()
    return found.data, found.labels


def _mnist(data):
    found = vectors.mnist(data)
    if found is None:
        return None
    chosen = np.sort(np.random.default_rng(0).choice(len(found[0]), IMAGES, replace=False))
    X, truth = found[0][chosen].astype(np.float64), found[1][chosen]
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return X @ np.linalg.svd(X, full_matrices=False)[2][:DIMENSIONS].T, truth


LOADERS = {"digits": _digits, "mnist": _mnist, "planted subspaces": lambda _: planted()}
