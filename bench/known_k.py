"""Graphs and vectors with a known number of clusters: real ones with classes, and generated ones.

Each set is a function of a seed to the input and the number of clusters. The number of classes is a strict measure:
edges need not show the classes.
"""

import zlib
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.datasets import make_circles, make_moons

import graphcore
from graphcore import datasets

from . import inputs, scoring, shapes, vectors
from .lfr import lfr

# -- generated -----------------------------------------------------------------------------------------------------


def _planted(k, size, inside, outside, seed):
    """Draw blocks with given mean degrees inside and outside; `size` may be a pair, the first and the last."""
    sizes = np.full(k, size) if np.isscalar(size) else np.geomspace(*size, k).astype(int)
    n = sizes.sum()
    p_in, p_out = inside / sizes.mean(), outside / (n * max(1 - 1 / k, 1 / n))
    return datasets.planted_partition(k, sizes.tolist(), min(p_in, 1.0), p_out, random_state=seed).graph, k


def _corrected(k, size, mixing, seed):
    found = datasets.degree_corrected_partition(k, size, mean_degree=15, mixing=mixing, random_state=seed)
    return found.graph, k


def _lfr(n, mixing, degree, seed):
    found = lfr(n, mixing=mixing, average_degree=degree, random_state=seed)
    return found.graph, int(found.labels.max()) + 1


def _blobs(n, k, columns, spread, seed, *, last=1.0, noise=0.0):
    """Draw Gaussian clusters around uniform centres; the last has `last` times the points of the first."""
    rng = np.random.default_rng(seed)
    sizes = np.geomspace(1.0, last, k)
    counts = np.maximum((sizes / sizes.sum() * n).astype(int), 12)
    X = np.repeat(rng.uniform(-10, 10, (k, columns)), counts, axis=0) + rng.normal(0, spread, (counts.sum(), columns))
    return np.concatenate([X, rng.uniform(-12, 12, (int(noise * n), columns))]), k


def _embeddings(n, k, last, seed):
    """Draw directions in 256 dimensions, few of which matter, like embeddings of texts and images."""
    rng = np.random.default_rng(seed)
    width = np.arange(1, 257) ** -0.5
    sizes = np.geomspace(1.0, last, k)
    labels = rng.choice(k, n, p=sizes / sizes.sum())
    X = (rng.normal(size=(k, 256)) * width)[labels] + 0.7 * rng.normal(size=(n, 256)) * width
    return (X / np.linalg.norm(X, axis=1, keepdims=True)).astype(np.float32), k


def _shape(make, k, seed):
    return make(random_state=seed)[0], k


def _cloud(n, columns, seed):
    return np.random.default_rng(seed).random((n, columns)), 1


def _gauss(n, columns, seed):
    return np.random.default_rng(seed).normal(size=(n, columns)), 1


def _attached(seed):
    import networkx as nx

    return graphcore.Graph.from_networkx(nx.barabasi_albert_graph(3000, 6, seed=seed)), 1


GENERATED = {
    "planted 3": partial(_planted, 3, 500, 10, 4), "planted 5": partial(_planted, 5, 200, 15, 5),
    "planted 10 hard": partial(_planted, 10, 300, 8, 6), "planted 20": partial(_planted, 20, 200, 15, 5),
    "planted 50": partial(_planted, 50, 60, 10, 5), "planted 100": partial(_planted, 100, 100, 12, 3),
    "planted 150 small": partial(_planted, 150, 40, 10, 4), "planted 300": partial(_planted, 300, 80, 12, 4),
    "uneven 6": partial(_planted, 6, (600, 100), 14, 5), "uneven 12": partial(_planted, 12, (800, 50), 15, 5),
    "uneven 30": partial(_planted, 30, (600, 40), 15, 4), "uneven 80": partial(_planted, 80, (300, 30), 15, 4),
    "corrected 8": partial(_corrected, 8, 300, 0.3), "corrected 15": partial(_corrected, 15, 300, 0.3),
    "corrected 15 mixed": partial(_corrected, 15, 300, 0.5), "corrected 40": partial(_corrected, 40, 150, 0.4),
    "lfr 1000 .1": partial(_lfr, 1000, 0.1, 12), "lfr 1000 .3": partial(_lfr, 1000, 0.3, 12),
    "lfr 3000 .1": partial(_lfr, 3000, 0.1, 12), "lfr 3000 .3": partial(_lfr, 3000, 0.3, 20),
    "lfr 3000 .5": partial(_lfr, 3000, 0.5, 20), "lfr 10000 .1": partial(_lfr, 10_000, 0.1, 12),
    "lfr 10000 .4": partial(_lfr, 10_000, 0.4, 15),
    "blobs 2d 3": partial(_blobs, 1000, 3, 2, 1.0), "blobs 2d 8": partial(_blobs, 2000, 8, 2, 0.7),
    "blobs 2d 15": partial(_blobs, 5000, 15, 2, 0.6), "blobs 2d 30": partial(_blobs, 6000, 30, 2, 0.3),
    "blobs 3d 6": partial(_blobs, 1500, 6, 3, 1.0), "blobs 3d 20": partial(_blobs, 5000, 20, 3, 1.0),
    "blobs 10d 5": partial(_blobs, 600, 5, 10, 3.0), "blobs 10d 10": partial(_blobs, 4000, 10, 10, 4.0),
    "blobs 10d 40": partial(_blobs, 8000, 40, 10, 2.5), "blobs 30d 8": partial(_blobs, 2000, 8, 30, 5.0),
    "blobs 50d 10": partial(_blobs, 5000, 10, 50, 9.0), "blobs 256d 4": partial(_blobs, 1500, 4, 256, 9.0),
    "blobs 256d 25": partial(_blobs, 6000, 25, 256, 9.0), "blobs 10d 100": partial(_blobs, 15_000, 100, 10, 2.0),
    "uneven blobs 2d 6": partial(_blobs, 2000, 6, 2, 0.7, last=0.05),
    "uneven blobs 10d 10": partial(_blobs, 4000, 10, 10, 2.0, last=0.03),
    "uneven blobs 64d 20": partial(_blobs, 8000, 20, 64, 6.0, last=0.03),
    "noisy blobs 2d 6": partial(_blobs, 2000, 6, 2, 0.6, noise=0.15),
    "noisy blobs 3d 10": partial(_blobs, 3000, 10, 3, 0.8, noise=0.2),
    "noisy blobs 10d 8": partial(_blobs, 3000, 8, 10, 2.0, noise=0.2),
    "noisy blobs 50d 15": partial(_blobs, 5000, 15, 50, 5.0, last=0.1, noise=0.1),
    "embeddings 10": partial(_embeddings, 20_000, 10, 1.0), "embeddings 30": partial(_embeddings, 10_000, 30, 0.1),
    "embeddings 80": partial(_embeddings, 15_000, 80, 0.05),
    "moons": partial(_shape, partial(make_moons, 1000, noise=0.05), 2),
    "rings": partial(_shape, partial(make_circles, 1000, factor=0.5, noise=0.05), 2),
    "cluster in cluster": partial(_shape, partial(shapes.cluster_in_cluster, 1000), 2),
    "crescent and moon": partial(_shape, partial(shapes.crescent_moon, 1000), 2),
    "square": partial(_cloud, 1500, 2), "cube": partial(_cloud, 3000, 10), "one gaussian 3d": partial(_gauss, 2000, 3),
    "one gaussian 50d": partial(_gauss, 3000, 50), "random graph": partial(_planted, 1, 2000, 12, 0),
    "preferential attachment": _attached,
}  # fmt: skip

# -- real ----------------------------------------------------------------------------------------------------------


def _scaled(X):
    X = np.asarray(X, dtype=float)
    return (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)


def _of_sklearn(name, data):
    from sklearn import datasets as sets

    X, labels = getattr(sets, f"load_{name}")(return_X_y=True)
    return X if name == "digits" else _scaled(X), labels


def _numbers(read, data):
    found = read(data)
    return None if found is None else (_scaled(found[0]), found[1])


def _mushrooms(data):
    """Read words, one-hot coded, with the class in the last column."""
    words = np.loadtxt(Path(data) / "mushrooms" / "agaricus-lepiota.csv.gz", delimiter=",", dtype=str)
    columns = [np.unique(column, return_inverse=True)[1] for column in words[:, :-1].T]
    return np.concatenate([np.eye(c.max() + 1)[c] for c in columns], axis=1), words[:, -1]


def _football(data):
    import networkx as nx

    G = nx.read_gml(Path(data) / "newman" / "football.gml")
    return graphcore.Graph.from_networkx(G), list(nx.get_node_attributes(G, "value").values())


def _polblogs(data):
    folder = Path(data) / "polblogs"
    edges = np.loadtxt(folder / "csv_pol_blogs.csv", delimiter=",", dtype=int)
    labels = np.loadtxt(folder / "gt_pol_blogs.csv", delimiter=",", dtype=int)[:, 1]
    return graphcore.Graph.from_edges(edges[:, 0], edges[:, 1]), labels


def _karate(data):
    found = datasets.load_karate()
    return found.graph, found.labels


def _stored(name, data):
    path = inputs.real(name, data)
    if path is None:
        return None
    indptr, indices, labels = scoring.load(path)
    return graphcore.Graph(indptr, indices, check=False), labels


REAL = {
    **{name: partial(_of_sklearn, name) for name in ("iris", "wine", "breast_cancer", "digits")},
    "karate": _karate, "football": _football, "polblogs": _polblogs,
    "avila": partial(_numbers, vectors.avila), "banknotes": partial(_numbers, vectors.bank_notes),
    "letters scaled": partial(_numbers, vectors.letter), "mushrooms": _mushrooms,
    "pendigits raw": vectors.pendigits,
    "mnist test": partial(vectors.mnist, part="t10k"),
    **{name: partial(_stored, name) for name in (
        "email", "fbpages", "har", "letter-nn10", "mnist-nn10", "pendigits-nn10", "pendigits-nn250", "lfr-10000-0.1",
        "lfr-10000-0.3", "lfr-50000-0.3",
    )},
}  # fmt: skip


def draw(name, seed, data):
    """Return the input and its number of clusters; None where the data folder lacks the set."""
    if name in GENERATED:
        return GENERATED[name](seed)
    try:
        found = REAL[name](data)
    except FileNotFoundError:
        return None
    if found is None:
        return None
    X, labels = found
    labels = np.unique(labels, return_inverse=True)[1]
    return X, int(labels.max()) + 1


def half(name):
    """Return "calibration" or "held out", by the name alone: all seeds of a set are in the same half."""
    return ("calibration", "held out")[zlib.crc32(name.encode()) % 2]
