"""The neighbours of vectors beside pynndescent and the exact search, and those of new vectors by walks beside it.

CPU seconds of one thread with nothing compiled in them, recall of the 10 nearest, and the highest memory beside the
vectors. ``--quick`` leaves out the sets of more than 100,000 rows.
"""

from unittest.mock import patch

import numpy as np
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

import graphcore
from graphcore.neighbors import search as neighbor_search
from graphcore.neighbors.neighbors import knn_graph, neighbor_graph

from .. import harness, vectors
from ..harness import Method
from ..neighbors import manifold, mixture, recall, uneven, uniform, with_graphcore, with_pynndescent
from ..report import Report, page, table
from ..runner import peak_bytes, reset_peak
from ..vectors import over_seeds

SEEDS = 1
N_NEIGHBORS = 10
LARGE = (
    "100,000 x 256, t(3), noise",
    "the same, 1,000,000 x 128",
    "such clusters, 1,000,000 x 128",
    "mixture of 100, 200,000 x 256",
)
# Clusters along axes of their own: lists miss neighbours of far rows.
UNEVEN = {
    "25,000 x 128, t(3), noise": {"n": 25_000, "d": 128, "apart": 0.7},
    "25,000 x 128, normal": {"n": 25_000, "d": 128, "tail": None, "noise": 0, "apart": 0.7},
    "25,000 x 384, t(4), noise": {"n": 25_000, "d": 384, "tail": 4, "apart": 0.5},
    "30,000 x 256, t(3), noise": {"n": 30_000, "d": 256},
    "30,000 x 64, normal": {"n": 30_000, "d": 64, "tail": None, "noise": 0},
    "25,000 x 64, t(3), noise": {"n": 25_000, "d": 64},
    "30,000 x 128, normal, noise": {"n": 30_000, "d": 128, "tail": None},
    "25,000 x 512, t(3)": {"n": 25_000, "d": 512, "noise": 0, "apart": 0.5},
    "100,000 x 256, t(3), noise": {"n": 100_000, "d": 256},
}
SEARCHES = {"graphcore": with_graphcore("auto"), "pynndescent": with_pynndescent}


def run(options):
    """Measure a table of searches, and one of new vectors."""
    outcomes, missing = [], []
    sets = _searched(options.data)
    for name in harness.wanted(sets, options, LARGE):
        X = sets[name]()
        if X is None:
            missing.append(name)
            continue
        for search in (with_graphcore("approximate"), *SEARCHES.values()):
            search(X[:3000])  # loops are compiled, or read from the disk
        chosen = [t for t in SEARCHES if harness.chosen([Method(t, t)], options)]
        outcomes += [_search(title, name, X, options.seeds) for title in chosen]
    fits = []
    for name in harness.wanted(UNEVEN, options, LARGE):
        X, classes = uneven(**UNEVEN[name])
        fits += [_fit(algorithm, name, X, classes, options.seeds) for algorithm in ("auto", "approximate", "exact")]
    new, sets = [], _halves(options.data)
    for name in harness.wanted(sets, options, LARGE):
        found = sets[name]()
        if found is None:
            missing.append(name)
            continue
        new += [_new_rows(title, name, *found) for title in ("walk", "exact")]
    sections = [*_of_searches(outcomes), *_of_fits(fits), *_of_new_rows(new), *options.absent(missing)]
    return Report("Neighbours", sections, outcomes + fits + new, page=page(sections))


def _searched(data):
    """Return the sets of vectors to search, by name, each made on request."""

    def mnist(*parts):
        found = [vectors.mnist(data, part) for part in parts]
        return None if found[0] is None else np.concatenate([X for X, _ in found])

    def blobs():
        return make_blobs(100_000, n_features=16, centers=20, random_state=0)[0].astype(np.float32)

    return {
        "MNIST, 70,000 x 784": lambda: mnist("train", "t10k"),
        "its test set, 10,000 x 784": lambda: mnist("t10k"),
        "Gaussian blobs, 100,000 x 16": blobs,
        "clusters in 12 dimensions, bent into columns, 20,000 x 128": lambda: manifold(20_000),
        "the same, 100,000 x 128": lambda: manifold(100_000),
        "the same, 1,000,000 x 128": lambda: manifold(1_000_000),
        "clusters of 500, Gaussian in all columns, 100,000 x 128": lambda: mixture(100_000),
        "such clusters, 1,000,000 x 128": lambda: mixture(1_000_000),
        "uniform, without structure, 20,000 x 64": lambda: uniform(20_000, 64),
    }


def _halves(data):
    """Return (fitted rows, new rows, number of clusters) by name, each made on request."""

    def half(found, k):
        if found is None:
            return None
        X = np.ascontiguousarray(found[0], dtype=np.float32)[np.random.default_rng(0).permutation(len(found[0]))]
        return X[: len(X) // 2], X[len(X) // 2 :], k

    def gaussians(n, d, k, n_new):
        X = make_blobs(n + n_new, d, centers=k, center_box=(-4, 4), random_state=0)[0].astype(np.float32)
        return X[:n], X[n:], k

    return {
        "letter, 10,000 x 16": lambda: half(vectors.letter(data), 26),
        "MNIST (its test set), 5,000 x 784": lambda: half(vectors.mnist(data, "t10k"), 10),
        "mixture of 50, 20,000 x 32": lambda: gaussians(20_000, 32, 50, 2_000),
        "mixture of 1,000, 40,000 x 64": lambda: gaussians(40_000, 64, 1_000, 2_000),
        "mixture of 200, 60,000 x 128": lambda: gaussians(60_000, 128, 200, 4_000),
        "mixture of 100, 200,000 x 256": lambda: gaussians(200_000, 256, 100, 10_000),
    }


def _search(title, name, X, seeds):
    before = []

    def find(_seed):
        before.append(reset_peak())
        return SEARCHES[title](X)

    def score(found):
        more = (peak_bytes() - before[-1]) / 1024
        distances = found.distances if title == "graphcore" else found
        return {"recall": recall(X, distances), "kB a row": more / len(X)}

    return over_seeds(title, name, find, score, seeds)


def _fit(algorithm, name, X, classes, seeds):
    """Measure the search that a fit to heavy-tailed clusters rests on, and how near its clusters are to the classes."""

    def score(found):
        k = int(classes.max()) + 1
        labels = graphcore.CoresetSpectralClustering(k, random_state=0).fit(neighbor_graph(found)).labels_
        return {"ARI": adjusted_rand_score(classes[classes >= 0], labels[classes >= 0])}

    def find(seed):
        return neighbor_search.nearest_neighbors(X, N_NEIGHBORS, algorithm=algorithm, random_state=seed, n_jobs=1)

    return over_seeds(algorithm, name, find, score, seeds)


def _new_rows(title, name, X, new, k):
    """Measure `predict` of new rows by one of the two searches; for walks, the share of exact neighbours found."""
    fitted = graphcore.CoresetSpectralClustering(k, random_state=0).fit(X)
    graph = knn_graph(X, N_NEIGHBORS, random_state=0)

    def by(is_exact, function):
        with patch.object(neighbor_search, "exact_pays", lambda *_: is_exact):
            return function()

    def found(is_exact):
        searcher = by(is_exact, lambda: neighbor_search.new_row_searcher(X, graph, N_NEIGHBORS, "euclidean", 1))
        return searcher.kneighbors(new)[0]

    def score(labels):
        if title == "exact":
            return {"recall": 1.0, "same labels": 1.0}
        near = found(False) <= found(True)[:, -1:] * (1 + 1e-5)
        return {"recall": near.mean(), "same labels": np.mean(labels == by(True, lambda: fitted.predict(new)))}

    by(title == "exact", lambda: fitted.predict(new[:100]))  # compiled
    outcome = over_seeds(title, name, lambda _: by(title == "exact", lambda: fitted.predict(new)), score, 1)
    outcome.parts.append({"new rows": len(new)})
    return outcome


def _of_searches(outcomes):
    """Return a table with a row for each set, the searches side by side."""
    rows = []
    for name in dict.fromkeys(o.graph for o in outcomes):
        by = {o.method.title: o for o in outcomes if o.graph == name}
        told = [by.get(title) for title in SEARCHES]
        rows.append([
            name, *(None if o is None else f"{o.median('recall'):.3f}" for o in told),
            *(None if o is None else o.median("cpu_seconds") for o in told),
            *(None if o is None else o.median("kB a row") for o in told),
        ])  # fmt: skip
    header = [f"{what}, {t}" for what in ("recall", "CPU s", "kB a row") for t in SEARCHES]
    return ["## Search\n\n" + table(["vectors", *header], rows)] if rows else []


def _of_fits(outcomes):
    """Return a table with a row for each set of uneven clusters: the time of searches, and the fits to their graphs."""
    rows = []
    for name in dict.fromkeys(o.graph for o in outcomes):
        by = [o for o in outcomes if o.graph == name]
        rows.append([name, *(o.median("cpu_seconds") for o in by), *(f"{o.median('ARI'):.3f}" for o in by)])
    header = [f"{what}, {o}" for what in ("CPU s", "ARI") for o in ("auto", "approximate", "exact")]
    return ["## Uneven clusters\n\n" + table(["vectors", *header], rows)] if rows else []


def _of_new_rows(outcomes):
    """Return a table with a row for each set: walks, and their loss against the exact search."""
    rows = []
    for name in dict.fromkeys(o.graph for o in outcomes):
        walk, exact = (next(o for o in outcomes if o.graph == name and o.method.title == t) for t in ("walk", "exact"))
        rows.append([
            name, walk.parts[0]["new rows"], walk.median("cpu_seconds"), exact.median("cpu_seconds"),
            f"{walk.median('recall'):.3f}", f"{walk.median('same labels'):.4f}",
        ])  # fmt: skip
    header = ["fitted", "new rows", "CPU s, walk", "exact", "recall", "labels that are those of the exact search"]
    return ["## New vectors\n\n" + table(header, rows)] if rows else []
