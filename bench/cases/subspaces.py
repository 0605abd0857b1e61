"""k-flats beside SSC-OMP and EnSC, peers from the literature on subspaces: agreement with the classes, seconds.

Handwritten digits (scikit-learn's) and 2,000 images of MNIST: of the public sets available those whose classes are
said to lie near subspaces. Rows have unit length; MNIST is reduced to 100 dimensions by its singular vectors. A third
set is drawn as in the paper on SSC-OMP: 5 subspaces of dimension 6 in 9 dimensions. ``--page docs/tables/subspaces.md``
writes the table of the docs.
"""

import time

import numpy as np

import graphcore

from .. import harness, vectors
from ..report import Report, cell, table
from ..subspaces import elastic_net_affinity, omp_affinity, spectral
from ..vectors import over_seeds

SEEDS = 5
ROOMS = ("base", "graphs", "neighbors", "kernels", "cluster", "kernel_methods/flats")
IMAGES, DIMENSIONS = 2000, 100
AFFINITIES = {
    "SSC-OMP, 5 others": omp_affinity,
    "SSC-OMP, 10 others": lambda X: omp_affinity(X, 10),
    "EnSC": elastic_net_affinity,
}
NEIGHBOURS = "neighbour graph, by CoresetSpectralClustering"
OF_AFFINITY = ", by CoresetSpectralClustering"
# Dimension and first labels. Random ones are best where few flats cross.
FLATS = {
    "k-means": (0, "k-means++"),
    "lines": (1, "k-means++"),
    "planes": (2, "k-means++"),
    "planes, random start": (2, "random"),
    "flats of dimension 4": (4, "k-means++"),
    "flats of dimension 6": (6, "k-means++"),
    "flats of dimension 6, random start": (6, "random"),
}


def run(options):
    """Measure all methods on every set."""
    outcomes, missing = [], []
    for name, rows, truth in vectors.loaded(LOADERS, options, missing):
        X, k = rows / np.linalg.norm(rows, axis=1, keepdims=True), len(np.unique(truth))
        title = f"{name}: {len(X):,} points in {X.shape[1]} dimensions, k = {k}"
        outcomes += measured(title, X, truth, k, options)
    sections = [page(outcomes)]
    sections += options.absent(missing)
    return Report(
        f"Subspaces: medians over {options.seeds} seeds", sections, outcomes, ("ari", "nmi"), page=sections[0]
    )


def page(outcomes):
    """Return a table for each set."""
    sets = dict.fromkeys(outcome.graph for outcome in outcomes)
    return "\n\n".join(f"**{name}**\n\n{_table([each for each in outcomes if each.graph == name])}" for name in sets)


def measured(name, X, truth, k, options):
    """Measure k-flats, and both ways to cluster every affinity, whose seconds count for each."""

    def outcome(title, labels, spent=0.0):
        made = over_seeds(title, name, labels, lambda found: vectors.agreement(found, truth), options.seeds)
        made.cpu_seconds = [seconds + spent for seconds in made.cpu_seconds]
        return made

    def flats(seed, m, init):
        return graphcore.KFlats(k, m, init=init, random_state=seed, n_jobs=options.threads).fit(X).labels_

    # It clusters an affinity, or the neighbour graph of vectors.
    def ours(seed, affinity):
        return graphcore.CoresetSpectralClustering(k, random_state=seed, n_jobs=options.threads).fit(affinity).labels_

    found = [
        outcome(title, lambda seed, how=how: flats(seed, *how))
        for title, how in FLATS.items() if how[0] < X.shape[1] and harness.holds(title, options.methods)
    ]  # fmt: skip
    if harness.holds(NEIGHBOURS, options.methods):
        found.append(outcome(NEIGHBOURS, lambda seed: ours(seed, X)))
    for title, make in AFFINITIES.items():
        if not harness.holds(title, options.methods):
            continue
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
    """Draw points, uniform on the unit spheres of random subspaces."""
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
