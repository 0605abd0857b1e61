"""Vectors with known classes, and peers: k-means, spectral clustering, HDBSCAN, EVoC, UMAP before two of them, Leiden.

Defaults throughout, except that UMAP has the values that its documentation gives for clustering. Noise counts as one
more cluster. ``--page docs/tables/vectors.md`` writes the tables of the docs, and vectors.csv beside it.
"""

import numpy as np

from .. import harness, inputs, known_k, quality_page, scoring
from ..harness import Method
from ..report import Report

SEEDS = 3
page, write_rows = quality_page.page, quality_page.write_rows  # the tables of the docs, and the file beside them
# Real sets of bench/known_k.py and the whole of MNIST, with the number of classes; three that anyone can draw.
GRAPHS = {
    "mnist": 10, "mnist test": 10, "digits": 10, "pendigits raw": 10, "letters scaled": 26, "avila": 12, "mushrooms": 2,
    "banknotes": 2, "breast_cancer": 2, "wine": 3, "iris": 3, "moons": 2, "clusters in 256 dimensions": 30,
    "uneven clusters in 64 dimensions": 20,
}  # fmt: skip
LARGE = ("mnist",)
METHODS = [
    Method(quality_page.OURS, "fit_vectors", "graphcore"),
    Method("graphcore, k by itself", "fit_vectors", "graphcore", {"n_clusters": "auto"}, own_k=True),
    Method("k-means", "kmeans"),
    Method("spectral (scikit-learn)", "sklearn_vectors", params={"n_neighbors": 10}),
    Method("UMAP, k-means", "umap_kmeans"),
    Method("UMAP, HDBSCAN", "umap_hdbscan", own_k=True),
    Method("HDBSCAN (scikit-learn)", "hdbscan", own_k=True),
    Method("fast_hdbscan", "fast_hdbscan", own_k=True),
    Method("EVoC", "evoc", own_k=True),
    Method("Leiden of 10 neighbours", "neighbors_leiden", own_k=True),
]
TOO_SLOW = {"hdbscan": ("mnist",), "fast_hdbscan": ("mnist",)}  # both search 784 dimensions by trees


def run(options):
    """Measure all sets."""
    outcomes, missing = [], []
    for name in harness.wanted(GRAPHS, options, LARGE):
        path, k = labelled(name, options.data), GRAPHS[name]
        if path is None:
            missing.append(name)
            continue
        outcomes += harness.measure_all(METHODS, name, path, k, options, too_slow=TOO_SLOW, score=scoring.score_vectors)
    shown = page(outcomes) if outcomes else ""
    sections = [shown, *options.absent(missing)]
    return Report(f"Vectors: medians over {options.seeds} seeds", sections, outcomes, page=shown)


def labelled(name, data):
    """Return the path of a set's vectors ``X``, float32, and ``labels``; None if the data folder lacks it."""
    if name == "mnist":
        return inputs.labelled_mnist(data)
    try:
        found = GENERATED[name](np.random.default_rng(0)) if name in GENERATED else known_k.REAL[name](data)
    except FileNotFoundError:
        return None
    if found is None:
        return None
    X, labels = found

    def make():
        return {"X": np.asarray(X, dtype=np.float32), "labels": np.unique(labels, return_inverse=True)[1]}

    return inputs.cached(f"{name.replace(' ', '-')}-vectors", make)


def _moons(rng):
    from sklearn.datasets import make_moons

    return make_moons(4000, noise=0.05, random_state=int(rng.integers(1 << 31)))


def _mixture(rng, n, k, n_columns, apart, smallest):
    """Draw Gaussian clusters whose sizes fall geometrically, the last `smallest` times the first."""
    shares = np.geomspace(1.0, smallest, k)
    labels = rng.choice(k, n, p=shares / shares.sum())
    return apart * rng.normal(size=(k, n_columns))[labels] + rng.normal(size=(n, n_columns)), labels


GENERATED = {
    "moons": _moons,
    "clusters in 256 dimensions": lambda rng: _mixture(rng, 20_000, 30, 256, 0.35, 1.0),
    "uneven clusters in 64 dimensions": lambda rng: _mixture(rng, 10_000, 20, 64, 0.6, 0.03),
}
